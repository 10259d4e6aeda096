"""A report in real Chromium, from a file and with no network: what a script sees of it, and what its console says."""

import json
from pathlib import Path
from typing import Any

from devtools import Browser, Page, visit_all

LOOK = """
(async () => {
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  const inked = (canvas) => new Set(new Uint32Array(
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
  const light = (text) => {
    const [r, g, b] = text.match(/[0-9.]+/g).slice(0, 3).map((each) => each / 255)
      .map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const pale = [...document.querySelectorAll('main *')]
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((each) => !each.closest('svg, script'))
    .filter((each) => {
      const ink = light(getComputedStyle(each).color);
      return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5;
    });
  const levels = [...document.querySelectorAll('h1, h2, h3')].map((each) => Number(each.tagName[1]));
  return JSON.stringify({
    title: document.title,
    canvases: [...document.querySelectorAll('canvas')].map((canvas) => [canvas.dataset.drawn, inked(canvas) > 2]),
    charts: document.querySelectorAll('svg.chart[role=img]').length,
    unnamed: document.querySelectorAll('svg.chart[role=img]:not([aria-label]), canvas:not([aria-label])').length,
    figures: document.querySelectorAll('figure').length,
    tables: document.querySelectorAll('details.table table').length,
    headless: [...document.querySelectorAll('table')].filter((table) => !table.querySelector('th')).length,
    levels,
    pale: pale.slice(0, 3).map((each) => each.outerHTML.slice(0, 200)),
  });
})()
"""
"""What everybody can be asked to see: pictures drawn, names, headings, contrast."""


def look(
    browser: Browser, target: Path, script: str, scheme: str = "light", width: int = 1000, paper: str = ""
) -> tuple[Any, Page]:
    """What a script gives on the page, in a scheme of colours and a window of a width, or then on paper (`print`); and
    the page itself.
    """
    seen: list[Any] = []

    def measured(browser: Browser, shown: Page) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", shown.session, **size)
        browser.call("Emulation.setEmulatedMedia", shown.session, features=features)
        if paper:
            browser.call(
                "Runtime.evaluate", shown.session, expression="new Promise(requestAnimationFrame)", awaitPromise=True
            )
            browser.call("Emulation.setEmulatedMedia", shown.session, media=paper, features=features)
            browser.call("Emulation.setDeviceMetricsOverride", shown.session, **{**size, "width": 700})
        words = {"expression": script, "awaitPromise": True, "returnByValue": True}
        seen.append(json.loads(browser.call("Runtime.evaluate", shown.session, **words)["result"]["value"]))

    shown = Page(target.as_uri(), is_plain=True)
    visit_all(browser, [shown], then=measured)
    return seen[0], shown
