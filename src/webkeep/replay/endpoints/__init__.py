"""What a server answers under each of its names: control pages and protocols, replay hosts, proxy mode; the router
over them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.replay.endpoints.proxy_handler import ProxyModeHandler as ProxyModeHandler
    from webkeep.replay.endpoints.router import Router as Router
    from webkeep.replay.endpoints.serve_plan import ServePlan as ServePlan
    from webkeep.replay.endpoints.server_context import MissingMemento as MissingMemento, ServerContext as ServerContext
    from webkeep.replay.endpoints.server_opening import open_server as open_server, rules_from_plan as rules_from_plan
    from webkeep.replay.endpoints.state_replay import page_states as page_states, state_url as state_url
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "proxy_handler": ("ProxyModeHandler",),
            "router": ("Router",),
            "serve_plan": ("ServePlan",),
            "server_context": ("MissingMemento", "ServerContext"),
            "server_opening": ("open_server", "rules_from_plan"),
            "state_replay": ("page_states", "state_url"),
        },
    )
