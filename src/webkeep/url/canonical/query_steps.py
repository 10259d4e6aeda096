"""Steps on a URL's query and fragment, in the order in which they run: how their canonical form treats letter case,
session ids, the order of parameters, an empty query, and the fragment, which is dropped.
"""

from __future__ import annotations

from webkeep.url import percent_escapes as escapes
from webkeep.url.canonical.recipe_builder import UrlPart, step
from webkeep.url.canonical.session_ids import is_session_parameter, is_sure_session_parameter


@step(UrlPart.QUERY)
def lowercase_query(query: str) -> str:
    """Write the query in lower case, for servers that ignore case."""
    return query.lower()


@step(UrlPart.QUERY)
def uppercase_query_escapes(query: str) -> str:
    """Write the escapes in upper case (`%8a` as `%8A`)."""
    return escapes.uppercase_escapes(query)


@step(UrlPart.QUERY)
def drop_query_sessions(query: str) -> str:
    """Drop parameters that carry a session identifier."""
    parameters = query[1:].split("&")
    kept = [each for each in parameters if not is_session_parameter(each)]
    return query if len(kept) == len(parameters) else "?" + "&".join(kept) if kept else ""


@step(UrlPart.QUERY)
def drop_sure_query_sessions(query: str) -> str:
    """Drop parameters that can be nothing but a session identifier."""
    parameters = query[1:].split("&")
    kept = [each for each in parameters if not is_sure_session_parameter(each)]
    return query if len(kept) == len(parameters) else "?" + "&".join(kept) if kept else ""


@step(UrlPart.QUERY)
def sort_query(query: str) -> str:
    """Sort the parameters by name; those of one name keep their order."""
    return "?" + "&".join(sorted(query[1:].split("&"), key=lambda each: each.partition("=")[0])) if query else query


@step(UrlPart.QUERY)
def drop_empty_query(query: str) -> str:
    """Drop a `?` that nothing follows."""
    return "" if query == "?" else query


@step(UrlPart.FRAGMENT)
def drop_fragment(_fragment: str) -> str:
    """Drop the fragment, which servers never see."""
    return ""
