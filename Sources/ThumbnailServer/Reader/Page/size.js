// How large text is, beside what the browser is set to: steps that theme.css knows, kept by the browser.
import { keep, kept } from './storage.js';

const percents = [87.5, 100, 112.5, 125, 150];
const usual = 1;

const step = () => {
  const size = kept('textSize');
  return size in percents ? size : usual;
};

function apply() {
  document.documentElement.dataset.size = step();
  dispatchEvent(new Event('textsize'));
}

apply();
// Another tab may have chosen another one, also while this page was not shown.
addEventListener('storage', apply);
addEventListener('pageshow', ({ persisted }) => { if (persisted) apply(); });

export const textPercent = () => percents[step()];

export const canChangeText = (by) => percents[step() + by] !== undefined;

export function changeText(by) {
  if (canChangeText(by) && keep('textSize', step() + by)) apply();
}
