"""How well do the three variants find the clusters, and how many? python -m bench.cocluster.paper quality"""

from statistics import fmean

from bench.cocluster.paper.boards import VARIANTS, SideTrial, Variant, boards, sides, told_apart
from bench.cocluster.paper.style import BLUE, GREEN, ORANGE, by_k, count_axis, figure, save
from bench.cocluster.paper.workspace import Workspace, compared, markdown

INKS: dict[Variant, str] = {"composite": BLUE, "simple": ORANGE, "independent": GREEN}
REFERENCE: dict[Variant, dict[int, float]] = {
    "composite": {5: 0.952, 10: 0.946, 20: 0.990, 30: 0.986, 40: 0.992, 60: 0.987, 80: 0.980, 100: 0.967},
    "simple": {5: 0.952, 10: 0.923, 20: 0.981, 30: 0.970, 40: 0.975, 60: 0.961, 80: 0.804, 100: 0.498},
    "independent": {5: 0.946, 10: 0.941, 20: 0.988, 30: 0.985, 40: 0.991, 60: 0.984, 80: 0.975, 100: 0.960},
}
"""Best V-measure over k, mean of rows and columns, of an independent dense implementation on 3 other seeds."""

Trials = dict[tuple[Variant, int], list[SideTrial]]


def run(workspace: Workspace) -> str:
    ks = workspace.scale.ks
    trials = {(variant, k): sides(workspace, k, variant) for k in ks for variant in VARIANTS}
    draw(workspace, trials)
    differing = [[k for board in boards(workspace.scale, k) for k in told_apart(board)] for k in ks]
    rows = [["k′: clusters that differ in profile, mean", *(f"{fmean(each):.1f}" for each in differing)]]
    for variant in VARIANTS:
        each = [trials[variant, k] for k in ks]
        rows += [
            [f"**{variant}**: best V", *(f"{fmean(side.best for side in sides):.3f}" for sides in each)],
            ["the same, reference code", *(f"{v:.3f}" if (v := REFERENCE[variant].get(k)) else "" for k in ks)],
            ["V at the true k", *(f"{fmean(side.exact for side in sides):.3f}" for sides in each)],
            ["V at k̂", *(f"{fmean(side.chosen for side in sides):.3f}" for sides in each)],
            ["mean \\|k̂ − k\\|", *(f"{fmean(side.miss() for side in sides):.1f}" for sides in each)],
            ["largest \\|k̂ − k\\|", *(str(max(side.miss() for side in sides)) for sides in each)],
            ["off by more than a quarter", *(wide_misses(sides) for sides in each)],
            ["mean \\|k̂ − k′\\|", *(f"{mean_miss(*both):.1f}" for both in zip(each, differing, strict=True))],
        ]
        if variant != "composite":
            pairs = zip((trials["composite", k] for k in ks), each, strict=True)
            rows.append(["best V of composite higher/equal/lower", *(compared(*map(best_of, both)) for both in pairs)])
    return markdown(["k", *map(str, ks)], rows)


def best_of(sides: list[SideTrial]) -> list[float]:
    return [side.best for side in sides]


def mean_miss(sides: list[SideTrial], counts: list[int]) -> float:
    """How far the clusters found are from these counts instead of the true ones, on average."""
    return fmean(abs(side.found["auto"] - count) for side, count in zip(sides, counts, strict=True))


def wide_misses(sides: list[SideTrial]) -> str:
    """How many sides miss their k by more than a quarter of it."""
    return f"{sum(4 * side.miss() > side.k for side in sides)} of {len(sides)}"


def draw(workspace: Workspace, trials: Trials) -> None:
    ks = workspace.scale.ks
    picture = figure(8.6, 3.7)
    quality, count = picture.subplots(1, 2)
    for variant in VARIANTS:
        ink = INKS[variant]
        each = [trials[variant, k] for k in ks]
        quality.plot(ks, [fmean(side.best for side in sides) for sides in each], "o-", color=ink, label=variant)
        reference = REFERENCE[variant]
        quality.plot(reference.keys(), reference.values(), "D", color=ink, mfc="none", ms=6, mew=0.9)
        misses = [fmean(side.miss() for side in sides) for sides in each]
        count.plot(ks, misses, "o-", color=ink, label=variant)
    quality.plot([], [], "D", color="grey", mfc="none", ms=6, mew=0.9, label="reference code, other seeds")
    quality.set(ylabel="V-measure", ylim=(0.45, 1.02), title="Best V-measure over the tree")
    quality.legend(loc="lower left")
    count_axis(count)
    count.set_title("Clusters found against true clusters")
    count.axhline(1, color="grey", linewidth=0.9, linestyle=":", label="the paper: “close to 1”")
    count.legend(loc="upper left")
    for axes in (quality, count):
        by_k(axes, ks)
    save(picture, workspace.image("quality"))
