// SPDX-License-Identifier: Apache-2.0
// The client of the Real Time Messaging API, as bots of before Socket Mode use it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { RTMClient } from '@slack/rtm-api';
import { WebClient } from '@slack/web-api';
import { finish, start, step, until, world } from '../harness.mjs';
import { acme } from './acme.mjs';

await start();
const w = await world(acme);
const slackApiUrl = `${w.url}api/`;
const ada = new WebClient(w.tokens['ada@acme.example'], { slackApiUrl });

/** A client of somebody that is connected (start() ends before that), and the events that it got. */
async function connect(who, options) {
  const got = [];
  const client = new RTMClient(w.tokens[who], { slackApiUrl, logLevel: 'error' });
  client.on('slack_event', (type, event) => got.push(event));
  const ready = once(client, 'ready');
  const { self } = await client.start(options);
  await ready;
  const event = type => until(() => got.find(e => e.type === type));
  return { client, got, self, event };
}

await step('what somebody does in one client comes to the other', async () => {
  const own = await connect('ada@acme.example');
  await ada.conversations.mark({ channel: 'C0DEV', ts: '1771100000.000100' });
  assert.equal((await own.event('channel_marked')).ts, '1771100000.000100');
  const { channel } = await ada.conversations.create({ name: 'news' });
  assert.equal((await own.event('channel_joined')).channel.id, channel.id);
  await ada.users.setPresence({ presence: 'away' });
  assert.equal((await own.event('manual_presence_change')).presence, 'away');
  await own.client.disconnect();
});

await step('presence comes to those who subscribe', async () => {
  await ada.users.setPresence({ presence: 'auto' });
  await ada.apiCall('users.setActive');
  const bot = await connect('deploy@acme.example', { batch_presence_aware: true });
  await bot.client.subscribePresence(['U0ADA']);
  assert.deepEqual((await bot.event('presence_change')).users, ['U0ADA']);
  bot.got.length = 0;
  await ada.users.setPresence({ presence: 'away' });
  assert.equal((await bot.event('presence_change')).presence, 'away');
  await bot.client.disconnect();
});

// The last one: after a message whose reply has come this client (7.0.4) fails to disconnect.
await step('a bot reads a channel and answers', async () => {
  const bot = await connect('deploy@acme.example');
  assert.equal(bot.self.id, 'U0DEPLOY');
  const { ts } = await ada.chat.postMessage({ channel: 'C0DEV', text: 'deploy, please' });
  const message = await bot.event('message');
  assert.equal(message.text, 'deploy, please');
  assert.equal(message.user, 'U0ADA');
  const answer = await bot.client.sendMessage('on it', 'C0DEV');
  const { messages } = await ada.conversations.history({ channel: 'C0DEV', limit: 2 });
  assert.deepEqual(messages.map(m => m.ts), [answer.ts, ts]);
});

finish();
