"""A GPT-2 of transformers that reads and writes integers among ordinary tokens.

In the text an integer is the token [NUM]; its value stands beside the tokens in ``integers``. What
is read is the token's vector plus a linear map of the integer's code (``PrimeFourierEmbedding``).
What is written is the token [NUM], and the integer that ``CRTHead`` decodes from the same features.
An optional residual block computes exactly: it points at two of the integers so far, and adds what
``primefourier.nn`` gives for their codes. A tokenizer, texts with [NUM] and a collator stand below
the model. How to use them: docs/hugging-face.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from transformers.modeling_outputs import CausalLMOutputWithPast

from primefourier import PrimeBasis
from primefourier.arithmetic import as_integers
from primefourier.nn import (
    CRTHead,
    PrimeFourierEmbedding,
    add_codes,
    circular_loss,
    decode_codes,
    multiply_codes,
    subtract_codes,
)

OPERATIONS = {"add": add_codes, "subtract": subtract_codes, "multiply": multiply_codes}
PAD, END, UNKNOWN, NUMBER = "[PAD]", "[END]", "[UNK]", "[NUM]"
INTEGER, FRACTION = re.compile(r"(?<!\d)-?\d+"), re.compile(r"\d+[.,]\d+")
IGNORED = -100
"""The label of tokens that the loss of transformers leaves out."""


class IntegerGPT2Config(GPT2Config):  # type: ignore[misc]
    """The config of a GPT-2, and how it reads and writes integers.

    Attributes:
        primes: The primes of the basis of the integers; the product of all p^D is below 2^63.
        depth: The depth D of the basis.
        number_token_id: The token [NUM].
        exact_after: After how many blocks the exact block stands; None for a model without it.
        exact_head: Whether an exact block stands at the head: each place writes the result of an
            operation, or what CRTHead gives. No layer mixes circles of different primes there.
        read_codes: Whether codes are added to the vectors of their tokens. Without them only an
            exact block reads integers, so that where it points cannot depend on their values.
    """

    model_type = "integer-gpt2"
    primes: list[int] | tuple[int, ...] = (3, 5, 7)
    depth: int = 1
    number_token_id: int | None = None
    exact_after: int | None = None
    exact_head: bool = False
    read_codes: bool = True
    use_cache: bool = False


@dataclass
class IntegerOutput(CausalLMOutputWithPast):  # type: ignore[misc]
    """The output of a causal model, and at each place the code of the integer it would write."""

    codes: Tensor | None = None


class IntegerGPT2(GPT2LMHeadModel):  # type: ignore[misc]
    """A GPT-2 whose tokens [NUM] have integers.

    Args:
        config: The sizes, the basis and the place of the exact block.
    """

    config_class = IntegerGPT2Config

    def __init__(self, config: IntegerGPT2Config) -> None:
        super().__init__(config)
        self.loss_type = "ForCausalLM"  # transformers chooses the loss by the name of the class
        basis = PrimeBasis(tuple(config.primes), config.depth)
        if basis.range >= 2**63:
            raise ValueError(f"the range of the basis must be below 2^63, got {basis.range}")
        if config.number_token_id not in range(config.vocab_size):
            raise ValueError(
                f"number_token_id must be the token [NUM], one of the {config.vocab_size} of the "
                f"vocabulary, got {config.number_token_id}"
            )
        if not (config.read_codes or config.exact_head or config.exact_after is not None):
            raise ValueError("read_codes must be True without an exact block or head, got False")
        self.embed = PrimeFourierEmbedding(basis)
        if config.read_codes:
            self.project = nn.Linear(basis.dim, config.n_embd, bias=False)
        self.head = CRTHead(config.n_embd, basis)
        if config.exact_after is not None:
            if config.exact_after not in range(config.n_layer + 1):
                raise ValueError(
                    f"exact_after must be from 0 to {config.n_layer}, the number of blocks, got "
                    f"{config.exact_after}"
                )
            self.transformer.h.insert(config.exact_after, ExactBlock(config.n_embd, basis))
        if config.exact_head:
            self.exact = ExactBlock(config.n_embd, basis, at_head=True)
        self.post_init()

    def forward(
        self,
        input_ids: Tensor,
        integers: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        labels: Tensor | None = None,
        **options: Any,
    ) -> IntegerOutput:
        """Return logits and codes of what comes next, and the loss of both if there are labels.

        Args:
            input_ids: The tokens, (n, T).
            integers: The integers, (n, T); only those at tokens [NUM] count.
            attention_mask: 1 where there is a token, 0 at padding on either side, (n, T).
            position_ids: By default those that count the tokens without padding.
            labels: The tokens that are to be written, -100 where none is, (n, T).
            **options: For the loss and the model of transformers.
        """
        if self.embed.basis != self.head.basis:
            raise ValueError(
                f"embedding and head must have the same basis, got {self.embed.basis} and "
                f"{self.head.basis}"
            )
        if integers.shape != input_ids.shape:
            raise ValueError(
                f"one integer for each token is required, used at [NUM] alone: got integers of "
                f"shape {tuple(integers.shape)} for tokens of shape {tuple(input_ids.shape)}"
            )
        numbers = input_ids == self.config.number_token_id
        if attention_mask is not None:
            if attention_mask.is_floating_point():
                raise ValueError(
                    f"attention_mask must have integers or booleans, 0 at padding, got "
                    f"{attention_mask.dtype}"
                )
            numbers = numbers & (attention_mask != 0)
            if position_ids is None:
                position_ids = count_positions(attention_mask)
        codes = self.embed(integers, attention_mask=numbers)
        most, given = self.embed.basis.range // 2, integers[numbers]
        if ((given < -most) | (given > most)).any():
            raise ValueError(
                f"integers must be between -{most} and {most}, half the range of the basis, got "
                f"{given.tolist()}; take more primes"
            )
        exact = {} if self.config.exact_after is None else {"codes": codes, "numbers": numbers}
        words = self.transformer.wte(input_ids)
        hidden = self.transformer(
            inputs_embeds=words + self.project(codes) if self.config.read_codes else words,
            attention_mask=attention_mask,
            position_ids=position_ids,
            use_cache=False,
            **exact,
        ).last_hidden_state
        logits, loss, written = self.lm_head(hidden), None, self.head(hidden)
        if self.config.exact_head:
            written = self.exact.compute(hidden, codes, numbers, written)
        if labels is not None:
            loss = self.loss_function(logits, labels, vocab_size=self.config.vocab_size, **options)
            wanted = labels[:, 1:] == self.config.number_token_id
            right = integers[:, 1:][wanted]
            if len(right) and self.config.exact_head:
                loss = loss + circular_loss(written[:, :-1][wanted], right, self.head.basis)
            elif len(right):
                loss = loss + self.head.loss(hidden[:, :-1][wanted], right)
        return IntegerOutput(loss=loss, logits=logits, codes=written)

    @torch.no_grad()
    def write(
        self,
        input_ids: Tensor,
        integers: Tensor,
        attention_mask: Tensor | None = None,
        *,
        max_new_tokens: int = 20,
        **options: Any,
    ) -> tuple[Tensor, Tensor]:
        """Return what ``generate`` writes after a prompt: tokens and their integers, both (n, T).

        Integers are 0 at other tokens than [NUM]. Prompts of different lengths are padded on the
        left.
        """
        if attention_mask is not None and (attention_mask[:, -1] == 0).any():
            raise ValueError("prompts must be padded on the left: IntegerCollator(…, side='left')")
        for name in ("num_beams", "num_return_sequences"):
            if options.get(name, 1) != 1:
                raise ValueError(f"{name} must be 1, got {options[name]}")
        room = integers.new_zeros(len(integers), max_new_tokens)
        written = torch.cat([integers, room], dim=1)
        ids = self.generate(
            input_ids,
            attention_mask=attention_mask,
            integers=written,
            max_new_tokens=max_new_tokens,
            use_cache=False,
            **options,
        )
        return ids, torch.where(ids == self.config.number_token_id, written[:, : ids.shape[1]], 0)

    def prepare_inputs_for_generation(
        self, input_ids: Tensor, integers: Tensor, **kwargs: Any
    ) -> dict[str, Any]:
        """Return the arguments of ``forward``, the integers so far among them."""
        inputs = super().prepare_inputs_for_generation(input_ids, **kwargs)
        return {**inputs, "integers": integers[:, : input_ids.shape[1]]}

    def _update_model_kwargs_for_generation(
        self, outputs: IntegerOutput, model_kwargs: dict[str, Any], *args: Any, **kwargs: Any
    ) -> dict[str, Any]:
        """Note the integer of the next token, which counts if that token will be [NUM]."""
        assert outputs.codes is not None
        length, written = outputs.codes.shape[1], model_kwargs["integers"]
        if written.shape[1] <= length:
            raise ValueError("generate has no room for integers; call write instead")
        last = decode_codes(outputs.codes[:, -1], self.head.basis, signed=True)
        written[:, length] = last.value
        updated: dict[str, Any] = super()._update_model_kwargs_for_generation(
            outputs, model_kwargs, *args, **kwargs
        )
        return updated


class ExactBlock(nn.Module):
    """A residual block that computes with two of the integers so far, exactly.

    Each position points at two integers at or before it and at an operation, and adds a linear map
    of the code of the result. Pointers are one-hot, so that the result is that of two integers;
    their gradient is that of a softmax.

    Args:
        width: The width of the residual stream.
        basis: The basis of the codes.
        at_head: Whether results are written as they are, instead of added to the stream.
    """

    def __init__(self, width: int, basis: PrimeBasis, *, at_head: bool = False) -> None:
        super().__init__()
        self.basis = basis
        self.norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, 2 * width)
        self.key = nn.Linear(width, width)
        self.operation = nn.Linear(width, len(OPERATIONS) + at_head)
        if not at_head:
            self.inject = nn.Linear(basis.dim, width, bias=False)

    def forward(self, hidden: Tensor, *_: Any, codes: Tensor, numbers: Tensor, **__: Any) -> Tensor:
        """Return the stream with the results, (n, T, width)."""
        stream: Tensor = hidden + self.inject(self.compute(hidden, codes, numbers))
        return stream

    def compute(self, hidden: Tensor, codes: Tensor, numbers: Tensor, *other: Tensor) -> Tensor:
        """Return the code of the result at each place, zero where no integer came before.

        Args:
            hidden: The residual stream, (n, T, width).
            codes: The codes of the integers, (n, T, dim).
            numbers: Booleans, True where there is an integer, (n, T).
            *other: At the head, codes (n, T, dim) that can be chosen in place of a result.
        """
        normal = self.norm(hidden)
        query = self.query(normal).unflatten(-1, (2, -1)).transpose(1, 2)
        scores = query @ self.key(normal).unsqueeze(1).mT / hidden.shape[-1] ** 0.5
        seen = numbers.unsqueeze(1) & torch.ones_like(scores[0, 0], dtype=torch.bool).tril()
        seen = seen.unsqueeze(1)
        pointers = harden(scores.masked_fill(~seen, torch.finfo(scores.dtype).min)) * seen
        first, second = (pointers @ codes.unsqueeze(1)).unbind(1)
        results = [operate(first, second, self.basis) for operate in OPERATIONS.values()]
        choice = harden(self.operation(normal)).unsqueeze(-1)
        return (choice * torch.stack([*results, *other], dim=-2)).sum(-2)


def harden(scores: Tensor) -> Tensor:
    """Return the one-hot vector of the largest score, with the gradient of the softmax."""
    soft = scores.softmax(-1)
    hard = torch.zeros_like(soft).scatter(-1, soft.argmax(-1, keepdim=True), 1)
    return hard + soft - soft.detach()


def count_positions(attention_mask: Tensor) -> Tensor:
    """Return the position of each token among those that are not padding, (n, T).

    >>> count_positions(torch.tensor([[0, 0, 1, 1], [1, 1, 1, 0]])).tolist()
    [[0, 0, 0, 1], [0, 1, 2, 2]]
    """
    return (attention_mask.long().cumsum(-1) - 1).clamp(min=0)


def make_tokenizer(words: Sequence[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer with one token for each word, digit and special token."""
    special = [PAD, END, UNKNOWN, NUMBER]
    vocabulary = {word: n for n, word in enumerate([*special, *"0123456789", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        additional_special_tokens=[NUMBER],
    )


def read_text(text: str, tokenizer: PreTrainedTokenizerFast) -> dict[str, list[int]]:
    """Return the tokens of a text, with [NUM] in place of each integer, and the integers."""
    if found := FRACTION.search(text):
        raise ValueError(f"a text must have integers, written in digits alone, got {found[0]}")
    ids = tokenizer(INTEGER.sub(NUMBER, text))["input_ids"]
    return {"input_ids": ids, "integers": [int(found) for found in INTEGER.findall(text)]}


def write_text(ids: Tensor, integers: Tensor, tokenizer: PreTrainedTokenizerFast) -> str:
    """Return the text of tokens (T,) and their integers (T,), up to the token [END]."""
    number, end, pad = tokenizer.convert_tokens_to_ids([NUMBER, END, PAD])
    words = []
    for token, integer in zip(ids.tolist(), integers.tolist(), strict=True):
        if token == end:
            break
        if token != pad:
            words.append(str(integer) if token == number else tokenizer.decode([token]))
    return " ".join(words)


@dataclass(frozen=True)
class IntegerCollator:
    """Make a batch of examples: tokens, integers and masks, padded to the longest.

    An example has ``input_ids``, ``integers`` (one for each token [NUM], in their order), and,
    for training, ``labels``.

    Attributes:
        tokenizer: What pads the tokens.
        side: The side of the padding: right for training, left for ``write``.
    """

    tokenizer: PreTrainedTokenizerFast
    side: str = "right"

    def __post_init__(self) -> None:
        if self.side not in ("left", "right"):
            raise ValueError(f"side must be 'left' or 'right', got {self.side!r}")

    def __call__(self, examples: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
        """Return a batch of tensors (n, T)."""
        number, pad = self.tokenizer.convert_tokens_to_ids([NUMBER, PAD])
        columns: dict[str, list[Tensor]] = {}
        for position, example in enumerate(examples):
            ids = torch.tensor(example["input_ids"])
            columns.setdefault("input_ids", []).append(ids)
            columns.setdefault("attention_mask", []).append(torch.ones_like(ids))
            placed = place_integers(ids == number, example.get("integers", ()), position)
            columns.setdefault("integers", []).append(placed)
            if "labels" in examples[0]:
                labels = torch.tensor(example.get("labels", ()))
                if labels.shape != ids.shape:
                    raise ValueError(
                        f"example {position} must have one label for each of its {len(ids)} "
                        f"tokens, as the first example has labels, got {len(labels)}"
                    )
                columns.setdefault("labels", []).append(labels)
        fill = {"input_ids": pad, "labels": IGNORED}
        return {
            name: nn.utils.rnn.pad_sequence(
                rows, batch_first=True, padding_value=fill.get(name, 0), padding_side=self.side
            )
            for name, rows in columns.items()
        }


def place_integers(numbers: Tensor, integers: Any, position: int) -> Tensor:
    """Return the integers of example ``position`` at the places of its tokens [NUM]."""
    given = as_integers(integers)
    if given.shape != (count := int(numbers.sum()),):
        raise ValueError(
            f"example {position} must have one integer for each {NUMBER}, got integers of shape "
            f"{given.shape} for {count} tokens"
        )
    if given.dtype != "int64":
        raise ValueError(f"integers must be below 2^63, got {max(given)} in example {position}")
    return torch.zeros_like(numbers, dtype=torch.int64).masked_scatter(
        numbers, torch.from_numpy(given)
    )
