// SPDX-License-Identifier: Apache-2.0
// The document in the frame (/_sosia/ui/frame): shows the HTML of a mail that the page around it
// hands in. It has an origin of its own and a policy that lets it fetch nothing (build.mjs), and
// cleans what it gets before a line of it is in a document that is shown.
import { clean } from './clean.ts';
import type { FromFrame, Show } from './protocol.ts';

const page = window.parent;
const tell = (message: FromFrame) => page.postMessage(message, '*');
const height = () => Math.ceil(document.documentElement.getBoundingClientRect().height);

const style = document.createElement('style');
style.textContent =
  ':root{color-scheme:light;background:#fff;color:#000;font:14px/1.5 system-ui,sans-serif;overflow-x:auto}' +
  'body{margin:0;padding:12px;overflow-wrap:anywhere;display:flow-root}img{max-width:100%;height:auto}' +
  'img:not([src]){display:inline-block;min-width:24px;min-height:24px;border:1px dashed #888;color:#555}' +
  '[data-href]{color:#0645ad;text-decoration:underline;cursor:pointer}' +
  '[data-href]:focus-visible{outline:2px solid #0645ad;outline-offset:2px}table{max-width:100%}';
document.head.append(style);
document.documentElement.lang = '';

function show(message: Show) {
  const { content, notLoaded, links } = clean(message.html, message.images);
  document.body.replaceChildren(content);
  tell({ type: 'shown', height: height(), notLoaded, links });
}

function clicked(event: Event) {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-href]') : null;
  if (!link) return;
  event.preventDefault();
  tell({ type: 'link', href: link.dataset.href ?? '' });
}

window.addEventListener('message', (event) => {
  if (event.source !== page || page === window) return;
  const message = event.data as Show | undefined;
  if (message?.type === 'show' && typeof message.html === 'string') show(message);
});
document.addEventListener('click', clicked);
document.addEventListener('auxclick', clicked);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') clicked(event);
  if (event.key === 'Escape') tell({ type: 'escape' });
});
new ResizeObserver(() => tell({ type: 'height', height: height() })).observe(document.body);
tell({ type: 'ready' });
