// SPDX-License-Identifier: Apache-2.0
// All tests of the console in a browser, one after the other and in one browser.
// usage: node run.mjs [FILE ...]: walk, live, screens, services, kept, bad, budgets, inert, bytes; all without one. SOSIA is the command, CHROMIUM the browser.
import { after } from 'node:test';
import { closeBrowser } from './harness.mjs';

const files = process.argv.length > 2 ? process.argv.slice(2) : ['bytes', 'walk', 'live', 'screens', 'services', 'kept', 'bad', 'budgets', 'inert'];
for (const file of files) await import(`./${file}.mjs`);
after(closeBrowser);
