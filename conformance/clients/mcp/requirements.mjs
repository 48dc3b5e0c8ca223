// SPDX-License-Identifier: Apache-2.0
// The conformance suite of the Model Context Protocol against the fixture that it asks for: what it requires of a server,
// for both kinds of revisions.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { finish, server, start, step } from '../harness.mjs';

await start(['--mcp-fixture']);

const suite = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));

/** Runs what a revision requires; gives {name: {passed, failed}} of the scenarios that count. */
async function required(revision) {
  const child = spawn(process.execPath, [suite, 'server', '--url', `${server.url}/mcp/conformance`, '--requirements', revision],
    { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.on('data', (data) => { text += data; });
  child.stderr.on('data', (data) => { text += data; });
  await once(child, 'close');
  const scenarios = {};
  for (const [, name, passed, failed] of text.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$/gm))
    scenarios[name] = { passed: Number(passed), failed: Number(failed) };
  for (const [, name] of text.matchAll(/^ {2}[✓✗] ([\w-]+) \([\w-]+\)$/gm)) delete scenarios[name]; // not scored
  assert.ok(Object.keys(scenarios).length >= 30, text.slice(-2000));
  return scenarios;
}

for (const revision of ['2025-11-25', '2026-07-28'])
  for (const [name, { passed, failed }] of Object.entries(await required(revision)))
    await step(`${revision} ${name}: ${passed} checks`, () => assert.equal(failed, 0));

await finish();
