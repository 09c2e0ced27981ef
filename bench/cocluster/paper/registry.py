"""The experiments by name: what each asks and the function that runs it."""

from collections.abc import Callable
from dataclasses import dataclass

from bench.cocluster.paper import criterion, dendrograms, density, quality, restricted, smoothing, spectral
from bench.cocluster.paper.workspace import Workspace


@dataclass(frozen=True)
class Experiment:
    """One experiment: what it asks, and the function that draws its picture and returns its table."""

    question: str
    run: Callable[[Workspace], str]


EXPERIMENTS = {
    "smoothing": Experiment("what does smoothing do to a checkerboard?", smoothing.run),
    "quality": Experiment("how well do the three variants find the clusters, and how many?", quality.run),
    "restricted": Experiment("which critical size finds the number of clusters?", restricted.run),
    "spectral": Experiment("agglomerative or spectral, when the number of clusters is told?", spectral.run),
    "density": Experiment("does smoothing help DBSCAN too?", density.run),
    "criterion": Experiment("does entropy × information peak at the true number of clusters?", criterion.run),
    "dendrograms": Experiment("do the branches of real tag trees make sense?", dendrograms.run),
}
