export const picture = (src) => new Promise((yes, no) => Object.assign(new Image(), {src, onerror: no, onload() { yes(this); }}));
