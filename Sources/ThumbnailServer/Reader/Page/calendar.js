// A calendar of the kept days, month by month.
import { addressOf } from './address.js';
import { ask, base, language, make, say } from './dom.js';
import { textOf } from './empty.js';
import { Layer } from './layer.js';
import { dayByKey, monthBeside, monthLabel, monthOf, monthsOf, weekdays, weeksOf } from './month.js';
import { daySummary, longLabel } from './words.js';

export class Calendar {
  days = new Set();
  months = [];
  /** What is known of days, by day: of months that were shown. */
  summaries = new Map();

  /** @param jump called when the address names the day that was chosen @param today returns the current day */
  constructor({ jump, today }) {
    Object.assign(this, { jump, today });
    this.layer = new Layer('calendar-layer', say('calendar'));
    const step = (name, label, sign, by) => make('button', {
      class: name, type: 'button', 'aria-label': say(label), onclick: () => this.turn(by),
    }, sign);
    this.before = step('before', 'previousMonth', '‹', -1);
    this.after = step('after', 'nextMonth', '›', 1);
    this.choice = make('select', {
      'aria-label': say('calendar'), onchange: () => this.show(this.choice.value),
    });
    this.body = make('tbody');
    const head = make('tr', {}, ...weekdays(language).map(([short, whole]) =>
      make('th', { scope: 'col', abbr: whole }, short)));
    this.table = make('table', {}, make('thead', {}, head), this.body);
    this.table.addEventListener('keydown', (event) => this.key(event));
    this.status = make('p', { class: 'status', role: 'status' });
    const legend = (state, text) => make('span', {}, make('i', { class: 'sign', 'data-state': state }), say(text));
    this.layer.element.append(
      make('div', { class: 'field' }, this.before, this.choice, this.after, this.layer.closeButton()),
      this.table, this.status,
      make('p', { class: 'legend' }, legend('complete', 'completeDay'), legend('incomplete', 'incompleteDay')));
  }

  /** @param day that is shown; its month comes first */
  async open(day) {
    this.summaries.clear();
    this.status.textContent = '';
    this.layer.open();
    this.focused = day ?? this.today();
    this.show(monthOf(this.focused));
    try {
      const { days } = await ask(`${base}/days?brief=1`);
      this.days = new Set(days.map((one) => one.day));
      this.months = monthsOf([...this.days]);
      this.choice.replaceChildren(...this.months.toReversed().map((month) =>
        make('option', { value: month }, monthLabel(month, language))));
      if (!this.months.includes(monthOf(this.focused))) this.focused = days[0]?.day ?? this.focused;
      if (days.length === 0) this.status.textContent = say('noKeptDay');
      this.show(monthOf(this.focused), true);
    } catch (error) {
      this.status.textContent = textOf(error);
    }
  }

  turn(by) {
    const month = monthBeside(this.month, this.months, by);
    if (month) this.show(month);
  }

  /** @param movesFocus whether the day that can be reached has the focus afterwards */
  show(month, movesFocus = false) {
    this.month = month;
    if (monthOf(this.focused) !== month) {
      const same = month + this.focused.slice(6);
      const last = [...this.days].filter((day) => monthOf(day) === month).sort().pop();
      this.focused = this.days.has(same) ? same : last ?? `${month}01`;
    }
    this.choice.value = month;
    for (const [button, by] of [[this.before, -1], [this.after, 1]]) {
      button.setAttribute('aria-disabled', String(!monthBeside(month, this.months, by)));
    }
    this.body.replaceChildren(...weeksOf(month, language).map((week) =>
      make('tr', {}, ...week.map((day) => make('td', {}, day ? this.cell(day) : null)))));
    if (movesFocus) this.button(this.focused)?.focus();
    this.load(month);
  }

  button(day) { return this.body.querySelector(`[data-day="${day}"]`); }

  cell(day) {
    const cell = make('button', {
      type: 'button', 'data-day': day, tabindex: day === this.focused ? 0 : -1,
      'aria-disabled': this.days.has(day) ? null : 'true',
      'aria-current': day === this.today() ? 'date' : null, onclick: () => this.choose(day),
    }, String(Number(day.slice(6))), make('i', { class: 'sign' }));
    this.mark(cell);
    return cell;
  }

  /** Says what is known of a day. */
  mark(cell) {
    const { day } = cell.dataset;
    const summary = this.summaries.get(day);
    const isKept = this.days.has(day);
    const state = !isKept ? 'none' : !summary ? 'kept'
      : summary.cached >= summary.images ? 'complete' : 'incomplete';
    cell.dataset.state = state;
    const facts = { none: say('notKept'), kept: say('kept') }[state] ?? daySummary(summary, language);
    cell.setAttribute('aria-label', `${longLabel(day, language)}, ${facts}`);
    cell.title = isKept ? facts : '';
  }

  async load(month) {
    if (![...this.days].some((day) => monthOf(day) === month && !this.summaries.has(day))) return;
    try {
      const { days } = await ask(`${base}/days?month=${month}`);
      for (const summary of days) this.summaries.set(summary.day, summary);
      for (const cell of this.body.querySelectorAll('button')) this.mark(cell);
    } catch (error) {
      this.status.textContent = textOf(error);
    }
  }

  choose(day) {
    if (!this.days.has(day)) return;
    this.layer.leave(addressOf(0, day));
    this.jump();
  }

  key(event) {
    const { day } = event.target.dataset ?? {};
    if (!day || event.altKey || event.ctrlKey || event.metaKey) return;
    const page = { PageUp: -1, PageDown: 1 }[event.key];
    const to = dayByKey(day, event.key);
    if (!page && !to) return;
    event.preventDefault();
    if (page) {
      const month = monthBeside(this.month, this.months, page);
      if (month) this.show(month, true);
      return;
    }
    // Months without a kept day are passed over.
    const month = monthOf(to);
    const beside = monthBeside(this.month, this.months, to > day ? 1 : -1);
    if (month !== this.month && beside && beside !== month) {
      this.show(beside, true);
    } else if (month === this.month || beside === month) {
      this.focused = to;
      this.show(month, true);
    }
  }
}
