// SPDX-License-Identifier: Apache-2.0
// Large bodies, up and down, come in pieces: a program never has them whole in its memory.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ADA, engine, EVENTS, sdk, serve, small, sosia, test } from './support.mjs';

const FILES = 'https://www.googleapis.com/drive/v3/files';
const UPLOAD = 'https://www.googleapis.com/upload/drive/v3/files?uploadType=media';
const PIECE = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
const SIZE = 40 * PIECE.length; // beyond what an engine keeps in memory
const TYPE = { 'Content-Type': 'application/x-thing' };

async function* pieces(n = SIZE / PIECE.length) {
  for (let i = 0; i < n; i++) yield PIECE;
}
const hash = createHash('sha256');
for (let i = 0; i < SIZE / PIECE.length; i++) hash.update(PIECE);
const DIGEST = hash.digest('hex');

async function digest(body) {
  const sum = createHash('sha256');
  let n = 0, largest = 0;
  for await (const piece of body) {
    sum.update(piece);
    n += piece.length;
    largest = Math.max(largest, piece.length);
  }
  return { n, largest, hex: sum.digest('hex') };
}

async function holds(ada, id) {
  const about = (await ada.callAsync({ url: `${FILES}/${id}?fields=size,sha256Checksum` })).json();
  assert.deepEqual(about, { size: String(SIZE), sha256Checksum: DIGEST });
}

test('a request\'s body is taken piece by piece, an answer\'s as it is read', async () => {
  const ada = small().asActor(ADA);
  const made = await ada.fetch(UPLOAD, { method: 'POST', body: pieces(), headers: TYPE, duplex: 'half' });
  assert.equal(made.status, 200, await made.clone().text());
  const { id } = await made.json();
  await holds(ada, id);

  const got = await ada.fetch(`${FILES}/${id}?alt=media`);
  assert.equal(got.headers.get('content-length'), String(SIZE));
  const { n, largest, hex } = await digest(got.body);
  assert.deepEqual([n, hex], [SIZE, DIGEST]);
  assert.ok(largest <= 65536, `a piece had ${largest} bytes`);
  assert.equal(Buffer.from(await (await ada.fetch(`${FILES}/${id}?alt=media`)).arrayBuffer()).length, SIZE);

  // What was not read is not made, and a later change is not seen.
  const early = (await ada.fetch(`${FILES}/${id}?alt=media`)).body.getReader();
  const first = await early.read();
  assert.equal((await ada.callAsync({ method: 'PATCH', url: `https://www.googleapis.com/upload/drive/v3/files/${id}?uploadType=media`, headers: TYPE, body: 'other' })).status, 200);
  assert.ok(Buffer.from((await early.read()).value).equals(Buffer.concat([PIECE, PIECE]).subarray(first.value.length, first.value.length * 2)));
  await early.cancel();
  assert.equal(await (await ada.fetch(`${FILES}/${id}?alt=media`)).text(), 'other');
});

test('a HEAD says how long the body is, and has none of it', async () => {
  const ada = small().asActor(ADA);
  for (const size of [10, SIZE]) {
    const { id } = (await ada.callAsync({ method: 'POST', url: UPLOAD, headers: TYPE, body: pieces(Math.ceil(size / PIECE.length)) })).json();
    const url = `${FILES}/${id}?alt=media`;
    const whole = String((await ada.callAsync({ url })).length);
    for (const answer of [ada.call({ method: 'HEAD', url }), await ada.callAsync({ method: 'HEAD', url, stream: true })])
      assert.deepEqual([answer.status, answer.headers['content-length'], answer.length, answer.stream], [200, whole, 0, undefined]);
    for (const send of [ada.fetch, (to, init) => fetch(to, { dispatcher: ada.dispatcher, ...init })]) {
      const head = await send(url, { method: 'HEAD' });
      assert.deepEqual([head.headers.get('content-length'), (await head.arrayBuffer()).byteLength], [whole, 0]);
    }
    const got = await new Promise((resolve, reject) => { https.request(url, { agent: ada.agent, method: 'HEAD' }, resolve).on('error', reject).end(); });
    assert.deepEqual([got.headers['content-length'], (await got.toArray()).length], [whole, 0]);
  }
});

test('every kind of body that has pieces', async () => {
  const ada = small().asActor(ADA);
  const all = Buffer.concat(Array.from({ length: SIZE / PIECE.length }, () => PIECE));
  for (const body of [() => pieces(), () => Readable.from(pieces()), () => new Blob([all]), () => new Blob([all]).stream(), () => Readable.toWeb(Readable.from(pieces()))]) {
    const made = await ada.fetch(UPLOAD, { method: 'POST', body: body(), headers: TYPE, duplex: 'half' });
    await holds(ada, (await made.json()).id);
    const called = await ada.callAsync({ method: 'POST', url: UPLOAD, headers: TYPE, body: body() });
    await holds(ada, called.json().id);
  }
  const request = new Request(UPLOAD, { method: 'POST', body: new Blob([all]).stream(), headers: TYPE, duplex: 'half' });
  await holds(ada, (await (await ada.fetch(request)).json()).id);
  await assert.rejects(ada.fetch(request), /read/);
  assert.throws(() => ada.call({ method: 'POST', url: UPLOAD, body: pieces() }), /callAsync/);
});

test('callAsync() gives a large body by a stream where it is asked for so', async () => {
  const ada = small().asActor(ADA);
  const { id } = (await ada.callAsync({ method: 'POST', url: UPLOAD, headers: TYPE, body: pieces() })).json();
  const url = `${FILES}/${id}?alt=media`;
  const answer = await ada.callAsync({ url, stream: true });
  assert.ok(answer.stream instanceof sosia.Stream);
  assert.deepEqual([answer.status, answer.headers['content-length']], [200, String(SIZE)]);
  assert.equal((await digest(answer.stream)).hex, DIGEST);
  assert.equal(await answer.stream.read(), undefined);
  assert.equal((await ada.callAsync({ url })).body.length, SIZE);
  const few = await ada.callAsync({ url: EVENTS, stream: true });
  assert.equal(few.stream, undefined);
  assert.ok(few.json().items.length);
});

test('a dispatcher and an agent', async () => {
  const undici = await sdk('undici');
  const ada = small().asActor(ADA);
  for (const send of [fetch, undici.fetch]) {
    const made = await send(UPLOAD, { dispatcher: ada.dispatcher, method: 'POST', body: pieces(), headers: TYPE, duplex: 'half' });
    const { id } = await made.json();
    await holds(ada, id);
    assert.equal((await digest((await send(`${FILES}/${id}?alt=media`, { dispatcher: ada.dispatcher })).body)).hex, DIGEST);
  }
  const made = await undici.request(UPLOAD, { dispatcher: ada.dispatcher, method: 'POST', body: Readable.from(pieces()), headers: TYPE });
  const { id } = await made.body.json();
  await holds(ada, id);

  const answered = Promise.withResolvers ? Promise.withResolvers() : (() => { const d = {}; d.promise = new Promise((a, b) => { d.resolve = a; d.reject = b; }); return d; })();
  const request = https.request(UPLOAD, { agent: ada.agent, method: 'POST', headers: TYPE }, answered.resolve).on('error', answered.reject);
  await pipeline(pieces(), request);
  const response = await answered.promise;
  await holds(ada, JSON.parse(Buffer.concat(await response.toArray())).id);
  const got = await new Promise((resolve, reject) => { http.get(`${FILES.replace('https', 'http')}/${id}?alt=media`, { agent: ada.agent }, resolve).on('error', reject); });
  assert.equal(got.headers['content-length'], String(SIZE));
  assert.equal((await digest(got)).hex, DIGEST);
});

test('a body that breaks off, or is too large, changes nothing', async () => {
  const world = small();
  const ada = world.asActor(ADA);
  const { token } = ada; // made before
  assert.ok(token);
  const before = world.hash();
  async function* broken() {
    yield* pieces(20);
    throw new Error('the program\'s own');
  }
  for (const send of [() => ada.fetch(UPLOAD, { method: 'POST', body: broken(), headers: TYPE }), () => ada.callAsync({ method: 'POST', url: UPLOAD, body: broken(), headers: TYPE })])
    await assert.rejects(send(), /the program's own/);
  for (const wrong of [[PIECE, 5], [PIECE, {}], [null], ['\ud800']]) await assert.rejects(ada.callAsync({ method: 'POST', url: UPLOAD, body: wrong }), TypeError);
  await assert.rejects(ada.callAsync({ method: 'POST', url: EVENTS, body: pieces(700), headers: { 'Content-Type': 'application/json' } }), { code: 'TOO_LARGE' });
  assert.equal(world.hash(), before);
});

test('what is aborted while its body is sent changes nothing', async () => {
  const world = small();
  const ada = world.asActor(ADA);
  const { token } = ada; // made before
  assert.ok(token);
  const before = world.hash();
  for (const send of [ada.fetch, (url, init) => fetch(url, { dispatcher: ada.dispatcher, ...init })]) {
    for (const last of [false, true]) { // amid its pieces, and behind the last of them
      const aborter = new AbortController();
      let over;
      const ended = new Promise((resolve) => { over = resolve; });
      async function* sent() {
        try {
          yield* pieces(10);
          aborter.abort(new Error('mine'));
          if (!last) yield* pieces(10);
        } finally {
          over();
        }
      }
      await assert.rejects(send(UPLOAD, { method: 'POST', body: sent(), headers: TYPE, duplex: 'half', signal: aborter.signal }), /mine/);
      await ended;
      await turn();
      await engine.settled();
      assert.equal(world.hash(), before);
    }
  }
  const request = https.request(UPLOAD, { agent: ada.agent, method: 'POST', headers: TYPE }).on('error', () => {});
  request.write(PIECE);
  await turn();
  request.destroy();
  await turn();
  await engine.settled();
  assert.equal(world.hash(), before);
});

test('a stream that is left, and an engine that is closed', async () => {
  const own = new sosia.Engine();
  const ada = own.world({ fixture: 'small' }).asActor(ADA);
  const { id } = (await ada.callAsync({ method: 'POST', url: UPLOAD, headers: TYPE, body: pieces() })).json();
  for await (const piece of (await ada.callAsync({ url: `${FILES}/${id}?alt=media`, stream: true })).stream) {
    assert.equal(piece.length, 65536);
    break;
  }
  const aborter = new AbortController();
  const left = await ada.fetch(`${FILES}/${id}?alt=media`, { signal: aborter.signal });
  aborter.abort();
  await turn();
  await left.text().catch(() => {}); // what there is ends
  const reader = (await ada.fetch(`${FILES}/${id}?alt=media`)).body.getReader();
  assert.equal((await reader.read()).value.length, 65536);
  own.close();
  await assert.rejects(reader.read(), { code: 'GONE', reason: 'engineClosed' });
});

/** An answer that goes on, of a session that is begun for it. */
async function goingOn(ada) {
  const url = 'https://mcp.example/mcp/calendar', headers = { Accept: 'application/json, text/event-stream' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const begun = ada.call({ method: 'POST', url, headers, json: { jsonrpc: '2.0', id: 1, method: 'initialize', params } });
  const { stream } = await ada.callAsync({ url, headers: { ...headers, 'Mcp-Session-Id': begun.headers['mcp-session-id'] } });
  assert.equal(stream.length, undefined);
  return stream;
}

test('all who wait for more see the end of a stream when its engine is closed', async () => {
  const own = new sosia.Engine();
  const stream = await goingOn(own.world({ fixture: 'small' }).asActor(ADA));
  const rest = [stream.read(), stream.read()];
  await turn();
  own.close();
  assert.deepEqual(await Promise.all(rest), [undefined, undefined]);
});

test('a stream that nobody has any more is collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  let gone = false;
  const registry = new FinalizationRegistry(() => { gone = true; });
  await (async () => { registry.register(await goingOn(small().asActor(ADA))); })();
  for (let i = 0; i < 1000 && !gone; i++) {
    collect();
    await turn();
  }
  assert.ok(gone);
});

test('the same over HTTP', async () => {
  const server = await serve('--fixture', 'small');
  const remote = sosia.connect(server.url, server.key);
  try {
    const ada = (await remote.find('small')).asActor(ADA);
    const made = await ada.fetch(UPLOAD, { method: 'POST', body: pieces(), headers: TYPE });
    assert.equal(made.status, 200);
    const { id } = await made.json();
    await holds(ada, id);
    assert.equal((await digest((await ada.fetch(`${FILES}/${id}?alt=media`)).body)).hex, DIGEST);
    const answer = await ada.callAsync({ url: `${FILES}/${id}?alt=media`, stream: true });
    assert.equal((await digest(answer.stream)).hex, DIGEST);
    assert.equal((await ada.callAsync({ url: `${FILES}/${id}?alt=media` })).body.length, SIZE);
    const head = await ada.fetch(`${FILES}/${id}?alt=media`, { method: 'HEAD' });
    assert.deepEqual([head.headers.get('content-length'), head.body], [String(SIZE), null]);
    const about = await new Promise((resolve, reject) => { https.get(`${FILES}/${id}`, { agent: ada.agent }, resolve).on('error', reject); });
    assert.equal(JSON.parse(Buffer.concat(await about.toArray())).id, id);
  } finally {
    await remote.close();
    await server.stop();
  }
  await engine.settled();
});
