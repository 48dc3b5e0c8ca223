// SPDX-License-Identifier: Apache-2.0
// Slack's official clients as they are, with the service's own hosts (slack.com, files.slack.com, wss-primary.slack.com,
// hooks.slack.com), through `sosia run`.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bolt from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { WebClient } from '@slack/web-api';
import { control, finish, start, step, through, until } from '../harness.mjs';
import { acme } from './acme.mjs';

const document = { ...acme, chatWebhooks: [{ id: 'B0HOOK', app: '1.2', channel: 'C0DEV', user: 'U0DEPLOY', secret: 's3cr3tHook' }] };

if (!process.env.SOSIA_WORLD) {
  const folder = mkdtempSync(join(tmpdir(), 'sosia-hosts-'));
  writeFileSync(join(folder, 'acme.yaml'), JSON.stringify(document));
  through(['--fixture', join(folder, 'acme.yaml'), '--clock', 'frozen'], () => rmSync(folder, { recursive: true }));
}

await start();
const tokens = await control('GET', `/worlds/${process.env.SOSIA_WORLD}/credentials?kind=slack&actor=ada@acme.example`);
const once = { retryConfig: { retries: 0 } };
const ada = new WebClient(tokens.slack_user, once);
const bot = new WebClient(tokens.slack_bot, once);

await step('a token says whose it is', async () => {
  const me = await ada.auth.test();
  assert.deepEqual([me.url, me.team_id, me.user_id], ['https://acme.slack.com/', 'T0ACME', 'U0ADA']);
  assert.equal((await bot.auth.test()).bot_id, 'B0DEPLOY');
});

await step('a message and its history', async () => {
  const { ts } = await bot.chat.postMessage({ channel: 'C0DEV', text: 'Release?' });
  const { messages } = await ada.conversations.history({ channel: 'C0DEV' });
  assert.deepEqual([messages[0].ts, messages[0].text, messages[0].bot_profile.name], [ts, 'Release?', 'Deployer']);
  const { permalink } = await ada.chat.getPermalink({ channel: 'C0DEV', message_ts: ts });
  assert.equal(permalink, `https://acme.slack.com/archives/C0DEV/p${ts.replace('.', '')}`);
});

await step('a file goes up to files.slack.com and comes down from there', async () => {
  const up = await bot.filesUploadV2({ channel_id: 'C0DEV', file: Buffer.from('hello file'), filename: 'x.txt' });
  const { file } = await ada.files.info({ file: up.files[0].files[0].id });
  assert.equal(new URL(file.url_private).host, 'files.slack.com');
  const bytes = await fetch(file.url_private, { headers: { authorization: `Bearer ${tokens.slack_user}` } });
  assert.equal(await bytes.text(), 'hello file');
});

await step('an incoming webhook at hooks.slack.com', async () => {
  const answer = await fetch('https://hooks.slack.com/services/T0ACME/B0HOOK/s3cr3tHook', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text: 'from outside' }),
  });
  assert.deepEqual([answer.status, await answer.text()], [200, 'ok']);
  assert.equal((await ada.conversations.history({ channel: 'C0DEV', limit: 1 })).messages[0].text, 'from outside');
});

await step('the Socket Mode client finds its address by itself', async () => {
  const got = [];
  const client = new SocketModeClient({ appToken: tokens.slack_app, logLevel: 'error' });
  client.on('message', async ({ event, ack }) => {
    await ack();
    got.push(event.text);
  });
  await client.start();
  await ada.chat.postMessage({ channel: 'C0DEV', text: 'over the wire' });
  await until(() => got.includes('over the wire'));
  await client.disconnect();
});

await step('Bolt with nothing but its tokens answers a mention', async () => {
  const app = new bolt.App({ token: tokens.slack_bot, appToken: tokens.slack_app, socketMode: true, logLevel: 'error' });
  app.event('app_mention', async ({ event, say }) => { await say({ text: `hello <@${event.user}>`, thread_ts: event.ts }); });
  await app.start();
  const { ts } = await ada.chat.postMessage({ channel: 'C0DEV', text: 'hey <@U0DEPLOY>' });
  await until(async () => (await ada.conversations.replies({ channel: 'C0DEV', ts })).messages.some(m => m.text === 'hello <@U0ADA>'));
  await app.stop();
});

await step('a token of nobody is refused', async () => {
  const error = await new WebClient('xoxb-1-2-none', once).auth.test().then(() => null, e => e);
  assert.equal(error?.data?.error, 'invalid_auth');
});

await finish();
