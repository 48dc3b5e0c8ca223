// SPDX-License-Identifier: Apache-2.0
// What Google's official client does through the recording proxy replays equal: `sosia conformance record` and `replay`.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { client, reason } from './client.mjs';
import { control, finish, refused, server, start, step } from '../harness.mjs';

const sosia = process.env.SOSIA_BIN ?? 'sosia';
await start();
const made = await control('POST', '/worlds', { fixture: 'small', clock: 'real' });
const email = 'ada@small.example';
const { token } = await control('POST', `/worlds/${made.world}/tokens`, { actor: email });

const place = mkdtempSync(join(tmpdir(), 'sosia-recording-'));
const tape = join(place, 'lunch');
const proxy = spawn(sosia, ['conformance', 'record', '--target', `${server.url}/w/${made.world}`, '--out', tape,
  '--listen', '127.0.0.1:0', '--world', 'small', '--json', '--quiet'], { stdio: ['ignore', 'pipe', 'pipe'] });
let said = '';
proxy.stderr.on('data', text => { said += text; });
const [line] = await once(createInterface({ input: proxy.stdout }), 'line');
const calendar = client({ url: `${JSON.parse(line).url}/`, tokens: { [email]: token } }, email);
const primary = { calendarId: 'primary' };
let event;

await step('the client works through the proxy as it does without it', async () => {
  const { data } = await calendar.events.insert({
    ...primary,
    requestBody: {
      summary: 'Lunch',
      start: { dateTime: '2026-11-24T12:00:00+01:00' },
      end: { dateTime: '2026-11-24T13:00:00+01:00' },
      attendees: [{ email: 'bo@small.example' }],
    },
  });
  event = data;
  const list = await calendar.events.list(primary);
  assert.ok(list.data.items.some(e => e.id === event.id));
  const patched = await calendar.events.patch({ ...primary, eventId: event.id, requestBody: { summary: 'Tea' } });
  assert.notEqual(patched.data.etag, event.etag);
});

await step('it is refused what it would be refused', async () => {
  const stale = { headers: { 'If-Match': event.etag } };
  const late = await refused(() => calendar.events.patch(
    { ...primary, eventId: event.id, requestBody: { summary: 'Milk' } }, stale));
  assert.deepEqual(reason(late), [412, 'conditionNotMet']);
  assert.equal((await calendar.events.delete({ ...primary, eventId: event.id })).status, 204);
  const gone = await refused(() => calendar.events.delete({ ...primary, eventId: event.id }));
  assert.deepEqual(reason(gone), [410, 'deleted']);
});

await step('pages and sync tokens flow', async () => {
  const first = await calendar.events.list({ ...primary, maxResults: 1 });
  const second = await calendar.events.list({ ...primary, maxResults: 1, pageToken: first.data.nextPageToken });
  assert.notEqual(second.data.items[0].id, first.data.items[0].id);
  const all = await calendar.events.list(primary);
  await calendar.events.quickAdd({ ...primary, text: 'Walk on November 25 2026 9am' });
  const delta = await calendar.events.list({ ...primary, syncToken: all.data.nextSyncToken });
  assert.equal(delta.data.items.length, 1);
});

await step('the recorder ends and says what it wrote', async () => {
  proxy.kill('SIGINT');
  const [code] = await once(proxy, 'exit');
  assert.equal(code, 0, said);
  assert.match(said, /11 exchanges in /);
  assert.match(said, /redacted: token 11 /);
});

await step('no token is in any file', async () => {
  for (const name of readdirSync(tape)) assert.ok(!readFileSync(join(tape, name), 'latin1').includes(token), name);
});

await step('the cassette knows what flows', async () => {
  const { actors, steps, source } = JSON.parse(readFileSync(join(tape, 'lunch.json'), 'utf8'));
  assert.deepEqual(actors, { ada: email });
  assert.equal(source.kind, 'recorded');
  assert.deepEqual(steps.map(s => s.method.split('.').at(-1)), ['insert', 'list', 'patch', 'patch', 'delete', 'delete',
    'list', 'list', 'list', 'quickAdd', 'list']);
  assert.equal(steps[3].headers['if-match'], '${=etag}');
  assert.match(steps[2].call, /\/events\/\$\{=id\}$/);
  assert.match(steps[7].query.pageToken, /^\$\{=nextPageToken/);
  assert.match(steps[10].query.syncToken, /^\$\{=nextSyncToken/);
});

await step('it replays equal, in process and against the server', async () => {
  for (const where of [[], ['--target', server.url, '--key', server.key]]) {
    const { status, stdout, stderr } = spawnSync(sosia, ['conformance', 'replay', tape, ...where], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /^all +11\/11 +100\.00%/m);
  }
});

rmSync(place, { recursive: true });
await finish();
