// What can be chosen: the size of text, the language, and marks that are saved to a file and read back.
import { language, make, say, withQuery } from './dom.js';
import { reasonOf } from './empty.js';
import { Layer } from './layer.js';
import { loadMarks, saveMarks } from './marks.js';
import { canChangeText, changeText, textPercent } from './size.js';

const percentText = () => `${textPercent().toLocaleString(language)}%`;

/** Buttons for smaller and for larger text. */
export function sizeButtons() {
  const buttons = [[-1, 'smallerText', 'A−'], [1, 'largerText', 'A+']].map(([by, label, sign]) => make('button', {
    class: 'size', type: 'button', 'aria-label': say(label), onclick: () => changeText(by), 'data-by': by,
  }, sign));
  const show = () => {
    for (const button of buttons) {
      button.setAttribute('aria-disabled', String(!canChangeText(Number(button.dataset.by))));
      button.title = percentText();
    }
  };
  addEventListener('textsize', show);
  show();
  return buttons;
}

const row = (...children) => make('div', { class: 'setting' }, ...children);

export class Settings {
  /** @param marksChanged called when marks were read from a file @param others what is opened from here, by the names of texts */
  constructor({ marksChanged, others }) {
    this.marksChanged = marksChanged;
    this.layer = new Layer('settings-layer', say('settings'));
    const percent = make('output', {});
    const show = () => { percent.textContent = percentText(); };
    addEventListener('textsize', show);
    show();
    const [smaller, larger] = sizeButtons();
    const [other, name] = language === 'zh' ? ['en', 'English'] : ['zh', '中文'];
    this.layer.element.append(
      make('div', { class: 'field' }, make('h2', {}, say('settings')), this.layer.closeButton()),
      row(make('span', {}, say('textSize')), make('span', { class: 'size-choice' }, smaller, percent, larger)),
      row(make('a', { class: 'choice', href: withQuery('lang', other), lang: other, hreflang: other }, name)),
      row(make('span', {}, say('marks')), make('span', { class: 'choices' }, ...this.marks())), this.status,
      ...Object.entries(others).map(([text, other]) => row(make('button', {
        class: 'choice', type: 'button', onclick: () => this.layer.handOver(other),
      }, say(text)))));
  }

  /** Buttons that save the marks and read them, which the page says then. */
  marks() {
    this.status = make('p', { class: 'status', role: 'status' });
    const input = make('input', {
      type: 'file', accept: '.json,application/json', hidden: true, onchange: () => this.load(input),
    });
    const button = (name, action) => make('button', { class: 'choice', type: 'button', onclick: action }, say(name));
    return [button('saveMarks', saveMarks), button('loadMarks', () => input.click()), input];
  }

  async load(input) {
    const [file] = input.files;
    if (!file) return;
    try {
      const { favourites, read } = await loadMarks(file);
      this.status.textContent = say('marksLoaded').replace('{n}', favourites).replace('{m}', read);
      this.marksChanged();
    } catch (error) {
      this.status.textContent = say(reasonOf(error) === 'unkept' ? 'marksNotKept' : 'marksUnreadable');
    }
    // The same file can be chosen again.
    input.value = '';
  }

  open() {
    this.status.textContent = '';
    this.layer.open();
  }
}
