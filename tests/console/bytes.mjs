// SPDX-License-Identifier: Apache-2.0
// How many bytes there are: of what the first load has, as a browser gets it, and of all files that are embedded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Server, enter, fresh, settled } from './harness.mjs';

const KB = 1000;
const FIRST = 60 * KB;
const FRAME = 15 * KB;
const ALL = 300 * KB;

test('the first load and all files are within their budgets', async () => {
  const server = await Server.start('--fixture', 'small', '--clock', 'frozen');
  const context = await fresh();
  try {
    const packed = async (path) => (await (await fetch(server.url + path, { headers: { 'Accept-Encoding': 'gzip' } })).blob()).size &&
      Number((await fetch(server.url + path, { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } })).headers.get('Content-Length'));
    // What the page names is the first load; what its scripts name is loaded when a screen wants it.
    const page = await (await fetch(server.url)).text();
    const named = (text) => [...text.matchAll(/\/_sosia\/ui\/assets\/[\w.-]+|(?<=["'`]\.\/)[\w-]+-[A-Z0-9]{8}\.(?:js|css)/g)]
      .map(([name]) => (name.startsWith('/') ? name : `/_sosia/ui/assets/${name}`));
    const first = new Set(['/', ...named(page)]);
    const all = new Set([...first, '/_sosia/ui/frame']);
    for (const path of all)
      if (/\.(js|css)$/.test(path)) for (const other of named(await (await fetch(server.url + path)).text())) all.add(other);
    const sizes = new Map();
    for (const path of all) sizes.set(path, await packed(path));
    const sum = (paths) => [...paths].reduce((n, path) => n + sizes.get(path), 0);
    for (const [path, size] of sizes) assert.ok(size > 0, `${path} has no length`);
    console.log(`# first load ${sum(first)}, frame ${sizes.get('/_sosia/ui/frame')}, all ${sum(all)} bytes in ${all.size} files`);
    assert.ok(sum(first) <= FIRST, `the first load has ${sum(first)} bytes, at most ${FIRST}`);
    assert.ok(sizes.get('/_sosia/ui/frame') <= FRAME, `the frame has ${sizes.get('/_sosia/ui/frame')} bytes, at most ${FRAME}`);
    assert.ok(sum(all) <= ALL, `all files have ${sum(all)} bytes, at most ${ALL}`);
    // A browser asks for no more of them than the page names before somebody is in.
    const loaded = new Set();
    context.on('request', (request) => loaded.add(new URL(request.url()).pathname));
    const tab = await context.newPage();
    await tab.goto(server.url);
    await tab.locator('input[type=password]').waitFor();
    assert.deepEqual([...loaded].filter((path) => path.startsWith('/_sosia/ui/assets/') && !first.has(path)), []);
    await settled(await enter(context, server.info.console_url));
    assert.deepEqual([...loaded].filter((path) => path.startsWith('/_sosia/ui/') && !all.has(path) && /\.(js|css)$/.test(path)), []);
  } finally {
    await context.close();
    await server.stop();
  }
});
