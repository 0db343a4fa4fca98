// Refreshing: the server asks the origin whether the day still holds, and tells how far it is.
import { Failure, ask, base, say } from './dom.js';
import { reasonOf } from './empty.js';

/** @param day where the newest one cannot be asked for @param report called with each progress */
export async function refresh(day, report) {
  let answer;
  try {
    answer = await ask(`${base}/days/latest/refresh`, { method: 'POST' });
  } catch (error) {
    if (!day || ![400, 404, 405].includes(reasonOf(error))) throw error;
    answer = await ask(`${base}/days/${day}/refresh`, { method: 'POST' });
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

/** Why a refresh failed, as a text. */
export function refreshFailure(error) {
  const reason = reasonOf(error);
  const text = say(reason === 409 ? 'busy' : 'refreshFailed');
  const isExplained = error instanceof Failure && reason !== 409 && error.message !== String(reason);
  return isExplained ? `${text}: ${error.message}` : text;
}
