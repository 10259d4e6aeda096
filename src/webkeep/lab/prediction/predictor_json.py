"""Predictors of rates as JSON, to be kept beside an archive and read again: the format, the name of each kind, and what
is checked when one is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from webkeep.change.prediction import (
    ConstantPredictor,
    FeatureHistogram,
    Predictor,
    ProbabilityCalibration,
    RateBins,
    RatePredictor,
    UrlTreePredictor,
)
from webkeep.errors import FormatError, UsageError
from webkeep.lab.prediction.decision_tree import TreeNode, TreePredictor
from webkeep.lab.prediction.forest import ForestPredictor
from webkeep.lab.prediction.naive_bayes import NaiveBayesPredictor

FORMAT = "webkeep rate predictor 1"


def predictor_to_json(predictor: RatePredictor) -> str:
    """The predictor as JSON."""
    bins = {"edges": predictor.bins.edges, "means": predictor.bins.means}
    plain = {
        "format": FORMAT,
        "bins": bins,
        "horizon": predictor.horizon,
        "calibration": predictor.calibration.points,
        "predictor": _predictor_values(predictor.predictor),
    }
    return json.dumps(plain, separators=(",", ":"))


def predictor_from_json(text: str, source: str = "") -> RatePredictor:
    """The predictor that JSON describes."""
    try:
        plain = json.loads(text)
        _require(plain["format"] == FORMAT, "of another format")
        bins = RateBins(_read_numbers(plain["bins"]["edges"]), _read_numbers(plain["bins"]["means"]))
        _require(
            len(bins.means) == len(bins.edges) + 1 and list(bins.edges) == sorted(bins.edges), "classes without order"
        )
        _require(all(mean >= 0 for mean in bins.means), "rates below zero")
        (horizon,) = _read_numbers([plain["horizon"]])
        _require(horizon > 0, "a horizon that is none")
        return RatePredictor(
            bins, _read_predictor(plain["predictor"], len(bins)), horizon, _read_calibration(plain["calibration"])
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise FormatError(f"no predictor of rates ({error}); train it again", source) from error


def _read_calibration(plain: list[Any]) -> ProbabilityCalibration:
    points = tuple((told, true) for told, true in map(_read_numbers, plain))
    chances = [chance for point in points for chance in point]
    rising = all(left[0] < right[0] and left[1] <= right[1] for left, right in pairwise(points))
    _require(rising and all(0 <= chance <= 1 for chance in chances), "a calibration that is none")
    return ProbabilityCalibration(points)


def _predictor_values(predictor: Predictor) -> dict[str, Any]:
    match predictor:
        case ConstantPredictor(answer):
            return {"kind": "constant", "answer": answer}
        case NaiveBayesPredictor(sizes, names, normals):
            return {"kind": "witnesses", "sizes": sizes, "names": names, "normals": normals}
        case UrlTreePredictor(_, groups, numbers):
            scales = {name: [steps.edges, steps.seen] for name, steps in numbers.items()}
            return {"kind": "relations", "groups": groups, "numbers": scales}
        case TreePredictor(nodes):
            return {"kind": "tree", "nodes": [_node_values(node) for node in nodes]}
        case ForestPredictor(trees):
            return {"kind": "grove", "trees": [_predictor_values(tree) for tree in trees]}
    raise UsageError(f"a predictor of the kind {type(predictor).__name__} cannot be kept; use one of webkeep.change")


def _node_values(node: TreeNode) -> list[Any]:
    return [node.counts, node.name, node.border, node.children] if node.children else [node.counts]


def _read_predictor(plain: Mapping[str, Any], count: int) -> Predictor:
    return _READERS[plain["kind"]](plain, count)


def _read_constant(plain: Mapping[str, Any], count: int) -> ConstantPredictor:
    answer = _read_numbers(plain["answer"])
    _require(len(answer) == count and all(0 <= share <= 1 for share in answer), "answers for other classes")
    return ConstantPredictor(answer)


def _read_naive_bayes(plain: Mapping[str, Any], count: int) -> NaiveBayesPredictor:
    sizes = _read_counts(plain["sizes"], count)
    names = {
        str(feature): {str(name): _read_counts(seen, count) for name, seen in values.items()}
        for feature, values in plain["names"].items()
    }
    normals = {}
    for feature, spreads in plain["normals"].items():
        _require(len(spreads) == count, "spreads of other classes")
        pairs = [_read_numbers(pair) for pair in spreads]
        _require(all(len(pair) == 2 and pair[1] > 0 for pair in pairs), "a spread that is none")
        normals[str(feature)] = tuple((pair[0], pair[1]) for pair in pairs)
    return NaiveBayesPredictor(sizes, names, normals)


def _read_tree(plain: Mapping[str, Any], count: int) -> TreePredictor:
    nodes = plain["nodes"]
    _require(len(nodes) > 0, "a tree without a root")
    return TreePredictor(tuple(_read_node(node, place, len(nodes), count) for place, node in enumerate(nodes)), count)


def _read_node(plain: list[Any], place: int, nodes: int, count: int) -> TreeNode:
    counts = {int(number): int(seen) for number, seen in plain[0].items()}
    _require(all(0 <= number < count and seen >= 0 for number, seen in counts.items()), "counts of other classes")
    if len(plain) == 1:
        return TreeNode(counts)
    _, name, border, children = plain
    below = {str(answer): int(child) for answer, child in children.items()}
    # Children further on than their parents: however broken, a tree has an end.
    _require(all(place < child < nodes for child in below.values()), "a branch that leads nowhere")
    return TreeNode(counts, str(name), None if border is None else _read_numbers([border])[0], below)


def _read_forest(plain: Mapping[str, Any], count: int) -> ForestPredictor:
    _require(len(plain["trees"]) > 0, "a forest without trees")
    return ForestPredictor(tuple(_read_tree(tree, count) for tree in plain["trees"]))


def _read_url_tree(plain: Mapping[str, Any], count: int) -> UrlTreePredictor:
    groups = {str(group): _read_counts(seen, count) for group, seen in plain["groups"].items()}
    return UrlTreePredictor(
        count, groups, {str(name): _read_histogram(steps, count) for name, steps in plain["numbers"].items()}
    )


def _read_histogram(plain: list[Any], count: int) -> FeatureHistogram:
    edges, seen = _read_numbers(plain[0]), tuple(_read_counts(step, count) for step in plain[1])
    _require(len(seen) == len(edges) + 1 and list(edges) == sorted(edges), "steps without order")
    return FeatureHistogram(edges, seen, tuple(map(sum, zip(*seen, strict=True))))


_READERS: dict[str, Callable[[Mapping[str, Any], int], Predictor]] = {
    "constant": _read_constant,
    "witnesses": _read_naive_bayes,
    "tree": _read_tree,
    "grove": _read_forest,
    "relations": _read_url_tree,
}


def _read_numbers(values: list[Any]) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    _require(all(abs(number) < float("inf") for number in numbers), "a number that is none")
    return numbers


def _read_counts(values: list[Any], count: int) -> tuple[int, ...]:
    numbers = tuple(int(value) for value in values)
    _require(len(numbers) == count and all(number >= 0 for number in numbers), "counts of other classes")
    return numbers


def _require(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise ValueError(otherwise)
