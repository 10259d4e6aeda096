"""A first look: whether there could be a credential in some bytes. Most lines of heads have none, and this says so.

Whatever is on the list of names has one of a few syllables in it, and what hides a name is an escape, or a letter that
is not of ASCII. Only what has one of these is taken apart.
"""

from __future__ import annotations

import re

# Alternatives that begin with different letters are searched six times as fast.
_HINT = re.compile(
    rb"p(?:ass|w|sw|in|sk|rotocol|arola)|s(?:ecret|ess|ig|aml|id|so|enha|rf|alasana|ifre|andi)|t(?:oken|icket|fa)"
    rb"|a(?:uth|ssert)|c(?:ookie|v[vcn]|red|ode|ontras|lave)|k(?:ey|ennw|_live|odeord)|otp|j(?:wt|elsz)|h(?:mac|aslo|eslo)"
    rb"|b(?:earer|asic)|n(?:once|egotiate)|verif|d(?:pop|epasse)|eyj|wacht|g(?:h[pousr]_|lpat)|xox|zenid|oscsid|m(?:fa|dp)"
    rb"|losenord|%|@"
)


def may_hold_credentials(data: bytes, words: tuple[bytes, ...] = ()) -> bool:
    """Whether a syllable of the list of credentials is there, or a word, or anything that could hide one."""
    if not data.isascii():
        return True
    lowered = data.lower()
    return _HINT.search(lowered) is not None or any(word in lowered for word in words)
