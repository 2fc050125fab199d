"""The GPT-2 that reads and writes integers: transformers as it is, with small models."""

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from primefourier import PrimeBasis
from primefourier.nn import CRTHead, PrimeFourierEmbedding, decode_codes

os.environ["HF_HUB_OFFLINE"] = "1"
pytest.importorskip("transformers")

from findings.word_problems import integer_gpt2
from findings.word_problems import train as word_problems

PRIMES = (11, 13, 17)
BASIS = PrimeBasis(PRIMES, depth=1)
TOKENIZER = word_problems.word_tokenizer()
QUESTIONS = ["Ann has 12 apples and gets 30 more.", "Of 200 pens Ben eats 1, then 7."]


def small_model(**options: Any) -> Any:
    torch.manual_seed(0)
    settings = {"n_embd": 32, "n_layer": 2, "n_head": 2, "primes": PRIMES, "exact_after": 1}
    special = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 1, "number_token_id": 3}
    config = integer_gpt2.IntegerGPT2Config(
        vocab_size=len(TOKENIZER), n_positions=64, **{**special, **settings, **options}
    )
    return integer_gpt2.IntegerGPT2(config).eval()


def batch_of(questions: list[str], side: str = "right") -> dict[str, Tensor]:
    examples = [integer_gpt2.read_text(question, TOKENIZER) for question in questions]
    return integer_gpt2.IntegerCollator(TOKENIZER, side)(examples)


@pytest.mark.parametrize(
    "options",
    [{"exact_after": None}, {"exact_after": 1}, {"exact_head": True, "read_codes": False}],
    ids=["circles", "exact block", "exact head"],
)
def test_a_saved_model_has_the_same_codes_and_answers(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    model = small_model(**options)
    model.save_pretrained(tmp_path)
    TOKENIZER.save_pretrained(tmp_path)
    assert (tmp_path / "model.safetensors").is_file()
    loaded, report = integer_gpt2.IntegerGPT2.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(report.values())
    batch = batch_of(QUESTIONS, "left")
    first, second = model(**batch), loaded(**batch)
    assert torch.equal(first.codes, second.codes)
    assert torch.equal(first.logits, second.logits)
    how = {"max_new_tokens": 5, "do_sample": False}
    written, again = model.write(**batch, **how), loaded.write(**batch, **how)
    assert all(map(torch.equal, written, again))
    tokenizer = type(TOKENIZER).from_pretrained(tmp_path)
    found = integer_gpt2.read_text(QUESTIONS[1], tokenizer)
    assert found == integer_gpt2.read_text(QUESTIONS[1], TOKENIZER)


def test_a_checkpoint_of_another_basis_is_refused(tmp_path: Path) -> None:
    small_model().save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"saved with primes \(11, 13, 17\) and depth 1"):
        integer_gpt2.IntegerGPT2.from_pretrained(tmp_path, primes=[11, 13, 19])


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_on_either_side_changes_nothing(side: str) -> None:
    model, batch = small_model(), batch_of(QUESTIONS, side)
    found = model(**batch)
    for row, question in enumerate(QUESTIONS):
        alone, kept = model(**batch_of([question])), batch["attention_mask"][row] == 1
        assert kept.sum() == len(alone.codes[0])
        torch.testing.assert_close(found.codes[row][kept], alone.codes[0])
        torch.testing.assert_close(found.logits[row][kept], alone.logits[0])
    other = {**batch, "integers": batch["integers"].masked_fill(batch["input_ids"] != 3, 99)}
    assert torch.equal(model(**other).codes, found.codes), "integers count only at [NUM]"
    inverse = model(**{**batch, "attention_mask": 1 - batch["attention_mask"]})
    assert not torch.allclose(inverse.codes, found.codes), "the polarity matters"


def test_a_collator_pads_tokens_integers_labels_and_masks() -> None:
    examples = [
        {"input_ids": [5, 3, 6, 3], "integers": [7, -(2**62)], "labels": [-100, -100, 6, 3]},
        {"input_ids": [3], "integers": [0], "labels": [3]},
        {"input_ids": [9, 9], "integers": [], "labels": [9, 9]},
    ]
    right = integer_gpt2.IntegerCollator(TOKENIZER)(examples)
    assert {name: column.tolist() for name, column in right.items()} == {
        "input_ids": [[5, 3, 6, 3], [3, 0, 0, 0], [9, 9, 0, 0]],
        "attention_mask": [[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 0]],
        "integers": [[0, 7, 0, -(2**62)], [0, 0, 0, 0], [0, 0, 0, 0]],
        "labels": [[-100, -100, 6, 3], [3, -100, -100, -100], [9, 9, -100, -100]],
    }
    left = integer_gpt2.IntegerCollator(TOKENIZER, "left")(examples)
    assert left["attention_mask"].tolist() == [[1, 1, 1, 1], [0, 0, 0, 1], [0, 0, 1, 1]]
    assert left["integers"].tolist()[0] == [0, 7, 0, -(2**62)]


@pytest.mark.parametrize(
    ("integers", "error", "message"),
    [
        ([1], ValueError, r"example 0 must have one integer for each \[NUM\], got .* 2 tokens"),
        ([1, 2, 3], ValueError, "example 0 must have one integer for each"),
        ([], ValueError, "example 0 must have one integer for each"),
        (["1", "2"], TypeError, r"integers are required, got a str, '1', at position \[0\]"),
        ([1, 2.0], TypeError, r"got a float, 2.0, at position \[1\]; convert it with int"),
        ([1, None], TypeError, "got a NoneType"),
        ([1, 2**63], ValueError, r"integers must be below 2\^63, got 9223372036854775808"),
        ([1, 10**30], ValueError, r"integers must be below 2\^63"),
    ],
)
def test_a_collator_refuses_what_is_not_one_integer_for_each_token(
    integers: list[Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        integer_gpt2.IntegerCollator(TOKENIZER)([{"input_ids": [3, 4, 3], "integers": integers}])


def test_wrong_input_is_refused_with_what_is_required() -> None:
    model, batch = small_model(), batch_of(QUESTIONS)
    with pytest.raises(ValueError, match="one integer for each token is required"):
        model(batch["input_ids"], batch["integers"][:, :2])
    with pytest.raises(TypeError, match=r"integers are required, got a tensor of torch.float32"):
        model(batch["input_ids"], batch["integers"].float())
    with pytest.raises(ValueError, match=r"integers or booleans, 0 at padding, got torch.float32"):
        model(**{**batch, "attention_mask": batch["attention_mask"].float()})
    with pytest.raises(ValueError, match=r"exact_after must be from 0 to 2, .* got 3"):
        small_model(exact_after=3)
    unlabelled = [{"input_ids": [4, 5], "labels": [4, 5]}, {"input_ids": [4, 5]}]
    with pytest.raises(ValueError, match="example 1 must have one label for each of its 2 tokens"):
        integer_gpt2.IntegerCollator(TOKENIZER)(unlabelled)
    with pytest.raises(ValueError, match="num_beams must be 1, got 4"):
        model.write(**batch_of(QUESTIONS, "left"), num_beams=4)
    with pytest.raises(ValueError, match="call write instead"):
        model.generate(**batch, max_new_tokens=2)
    with pytest.raises(ValueError, match="side must be 'left' or 'right', got 'both'"):
        integer_gpt2.IntegerCollator(TOKENIZER, "both")
    with pytest.raises(ValueError, match=r"written in digits alone, got 3\.5"):
        integer_gpt2.read_text("Ann has 3.5 apples.", TOKENIZER)
    with pytest.raises(ValueError, match=r"range of the basis must be below 2\^63"):
        small_model(primes=PRIMES, depth=9)
    with pytest.raises(ValueError, match=r"number_token_id must be the token \[NUM\].* got None"):
        small_model(number_token_id=None)
    with pytest.raises(ValueError, match="read_codes must be True without an exact block"):
        small_model(exact_after=None, read_codes=False)
    with pytest.raises(ValueError, match=r"between -1215 and 1215, .* got \[12, 1216\]; take more"):
        model(**batch_of(["Ann has 12 pens and gets 1216 more."]))
    with pytest.raises(ValueError, match="prompts must be padded on the left"):
        model.write(**batch)
    model.head = CRTHead(32, PrimeBasis((11, 13), depth=1))
    with pytest.raises(ValueError, match="embedding and head must have the same basis, got Prime"):
        model(**batch)


def test_text_is_read_and_written_with_its_integers() -> None:
    found = integer_gpt2.read_text("Ann has 12 pens, Ben -7.", TOKENIZER)
    assert found["integers"] == [12, -7]
    batch = integer_gpt2.IntegerCollator(TOKENIZER, "left")([found, {**found}])
    text = integer_gpt2.write_text(batch["input_ids"][0], batch["integers"][0], TOKENIZER)
    assert text == "Ann has 12 pens , Ben -7 ."


def test_generation_writes_an_integer_where_it_writes_its_token() -> None:
    """A model that can only write [NUM]: each integer written is read in the next step."""
    model = small_model()
    model.lm_head.weight = torch.nn.Parameter(torch.zeros_like(model.lm_head.weight))
    batch = batch_of(QUESTIONS, "left")
    for column in model.transformer.ln_f.parameters():
        torch.nn.init.ones_(column)
    torch.nn.init.constant_(model.lm_head.weight[3], 1.0)
    ids, integers = model.write(**batch, max_new_tokens=4, do_sample=False)
    length = batch["input_ids"].shape[1]
    assert (ids[:, length:] == 3).all()
    assert torch.equal(integers[:, :length], batch["integers"])
    mask = torch.cat([batch["attention_mask"], torch.ones(2, 4, dtype=torch.int64)], dim=1)
    codes = model(ids, integers, mask).codes[:, length - 1 : -1]
    assert torch.equal(decode_codes(codes, BASIS, signed=True).value, integers[:, length:])


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_the_exact_block_computes_what_python_computes(name: str) -> None:
    torch.manual_seed(1)
    primes = word_problems.PRIMES
    basis = PrimeBasis(primes, depth=1)
    block = integer_gpt2.ExactBlock(16, basis)
    for weight in (block.operation.weight, block.operation.bias):
        torch.nn.init.zeros_(weight)
    with torch.no_grad():
        block.operation.bias[list(integer_gpt2.OPERATIONS).index(name)] = 1
    rng = random.Random(0)
    integers = torch.tensor([[rng.randrange(10**9) for _ in range(6)] for _ in range(20)])
    numbers = torch.rand(20, 6) < 0.6
    codes = PrimeFourierEmbedding(basis)(integers, attention_mask=numbers)
    result = block.compute(torch.randn(20, 6, 16), codes, numbers)
    found = decode_codes(result, basis, signed=True)
    for row in range(20):
        for place in range(6):
            known = integers[row, : place + 1][numbers[row, : place + 1]].tolist()
            if not known:
                assert (result[row, place] == 0).all()
                continue
            operate = {"add": int.__add__, "subtract": int.__sub__, "multiply": int.__mul__}[name]
            value = found.value[row, place].item()
            assert value in {operate(a, b) for a in known for b in known}
            assert found.margin[row, place] > 0.999


def test_pointers_of_a_blind_block_cannot_depend_on_integers() -> None:
    seen: list[Tensor] = []
    for read_codes in (False, True):
        model = small_model(exact_after=2, read_codes=read_codes)
        model.transformer.h[2].register_forward_pre_hook(lambda _, args: seen.append(args[0]))
        batch = batch_of(QUESTIONS)
        other = {**batch, "integers": batch["integers"] + 5}
        assert not torch.allclose(model(**batch).codes, model(**other).codes)
    assert torch.equal(seen[0], seen[1])
    assert not torch.allclose(seen[2], seen[3])


def test_the_exact_head_writes_the_result_of_integers_of_any_size() -> None:
    model = small_model(
        primes=word_problems.PRIMES, exact_after=None, exact_head=True, read_codes=False
    )
    with torch.no_grad():
        model.exact.operation.bias[0] = 1e6  # add
    batch = batch_of(["Ann has 123456789012345678 pens and gets 1 more."])
    found = decode_codes(model(**batch).codes[0, -1], model.embed.basis, signed=True)
    a, b = 123456789012345678, 1
    assert found.value.item() in {a + a, a + b, b + b}
    assert found.margin > 0.999


def test_labels_without_integers_have_a_loss_too() -> None:
    batch = batch_of(QUESTIONS)
    labels = batch["input_ids"].masked_fill(batch["input_ids"] == 3, -100)
    for exact_head in (False, True):
        assert small_model(exact_head=exact_head)(**batch, labels=labels).loss.isfinite()


def test_hard_pointers_have_the_gradient_of_the_softmax() -> None:
    scores = torch.randn(5, 4, requires_grad=True)
    hard = integer_gpt2.harden(scores)
    assert torch.equal(hard.detach().round(), torch.eye(4)[scores.argmax(-1)])
    weight = torch.randn(5, 4)
    (found,) = torch.autograd.grad((hard * weight).sum(), scores)
    (expected,) = torch.autograd.grad((scores.softmax(-1) * weight).sum(), scores)
    torch.testing.assert_close(found, expected)


def test_problems_have_the_answer_that_python_computes() -> None:
    rng = random.Random(0)
    for _ in range(200):
        question, answer = word_problems.make_problem(rng, 10**17, 10**18)
        a, b = sorted(map(int, integer_gpt2.INTEGER.findall(question)))
        add = any(word in question for word in ("more", "then", "join"))
        assert answer == (f"{a + b} now." if add else f"{b - a} left.")
        assert TOKENIZER.unk_token_id not in TOKENIZER(question + answer)["input_ids"]


@pytest.mark.parametrize("variant", ["digits", "circles, exact block", "exact head, blind"])
def test_training_reduces_the_loss_and_answers_are_text(
    variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(word_problems.SIZES, "n_embd", 48)
    monkeypatch.setattr(word_problems, "BATCH", 16)
    torch.manual_seed(0)
    model = word_problems.build(variant, TOKENIZER)
    losses = word_problems.train(model, variant, TOKENIZER, seed=0, steps=25)
    assert np.mean(losses[-3:]) < 0.8 * np.mean(losses[:3])
    found = word_problems.answer(model.eval(), variant, TOKENIZER, QUESTIONS)
    assert len(found) == 2
    assert word_problems.score(["7 pens.", "8 pens."], ["7 pens.", "9 pens."])["right"] == 0.5


def test_digits_are_read_and_written_with_the_last_first() -> None:
    example = word_problems.make_example("digits", TOKENIZER, "Ann has 123 pens.", "45 pens.")
    text = " ".join(TOKENIZER.convert_ids_to_tokens(example["input_ids"]))
    assert text == "Ann has 3 2 1 pens . 5 4 pens . [END]"
    assert example["labels"][:7] == [integer_gpt2.IGNORED] * 7
    assert example["labels"][7:] == example["input_ids"][7:]


def test_a_score_counts_right_texts_and_right_residues() -> None:
    shifted = f"{7 + 11 * 13} pens."
    found = word_problems.score(["7 pens.", shifted, "pens."], ["7 pens."] * 3)
    assert found["right"] == pytest.approx(1 / 3)
    assert found["residues"] == pytest.approx((1 + 2 / len(word_problems.PRIMES)) / 3)
