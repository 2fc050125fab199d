"""``pfe run``: train and ablate the models of an experiment, or of a settings file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from primefourier.cli.options import Depth, Integer, Primes, read_integers, read_primes
from primefourier.cli.sweep_options import (
    Device,
    Out,
    Plan,
    Probe,
    Scheduler,
    Seeds,
    Workers,
    train,
)
from primefourier.cli.sweep_plan import show_plan


def run(
    experiment: str | None = None,
    /,
    *,
    sizes: str | None = None,
    ranges: str | None = None,
    moduli: str | None = None,
    seeds: Seeds = None,
    primes: Primes = None,
    depth: Depth = None,
    operation: str | None = None,
    embedding: str | None = None,
    epochs: Integer | None = None,
    batch_size: Integer | None = None,
    learning_rate: float | None = None,
    pairs: Integer | None = None,
    trainer: str | None = None,
    config: Path | None = None,
    out: Out = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    device: Device = "cpu",
    probe: Probe = False,
    plan: Plan = False,
) -> int:
    """Train and ablate models: an experiment of the paper, or any part or extension of it.

    Whatever is not given is as in the paper. The same command again continues where it stopped.

    Parameters
    ----------
    experiment
        exp1 (single primes), control (the same, features shuffled) or exp2 (composite moduli).
    sizes
        exp1 and control: numbers of primes |P|, such as 4,8.
    ranges
        Input ranges r, such as 100,1000; operands are 0 … r - 1.
    moduli
        exp2: moduli N, such as 15,105.
    operation
        What is learned modulo N: add, subtract or multiply (default: add).
    embedding
        control: what is shuffled, shuffled-column, shuffled-pair or shuffled-block.
    epochs
        Passes over the training pairs (default: 25, exp2 40).
    batch_size
        Pairs in a step (default: 1024).
    learning_rate
        Of Adam (default: 0.003).
    pairs
        Distinct pairs to draw, at most all r² (default: 80000).
    trainer
        fast, or plain, the readable loop with the same results up to rounding (default: fast).
    config
        TOML file with tables such as [exp1], instead of an experiment and its options.
    """
    given: dict[str, Any] = {
        "sizes": sizes and read_integers(sizes, "--sizes"),
        "ranges": ranges and read_integers(ranges, "--ranges"),
        "moduli": moduli and read_integers(moduli, "--moduli"),
        "seeds": seeds and read_integers(seeds, "--seeds"),
        "primes": primes and read_primes(primes),
        "depth": depth,
        "operation": operation,
        "embedding": embedding,
        "epochs": epochs,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "pairs": pairs,
        "trainer": trainer,
    }
    settings = {name: value for name, value in given.items() if value is not None}
    experiments = _experiments(experiment, settings, config)
    _check_probe(experiments, probe=probe)
    folder = out or Path("results") / (config.stem if config else str(experiment))
    if plan:
        show_plan(
            experiments, folder, workers=workers, scheduler=scheduler, device=device, probe=probe
        )
        return 0
    outcome = train(
        experiments, folder, workers=workers, scheduler=scheduler, device=device, probe=probe
    )
    return int(outcome.interrupted or outcome.progress.failed > 0)


def _experiments(name: str | None, settings: dict[str, Any], config: Path | None) -> list[Any]:
    from primefourier.analysis.choices import require_choice
    from primefourier.lab.experiments import EXPERIMENTS, read_settings

    if config is not None:
        if name is not None or settings:
            extra = name or "--" + next(iter(settings)).replace("_", "-")
            raise ValueError(f"--config says everything about the models, got also {extra}")
        return read_settings(config)
    if name is None:
        raise ValueError(
            f"an experiment is required, one of {', '.join(EXPERIMENTS)}, or --config FILE"
        )
    require_choice(name, list(EXPERIMENTS), "experiment")
    for key in settings:
        owners = [other for other in EXPERIMENTS if hasattr(EXPERIMENTS[other], key)]
        if name not in owners:
            option = "--" + key.replace("_", "-")
            raise ValueError(f"{option} is an option of {' and '.join(owners)}, not of {name}")
    return [EXPERIMENTS[name].from_dict(settings, f"the options of {name}")]


def _check_probe(experiments: list[Any], *, probe: bool) -> None:
    from primefourier.lab.probing import can_be_probed

    if probe and not any(can_be_probed(c) for e in experiments for c in e.configs()):
        raise ValueError(
            "--probe looks at the rows and blocks of primes, and the shuffled control has none; "
            "leave it out, or probe exp1"
        )
