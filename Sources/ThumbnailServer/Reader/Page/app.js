// The reader: four pages under tabs over the days that the server keeps.
import {
  Failure, ask, language, make, pageLink, safeLink, say, whenNearlyIdle,
} from './dom.js';
import { Carousel } from './carousel.js';
import { HUD } from './hud.js';
import { StoryList } from './list.js';
import { PullHeader, PullRing, followPull } from './pull.js';
import { Tabs } from './tabs.js';
import * as favourites from './favourites.js';
import {
  LoadBefore, dayAt, dayLabel, dayLater, daySummary, emptyReason, ringDistance, ringProgressOf,
  topBarAlpha,
} from './model.js';

const page = (name) => document.getElementById(`page-${name}`);
const [today, past, marked, statistics] = ['today', 'past', 'favourites', 'statistics'].map(page);
const bar = document.getElementById('bar');
const hud = new HUD();

// The server says which day it is in UTC+8; this clock only tells how many have gone by since.
const startDay = dayAt(Date.now());
const label = (day) => dayLabel(
  day, dayLater(document.documentElement.dataset.today, dayAt(Date.now()) - startDay), language);

const actions = {
  open(event, story) {
    if (!pageLink(story) && !safeLink(story.url)) event.preventDefault();
  },
  isFavourite: favourites.has,
  toggleFavourite(story, index) {
    const isMarked = String(favourites.toggle(story));
    // A story may stand on several pages, and several times on one.
    for (const mark of document.querySelectorAll('.mark')) {
      if (mark.dataset.story === favourites.keyOf(story)) mark.setAttribute('aria-pressed', isMarked);
    }
    if (tabs.current === 2) showFavourites(marked.contains(document.activeElement) ? index : null);
  },
};

// What stands in place of an empty list. It lies in the page, so pulling still works.

function emptyPanel(reason, reload) {
  const texts = {
    noDay: 'noDay', noStories: 'noStories', network: 'networkFailed', badAnswer: 'badAnswer',
    noFavourites: 'noFavourites',
  };
  return make('div', { class: 'empty', 'data-reason': reason, role: 'status' },
    make('span', { class: 'empty-picture', 'aria-hidden': 'true' }),
    make('p', {}, say(texts[reason])),
    reload ? make('button', { type: 'button', class: 'reload', onclick: reload }, say('reload')) : null);
}

const reasonOf = (error) => (error instanceof Failure ? error.reason : 'unreadable');

// Today: the banner, the newest day, and the days before it as one scrolls down.

const feed = today.querySelector('.feed');
const older = new LoadBefore();
let carousel = null;
let lists = [];
let previous = null;
let shownDay = null;

function section(day) {
  const name = label(day.day);
  const list = new StoryList(day.stories, actions, today);
  lists.push(list);
  return make('section', { class: 'day', 'data-day': day.day, 'aria-label': name },
    make('h2', {}, name), list.element);
}

/** Puts a whole day in place of what is shown, in one step: never half of one and half of another. */
function showDay(day) {
  for (const list of lists) list.end();
  lists = [];
  carousel = new Carousel(day.top_stories ?? [], actions.open, today);
  today.querySelector('.banner').replaceWith(carousel.element);
  feed.replaceChildren(section(day));
  carousel.begin();
  shownDay = day;
  previous = day.previous;
  today.classList.toggle('without-banner', carousel.count === 0);
  showBar(tabs.current);
  older.finished(!previous);
  showOlder();
  const reason = emptyReason(day.stories.length, null);
  if (reason && carousel.count === 0) feed.replaceChildren(emptyPanel(reason, load));
  today.removeAttribute('aria-busy');
}

function showFailure(error) {
  if (shownDay) {
    // What is there stays: a reader with a day is better off than one with an excuse.
    hud.showText(say(emptyTextOf(error)));
    return;
  }
  today.querySelector('.banner').hidden = true;
  today.classList.add('without-banner');
  showBar(tabs.current);
  feed.replaceChildren(emptyPanel(emptyReason(null, reasonOf(error)), load));
  today.removeAttribute('aria-busy');
}

const emptyTextOf = (error) => ({
  noDay: 'noDay', network: 'networkFailed', badAnswer: 'badAnswer',
}[emptyReason(null, reasonOf(error))] ?? 'badAnswer');

let loading = null;

function load() {
  loading ??= (async () => {
    try {
      const day = await ask('/days/latest');
      if (!Array.isArray(day?.stories)) throw new Failure('unreadable');
      showDay(day);
      whenNearlyIdle(loadOlderIfNeeded);
    } catch (error) {
      showFailure(error);
    } finally {
      loading = null;
    }
  })();
  return loading;
}

const more = today.querySelector('.more');
const spinner = document.getElementById('spinner');
function showOlder() {
  spinner.hidden = !older.isLoading;
  // Not disabled: that would take the focus from it.
  more.setAttribute('aria-disabled', String(older.isLoading || older.isAtEnd));
  more.textContent = say(older.isAtEnd ? 'noOlderDays' : 'olderDays');
  more.hidden = !shownDay || shownDay.stories.length === 0;
}

function loadOlderIfNeeded() {
  if (!shownDay || !previous) return;
  // The button below the last story is not part of the list: reaching it is going beyond the end.
  const end = feed.offsetTop + feed.offsetHeight;
  if (older.scrolled(today.scrollTop, today.clientHeight, end)) loadOlder();
}

async function loadOlder() {
  const newest = shownDay;
  showOlder();
  try {
    const day = await ask(previous);
    // What was refreshed meanwhile has days before it of its own.
    if (shownDay !== newest) return;
    if (!Array.isArray(day?.stories)) throw new Failure('unreadable');
    feed.append(section(day));
    putMoreLast();
    previous = day.previous;
    older.finished(!previous);
    whenNearlyIdle(loadOlderIfNeeded);
  } catch (error) {
    if (shownDay !== newest) return;
    if (reasonOf(error) === 404) previous = null;
    else hud.showText(say(emptyTextOf(error)));
    older.finished(!previous);
  }
  showOlder();
}

/** A button that is put in anew did not move: nothing under the reader's eyes jumps. */
function putMoreLast() {
  const hadFocus = document.activeElement === more;
  more.parentElement.append(more);
  if (hadFocus) more.focus({ preventScroll: true });
}

more.addEventListener('click', () => {
  if (older.isLoading || !previous) return;
  older.isLoading = true;
  loadOlder();
});

/** The bar fades in over a banner; where there is none it is whole. */
function showBar(current) {
  const alpha = topBarAlpha(today.scrollTop);
  bar.style.setProperty('--bar', String(alpha));
  const isWhole = current !== 0 || today.classList.contains('without-banner');
  bar.classList.toggle('plain', isWhole);
  // White stands on pictures, dark on the bar's own light blue.
  bar.classList.toggle('solid', isWhole || alpha > 0.5);
}

today.addEventListener('scroll', () => {
  showBar(tabs.current);
  loadOlderIfNeeded();
}, { passive: true });

// Refreshing: the server asks the origin whether the day still holds, and tells how far it is.

async function refresh(report) {
  let answer;
  try {
    answer = await ask('/days/latest/refresh', { method: 'POST' });
  } catch (error) {
    if (!shownDay || ![400, 404, 405].includes(reasonOf(error))) throw error;
    answer = await ask(`/days/${shownDay.day}/refresh`, { method: 'POST' });
  }
  await new Promise((resolve, reject) => {
    const events = new EventSource(answer.events);
    const end = (action, value) => {
      events.close();
      action(value);
    };
    const read = (event) => {
      try {
        return JSON.parse(event.data);
      } catch {
        return {};
      }
    };
    events.addEventListener('progress', (event) => report(read(event)));
    events.addEventListener('done', (event) => end(resolve, read(event)));
    events.addEventListener('failed', (event) => end(reject, new Failure('failed', read(event).message)));
    events.addEventListener('error', () => end(reject, new Failure('unreachable')));
  });
}

function tellRefreshFailed(error) {
  const reason = reasonOf(error);
  const text = say(reason === 409 ? 'busy' : 'refreshFailed');
  hud.showText(reason === 'failed' && error.message ? `${text}: ${error.message}` : text);
}

/** Asks for the newest day anew and shows it; the list of days is then to be had anew as well. */
async function renew(report) {
  await refresh(report);
  daysAreStale = true;
  const day = await ask('/days/latest');
  if (!Array.isArray(day?.stories)) throw new Failure('unreadable');
  showDay(day);
  whenNearlyIdle(loadOlderIfNeeded);
}

async function refreshToday(showProgress, withNotice) {
  const notice = withNotice ? hud.showLoading(say('loading'), false) : null;
  try {
    await renew(({ done = 0, total = 0 }) => {
      showProgress(ringProgressOf(done, total));
      hud.update(notice, `${say('loading')} ${done} / ${total}`);
    });
    hud.showText(say('refreshed'));
    if (tabs.current === 1) loadDays(true);
  } catch (error) {
    hud.hide(notice);
    tellRefreshFailed(error);
    // The origin could not be had; another process may have kept a day meanwhile.
    if (!shownDay) await load();
  }
}

const ring = document.getElementById('ring');
const pullRing = new PullRing(today, ring, (report) => refreshToday(report, false));
const button = document.getElementById('refresh');
button.addEventListener('click', async () => {
  if (pullRing.machine.isRefreshing) return;
  // Not disabled: that would take the focus from it.
  button.setAttribute('aria-disabled', 'true');
  await pullRing.trigger((report) => refreshToday(report, true));
  button.removeAttribute('aria-disabled');
});

// Past: all days, newest first; one opens in its place.

const dayList = past.querySelector('.days');

const pullHeader = new PullHeader(past, refreshPast);
past.querySelector('.pull-place').append(pullHeader.element);

let daysLoaded = false;
/** Whether a day was refreshed since they were loaded. */
let daysAreStale = false;

async function refreshPast() {
  try {
    await renew(() => {});
  } catch (error) {
    tellRefreshFailed(error);
  }
  await loadDays(true);
}

async function loadDays(isRefresh = false) {
  try {
    const { days } = await ask('/days');
    if (!Array.isArray(days)) throw new Failure('unreadable');
    daysLoaded = true;
    daysAreStale = false;
    dayList.replaceChildren(...days.map(dayRow));
    pullHeader.setUpdated(days.map((day) => day.refreshed_at).filter(Boolean).sort().pop());
    if (days.length === 0) dayList.replaceChildren(emptyPanel('noDay', () => loadDays()));
  } catch (error) {
    if (daysLoaded && isRefresh) hud.showText(say(emptyTextOf(error)));
    else dayList.replaceChildren(emptyPanel(emptyReason(null, reasonOf(error)), () => loadDays()));
  }
}

function dayRow(day) {
  const id = `day-${day.day}`;
  const body = make('div', { id, hidden: true });
  const head = make('button', {
    class: 'day-head', type: 'button', 'aria-expanded': 'false', 'aria-controls': id,
    onclick: () => toggleDay(day, head, body),
  }, make('span', { class: 'title' }, label(day.day)),
  make('span', { class: 'hint' },
    daySummary(day, language)));
  return make('section', { class: 'past-day', 'data-day': day.day }, head, body);
}

async function toggleDay(day, head, body) {
  const opens = body.hidden;
  if (opens && !body.firstChild) {
    // Reading changes nothing: the page can be used meanwhile, and a tap takes the notice away, not the load.
    const notice = hud.showLoading(say('loading'), true);
    try {
      const whole = await ask(day.href);
      const reason = emptyReason(whole.stories.length, null);
      body.replaceChildren(reason ? emptyPanel(reason, null)
        : new StoryList(whole.stories, actions, past).element);
      hud.hide(notice);
    } catch (error) {
      hud.hide(notice);
      hud.showText(say(emptyTextOf(error)));
      return;
    }
  }
  body.hidden = !opens;
  head.setAttribute('aria-expanded', String(opens));
}

// Favourites.

const markedList = marked.querySelector('.marked');

let markedStories = null;

/** @param focused which of the marks had the focus; the one in its place has it then */
function showFavourites(focused = null) {
  const stories = favourites.all();
  markedStories?.end();
  markedStories = stories.length === 0 ? null : new StoryList(stories, actions, marked);
  markedList.replaceChildren(markedStories?.element ?? emptyPanel('noFavourites', null));
  // An empty page holds nothing that can be reached, so it is reached itself.
  marked.tabIndex = markedStories ? -1 : 0;
  if (focused === null) return;
  if (markedStories) markedStories.focusMark(focused);
  else marked.focus({ preventScroll: true });
}

// Statistics of the cache: whatever numbers the server tells, in its words.

const figures = statistics.querySelector('.figures');

function* flat(value, path = []) {
  if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) yield* flat(inner, [...path, key]);
  } else if (value !== null) {
    yield [path.join(' · ').replaceAll('_', ' '), value];
  }
}

async function loadStatistics() {
  try {
    const list = make('dl');
    for (const [name, value] of flat(await ask('/stats'))) {
      const text = typeof value === 'number' ? value.toLocaleString(language) : String(value);
      list.append(make('div', {}, make('dt', {}, name), make('dd', {}, text)));
    }
    figures.replaceChildren(list);
  } catch (error) {
    figures.replaceChildren(emptyPanel(emptyReason(null, reasonOf(error)), loadStatistics));
  }
}

for (const [scroller, reload] of [[marked, () => showFavourites()], [statistics, loadStatistics]]) {
  followPull(scroller, {
    moved: () => {},
    released: (offset) => { if (offset < -ringDistance) reload(); },
  });
}

// The pages together, and the clock that the carousel goes by.

const tabs = new Tabs(document.getElementById('tabs'), document.getElementById('pages'), (index) => {
  showBar(index);
  if (index === 1 && (!daysLoaded || daysAreStale)) loadDays(daysLoaded);
  if (index === 2) showFavourites();
  if (index === 3) loadStatistics();
});

// What the link names is inert while another page is shown.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  tabs.pages[tabs.current].focus({ preventScroll: true });
});

setInterval(() => {
  const isSeen = tabs.current === 0 && !document.hidden && today.scrollTop < 280;
  carousel?.tick(performance.now(), isSeen && hud.isPageUsable);
}, 200);

showOlder();
load().then(() => document.documentElement.classList.add('ready'));
