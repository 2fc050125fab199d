"""Rewrite the pages of findings from the records, and draw their figures.

    python -m studies.findings

Every table and every sentence with a number stands in a page between ``<!-- name -->`` and ``<!--
end of name -->``. This command computes them anew and rewrites them in place; a test compares the
pages with the records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from studies import (
    finding_channels,
    finding_control,
    finding_figures,
    finding_predictions,
    finding_products,
    finding_summands,
    finding_word_problems,
    longer_training,
)
from studies.finding_paper import paper_blocks
from studies.finding_studies import RESULTS, study_blocks

PAGES = [
    Path(__file__).parents[1] / "README.md",
    Path(__file__).parents[1] / "docs" / "hugging-face.md",
    Path(__file__).parents[1] / "docs" / "paper-vs-measured.md",
    *sorted((Path(__file__).parents[1] / "docs" / "findings").glob("*.md")),
    *(
        RESULTS / name / "README.md"
        for name in ("beyond", "predictions", "decoys", "channels", "longer-training")
    ),
]
"""Pages with blocks; the long tables stand beside the records."""
BLOCK = re.compile(r"<!-- ([\w .]+?) -->.*?<!-- end of \1 -->", re.DOTALL)


def rewrite(page: str, blocks: Mapping[str, str]) -> str:
    r"""Return a page with its blocks as they should be.

    >>> rewrite("<!-- a --> old <!-- end of a -->", {"a": "new"})
    '<!-- a -->\n\nnew\n\n<!-- end of a -->'
    """
    return BLOCK.sub(lambda m: f"<!-- {m[1]} -->\n\n{blocks[m[1]]}\n\n<!-- end of {m[1]} -->", page)


def all_blocks() -> dict[str, str]:
    """Return the text of every block of the pages by its name."""
    return {
        **study_blocks(),
        **finding_predictions.prediction_blocks(),
        **paper_blocks(),
        **finding_control.control_blocks(),
        **finding_summands.summand_blocks(),
        **finding_channels.blocks(),
        **finding_products.product_blocks(),
        **finding_word_problems.word_problem_blocks(),
        **longer_training.longer_blocks(),
    }


def main() -> None:
    """Rewrite the pages and draw the figures."""
    blocks = all_blocks()
    for page in PAGES:
        page.write_text(rewrite(page.read_text(), blocks))
    figures = {
        **finding_figures.FIGURES,
        **finding_control.FIGURES,
        **finding_summands.FIGURES,
        **finding_channels.CHANNEL_FIGURES,
        **finding_products.FIGURES,
    }
    for name, draw in figures.items():
        target = RESULTS / name
        target.parent.mkdir(parents=True, exist_ok=True)
        draw().savefig(target, metadata={"Software": "python -m studies.findings"})


if __name__ == "__main__":
    main()
