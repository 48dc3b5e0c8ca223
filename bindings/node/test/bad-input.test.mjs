// SPDX-License-Identifier: Apache-2.0
// Whatever comes: an Error, never a crash; and nothing that grows.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ADA, clientRequire, engine, event, EVENTS, slackWorld, small, sosia, test } from './support.mjs';

const call = (world, members) => world.call({ url: EVENTS, as: ADA, ...members });

test('wrong types are TypeErrors', () => {
  const world = small();
  for (const request of [undefined, null, 5, 'GET /', {}, { url: 5 }, { url: {} }, { url: 'no/url' }, { url: EVENTS, method: 5 }, { url: EVENTS, method: {} },
    { url: EVENTS, headers: 5 }, { url: EVENTS, headers: { 'a b': 'c' } }, { url: EVENTS, headers: { a: 'b\nc: d' } }, { url: EVENTS, body: 5 }, { url: EVENTS, body: {} },
    { url: EVENTS, body: Symbol('x') }, { url: EVENTS, baseUrl: 5 }, { url: EVENTS, headers: { a: Symbol('x') } }])
    assert.throws(() => world.call(request), TypeError, JSON.stringify(request));
  for (const wrong of [5, {}, [], null, Symbol('x'), () => {}]) {
    assert.throws(() => world.token(wrong), TypeError);
    assert.throws(() => engine.find(wrong), TypeError);
  }
  for (const wrong of [1.5, NaN, Infinity, 2 ** 60, 1n << 70n, 'x', {}, true]) assert.throws(() => world.changes(wrong), TypeError, String(wrong));
  for (const wrong of [1, 'x', null]) assert.throws(() => engine.suite(wrong), wrong === 'x' ? sosia.SosiaError : TypeError);
  assert.throws(() => world.fork({ clock: 'quick' }), TypeError);
  assert.throws(() => world.fork({ seed: 'x' }), TypeError);
  assert.throws(() => world.fork(5), TypeError);
  for (const step of [-1, -(2 ** 40), 1e9]) {
    assert.throws(() => world.step(step), { code: 'NOT_FOUND', reason: 'stepNotFound' });
    assert.throws(() => world.reset({ step }), { code: 'NOT_FOUND', reason: 'stepNotFound' });
  }
  assert.throws(() => world.fork({ name: {} }), TypeError);
  assert.throws(() => world.diff({ form: 'prose' }), TypeError);
  assert.throws(() => world.rates('yes'), TypeError);
  assert.throws(() => world.seed(5), TypeError);
  assert.throws(() => new sosia.Engine({ maxWorlds: 'x' }), TypeError);
  assert.throws(() => new sosia.Engine({ oauth: 'x' }), TypeError);
  assert.throws(() => new sosia.Engine(5), TypeError);
  assert.throws(() => engine.world({ fixture: 'none' }), { code: 'NOT_FOUND', reason: 'fixtureNotFound' });
  assert.throws(() => engine.world({ fixture: 'small', document: {} }), TypeError);
  assert.equal(call(world, {}).status, 200);
});

test('the addon itself takes nothing that is not an engine, a world, a suite', () => {
  const native = clientRequire(process.env.SOSIA_NODE_ADDON);
  const odd = [undefined, null, -1, 1.5, 1e9, 'x', {}, [], Symbol('x'), 1n, () => {}, new Proxy({}, { get() { throw new Error('mine'); } })];
  const own = new sosia.Engine();
  own.world({ fixture: 'small' });
  for (const [name, fn] of Object.entries(native)) {
    if (name === 'open' || name === 'versions') continue; // they take nothing
    for (const a of odd) for (const b of odd) {
      for (const args of [[], [a], [a, b], [a, b, a, b, a, b, a, b], [own._id, a, b, a, b, a, b], [own._id, 0, 0, a, b, a, b]]) {
        try {
          fn(...args);
        } catch (error) {
          assert.ok(error instanceof Error);
        }
      }
    }
    assert.throws(() => fn(null, undefined), Error, name);
  }
});

test('fetch() refuses what the global one refuses', async () => {
  const { fetch } = small().asActor(ADA);
  for (const [url, init] of [[undefined], ['no url'], [EVENTS, { method: 'G T' }], [EVENTS, { method: '' }], [EVENTS, { body: 'x' }], [EVENTS, { method: 'HEAD', body: new Blob(['x']) }],
    [EVENTS, { headers: { 'a b': 'c' } }], [EVENTS, { method: 'POST', body: new ReadableStream({ pull(c) { c.enqueue(5); } }), duplex: 'half' }]])
    await assert.rejects(fetch(url, init), TypeError, JSON.stringify([url, init]));
  assert.equal((await fetch(EVENTS, { method: 'get' })).status, 200);
});

test('NUL and halves of surrogates are refused where they can\'t be', () => {
  const world = small();
  assert.throws(() => call(world, { url: '/a\0b' }), /NUL/);
  assert.throws(() => call(world, { method: 'GE\0T' }), /NUL/);
  assert.throws(() => call(world, { headers: { a: 'b\0c' } }), /NUL/);
  assert.throws(() => call(world, { baseUrl: 'http://x\0' }), /NUL/);
  assert.throws(() => world.fork({ name: 'a\0b' }), /NUL/);
  assert.throws(() => call(world, { url: '/a\ud800b' }), /surrogate/);
  assert.throws(() => call(world, { headers: { a: 'b\udc00' } }), /surrogate/);
  assert.throws(() => call(world, { method: 'POST', body: '"\ud800"' }), /surrogate/);
  const made = call(world, { method: 'POST', json: event('a\u0000b \u{1f600}') }); // JSON has a way to say it
  assert.ok([200, 400].includes(made.status));
  assert.equal(call(world, { method: 'POST', body: '{"summary": "a\0b"}' }).status, 400);
});

test('closed engines and dropped worlds are errors', async () => {
  const own = new sosia.Engine();
  const world = own.world({ fixture: 'small' });
  const gone = world.fork();
  gone.drop();
  for (const fn of [() => gone.call({ url: EVENTS, as: ADA }), () => gone.call({ url: EVENTS }), () => gone.fork(), () => gone.reset(), () => gone.dump(), () => gone.drop(), () => gone.clock()])
    assert.throws(fn, { name: 'SosiaError', code: 'NOT_FOUND' });
  await assert.rejects(gone.callAsync({ url: EVENTS }), { code: 'NOT_FOUND' });
  await assert.rejects(gone.fetch(EVENTS), { code: 'NOT_FOUND' });
  own.close();
  own.close();
  assert.ok(own.closed);
  for (const fn of [() => world.call({ url: EVENTS }), () => world.fork(), () => world.drop(), () => own.world(), () => own.worlds(), () => own.info(), () => own.find('x')])
    assert.throws(fn, { name: 'SosiaError', code: 'GONE', reason: 'engineClosed' });
  await assert.rejects(world.callAsync({ url: EVENTS }), { code: 'GONE' });
  await assert.rejects(world.fetch(EVENTS), { code: 'GONE' });
  assert.throws(() => small().reset({ to: world }), TypeError);
});

test('large bodies and requests: what is too large is answered, or an error', () => {
  const world = small();
  assert.equal(call(world, { method: 'POST', json: event('x'.repeat(200_000)) }).status < 500, true);
  assert.ok(call(world, { url: `${EVENTS}?q=${'x'.repeat(300_000)}` }).status >= 200);
  assert.ok(call(world, { headers: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`X-H-${i}`, 'y'.repeat(50)])) }).status >= 200);
  const big = Buffer.alloc(80 << 20, ' ');
  assert.throws(() => call(world, { method: 'POST', body: big, headers: { 'Content-Type': 'application/json' } }), { code: 'TOO_LARGE', status: 413 });
  assert.equal(call(world, { method: 'POST', body: new ArrayBuffer(8) }).status, 400);
  assert.equal(call(world, { method: 'POST', body: new Uint16Array(4) }).status, 400);
  assert.equal(call(world, { method: 'POST', body: new Uint8Array(0) }).status, 400);
});

test('what a callback throws ends neither the process nor the deliveries', () => {
  const program = `
    const sosia = require(${JSON.stringify(clientRequire.resolve('../../bindings/node/index.cjs'))});
    const { slackWorld } = JSON.parse(process.argv[1]);
    const engine = new sosia.Engine();
    const world = engine.world({ document: slackWorld });
    let seen = 0;
    world.onDelivery(() => { if (seen++ === 0) throw new Error('mine'); }, { onError: (error) => console.log('error', error.message) });
    const say = () => world.asActor('ada@acme.example').call({ method: 'POST', url: 'https://slack.com/api/chat.postMessage', json: { channel: 'C0DEV', text: '<@U0DEPLOY>' } });
    say(); say();
    const end = () => {
      const given = world.outbox().map(e => e.delivery.status);
      if (!given.every(Boolean)) return setTimeout(end, 5);
      console.log('seen', seen, given.join());
    };
    end();`;
  const ran = spawnSync(process.execPath, ['-e', program, JSON.stringify({ slackWorld })], { encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(ran.stdout, 'error mine\nseen 2 500,200\n');
});

test('100,000 forks are made and dropped, and answers are let go, without growth', () => {
  const program = `
    const { Engine } = require(${JSON.stringify(clientRequire.resolve('../../bindings/node/index.cjs'))});
    const world = new Engine().world({ fixture: 'small' });
    const headers = { Authorization: 'Bearer ' + world.token('${ADA}', { value: 'fixed-token-of-ada' }) };
    const cycle = (n) => {
      for (let i = 0; i < n; i++) {
        const fork = world.fork();
        if (i % 50 === 0 && fork.call({ url: '${EVENTS}', headers }).json().items.length === 0) throw new Error('no events');
        fork.drop();
      }
      gc();
      return process.memoryUsage.rss() >> 10;
    };
    cycle(30_000);
    console.log(cycle(10_000), cycle(90_000));`;
  const ran = spawnSync(process.execPath, ['--expose-gc', '-e', program], { encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  const [before, after] = ran.stdout.split(' ').map(Number);
  assert.ok(after < before + 4096, `${before} KiB before, ${after} KiB behind`);
});

test('engines that nobody has any more are closed, those with worlds are not', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const kept = (() => new sosia.Engine().world({ fixture: 'small' }))();
  const id = (() => new sosia.Engine()._id)();
  const native = clientRequire(process.env.SOSIA_NODE_ADDON);
  let closed = false;
  for (let i = 0; i < 2000 && !closed; i++) {
    gc();
    await new Promise(resolve => { setTimeout(resolve, 5); });
    try {
      native.info(id);
    } catch (error) {
      closed = error.reason === 'engineClosed';
    }
  }
  assert.ok(closed);
  assert.equal(kept.call({ url: EVENTS, as: ADA }).status, 200);
  kept.engine.close();
});
