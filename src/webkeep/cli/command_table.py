"""All subcommands with their help texts, in the order the help shows them.

What the help says of each stands here and not beside its code, so that the help needs none of that code; a subcommand's
module is loaded when it is called.
"""

from __future__ import annotations

from importlib import import_module
from keyword import iskeyword
from typing import cast

from webkeep.cli.subcommand import Subcommand

SUBCOMMANDS = {
    "capture": "Turn a website into an archive: complete, polite, and resumed by the same command if it is stopped.",
    "update": "Bring an archive up to date: only what has changed is downloaded, and nothing that is held is lost.",
    "login": "Log in to a site in a browser window, so that captures with --browser-profile see what you see.",
    "record": "Archive what you do on the web, as it happens: a recording proxy for browsers and programs.",
    "control": "Steer a running capture: pause, resume, stop, status, or set its delay and scope.",
    "serve": "Show archives as they were at any time, in a browser and to Memento clients.",
    "service": "Capture for many people: jobs that outlive it, schedules, collections, per-host limits over all jobs.",
    "job": "Tell a service what to do, and see what it does: collections, seeds, jobs, schedules, feeds.",
    "worker": "Take part in a capture that many machines carry out, as begun by webkeep capture --on DATABASE.",
    "cluster": "Capture with many workers, on this machine or a Ray cluster, as many as there is work for.",
    "why": "Say what became of a URL, and why: stored, refused, out of scope, failed; and the way that led to it.",
    "import": "Bring WARC, ARC and WACZ files, or the files of a website, into an archive.",
    "export": "Hand on an archive, or a part of it, as WACZ, WARC or CDXJ, or its client-side states.",
    "list": "List what an archive holds: its captures, or every time it saw a URL.",
    "show": "Show a URL as it was at a moment: the facts, the head, the content or the record.",
    "verify": "Check every record, digest, index entry and revisit record of an archive; or a package: whether it is "
    "whole, by whom, since when, and what it proves.",
    "stamp": "Have time-stamping authorities vouch for when a signed package was there.",
    "log": "Keep a log of an archive's records by which any later change is found: checkpoints, proofs, tiles.",
    "check": "Estimate how well a live page can be archived, before a capture: what stands in the way, and what helps.",
    "evidence": "Prove to others what stands on a page: captured until all is proven, in a package they can check.",
    "certify": "Certify what a capture is worth in time: what was the same from the first visit to the second, and "
    "when it fits together.",
    "diff": "Show what changed on a site between two captures or moments: pages, and the text on them.",
    "report": "Report on what a capture is worth: what is missing, what changed, how far it can be trusted; or on the "
    "client-side states of pages.",
    "mirror": "Write a copy of a site that opens in any browser from a disk, with no webkeep and no server.",
    "copy": "Copy a website to a disk in one step: capture it, then write what opens in any browser.",
    "recover": "Bring a lost website back out of the world's web archives.",
    "vault": "Keep a site's server components in its own pages, where archives carry them along; and bring them back.",
    "rebuild": "Make the index and the catalog of an archive anew from its WARC files.",
    "remove": "Take something down: its bytes leave the disk, a tombstone says what and when.",
    "lab": "Repeat the experiments that the strategies rest on, in virtual time.",
    "demo": "Serve a small living website on this machine, whose every change is known.",
    "help": "Show a guide in the terminal: to a command, or to what is behind several.",
    "completion": "Print what a shell must know to complete commands, options and file names.",
    "doctor": "Say what is installed, what is missing, and what each missing component would add.",
}


def load_subcommand(name: str) -> Subcommand:
    """The code of a subcommand."""
    module = f"{name}_" if iskeyword(name) else name
    return cast("Subcommand", import_module(f"webkeep.cli.commands.{module}"))
