// SPDX-License-Identifier: Apache-2.0
// Rows of a journal that grows, without a browser: what came by itself, what is asked for, and how much is kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';

Object.assign(globalThis, {
  location: { pathname: '/_sosia/ui/w/office/journal', search: '', origin: 'http://localhost:8787', hash: '' },
  history: { state: null, replaceState: () => {}, pushState: () => {} },
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  document: { addEventListener: () => {}, visibilityState: 'hidden', documentElement: { dataset: {} } },
  addEventListener: () => {}, matchMedia: () => ({ matches: false, addEventListener: () => {} }),
});
Reflect.deleteProperty(globalThis, 'BroadcastChannel');

/** A server whose journal has so many entries; effects are in what is asked for only. */
function server(entries: number) {
  const asked: number[] = [];
  const s = { entries, asked, hold: undefined as Promise<void> | undefined };
  globalThis.fetch = (async (target: string) => {
    const query = new URL(target, 'http://localhost').searchParams, after = Number(query.get('after'));
    asked.push(after);
    const list = Array.from({ length: Math.max(0, Math.min(Number(query.get('limit')), s.entries - after)) }, (_, i) => ({ ...call(after + 1 + i), effect: { n: 1 } }));
    await s.hold;
    return new Response(JSON.stringify({ entries: list }));
  }) as typeof fetch;
  return s;
}
const call = (seq: number) => ({ seq, at: '2026-11-23T07:30:00Z', method: 'x', risk: 'write', state: 'h', request: {}, response: { status: 200 } }) as never;
const calls = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => call(from + i));
const turn = () => new Promise((done) => setTimeout(done, 0));
async function rows(last: number) {
  const { Plain } = await import('../src/views/journal-rows');
  return new Plain('office', 1, last, new AbortController(), () => {});
}
const missing = (p: { first: number; last: number; at: (seq: number) => unknown }, from: number, to: number) =>
  calls(from, to).filter((e: { seq: number }) => !p.at(e.seq)).length;
async function quiet(p: { busy: Set<number> }) {
  do await turn();
  while (p.busy.size);
}

test('what was skipped on the way is asked for where it is in sight', async () => {
  const s = server(10), p = await rows(10);
  p.show(10, 1);
  await quiet(p);
  s.entries = 750;
  const first = s.asked.length;
  p.arrive(calls(651, 750), 750); // a piece has the newest 100
  p.show(750, 700);
  await quiet(p);
  assert.equal(missing(p, 700, 750), 0);
  assert.equal(s.asked.length, first, 'what is in sight came by itself');
  p.show(670, 500);
  await quiet(p);
  assert.equal(missing(p, 500, 670), 0);
  const before = s.asked.length;
  p.show(670, 500);
  await quiet(p);
  assert.equal(s.asked.length, before, 'what is there is not asked for again');
});

test('each call that came live gets what it has changed, also of a burst longer than a page', async () => {
  const s = server(0), p = await rows(0);
  s.entries = 450;
  p.arrive(calls(1, 450), 450);
  p.show(450, 420);
  p.effects();
  await quiet(p);
  for (let newest = 450; newest > 0; newest -= 30) {
    p.show(newest, newest - 29);
    p.effects();
    await quiet(p);
  }
  assert.equal(calls(1, 450).filter((e: { seq: number }) => !p.at(e.seq)?.effect).length, 0);
});

test('what came while an answer was under way is asked for behind it', async () => {
  const s = server(100), p = await rows(100);
  p.show(100, 60);
  await quiet(p);
  let go = () => {};
  p.arrive([call(101)], 101);
  p.show(101, 61);
  s.entries = 101;
  s.hold = new Promise((done) => (go = done));
  p.effects();
  await turn();
  s.entries = 102;
  p.arrive([call(102)], 102);
  p.show(102, 62);
  p.effects();
  go();
  await quiet(p);
  assert.ok(p.at(101)?.effect && p.at(102)?.effect);
});

test('of what has changed nothing it is asked once what it has changed', async () => {
  const s = server(100), p = await rows(100);
  p.show(100, 61);
  await quiet(p);
  const fetched = globalThis.fetch;
  globalThis.fetch = (async (target: string) => {
    const list = JSON.parse(await (await fetched(target)).text()).entries.map((e: object) => ({ ...e, effect: undefined }));
    return new Response(JSON.stringify({ entries: list }));
  }) as typeof fetch;
  s.entries = 101;
  p.arrive([call(101)], 101);
  p.show(101, 62);
  for (let i = 0; i < 3; i++) {
    p.effects();
    await quiet(p);
  }
  assert.equal(s.asked.length, 2);
  assert.equal(p.bare.size, 0);
});

test('what a refused request was for is asked for again with the next change', async () => {
  const s = server(100), p = await rows(100);
  p.show(100, 61);
  await quiet(p);
  const fetched = globalThis.fetch;
  s.entries = 101;
  p.arrive([call(101)], 101);
  p.show(101, 62);
  globalThis.fetch = (async () => new Response('{}', { status: 503 })) as unknown as typeof fetch;
  p.effects();
  await quiet(p);
  globalThis.fetch = fetched;
  p.effects();
  await quiet(p);
  assert.ok(p.at(101)?.effect);
});

test('an answer that ends before its page does is gone on with', async () => {
  const s = server(200), p = await rows(200);
  const fetched = globalThis.fetch;
  globalThis.fetch = (async (target: string) => {
    const { entries } = JSON.parse(await (await fetched(target)).text());
    const some = entries.slice(0, 30);
    return new Response(JSON.stringify({ entries: some, ...(some.length < entries.length ? { next: some.at(-1).seq } : {}) }));
  }) as typeof fetch;
  p.show(200, 150);
  await quiet(p);
  assert.equal(missing(p, 150, 200), 0);
  assert.equal(s.asked.length, 7);
});

test('with filters each call comes once, also one that comes while the first ones are asked for', async () => {
  const { Filtered } = await import('../src/views/journal-rows');
  const { head } = await import('../src/app/state');
  let n = 100;
  const waiting: Array<() => void> = [];
  globalThis.fetch = (async (target: string) => {
    const query = new URL(target, 'http://localhost').searchParams, newest = query.get('order') === 'newest';
    await new Promise<void>((done) => waiting.push(done));
    const before = Number(query.get('before') ?? n + 1), all = calls(Number(query.get('after') ?? 0) + 1, Math.min(n, before - 1)) as Array<{ seq: number }>;
    const limit = Number(query.get('limit')), list = newest ? all.reverse().slice(0, limit) : all.slice(0, limit);
    return new Response(JSON.stringify({ entries: list, ...(list.length < all.length ? { next: list.at(-1)!.seq } : {}) }));
  }) as typeof fetch;
  const answer = async () => {
    await turn();
    while (waiting.length) {
      for (const done of waiting.splice(0)) done();
      for (let i = 0; i < 5; i++) await turn();
    }
  };
  head.value = 100;
  let now = 0;
  const time = { now: () => now, pause: async (ms: number) => void (now += ms), many: () => false };
  const p = new Filtered('office', { method: 'x' }, new AbortController(), () => {}, time);
  void p.older();
  n = 101;
  p.newer(101);
  await answer();
  const whole = () => p.rows.every((e, i) => !i || e.seq === p.rows[i - 1]!.seq - 1);
  assert.ok(whole());
  assert.deepEqual([p.rows[0]!.seq, p.rows.length], [101, 101]);
  // of very many the oldest are dropped, and can be asked for again
  for (n = 301; n < 9000; n += 200) {
    p.show(50, 90);
    p.newer(n);
    await answer();
  }
  assert.ok(p.rows.length <= 6000 && whole() && p.more, String(p.rows.length));
  p.show(p.rows.length - 40, p.rows.length);
  await answer();
  assert.ok(p.rows.length > 6000 && whole());
  // where the first row is in sight more than are in sight are not gone through: the newest ones come, and those before them when they are looked at
  p.show(0, 40);
  n += 5000;
  p.newer(n);
  await answer();
  assert.deepEqual([p.rows[0]!.seq, p.rows.length, p.more, whole()], [n, 60, true, true]);
  p.show(20, 60);
  await answer();
  assert.ok(p.rows.length >= 260 && whole());
});

test('pages are dropped where rows come by themselves, and not those in sight', async () => {
  server(0);
  const p = await rows(0);
  for (let n = 0; n < 20000; n += 500) {
    p.arrive(calls(n + 1, n + 500), n + 500);
    p.show(n + 500, n + 460);
  }
  assert.ok(p.pages.size <= 30, String(p.pages.size));
  assert.equal(missing(p, 19960, 20000), 0);
});
