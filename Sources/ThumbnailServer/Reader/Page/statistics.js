// The statistics of the cache and of the server, over the page.
import { ask, base, language, make, say } from './dom.js';
import { panelOf } from './empty.js';
import { Layer } from './layer.js';
import { bytesText, countText, secondsText, shareOf, shareText } from './words.js';

const isNumber = (value) => typeof value === 'number';

/** A name with its value, and a bar where that is a part of a whole. */
function row(name, value, share = null) {
  if (value === null) return null;
  const bar = share === null ? null : make('span', { class: 'bar' }, make('i'));
  if (bar) bar.firstChild.style.width = `${share * 100}%`;
  return make('div', { class: bar ? 'with-bar' : null }, make('dt', {}, say(name)), make('dd', {}, value, bar));
}

const count = (name, value) => row(name, isNumber(value) ? countText(value, language) : null);
const bytes = (name, value) => row(name, isNumber(value) ? bytesText(value, language) : null);
const seconds = (name, value) => row(name, isNumber(value) ? secondsText(value, language) : null);

function rate(name, hits, misses) {
  const share = isNumber(hits) && isNumber(misses) ? shareOf(hits, hits + misses) : null;
  if (share === null) return null;
  const counts = `${countText(hits, language)} / ${countText(hits + misses, language)}`;
  return row(name, `${shareText(share, language)} · ${counts}`, share);
}

function card(name, hint, ...rows) {
  const shown = rows.filter(Boolean);
  if (shown.length === 0) return null;
  return make('section', { class: 'card' }, make('h3', {}, say(name)),
    hint ? make('p', { class: 'hint' }, say(hint)) : null, make('dl', {}, ...shown));
}

/** Where the images came from that this server sent: a bar for each place. */
function served(server) {
  const places = [
    ['memory', server.memory_hits], ['disk', server.disk_hits], ['shared', server.shared_hits],
    ['stale', server.stale], ['miss', server.misses], ['placeholder', server.placeholders],
  ].filter(([name, value]) => isNumber(value) && (value > 0 || !['shared', 'stale', 'placeholder'].includes(name)));
  if (places.length === 0) return null;
  const all = places.reduce((sum, [, value]) => sum + value, 0);
  if (all === 0) {
    return make('section', { class: 'card' }, make('h3', {}, say('served')),
      make('p', { class: 'hint' }, say('noRequests')));
  }
  return card('served', 'servedHint', ...places.map(([name, value]) =>
    row(name, `${shareText(value / all, language)} · ${countText(value, language)}`, value / all)));
}

function space(stats) {
  const share = isNumber(stats.bytes) && isNumber(stats.limit) ? shareOf(stats.bytes, stats.limit) : null;
  const used = share === null ? bytes('used', stats.bytes)
    : row('used', `${bytesText(stats.bytes, language)} / ${bytesText(stats.limit, language)}`, share);
  return card('space', null, used, count('entries', stats.entries), count('documents', stats.documents),
    count('pinned', stats.pinned), count('failures', stats.negative));
}

const counters = (name, values) => card(name, null,
  rate('memoryHits', values.memory_hits, values.memory_misses),
  rate('diskHits', values.disk_hits, values.disk_misses),
  count('fetched', values.requests), count('revalidations', values.revalidations),
  count('stores', values.stores), count('evictions', values.evictions), count('damaged', values.damaged),
  count('storeFailures', values.store_failures));

/** Cards of what the server tells; of what it does not tell there is none. */
export function figuresOf(stats) {
  const { memory = {}, server = {}, total = {}, last_run: lastRun = {} } = stats;
  return [
    served(server), space(stats),
    card('ready', null, rate('hitRate', memory.hits, memory.misses), bytes('used', memory.bytes),
      count('entries', memory.entries), count('evictions', memory.evictions)),
    card('server', null, count('requests', server.requests), count('errors', server.errors),
      seconds('median', server.thumb_p50_seconds), seconds('slowest', server.thumb_p99_seconds),
      bytes('sent', server.bytes_sent), count('connections', server.connections),
      count('inFlight', server.in_flight)),
    counters('lifetime', total), counters('lastRun', lastRun),
  ].filter(Boolean);
}

export class Statistics {
  constructor() {
    this.layer = new Layer('statistics-layer', say('statistics'));
    this.figures = make('div', { class: 'figures', tabindex: 0, role: 'group', 'aria-label': say('statistics') });
    this.layer.element.append(
      make('div', { class: 'field' }, make('h2', {}, say('statistics')), this.layer.closeButton()), this.figures);
  }

  open() {
    this.layer.open();
    return this.load();
  }

  async load() {
    try {
      this.figures.replaceChildren(...figuresOf(await ask(`${base}/stats`)));
    } catch (error) {
      this.figures.replaceChildren(panelOf(error, () => this.load()));
    }
  }
}
