customElements.define('ship-late', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: 'closed'});
    const sheet = new CSSStyleSheet();
    this.ready = fetch('inside.css?fetched').then((it) => it.text()).then((it) => sheet.replace(it)).then(() => {
      root.adoptedStyleSheets = [sheet];
      return `${sheet.cssRules.length} rule`;
    });
  }
});
