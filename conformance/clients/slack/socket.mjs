// SPDX-License-Identifier: Apache-2.0
// Bolt over Socket Mode, and the Socket Mode client by itself: connections, acknowledgements, reconnecting.
import assert from 'node:assert/strict';
import bolt from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { WebClient } from '@slack/web-api';
import { control, finish, start, step, until, world } from '../harness.mjs';
import { acme } from './acme.mjs';

await start();
const w = await world(acme);
const tokens = await control('GET', `/worlds/${w.key}/credentials?kind=slack&actor=deploy@acme.example`);
const clientOptions = { slackApiUrl: `${w.url}api/` };
const ada = new WebClient(w.tokens['ada@acme.example'], clientOptions);
const post = (text, more) => ada.chat.postMessage({ channel: 'C0DEV', text, ...more });

await step('Bolt answers a mention in its thread', async () => {
  const app = new bolt.App({ token: tokens.slack_bot, appToken: tokens.slack_app, socketMode: true, clientOptions, logLevel: 'error' });
  app.event('app_mention', async ({ event, say }) => { await say({ text: `hello <@${event.user}>`, thread_ts: event.ts }); });
  await app.start();
  const { ts } = await post('hey <@U0DEPLOY>');
  const messages = await until(async () => {
    const thread = await ada.conversations.replies({ channel: 'C0DEV', ts });
    return thread.messages.length > 1 && thread.messages;
  });
  assert.deepEqual(messages.map(m => m.text), ['hey <@U0DEPLOY>', 'hello <@U0ADA>']);
  await app.stop();
});

// expected: the messages that are looked at; others may come too, such as what Bolt had not acknowledged when it stopped.
const connect = async (expected) => {
  const got = [];
  const client = new SocketModeClient({ appToken: tokens.slack_app, clientOptions, logLevel: 'error' });
  client.on('message', async ({ event, ack, retry_num: n }) => {
    if (expected.test(event.text)) got.push({ text: event.text, retry: n });
    if (event.text !== 'unacknowledged' || n) await ack();
  });
  await client.start();
  return { client, got };
};

await step('each of several connections gets some', async () => {
  const a = await connect(/^m[0-5]$/);
  const b = await connect(/^m[0-5]$/);
  for (let i = 0; i < 6; i++) await post(`m${i}`);
  await until(() => a.got.length + b.got.length === 6);
  assert.ok(a.got.length && b.got.length);
  assert.deepEqual([...a.got, ...b.got].map(g => g.text).sort(), ['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
  await a.client.disconnect();
  await b.client.disconnect();
});

await step('what is not acknowledged comes again', async () => {
  const { client, got } = await connect(/^unacknowledged$/);
  await post('unacknowledged');
  await until(() => got.length === 1);
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 4 });
  await until(() => got.length === 2);
  assert.equal(got[1].retry, 1);
  await client.disconnect();
});

await step('a command that is not acknowledged has failed, though the world has a frozen clock', async () => {
  const { client } = await connect(/^$/);
  const { failure, ephemeral } = await control('POST', `/worlds/${w.key}/act`, {
    actor: 'ada@acme.example', service: 'slack', do: { command: { channel: 'dev', command: '/deploy' } },
  });
  assert.equal(failure, 'http_timeout');
  assert.match(ephemeral.text, /did not respond/);
  await client.disconnect();
});

await step('an old connection is renewed, and nothing is lost', async () => {
  const { client, got } = await connect(/^after$/);
  const connected = new Promise(resolve => { client.once('connected', resolve); });
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 18060 });
  await connected;
  await post('after');
  await until(() => got.some(g => g.text === 'after'));
  await client.disconnect();
});

await finish();
