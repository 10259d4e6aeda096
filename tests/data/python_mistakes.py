"""A program with a mistake in every call that a type checker can see; each line with one is marked by what it is."""

import asyncio

import webkeep
from webkeep import aio

webkeep.capture("http://example.org/", into="kept", max_url=3)  # mistake: no such option
webkeep.capture("http://example.org/", into="kept", max_urls="many")  # mistake: no such type
webkeep.capture("http://example.org/", into="kept", scope="planet")  # mistake: no such choice
webkeep.capture("http://example.org/")  # mistake: nowhere to
webkeep.verify("kept", on_findings=print)  # mistake: no such callback
webkeep.update("kept").stored.lower()  # mistake: a number
asyncio.run(aio.capture("http://example.org/", into="kept", delai=3))  # mistake: no such option
