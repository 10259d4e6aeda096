// What the tests' pages have at hand.
const box = document.getElementById('box');
const wait = (target, names) => new Promise((done) => {
  for (const name of names.split(' ')) target.addEventListener(name, done);
});
const asked = async (url) => {
  for (;;) {
    const list = await (await fetch('/asked.json')).json();
    if (list.includes(url)) return;
    await new Promise((done) => setTimeout(done, 20));
  }
};
// Runs a text as a script that came from the server, and so has been wrapped.
const run = (text) => {
  const script = document.createElement('script');
  script.src = '/run.js?' + encodeURIComponent(text);
  document.head.append(script);
  return wait(script, 'load');
};
