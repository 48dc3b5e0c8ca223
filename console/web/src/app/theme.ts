// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system has it.
import { signal } from '@preact/signals';
import { keep, kept } from './kept';

const STORED = 'sosia.theme';
const THEMES = ['', 'light', 'dark'];
export const theme = signal(kept(STORED));

const system = matchMedia('(prefers-color-scheme: dark)');
/** Whether it is dark now, whoever says so: for parts that want to be told. */
export const dark = signal(false);

export function startTheme() {
  system.addEventListener('change', apply);
  apply();
}
function apply() {
  document.documentElement.dataset.theme = theme.value || 'system';
  dark.value = theme.value ? theme.value === 'dark' : system.matches;
}
export function nextTheme() {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  keep(STORED, theme.value);
  apply();
}
