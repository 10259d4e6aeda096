class Card extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: 'open'});
    root.innerHTML = `<style>:host { background: url(shadow.png) }</style><slot name="picture"></slot><img src="element.png"><b>${this.getAttribute('name')}</b>`;
    const image = root.querySelector('img');
    this.ready = new Promise((yes, no) => { image.onload = () => yes(`${root.querySelector('b').textContent} ${image.naturalWidth}`); image.onerror = no; });
  }
}
customElements.define('ship-card', Card);
import('./late.js');
