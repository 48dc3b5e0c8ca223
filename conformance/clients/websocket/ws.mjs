// SPDX-License-Identifier: Apache-2.0
// ws, the WebSocket client of most programs on Node (Slack's SDK among them), against a service made for tests
// (tests/support/line.h): sessions, notes that are acknowledged, what happens when connections end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import WebSocket from 'ws';
import { control, finish, server, start, step } from '../harness.mjs';

await start([], []); // of the program that has that service
const base = server.url.replace('http', 'ws');

/** A client of an app whose hello has come; `messages` are those that came after it, parsed. */
async function connect(app, path = '', options = {}) {
  const socket = new WebSocket(`${base}${path}/line?app=${app}`, ['line.v9', 'line.v2'], options);
  const messages = [];
  const waiting = [];
  socket.on('message', (data) => {
    const message = JSON.parse(data);
    if (waiting.length) waiting.shift()(message);
    else messages.push(message);
  });
  socket.next = () => new Promise((resolve, reject) => {
    if (messages.length) return resolve(messages.shift());
    const timer = setTimeout(() => reject(new Error('no message came')), 500_000);
    waiting.push((message) => { clearTimeout(timer); resolve(message); });
  });
  socket.hello = socket.next();
  socket.pending = messages;
  await once(socket, 'open');
  socket.hello = await socket.hello;
  return socket;
}

const note = (app, text, path = '') => fetch(`${server.url}${path}/notes?app=${app}&text=${text}`, { method: 'POST' });
const delivery = async (world, id) =>
  (await control('GET', `/worlds/${world}/outbox?limit=1000`)).entries.find(entry => entry.id === id).delivery;

await step('a session opens with a subprotocol and a greeting', async () => {
  const socket = await connect('A1');
  assert.equal(socket.protocol, 'line.v2');
  assert.deepEqual(socket.hello, { type: 'hello', connections: 1 });
  socket.send('grüß dich');
  assert.deepEqual(await socket.next(), { type: 'echo', text: 'grüß dich' });
  socket.close(1000);
  const [code] = await once(socket, 'close');
  assert.equal(code, 1000);
});

await step('a refusal is an HTTP response', async () => {
  const socket = new WebSocket(`${base}/line?app=full`);
  const [, response] = await once(socket, 'unexpected-response');
  assert.equal(response.statusCode, 429);
  socket.on('error', () => {});
  socket.terminate();
});

await step('each note goes to one of several connections, and is delivered when it is acknowledged', async () => {
  const sockets = [await connect('A2'), await connect('A2')];
  await note('A2', 'one');
  await note('A2', 'two');
  const notes = await Promise.all(sockets.map(socket => socket.next()));
  assert.deepEqual(notes.map(n => n.text).sort(), ['one', 'two']);
  for (const [i, socket] of sockets.entries()) {
    assert.equal((await delivery('line', notes[i].id)).state, 'pending');
    socket.send(`ack ${notes[i].id} thanks`);
    socket.send('done?');
    assert.equal((await socket.next()).type, 'echo');
    assert.equal((await delivery('line', notes[i].id)).state, 'delivered');
    socket.close();
  }
});

await step('a note without acknowledgement comes again by the clock of the world', async () => {
  const socket = await connect('A3');
  await note('A3', 'again');
  assert.equal((await socket.next()).attempt, 1);
  await control('POST', '/worlds/line/clock/advance', { seconds: 10 });
  assert.equal((await socket.next()).attempt, 2);
  socket.terminate();
  const other = await connect('A3');
  assert.equal((await other.next()).attempt, 3);
  other.close();
});

await step('a fork has no sessions and sends nothing that was pending', async () => {
  const socket = await connect('A4');
  await note('A4', 'parent');
  await socket.next();
  const { world } = await control('POST', '/worlds/line/fork', {});
  const forked = await connect('A4', `/w/${world}`);
  assert.equal(forked.hello.connections, 1);
  await note('A4', 'own', `/w/${world}`);
  assert.equal((await forked.next()).text, 'own');
  assert.equal(socket.pending.length, 0);
  await control('POST', `/worlds/${world}/reset`, {});
  const [code, reason] = await once(forked, 'close');
  assert.deepEqual([code, String(reason)], [1012, 'the world was reset']);
  socket.close();
});

await step('a large message and compression that is offered and not taken', async () => {
  const socket = await connect('A5', '', { perMessageDeflate: true });
  assert.equal(socket.extensions, '');
  socket.send('x'.repeat(60000));
  assert.equal((await socket.next()).text.length, 60000);
  socket.send('x'.repeat(70000));
  const [code] = await once(socket, 'close');
  assert.equal(code, 1009);
});

await step('pings are answered', async () => {
  const socket = await connect('A6');
  socket.ping('there?');
  const [data] = await once(socket, 'pong');
  assert.equal(String(data), 'there?');
  socket.close();
});

await finish();
