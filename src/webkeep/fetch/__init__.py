"""The one door to the web."""

from webkeep.fetch.addresses import is_loopback, is_public
from webkeep.fetch.credentials import Credentials, split_credentials
from webkeep.fetch.door import Door
from webkeep.fetch.listener import Listener
from webkeep.fetch.proxy import Proxy, parse_proxy
from webkeep.fetch.request import Failure, Fetched, Limits, Request, Resource
from webkeep.fetch.settings import USER_AGENT, DoorSettings, checked_header, checked_resolve

__all__ = [
    "USER_AGENT",
    "Credentials",
    "Door",
    "DoorSettings",
    "Failure",
    "Fetched",
    "Limits",
    "Listener",
    "Proxy",
    "Request",
    "Resource",
    "checked_header",
    "checked_resolve",
    "is_loopback",
    "is_public",
    "parse_proxy",
    "split_credentials",
]
