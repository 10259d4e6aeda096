// Has style sheets take the mouse to be over everything: beside each rule for what is under the mouse that may ask for
// something, a picture or what was not displayed, stands one for all such elements. The document stays as it is.
// Sheets and frames of other sites do not let themselves be read. Runs in a world of its own, twice: the second time
// takes it all back.
(() => {
  const done = globalThis.webkeepHovered;
  if (done) {
    for (const [holder, rule] of done.reverse()) {
      const place = [...holder.cssRules].indexOf(rule);
      if (place >= 0) holder.deleteRule(place);
    }
    delete globalThis.webkeepHovered;
    return 0;
  }

  const made = (globalThis.webkeepHovered = []);
  const MOST = 1000;
  let looked = 0;
  const telling = /url\(|image-set\(|(?:^|[\s;])(?:display|visibility|content-visibility|content)\s*:/;
  const ALWAYS = ':not(.webkeep-nowhere)'; // of the weight of the class that it stands for

  const read = (holder, page) => {
    let rules = [];
    try { rules = [...holder.cssRules]; } catch { /* of another site */ }
    for (const rule of rules) {
      if (looked >= MOST) return;
      if (rule.selectorText?.includes(':hover') && telling.test(rule.style.cssText)) put(holder, rule, page);
      if (rule.styleSheet) read(rule.styleSheet, page);
      else if (rule.cssRules?.length) read(rule, page);
    }
  };
  const put = (holder, rule, page) => {
    looked += 1;
    const selector = rule.selectorText.replaceAll(':hover', ALWAYS);
    try {
      const isNested = selector.includes('&');
      if (!isNested && !page.querySelector(selector.replace(/::[\w-]+/g, ''))) return;
      const place = [...holder.cssRules].indexOf(rule) + 1;
      holder.insertRule(`${selector} { ${rule.style.cssText} }`, place);
      made.push([holder, holder.cssRules[place]]);
    } catch { /* a selector that this browser does not know */ }
  };

  const pages = (page) => [page, ...[...page.querySelectorAll('iframe, frame')].flatMap(
    (each) => (each.contentDocument ? pages(each.contentDocument) : []))];
  for (const page of pages(document)) {
    for (const sheet of [...page.styleSheets, ...page.adoptedStyleSheets]) if (!sheet.disabled) read(sheet, page);
  }
  if (!made.length) delete globalThis.webkeepHovered;
  else for (const page of pages(document)) page.documentElement?.getBoundingClientRect();
  return made.length;
})();
