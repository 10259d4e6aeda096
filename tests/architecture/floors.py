"""The floors of the design, from the ground up; a room uses what is below it."""

FLOORS: list[set[str]] = [
    {"errors", "lazy_exports", "version"},
    {"model"},
    {"url", "presentation"},
    {"document", "formats"},
    {"change", "redaction"},
    {"extract", "coherence"},
    {"frontier", "rewrite", "memento"},
    # ---- no I/O above this comment ----
    {"clock", "process"},
    {"signing"},
    {"store", "fetch", "browser"},
    {"crawl", "mirror", "recorder", "replay", "recover", "vault", "quality"},
    {"evidence", "service", "cluster"},
    {"lab"},
    {"api"},
    {"aio"},
    {"dashboard"},
    {"cli", "web"},
]
LINE = 7
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
