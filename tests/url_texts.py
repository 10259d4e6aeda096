"""URLs that tests are made of: wild ones, and tidy ones in many spellings."""

import json
from pathlib import Path

from hypothesis import strategies as st

PIECES: list[str] = json.loads((Path(__file__).parent / "data/url/pieces.json").read_text())
wild_text = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=["Cs"]), max_size=10).map("".join)
wild_urls = wild_text | st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["http://", "https://"]),
    st.sampled_from(["example.org", "www.Example.org", "a.b", "bücher.example"]),
    st.sampled_from(["/", "", ":80/", ":8080/"]),
    wild_text,
)
labels = st.sampled_from(["a", "b", "ab", "example", "www2", "xn--bcher-kva", "a-b", "a_b", "x1"])
hosts = st.builds(
    lambda names, top: ".".join([*names, top]), st.lists(labels, max_size=3), st.sampled_from(["org", "co.uk"])
)
paths = st.lists(st.sampled_from(["a", "b", "ab", "A", "c.html", "a-b", "~a", "%20", "x!y"]), max_size=4).map(
    lambda names: "/" + "/".join(names)
)
queries = st.sampled_from(["", "?a=1", "?b", "?a=1&b=2", "?a!"])
ports = st.sampled_from(["", "", ":8080"])
tidy_urls = st.builds("{}://{}{}{}{}".format, st.sampled_from(["http", "https"]), hosts, ports, paths, queries)
