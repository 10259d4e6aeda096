"""What answers say of their URL and when: sightings, how two of them compare, the versions they show."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.coherence.sightings.seen_versions import SeenVersion as SeenVersion
    from webkeep.coherence.sightings.sighting import (
        Sighting as Sighting,
        payload_digest_held as payload_digest_held,
        sighting_from_observation as sighting_from_observation,
    )
    from webkeep.coherence.sightings.sighting_comparison import (
        Caveat as Caveat,
        Sameness as Sameness,
        SamenessStrength as SamenessStrength,
        SamenessWitness as SamenessWitness,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "seen_versions": ("SeenVersion",),
            "sighting": (
                "Sighting",
                "payload_digest_held",
                "sighting_from_observation",
            ),
            "sighting_comparison": ("Caveat", "Sameness", "SamenessStrength", "SamenessWitness"),
        },
    )
