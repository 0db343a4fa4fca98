// Reads without a server what was opened before: every page and what is on it comes from the server and is kept, and
// comes from what is kept where the server cannot be reached.

/** How long the server may take where there is a kept copy, and how long it is not asked again then, in milliseconds. */
const patience = 5000;
const pause = 20000;
/** Kept of each kind, the last ones: pages that were opened, and what is on them. */
const most = { pages: 500, files: 3000 };
/** How often what is beyond that is removed: after so many were kept, fewer than one page has. */
const period = 40;

const base = new URL('..', location.href).pathname;
const nameOf = (kind) => `imgcache ${base} ${kind}`;
const kindOf = (request) => (request.mode === 'navigate' ? 'pages' : 'files');
// An address is asked for in one way as a page, and in one way as a file.
const anyFields = { ignoreVary: true };

function isKept({ method, url, headers }) {
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || headers.has('range') || origin !== location.origin) return false;
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : null;
  return path !== null && /^$|^(days|reader|thumb|image)(\/|$)/.test(path) && !path.endsWith('/events');
}

let keptCount = 0;

async function keep(kind, request, response) {
  const cache = await caches.open(nameOf(kind));
  const field = (name) => response.headers.get(name) ?? '';
  // A page in place of a file, or where another address leads, is of a proxy that asks for a password.
  const isOurs = !response.redirected && (kind === 'pages' || !field('content-type').startsWith('text/html'));
  if (response.status === 200 && isOurs && !field('cache-control').includes('no-store')) await cache.put(request, response);
  else if ([404, 410].includes(response.status)) await cache.delete(request, anyFields);
  keptCount += 1;
  if (keptCount % period === 0) await removeOldest();
}

async function removeOldest() {
  for (const kind of Object.keys(most)) {
    const cache = await caches.open(nameOf(kind));
    const keys = (await cache.keys()).filter(({ url }) => !new URL(url).pathname.startsWith(`${base}reader/`));
    for (const key of keys.slice(0, Math.max(0, keys.length - most[kind]))) await cache.delete(key, anyFields);
  }
}

async function copyOf(request) {
  const cache = await caches.open(nameOf(kindOf(request)));
  const kept = await cache.match(request, anyFields);
  if (kept || request.mode !== 'navigate') return kept;
  // The script shows any day on the page of any other.
  const isOfDays = ({ url }) => /^(days(\/(\d{8}|latest))?)?$/.test(new URL(url).pathname.slice(base.length));
  const other = isOfDays(request) && (await cache.keys()).findLast(isOfDays);
  return other ? cache.match(other, anyFields) : undefined;
}

/** When the server last answered, and until when it is not asked for what there is a copy of. */
let answeredAt = 0;
let lostUntil = 0;

async function fromServer(event, signal) {
  const response = await fetch(event.request, { signal });
  [answeredAt, lostUntil] = [Date.now(), 0];
  // Storage may be full, or forbidden.
  event.waitUntil(keep(kindOf(event.request), event.request, response.clone()).catch(() => {}));
  return response;
}

async function answer(event) {
  const copy = () => copyOf(event.request);
  if (Date.now() < lostUntil) {
    const kept = await copy();
    if (kept) return kept;
  }
  const abort = new AbortController();
  const asked = fromServer(event, abort.signal);
  let isAnswered = false;
  const late = new Promise((resolve) => { setTimeout(resolve, patience); }).then(async () => {
    const kept = await copy();
    if (!kept || isAnswered) return asked;
    if (Date.now() - answeredAt > patience) lostUntil = Date.now() + pause;
    // It would hold one of the few connections that a browser makes.
    abort.abort();
    return kept;
  });
  try {
    const response = await Promise.race([asked, late]);
    isAnswered = true;
    // A gateway has lost the server, or the server is saturated.
    return response.status < 502 ? response : await copy() ?? response;
  } catch (error) {
    const kept = await copy();
    if (kept) return kept;
    throw error;
  }
}

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (isKept(event.request)) event.respondWith(answer(event));
  // What a reader changes is looked at afterwards.
  else if (event.request.method !== 'GET') lostUntil = 0;
});
addEventListener('message', (event) => {
  const asks = [...event.data.pages.map((url) => ['pages', url, 'text/html']), ...event.data.files.map((url) =>
    ['files', url, /\/days(\?|\/(\d+|latest)(\?|$)|$)/.test(url) ? 'application/json' : '*/*'])];
  event.waitUntil(Promise.allSettled(asks.map(async ([kind, url, accept]) => {
    const request = new Request(url, { headers: { accept } });
    if (isKept(request)) await keep(kind, request, await fetch(request));
  })));
});
