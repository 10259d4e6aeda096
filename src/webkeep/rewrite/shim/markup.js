// Markup: HTML that scripts write, with the addresses in its tags replayed. What a script writes may be a part of a
// tag only, so this looks for attributes and does not parse.

const URL_ATTRIBUTES = new Set(['src', 'href', 'xlink:href', 'action', 'formaction', 'poster', 'data', 'background',
  'cite', 'longdesc', 'lowsrc', 'manifest', 'codebase', 'usemap']);
const SET_ATTRIBUTES = new Set(['srcset', 'imagesrcset']);
const SPACED_ATTRIBUTES = new Set(['ping', 'attributionsrc']);
const ATTRIBUTE = new RegExp('(\\s)(' + [...URL_ATTRIBUTES, ...SET_ATTRIBUTES, ...SPACED_ATTRIBUTES,
  'style', 'srcdoc', 'integrity'].join('|') + ')(\\s*=\\s*)(?:"([^"]*)"|\'([^\']*)\'|([^\\s"\'>]+))', 'gi');
const STYLE_ELEMENT = /(<style\b[^>]*>)([\s\S]*?)(<\/style|$)/gi;
const MARKUP_SIGN = /srcdoc|integrity/i;
const CANDIDATE = /(^|,)([\s,]*)([^\s,](?:\S*[^\s,])?)(?=[\s,]|$)((?:\s[^,]*)?)/g;
const META_REFRESH = /(<meta\b[^>]*\bcontent\s*=\s*["']?\s*[\d.]+\s*[;,]\s*url\s*=\s*)([^"'>\s]+)/gi;
const POLICY = /(<meta\b[^>]*?\s)(http-equiv\s*=\s*["']?content-security-policy)/gi;

// The value of an attribute of an element as it is replayed.
function replayedAttribute(tag, name, value, addresses) {
  if (URL_ATTRIBUTES.has(name)) {
    return name === 'data' && tag !== 'object' ? value : addresses.replayed(value);
  }
  if (SET_ATTRIBUTES.has(name)) return replayedSet(value, addresses);
  if (SPACED_ATTRIBUTES.has(name)) return value.replace(/\S+/g, (word) => addresses.replayed(word));
  if (name === 'style') return replayedStyle(value, addresses);
  return value;
}

function replayedSet(value, addresses) {
  if (!addresses.concerns(value)) return value;
  return value.replace(CANDIDATE, (all, comma, space, url, size) =>
    addresses.lacks?.(url) ? '' : comma + space + addresses.replayed(url) + size);
}

function replayedMarkup(html, addresses) {
  if (!addresses.concerns(html) && !MARKUP_SIGN.test(html)) return html;
  return html.replace(ATTRIBUTE, (all, space, name, sign, double, single, bare) => {
    const key = name.toLowerCase();
    if (key === 'integrity') return `${space}data-lifted-${all.slice(1)}`;
    const value = unescaped(double ?? single ?? bare);
    const renamed = key === 'srcdoc' ? addresses.shimTag + replayedMarkup(value, addresses) :
      replayedAttribute('object', key, value, addresses);
    return renamed === value ? all : `${space}${name}${sign}"${escaped(renamed)}"`;
  })
    .replace(STYLE_ELEMENT, (all, start, css, end) => start + replayedStyle(css, addresses) + end)
    .replace(META_REFRESH, (all, before, url) => before + addresses.replayed(url))
    .replace(POLICY, (all, before, attribute) => `${before}data-lifted-${attribute}`);
}

function unescaped(text) {
  return text.replace(/&(?:amp|#38|#x26);/gi, '\u0001').replace(/&quot;/g, '"').replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&#x2f;|&#47;/gi, '/').replace(/&#x3a;|&#58;/gi, ':')
    .replace(/\u0001/g, '&');
}

function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;');
}

// Pages and style sheets in blobs come from no server: what a server would do to them is done here.
function patchBlobs(scope, addresses) {
  const {Blob, XMLHttpRequest, URL: {createObjectURL, revokeObjectURL}} = scope;
  const {open, send} = XMLHttpRequest.prototype;
  const read = (blob) => {
    const url = createObjectURL.call(scope.URL, blob);
    const request = new XMLHttpRequest();
    open.call(request, 'GET', url, false);
    try {
      send.call(request);
      return request.responseText;
    } catch {
      return null; // the page's own policy is against it
    } finally {
      revokeObjectURL.call(scope.URL, url);
    }
  };
  addresses.replayedBlob = (blob) => {
    const {type} = blob;
    const rewrite = /^text\/html/i.test(type) ? (html) => withHead(replayedMarkup(html, addresses), addresses.shimTag) :
      /^text\/css/i.test(type) ? (css) => replayedStyle(css, addresses) : null;
    const text = rewrite && read(blob);
    return typeof text === 'string' ? new Blob([rewrite(text)], {type}) : blob;
  };
}

