// Navigation: clicks, forms and changes of location that still lead to a live address are led into the archive.

function watchNavigation(scope, addresses) {
  const {document, navigation, HTMLFormElement} = scope;
  const {get, set} = addresses.natives;
  const mend = (element, name) => {
    const value = element && get.call(element, name);
    if (!value) return;
    const renamed = addresses.replayed(value);
    if (renamed !== value) set.call(element, name, renamed);
  };
  const clicked = (event) => {
    const link = event.composedPath().find((each) => each.localName === 'a' || each.localName === 'area');
    if (link) mend(link, 'href');
  };
  const sent = (form, submitter) => {
    mend(form, 'action');
    mend(submitter, 'formaction');
  };
  for (const name of ['click', 'auxclick']) scope.addEventListener(name, clicked, true);
  scope.addEventListener('submit', (event) => sent(event.target, event.submitter), true);
  patchMethod(HTMLFormElement?.prototype, 'submit', (native) => function() {
    sent(this, null);
    return native.call(this);
  });
  navigation?.addEventListener('navigate', (event) => {
    const url = event.destination.url;
    const renamed = /^https?:/.test(url) ? addresses.replayed(url) : url;
    if (!event.cancelable || event.formData || renamed === url) return;
    event.preventDefault();
    scope.setTimeout(() => scope.location.assign(renamed), 0);
  });
}

// Tells a page around this one where the reader is.
function announce(scope, addresses, control) {
  if (!control || scope.parent === scope) return;
  const tell = () => {
    const {title} = scope.document;
    scope.parent.postMessage({webkeep: 'page', url: addresses.archived(scope.location.href), title}, control);
  };
  scope.addEventListener('load', tell);
  scope.addEventListener('popstate', tell);
  scope.addEventListener('hashchange', tell);
  scope.navigation?.addEventListener('navigatesuccess', tell);
}
