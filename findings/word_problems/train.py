"""Word problems for a small GPT-2: integers as circles, with an exact block, or as digit tokens.

    python -m findings.word_problems.train

"Ann has 12 apples and gets 30 more." → "42 now.", "Of 9 eggs Ben eats 2." → "7 left." Five models
of the same GPT-2 (two blocks, width 96) learn to add and to subtract from the same problems, with
integers below 100:

- digits: every digit is a token, the last first, so that carries run along;
- circles: [NUM] with the integer's circles, and the CRT head (``integer_gpt2``), primes
  11 … 59 at depth 1, whose product is just below 2^63;
- circles, exact block: the same with the exact block between the two blocks of GPT-2;
- exact block, blind: the exact block after both, and the only one to read circles;
- exact head, blind: a block that writes its result as it is, and the only one to read circles.

All have the same steps, examples, optimiser and schedule. An answer is right if the whole text is
right, as ``generate`` writes it with greedy choice. Tested in range, on the next integers, and far
beyond. In range most pairs of integers were seen in training, in other words. Far beyond, the
sequences of digits have positions that were never trained. Writes
results.json; a stopped run continues with the next model.

Written down before the first training. The exact block need only learn to point, at two integers
and an operation; what it points by are words around the integers, not their values. The circles
without it must learn 13 additions modulo primes at once, in which one wrong circle spoils the
answer, and nothing keeps a prime from being read through look-alikes of others. Predictions:

1. With the exact block at least 0.99 are right in range, and at least 0.95 on every other test.
2. Digits are right in range for more than 0.5; far beyond (10^5 to 10^6 and further) for less than
   0.05.
3. Circles without the exact block are worse than digits in range: less than 0.5 are right with this
   budget. Far beyond less than 0.1 are right, although each residue by itself is right more often
   than by chance (0.04 on average).

The blind block was added when the first model with the exact block had been tested: right for 0.998
in range, 0.52 on the next integers and 0 far beyond. The block computes exactly, but where it
points had been learned from the values too. If pointers cannot see values they cannot depend on
them. Prediction, before its first training:

4. With the blind block at least 0.99 are right in range, and at least 0.95 on every other test.

It was right for 1.00 in range, 0.52 on the next integers and 0 far beyond. Results are below 200 in
training, and the linear maps into the stream and out of it mix primes; that is enough to be right
for these results and wrong for others. So the exact head was added, in which nothing mixes primes.
Prediction, before its first training:

5. With the exact head at least 0.99 are right on every test.

Pilots with seed 100 changed the plan, not the predictions. The first plan had integers below 1000,
longer questions that ended in "How many are left?", a width of 128, random first positions, digits
in the usual order as well, and 1500 steps. In 600 steps digits, and without random positions in
1200 digits and circles, learned nothing that the tests show; the exact block was right for 0.78 in
range and for 0.53 at 10^18 after 600. With integers below 100 and a width of 96 digits were right
for 0.07 in range after 1500 steps, and circles for none. A run of 4500 steps was stopped in its
first model, before any test. Questions then became shorter to afford three seeds on a busy machine.
A later run was stopped in its second model and started again; the record of its first one (digits,
seed 0) was kept, and its field "steps", which records did not have yet, was added by hand.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from findings.word_problems.integer_gpt2 import (
    END,
    IGNORED,
    INTEGER,
    NUMBER,
    IntegerCollator,
    IntegerGPT2,
    IntegerGPT2Config,
    make_tokenizer,
    read_text,
    write_text,
)
from primefourier.arithmetic import is_prime

TARGET = Path(__file__).with_name("results.json")
NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana")
THINGS = ("apples", "books", "coins", "eggs", "keys", "nuts", "pens", "stamps")
ADDITIONS = (
    "{name} has {a} {things} and gets {b} more.",
    "{name} finds {a} {things}, then {b}.",
    "{b} {things} join {a} of {name}.",
)
SUBTRACTIONS = (
    "{name} has {a} {things} and sells {b}.",
    "Of {a} {things} {name} eats {b}.",
    "{name} takes {b} of {a} {things}.",
)
TOTAL, REST = "{c} now.", "{c} left."
VARIANTS = ("digits", "circles", "circles, exact block", "exact block, blind", "exact head, blind")
PRIMES = tuple(p for p in range(11, 60) if is_prime(p))
RANGE = 100
TESTS = {
    "below 100": (0, RANGE),
    "100 to 200": (RANGE, 2 * RANGE),
    "10^5 to 10^6": (10**5, 10**6),
    "10^17 to 10^18": (10**17, 10**18),
}
STEPS, BATCH, PROBLEMS = 3000, 32, 500
SEEDS = (0, 1, 2)
RATE, WARM_UP = 3e-3, 100
SIZES = {"n_positions": 80, "n_embd": 96, "n_layer": 2, "n_head": 3}


def make_problem(rng: random.Random, low: int, high: int) -> tuple[str, str]:
    """Return a question with integers from low to high - 1, and its answer, at least 0.

    >>> make_problem(random.Random(1), 0, 1000)
    ('Ben has 582 keys and sells 137.', '445 left.')
    """
    a, b = rng.randrange(low, high), rng.randrange(low, high)
    add = rng.random() < 0.5
    if not add:
        a, b = max(a, b), min(a, b)
    names = {"name": rng.choice(NAMES), "things": rng.choice(THINGS)}
    question = rng.choice(ADDITIONS if add else SUBTRACTIONS).format(a=a, b=b, **names)
    return question, TOTAL.format(c=a + b) if add else REST.format(c=a - b)


def word_tokenizer() -> Any:
    """Return the tokenizer of all words of the problems."""
    texts = " ".join([*ADDITIONS, *SUBTRACTIONS, TOTAL, REST, *NAMES, *THINGS])
    words = re.findall(r"\w+|[.,?]", re.sub(r"\{\w+\}", " ", texts))
    return make_tokenizer(sorted(set(words)))


def build(variant: str, tokenizer: Any) -> Any:
    """Return a new model of a variant."""
    options: dict[str, Any] = {
        **SIZES,
        "vocab_size": len(tokenizer),
        **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": tokenizer.eos_token_id,
    }
    if variant == "digits":
        return GPT2LMHeadModel(GPT2Config(**options))
    exact: dict[str, dict[str, Any]] = {
        "circles, exact block": {"exact_after": 1},
        "exact block, blind": {"exact_after": 2, "read_codes": False},
        "exact head, blind": {"exact_head": True, "read_codes": False},
    }
    options["number_token_id"] = tokenizer.convert_tokens_to_ids(NUMBER)
    return IntegerGPT2(IntegerGPT2Config(**options, primes=PRIMES, **exact.get(variant, {})))


def reverse_integers(text: str) -> str:
    """Return a text with the digits of every integer in reverse order."""
    return INTEGER.sub(lambda found: found[0][::-1], text)


def make_example(variant: str, tokenizer: Any, question: str, answer: str = "") -> dict[str, Any]:
    """Return the tokens of a question, and if there is an answer those of both with labels."""

    def read(text: str) -> dict[str, list[int]]:
        if variant != "digits":
            return read_text(text, tokenizer)
        return {"input_ids": tokenizer(reverse_integers(text))["input_ids"], "integers": []}

    asked = read(question)
    if not answer:
        return asked
    both = {name: [*asked[name], *more] for name, more in read(f"{answer}{END}").items()}
    known = len(asked["input_ids"])
    return {**both, "labels": [IGNORED] * known + both["input_ids"][known:]}


def train(
    model: Any, variant: str, tokenizer: Any, *, seed: int, steps: int = STEPS
) -> list[float]:
    """Train a model on new problems in every step, and return the loss of each step."""
    rng, collate = random.Random(f"training {seed}"), IntegerCollator(tokenizer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, RATE, total_steps=steps + 1, pct_start=min(WARM_UP / steps, 0.5)
    )
    losses = []
    for _ in range(steps):
        problems = [make_problem(rng, 0, RANGE) for _ in range(BATCH)]
        batch = collate([make_example(variant, tokenizer, *problem) for problem in problems])
        if variant == "digits":
            del batch["integers"]
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


def answer(model: Any, variant: str, tokenizer: Any, questions: Sequence[str]) -> list[str]:
    """Return what a model writes after each question."""
    collate = IntegerCollator(tokenizer, side="left")
    batch = collate([make_example(variant, tokenizer, question) for question in questions])
    options = {"do_sample": False, "max_new_tokens": 26}
    if variant == "digits":
        integers = batch.pop("integers")
        ids = model.generate(**batch, **options)
        integers = torch.zeros_like(ids)
    else:
        ids, integers = model.write(**batch, **options)
    known = batch["input_ids"].shape[1]
    texts = [
        write_text(some, those, tokenizer)
        for some, those in zip(ids[:, known:], integers[:, known:], strict=True)
    ]
    texts = [re.sub(r"(?<=\d) (?=\d)| (?=[.,?])", "", text) for text in texts]
    return [reverse_integers(text) if variant == "digits" else text for text in texts]


def score(answers: Sequence[str], right: Sequence[str]) -> dict[str, float]:
    """Return the share of right answers, and of right residues modulo the primes."""
    residues = []
    for text, expected in zip(answers, right, strict=True):
        found, wanted = INTEGER.search(text), INTEGER.search(expected)
        assert wanted
        gap = int(found[0]) - int(wanted[0]) if found else None
        residues += [gap is not None and gap % p == 0 for p in PRIMES]
    pairs = list(zip(answers, right, strict=True))
    return {
        "right": sum(text == expected for text, expected in pairs) / len(pairs),
        "residues": sum(residues) / len(residues),
    }


def measure(
    variant: str, seed: int, *, steps: int = STEPS, count: int = PROBLEMS
) -> dict[str, Any]:
    """Train a model, and test it on new problems of every range."""
    torch.manual_seed(seed)
    tokenizer = word_tokenizer()
    model = build(variant, tokenizer)
    start = time.process_time()
    losses = train(model.train(), variant, tokenizer, seed=seed, steps=steps)
    seconds = time.process_time() - start
    model.eval()
    found = {}
    for name, ends in TESTS.items():
        rng = random.Random(f"test {seed} {name}")
        questions, right = zip(*(make_problem(rng, *ends) for _ in range(count)), strict=True)
        found[name] = score(answer(model, variant, tokenizer, questions), right)
    return {
        "variant": variant,
        "seed": seed,
        "steps": steps,
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "seconds": round(seconds),
        "loss": sum(losses[-50:]) / len(losses[-50:]),
        "tests": found,
    }


def main() -> None:
    """Write what all models do; a stopped run continues with the next model."""
    torch.set_num_threads(1)
    budget = {"batch": BATCH, "problems": PROBLEMS, "range": RANGE}
    models: list[dict[str, Any]] = []
    if TARGET.exists():
        models = json.loads(TARGET.read_text())["models"]
    done = {(one["variant"], one["seed"]) for one in models}
    for seed, variant in itertools.product(SEEDS, VARIANTS):
        if (variant, seed) in done:
            continue
        models.append(measure(variant, seed))
        print(json.dumps(models[-1]))
        sys.stdout.flush()
        TARGET.write_text(json.dumps({"budget": budget, "models": models}, indent=1) + "\n")


if __name__ == "__main__":
    main()
