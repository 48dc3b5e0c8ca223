// SPDX-License-Identifier: Apache-2.0
// What this browser keeps of a person's choices. Where it keeps nothing for this site they last as long as the page.

/** What was kept under a name; '' if nothing is. */
export function kept(name: string): string {
  try {
    return localStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
}
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // it lasts as long as this page
  }
}
