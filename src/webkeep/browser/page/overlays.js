// Hides what lies over a page and is none of it: consent boxes, cookie walls, forms for newsletters, and what darkens the
// page behind them. Gives what that is; nothing where there is none. The document stays as it is: a style sheet hides
// them. Runs in a world of its own, twice: the second time takes it back.
(() => {
  const done = globalThis.webkeepUncovered;
  if (done) {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets].filter((sheet) => sheet !== done);
    delete globalThis.webkeepUncovered;
    return null;
  }

  const MOST_LOOKED_AT = 20000, MOST_FOUND = 20, MOST_TEXT = 4000;
  const LEAST_SHARE = 0.005; // of the window: what is smaller hides nothing
  const COVERING_SHARE = 0.5; // of the window: what lies over so much of it is no part of what is below
  const PAGE_SHARE = 0.5; // of the text: what has so much of it is the page itself
  const HIGH = 100; // a z-index that is meant to be above all else
  const NAMED = /cookie|consent|gdpr|ccpa|cmp[-_]|onetrust|didomi|usercentrics|trustarc|quantcast|privacy|newsletter|subscribe|signup|paywall|modal|overlay|popup|pop-up|lightbox|backdrop|interstitial|dialog/i;
  const SAID = /cookie|consent|privacy|gdpr|datenschutz|einwilligung|zustimm|confidentialit|consentement|privacidad|consentim|riservatezza|newsletter/i;
  const [width, height] = [innerWidth, innerHeight];
  const whole = Math.max((document.body?.innerText ?? '').trim().length, 1);

  const nameOf = (element) => [element.tagName.toLowerCase(), element.id && `#${element.id}`,
    ...[...element.classList].slice(0, 3).map((each) => `.${each}`)].filter(Boolean).join('').slice(0, 120);
  const isModal = (element) => element.matches('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]');
  const placeOf = (element) => {
    const box = element.getBoundingClientRect();
    const left = Math.max(box.left, 0), top = Math.max(box.top, 0);
    return [left, top, Math.max(Math.min(box.right, width) - left, 0), Math.max(Math.min(box.bottom, height) - top, 0)];
  };
  const isOver = (element) => {
    const style = getComputedStyle(element);
    const layer = Number.parseInt(style.zIndex, 10) || 0;
    const isLifted = style.position === 'fixed' || (style.position === 'absolute' && layer >= HIGH) || element.matches('dialog[open]');
    if (!isLifted || style.visibility !== 'visible' || style.display === 'none') return false;
    const [, , wide, high] = placeOf(element);
    const share = (wide * high) / (width * height);
    if (share < LEAST_SHARE) return false;
    const text = (element.innerText ?? '').trim();
    if (text.length > PAGE_SHARE * whole) return false;
    const isNamed = isModal(element) || NAMED.test(`${element.id} ${element.className?.baseVal ?? element.className}`);
    return isNamed || SAID.test(text.slice(0, MOST_TEXT)) || (style.position === 'fixed' && share >= COVERING_SHARE);
  };
  const pathTo = (element) => {
    const steps = [];
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      steps.unshift(`:nth-child(${[...at.parentElement.children].indexOf(at) + 1})`);
    }
    return ['html', ...steps].join(' > ');
  };

  const found = [];
  for (const element of [...document.querySelectorAll('body *')].slice(0, MOST_LOOKED_AT)) {
    if (found.length >= MOST_FOUND) break;
    if (!found.some((each) => each.contains(element)) && isOver(element)) found.push(element);
  }
  if (!found.length) return null;
  const told = found.map((element) => ({
    label: nameOf(element), text: (element.innerText ?? '').slice(0, MOST_TEXT), box: placeOf(element).map(Math.round),
  }));
  const sheet = (globalThis.webkeepUncovered = new CSSStyleSheet());
  const hidden = found.map(pathTo).flatMap((path) => [path, `${path} *`, `${path}::before`, `${path}::after`]);
  sheet.replaceSync(`${hidden.join(', ')} { visibility: hidden !important }
${found.map((element) => `${pathTo(element)}::backdrop`).join(', ')} { display: none !important }
html, body { overflow: visible !important }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return told;
})();
