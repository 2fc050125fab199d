"""What the tests of commands share with those of the paper's."""

from pfe_runs import ablated, here, paper, pfe, small

__all__ = ["ablated", "here", "paper", "pfe", "small"]
