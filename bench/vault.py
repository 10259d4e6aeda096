"""Server components into pages and back: how fast, in how much memory, and whether what was planned holds.

    .venv/bin/python -m bench.vault [--quick] [--mb N] [--pages N] [--only-middleware]

- Components that cannot be compressed are protected over a tree of pages by the command, in a process of its own, and
  recovered by the command from a random set of just as many pages as the plan counts with. Rates are of the whole
  command: packing, encrypting, coding, signing and writing pages, and all of it back; `code_mb_per_s` is of the code
  alone, by r and n. What comes back is compared byte by byte.
- `subsets` random sets of blocks of the planned size are decoded, for n from 2 to 20,000; `failed` did not come back.
- `planner_error` is the most by which what the planner says is off 10,000 drawn losses, over all settings, in standard
  errors (`webkeep lab recovery --only vault`).
- `overhead` has bytes added to the pages of the tree, as planned and as really written; `growth` the same of single
  pages by r, n and size, with `growth_errors` in it that differ.
- `middleware_cost` is the share of requests a second that the middleware costs an application, beside the same one
  whose pages are as long as that already, `middleware_cost_least` beside one that puts ready bytes behind its pages;
  `middleware_us` is the same in time for each request (vault_middleware).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import vault_middleware
from bench.measuring import Run, result, run_child, say
from webkeep.lab.recovery.scenarios.vault_losses import vault_losses_block
from webkeep.vault import SegmentPlan
from webkeep.vault.blocks import BlockSigner, SegmentIdentity, make_comment
from webkeep.vault.coding import BlockLayout, decode_segment, encode_segment
from webkeep.vault.planning import added_bytes, count_blocks

_COMMAND = [sys.executable, "-m", "webkeep", "vault"]
_SUBSET_SIZES = {2: 120, 3: 120, 10: 150, 40: 150, 123: 150, 255: 150, 256: 60, 1000: 60, 5000: 30, 20_000: 10}
"""How many random sets are tried of how many blocks: 1,000 in all."""
_NEEDED_SHARES = (0.1, 0.5, 0.56, 0.9)
"""Of n: as few and as many blocks as plans need, and what a plan for pages of which 60 % are held does."""
_BLOCK_BYTES = 512
"""In the sets: the code does the same to every stripe."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done."""

    megabytes: int
    pages: int
    subset_share: float
    losses: int
    middleware_seconds: float
    middleware_starts: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of it")
    parser.add_argument("--mb", type=int, default=0)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--only-middleware", action="store_true", help="nothing but what the middleware costs")
    args = parser.parse_args()
    effort = Effort(10, 2000, 0.1, 1000, 8, 2) if args.quick else Effort(100, 20_000, 1.0, 10_000, 120, 12)
    megabytes, pages = args.mb or effort.megabytes, args.pages or effort.pages
    if args.only_middleware:
        result(vault_middleware.cost(effort.middleware_seconds, effort.middleware_starts))
        return
    facts: dict[str, object] = {}
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        facts |= _measure_commands(Path(folder), megabytes, pages)
    facts |= _measure_growth()
    facts |= _measure_code(max(megabytes // 5, 2))
    facts |= _try_subsets(effort.subset_share)
    facts |= _measure_planner(effort.losses)
    facts |= vault_middleware.cost(effort.middleware_seconds, effort.middleware_starts)
    result(facts)


def _measure_commands(folder: Path, megabytes: int, pages: int) -> dict[str, object]:
    """Protect and recover by the command; what comes back is what was protected."""
    component, tree = folder / "component", folder / "tree"
    _write_component(component, megabytes)
    _write_tree(tree, pages)
    (folder / "passphrase").write_text("a bench\n")
    plan, key = folder / "plan.json", ["--passphrase-file", str(folder / "passphrase")]
    named = ["--component", str(component), "--tree", str(tree)]
    planned = run_child([*_COMMAND, "plan", *named, "--coverage", "60%", "--out", str(plan), "--json"])
    protected = run_child(
        [*_COMMAND, "protect", str(folder / "vault"), *named, "--plan", str(plan), "--into", str(folder / "out"), *key,
         "--json"],
    )  # fmt: skip
    said: Any = planned.facts
    (segment,) = said["segments"]
    counted = segment["r"] + segment["spare"]
    overhead = _compare_sizes(tree, folder / "out", segment["added_bytes"])
    kept = random.Random(1).sample(sorted((folder / "out").rglob("*.html")), counted)
    for page in set((folder / "out").rglob("*.html")) - set(kept):
        page.unlink()
    recovered = run_child([*_COMMAND, "recover", str(folder / "out"), "--into", str(folder / "back"), *key, "--json"])
    same = all(
        (folder / "back" / "component" / file.name).read_bytes() == file.read_bytes() for file in component.iterdir()
    )
    if not same or not recovered.facts["whole"]:
        raise SystemExit("what was recovered is not what was protected")
    say(f"plan {planned.seconds:.1f} s, protect {protected.seconds:.1f} s, recover {recovered.seconds:.1f} s")
    return {**_rates(megabytes, planned, protected, recovered), "pages": pages, "megabytes": megabytes,
            "needed": segment["r"], "blocks": segment["n"], "overhead": overhead}  # fmt: skip


def _rates(megabytes: int, planned: Run, protected: Run, recovered: Run) -> dict[str, object]:
    return {
        "encode_mb_per_s": round(megabytes / protected.seconds, 2),
        "decode_mb_per_s": round(megabytes / recovered.seconds, 2),
        "plan_s": round(planned.seconds, 2),
        "rss_mb": max(planned.rss_mb, protected.rss_mb, recovered.rss_mb),
        "rss_mb_by_command": {"plan": planned.rss_mb, "protect": protected.rss_mb, "recover": recovered.rss_mb},
    }


def _write_component(folder: Path, megabytes: int) -> None:
    folder.mkdir()
    chance = random.Random(1)
    for number in range(10):
        (folder / f"part{number}.bin").write_bytes(chance.randbytes(megabytes * 100_000))


def _write_tree(tree: Path, pages: int) -> None:
    for number in range(pages):
        place = tree / f"d{number % 200}" / f"{number}.html"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"<!doctype html><title>Page {number}</title><body><p>{'word ' * 400}</p></body>")
    links = "".join(f'<a href="d{number % 200}/{number}.html">x</a>' for number in range(pages))
    (tree / "index.html").write_text(f"<!doctype html><title>Start</title><body>{links[:100_000]}</body>")


def _compare_sizes(tree: Path, out: Path, planned: int) -> dict[str, object]:
    """Bytes added to pages as written, beside what the plan says; the manifest is in a few pages more."""
    grown = sorted(page.stat().st_size - (tree / page.relative_to(out)).stat().st_size for page in out.rglob("*.html"))
    return {"planned_bytes": planned, "median_bytes": grown[len(grown) // 2], "most_bytes": grown[-1]}


def _measure_growth() -> dict[str, object]:
    """Bytes that a page grows by, as planned and as written, by r, n and size of the segment."""
    signer, rows = BlockSigner(BlockSigner.new_secret()), []
    for size in (10_000, 1_000_000, 100_000_000):
        for needed, total in ((8, 40), (57, 123), (1102, 2001), (11_224, 20_000)):
            segment = SegmentPlan("component", ("component",), size, needed, total, (0,) * total)
            identity = SegmentIdentity(
                signer.vault,
                segment.name,
                "20261118T060000Z-0a1b2c3d",
                segment.code,
                total,
                needed,
                size,
                "0" * 64,
                "age",
            )
            written = len(make_comment(identity, total - 1, bytes(identity.layout.block_bytes), signer))
            rows.append({"size": size, "r": needed, "n": total, "planned": added_bytes(segment), "written": written})
    return {"growth": rows, "growth_errors": sum(row["planned"] != row["written"] for row in rows)}


def _try_subsets(share: float) -> dict[str, object]:
    """Random sets of blocks of the planned size: exactly r up to 255 blocks, what the plan counts with above."""
    chance = random.Random(2)
    tried = failed = 0
    for total, sets in _SUBSET_SIZES.items():
        shares = _NEEDED_SHARES if total < 5000 else _NEEDED_SHARES[2:3]
        for needed_share in shares:
            needed = max(1, round(total * needed_share))
            layout = BlockLayout(needed * _BLOCK_BYTES - 3, needed, total)
            data = chance.randbytes(layout.size)
            blocks = _encode(data, layout)
            for _ in range(max(1, round(sets * share / len(shares)))):
                held = chance.sample(range(total), min(count_blocks(needed, total), total))
                failed += _decode(held, blocks, layout) != data
                tried += 1
        say(f"n = {total:,}: {tried:,} sets so far, {failed} failed")
    return {"subsets": tried, "failed": failed}


def _measure_code(megabytes: int) -> dict[str, object]:
    """The code alone: all blocks of a segment, and the segment out of a random set of them."""
    chance = random.Random(4)
    rates: dict[str, dict[str, float]] = {}
    for needed, total in ((8, 40), (57, 123), (140, 255), (1102, 2001), (11_224, 20_000)):
        layout = BlockLayout(megabytes * 1_000_000, needed, total)
        data = chance.randbytes(layout.size)
        began = time.perf_counter()
        blocks = _encode(data, layout)
        encoded = time.perf_counter()
        if _decode(chance.sample(range(total), count_blocks(needed, total)), blocks, layout) != data:
            raise SystemExit(f"{needed} of {total} blocks did not bring back what they are of")
        ended = time.perf_counter()
        rates[f"{needed} of {total}"] = {
            "encode": round(megabytes / (encoded - began), 1),
            "decode": round(megabytes / (ended - encoded), 1),
        }
    return {"code_mb_per_s": rates}


def _encode(data: bytes, layout: BlockLayout) -> bytes:
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(data)
        source.flush()
        encode_segment(source, layout, target)
        target.seek(0)
        return target.read()


def _decode(held: Sequence[int], blocks: bytes, layout: BlockLayout) -> bytes:
    size = layout.block_bytes

    def read(index: int, start: int, width: int) -> bytes:
        return blocks[index * size + start : index * size + start + width]

    with tempfile.TemporaryFile() as target:
        decode_segment(held, read, layout, target)
        target.seek(0)
        return target.read()


def _measure_planner(losses: int) -> dict[str, object]:
    block = vault_losses_block(losses)
    errors = {row.label: block.cell(row, "errors").value or 0.0 for row in block.rows}
    worst = max(errors, key=lambda label: abs(errors[label]))
    say(f"the planner is off most for {worst}: {errors[worst]:.2f} standard errors")
    return {"planner_error": round(abs(errors[worst]), 2), "planner_settings": len(errors), "planner_losses": losses}


if __name__ == "__main__":
    main()
