// The viewer: each image of the page in full, one after the other. Without it the links open the files.
(() => {
  const viewer = document.getElementById('viewer');
  const picture = viewer.querySelector('img');
  const name = viewer.querySelector('.name');
  const place = viewer.querySelector('.place');

  // Images of texts become links, as those of the cards are; where the text has a link, that stays.
  for (const image of document.querySelectorAll('.text img:not(.avatar)')) {
    const source = image.getAttribute('src');
    if (source.startsWith('data:') || image.closest('a')) continue;
    const link = document.createElement('a');
    link.className = 'zoom';
    link.href = source;
    link.dataset.width = image.getAttribute('width') ?? '';
    link.dataset.height = image.getAttribute('height') ?? '';
    image.replaceWith(link);
    link.append(image);
  }
  const links = [...document.querySelectorAll('a.zoom')];
  let current = 0;

  const show = (number) => {
    current = (number + links.length) % links.length;
    const link = links[current];
    // The size first: the place of the image is known before it has come.
    for (const side of ['width', 'height']) {
      if (link.dataset[side]) picture.setAttribute(side, link.dataset[side]);
      else picture.removeAttribute(side);
    }
    picture.removeAttribute('src');
    picture.src = link.href;
    picture.alt = link.querySelector('img').alt;
    name.textContent = picture.alt;
    name.lang = link.closest('article').querySelector('h2').lang || document.documentElement.lang;
    place.textContent = `${current + 1} / ${links.length}`;
    for (const near of [current + 1, current - 1]) new Image().src = links.at(near % links.length).href;
  };

  links.forEach((link, number) => {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show(number);
      viewer.showModal();
      // Not a button: keys work from here, and no ring is drawn.
      viewer.focus();
    });
  });
  // One image needs no way to another.
  for (const [selector, step] of [['.previous', -1], ['.next', 1]]) {
    const button = viewer.querySelector(selector);
    button.hidden = links.length < 2;
    button.addEventListener('click', () => show(current + step));
  }
  viewer.querySelector('.close').addEventListener('click', () => viewer.close());
  viewer.querySelector('figure').addEventListener('click', (event) => {
    if (event.target !== picture) viewer.close();
  });
  // Without the image a late one would be shown when the viewer opens again.
  viewer.addEventListener('close', () => picture.removeAttribute('src'));

  viewer.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const moves = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: links.length - 1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(moves[event.key]);
  });

  let start = null;
  viewer.addEventListener('pointerdown', (event) => {
    start = event.isPrimary && event.pointerType !== 'mouse' ? { x: event.clientX, y: event.clientY } : null;
  });
  viewer.addEventListener('pointercancel', () => { start = null; });
  viewer.addEventListener('pointerup', (event) => {
    if (!start || !event.isPrimary) return;
    const [x, y] = [event.clientX - start.x, event.clientY - start.y];
    start = null;
    if (Math.abs(x) > 48 && Math.abs(x) > 2 * Math.abs(y)) show(current + (x < 0 ? 1 : -1));
    else if (y > 96 && y > 2 * Math.abs(x)) viewer.close();
  });
})();
