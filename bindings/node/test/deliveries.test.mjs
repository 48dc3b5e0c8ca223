// SPDX-License-Identifier: Apache-2.0
// What a world sends to receivers, answers that go on, and threads.
import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { ADA, clientRequire, engine, EVENTS, sdk, slackWorld, small, sosia, test } from './support.mjs';

const say = (world, text) => world.asActor('ada@acme.example').call({ method: 'POST', url: 'https://slack.com/api/chat.postMessage', json: { channel: 'C0DEV', text } });

test('deliveries come as an async iterable, what was due before first', async () => {
  const world = engine.world({ document: slackWorld });
  say(world, 'one <@U0DEPLOY>');
  const stop = new AbortController();
  const seen = [];
  for await (const delivery of world.deliveries({ signal: stop.signal })) {
    seen.push(delivery.json().event.text);
    assert.equal(delivery.url, 'https://bot.example/slack/events');
    assert.equal(delivery.headers['Content-Type'], 'application/json');
    assert.equal((await delivery.request().json()).type, 'event_callback');
    assert.equal(delivery.respond({ status: 200 }), null);
    assert.throws(() => delivery.respond(), { reason: 'deliveryNotFound' });
    if (seen.length === 1) say(world, 'two <@U0DEPLOY>');
    else stop.abort();
  }
  assert.deepEqual(seen, ['one <@U0DEPLOY>', 'two <@U0DEPLOY>']);
  assert.deepEqual(world.outbox().map(e => e.delivery.state), ['delivered', 'delivered']);
});

test('what fails is delivered again when the world\'s clock says so', async () => {
  const world = engine.world({ document: slackWorld });
  const attempts = [];
  const stop = world.onDelivery((delivery) => {
    attempts.push([delivery.attempt, delivery.headers['X-Slack-Retry-Num']]);
    return { status: attempts.length < 3 ? 500 : 200 };
  });
  const made = async (n) => {
    while (attempts.length < n || world.outbox()[0].delivery.attempts < n) await new Promise(resolve => { setTimeout(resolve, 5); });
  };
  say(world, '<@U0DEPLOY>');
  await made(1);
  world.advance({ seconds: 2 });
  await made(2);
  world.advance({ minutes: 2 });
  await made(3);
  stop();
  assert.deepEqual(attempts, [[1, undefined], [2, '1'], [3, '2']]);
  assert.equal(world.outbox()[0].delivery.state, 'delivered');
});

test('an iterable ends with its world\'s engine', async () => {
  const own = new sosia.Engine();
  const world = own.world({ document: slackWorld });
  const all = (async () => { for await (const delivery of world.deliveries()) assert.fail(delivery); })();
  await new Promise(resolve => { setTimeout(resolve, 5); });
  own.close();
  await all;
});

test('an answer that goes on is read as it comes', async () => {
  const { Client } = await sdk('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await sdk('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } = await sdk('@modelcontextprotocol/sdk/types.js');
  const world = small();
  const client = new Client({ name: 'test', version: '1' });
  const notified = [];
  for (const schema of [ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema]) client.setNotificationHandler(schema, (n) => { notified.push(n.method); });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: world.asActor(ADA).fetch }));
  const answer = await world.asActor(ADA).callAsync({ url: '/mcp', headers: { Accept: 'text/event-stream', 'MCP-Protocol-Version': client.transport?.protocolVersion ?? '2025-11-25', ...(client.transport?.sessionId && { 'Mcp-Session-Id': client.transport.sessionId }) } });
  assert.equal(answer.status, 200, answer.text());
  assert.ok(answer.stream instanceof sosia.Stream);
  answer.stream.close();
  assert.equal(await answer.stream.read(), undefined);
  await client.close();
});

test('each worker has engines of its own, whether it ends or is ended', async () => {
  const program = `
    const { parentPort } = require('node:worker_threads');
    const { Engine } = require(${JSON.stringify(clientRequire.resolve('../../bindings/node/index.cjs'))});
    const world = new Engine().world({ fixture: 'small' });
    let n = 0;
    for (let i = 0; i < 200; i++) {
      const fork = world.fork();
      n += fork.asActor('${ADA}').call({ url: '${EVENTS}' }).json().items.length > 0;
      fork.drop();
    }
    parentPort.postMessage(n);
    if (process.argv.includes('wait')) { world.callAsync({ url: '${EVENTS}' }); setInterval(() => world.fork(), 1); }`;
  const workers = Array.from({ length: 4 }, (_, i) => new Worker(program, { eval: true, argv: i % 2 ? ['wait'] : [] }));
  const exits = workers.map(w => once(w, 'exit'));
  const said = await Promise.all(workers.map(w => once(w, 'message')));
  assert.deepEqual(said.flat(), [200, 200, 200, 200]);
  await Promise.all(workers.map((w, i) => i % 2 ? w.terminate() : exits[i]));
  assert.equal(small().call({ url: EVENTS, as: ADA }).status, 200);
});
