customElements.define('tea-timer', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: 'open'});
    let minutes = Number(this.getAttribute('minutes'));
    root.innerHTML = `<style>
      :host { display: block; padding: 1rem; margin: 1rem 0; border: 1px solid #e2dccd; border-radius: 8px; background: #fff }
    </style>
    <h2><slot name="name"></slot></h2>
    <p>Steep for <b id="minutes">${minutes}</b> minutes.</p>
    <button id="more">One minute more</button>`;
    root.getElementById('more').onclick = () => {
      root.getElementById('minutes').textContent = ++minutes;
    };
  }
});

customElements.define('note-line', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: 'open'});
    root.innerHTML = '<label>A note for the parcel <input id="note"></label> <output id="echo"></output>';
    root.getElementById('note').oninput = event => {
      root.getElementById('echo').textContent = event.target.value;
    };
  }
});

customElements.define('note-box', class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({mode: 'open'}).innerHTML = '<p>A root inside a root:</p><note-line></note-line>';
  }
});
