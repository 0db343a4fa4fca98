// Has the worker keep what is opened here, where the browser allows one: on this machine or over HTTPS.
import { base, whenNearlyIdle } from './dom.js';

async function register() {
  const { serviceWorker } = navigator;
  const address = new URL('worker.js', import.meta.url);
  // The worker of a server above this path keeps nothing of this one.
  const isKeptAlready = serviceWorker.controller?.scriptURL === address.href;
  await serviceWorker.register(address, { scope: `${base}/` });
  const { active } = await serviceWorker.ready;
  if (isKeptAlready) return;
  // What came before the worker did.
  const files = performance.getEntriesByType('resource').map(({ name }) => name);
  active.postMessage({ pages: [location.href], files });
}

export function keepForLater() {
  // Where it cannot be registered, nothing is kept.
  if ('serviceWorker' in navigator) whenNearlyIdle(() => register().catch(() => {}));
}
