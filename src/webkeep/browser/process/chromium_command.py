"""How Chromium is found and started: quiet, without requests of its own, with a bound on scripts' memory, and no way to
the web but the one it is given; its command-line switches.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass

from webkeep.errors import UsageError

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEADLESS_PROGRAMS = ("/usr/lib/chromium/chromium-headless-shell", *PROGRAMS)
"""Where no window is wanted, Debian's Chromium without any costs a quarter less processor time."""
PROGRAM_VARIABLE = "WEBKEEP_CHROMIUM"
"""The environment variable that names the Chromium to use."""
DEAD_PROXY = "127.0.0.1:1"
"""The proxy of everything that belongs to no tab."""

_QUIET_SWITCHES = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-default-apps",
    "--disable-extensions",
    "--metrics-recording-only",
)
_LOUD_FEATURES = (
    "OptimizationHints",
    "MediaRouter",
    "Translate",
    "NetworkTimeServiceQuerying",
    "AutofillServerCommunication",
)
_UNEXPLORED_FEATURES = (
    "IsolateOrigins",
    "site-per-process",
    "ProactivelySwapBrowsingInstance",
    "RenderDocument",
    "IsolateSandboxedIframes",
    "BackForwardCache",
    "Prerender2",
    "PaintHolding",
    "InterestFeedContentSuggestions",
    "CertificateTransparencyComponentUpdater",
    "HttpsUpgrades",
)


def quiet_switches(*features: str) -> tuple[str, ...]:
    """What keeps any Chromium of ours from requests of its own account, and from asking who sits before it.

    Further features are left out with those: of several such switches Chromium heeds one.
    """
    return (*_QUIET_SWITCHES, f"--disable-features={','.join((*_LOUD_FEATURES, *features))}")


_SWITCHES = (
    "--remote-debugging-pipe",
    *quiet_switches(*_UNEXPLORED_FEATURES),
    "--disable-gpu",
    "--disable-breakpad",
    "--password-store=basic",
)
_HEADLESS_SWITCHES = (
    "--headless=new",
    "--disable-site-isolation-trials",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-hang-monitor",
    "--mute-audio",
    "--hide-scrollbars",
    "--autoplay-policy=no-user-gesture-required",
    "--force-color-profile=srgb",
    # Every name leads nowhere unless a tab's own proxy resolves it; WebRTC may not go around the proxy either.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    f"--proxy-server=http://{DEAD_PROXY}",
    "--proxy-bypass-list=<-loopback>",
)
"""For exploring: no window, no waiting, no way around the tab proxies."""


@dataclass(frozen=True, slots=True)
class BrowserSettings:
    """Which Chromium, and whom it trusts."""

    program: str = ""
    """The first one found, if none is named."""
    key_hashes: tuple[str, ...] = ()
    """Public keys (SHA-256 of the SPKI in base64) that it takes for valid whatever the name: those of the proxies."""
    profile: str = ""
    """A folder to keep cookies and logins in; a new one that is thrown away, if none is named."""
    memory_mb: int = 1024
    """How much a page's scripts may hold."""
    user_agent: str = ""
    """Who we say we are, behind Chromium's own name or, with `is_alone`, in place of it."""
    is_alone: bool = False
    window: str = ""
    """A URL to open in a window for a person, by the machine's own way to the web; pages are then not explored."""


def find_program(named: str = "", has_window: bool = False) -> str:
    """The path of Chromium: the one that is named here or in the environment, else the first one found."""
    named = named or os.environ.get(PROGRAM_VARIABLE, "")
    for name in (named,) if named else PROGRAMS if has_window else HEADLESS_PROGRAMS:
        if found := shutil.which(name):
            return found
    raise UsageError(
        f"{named or 'Chromium'} was not found; install Chromium, or name one with --browser-program or "
        f"{PROGRAM_VARIABLE}"
    )


def build_command(settings: BrowserSettings, profile: str, is_sandboxed: bool = True) -> list[str]:
    """The program and its arguments."""
    trust = [f"--ignore-certificate-errors-spki-list={','.join(settings.key_hashes)}"] if settings.key_hashes else []
    return [
        find_program(settings.program, bool(settings.window)),
        f"--user-data-dir={profile}",
        *_SWITCHES,
        *(() if settings.window else _HEADLESS_SWITCHES),
        *trust,
        f"--js-flags=--max-old-space-size={settings.memory_mb}",
        *([] if is_sandboxed else ["--no-sandbox"]),
        settings.window or "about:blank",
    ]
