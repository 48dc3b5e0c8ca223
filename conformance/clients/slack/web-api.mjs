// SPDX-License-Identifier: Apache-2.0
// Slack's official Web API client with nothing set but its URL: posting, threads, files, pages, search, streams, refusals.
import assert from 'node:assert/strict';
import { WebClient } from '@slack/web-api';
import { control, finish, refused, start, step, world } from '../harness.mjs';

const document = {
  sosia: 1,
  time: '2026-02-15T20:00:00Z',
  people: [
    { email: 'ada@acme.example', name: 'Ada Conti' },
    { email: 'bob@acme.example', name: 'Bob Stone' },
    { email: 'deploy@acme.example', name: 'Deploy', kind: 'bot' },
  ],
  apps: [{ client_id: '1.2', client_secret: 'hush', name: 'Deployer', vendor: 'slack', bot: 'deploy@acme.example' }],
  workspaces: [{ id: 'T0ACME', domain: 'acme', name: 'Acme', apps: [{ client_id: '1.2', id: 'A0DEPLOY', bot: 'B0DEPLOY' }] }],
  channels: [
    { id: 'C0DEV', name: 'dev', creator: 'ada@acme.example', members: ['ada@acme.example', 'bob@acme.example', 'deploy@acme.example'] },
    { id: 'C0PLANS', name: 'plans', kind: 'private', members: ['bob@acme.example'] },
  ],
};

await start();
const w = await world(document);
const api = (email) => new WebClient(w.tokens[email], { slackApiUrl: `${w.url}api/`, retryConfig: { retries: 0 } });
const ada = api('ada@acme.example');
const bot = api('deploy@acme.example');

await step('a token says whose it is, with its scopes', async () => {
  const me = await bot.auth.test();
  assert.equal(me.bot_id, 'B0DEPLOY');
  assert.equal(me.team_id, 'T0ACME');
  assert.ok(me.response_metadata.scopes.includes('chat:write'));
});

await step('a message, a reply and a reaction', async () => {
  const root = await bot.chat.postMessage({
    channel: 'C0DEV', text: 'Release?', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Release?*' } }],
  });
  await ada.chat.postMessage({ channel: 'C0DEV', text: 'Go', thread_ts: root.ts });
  await ada.reactions.add({ channel: 'C0DEV', timestamp: root.ts, name: 'rocket' });
  const thread = await bot.conversations.replies({ channel: 'C0DEV', ts: root.ts });
  assert.deepEqual(thread.messages.map(m => m.text), ['Release?', 'Go']);
  assert.deepEqual(thread.messages[0].reactions, [{ name: 'rocket', users: [thread.messages[1].user], count: 1 }]);
});

await step('a file goes up in three steps and comes down', async () => {
  const up = await bot.filesUploadV2({ channel_id: 'C0DEV', file: Buffer.from('hello file'), filename: 'x.txt', initial_comment: 'look' });
  const { id } = up.files[0].files[0];
  const { file, content } = await ada.files.info({ file: id });
  assert.equal(content, 'hello file');
  assert.deepEqual(file.channels, ['C0DEV']);
  assert.deepEqual([file.mode, file.preview, file.lines, file.lines_more], ['snippet', 'hello file', 1, 0]);
  assert.match(file.preview_highlight, /<pre>hello file<\/pre>/);
  const bytes = await fetch(file.url_private, { headers: { authorization: `Bearer ${w.tokens['ada@acme.example']}` } });
  assert.equal(await bytes.text(), 'hello file');
});

await step('a picture has thumbnails, which come with a token', async () => {
  const bytes = Buffer.from('iVBORw0KGgoAAAANSUhEUgAABG4AAAFqCAIAAAAAAAAAAAAAAElFTkSuQmCC', 'base64'); // 1134 by 362, without its data
  const up = await bot.filesUploadV2({ channel_id: 'C0DEV', file: bytes, filename: 'wall.png' });
  const { messages } = await ada.conversations.history({ channel: 'C0DEV', limit: 1 });
  const file = messages[0].files[0];
  assert.equal(file.id, up.files[0].files[0].id);
  assert.deepEqual([file.original_w, file.thumb_360_w, file.thumb_360_h, file.thumb_800_h], [1134, 360, 115, 255]);
  const headers = { authorization: `Bearer ${w.tokens['ada@acme.example']}` };
  const thumb = await fetch(file.thumb_720, { headers });
  assert.deepEqual([thumb.headers.get('content-type'), Buffer.from(await thumb.arrayBuffer())], ['image/png', bytes]);
  assert.equal((await fetch(file.thumb_720.replace('_720', '_721'), { headers })).status, 404);
});

await step('pages of a history', async () => {
  for (let i = 0; i < 25; i++) await bot.chat.postMessage({ channel: 'C0DEV', text: `m${i}` });
  let n = 0;
  for await (const page of ada.paginate('conversations.history', { channel: 'C0DEV', limit: 10 })) n += page.messages.length;
  assert.equal(n, 28);
});

await step('a search', async () => {
  const found = await ada.search.messages({ query: 'in:dev from:deploy release' });
  assert.equal(found.messages.total, 1);
});

await step('a scheduled message comes by the clock', async () => {
  await bot.chat.scheduleMessage({ channel: 'C0DEV', text: 'later', post_at: 1771189200 });
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 7200 });
  const { messages } = await ada.conversations.history({ channel: 'C0DEV', limit: 1 });
  assert.equal(messages[0].ts, '1771189200.000000');
});

await step('a code channel with what its agent shows there', async () => {
  const { agents } = bot;
  const start = await ada.chat.postMessage({ channel: 'C0DEV', text: 'Fix the login' });
  const { channel_id } = await agents.conversations.create({
    name: 'Fix the login', session_id: 'ses_1', origin_channel_id: 'C0DEV', origin_message_ts: start.ts,
  });
  await agents.conversations.setProperties({
    channel_id, code_channel: { context_bar_items: [{ key: 'repo', label: 'acme/web', icon: 'folder' }] },
  });
  const view = await agents.conversations.setView({ channel_id, view_key: 'out/report.html', content: '<p>80 %</p>' });
  const { views } = await agents.conversations.listViews({ channel_id });
  assert.deepEqual(views.map(v => [v.view_id, v.label]), [[view.view_id, 'report']]);
  await agents.sessions.setStatus({ channel_id, status: 'processing' });
  const { channel } = await ada.conversations.info({ channel: channel_id });
  assert.equal(channel.properties.agent_session.status, 'processing');
  assert.equal(channel.properties.code_channel.context_bar_items[0].label, 'acme/web');
  const no = await refused(() => agents.conversations.archive({ channel_id: 'C0DEV' }));
  assert.equal(no.data.error, 'not_agent_channel');
  await agents.conversations.archive({ channel_id });
});

await step('a message grows in chunks', async () => {
  const asked = await ada.chat.postMessage({ channel: 'C0DEV', text: 'How are we?' });
  const { user_id, team_id } = await ada.auth.test();
  const stream = bot.chatStream({
    channel: 'C0DEV', thread_ts: asked.ts, recipient_user_id: user_id, recipient_team_id: team_id, task_display_mode: 'plan', buffer_size: 16,
  });
  assert.equal(await stream.append({ markdown_text: '**Well' }), null);
  await stream.append({ markdown_text: '**, I think. ', chunks: [
    { type: 'plan_update', title: 'Looking' },
    { type: 'task_update', id: 'read', title: 'Read', status: 'in_progress', details: 'the report' },
  ] });
  const read = async () => (await ada.conversations.replies({ channel: 'C0DEV', ts: asked.ts })).messages.at(-1);
  assert.equal((await read()).blocks[1].tasks[0].status, 'in_progress');
  const { message } = await stream.stop({ markdown_text: 'Very well.', chunks: [
    { type: 'task_update', id: 'read', title: 'Read it', status: 'complete',
      sources: [{ type: 'url', url: 'https://acme.example/report', text: 'Report' }] },
  ], blocks: [{ type: 'divider' }] });
  const plan = message.blocks.find((b) => b.type === 'plan');
  assert.deepEqual(message.blocks.map((b) => b.type), ['rich_text', 'plan', 'rich_text', 'divider']);
  assert.equal(plan.title, 'Looking');
  assert.equal(plan.tasks[0].title, 'Read it');
  assert.equal(plan.tasks[0].sources[0].text, 'Report');
  assert.equal((await read()).ts, stream.ts);

  const text = bot.chatStream({ channel: 'C0DEV', thread_ts: asked.ts, recipient_user_id: user_id, recipient_team_id: team_id });
  const end = await text.stop({ markdown_text: 'One line' });
  assert.equal(end.message.text, 'One line');
  const no = await refused(() => bot.chat.appendStream({ channel: 'C0DEV', ts: text.ts, chunks: [{ type: 'markdown_text', text: 'x' }] }));
  assert.equal(no.data.error, 'message_not_in_streaming_state');
});

await step('refusals have the vendor\'s codes', async () => {
  const code = async (call) => (await refused(call)).data.error;
  assert.equal(await code(() => bot.search.messages({ query: 'x' })), 'not_allowed_token_type');
  assert.equal(await code(() => ada.conversations.info({ channel: 'C0PLANS' })), 'channel_not_found');
  assert.equal(await code(() => ada.apiCall('no.such')), 'unknown_method');
  assert.equal(await code(() => ada.chat.postMessage({ channel: 'C0DEV', blocks: [{ type: 'nonsense' }] })), 'invalid_blocks');
});

await finish();
