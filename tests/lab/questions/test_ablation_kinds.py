from lab_records import CONTROL, EXP1, EXP2, records_of, with_probe
from primefourier.lab.claims import CLAIMS
from primefourier.lab.questions.ablation_kinds import ABOUT_DROPS, claims_by_kind


def test_each_kind_is_judged_by_its_own_drops() -> None:
    records = [
        with_probe(record, off={"mean": 0.0, "permute": 0.05})
        for record in records_of([*EXP1, *EXP2], on=0.85, off=0.3)
    ]
    found = {claim.name: by_kind for claim, by_kind in claims_by_kind(EXP1 + EXP2, records).items()}
    assert tuple(found) == ABOUT_DROPS
    assert {k: f.verdict for k, f in found["E1.3"].items()} == {
        "zero": "does not hold", "mean": "holds", "permute": "does not hold",
    }  # fmt: skip
    assert {k: f.verdict for k, f in found["E1.4"].items()} == {
        "zero": "does not hold", "mean": "does not hold", "permute": "holds",
    }  # fmt: skip
    assert found["E2.1"]["mean"].measured == "100 %: 48 of 48"
    assert found["E2.1"]["zero"].measured == "0 %: 0 of 48"


def test_models_without_a_probe_do_not_count_for_zeroing_either() -> None:
    plain = records_of(EXP1, off=0.3)
    few = [c for c in EXP1 if len(c.primes) == 4]
    probed = [with_probe(record) for record in records_of(few, off=0.0)]
    others = [record for record in plain if record.config not in few]
    found = {c.name: f for c, f in claims_by_kind(EXP1, [*probed, *others]).items()}
    assert len(found["E1.3"]["zero"].evidence) == len(found["E1.3"]["mean"].evidence) == 5
    assert not found["E1.3"]["zero"].complete


def test_the_claims_that_do_not_depend_on_drops_are_left_out() -> None:
    assert {c.name for c in CLAIMS} - set(ABOUT_DROPS) == {"E1.5", "E2.3", "T.1", "C.1", "C.2"}
    assert claims_by_kind(CONTROL, [])  # nothing measured is said so, claim by claim
