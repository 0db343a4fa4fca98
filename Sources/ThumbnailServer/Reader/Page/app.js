// The reader: three pages under tabs over the days that the server keeps, and what lies over them.
import { addressOf, dayInAddress, searchInAddress, tabInAddress } from './address.js';
import { language, pageLink, safeLink, say } from './dom.js';
import { Calendar } from './calendar.js';
import { HUD } from './hud.js';
import { Help, focusedRow, onKeys, stepStory } from './keys.js';
import { MarkedPage } from './marked.js';
import { showMarks } from './marks.js';
import { keepForLater } from './offline.js';
import { PastPage } from './past.js';
import { PullRing, followPull } from './pull.js';
import { refreshFailure } from './refresh.js';
import { Search } from './search.js';
import { Settings } from './settings.js';
import { Statistics } from './statistics.js';
import { Tabs } from './tabs.js';
import { TodayPage } from './today.js';
import { Viewer, picturesOf } from './viewer.js';
import * as favourites from './favourites.js';
import * as read from './read.js';
import { ringDistance, ringProgressOf, topBarAlpha } from './model.js';
import { dayAt, dayLabel, dayLater } from './words.js';

const page = (name) => document.getElementById(`page-${name}`);
const bar = document.getElementById('bar');
const name = bar.querySelector('h1');
/** The title, or the name of the one feed that is shown. */
const title = name.textContent;
const hud = new HUD();
let viewer = null;
const isWide = matchMedia('(min-width: 56.25em)');

// The server says which day it is for the feeds; this clock only tells how many have gone by since.
const { today: firstDay, offset } = document.documentElement.dataset;
const dayNow = () => dayAt(Date.now(), Number(offset));
const startDay = dayNow();
const currentDay = () => dayLater(firstDay, dayNow() - startDay);
const label = (day) => dayLabel(day, currentDay(), language);

const actions = {
  open(event, story) {
    if (!pageLink(story) && !safeLink(story.url)) event.preventDefault();
    else if (read.add([story.id])) showMarks();
  },
  toggleFavourite(story, index) {
    favourites.toggle(story);
    // A story may be on several pages, and several times on one.
    showMarks();
    if (tabs.current === 2) marked.show(page('favourites').contains(document.activeElement) ? index : null);
  },
  view(stories, story) {
    const items = picturesOf(stories);
    viewer ??= new Viewer();
    viewer.open(items, items.findIndex((item) => item.story === story));
  },
};

// Where nothing is kept, what to press is in the middle of the page too.
const fetchDay = () => button.click();

const today = new TodayPage(page('today'), {
  actions, hud, label, fetchDay, changed: () => changed(tabs.current),
});
const marked = new MarkedPage(page('favourites'), actions);
const past = new PastPage(page('past'), {
  actions, hud, label, fetchDay,
  async renew() {
    try {
      await today.renew(() => {});
    } catch (error) {
      hud.showText(refreshFailure(error));
    }
  },
});

/** The bar fades in over a banner; where there is none, or room beside it, it is whole. */
function showBar(current) {
  const { element } = today;
  const alpha = topBarAlpha(element.scrollTop);
  bar.style.setProperty('--bar', String(alpha));
  const isWhole = current !== 0 || isWide.matches || element.classList.contains('without-banner');
  bar.classList.toggle('plain', isWhole);
  // White on pictures, dark on the bar's own light blue.
  bar.classList.toggle('solid', isWhole || alpha > 0.5);
  // It names the day below it, once that has come there.
  const day = current === 0 ? today.showDay() : null;
  const text = day ? day.getAttribute('aria-label') : title;
  if (name.textContent !== text) name.textContent = text;
  bar.classList.toggle('named', day !== null);
}

/** The address is that of what is shown: a tab, and a day that was chosen. */
function changed(current) {
  showBar(current);
  const day = today.chosen;
  document.title = day && current === 0 ? `${label(day)} · ${title}` : title;
  // A search in the address stays until it is open, and then in the history.
  if (!searchInAddress()) history.replaceState(history.state, '', addressOf(current, day));
}

async function refreshToday(showProgress, withNotice) {
  const notice = withNotice ? hud.showLoading(say('loading'), false) : null;
  try {
    await today.renew(({ done = 0, total = 0 }) => {
      showProgress(ringProgressOf(done, total));
      hud.update(notice, `${say('loading')} ${done} / ${total}`);
    });
    past.isStale = true;
    hud.showText(say('refreshed'));
    if (tabs.current === 1) past.load();
  } catch (error) {
    hud.hide(notice);
    hud.showText(refreshFailure(error));
    // The origin is unavailable; another process may have stored a day meanwhile.
    today.failure = refreshFailure(error);
    if (!today.shownDay) await today.load();
  }
}

const pullRing = new PullRing(today.element, document.getElementById('ring'), (report) => refreshToday(report, false));
const button = document.getElementById('refresh');
button.addEventListener('click', async () => {
  if (pullRing.machine.isRefreshing) return;
  // Not disabled: that would take the focus from it.
  button.setAttribute('aria-disabled', 'true');
  await pullRing.trigger((report) => refreshToday(report, true));
  button.removeAttribute('aria-disabled');
});

followPull(marked.element, {
  moved: () => {},
  released: (offset) => { if (offset < -ringDistance) marked.show(); },
});

// The pages together, and the clock that the carousel goes by.

const tabs = new Tabs(document.getElementById('tabs'), document.getElementById('pages'), tabInAddress(), {
  prepare(index) {
    if (index === 1) past.shown();
    if (index === 2) marked.show();
  },
  changed,
});

// What the link names is inert while another page is shown.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  const shown = tabs.pages[tabs.current];
  (shown.querySelector('.row .open, .day-head') ?? shown).focus();
});

// Tabs come in the order of the page: in the bar where that has room for them, else below the pages.
const tabsElement = document.getElementById('tabs');
function placeTabs() {
  if (isWide.matches) bar.before(tabsElement);
  else document.getElementById('spinner').after(tabsElement);
}
placeTabs();

today.element.addEventListener('scroll', () => {
  showBar(tabs.current);
  today.loadOlderIfNeeded();
  today.showSpinner();
}, { passive: true });
isWide.addEventListener('change', () => {
  showBar(tabs.current);
  placeTabs();
});

setInterval(() => {
  const isSeen = tabs.current === 0 && !document.hidden && today.element.scrollTop < 280;
  today.carousel?.tick(performance.now(), isSeen && hud.isPageUsable && !document.querySelector('dialog[open]'));
}, 200);

// Marks may change elsewhere: on the page of a story, in another tab, by a file.

function updateMarks() {
  showMarks();
  if (tabs.current === 2 && !marked.element.contains(document.activeElement)) marked.show();
}
addEventListener('storage', updateMarks);
addEventListener('pageshow', ({ persisted }) => { if (persisted) updateMarks(); });

/** Shows what the address names. */
function visit() {
  const tab = tabInAddress();
  if (tabs.current !== tab) tabs.tap(tab);
  if (tab === 0) today.visit(dayInAddress());
}

const search = new Search({ label, jump: visit });
const help = new Help([
  ['j  k', 'keyStories'], ['←  →', 'keyArrows'], ['s', 'favourite'], ['v', 'viewPicture'], ['/', 'search'],
  ['?', 'keys'], ['Esc', 'close'],
]);
const settings = new Settings({ marksChanged: updateMarks, others: { keys: help, statistics: new Statistics() } });
const calendar = new Calendar({ jump: visit, today: currentDay });
document.getElementById('search').addEventListener('click', () => search.open());
document.getElementById('settings').addEventListener('click', () => settings.open());
document.getElementById('calendar').addEventListener('click', () => calendar.open(today.shownDay?.day));
addEventListener('popstate', ({ state }) => { if (!state?.layer) visit(); });

const goOn = (by) => () => {
  // Beyond the last story are the days before.
  if (!stepStory(tabs.pages[tabs.current], by) && by > 0 && tabs.current === 0) today.more.click();
};
onKeys({
  j: goOn(1), k: goOn(-1), s: () => focusedRow()?.querySelector('.mark').click(),
  v: () => focusedRow()?.querySelector('.zoom')?.click(), '/': () => search.open(), '?': () => help.open(),
}, () => hud.isPageUsable);

// What the address names and is not there; of a day, its own request tells.
const absent = dayInAddress() ? null : document.querySelector('.notice')?.textContent;

today.load().then(() => {
  if (absent) hud.showText(absent);
  document.documentElement.classList.add('ready');
  // Back from a story that was found, or a search in the address.
  const asked = searchInAddress();
  if (history.state?.layer === search.layer.name) search.open(history.state.query);
  else if (asked) {
    history.replaceState({}, '', addressOf(tabs.current, today.chosen));
    search.open(asked);
  }
  keepForLater();
});
