// SPDX-License-Identifier: Apache-2.0
// The package as it is installed, in a folder of its own: its types, and a fresh world for each test of node:test, Vitest and Jest. Each
// runs five tests, of which one fails and must show its world.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const clients = join(here, '../../../conformance/clients/node_modules');
const own = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'));
const project = mkdtempSync(join(tmpdir(), 'sosia-node-'));
after(() => rmSync(project, { recursive: true }));

// What the tarball will have, by "files"; the addon is the build's.
const installed = join(project, 'node_modules', 'sosia');
for (const file of execFileSync('sh', ['-c', `cd '${join(here, '..')}' && ls -d package.json ${own.files.join(' ')} 2>/dev/null || true`], { encoding: 'utf8' }).trim().split('\n'))
  cpSync(join(here, '..', file), join(installed, file), { recursive: true });
mkdirSync(join(project, 'node_modules', '@types'));
for (const name of ['vitest', 'jest', '@types/node']) symlinkSync(join(clients, name), join(project, 'node_modules', name));
writeFileSync(join(project, 'package.json'), '{"private": true}');
const env = { ...process.env, SOSIA_FIXTURES: join(here, '../../../fixtures'), CI: '1', NO_COLOR: '1', NODE_TEST_CONTEXT: undefined };

const body = `
const URL_ = 'https://www.googleapis.com/calendar/v3/calendars/primary/events';
const actor = 'ada@small.example';
const insert = (who, summary) => who.call({ method: 'POST', url: URL_, json: { summary, start: { dateTime: '2026-11-25T10:00:00Z' }, end: { dateTime: '2026-11-25T11:00:00Z' } } });
const lunches = who => who.call({ url: URL_ + '?q=Lunch' }).json().items.length;
`;
const wrapped = `
test('has a world', withWorld(async ({ world, actor: ada }) => {
  insert(ada, 'Lunch');
  if (lunches(ada) !== 1 || world.key.length !== 16) throw new Error('not one');
}, { fixture: 'small', actor }));
test('has a fresh one', withWorld(({ actor: ada }) => { if (lunches(ada) !== 0) throw new Error('not fresh'); }, { actor }));
test('is intercepted', withWorld(async () => {
  const made = await fetch(URL_ + '?q=Review');
  if (made.status !== 200) throw new Error('status ' + made.status);
}, { actor, intercept: true }));
test('fails', withWorld(({ actor: ada }) => {
  insert(ada, 'Lunch for the report');
  ada.call({ url: '/calendar/v3/calendars/none/events' });
  throw new Error('mine');
}, { actor }));
`;
const hooked = `
describe('hooks', () => {
  const sosia = useWorld({ actor });
  test('have a world', () => { insert(sosia.actor, 'Lunch'); if (lunches(sosia.actor) !== 1) throw new Error('not one'); });
});
`;

function shown(text) {
  assert.match(text, /mine/);
  assert.match(text, /sosia: what changed in world [0-9a-f]{16}/);
  assert.match(text, /added event of ada@small\.example Lunch for the report/);
  assert.match(text, /404 GET \/calendar\/v3\/calendars\/none\/events as ada@small\.example/);
}

test('node:test', () => {
  writeFileSync(join(project, 'node.test.mjs'), `import { describe, test } from 'node:test';\nimport { useWorld, withWorld } from 'sosia/node-test';\n${body}${wrapped}${hooked}`);
  const ran = spawnSync(process.execPath, ['--test', '--test-reporter', 'tap', 'node.test.mjs'], { cwd: project, env, encoding: 'utf8' });
  assert.match(ran.stdout, /# pass 4\n# fail 1\n/, ran.stdout + ran.stderr);
  shown(ran.stdout);
});

test('Vitest', () => {
  const extended = `
worldTest({ actor })('is extended', ({ world, actor: ada, engine }) => {
  insert(ada, 'Lunch');
  if (lunches(ada) !== 1 || world.engine !== engine) throw new Error('not one');
});
worldTest({ actor })('fails extended', ({ actor: ada }) => {
  insert(ada, 'Lunch for the report');
  throw new Error('other');
});
`;
  writeFileSync(join(project, 'vi.test.mjs'), `import { describe, test } from 'vitest';\nimport { useWorld, withWorld, worldTest } from 'sosia/vitest';\n${body}${wrapped}${hooked}${extended}`);
  const ran = spawnSync(process.execPath, [join(clients, 'vitest/vitest.mjs'), 'run', '--reporter', 'verbose', 'vi.test.mjs'], { cwd: project, env, encoding: 'utf8' });
  const text = ran.stdout + ran.stderr;
  assert.match(text, /2 failed \| 5 passed \(7\)/, text);
  shown(text);
  assert.match(text, /other\n[^]*what changed in world/);
});

test('Jest', () => {
  mkdirSync(join(project, 'jest'));
  writeFileSync(join(project, 'jest', 'jest.test.js'), `const { useWorld, withWorld } = require('sosia/jest');\n${body}${wrapped}${hooked}`);
  writeFileSync(join(project, 'jest', 'second.test.js'), `const { withWorld } = require('sosia/jest');\n${body}test('second', withWorld(({ actor: ada, world }) => {
  insert(ada, 'Lunch');
  if (lunches(ada) !== 1) throw new Error('not one');
  let refused;
  try { world.token('nobody@small.example'); } catch (error) { refused = error; }
  if (!(refused instanceof require('sosia').SosiaError)) throw new Error('another class');
}, { actor }));`);
  const ran = spawnSync(process.execPath, [join(clients, 'jest/bin/jest.js'), '--rootDir', join(project, 'jest'), '--runInBand'], { cwd: join(project, 'jest'), env, encoding: 'utf8' });
  assert.match(ran.stderr, /Tests: +1 failed, 5 passed, 6 total/, ran.stderr);
  shown(ran.stderr);
});

test('types', () => {
  cpSync(join(here, 'types.ts'), join(project, 'types.mts'));
  writeFileSync(join(project, 'plain.cts'), "import sosia = require('sosia');\nconst world: sosia.World = new sosia.Engine().world();\nvoid world;\n");
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', lib: ['es2023', 'esnext.disposable'],
    types: ['node'], skipLibCheck: false, exactOptionalPropertyTypes: false }, files: ['types.mts', 'plain.cts'] }));
  const ran = spawnSync(process.execPath, [join(clients, 'typescript/bin/tsc'), '-p', '.'], { cwd: project, env, encoding: 'utf8' });
  const own = ran.stdout.split('\n').filter(line => /^(types|plain)|node_modules\/sosia/.test(line));
  assert.deepEqual(own, [], ran.stdout);
});
