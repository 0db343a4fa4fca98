// Reads without a server what was opened before: every page and what is on it comes from the server and is kept, and
// comes from what is kept where the server cannot be reached.

/** How long the server may take where there is a kept copy, in milliseconds. */
const patience = 5000;
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
  const isForAll = !/no-store/.test(response.headers.get('cache-control') ?? '');
  if (response.status === 200 && isForAll) await cache.put(request, response);
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
  const path = new URL(request.url).pathname.slice(base.length);
  return /^(days(\/\d{8})?)?$/.test(path) ? cache.match(base, { ...anyFields, ignoreSearch: true }) : undefined;
}

async function answer(event) {
  const { request } = event;
  const fromServer = fetch(request);
  // Storage may be full, or forbidden.
  event.waitUntil(fromServer.then((response) => keep(kindOf(request), request, response.clone())).catch(() => {}));
  const copy = () => copyOf(request);
  const late = new Promise((resolve) => { setTimeout(resolve, patience); }).then(copy);
  try {
    const response = await Promise.race([fromServer, late.then((kept) => kept ?? fromServer)]);
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
});
addEventListener('message', (event) => {
  const asks = [...event.data.pages.map((url) => ['pages', url, 'text/html']), ...event.data.files.map((url) =>
    ['files', url, /\/days(\?|\/(\d+|latest)(\?|$)|$)/.test(url) ? 'application/json' : '*/*'])];
  event.waitUntil(Promise.allSettled(asks.map(async ([kind, url, accept]) => {
    const request = new Request(url, { headers: { accept } });
    if (isKept(request)) await keep(kind, request, await fetch(request));
  })));
});
