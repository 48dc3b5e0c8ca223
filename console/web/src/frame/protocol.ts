// SPDX-License-Identifier: Apache-2.0
// What the page and the frame that shows a mail's HTML say to each other. The frame has an origin of
// its own, so each of them knows the other one by its window alone.

/** To the frame. `images`: of the message's own parts, `data:` addresses by their content id. */
export interface Show {
  type: 'show';
  html: string;
  images?: Record<string, string>;
}

/** From the frame: it is there; it shows something so high (CSS pixels) and left out so many things
 * that would have been fetched; a link was clicked, which nobody follows; Escape was pressed. */
export type FromFrame =
  | { type: 'ready' }
  | { type: 'shown'; height: number; notLoaded: number; links: number }
  | { type: 'height'; height: number }
  | { type: 'link'; href: string }
  | { type: 'escape' };
