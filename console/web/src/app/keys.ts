// SPDX-License-Identifier: Apache-2.0
// The keyboard. Single keys can be switched off; what is typed into a field is never one.
import { signal } from '@preact/signals';
import { keep, kept } from './kept';

export interface Key {
  key: string;
  what: string;
  run: () => void;
}

const OFF = 'sosia.keys';
export const keysOn = signal(kept(OFF) !== 'off');
export function switchKeys() {
  keysOn.value = !keysOn.value;
  keep(OFF, keysOn.value ? 'on' : 'off');
}

const general = new Map<string, Key>();
const chords = new Map<string, Key>();
const ofViews: Key[][] = [];
let chord = 0;

export function bind(key: string, what: string, run: () => void) {
  general.set(key, { key, what, run });
}
/** g and then this key. */
export function bindChord(key: string, what: string, run: () => void) {
  chords.set(key, { key: `g ${key}`, what, run });
}
/** Keys of the screen that is shown; gives back what takes them away (an effect's clean-up). */
export function bindView(keys: Key[]): () => void {
  ofViews.push(keys);
  return () => {
    ofViews.splice(ofViews.indexOf(keys), 1);
  };
}
export const allKeys = (): Key[] => [...general.values(), ...chords.values(), ...ofViews.flat()];

const typing = (e: KeyboardEvent) => {
  const t = e.target as HTMLElement | null;
  return !!t && (t.isContentEditable || /^(TEXTAREA|SELECT)$/.test(t.tagName) ||
    (t.tagName === 'INPUT' && !/^(checkbox|radio|button|range)$/.test((t as HTMLInputElement).type)));
};

export function startKeys(openPalette: () => void) {
  addEventListener('keydown', (e) => {
    if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === 'k') {
      e.preventDefault();
      openPalette();
      return;
    }
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || typing(e)) return;
    if (document.querySelector('dialog[open]')) return;
    if (!keysOn.value && e.key !== 'Escape') return;
    const second = chord && performance.now() - chord < 1500;
    chord = 0;
    const hit = second ? chords.get(e.key) : ofViews.flat().find((k) => k.key === e.key) ?? general.get(e.key);
    if (hit) {
      e.preventDefault();
      hit.run();
    } else if (e.key === 'g') {
      chord = performance.now();
    }
  });
}
