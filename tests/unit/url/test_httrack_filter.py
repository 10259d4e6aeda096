"""HTTrack's filters as rules."""

import pytest

from webkeep.errors import UsageError
from webkeep.url.scope import Scope, exclude_rule, include_rule, rules_from_filters


def takes(filters: str, url: str) -> bool:
    rules = rules_from_filters(filters)
    read = [include_rule(rule[1:]) if rule[0] == "+" else exclude_rule(rule[1:]) for rule in rules]
    return Scope([], read, requisites=False).judge(url).is_allowed


@pytest.mark.parametrize(
    ("filters", "url", "taken"),
    [
        ("+*.gif", "http://example.org/a.gif", True),
        ("+*.gif", "http://example.org/A.GIF", True),
        ("+*.gif", "http://example.org/a.gif?x", False),
        ("+*.gif -*/cgi/*", "http://example.org/cgi/a.gif", False),
        ("-*/cgi/* +*.gif", "http://example.org/cgi/a.gif", True),
        ("+www.example.org/*", "https://www.example.org/a", True),
        ("+www.example.org/*", "https://example.org/www.example.org/a", False),
        ("+http://example.org/*", "https://example.org/a", False),
        ("+example.org/*[file].html", "https://example.org/a.html", True),
        ("+example.org/*[file].html", "https://example.org/a/b.html", False),
        ("+example.org/*[path].html", "https://example.org/a/b.html", True),
        ("+example.org/*[path].html", "https://example.org/a?b.html", False),
        ("+example.org/*[0-9,a-f,_].png", "https://example.org/1f_3.png", True),
        ("+example.org/*[0-9,a-f,_].png", "https://example.org/xyz.png", False),
        (r"+example.org/*[\*,\]].png", "https://example.org/*].png", True),
        ("+example.org/a*[param]", "https://example.org/a?b=c", True),
        ("+example.org/a*[param]", "https://example.org/ab", False),
        ("+example.org/a.php?*", "https://example.org/a.php?x", True),
        ("+example.org/a.php?*", "https://example.org/a.phpx", False),
        ("+example.org/(a)+b.html", "https://example.org/(a)+b.html", True),
    ],
)
def test_filters_take_what_they_take_there(filters: str, url: str, taken: bool) -> None:
    assert takes(filters, url) is taken


@pytest.mark.parametrize("filters", ["*.gif", "+", "+*.gif x", "-*[<10]*"])
def test_what_is_no_filter_is_told(filters: str) -> None:
    with pytest.raises(UsageError):
        rules_from_filters(filters)
