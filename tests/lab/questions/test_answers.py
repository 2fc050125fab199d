from lab_records import EXP1, EXP2, records_of, with_probe
from primefourier.lab.questions import answer_questions


def test_without_probes_there_is_no_answer() -> None:
    assert answer_questions(EXP1, records_of(EXP1)) is None
    assert answer_questions([], []) is None


def test_every_group_is_in_every_answer() -> None:
    configs = [c for c in EXP1 if len(c.primes) == 8] + EXP2
    answers = answer_questions(configs, [with_probe(r) for r in records_of(configs)])
    assert answers is not None
    assert len(answers.depths) == 10 * 3
    assert len(answers.curves) == 10 * 4
    assert all(len(by_kind) == 3 for by_kind in answers.claims.values())
