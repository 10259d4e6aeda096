import {render} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {html} from 'app/markup.js';
import {Ship} from './Ship.js';

const style = Object.assign(document.createElement('link'), {rel: 'stylesheet', href: new URL('./main.css', import.meta.url)});
document.head.append(style);

function Room({name}) {
  const [text, setText] = useState('');
  useEffect(() => { import(`rooms/${name}.js`).then((room) => setText(room.default)); }, [name]);
  return html`<aside>${text}</aside>`;
}

function Gallery() {
  const [builder, setBuilder] = useState('');
  const ask = async () => setBuilder((await import('app/builder.js')).builder);
  return html`<h1>Six ships</h1>${[1, 2, 3, 4, 5, 6].map((each) => html`<${Ship} number=${each} />`)}
    <${Room} name="west" /><button onClick=${ask}>Who built it?</button><p id="builder">${builder}</p>`;
}

export const start = (place) => { place.textContent = ''; render(html`<${Gallery} />`, place); };
