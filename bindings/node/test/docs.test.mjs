// SPDX-License-Identifier: Apache-2.0
// Each snippet of docs/node.md is a program; what it prints is what its comments say.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from './support.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const clients = join(here, '../../../conformance/clients/node_modules');
const project = mkdtempSync(join(tmpdir(), 'sosia-node-'));
const server = await serve();
after(async () => {
  await server.stop();
  rmSync(project, { recursive: true });
});
mkdirSync(join(project, 'node_modules'));
for (const name of readdirSync(clients)) if (['googleapis', '@slack', '@microsoft', 'openai', 'axios'].includes(name)) symlinkSync(join(clients, name), join(project, 'node_modules', name));
symlinkSync(join(here, '..'), join(project, 'node_modules', 'sosia'));

const page = readFileSync(join(here, '../../../docs/node.md'), 'utf8');
const snippets = [...page.matchAll(/^## ([^\n]+)\n(?:(?!^## )[^])*?^```js\n([^]*?)^```/gm)].map(([, title, code]) => ({ title, code }));

test('the page has its snippets', () => { assert.equal(snippets.length, page.match(/^```js$/gm).length); });

for (const { title, code } of snippets) {
  test(title, () => {
    const file = join(project, `${title.replaceAll(/\W/g, '-')}.mjs`);
    writeFileSync(file, code);
    const ran = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8', env: { ...process.env, SOSIA_URL: server.url, SOSIA_CONTROL_KEY: server.key, NODE_TEST_CONTEXT: undefined } });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    const said = [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(m => m[1]);
    if (said.length) assert.deepEqual(ran.stdout.trim().split('\n'), said);
    else assert.match(ran.stdout, /pass 1/);
  });
}
