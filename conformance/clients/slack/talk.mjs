// SPDX-License-Identifier: Apache-2.0
// Slack's official Web API client with nothing set but its URL: 10,000 messages by pages, files, reminders, user groups, quiet
// hours, messages for later.
import assert from 'node:assert/strict';
import { WebClient } from '@slack/web-api';
import { control, finish, refused, start, step, world } from '../harness.mjs';

const MESSAGES = 10000;
const first = 1771000000;
const people = ['ada', 'bob', 'carol'].map((name) => ({ email: `${name}@acme.example`, name, zone: 'Europe/Rome' }));
const messages = Array.from({ length: MESSAGES }, (_, i) => ({
  channel: 'C0LONG', from: people[i % 3].email, ts: `${first + i * 10}.000100`, text: `number ${i}`,
}));
for (let i = 0; i < 500; i++)
  messages.push({ channel: 'C0LONG', from: people[i % 3].email, ts: `${first + MESSAGES * 10 + i}.000200`, thread: `${first}.000100`, text: `answer ${i}` });

await start();
const w = await world({
  sosia: 1,
  time: '2026-02-15T20:00:00Z',
  people,
  workspaces: [{ id: 'T0ACME', domain: 'acme', name: 'Acme' }],
  channels: [
    { id: 'C0LONG', name: 'long', creator: 'ada@acme.example', members: people.map((p) => p.email) },
    { id: 'C0MINE', name: 'mine', kind: 'private', members: ['bob@acme.example'] },
  ],
  messages,
});
const api = (email) => new WebClient(w.tokens[email], { slackApiUrl: `${w.url}api/`, retryConfig: { retries: 0 } });
const ada = api('ada@acme.example');
const bob = api('bob@acme.example');
const now = Date.parse('2026-02-15T20:00:00Z') / 1000;
const code = async (call) => (await refused(call)).data.error;
const advance = (seconds) => control('POST', `/worlds/${w.key}/clock/advance`, { seconds });

await step('10,000 messages come by pages, each once and newest first', async () => {
  const texts = [];
  for await (const page of ada.paginate('conversations.history', { channel: 'C0LONG', limit: 200 })) texts.push(...page.messages.map((m) => m.text));
  assert.deepEqual(texts, Array.from({ length: MESSAGES }, (_, i) => `number ${MESSAGES - 1 - i}`));
});

await step('a thread of 500 comes by pages, oldest first', async () => {
  const texts = [];
  for await (const page of bob.paginate('conversations.replies', { channel: 'C0LONG', ts: `${first}.000100`, limit: 90 })) texts.push(...page.messages.map((m) => m.text));
  assert.deepEqual(texts, ['number 0', ...Array.from({ length: 500 }, (_, i) => `answer ${i}`)]);
});

await step('a stretch between two times, with its ends and without', async () => {
  const ask = (inclusive) => ada.conversations.history({
    channel: 'C0LONG', oldest: `${first + 1000}.000100`, latest: `${first + 1050}.000100`, inclusive, limit: 100,
  });
  assert.equal((await ask(true)).messages.length, 6);
  assert.equal((await ask(false)).messages.length, 4);
  assert.equal((await ada.conversations.history({ channel: 'C0LONG', latest: `${first}.000100`, inclusive: true, limit: 1 })).messages[0].reply_count, 500);
});

await step('a cursor that nobody gave is refused', async () => {
  assert.equal(await code(() => ada.conversations.history({ channel: 'C0LONG', cursor: 'bm90aGluZw==' })), 'invalid_cursor');
});

await step('a file of a megabyte goes up, is shared, comes down and is deleted', async () => {
  const bytes = Buffer.alloc(1 << 20, 'tide ');
  const up = await bob.filesUploadV2({ channel_id: 'C0LONG', file: bytes, filename: 'tide.txt', initial_comment: 'The tide' });
  const { id } = up.files[0].files[0];
  const { file } = await ada.files.info({ file: id });
  assert.equal(file.size, bytes.length);
  const down = await fetch(file.url_private, { headers: { authorization: `Bearer ${w.tokens['ada@acme.example']}` } });
  assert.deepEqual(Buffer.from(await down.arrayBuffer()), bytes);
  assert.ok((await ada.files.list({ channel: 'C0LONG' })).files.some((f) => f.id === id));
  assert.notEqual((await fetch(file.url_private, { redirect: 'manual' })).status, 200);
  await bob.files.delete({ file: id });
  assert.equal(await code(() => ada.files.info({ file: id })), 'file_deleted');
});

await step('a file in a private channel is not for others', async () => {
  const up = await bob.filesUploadV2({ channel_id: 'C0MINE', file: Buffer.from('mine'), filename: 'mine.txt' });
  assert.equal(await code(() => ada.files.info({ file: up.files[0].files[0].id })), 'file_not_found');
});

await step('a reminder is there until it is done', async () => {
  const { reminder } = await ada.reminders.add({ text: 'Drink', time: String(now + 600) });
  assert.equal(reminder.time, now + 600);
  assert.deepEqual((await ada.reminders.list()).reminders.map((r) => r.text), ['Drink']);
  await ada.reminders.complete({ reminder: reminder.id });
  assert.ok((await ada.reminders.info({ reminder: reminder.id })).reminder.complete_ts > 0);
  await ada.reminders.delete({ reminder: reminder.id });
  assert.equal(await code(() => ada.reminders.info({ reminder: reminder.id })), 'not_found');
});

await step('a user group has those who are put into it', async () => {
  const { usergroup } = await ada.usergroups.create({ name: 'Sailors', handle: 'sailors' });
  const me = (await ada.auth.test()).user_id;
  const him = (await bob.auth.test()).user_id;
  await ada.usergroups.users.update({ usergroup: usergroup.id, users: `${me},${him}` });
  assert.deepEqual((await bob.usergroups.users.list({ usergroup: usergroup.id })).users.sort(), [me, him].sort());
  await ada.usergroups.disable({ usergroup: usergroup.id });
  assert.equal((await bob.usergroups.list()).usergroups.length, 0);
  assert.equal((await bob.usergroups.list({ include_disabled: true })).usergroups.length, 1);
});

await step('somebody is not disturbed until the clock says so', async () => {
  const me = (await bob.auth.test()).user_id;
  const set = await bob.dnd.setSnooze({ num_minutes: 30 });
  assert.equal(set.snooze_endtime, now + 1800);
  assert.equal((await ada.dnd.info({ user: me })).ok, true);
  await advance(1900);
  assert.equal((await bob.dnd.info()).snooze_enabled, false);
});

await step('messages for later come by the clock, unless they are taken back', async () => {
  const at = now + 1900 + 3600;
  const kept = await ada.chat.scheduleMessage({ channel: 'C0LONG', text: 'kept', post_at: at });
  const gone = await ada.chat.scheduleMessage({ channel: 'C0LONG', text: 'gone', post_at: at });
  assert.equal((await ada.chat.scheduledMessages.list()).scheduled_messages.length, 2);
  await ada.chat.deleteScheduledMessage({ channel: 'C0LONG', scheduled_message_id: gone.scheduled_message_id });
  await advance(3600);
  const { messages: [newest] } = await bob.conversations.history({ channel: 'C0LONG', limit: 1 });
  assert.deepEqual([newest.text, newest.ts], ['kept', `${kept.post_at}.000000`]);
  assert.equal((await ada.chat.scheduledMessages.list()).scheduled_messages.length, 0);
});

await finish();
