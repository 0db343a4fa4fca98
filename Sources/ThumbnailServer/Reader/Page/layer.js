// A dialog over the page. Escape, its button and the way back of the browser close it; the focus stays in it, and
// returns to where it was.
import { make, say } from './dom.js';

export class Layer {
  /** @param name as the history keeps it @param closed called when it has closed */
  constructor(name, label, { closed = () => {} } = {}) {
    this.name = name;
    this.closed = closed;
    this.element = make('dialog', { id: name, class: 'layer', 'aria-label': label });
    document.body.append(this.element);
    this.element.addEventListener('close', () => {
      // Closed by its own means, so the history still has it.
      if (history.state?.layer === name) history.back();
      this.closed();
    });
    addEventListener('popstate', ({ state }) => {
      if (state?.layer !== name && this.isOpen) this.element.close();
    });
    // A click beside the dialog is one on its backdrop.
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.close();
    });
  }

  get isOpen() { return this.element.open; }

  closeButton() {
    return make('button', {
      class: 'close', type: 'button', 'aria-label': say('close'), onclick: () => this.close(),
    }, '×');
  }

  open(state = {}) {
    if (this.isOpen) return;
    const isKept = history.state?.layer === this.name;
    history[isKept ? 'replaceState' : 'pushState']({ ...state, layer: this.name }, '');
    this.element.showModal();
  }

  /** Keeps something of what it shows, for when the reader comes back from another page. */
  keep(state) {
    if (this.isOpen) history.replaceState({ ...state, layer: this.name }, '');
  }

  close() { this.element.close(); }

  /** Closes it for what is in another one, which takes its place in the history. */
  handOver(other) {
    history.replaceState({ layer: other.layer.name }, '');
    this.element.close();
    other.open();
  }

  /** Closes it for another place on the page, which takes its place in the history. */
  leave(address) {
    history.replaceState({}, '', address);
    this.element.close();
  }
}
