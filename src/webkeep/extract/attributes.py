"""Which attributes of HTML and SVG hold addresses, in which grammar, and what these are linked for.

Attributes whose meaning hangs on others of their element (`link`, `meta`, forms, applets and the like) are not here
but in `elements`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

from webkeep.extract.link import Role


class Grammar(enum.Enum):
    """How addresses are written in an attribute."""

    URL = "one"
    SRCSET = "candidates with widths or densities"
    SPACED = "many, apart by spaces"
    STYLE = "within CSS"
    SCRIPT = "within a script"
    MARKUP = "within HTML"
    LIKELY = "one, if it looks like one"


class Rule(NamedTuple):
    """How an attribute is read."""

    grammar: Grammar
    role: Role
    source: str = ""
    """Where its links come from; empty where the element's name has to be put in."""
    guess: bool = False


_E, _N = Role.EMBED, Role.NAVIGATE
ANY = "*"
"""The name under which an attribute's rule for all other elements is kept."""

_SVG_REFERENCES = (
    "altglyph animate animatecolor animatemotion animatetransform color-profile cursor discard feimage filter "
    "font-face-uri glyphref image lineargradient mpath pattern radialgradient script set textpath tref use"
)
_SVG_CASES = {"lineargradient": "linearGradient", "radialgradient": "radialGradient", "feimage": "feImage"} | {
    name.lower(): name
    for name in ("altGlyph", "animateColor", "animateMotion", "animateTransform", "glyphRef", "textPath")
}
# Trees spell SVG's names as SVG does, streams in lower case.
_EMBEDDED_HREF = {spelling: _E for name in _SVG_REFERENCES.split() for spelling in (name, _SVG_CASES.get(name, name))}
_SOURCES = (
    "audio bgsound embed fencedframe frame iframe ilayer img image input layer model-viewer portal script source track "
    "video xml turbo-frame include-fragment"
)
# The last four are of XML's style sheets and inclusions, playlists and WML.
_HREF: dict[str, Role] = {"a": _N, "area": _N, **_EMBEDDED_HREF, "import": _E, "include": _E, "ref": _E, "go": _N}
_URLS: dict[str, dict[str, Role]] = {
    "href": _HREF,
    "xlink:href": {**_HREF, ANY: _N},
    "src": dict.fromkeys(_SOURCES.split(), _E),
    "poster": {"video": _E, "audio": _E},
    "background": {ANY: _E},
    "lowsrc": {ANY: _E},
    "dynsrc": {ANY: _E},
    "longdesc": {ANY: _N},
    "cite": {ANY: _N},
    "manifest": {"html": _E},
    "usemap": {ANY: _N},
    "icon": {"menuitem": _E, "command": _E},
    "pluginspage": {"embed": _N},
    "pluginurl": {"embed": _N},
    "codebase": {"embed": _E},
    "action": {"isindex": _N},
    "datasrc": {ANY: _E},
    "definitionurl": {ANY: _N},
    "definitionURL": {ANY: _N},
    "altimg": {ANY: _E},
}  # fmt: skip
_LAZY_SOURCES = "data-src data-original data-lazy-src data-original-src data-poster data-cfsrc data-ll-src"
# Of the usual names these are also used for other things, numbers and switches among them.
_LAZY_OFTEN = (
    "data-lazy data-lazyload data-lazy-load data-hi-res-src data-highres "
    "data-full data-full-src data-large data-large-file data-medium-file data-orig-file "
    "data-image data-image-src data-img data-img-src data-thumb data-thumbnail data-bg data-background "
    "data-background-image data-bg-src data-lazy-bg data-echo data-deferred data-defer-src "
    "data-pin-media data-zoom-image data-retina data-at2x data-2x data-src-retina data-fallback-src data-video-src "
    "data-mp4 data-webm data-ogv data-audio-src data-iframe-src data-srcdoc-src data-runner-src data-rocket-src "
    "data-litespeed-src data-wpfc-original-src data-default-src data-desktop-src data-mobile-src data-rsbigslider"
)
_LAZY_PAGES = "data-href data-link data-permalink data-remote data-ajax-url data-load-url data-next-url data-page-url"
_LAZY_SETS = (
    "data-srcset data-lazy-srcset data-original-set data-ll-srcset data-bgset data-bg-srcset data-interchange-srcset "
    "data-cfsrcset data-litespeed-srcset data-wpfc-original-srcset"
)
# What libraries fetch and put into the page: htmx, intercooler, TwinSpark, fixi, Unpoly, w3.js.
_FRAGMENTS = "hx-get data-hx-get ic-get-from ic-src fx-action up-source w3-include-html"
_FRAGMENTS_OFTEN = "ts-req hx-push-url data-hx-push-url hx-replace-url data-hx-replace-url"
_LIBRARY_PAGES = "up-href ng-href ng-src"
# Small programs in the languages of Alpine, petite-vue, Vue, Angular, htmx and Datastar, close enough to a script.
_PROGRAMS = ("on", "@", "x-init", "x-data", "x-effect", "x-on:", "v-on:", "hx-on", "ng-init", "ng-include", "data-on")
_PAINTS = "fill stroke filter mask clip-path marker marker-start marker-mid marker-end cursor color-profile src"


def _table() -> dict[str, dict[str, Rule]]:
    table: dict[str, dict[str, Rule]] = {
        name: {tag: Rule(Grammar.URL, role, f"html {tag}[{name}]" if tag != ANY else "") for tag, role in roles.items()}
        for name, roles in _URLS.items()
    }
    # Elements of a page's own making use the usual names, but nothing says that they mean the usual.
    table["href"][ANY] = Rule(Grammar.URL, _N, guess=True)
    table["src"][ANY] = Rule(Grammar.URL, _E, guess=True)
    table["profile"] = {ANY: Rule(Grammar.SPACED, _N)}
    # Browsers send a POST to the addresses of `ping`; what a GET would bring is anyone's guess.
    table["ping"] = {ANY: Rule(Grammar.SPACED, _N, guess=True)}
    table["attributionsrc"] = {ANY: Rule(Grammar.SPACED, _N, guess=True)}
    for name in ("srcset", "imagesrcset", *_LAZY_SETS.split()):
        table[name] = {ANY: Rule(Grammar.SRCSET, _E)}
    for name in _LAZY_SOURCES.split():
        table[name] = {ANY: Rule(Grammar.URL, _E)}
    for name in _LAZY_OFTEN.split():
        table[name] = {ANY: Rule(Grammar.LIKELY, _E)}
    for name in _LAZY_PAGES.split():
        table[name] = {ANY: Rule(Grammar.LIKELY, _N)}
    for name in _FRAGMENTS.split():
        table[name] = {ANY: Rule(Grammar.URL, _E)}
    for name in _FRAGMENTS_OFTEN.split():
        table[name] = {ANY: Rule(Grammar.LIKELY, _N)}
    for name in _LIBRARY_PAGES.split():
        table[name] = {ANY: Rule(Grammar.LIKELY, _N if name.endswith("href") else _E)}
    for name in ("style", *_PAINTS.split()):
        table.setdefault(name, {}).setdefault(ANY, Rule(Grammar.STYLE, _E))
    table["srcdoc"] = {"iframe": Rule(Grammar.MARKUP, _N)}
    for name in ("itemid", "resource", "about"):
        table[name] = {ANY: Rule(Grammar.LIKELY, _N, guess=True)}
    table["value"] = {"option": Rule(Grammar.LIKELY, _N, guess=True), "button": Rule(Grammar.LIKELY, _N, guess=True)}
    table["flashvars"] = {ANY: Rule(Grammar.LIKELY, _E, guess=True)}
    return table


_READ_AS_A_WHOLE = {("link", "href"), ("base", "href"), ("applet", "src")}
_HANDLER = Rule(Grammar.SCRIPT, _N, guess=True)
_DATA = Rule(Grammar.LIKELY, _N, guess=True)
# Named here so that a look at the first letters is spared to most attributes there are.
_WITHOUT_ADDRESS = "class id name type rel title alt width height content target lang charset role for value align"
_LONGEST_NAME = 64


def _rules_by_element() -> dict[str, dict[str, Rule | None]]:
    table = _table()
    general: dict[str, Rule | None] = dict.fromkeys(_WITHOUT_ADDRESS.split())
    general |= {name: rules[ANY] for name, rules in table.items() if ANY in rules}
    special = {tag for rules in table.values() for tag in rules} | {"link", "base"}
    return {tag: general | _rules_of(tag, table) for tag in special}


def _rules_of(tag: str, table: Mapping[str, Mapping[str, Rule]]) -> dict[str, Rule | None]:
    rules = {name: each.get(tag) or each.get(ANY) for name, each in table.items()}
    return {
        name: None if (tag, name) in _READ_AS_A_WHOLE else rule._replace(source=rule.source or f"html {tag}[{name}]")
        for name, rule in rules.items()
        if rule is not None
    }


_RULES = _rules_by_element()
_GENERAL = {name: rule and rule._replace(source="") for name, rule in _RULES.pop(ANY).items()}
UNLISTED = Rule(Grammar.LIKELY, _N)
"""Stands for the rule of an attribute that is in no table."""


def rules_of(tag: str) -> Mapping[str, Rule | None]:
    """The rules for the attributes of an element, by their names; None for those that hold no address of their own."""
    return _RULES.get(tag, _GENERAL)


def unlisted_rule(name: str) -> Rule | None:
    """The rule for an attribute that is in no table: event handlers of any kind, and data of a page's own making."""
    if len(name) > _LONGEST_NAME:
        return None
    if name.startswith(_PROGRAMS):
        return _HANDLER
    return _DATA if name.startswith("data-") else None


def source_of(rule: Rule, tag: str, name: str) -> str:
    """What the links of an attribute give as their source."""
    return rule.source or f"html {tag[:_LONGEST_NAME]}[{name}]"
