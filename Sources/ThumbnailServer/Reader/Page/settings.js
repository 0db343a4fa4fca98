// What can be chosen: the size of text and the language.
import { language, make, say } from './dom.js';
import { Layer } from './layer.js';
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
  constructor() {
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
      row(make('a', { class: 'choice', href: `/?lang=${other}`, lang: other, hreflang: other }, name)));
  }

  open() { this.layer.open(); }
}
