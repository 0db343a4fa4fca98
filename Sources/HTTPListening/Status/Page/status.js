// Keeps the page current: replaces its main part by that of a new copy, every five seconds while
// the page is seen.
const period = 5000;
const lost = document.getElementById("lost");

async function refresh() {
  try {
    const answer = await fetch(location.href, {
      headers: { Accept: "text/html" }, cache: "no-store", signal: AbortSignal.timeout(4000),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const copy = new DOMParser().parseFromString(await answer.text(), "text/html");
    replace(copy.querySelector("main"));
    lost.hidden = true;
  } catch {
    lost.hidden = false;
  }
}

// The table stays where it was scrolled to, and keeps the focus.
function replace(main) {
  const before = document.querySelector(".scroll");
  const [left, isFocused] = [before.scrollLeft, document.activeElement === before];
  document.querySelector("main").replaceWith(main);
  const after = document.querySelector(".scroll");
  after.scrollLeft = left;
  if (isFocused) after.focus({ preventScroll: true });
}

async function loop() {
  if (!document.hidden) await refresh();
  setTimeout(loop, period);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
setTimeout(loop, period);
