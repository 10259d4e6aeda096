"""Predictors of rates as JSON, to be kept beside an archive and read again, whatever became of the text meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from webkeep.change.bins import Bins
from webkeep.change.calibration import Calibration
from webkeep.change.forest import Grove
from webkeep.change.grown_tree import Branch, GrownTree
from webkeep.change.kin import Relations, Steps
from webkeep.change.learner import Constant, Predictor
from webkeep.change.naive_bayes import Witnesses
from webkeep.change.rate_predictor import RatePredictor
from webkeep.errors import FormatError, UsageError

FORMAT = "webkeep rate predictor 1"


def written(predictor: RatePredictor) -> str:
    """The predictor as JSON."""
    bins = {"edges": predictor.bins.edges, "means": predictor.bins.means}
    plain = {
        "format": FORMAT,
        "bins": bins,
        "horizon": predictor.horizon,
        "calibration": predictor.calibration.points,
        "predictor": _plain(predictor.predictor),
    }
    return json.dumps(plain, separators=(",", ":"))


def read(text: str, source: str = "") -> RatePredictor:
    """The predictor that JSON describes."""
    try:
        plain = json.loads(text)
        _hold(plain["format"] == FORMAT, "of another format")
        bins = Bins(_numbers(plain["bins"]["edges"]), _numbers(plain["bins"]["means"]))
        _hold(
            len(bins.means) == len(bins.edges) + 1 and list(bins.edges) == sorted(bins.edges), "classes without order"
        )
        _hold(all(mean >= 0 for mean in bins.means), "rates below zero")
        (horizon,) = _numbers([plain["horizon"]])
        _hold(horizon > 0, "a horizon that is none")
        return RatePredictor(
            bins, _predictor(plain["predictor"], len(bins)), horizon, _calibration(plain["calibration"])
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise FormatError(f"no predictor of rates ({error}); train it again", source) from error


def _calibration(plain: list[Any]) -> Calibration:
    points = tuple((told, true) for told, true in map(_numbers, plain))
    chances = [chance for point in points for chance in point]
    rising = all(left[0] < right[0] and left[1] <= right[1] for left, right in pairwise(points))
    _hold(rising and all(0 <= chance <= 1 for chance in chances), "a calibration that is none")
    return Calibration(points)


def _plain(predictor: Predictor) -> dict[str, Any]:
    match predictor:
        case Constant(answer):
            return {"kind": "constant", "answer": answer}
        case Witnesses(sizes, names, normals):
            return {"kind": "witnesses", "sizes": sizes, "names": names, "normals": normals}
        case Relations(_, groups, numbers):
            scales = {name: [steps.edges, steps.seen] for name, steps in numbers.items()}
            return {"kind": "relations", "groups": groups, "numbers": scales}
        case GrownTree(nodes):
            return {"kind": "tree", "nodes": [_plain_branch(node) for node in nodes]}
        case Grove(trees):
            return {"kind": "grove", "trees": [_plain(tree) for tree in trees]}
    raise UsageError(f"a predictor of the kind {type(predictor).__name__} cannot be kept; use one of webkeep.change")


def _plain_branch(node: Branch) -> list[Any]:
    return [node.counts, node.name, node.border, node.children] if node.children else [node.counts]


def _predictor(plain: Mapping[str, Any], count: int) -> Predictor:
    return _KINDS[plain["kind"]](plain, count)


def _constant(plain: Mapping[str, Any], count: int) -> Constant:
    answer = _numbers(plain["answer"])
    _hold(len(answer) == count and all(0 <= share <= 1 for share in answer), "answers for other classes")
    return Constant(answer)


def _witnesses(plain: Mapping[str, Any], count: int) -> Witnesses:
    sizes = _counts(plain["sizes"], count)
    names = {
        str(feature): {str(name): _counts(seen, count) for name, seen in values.items()}
        for feature, values in plain["names"].items()
    }
    normals = {}
    for feature, spreads in plain["normals"].items():
        _hold(len(spreads) == count, "spreads of other classes")
        pairs = [_numbers(pair) for pair in spreads]
        _hold(all(len(pair) == 2 and pair[1] > 0 for pair in pairs), "a spread that is none")
        normals[str(feature)] = tuple((pair[0], pair[1]) for pair in pairs)
    return Witnesses(sizes, names, normals)


def _tree(plain: Mapping[str, Any], count: int) -> GrownTree:
    nodes = plain["nodes"]
    _hold(len(nodes) > 0, "a tree without a root")
    return GrownTree(tuple(_branch(node, place, len(nodes), count) for place, node in enumerate(nodes)), count)


def _branch(plain: list[Any], place: int, nodes: int, count: int) -> Branch:
    counts = {int(number): int(seen) for number, seen in plain[0].items()}
    _hold(all(0 <= number < count and seen >= 0 for number, seen in counts.items()), "counts of other classes")
    if len(plain) == 1:
        return Branch(counts)
    _, name, border, children = plain
    below = {str(answer): int(child) for answer, child in children.items()}
    # Children further on than their parents: however broken, a tree has an end.
    _hold(all(place < child < nodes for child in below.values()), "a branch that leads nowhere")
    return Branch(counts, str(name), None if border is None else _numbers([border])[0], below)


def _grove(plain: Mapping[str, Any], count: int) -> Grove:
    _hold(len(plain["trees"]) > 0, "a forest without trees")
    return Grove(tuple(_tree(tree, count) for tree in plain["trees"]))


def _relations(plain: Mapping[str, Any], count: int) -> Relations:
    groups = {str(group): _counts(seen, count) for group, seen in plain["groups"].items()}
    return Relations(count, groups, {str(name): _steps(steps, count) for name, steps in plain["numbers"].items()})


def _steps(plain: list[Any], count: int) -> Steps:
    edges, seen = _numbers(plain[0]), tuple(_counts(step, count) for step in plain[1])
    _hold(len(seen) == len(edges) + 1 and list(edges) == sorted(edges), "steps without order")
    return Steps(edges, seen, tuple(map(sum, zip(*seen, strict=True))))


_KINDS: dict[str, Callable[[Mapping[str, Any], int], Predictor]] = {
    "constant": _constant,
    "witnesses": _witnesses,
    "tree": _tree,
    "grove": _grove,
    "relations": _relations,
}


def _numbers(values: list[Any]) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    _hold(all(abs(number) < float("inf") for number in numbers), "a number that is none")
    return numbers


def _counts(values: list[Any], count: int) -> tuple[int, ...]:
    numbers = tuple(int(value) for value in values)
    _hold(len(numbers) == count and all(number >= 0 for number in numbers), "counts of other classes")
    return numbers


def _hold(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise ValueError(otherwise)
