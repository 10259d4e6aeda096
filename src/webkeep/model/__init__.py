"""The values that cross rooms."""

from webkeep.model.body import CHUNK, Body, BytesBody
from webkeep.model.capture import Capture
from webkeep.model.digest import Digest, Hasher, new_hasher
from webkeep.model.exchange import Exchange
from webkeep.model.fate import Fate, Outcome
from webkeep.model.finding import Finding
from webkeep.model.headers import Headers
from webkeep.model.moment import Clock, Moment, parse_moment
from webkeep.model.observation import Observation, Place, Visit
from webkeep.model.sitemap import ChangeFrequency, SitemapEntry, SitemapMedia

__all__ = [
    "CHUNK",
    "Body",
    "BytesBody",
    "Capture",
    "ChangeFrequency",
    "Clock",
    "Digest",
    "Exchange",
    "Fate",
    "Finding",
    "Hasher",
    "Headers",
    "Moment",
    "Observation",
    "Outcome",
    "Place",
    "SitemapEntry",
    "SitemapMedia",
    "Visit",
    "new_hasher",
    "parse_moment",
]
