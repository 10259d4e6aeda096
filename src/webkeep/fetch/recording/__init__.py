"""The door as a recording proxy: what browsers and people do on the web, recorded as it happens."""

from webkeep.fetch.recording.authority import Authority
from webkeep.fetch.recording.client_head import ClientHead
from webkeep.fetch.recording.listening import listening
from webkeep.fetch.recording.passage import Answer, Asked, Choice, Conversation, Hook, Recorder, Refuse, Send
from webkeep.fetch.recording.server import ProxySettings, RecordingProxy
from webkeep.fetch.recording.surroundings import TunnelRule

__all__ = [
    "Answer",
    "Asked",
    "Authority",
    "Choice",
    "ClientHead",
    "Conversation",
    "Hook",
    "ProxySettings",
    "Recorder",
    "RecordingProxy",
    "Refuse",
    "Send",
    "TunnelRule",
    "listening",
]
