import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from drawn import around, assert_readable, inside
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.figures import draw_block_matrix
from primefourier.theory import project_to_equivariant

BASIS = PrimeBasis((3, 5, 7), 3)
CAPTION = "A linear map that commutes with the action, after Theorem 3.1. " * 5


def equivariant(basis: PrimeBasis, seed: int = 0) -> NDArray[np.float64]:
    noise = np.random.default_rng(seed).normal(size=(basis.dim, basis.dim))
    return project_to_equivariant(noise, basis)


def draw(
    matrix: NDArray[np.float64], basis: PrimeBasis = BASIS, *, title: str = "Blocks"
) -> Figure:
    return draw_block_matrix(
        matrix, primes=basis.primes, depth=basis.depth, title=title, caption=CAPTION
    )


def mesh(figure: Figure) -> QuadMesh:
    (found,) = (x for x in figure.axes[0].collections if isinstance(x, QuadMesh))
    return found


def image(figure: Figure) -> NDArray[np.float64]:
    """Return the drawn entries, NaN where the paper shows."""
    data = mesh(figure).get_array()
    assert data is not None
    return np.asarray(np.ma.filled(np.ma.asarray(data, dtype=float), np.nan))


def test_entries_of_the_blocks_are_coloured_and_all_else_is_blank() -> None:
    W = equivariant(BASIS)
    drawn = image(draw(W))
    block = np.kron(np.eye(9), np.ones((2, 2))).astype(bool)
    assert np.allclose(drawn[block], W[block])
    assert np.isnan(drawn[~block]).all()
    assert len(inside(draw(W).axes[0])) == 36


def test_entries_that_should_not_be_there_are_shown() -> None:
    W = equivariant(BASIS)
    W[0, 17] = 1e-12
    assert np.isfinite(image(draw(W))).sum() == 37


def test_every_prime_and_every_depth_has_its_outline() -> None:
    patches = [p for p in draw(equivariant(BASIS)).axes[0].patches if isinstance(p, Rectangle)]
    outlines = sorted((p.get_width(), p.get_x(), p.get_y()) for p in patches)
    assert all(p.get_width() == p.get_height() for p in patches)
    depths = [(2, 2 * k - 0.5, 2 * k - 0.5) for k in range(9)]
    primes = [(6, 6 * k - 0.5, 6 * k - 0.5) for k in range(3)]
    assert outlines == [*depths, *primes]


def test_colours_are_symmetric_about_zero() -> None:
    low, high = mesh(draw(equivariant(BASIS) + 3)).get_clim()
    assert low is not None
    assert high is not None
    assert -low == high == np.abs(equivariant(BASIS) + 3).max()


@pytest.mark.parametrize(
    ("basis", "factor"),
    [
        (BASIS, 12345.0),
        (BASIS, 0.0),
        (PAPER_BASIS, 1.0),
        (PrimeBasis((3, 1009), 2), 1.0),
    ],
)
def test_everything_can_be_read(basis: PrimeBasis, factor: float) -> None:
    figure = draw(factor * equivariant(basis), basis, title=CAPTION[:90])
    assert_readable(figure)
    assert around(figure).endswith(CAPTION.strip())


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"matrix must have shape \(18, 18\), got \(2, 2\)"):
        draw(np.eye(2))
    with pytest.raises(ValueError, match="matrix must be finite, got NaN"):
        draw(np.full((18, 18), np.nan))
    with pytest.raises(ValueError, match="depth must be an integer of at least 1"):
        draw_block_matrix(np.eye(2), primes=[3], depth=0, title="")
