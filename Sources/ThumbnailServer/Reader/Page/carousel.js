// The endless row of top stories: n pictures in n + 2 slots on a strip that scrolls by itself or by hand.
import { linkTo, make, reducedMotion, say, titleOf } from './dom.js';
import { awayMark, hintOf } from './list.js';
import { picture, setBackdrop, setShade } from './pictures.js';
import {
  CarouselTimer, carouselDotAtOffset, carouselNext, carouselSettledSlot, carouselSlots,
} from './model.js';

export class Carousel {
  isHeld = false;
  isPaused = reducedMotion.matches;
  /** Whether the strip was moved by hand and has not come to rest since. */
  wasHeld = false;
  /** Whether play was pressed while hover or focus would hold it: so they do not, until they have left. */
  wasToldToPlay = false;
  /** The slot that a step leads to, until it has come there or a hand, a wheel or the focus takes the strip elsewhere. */
  target;
  /** Where the strip was at the last tick, and for how many ticks before. */
  restsAt;
  restTicks = 0;

  /** @param open what a tap on a story does @param page that will contain it */
  constructor(stories, open, page) {
    this.stories = stories;
    this.page = page;
    this.count = stories.length;
    this.timer = new CarouselTimer(this.count);
    this.strip = make('div', { class: 'strip', tabindex: -1 });
    carouselSlots(this.count).forEach((index, slot, slots) => {
      const isGhost = this.count > 1 && (slot === 0 || slot === slots.length - 1);
      this.strip.append(this.slide(stories[index], index, isGhost, open));
    });
    this.dots = make('div', { class: 'dots', 'aria-hidden': 'true' },
      ...stories.map(() => make('i')));
    this.pause = make('button', { class: 'pause', type: 'button', onclick: () => this.toggle() });
    this.element = make('section', {
      class: 'banner', 'aria-roledescription': 'carousel', 'aria-label': say('carousel'),
      hidden: this.count === 0,
    }, this.strip);
    if (this.count > 1) {
      const step = (backwards) => () => {
        this.step(backwards);
        this.timer.cameToRest(performance.now());
      };
      this.element.append(
        make('button', {
          class: 'step before', type: 'button', tabindex: -1, 'aria-label': say('previousPicture'),
          onclick: step(true),
        }, '‹'),
        make('button', {
          class: 'step after', type: 'button', tabindex: -1, 'aria-label': say('nextPicture'),
          onclick: step(false),
        }, '›'),
        this.pause, this.dots);
      this.listen();
    }
    this.showPause();
    this.showDot(0);
  }

  slide(story, index, isGhost, open) {
    const image = story.images?.[0];
    const away = awayMark(story);
    const link = make('a', {
      class: 'slide', ...linkTo(story),
      'aria-hidden': isGhost ? 'true' : null, tabindex: isGhost || index > 0 ? -1 : null,
      'aria-roledescription': 'slide', 'aria-label': isGhost ? null
        : `${index + 1} / ${this.count}: ${titleOf(story)}${away ? ` (${say('opensOnWeb')})` : ''}`,
      onclick: (event) => open(event, story),
    }, image ? picture(image, 'hero', { lazy: false, page: this.page })
      : make('span', { class: 'picture hero none' }),
    make('span', { class: 'words' }, make('strong', { lang: story.lang, dir: 'auto' }, titleOf(story), away),
      hintOf(story)));
    setBackdrop(link, image);
    setShade(link, story);
    return link;
  }

  get width() { return this.strip.clientWidth || 1; }
  get slot() { return Math.round(this.strip.scrollLeft / this.width); }

  /** To be called once the element is in the page. */
  begin() {
    if (this.count > 1) this.jump(1);
    if (!this.isPaused) this.timer.start(performance.now());
  }

  jump(slot) {
    this.target = undefined;
    this.strip.scrollTo({ left: slot * this.width, behavior: 'instant' });
  }

  /** Goes from a ghost to the slot of its picture inside. */
  settle(slot = this.slot) {
    const settled = carouselSettledSlot(this.count, slot);
    if (settled !== slot) this.jump(settled);
  }

  step(backwards = false) {
    // Where the strip is going counts, not where it still is.
    const from = this.target ?? this.slot;
    this.settle(from);
    this.target = carouselNext(this.count, from, backwards);
    this.scrollToTarget();
  }

  scrollToTarget() {
    this.strip.scrollTo({
      left: this.target * this.width, behavior: reducedMotion.matches ? 'instant' : 'smooth',
    });
  }

  /** Arrows go from story to story, and take the focus along. */
  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const to = carouselNext(this.count, this.target ?? this.slot, by < 0);
    this.isStepping = true;
    this.strip.children[carouselSettledSlot(this.count, to)].focus({ preventScroll: true });
    this.isStepping = false;
    this.step(by < 0);
    this.timer.cameToRest(performance.now());
  }

  /** Goes at once where a step leads to, if the browser has dropped the smooth scrolling: a strip that rests tells no end. */
  arrive() {
    const { scrollLeft } = this.strip;
    this.restTicks = this.target === undefined || scrollLeft !== this.restsAt ? 0 : this.restTicks + 1;
    this.restsAt = scrollLeft;
    if (this.restTicks > 4) this.jump(carouselSettledSlot(this.count, this.target));
  }

  /** To be called five times a second. @param now of the clock that everything on the page goes by */
  tick(now, isSeen) {
    if (isSeen) this.arrive();
    const isAttended = this.element.matches(':hover, :focus-within');
    if (!isAttended) this.wasToldToPlay = false;
    if (this.isHeld || this.isPaused || !isSeen || (isAttended && !this.wasToldToPlay)) {
      if (this.timer.nextStep !== null && this.timer.nextStep <= now) this.timer.start(now);
      return;
    }
    if (this.timer.takesStep(now)) this.step();
  }

  listen() {
    const hold = () => {
      this.isHeld = true;
      this.wasHeld = true;
      this.timer.stop();
      this.target = undefined;
      // The end of the scrolling may be yet to come, and beyond a ghost there is nothing to swipe to.
      this.settle();
    };
    const rest = () => {
      if (!this.wasHeld) return;
      this.wasHeld = false;
      if (!this.isPaused) this.timer.cameToRest(performance.now());
    };
    const letGo = () => {
      if (!this.isHeld) return;
      this.isHeld = false;
      // What is at its place already has no end of scrolling to come.
      const isAtSlot = Math.abs(this.strip.scrollLeft - this.slot * this.width) < 1;
      if (isAtSlot || !('onscrollend' in window)) rest();
    };
    this.strip.addEventListener('touchstart', hold, { passive: true });
    this.strip.addEventListener('touchend', letGo, { passive: true });
    this.strip.addEventListener('touchcancel', letGo, { passive: true });
    this.strip.addEventListener('keydown', (event) => this.key(event));
    for (const kind of ['pointerdown', 'wheel', 'focusin']) {
      this.strip.addEventListener(kind, () => {
        if (!this.isStepping) this.target = undefined;
      }, { passive: true });
    }
    this.strip.addEventListener('scroll', () => {
      this.showDot(carouselDotAtOffset(this.count, this.strip.scrollLeft, this.width));
    }, { passive: true });
    this.strip.addEventListener('scrollend', () => {
      if (this.isHeld) return;
      // The end of a move that another has followed is none.
      if ((this.target ?? this.slot) !== this.slot) {
        this.scrollToTarget();
        return;
      }
      this.target = undefined;
      this.settle();
      rest();
    });
    new ResizeObserver(() => {
      if (!this.isHeld && this.element.isConnected) {
        this.jump(carouselSettledSlot(this.count, this.target ?? (this.shownDot ?? 0) + 1));
      }
    }).observe(this.strip);
  }

  toggle() {
    this.isPaused = !this.isPaused;
    this.wasToldToPlay = !this.isPaused;
    if (this.isPaused) this.timer.stop();
    else this.timer.start(performance.now());
    this.showPause();
  }

  showPause() {
    this.pause.setAttribute('aria-label', say(this.isPaused ? 'resumePlayback' : 'pausePlayback'));
    this.pause.dataset.state = this.isPaused ? 'paused' : 'playing';
  }

  showDot(dot) {
    if (dot === this.shownDot) return;
    this.shownDot = dot;
    [...this.dots.children].forEach((element, index) => {
      element.classList.toggle('on', index === dot);
      // The Tab key stops once, at the story that is shown.
      const slide = this.strip.children[this.count > 1 ? index + 1 : index];
      slide.tabIndex = index === dot ? 0 : -1;
    });
  }
}
