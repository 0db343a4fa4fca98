// The way back of a story's page: to where the reader was left, where the story was opened from there.
const back = document.querySelector('nav a');
const isFromReader = () => {
  if (!document.referrer || history.length < 2) return false;
  const { origin, pathname } = new URL(document.referrer);
  return origin === location.origin && pathname === '/';
};

back.addEventListener('click', (event) => {
  const wantsOwnTab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (wantsOwnTab || !isFromReader()) return;
  event.preventDefault();
  history.back();
});
