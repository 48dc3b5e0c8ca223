// SPDX-License-Identifier: Apache-2.0
// WebSockets of a world in this process: Bolt and the Socket Mode client of Slack, unmodified, and frames by hand.
import assert from 'node:assert/strict';
import net from 'node:net';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { acme } from '../../../conformance/clients/slack/acme.mjs';
import { sdk, sosia } from './support.mjs';

const { Engine, intercept, RefusedError } = sosia;
const engine = new Engine();
const base = engine.world({ document: acme });
after(async () => { await engine.settled(); engine.close(); });

const tokensOf = world => world.credential('slack', 'deploy@acme.example');
const post = (world, text) => assert.equal(world.call({ method: 'POST', url: '/api/chat.postMessage', json: { channel: 'C0DEV', text }, as: 'ada@acme.example' }).json().ok, true);
const thread = world => world.call({ url: '/api/conversations.history?channel=C0DEV', as: 'ada@acme.example' }).json().messages.map(m => m.text);

test('Bolt by Socket Mode', async () => {
  const bolt = (await sdk('@slack/bolt')).default;
  const world = base.fork();
  const sockets = await world.sockets();
  const tokens = tokensOf(world);
  const app = new bolt.App({ token: tokens.slack_bot, appToken: tokens.slack_app, socketMode: true, clientOptions: { fetch: world.fetch }, logLevel: 'error' });
  const heard = new Promise((resolve) => {
    app.message(async ({ message, say }) => {
      if (message.bot_id) return;
      await say(`heard ${message.text}`);
      resolve();
    });
  });
  await app.start();
  post(world, 'hello');
  await heard;
  assert.ok(thread(world).includes('heard hello'));
  await app.stop();
  await sockets.close();
  assert.match(world.call({ method: 'POST', url: '/api/apps.connections.open', headers: { Authorization: `Bearer ${tokens.slack_app}` } }).json().url, /^wss:/);
  world.drop();
});

test('what is not acknowledged comes again, and intercepted programs reach the port', async () => {
  const { SocketModeClient } = await sdk('@slack/socket-mode');
  const world = base.fork();
  const sockets = await world.sockets();
  await intercept.run(world, async () => {
    const got = [];
    let more;
    const client = new SocketModeClient({ appToken: tokensOf(world).slack_app, logLevel: 'error' });
    client.on('message', async ({ event, ack, retry_num: n }) => {
      got.push([event.text, n]);
      if (n) await ack();
      more?.();
    });
    await client.start();
    const next = () => new Promise((resolve) => { more = resolve; });
    let came = next();
    post(world, 'once');
    await came;
    came = next();
    world.advance({ seconds: 4 });
    await came;
    assert.deepEqual(got, [['once', 0], ['once', 1]]);
    await client.disconnect();
    const elsewhere = net.connect(9, '127.0.0.1');
    const [error] = await once(elsewhere, 'error');
    assert.ok(error instanceof RefusedError);
  });
  await sockets.close();
  world.drop();
});

/** A WebSocket by hand: status, and a function that gives [kind, data] of the next frame. */
async function connect(url) {
  const at = new URL(url);
  const socket = net.connect(Number(at.port), at.hostname);
  socket.on('error', () => {});
  socket.write(`GET ${at.pathname}${at.search} HTTP/1.1\r\nHost: ${at.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`);
  const parts = socket[Symbol.asyncIterator]();
  let bytes = Buffer.alloc(0);
  const need = async (n) => {
    while (bytes.length < n) {
      const { value, done } = await parts.next();
      if (done) throw new Error('the connection has ended');
      bytes = Buffer.concat([bytes, value]);
    }
    const taken = bytes.subarray(0, n);
    bytes = bytes.subarray(n);
    return taken;
  };
  let head = '';
  while (!head.endsWith('\r\n\r\n')) head += (await need(1)).toString();
  const next = async () => {
    const [kind, size] = await need(2);
    return [kind & 15, await need(size === 126 ? (await need(2)).readUInt16BE() : size)];
  };
  return { socket, head, next };
}

const open = world => world.call({ method: 'POST', url: '/api/apps.connections.open', headers: { Authorization: `Bearer ${tokensOf(world).slack_app}` } }).json().url;

test('malformed frames end the connection with the code of RFC 6455', async () => {
  const world = base.fork();
  const sockets = await world.sockets();
  for (const [bytes, code] of [[[0x81, 1, 97], 1002], [[0xf1, 0x81, 1, 2, 3, 4, 97], 1002], [[0x83, 0x81, 1, 2, 3, 4, 97], 1002], [[0x80, 0x81, 1, 2, 3, 4, 97], 1002],
    [[9, 0x80, 1, 2, 3, 4], 1002], [[0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4], 1009], [[0x88, 0x82, 0, 0, 0, 0, 3, 232], 1000]]) {
    const { socket, head, next } = await connect(open(world));
    assert.match(head, /^HTTP\/1.1 101 .*Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/s);
    assert.equal((await next())[0], 1);
    socket.write(Buffer.from(bytes));
    const [kind, data] = await next();
    assert.deepEqual([kind, data.readUInt16BE()], [8, code]);
    socket.destroy();
  }
  const { head, socket } = await connect(`${sockets.url}/@wss-primary.slack.com/link/?ticket=nothing`);
  assert.doesNotMatch(head, /^HTTP\/1.1 101/);
  socket.destroy();
  assert.equal((await fetch(sockets.url.replace('ws', 'http'))).status, 426);
  await sockets.close();
  world.drop();
});

test('connections end with their world, and with their engine', async () => {
  const own = new Engine();
  const world = own.world({ document: acme });
  const first = world.fork();
  await first.sockets();
  await world.sockets();
  const [a, b] = [await connect(open(first)), await connect(open(world))];
  await a.next();
  await b.next();
  first.drop();
  assert.equal((await a.next())[0], 8);
  own.close();
  const [kind, data] = await b.next();
  assert.deepEqual([kind, data.readUInt16BE()], [8, 1001]);
  a.socket.destroy();
  b.socket.destroy();
});
