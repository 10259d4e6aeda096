// The shim of a page: the first script in it. What follows it tells it the table of the copy and the modules of the page.

function install(scope, addresses) {
  const {equip, frame} = equipper(addresses, install);
  patchLocation(scope, addresses);
  patchNetwork(scope, addresses);
  patchStyles(scope, addresses);
  patchElements(scope, addresses, frame);
  patchCopiedElements(scope, addresses);
  patchDocuments(scope, addresses, equip);
  patchFrames(scope, equip);
}

const tag = document.currentScript;
if (tag && !Object.hasOwn(self, 'webkeep_location$')) {
  const {root, url, base} = tag.dataset;
  const holdings = new Holdings(root === undefined ? '' : new URL(root, realDocumentBase()).href);
  const addresses = new Addresses(holdings, url, base);
  addresses.shimTag = tag.outerHTML;
  addresses.answer = async (request) => {
    const served = addresses.served && await addresses.served(request);
    if (served) return served;
    const found = isRead(request.method) ? holdings.find(request.url) : undefined;
    const got = found && await holdings.content(found);
    return got && {url: found.url, ...got};
  };
  const modules = new Modules(self, addresses);
  define(self, 'webkeep_table$', {value: (groups) => holdings.learn(groups)});
  define(self, 'webkeep_embedded$', {value: (all) => holdings.embed(all)});
  define(self, 'webkeep_answer$', {value: (...told) => holdings.hear(...told)});
  define(self, 'webkeep_source$', {value: (...told) => modules.learn(...told)});
  define(self, 'webkeep_modules$', {value: (names) => modules.install(names)});
  define(self, 'webkeep_import$', {value: {from: (url) => modules.importer(url)}});
  patchHistory(self, addresses);
  install(self, addresses);
  const workers = patchWorkers(self, addresses, modules, () => WORKER_PROGRAM);
  patchServices(self, addresses, workers);
}
