// Months and their days, as texts YYYYMM and YYYYMMDD; no document, clock or network.
import tables from './tables.js';

const dayLength = 86400000;
const timeOf = (day) => Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6, 8) || 1));
const dayOf = (time) => new Date(time).toISOString().slice(0, 10).replaceAll('-', '');

export const monthOf = (day) => day.slice(0, 6);

/** The months that have some of these days, oldest first. */
export const monthsOf = (days) => [...new Set(days.map(monthOf))].sort();

/** `2026年9月`, `Sep 2026` */
export function monthLabel(month, language) {
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(4))];
  return language === 'zh' ? `${year}年${number}月` : `${tables.englishMonths[number - 1].slice(0, 3)} ${year}`;
}

/** In Chinese a week begins on Monday, in English on Sunday. */
const firstWeekday = (language) => (language === 'zh' ? 1 : 0);

/** The days of the week in their order: short names and whole ones. */
export function weekdays(language) {
  const names = language === 'zh'
    ? tables.chineseWeekdays.map((name) => [name, `星期${name}`])
    : tables.englishWeekdays.map((name) => [name.slice(0, 2), name]);
  const first = firstWeekday(language);
  return [...names.slice(first), ...names.slice(0, first)];
}

/** The weeks of a month; null where a day is of another month. */
export function weeksOf(month, language) {
  const start = timeOf(`${month}01`);
  const before = (new Date(start).getUTCDay() - firstWeekday(language) + 7) % 7;
  const cells = Array.from({ length: before }, () => null);
  for (let time = start; monthOf(dayOf(time)) === month; time += dayLength) cells.push(dayOf(time));
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** Where a key leads from a day; null for another key. Within its month for Home and End. */
export function dayByKey(day, key) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  if (key in steps) return dayOf(timeOf(day) + steps[key] * dayLength);
  if (key === 'Home') return `${monthOf(day)}01`;
  if (key === 'End') return weeksOf(monthOf(day), 'en').flat().filter(Boolean).pop();
  return null;
}

/** The month before or after one among these, which are sorted; null at the end. */
export function monthBeside(month, months, step) {
  const after = months.findIndex((other) => other >= month);
  const isAmong = months[after] === month;
  const at = (after < 0 ? months.length : after) + (step > 0 && !isAmong ? 0 : step);
  return months[at] ?? null;
}
