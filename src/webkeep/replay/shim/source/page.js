// The shim of a page: the first script in it, which then leaves no trace in the document.

function install(scope, addresses) {
  const {equip, frame} = equipper(addresses, install);
  patchLocation(scope, addresses);
  patchClock(scope, addresses);
  patchSockets(scope, addresses);
  patchBlobs(scope, addresses);
  patchNetwork(scope, addresses);
  patchStyles(scope, addresses);
  patchElements(scope, addresses, frame);
  patchDocuments(scope, addresses, equip);
  patchFrames(scope, equip);
  watchNavigation(scope, addresses);
}

const tag = document.currentScript;
if (tag && !Object.hasOwn(self, 'webkeep_location$')) {
  const facts = JSON.parse(tag.dataset.webkeep || '{}');
  const addresses = new Addresses(tag.src, facts.origin);
  addresses.shimTag = tag.outerHTML;
  addresses.jar = facts.jar ? new CookieJar(self) : null;
  install(self, addresses);
  announce(self, addresses, facts.control);
  showState(self, addresses, facts.control);
}
tag?.remove();
