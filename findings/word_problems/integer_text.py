"""Integers in text for ``integer_gpt2``: a tokenizer, texts with [NUM], and a collator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast

from primefourier.arithmetic import as_integers

PAD, END, UNKNOWN, NUMBER = "[PAD]", "[END]", "[UNK]", "[NUM]"
INTEGER, FRACTION = re.compile(r"(?<!\d)-?\d+"), re.compile(r"\d+[.,]\d+")
IGNORED = -100
"""The label of tokens that the loss of transformers leaves out."""


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
