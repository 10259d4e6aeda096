// What the pages have in common: short names for what they do.
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const text = async (url) => (await fetch(url)).text();
const show = async (url, place) => { place.innerHTML = await text(url); };
