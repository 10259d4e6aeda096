"""Puts many damaged inputs to every reader of foreign bytes, and counts what must never be: foreign exceptions, hangs.

A reader may raise errors of webkeep.errors and nothing else, whatever the bytes; it may not take long, and not much
memory. The same seed gives the same inputs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import signal
import time
import traceback
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from random import Random
from types import FrameType

from bench.fuzz_targets import TARGETS, Target
from bench.measuring import say
from webkeep.errors import WebkeepError

INPUTS, QUICK_INPUTS = 200_000, 20_000
BATCH = 2_000
SECONDS_FOR_ONE = 5.0
MEMORY_FOR_ALL = 1 << 30
SHOWN = 10


@dataclass(slots=True)
class Tally:
    """What a batch of inputs came to."""

    target: str
    inputs: int = 0
    refused: int = 0
    """Inputs that raised one of our own errors."""
    foreign: int = 0
    hangs: int = 0
    slowest: float = 0.0
    slowest_input: str = ""
    examples: dict[str, str] = field(default_factory=dict)
    """One input for each place where something went wrong."""

    def note(self, error: BaseException, which: str, data: bytes) -> None:
        """Keep one example for each line of code that gave up."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        key = f"{type(error).__name__} at {place.filename}:{place.lineno}"
        if key not in self.examples:
            trace = "".join(traceback.format_exception(error, limit=-6))
            self.examples[key] = f"{self.target}, {which}: {data[:300]!r}\n{trace}"


class _TooLongError(BaseException):
    """One input took longer than any may; no `except Exception` of a reader catches it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same with fewer inputs, in under 50 seconds")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other inputs")
    parser.add_argument("--inputs", type=int, default=0, help="how many inputs for each reader")
    parser.add_argument("--only", choices=TARGETS, help="one reader alone")
    args = parser.parse_args()
    inputs = args.inputs or (QUICK_INPUTS if args.quick else INPUTS)
    names = [args.only] if args.only else list(TARGETS)
    started = time.perf_counter()
    facts = totals(list(_fuzzed(names, inputs, args.seed)))
    print(json.dumps(facts | {"seed": args.seed, "seconds": round(time.perf_counter() - started, 1)}))
    if facts["foreign_exceptions"] or facts["hangs"]:
        raise SystemExit(1)


def _fuzzed(names: list[str], inputs: int, seed: int) -> Iterator[Tally]:
    batches = [(name, seed, start, min(BATCH, inputs - start)) for name in names for start in range(0, inputs, BATCH)]
    done = 0
    with ProcessPoolExecutor(2, initializer=_limit_memory) as workers:
        for tally in workers.map(_batch, batches):
            done += 1
            if done % 50 == 0:
                say(f"{done} of {len(batches)} batches, now at {tally.target}")
            yield tally


def totals(tallies: list[Tally]) -> dict[str, object]:
    """All batches together; a few examples of what went wrong are said aloud."""
    inputs: dict[str, int] = {}
    for tally in tallies:
        inputs[tally.target] = inputs.get(tally.target, 0) + tally.inputs
    examples = {place: example for tally in tallies for place, example in tally.examples.items()}
    for example in itertools.islice(examples.values(), SHOWN):
        say(example)
    slowest = max(tallies, key=lambda tally: tally.slowest)
    return {
        "inputs": inputs,
        "foreign_exceptions": sum(tally.foreign for tally in tallies),
        "refused": sum(tally.refused for tally in tallies),
        "hangs": sum(tally.hangs for tally in tallies),
        "slowest_input": f"{slowest.target}, {slowest.slowest_input}",
        "slowest_input_seconds": round(slowest.slowest, 3),
    }


def _batch(batch: tuple[str, int, int, int]) -> Tally:
    name, seed, start, count = batch
    return fuzz(name, TARGETS[name], seed, range(start, start + count))


def fuzz(name: str, target: Target, seed: int, numbers: Iterable[int], seconds: float = SECONDS_FOR_ONE) -> Tally:
    """Put inputs to one reader, those of these numbers; works in a main thread only.

    Time is that of the processor, so that a busy machine makes no hang.
    """
    mutator = target.mutator()
    tally = Tally(name)
    handler, timer = signal.signal(signal.SIGPROF, _stop), signal.getitimer(signal.ITIMER_PROF)
    try:
        for number in numbers:
            chance = Random(f"{seed} {name} {number}")
            _put(target, chance, mutator.input(chance), seconds, tally, f"seed {seed}, input {number}")
    finally:
        signal.signal(signal.SIGPROF, handler)
        signal.setitimer(signal.ITIMER_PROF, *timer)
    return tally


def _put(target: Target, chance: Random, data: bytes, seconds: float, tally: Tally, which: str) -> None:
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        target.put(chance, data)
    except WebkeepError:
        tally.refused += 1
    except _TooLongError as error:
        tally.hangs += 1
        tally.note(error, which, data)
    except Exception as error:  # noqa: BLE001 - whatever is raised is what is looked for
        tally.foreign += 1
        tally.note(error, which, data)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    tally.inputs += 1
    taken = time.process_time() - began
    if taken > tally.slowest:
        tally.slowest, tally.slowest_input = taken, which


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise _TooLongError


def _limit_memory() -> None:
    """What is beyond becomes a MemoryError, which is a foreign exception."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_FOR_ALL, MEMORY_FOR_ALL))


if __name__ == "__main__":
    main()
