// What the page says of days, numbers and sizes, in the reader's language; no document, clock or network.
import tables from './tables.js';

const ordinal = (day) =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6))) / 86400000;

/** The day in words, as the server writes the first one. @param day YYYYMMDD @param today YYYYMMDD */
export function dayLabel(day, today, language) {
  const texts = tables.texts[language];
  const number = ordinal(day);
  if (number === ordinal(today)) return texts.today;
  if (number === ordinal(today) - 1) return texts.yesterday;
  const weekday = ((number % 7) + 11) % 7;
  const [year, month, date] = [day.slice(0, 4), day.slice(4, 6), day.slice(6)].map(Number);
  const isOtherYear = year !== Number(today.slice(0, 4));
  if (language === 'zh') {
    return `${isOtherYear ? `${year}年` : ''}${month}月${date}日 星期${tables.chineseWeekdays[weekday]}`;
  }
  return `${tables.englishWeekdays[weekday]}, ${tables.englishMonths[month - 1]} ${date}${isOtherYear ? `, ${year}` : ''}`;
}

/** The day as days since 1970. @param now milliseconds since 1970 @param offset seconds that the zone is ahead of UTC */
export const dayAt = (now, offset) => Math.floor((now / 1000 + offset) / 86400);

/** @param day YYYYMMDD */
export const dayLater = (day, days) =>
  new Date((ordinal(day) + days) * 86400000).toISOString().slice(0, 10).replaceAll('-', '');

/** A text with its number; of two forms, apart by `|`, the first is for one. */
export const counted = (text, number, language) => {
  const forms = text.split('|');
  return (number === 1 ? forms[0] : forms.at(-1)).replace('{n}', number.toLocaleString(language));
};

/** What a day holds and how much of that is cached: `6 stories · 11 images, all cached`. */
export function daySummary({ stories, images, cached }, language) {
  const texts = tables.texts[language];
  const pictures = counted(images === 0 ? texts.noImages : texts.images, images, language);
  const kept = images === 0 ? ''
    : counted(cached >= images ? texts.allCached : texts.cached, cached, language);
  return `${counted(texts.stories, stories, language)} · ${pictures}${kept}`;
}

/** When a list was last loaded, as a line. @param moment year, month, day, hour, minute; null where unknown */
export function lastUpdated(moment, language) {
  if (!moment) return null;
  const [year, month, day, hour, minute] = moment;
  const two = (number) => String(number).padStart(2, '0');
  const label = tables.texts[language].lastUpdated;
  if (language === 'zh') return `${label}: ${year}/${month}/${day} ${hour}:${two(minute)}`;
  const half = hour < 12 ? 'AM' : 'PM';
  return `${label}: ${month}/${day}/${two(year % 100)}, ${hour % 12 || 12}:${two(minute)} ${half}`;
}

// Numbers.

const number = (value, language, digits = 0) =>
  value.toLocaleString(language, { maximumFractionDigits: digits });

/** `1.5 MiB`: three digits at most, in units of 1,024. */
export function bytesText(byteCount, language) {
  let [value, unit] = [Math.max(0, byteCount), 0];
  while (value >= 1023.5 && unit < 5) [value, unit] = [value / 1024, unit + 1];
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${number(value, language, digits)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][unit]}`;
}

export const countText = (value, language) => number(value, language);

/** A part of a whole: 0 through 1; null where there is no whole. */
export const shareOf = (part, whole) => (whole > 0 ? Math.min(Math.max(part / whole, 0), 1) : null);

/** `37.5%`; a part that is not the whole never reads 100%, and one that is not nothing never 0%. */
export function shareText(share, language) {
  const percent = share * 100;
  const shown = percent > 0 && percent < 0.1 ? 0.1 : percent < 100 && percent > 99.9 ? 99.9 : percent;
  return `${number(shown, language, 1)}%`;
}

/** `0.8 ms`, `120 ms`, `1.5 s`. */
export function secondsText(seconds, language) {
  if (seconds >= 1) return `${number(seconds, language, 1)} s`;
  return `${number(seconds * 1000, language, seconds < 0.01 ? 1 : 0)} ms`;
}

/** `2026年9月1日 星期二`, `Tuesday, September 1, 2026`: with its year, whatever day it is. */
export const longLabel = (day, language) => dayLabel(day, '00010101', language);
