"""The first set of kinds that nothing was told of: sayings, names of machines, samples of links, queues, variants."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webkeep.lab.demo.noise.noise_moment import DemoNoise, NoiseMoment
from webkeep.lab.demo.noise.usual_noise import PLACES

_SAYINGS = (
    "The tide waits for the ferry, they say",
    "A dry day is a borrowed one",
    "Never trust a gull with a sandwich",
    "The mill turns when it wants to",
    "Fog is only the sea come visiting",
    "Two lamps are better than one captain",
    "Mend the net before the fish hear of it",
    "Whoever rings the bell buys the beer",
)
_MACHINES = ("ladybird", "heron", "otter", "wren", "puffin", "curlew")


def _saying(served: NoiseMoment) -> str:
    return f"<h2>Heard at the harbour</h2><p>{served.chance('saying').pick(_SAYINGS)}</p>"


def _machine(served: NoiseMoment) -> str:
    chance = served.chance("machine")
    return f"<p>Brought to you by {chance.pick(_MACHINES)} in {chance.integer(3, 400)} ms</p>"


def _sample(served: NoiseMoment) -> str:
    chosen = served.chance("sample").sample(PLACES, 3)
    links = "".join(f'<li><a href="{path}">{escape(path.strip("/").title())}</a></li>' for path in chosen)
    return f'<div class="box"><h2>You may like</h2><ul class="picks">{links}</ul></div>'


def _queue(served: NoiseMoment) -> str:
    chance = served.chance("queue")
    waiting = f"{chance.integer(0, 40)} carts, {chance.integer(0, 90)} on foot"
    return f"<table><tr><th>Ferry queue</th><td>{waiting}</td></tr></table>"


def _variant(served: NoiseMoment) -> str:
    words = served.chance("variant").pick(("Join the walk", "Come along", "Put your name down", "Be there on Sunday"))
    return f'<p class="call"><a href="/contact/">{words}</a></p>'


OTHER_NOISE: Mapping[str, DemoNoise] = {
    "saying": DemoNoise(_saying),
    "machine": DemoNoise(_machine),
    "sample": DemoNoise(_sample),
    "queue": DemoNoise(_queue),
    "variant": DemoNoise(_variant),
}
