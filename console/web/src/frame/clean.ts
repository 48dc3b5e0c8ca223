// SPDX-License-Identifier: Apache-2.0
// A mail's HTML without anything that runs, fetches, connects, sends or leads elsewhere. What would
// have been fetched or followed stays as inert data, so that it can be said.
import DOMPurify from 'dompurify';

const OWN_IMAGE = /^data:image\/(?:png|gif|jpeg|webp|avif|bmp)[;,]/i;
const FETCHES = /(?:url|src|image|image-set|cross-fade|element|paint)\s*\(/i;

const CONFIG = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: [
    'style', 'link', 'meta', 'base', 'form', 'input', 'button', 'select', 'option', 'optgroup', 'textarea',
    'output', 'datalist', 'fieldset', 'audio', 'video', 'source', 'track', 'picture', 'iframe', 'frame',
    'frameset', 'object', 'embed', 'param', 'area', 'map', 'dialog', 'template', 'slot',
  ],
  FORBID_ATTR: [
    'srcset', 'sizes', 'background', 'poster', 'action', 'formaction', 'ping', 'cite', 'longdesc', 'usemap',
    'xlink:href', 'manifest', 'target', 'rel', 'autofocus', 'contenteditable', 'draggable', 'popover',
    'popovertarget', 'accesskey', 'loading', 'fetchpriority', 'integrity', 'crossorigin', 'slot', 'is',
  ],
  ALLOW_DATA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: true, // addresses become data: none is used
  SANITIZE_NAMED_PROPS: true,
  RETURN_DOM_FRAGMENT: true as const,
};

function withoutFetches(style: CSSStyleDeclaration): number {
  let dropped = 0;
  for (const name of [...style]) {
    const value = style.getPropertyValue(name);
    if (!FETCHES.test(value) && !name.startsWith('--')) continue;
    style.removeProperty(name);
    dropped++;
  }
  // A mail must not lie over what is around it, which in here is nothing but itself.
  if (/fixed|sticky/.test(style.position)) style.removeProperty('position');
  return dropped;
}

export interface Cleaned {
  content: DocumentFragment;
  notLoaded: number; // images and styles that would have been fetched
  links: number;
}

export function clean(html: string, images: Record<string, string> = {}): Cleaned {
  const purify = DOMPurify(window);
  let notLoaded = 0;
  let links = 0;

  purify.addHook('beforeSanitizeAttributes', (node) => {
    if (!(node instanceof Element)) return;
    const name = node.nodeName.toLowerCase();
    const src = node.getAttribute('src');
    const href = node.getAttribute('href');
    for (const attribute of ['srcset', 'background', 'poster']) if (node.hasAttribute(attribute)) notLoaded++;
    if (src !== null) {
      const own = images[src.trim().replace(/^cid:/i, '')];
      node.removeAttribute('src');
      if (name === 'img' && own && OWN_IMAGE.test(own)) node.setAttribute('src', own);
      else if (name === 'img' && OWN_IMAGE.test(src)) node.setAttribute('src', src);
      else notLoaded++;
    }
    if (href !== null) node.removeAttribute('href');
    if (href !== null && name === 'a') (node as Element & { sosiaHref?: string }).sosiaHref = href;
  });
  purify.addHook('afterSanitizeAttributes', (node) => {
    if (!(node instanceof HTMLElement)) return;
    if (node.hasAttribute('style')) notLoaded += withoutFetches(node.style);
    const href = (node as HTMLElement & { sosiaHref?: string }).sosiaHref;
    if (href === undefined) return;
    links++;
    node.dataset.href = href;
    node.tabIndex = 0;
    node.setAttribute('role', 'link');
    node.title = href;
  });
  const content = purify.sanitize(html, CONFIG) as unknown as DocumentFragment;
  purify.removeAllHooks();
  return { content, notLoaded, links };
}
