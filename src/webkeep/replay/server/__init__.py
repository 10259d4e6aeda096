"""The HTTP server: connections, requests and responses as values, proxy tunnels, and the header fields that lock
every response.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.replay.server.listener import open_listener as open_listener, serve_connections as serve_connections
    from webkeep.replay.server.message import (
        DeferredResponse as DeferredResponse,
        Request as Request,
        Response as Response,
        SecurityClass as SecurityClass,
        content_type_fields as content_type_fields,
        text_response as text_response,
    )
    from webkeep.replay.server.proxy_tunnel import ProxyListener as ProxyListener
    from webkeep.replay.server.security_headers import proxy_security_rule as proxy_security_rule
    from webkeep.replay.server.server_name import ServerName as ServerName
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "listener": ("open_listener", "serve_connections"),
            "message": (
                "DeferredResponse",
                "Request",
                "Response",
                "SecurityClass",
                "content_type_fields",
                "text_response",
            ),
            "proxy_tunnel": ("ProxyListener",),
            "security_headers": ("proxy_security_rule",),
            "server_name": ("ServerName",),
        },
    )
