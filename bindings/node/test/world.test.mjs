// SPDX-License-Identifier: Apache-2.0
// Engines, worlds and calls in the process.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADA, BO, engine, event, EVENTS, small, sosia, test } from './support.mjs';

const insert = (world, summary, as = ADA) => world.call({ method: 'POST', url: EVENTS, json: event(summary), as });
const list = (world, as = ADA) => world.call({ url: `${EVENTS}?q=Lunch`, as }).json().items.map(e => e.summary);

test('a call gives status, headers and body, which are decoded when they are asked for', () => {
  const world = small();
  const made = insert(world, 'Lunch — café');
  assert.equal(made.status, 200);
  assert.ok(made.ok);
  assert.equal(made.headers['content-type'], 'application/json; charset=UTF-8');
  assert.ok(made.rawHeaders.some(([name]) => name === 'ETag' || name === 'Content-Type'));
  assert.equal(made.json().summary, 'Lunch — café');
  assert.deepEqual(JSON.parse(made.body), made.json());
  assert.equal(made.length, made.body.length);
  const refused = world.call({ url: '/calendar/v3/calendars/none/events', as: ADA });
  assert.equal(refused.status, 404);
  assert.equal(refused.ok, false);
  assert.equal(refused.why, undefined);
  const wrong = world.call({ url: `${EVENTS}?timeMin=soon`, as: ADA });
  assert.match(wrong.why, /timeMin .*"soon"/);
  assert.ok(wrong.rawHeaders.every(([name, value]) => name && typeof value === 'string'));
  assert.deepEqual(Object.keys(wrong.headers).length, wrong.rawHeaders.length);
  world.drop();
});

test('answers stay what they are while others come', () => {
  const world = small();
  const made = Array.from({ length: 60 }, (_, i) => insert(world, `Lunch ${i}`));
  assert.deepEqual(made.map(a => a.json().summary), made.map((_, i) => `Lunch ${i}`));
  made[0].body.fill(0); // a copy
  assert.equal(made[0].json().summary, 'Lunch 0');
  world.drop();
});

test('each call has its own headers, whatever the call before had', () => {
  const world = small();
  const other = small();
  const calendar = '/calendar/v3/calendars/primary';
  const of = (email, more = {}) => ({ Authorization: `Bearer ${world.token(email)}`, ...more });
  const [ada, bo] = [of(ADA), of(BO)];
  const whose = headers => world.call({ url: calendar, headers }).json().id;
  for (let i = 0; i < 3; i++) {
    assert.equal(whose(ada), ADA);
    assert.equal(whose(ada), ADA);
    assert.equal(whose(bo), BO);
    assert.equal(world.call({ url: calendar }).status, 401);
    assert.throws(() => whose({ ...ada, 'X-Break': 'a\nb' }), TypeError);
    assert.equal(whose(ada), ADA);
    assert.equal(whose({ ...bo, 'X-Long': 'x'.repeat(3000) }), BO); // too long to be kept
    assert.equal(whose({ ...ada, ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`X-${n}`, 'x'])) }), ADA); // too many
    assert.equal(whose(ada), ADA);
    other.fork().drop();
    assert.throws(() => engine.find('nobody').call({ url: calendar, headers: bo }));
    assert.equal(whose(ada), ADA);
    assert.equal(world.call({ url: calendar, headers: [['Authorization', bo.Authorization]] }).json().id, BO);
  }
  assert.equal(world.call({ method: 'DELETE', url: `${EVENTS}/none`, headers: ada }).status, 404);
  assert.equal(world.call({ method: 'OPTIONS', url: calendar, headers: ada }).status, world.call({ method: 'OPTIONS', url: calendar, headers: ada, baseUrl: 'https://www.googleapis.com' }).status);
  other.drop();
  world.drop();
});

test('forks, resets and snapshots go their own ways', () => {
  const world = small();
  insert(world, 'Lunch A');
  const fork = world.fork({ name: 'other', seed: 5 });
  insert(fork, 'Lunch B');
  assert.deepEqual(list(world), ['Lunch A']);
  assert.deepEqual(list(fork), ['Lunch A', 'Lunch B']);
  const shot = fork.snapshot('shot');
  assert.ok(shot.info().snapshot);
  assert.throws(() => shot.advance(1), { name: 'SosiaError', code: 'FORBIDDEN', reason: 'readOnly' });
  fork.reset();
  assert.deepEqual(list(fork), ['Lunch A']);
  fork.reset({ to: 'shot' });
  assert.deepEqual(list(fork), ['Lunch A', 'Lunch B']);
  assert.equal(engine.find('other').key, fork.key);
  assert.ok(engine.worlds().some(w => w.key === fork.key));
  fork.drop();
  assert.throws(() => fork.info(), { code: 'NOT_FOUND', status: 404 });
  { using again = world.fork(); assert.deepEqual(list(again), ['Lunch A']); }
  fork[Symbol.dispose](); // twice is once
  shot.drop();
  world.drop();
});

test('the journal says what was called, runs again, and leads to a state in between', () => {
  const world = small().fork({ journal: 'all' });
  insert(world, 'Lunch A');
  insert(world, 'Lunch B');
  assert.deepEqual(world.journal().entries.map(e => e.method), ['calendar.events.insert', 'calendar.events.insert']);
  assert.equal(world.journalInfo().entries, 2);
  assert.deepEqual(list(world.step(1)), ['Lunch A']);
  assert.equal(world.changes(2).changes[0].title, 'Lunch B');
  assert.equal(world.replay().equal, true);
  const kept = world.replay({ to: 1, keep: true, edits: [] });
  assert.deepEqual(list(kept.world), ['Lunch A']);
  assert.equal(world.journalExport().trim().split('\n').length >= 2, true);
  world.reset({ step: 1 });
  assert.deepEqual(list(world), ['Lunch A']);
});

test('seed, dump, hash, diff, export and import say the same state', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sosia-node-'));
  const world = small();
  const before = world.hash();
  world.seed({ sosia: 1, people: [{ email: 'new@small.example', name: 'New' }] });
  assert.notEqual(world.hash(), before);
  assert.ok(world.dump().people.some(p => p.email === 'new@small.example'));
  insert(world, 'Lunch');
  const changes = world.diff().changes;
  assert.ok(changes.some(c => c.entity === 'event' && c.change === 'added' && c.title === 'Lunch'));
  assert.ok(Array.isArray(world.diff({ form: 'patch' })) || typeof world.diff({ form: 'patch' }) === 'object');
  world.export(join(folder, 'w.db'));
  const again = engine.import(join(folder, 'w.db'), { name: 'again' });
  assert.equal(again.hash(), world.hash());
  assert.deepEqual(again.diff({ from: world }).changes, []);
  again.drop();
  rmSync(folder, { recursive: true });
});

test('files of other programs come in and go out', () => {
  const world = small();
  const mbox = 'From eve@far.example Mon Nov 23 08:00:00 2026\nFrom: eve@far.example\nTo: ada@small.example\nSubject: Figures\n\nTwelve\n';
  const before = world.hash();
  assert.equal(world.importFile(mbox, 'mbox', { person: ADA }).messages, 1);
  assert.notEqual(world.hash(), before);
  const mail = world.exportFile('mbox', { person: ADA });
  assert.ok(Buffer.isBuffer(mail) && mail.includes('Subject: Figures'));
  const other = small();
  assert.equal(other.importFile(mail, 'mbox', { person: ADA, place: 'INBOX' }).messages > 0, true);
  const after = world.hash();
  assert.throws(() => world.importFile('Subject: x\n', 'mbox', { person: ADA, name: 'wrong.mbox' }), e => e.reason === 'transfer' && e.message.includes('wrong.mbox:1'));
  assert.throws(() => world.importFile('', 'mbox'), e => e.message.includes('person must be'));
  assert.throws(() => world.exportFile('slack'), e => e.message.includes('goes out'));
  assert.throws(() => world.importFile(7, 'mbox', { person: ADA }), TypeError);
  assert.equal(world.hash(), after);
});

test('grading judges what was done', () => {
  const made = engine.suite({ version: '1.1', name: 'node', actor: ADA, fixture: 'small', tests: [{
    id: 'lunch', prompt: 'Enter lunch.', assertions: [{ diff_type: 'added', entity: 'event', where: { summary: 'Lunch' } }],
  }] });
  assert.equal(made.tasks[0].id, 'lunch');
  const world = small().fork();
  assert.equal(world.grade(made).passed, false);
  insert(world, 'Lunch');
  const grade = world.grade(made, { task: 'lunch', diff: true });
  assert.equal(grade.passed, true, JSON.stringify(grade));
  assert.equal(grade.diff.changes.length >= 1, true);
  assert.throws(() => world.grade(made, { task: 'none' }), { reason: 'taskNotFound' });
});

test('the clock is the world\'s', () => {
  const world = small();
  const before = world.now;
  assert.equal(world.advance({ hours: 1, us: 1 }).now, new Date(before.getTime() + 3600e3).toISOString().replace('000Z', '000001Z'));
  assert.equal(world.setClock({ now: '2026-12-01T00:00:00.25Z' }).now, '2026-12-01T00:00:00.250000Z');
  assert.deepEqual(world.setClock({ clock: 'step', stepMs: 250 }), { now: '2026-12-01T00:00:00.250000Z', clock: 'step', step_ms: 250 });
  assert.throws(() => world.advance(-1), { name: 'SosiaError', code: 'INVALID' });
  assert.throws(() => world.advance({ weeks: 1 }), TypeError);
});

test('an actor has a token of its own in each world', () => {
  const world = small();
  const ada = world.asActor(ADA);
  assert.equal(ada, world.asActor(ADA));
  const { token } = ada;
  const fork = world.fork();
  assert.equal(fork.call({ url: EVENTS, headers: { Authorization: `Bearer ${token}` } }).status, 401);
  assert.equal(fork.asActor(ADA).call({ url: EVENTS }).status, 200);
  const narrow = world.asActor(BO, { scopes: ['https://www.googleapis.com/auth/calendar.readonly'] });
  assert.equal(narrow.call({ method: 'POST', url: EVENTS, json: event('x') }).status, 403);
  world.revoke(token);
  assert.equal(ada.call({ url: EVENTS }).status, 401);
  assert.throws(() => world.token('nobody@small.example'), { code: 'NOT_FOUND', reason: 'actorNotFound' });
  assert.ok(world.actors().some(a => a.email === ADA));
});

test('promises give what calls give', async () => {
  const world = small();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => world.callAsync({ method: 'POST', url: EVENTS, json: event(`Lunch ${i}`), as: ADA })));
  assert.deepEqual(answers.map(a => a.json().summary), answers.map((_, i) => `Lunch ${i}`));
  // A batch is many calls in one: a thread of the pool makes it.
  const part = 'Content-Type: application/http\r\n\r\nGET /calendar/v3/calendars/primary HTTP/1.1\r\n\r\n';
  const batch = await world.callAsync({ method: 'POST', url: 'https://www.googleapis.com/batch/calendar/v3', as: ADA,
    headers: { 'Content-Type': 'multipart/mixed; boundary=b' }, body: `--b\r\n${part}\r\n--b\r\n${part}\r\n--b--\r\n` });
  assert.equal(batch.status, 200);
  assert.equal(batch.text().match(/HTTP\/1.1 200/g).length, 2);
});

test('a file\'s bytes come whole, five or two million of them', () => {
  const world = small();
  for (const size of [0, 5, 2_000_000]) {
    const bytes = Buffer.alloc(size, 'ab');
    const file = world.call({ method: 'POST', url: 'https://www.googleapis.com/upload/drive/v3/files?uploadType=media', headers: { 'Content-Type': 'application/octet-stream' }, body: bytes, as: ADA });
    assert.equal(file.status, 200, file.text());
    const got = world.call({ url: `https://www.googleapis.com/drive/v3/files/${file.json().id}?alt=media`, as: ADA });
    assert.equal(got.status, 200);
    assert.equal(got.length, size);
    assert.ok(got.body.equals(bytes));
  }
});

test('an engine with a data directory has its worlds again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sosia-node-'));
  {
    using one = new sosia.Engine({ dataDir: folder });
    const world = one.world({ fixture: 'small', name: 'kept' });
    const made = await world.callAsync({ method: 'POST', url: EVENTS, json: event('Lunch'), as: ADA });
    assert.equal(made.status, 200);
    assert.ok(one.info().durable);
  }
  {
    using two = new sosia.Engine({ dataDir: folder });
    assert.deepEqual(list(two.find('kept')), ['Lunch']);
  }
  rmSync(folder, { recursive: true });
});

test('the module is the same by import and by require', async () => {
  const module = await import('../index.mjs');
  assert.equal(module.Engine, sosia.Engine);
  assert.deepEqual(Object.keys(module).filter(k => k !== 'default').sort(), Object.keys(sosia).sort());
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  assert.equal(sosia.versions().sosia, version);
  assert.ok(engine.hosts().includes('slack.com'));
});
