// The shim of a worker.

const facts = self.webkeep_facts$ || {};

if (!('webkeep_location$' in self)) {
  const addresses = new Addresses(self.location.href, facts.origin);
  patchAnswers(self, addresses, facts.locks);
  patchLocation(self, addresses);
  patchClock(self, addresses);
  patchSockets(self, addresses);
  patchNetwork(self, addresses);
  patchStyles(self, addresses);
  patchMethod(self, 'importScripts', (native) => (...urls) => {
    native.apply(self, urls.map((url) => addresses.replayed(url)));
  });
  delete self.webkeep_facts$;
}
