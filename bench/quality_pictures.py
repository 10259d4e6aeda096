"""The pictures of a report in Chromium: how long a frame of the tree takes with 60,000 nodes while it is zoomed."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

from bench.measuring import say
from bench.quality_damage import open_tab
from webkeep.presentation.drawings import read_canvas_script, render_tree_canvas
from webkeep.presentation.pages import stream_report
from webkeep.quality.certificates import DefectNode, RevisitColour
from webkeep.quality.report import tree_values

_FRAMES = 40
_ZOOM = f"""
(async () => {{
  const canvas = document.querySelector('canvas');
  const frame = () => new Promise(requestAnimationFrame);
  canvas.focus();
  await frame();
  await frame();
  const began = performance.now();
  canvas.frames.length = 0;
  for (let turn = 0; turn < {_FRAMES}; turn += 1) {{
    canvas.dispatchEvent(new WheelEvent('wheel', {{deltaY: turn % 2 ? 60 : -120, clientX: 400, clientY: 300}}));
    await frame();
  }}
  await frame();
  const frames = [...canvas.frames].sort((one, other) => one - other);
  return JSON.stringify({{first: canvas.dataset.drawn, middle: frames[frames.length >> 1], worst: frames.at(-1),
    whole: (performance.now() - began) / {_FRAMES}}});
}})()
"""


def measure_pictures(nodes: int) -> dict[str, object]:
    """Milliseconds of a frame of the tree, in the middle and at worst."""
    chance = random.Random(1)
    colours = [*RevisitColour]
    drawn = [DefectNode("http://site.example/", RevisitColour.GREEN)]
    for number in range(1, nodes):
        parent = drawn[chance.randrange(max(0, number - 3000), number)].name
        pages = chance.randrange(1, 400) if number % 9 == 0 else 1
        name = f"http://site.example/part-{number // 100}/{number}"
        drawn.append(DefectNode(name, chance.choice(colours), pages, parent, pages > 1))
    figure = render_tree_canvas("A tree", tree_values(drawn), "")
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        page = Path(folder) / "tree.html"
        page.write_bytes(b"".join(stream_report("A tree", [figure], read_canvas_script())))
        with open_tab() as tab:
            tab.load(page.as_uri())
            told = json.loads(str(tab.evaluate(_ZOOM)))
        size = page.stat().st_size
    frame, worst = round(told["middle"], 1), round(told["worst"], 1)
    say(f"a tree of {nodes:,} nodes ({size / 1e6:.1f} MB): {frame} ms a frame, {worst} at worst")
    return {"tree_nodes": nodes, "tree_frame_ms": frame, "tree_worst_frame_ms": worst}
