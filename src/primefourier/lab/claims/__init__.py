"""What the paper claims, what the records say, and a verdict on each."""

from primefourier.lab.claims.claim import Claim, Evidence, Finding, Verdict
from primefourier.lab.claims.judge import CLAIMS, judge_claims
from primefourier.lab.claims.table import claims_as_data, claims_as_markdown

__all__ = [
    "CLAIMS",
    "Claim",
    "Evidence",
    "Finding",
    "Verdict",
    "claims_as_data",
    "claims_as_markdown",
    "judge_claims",
]
