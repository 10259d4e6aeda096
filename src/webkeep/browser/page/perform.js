// Does to an element what a person would do to it. Self-contained: exploring runs it in Chromium, replay in the page.
// An interaction is {event, target, value, point}; see webkeep.browser.values.

/** The element that a target names, or null: selectors, with ` >>> ` where the way goes into a frame or a shadow tree. */
function webkeepFind(target) {
  let scope = document;
  let element = null;
  for (const selector of target.split(' >>> ')) {
    if (element) scope = element.contentDocument || element.shadowRoot || element;
    element = scope.querySelector(selector);
    if (!element) return null;
  }
  return element;
}

/** Do it; false if there is nothing to do it to. */
function webkeepPerform(interaction) {
  const element = webkeepFind(interaction.target);
  return element ? webkeepAct(element, interaction) : false;
}

/** Do it to this element; false if the element is no longer in its document. */
function webkeepAct(element, {event, value, point}) {
  if (!element.isConnected) return false;
  const view = element.ownerDocument.defaultView;
  const box = element.getBoundingClientRect();
  const at = point ? [box.left + point[0], box.top + point[1]] : [box.left + box.width / 2, box.top + box.height / 2];

  const mouse = (type, more = {}) => {
    const kind = type.startsWith('pointer') ? view.PointerEvent : type === 'wheel' ? view.WheelEvent : view.MouseEvent;
    const inner = !/(?:enter|leave)$/.test(type);
    return element.dispatchEvent(new kind(type, {
      bubbles: inner, cancelable: inner, composed: true, view, clientX: at[0], clientY: at[1], detail: 1,
      pointerId: 1, isPrimary: true, pointerType: 'mouse', ...more,
    }));
  };
  const plain = (type, bubbles = true) => element.dispatchEvent(new view.Event(type, {bubbles, composed: true}));
  const key = (type, name) => element.dispatchEvent(new view.KeyboardEvent(type, {
    key: name, code: name, bubbles: true, cancelable: true, composed: true, view,
  }));
  const press = () => { mouse('pointerdown', {buttons: 1}); mouse('mousedown', {buttons: 1}); };
  const release = () => { mouse('pointerup'); mouse('mouseup'); };
  const move = (dx, dy) => {
    at[0] += dx; at[1] += dy;
    mouse('pointermove', {buttons: 1}); mouse('mousemove', {buttons: 1});
  };
  const click = () => {
    press();
    release();
    if (point || !element.click) mouse('click');
    else element.click();
  };
  const scrolls = (place) => place.scrollHeight > place.clientHeight + 1 && /auto|scroll/.test(view.getComputedStyle(place).overflowY);
  const area = (place) => place.clientWidth * place.clientHeight;
  const scroller = () => {
    const page = element.ownerDocument.scrollingElement;
    if (element !== element.ownerDocument.documentElement && element !== element.ownerDocument.body) return element;
    if (!page || page.scrollHeight > page.clientHeight + 1) return page || element;
    // Applications have their pages scroll in a part of the window.
    const parts = [...element.ownerDocument.querySelectorAll('body *')].slice(0, 5000).filter(scrolls);
    return parts.sort((one, other) => area(other) - area(one))[0] || page;
  };

  const gestures = {
    click,
    dblclick() { click(); click(); mouse('dblclick', {detail: 2}); },
    contextmenu() { mouse('pointerdown', {button: 2, buttons: 2}); mouse('mousedown', {button: 2, buttons: 2}); mouse('contextmenu', {button: 2}); },
    mouseover() {
      for (const type of ['pointerover', 'pointerenter', 'mouseover', 'mouseenter', 'pointermove', 'mousemove']) mouse(type);
    },
    mouseout() { for (const type of ['pointerout', 'pointerleave', 'mouseout', 'mouseleave']) mouse(type); },
    mousedown: press,
    mouseup: release,
    focus() {
      if (element.ownerDocument.activeElement === element) element.blur();
      element.focus({preventScroll: true});
      if (element.ownerDocument.activeElement !== element) { plain('focus', false); plain('focusin'); }
    },
    blur() {
      if (element.ownerDocument.activeElement !== element) element.focus({preventScroll: true});
      if (element.ownerDocument.activeElement === element) element.blur();
      else { plain('blur', false); plain('focusout'); }
    },
    change() {
      if (element.tagName === 'SELECT') element.value = value;
      else if (value) element.value = value;
      plain('input');
      plain('change');
    },
    fill() {
      const kind = (element.type || '').toLowerCase();
      if (kind === 'checkbox' || kind === 'radio') { if (element.checked !== (value !== 'off')) element.click(); return; }
      if (element.tagName === 'SELECT') {
        const named = [...element.options].find((each) => each.value === value || each.text.trim() === value);
        if (!named) return;
        named.selected = true;
        plain('input');
        plain('change');
        return;
      }
      // Frameworks put a setter of their own before the element's, which would take the event for no change.
      const {set} = Object.getOwnPropertyDescriptor(element.tagName === 'TEXTAREA' ? view.HTMLTextAreaElement.prototype : view.HTMLInputElement.prototype, 'value');
      const whole = !/^(?:|text|search|email|url|tel|textarea)$/.test(kind);
      element.focus({preventScroll: true});
      set.call(element, '');
      for (const part of whole ? [value] : value) {
        key('keydown', part);
        key('keypress', part);
        set.call(element, whole ? value : element.value + part);
        element.dispatchEvent(new view.InputEvent('input', {bubbles: true, composed: true, data: part, inputType: 'insertText'}));
        key('keyup', part);
      }
      plain('change');
    },
    keydown() { const name = value || 'Enter'; key('keydown', name); key('keypress', name); key('keyup', name); },
    touch() {
      if (!view.TouchEvent) return;
      const touch = new view.Touch({identifier: 1, target: element, clientX: at[0], clientY: at[1]});
      const touches = {touches: [touch], targetTouches: [touch], changedTouches: [touch]};
      const ended = {touches: [], targetTouches: [], changedTouches: [touch]};
      const tell = (type, held) => element.dispatchEvent(new view.TouchEvent(type, {bubbles: true, cancelable: true, composed: true, ...held}));
      tell('touchstart', touches);
      tell('touchend', ended);
    },
    submit() { if (element.requestSubmit) element.requestSubmit(); },
    scroll() {
      const place = scroller();
      place.scrollTop += place.clientHeight || view.innerHeight;
      const page = place === element.ownerDocument.scrollingElement;
      (page ? element.ownerDocument : place).dispatchEvent(new view.Event('scroll', {bubbles: page}));
    },
    pan() {
      const [dx, dy] = {left: [120, 0], right: [-120, 0], up: [0, 120], down: [0, -120]}[value] || [120, 0];
      press(); move(dx / 2, dy / 2); move(dx / 2, dy / 2); release();
    },
    zoom() { mouse('wheel', {deltaY: value === 'out' ? 120 : -120}); },
    type() { for (const letter of value) { key('keydown', letter); key('keypress', letter); key('keyup', letter); } },
  };
  const same = {focusin: 'focus', focusout: 'blur', keyup: 'keydown', keypress: 'keydown', input: 'change'};
  const gesture = gestures[same[event] || event];
  if (gesture) gesture();
  else plain(event);
  return true;
}
