"""What a name might have been of which nobody holds anything: what fingers do, other ends of names, the site above.

Each is only a guess, and is shown once a repository said that it holds something of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.url import normalize_url, registrable_domain, split_url

MAX_GUESSES = 4
"""So many are asked for: each costs a request to every repository."""
_MISTYPED_ENDS = {
    "con": "com", "cmo": "com", "ocm": "com", "comm": "com", "vom": "com", "cm": "com", "ogr": "org", "rog": "org",
    "prg": "org", "or": "org", "nte": "net", "ent": "net", "met": "net", "ed": "edu", "deu": "de", "co.ku": "co.uk",
}  # fmt: skip
"""Ends that nobody's name has, or hardly any, by what was meant."""
_USUAL_ENDS = ("com", "org", "net")
_MISTYPED_BEGINNINGS = ("wwww.", "ww.", "www,", "www-")


def guess_names(url: str) -> list[str]:
    """Addresses that might have been meant, the likeliest first."""
    parts = split_url(url)
    if "." not in parts.host or parts.host.startswith("["):
        return []
    port = f":{parts.port}" if parts.port else ""
    found: dict[str, None] = {}
    for host in _guess_hosts(parts.host):
        found.setdefault(f"{parts.scheme}://{host}{port}/")
    if parts.path not in ("", "/"):
        found = {f"{parts.scheme}://{parts.host}{port}/": None, **found}
    normal = (normalize_url(each) for each in found)
    return [each for each in normal if each is not None and each != url][:MAX_GUESSES]


def _guess_hosts(host: str) -> Iterator[str]:
    beginning, _, end = host.rpartition(".")
    if end in _MISTYPED_ENDS:
        yield f"{beginning}.{_MISTYPED_ENDS[end]}"
    for typed in _MISTYPED_BEGINNINGS:
        if host.startswith(typed):
            yield f"www.{host.removeprefix(typed)}"
    if host.startswith("www") and not host.startswith("www."):
        yield f"www.{host.removeprefix('www')}"
    domain = registrable_domain(host) or host
    yield f"www.{domain}" if host == domain else domain
    name = domain.partition(".")[0]
    if "-" in name:
        yield domain.replace("-", "", name.count("-"))
    yield from (f"{name}.{other}" for other in _USUAL_ENDS if f"{name}.{other}" != domain)
