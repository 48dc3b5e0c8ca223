// SPDX-License-Identifier: Apache-2.0
// Styles that only one view wants: src/style/NAME.css, as loadStyle('NAME').
declare const STYLES: Record<string, string>;

const loaded = new Map<string, Promise<void>>();

const AGAIN_MS = 500, MOST_MS = 30000;

/** Until it is there, or has failed once: it is asked for again then until it comes, while the page is in sight. */
export function loadStyle(name: string): Promise<void> {
  let one = loaded.get(name);
  if (!one) loaded.set(name, (one = new Promise((done) => ask(STYLES[name]!, AGAIN_MS, done))));
  return one;
}

function ask(href: string, wait: number, done: () => void) {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  link.onload = () => {
    done();
    if (wait > AGAIN_MS) dispatchEvent(new Event('resize')); // what is drawn already has other sizes now
  };
  link.onerror = () => {
    link.remove();
    done();
    setTimeout(() => inSight(() => ask(href, Math.min(2 * wait, MOST_MS), done)), wait);
  };
  document.head.append(link);
}

function inSight(then: () => void) {
  if (document.visibilityState === 'visible') then();
  else document.addEventListener('visibilitychange', () => inSight(then), { once: true });
}
