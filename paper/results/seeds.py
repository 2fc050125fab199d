"""More seeds for some configurations of the paper, for intervals.

All of |P| <= 8 in experiment 1, because claim E1.3 depends on the seed. With the records of the
paper's run in paper/results, this trains those that are not measured yet:

    pfe run paper/results/seeds.py --out paper/results
"""

from primefourier_paper import CompositeModuli, ShuffledControl, SinglePrime

SEEDS = (42, 43, 44, 45, 46)
studies = [
    experiment.study()
    for experiment in (
        SinglePrime(sizes=(4, 6, 8), seeds=SEEDS),
        ShuffledControl(sizes=(4, 8), ranges=(100, 1000, 4000), seeds=SEEDS),
        CompositeModuli(seeds=SEEDS),
    )
]
