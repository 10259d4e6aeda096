"""The recording proxy: what browsers and people do on the web, recorded as it happens."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.fetch.proxy.certificate_authority import CertificateAuthority as CertificateAuthority
    from webkeep.fetch.proxy.exchange_recorder import (
        InterceptedRequest as InterceptedRequest,
        LocalResponse as LocalResponse,
        ProxyDecision as ProxyDecision,
        RefuseRequest as RefuseRequest,
        RequestHook as RequestHook,
        SendUpstream as SendUpstream,
        WebSocketConversation as WebSocketConversation,
    )
    from webkeep.fetch.proxy.proxy_context import TunnelRule as TunnelRule
    from webkeep.fetch.proxy.recording_proxy import (
        ProxySettings as ProxySettings,
        RecordingProxy as RecordingProxy,
        open_listeners as open_listeners,
    )
    from webkeep.fetch.proxy.request_head import ClientHead as ClientHead, parse_host_port as parse_host_port
    from webkeep.fetch.proxy.upstream_transfer import CLIENT_GONE as CLIENT_GONE
    from webkeep.fetch.proxy.websocket_frames import WebSocketFrameReader as WebSocketFrameReader
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "certificate_authority": ("CertificateAuthority",),
            "exchange_recorder": (
                "InterceptedRequest",
                "LocalResponse",
                "ProxyDecision",
                "RefuseRequest",
                "RequestHook",
                "SendUpstream",
                "WebSocketConversation",
            ),
            "proxy_context": ("TunnelRule",),
            "recording_proxy": ("ProxySettings", "RecordingProxy", "open_listeners"),
            "request_head": ("ClientHead", "parse_host_port"),
            "upstream_transfer": ("CLIENT_GONE",),
            "websocket_frames": ("WebSocketFrameReader",),
        },
    )
