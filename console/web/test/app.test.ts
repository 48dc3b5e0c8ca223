// SPDX-License-Identifier: Apache-2.0
// The frame's own parts without a browser: addresses, requests, the stream, the time bar.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const kept = new Map<string, string>();
Object.assign(globalThis, {
  location: { pathname: '/_sosia/ui/w/office@12/journal', search: '?open=3', origin: 'http://localhost:8787', hash: '' },
  history: { state: null, replaceState: () => {}, pushState: () => {} },
  localStorage: { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => kept.set(k, v), removeItem: (k: string) => kept.delete(k) },
  document: { addEventListener: () => {}, visibilityState: 'hidden', documentElement: { dataset: {} } },
  addEventListener: () => {}, matchMedia: () => ({ matches: false, addEventListener: () => {} }),
});

Reflect.deleteProperty(globalThis, 'BroadcastChannel');

test('an address is read, and written as it was', async () => {
  const { parse, format } = await import('../src/app/router');
  for (const address of [
    '/_sosia/ui/worlds?q=a%20b', '/_sosia/ui/w/office', '/_sosia/ui/w/office@12', '/_sosia/ui/w/office@12/journal?open=3&tab=why',
    '/_sosia/ui/w/a%2Fb/mail/ada@x.example/Board%2F%C3%84?open=m%26n', '/_sosia/ui/w/office/diff/office@3?entity=event',
  ]) {
    const [path, search] = address.split('?');
    assert.equal(format(parse(path!, search ? `?${search}` : '')), address);
  }
  assert.deepEqual(parse('/_sosia/ui/w/office@12/mail/ada@x.example', ''), { world: 'office', seq: 12, view: 'mail', rest: ['ada@x.example'], query: {} });
  assert.equal(parse('/_sosia/ui/w/a@b', '').seq, undefined);
  assert.deepEqual(parse('/_sosia/ui/w/%E0%A4%A', '').world, '%E0%A4%A');
});

test('a step changes what it names; another view begins without what the first one had, another world at now', async () => {
  const { to, format } = await import('../src/app/router');
  const from = { world: 'office', seq: 12, view: 'journal', rest: [], query: { open: '3', since: 'before' } };
  assert.equal(format(to({ query: { open: '4' } }, from)), '/_sosia/ui/w/office@12/journal?open=4&since=before');
  assert.equal(format(to({ query: { open: '' } }, from)), '/_sosia/ui/w/office@12/journal?since=before');
  assert.equal(format(to({ view: 'clock' }, from)), '/_sosia/ui/w/office@12/clock?since=before');
  assert.equal(format(to({ seq: undefined }, from)), '/_sosia/ui/w/office/journal?open=3&since=before');
  assert.equal(format(to({ world: 'other', view: 'overview', rest: [] }, from)), '/_sosia/ui/w/other');
});

test('parts of a path are encoded but for those of look and act, and what has no value is left out', async () => {
  const { address, curl } = await import('../src/api/client');
  assert.equal(address('/worlds/{world}/journal', { path: { world: 'a/b?c' }, query: { actor: 'ada@x.example', text: '', limit: undefined, risk: 'read' } }),
    '/_sosia/v1/worlds/a%2Fb%3Fc/journal?actor=ada@x.example&risk=read');
  assert.equal(address('/worlds/{world}/look/{actor}/{path}', { path: { world: 'w@3', actor: 'a', path: '/gmail/v1/users/me/messages?q=x%20y' } }),
    '/_sosia/v1/worlds/w@3/look/a/gmail/v1/users/me/messages?q=x%20y');
  const line = curl('/x', 'POST', { type: 'application/json', text: JSON.stringify({ a: "it's" }) });
  assert.match(line, /-X POST/);
  assert.match(line, /\{"a":"it'\\''s"\}/);
  assert.doesNotMatch(line, /Bearer [^$]/);
});

test('pieces of a stream are whole, however they come', async () => {
  const { takePieces } = await import('../src/api/stream');
  const text = 'id: a:1\nevent: call\ndata: {"x":1}\n\n: nothing\n\nevent: clock\ndata: 1\ndata: 2\n\nid: a:2\nevent: ca';
  const whole: string[] = [], bits: string[] = [];
  assert.equal(takePieces(text, (...p) => whole.push(p.join('|'))), 'id: a:2\nevent: ca');
  let rest = '';
  for (const c of text) rest = takePieces(rest + c, (...p) => bits.push(p.join('|')));
  assert.deepEqual(bits, whole);
  assert.deepEqual(whole, ['a:1|call|{"x":1}', '|clock|1\n2']);
});

test('the time bar goes on with what comes: each call once, and as what it was', async () => {
  const { takeIn } = await import('../src/app/timebar');
  const call = (seq: number, status: number, risk?: string, decision?: string) =>
    ({ seq, at: '2026-11-23T07:30:00Z', request: {}, response: { status }, ...(risk ? { risk } : {}), ...(decision ? { guard: { decision } } : {}) }) as never;
  let bars = takeIn([], { entries: [call(1, 200), call(2, 200, 'write'), call(3, 403, 'write'), call(4, 403, 'external', 'approve'), call(5, 503)] });
  bars = takeIn(bars, { entries: [call(5, 503), call(6, 200)] });
  const sum = (k: 'reads' | 'writes' | 'refused' | 'held' | 'errors') => bars.reduce((n, b) => n + b[k], 0);
  assert.deepEqual([sum('reads'), sum('writes'), sum('refused'), sum('held'), sum('errors')], [3, 3, 1, 1, 1]);
  bars = takeIn(bars, { entries: Array.from({ length: 5000 }, (_, i) => call(7 + i, 200)) });
  assert.ok(bars.length <= 480);
  assert.equal(sum('reads'), 5003);
  assert.deepEqual([bars[0]!.from, bars.at(-1)!.to], [1, 5006]);
  const whole = () => bars.every((b, i) => !i || b.from === bars[i - 1]!.to + 1);
  assert.ok(whole());
  const skipped = { world: 'w', n: 400, from: 5007, to: 5406, at: '2026-11-23T07:31:00Z', reads: 390, writes: 10, refused: 4, held: 0, errors: 2 };
  bars = takeIn(bars, { entries: [call(5407, 200)], skipped });
  assert.deepEqual([sum('reads'), sum('writes'), sum('refused'), sum('errors'), bars.at(-1)!.to], [5394, 13, 5, 3, 5407]);
  assert.ok(whole());
  const narrow = takeIn(bars, { entries: Array.from({ length: 100 }, (_, i) => call(5408 + i, 200)) });
  assert.ok(narrow.length > bars.length + 5, 'what comes behind a burst is not one bar with it');
  const before = bars;
  assert.equal(takeIn(bars, { entries: [call(5409, 200)] }), before, 'where some are missing nothing is taken in');
  assert.equal(takeIn(bars, { entries: [call(5509, 200)], skipped: { world: 'w', n: 100, from: 5408, to: 5508 } }), before, 'nor where it is not known what they were');
});

test('only the control interface ends a session, not what a vendor answers to a person of the world', async () => {
  const { endsSession, Refused } = await import('../src/api/client');
  const over = new Refused(401, 'sessionOver', ''), vendors = new Refused(401, '', ''), alike = new Refused(401, 'unauthenticated', '');
  assert.equal(endsSession('/_sosia/v1/worlds', over), true);
  assert.equal(endsSession('/_sosia/v1/worlds/office/mail/ada@x.example/folders', alike), true);
  assert.equal(endsSession('/_sosia/v1/worlds', vendors), false);
  assert.equal(endsSession('/_sosia/v1/worlds', new Refused(403, 'sessionOver', '')), false);
  for (const row of ['look', 'act']) assert.equal(endsSession(`/_sosia/v1/worlds/office@3/${row}/ada@x.example/gmail/v1/users/me/profile`, alike), false);
});

test('what is under way is let finish, and is asked once more behind it; another key takes its place', async () => {
  const { Turns } = await import('../src/app/turns');
  let now = 0;
  const pauses: number[] = [];
  let many = false;
  const pause = async (ms: number) => {
    pauses.push(ms);
    now += ms;
  };
  const time = { now: () => now, pause, many: () => many };
  const turns = new Turns(time), said: string[] = [], ends: Array<() => void> = [];
  const job = (name: string) => async (abort: AbortSignal) => {
    said.push(`${name} begins`);
    await new Promise<void>((done) => ends.push(done));
    said.push(`${name} ${abort.aborted ? 'is given up' : 'ends'}`);
  };
  const end = async () => {
    ends.shift()!();
    await new Promise((done) => setTimeout(done, 0));
  };
  turns.ask('a', job('1'));
  for (const name of ['2', '3', '4']) turns.ask('a', job(name));
  await end();
  await end();
  assert.deepEqual(said, ['1 begins', '1 ends', '4 begins', '4 ends']);
  assert.equal(ends.length, 0);
  turns.ask('a', job('5'));
  turns.ask('a', job('6'));
  turns.ask('b', job('7'));
  await end();
  await end();
  assert.deepEqual(said.slice(4), ['5 begins', '7 begins', '5 is given up', '7 ends']);
  turns.ask('b', job('8'));
  turns.stop();
  await end();
  assert.deepEqual(said.slice(8), ['8 begins', '8 is given up']);
  // what took long is asked for less often, and something else at once
  turns.ask('c', job('9'));
  turns.ask('c', job('10'));
  now += 50;
  await end();
  await end();
  turns.ask('d', job('11'));
  await end();
  assert.deepEqual(said.slice(10), ['9 begins', '9 ends', '10 begins', '10 ends', '11 begins', '11 ends']);
  assert.deepEqual(pauses, [1500]);
  // while many calls come all that ask take a four-hundredth of the time together, and the usual part when none come any more
  const other = new Turns(time);
  other.ask('e', async () => {});
  pauses.length = 0;
  many = true;
  turns.ask('f', job('12'));
  turns.ask('f', job('13'));
  now += 10;
  await end();
  await new Promise((done) => setTimeout(done, 0));
  assert.equal(said.at(-1), '13 begins');
  assert.equal(pauses.reduce((sum, ms) => sum + ms, 0), 2 * 400 * 10);
  assert.equal(Math.max(...pauses), 250);
  turns.ask('f', job('14'));
  pauses.length = 0;
  now += 50;
  many = false;
  await end();
  assert.deepEqual(pauses, [1500]);
  await end();
  assert.equal(said.at(-1), '14 ends');
});

test('a style that fails is asked for again while the page is in sight, and what is drawn hears of it', async () => {
  const { loadStyle } = await import('../src/ui/style');
  const links: Array<{ href: string; onload: () => void; onerror: () => void }> = [], waits: number[] = [], heard: string[] = [];
  const page = { document: globalThis.document, setTimeout: globalThis.setTimeout, dispatchEvent: globalThis.dispatchEvent };
  let soon = () => {}, seen = () => {};
  const shown = {
    visibilityState: 'visible', createElement: () => ({ remove: () => {} }), head: { append: (link: never) => links.push(link) },
    addEventListener: (_: string, then: () => void) => (seen = then),
  };
  Object.assign(globalThis, {
    STYLES: { one: 'one.css', other: 'other.css' }, document: shown, dispatchEvent: (e: Event) => heard.push(e.type),
    setTimeout: (then: () => void, ms: number) => (waits.push(ms), soon = then),
  });
  try {
    const one = loadStyle('one');
    assert.equal(loadStyle('one'), one);
    links[0]!.onerror();
    await one;
    shown.visibilityState = 'hidden';
    soon();
    assert.equal(links.length, 1);
    seen();
    assert.equal(links.length, 1); // it is hidden still
    shown.visibilityState = 'visible';
    seen();
    links[1]!.onerror();
    soon();
    assert.deepEqual(heard, []);
    links[2]!.onload();
    assert.deepEqual([links.map((l) => l.href), waits, heard], [['one.css', 'one.css', 'one.css'], [500, 1000], ['resize']]);
    void loadStyle('other');
    links[3]!.onload();
    assert.equal(heard.length, 1);
  } finally {
    Object.assign(globalThis, page);
  }
});

test('what a person does by the page is said at once, and what is refused is not', async () => {
  const { acted } = await import('../src/app/state');
  const { act } = await import('../src/views/shared/native');
  const before = globalThis.fetch, n = acted.value;
  try {
    globalThis.fetch = async () => new Response('{"ok":true}', { status: 200 });
    await act('office', 'ada@x.example', { verb: 'POST', path: 'slack.com/api/x', body: {} } as never);
    assert.equal(acted.value, n + 1);
    globalThis.fetch = async () => new Response('{"ok":false,"error":"no"}', { status: 200 });
    await assert.rejects(() => act('office', 'ada@x.example', { verb: 'POST', path: 'slack.com/api/x', body: {} } as never));
    assert.equal(acted.value, n + 1);
  } finally {
    globalThis.fetch = before;
  }
});

test('midnight is the first hour of a day', async () => {
  const { momentOf, timeOf } = await import('../src/ui/dates');
  assert.match(timeOf('2026-11-24T00:05:09Z', 'UTC'), /^00.05.09/);
  assert.match(momentOf('2026-11-23T23:05:00Z', 'Europe/Amsterdam'), /24.*\b00.05\b/);
});

test('a call is copied with its body as it was', async () => {
  const { curl } = await import('../src/api/client');
  assert.equal(curl('/x', 'POST', { type: 'text/plain', text: "it's {" }),
    `curl -H "Authorization: Bearer $SOSIA_CONTROL_KEY" -X POST \\\n  -H 'Content-Type: text/plain' --data-raw 'it'\\''s {' \\\n  'http://localhost:8787/x'`);
  assert.equal(curl('/x'), `curl -H "Authorization: Bearer $SOSIA_CONTROL_KEY" \\\n  'http://localhost:8787/x'`);
});

test('where the browser keeps nothing a choice lasts as long as the page', async () => {
  const { keep, kept: read } = await import('../src/app/kept');
  const own = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')!;
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get: () => { throw new Error('denied'); } });
  try {
    keep('sosia.theme', 'dark');
    assert.equal(read('sosia.theme'), '');
  } finally {
    Object.defineProperty(globalThis, 'localStorage', own);
  }
});
