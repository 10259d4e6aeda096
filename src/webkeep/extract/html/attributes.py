"""Which attributes of HTML and SVG hold addresses, in which grammar, and what these are linked for: href, src and
srcset, those of lazy loading (data-src), handlers, and those of libraries such as htmx.

Attributes whose meaning hangs on others of their element (`link`, `meta`, forms, applets and the like) are not here
but in `compound_elements`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

from webkeep.extract.links.link import LinkRole


class AttributeGrammar(enum.Enum):
    """How addresses are written in an attribute."""

    URL = "one"
    SRCSET = "candidates with widths or densities"
    SPACED = "many, apart by spaces"
    STYLE = "within CSS"
    SCRIPT = "within a script"
    MARKUP = "within HTML"
    LIKELY = "one, if it looks like one"


class AttributeRule(NamedTuple):
    """How an attribute is read."""

    grammar: AttributeGrammar
    role: LinkRole
    source: str = ""
    """Where its links come from; empty where the element's name has to be put in."""
    guess: bool = False


_E, _N = LinkRole.EMBED, LinkRole.NAVIGATE
ANY_ELEMENT = "*"
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
_HREF: dict[str, LinkRole] = {"a": _N, "area": _N, **_EMBEDDED_HREF, "import": _E, "include": _E, "ref": _E, "go": _N}
_URLS: dict[str, dict[str, LinkRole]] = {
    "href": _HREF,
    "xlink:href": {**_HREF, ANY_ELEMENT: _N},
    "src": dict.fromkeys(_SOURCES.split(), _E),
    "poster": {"video": _E, "audio": _E},
    "background": {ANY_ELEMENT: _E},
    "lowsrc": {ANY_ELEMENT: _E},
    "dynsrc": {ANY_ELEMENT: _E},
    "longdesc": {ANY_ELEMENT: _N},
    "cite": {ANY_ELEMENT: _N},
    "manifest": {"html": _E},
    "usemap": {ANY_ELEMENT: _N},
    "icon": {"menuitem": _E, "command": _E},
    "pluginspage": {"embed": _N},
    "pluginurl": {"embed": _N},
    "codebase": {"embed": _E},
    "action": {"isindex": _N},
    "datasrc": {ANY_ELEMENT: _E},
    "definitionurl": {ANY_ELEMENT: _N},
    "definitionURL": {ANY_ELEMENT: _N},
    "altimg": {ANY_ELEMENT: _E},
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
_HANDLER_PREFIXES = (
    "on",
    "@",
    "x-init",
    "x-data",
    "x-effect",
    "x-on:",
    "v-on:",
    "hx-on",
    "ng-init",
    "ng-include",
    "data-on",
)
_PAINT_ATTRIBUTES = (
    "fill stroke filter mask clip-path marker marker-start marker-mid marker-end cursor color-profile src"
)


def _build_table() -> dict[str, dict[str, AttributeRule]]:
    table: dict[str, dict[str, AttributeRule]] = {
        name: {
            tag: AttributeRule(AttributeGrammar.URL, role, f"html {tag}[{name}]" if tag != ANY_ELEMENT else "")
            for tag, role in roles.items()
        }
        for name, roles in _URLS.items()
    }
    # Elements of a page's own making use the usual names, but nothing says that they mean the usual.
    table["href"][ANY_ELEMENT] = AttributeRule(AttributeGrammar.URL, _N, guess=True)
    table["src"][ANY_ELEMENT] = AttributeRule(AttributeGrammar.URL, _E, guess=True)
    table["profile"] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.SPACED, _N)}
    # Browsers send a POST to the addresses of `ping`; what a GET would bring is anyone's guess.
    table["ping"] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.SPACED, _N, guess=True)}
    table["attributionsrc"] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.SPACED, _N, guess=True)}
    for name in ("srcset", "imagesrcset", *_LAZY_SETS.split()):
        table[name] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.SRCSET, _E)}
    for name in _LAZY_SOURCES.split():
        table[name] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.URL, _E)}
    for name in _LAZY_OFTEN.split():
        table[name] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.LIKELY, _E)}
    for name in _LAZY_PAGES.split():
        table[name] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.LIKELY, _N)}
    for name in _FRAGMENTS.split():
        table[name] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.URL, _E)}
    for name in _FRAGMENTS_OFTEN.split():
        table[name] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.LIKELY, _N)}
    for name in _LIBRARY_PAGES.split():
        table[name] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.LIKELY, _N if name.endswith("href") else _E)}
    for name in ("style", *_PAINT_ATTRIBUTES.split()):
        table.setdefault(name, {}).setdefault(ANY_ELEMENT, AttributeRule(AttributeGrammar.STYLE, _E))
    table["srcdoc"] = {"iframe": AttributeRule(AttributeGrammar.MARKUP, _N)}
    for name in ("itemid", "resource", "about"):
        table[name] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.LIKELY, _N, guess=True)}
    table["value"] = {
        "option": AttributeRule(AttributeGrammar.LIKELY, _N, guess=True),
        "button": AttributeRule(AttributeGrammar.LIKELY, _N, guess=True),
    }
    table["flashvars"] = {ANY_ELEMENT: AttributeRule(AttributeGrammar.LIKELY, _E, guess=True)}
    return table


_COMPOUND_ATTRIBUTES = {("link", "href"), ("base", "href"), ("applet", "src")}
_HANDLER_RULE = AttributeRule(AttributeGrammar.SCRIPT, _N, guess=True)
_DATA_RULE = AttributeRule(AttributeGrammar.LIKELY, _N, guess=True)
# Named here so that a look at the first letters is spared to most attributes there are.
_WITHOUT_ADDRESS = "class id name type rel title alt width height content target lang charset role for value align"
_MAX_NAME_CHARS = 64
"""Unlisted attributes with longer names are not read, and of a tag no more stands in a source."""


_TABLE = _build_table()
_GENERAL_RULES: dict[str, AttributeRule | None] = dict.fromkeys(_WITHOUT_ADDRESS.split()) | {
    name: rules[ANY_ELEMENT] for name, rules in _TABLE.items() if ANY_ELEMENT in rules
}
# Those of an element are put together when it is met first, as most sites have few kinds: all at once took 6 ms.
_RULES_BY_ELEMENT: dict[str, dict[str, AttributeRule | None]] = {
    tag: {} for rules in (*_TABLE.values(), {"link", "base"}) for tag in rules if tag != ANY_ELEMENT
}
UNLISTED_RULE = AttributeRule(AttributeGrammar.LIKELY, _N)
"""Stands for the rule of an attribute that is in no table."""


def attribute_rules(tag: str) -> Mapping[str, AttributeRule | None]:
    """The rules for the attributes of an element, by their names; None for those that hold no address of their own."""
    return _RULES_BY_ELEMENT.get(tag, _GENERAL_RULES) or _add_element(tag)


def _add_element(tag: str) -> Mapping[str, AttributeRule | None]:
    rules = _RULES_BY_ELEMENT[tag] = _GENERAL_RULES | _element_rules(tag)
    return rules


def _element_rules(tag: str) -> dict[str, AttributeRule | None]:
    rules = {name: each.get(tag) or each.get(ANY_ELEMENT) for name, each in _TABLE.items()}
    return {
        name: None
        if (tag, name) in _COMPOUND_ATTRIBUTES
        else rule._replace(source=rule.source or f"html {tag}[{name}]")
        for name, rule in rules.items()
        if rule is not None
    }


def unlisted_rule(name: str) -> AttributeRule | None:
    """The rule for an attribute that is in no table: event handlers of any kind, and data of a page's own making."""
    if len(name) > _MAX_NAME_CHARS:
        return None
    if name.startswith(_HANDLER_PREFIXES):
        return _HANDLER_RULE
    return _DATA_RULE if name.startswith("data-") else None


def rule_source(rule: AttributeRule, tag: str, name: str) -> str:
    """What the links of an attribute give as their source."""
    return rule.source or f"html {tag[:_MAX_NAME_CHARS]}[{name}]"
