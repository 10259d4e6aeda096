"""Noise on the pages of the demo site."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.lab.demo.noise.noise_moment import NoiseMoment as NoiseMoment
    from webkeep.lab.demo.noise.page_noise import (
        NoiseSet as NoiseSet,
        add_noise as add_noise,
        noise_kinds as noise_kinds,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__, {"noise_moment": ("NoiseMoment",), "page_noise": ("NoiseSet", "add_noise", "noise_kinds")}
    )
