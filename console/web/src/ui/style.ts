// SPDX-License-Identifier: Apache-2.0
// Styles that only one view wants: src/style/NAME.css, as loadStyle('NAME').
declare const STYLES: Record<string, string>;

const loaded = new Map<string, Promise<void>>();

export function loadStyle(name: string): Promise<void> {
  let one = loaded.get(name);
  if (!one) {
    one = new Promise((done) => {
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = STYLES[name]!;
      link.onload = link.onerror = () => done();
      document.head.append(link);
    });
    loaded.set(name, one);
  }
  return one;
}
