// SPDX-License-Identifier: Apache-2.0
// A scripted agent that does office tasks through tools alone, as a model would: it looks for what it needs and acts on
// what it finds. The grader says whether each task is done. Six of them use the tools of the hosted set, three those of others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { control, finish, server, start, step } from '../harness.mjs';

await start();

/** A suite's text, its actor, and the seed document in it. */
function suite(name) {
  const text = readFileSync(new URL(`../../../suites/${name}.yaml`, import.meta.url), 'utf8');
  const seed = text.slice(text.indexOf('\nseed:\n') + 7, text.indexOf('\ntests:\n') + 1).replace(/^ {2}/gm, '');
  return { text, seed, actor: /^actor: (\S+)$/m.exec(text)[1] };
}

const suites = { office: suite('office'), chains: suite('chains'), workspace: suite('workspace') };

async function connect(key, actor, set) {
  const { token } = await control('POST', `/worlds/${key}/tokens`, { actor });
  const client = new Client({ name: 'sosia-agent', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/w/${key}/mcp?tools=${set}`),
    { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  return client;
}

/** What a tool gives: JSON parsed, else its text. */
async function use(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  const { text } = result.content[0];
  if (result.isError) throw new Error(`${name}: ${text}`);
  if (result.structuredContent) return result.structuredContent;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The world of a suite, the task done in it, and the grader's verdict. */
async function task(name, id, set, act) {
  await step(`${name} ${id}, ${set}`, async () => {
    const { text, seed, actor } = suites[name];
    const { world } = await control('POST', '/worlds', { seed_document: seed, clock: 'frozen' });
    const client = await connect(world, actor, set);
    await act((tool, args = {}) => use(client, tool, args));
    await client.close();
    const { results: [verdict] } = await control('POST', '/worlds/grade', { suite: text, task: id, worlds: [world] });
    assert.equal(verdict.passed, true, JSON.stringify(verdict, null, 1));
    assert.equal(verdict.reward, 1);
    await control('POST', '/worlds/drop', { worlds: [world] });
  });
}

const header = (message, name) => message.payload.headers.find((h) => h.name.toLowerCase() === name.toLowerCase())?.value;

await task('office', 'move-budget', 'hosted', async (tool) => {
  const { date } = await tool('google_calendar_get_current_time');
  const tomorrow = new Date(Date.parse(`${date}T00:00:00Z`) + 86400000).toISOString().slice(0, 10);
  const { events } = await tool('google_calendar_list_events',
    { min_end_datetime: `${tomorrow}T00:00:00`, max_start_datetime: `${tomorrow}T23:59:59` });
  const { id } = events.find(({ title }) => /budget/i.test(title));
  await tool('google_calendar_update_event',
    { event_id: id, updated_start_datetime: `${tomorrow}T14:00:00`, updated_end_datetime: `${tomorrow}T15:00:00` });
});

await task('office', 'archive-deals', 'hosted', async (tool) => {
  const found = await tool('gmail_search_emails', { query: 'from:deals.example in:inbox' });
  const done = await tool('gmail_batch_modify_emails', { messageIds: found.map(({ id }) => id), removeLabelIds: ['INBOX'] });
  assert.equal(done.successCount, 2);
});

await task('office', 'tell-sara', 'hosted', (tool) =>
  tool('gmail_send_email', { to: ['sara@pier.example'], subject: 'Keys', body: 'The keys are in drawer 3.' }));

await task('office', 'which-party', 'hosted', async (tool) => {
  const { events } = await tool('google_calendar_list_events',
    { min_end_datetime: '2026-12-18T00:00:00', max_start_datetime: '2026-12-20T00:00:00' });
  const parties = events.filter(({ title }) => /party/i.test(title));
  for (const party of parties.filter(({ dayOfWeek }) => dayOfWeek !== 'Friday'))
    await tool('google_calendar_delete_event', { event_id: party.id });
  await tool('google_calendar_update_event', { event_id: parties.find(({ dayOfWeek }) => dayOfWeek === 'Friday').id,
    updated_summary: 'Winter party', attendees_to_add: ['sara@pier.example', 'tom@pier.example'] });
});

await task('office', 'book-dock', 'native', async (tool) => {
  const { messages } = await tool('gmail_users_messages_list', { userId: 'me', q: 'from:tom subject:dock' });
  const mail = await tool('gmail_users_messages_get', { userId: 'me', id: messages[0].id });
  const event = await tool('calendar_events_insert', { calendarId: 'primary', body: {
    summary: 'Mooring plan', start: { dateTime: '2026-11-27T14:00:00+01:00' }, end: { dateTime: '2026-11-27T15:00:00+01:00' },
    attendees: [{ email: 'tom@pier.example' }, { email: 'room.dock@pier.example' }] } });
  const reference = header(mail, 'Message-ID');
  const raw = Buffer.from(`To: tom@pier.example\r\nSubject: Re: ${header(mail, 'Subject')}\r\nIn-Reply-To: ${reference}\r\n` +
    `References: ${reference}\r\n\r\nBooked: ${event.id}\r\n`).toString('base64url');
  await tool('gmail_users_messages_send', { userId: 'me', body: { raw, threadId: mail.threadId } });
});

await task('chains', 'minutes-for-vera', 'native', async (tool) => {
  const { files: [file] } = await tool('drive_files_list', { q: "name contains 'Minutes'", fields: 'files(id,webViewLink)' });
  await tool('drive_permissions_create', { fileId: file.id, sendNotificationEmail: false,
    body: { type: 'user', role: 'reader', emailAddress: 'vera@brick.example' } });
  const { messages } = await tool('slack_conversations_history', { channel: 'C0FACADE01' });
  const question = messages.find(({ text }) => /minutes/.test(text));
  await tool('slack_chat_postMessage', { channel: 'C0FACADE01', thread_ts: question.ts, text: `Here they are: ${file.webViewLink}` });
});

await task('chains', 'only-who-comes', 'hosted', async (tool) => {
  const { events } = await tool('google_calendar_list_events',
    { min_end_datetime: '2026-11-25T00:00:00', max_start_datetime: '2026-11-26T00:00:00' });
  const review = events.find(({ title }) => title === 'Facade review');
  const coming = review.attendees.filter((guest) => guest.responseStatus === 'accepted' && !guest.isSelf).map(({ email }) => email);
  await tool('gmail_send_email', { to: coming, subject: 'Wednesday', body: 'We meet ten minutes early, at 9:50.' });
});

await task('chains', 'next-review', 'hosted', async (tool) => {
  const { documents: [minutes] } = await tool('google_drive_search_and_retrieve_documents', { document_contains: ['minutes'] });
  const [, day, hour] = /on (\d+ \w+) at (\d+:\d+)/.exec(minutes.body);
  const { channels: [facade] } = await tool('slack_user_list_channels', { channel_name: 'facade' });
  await tool('slack_user_post_message', { channel_id: facade.id, text: `The next review is on ${day} at ${hour}.` });
});

await task('workspace', 'refit-channel', 'native', async (tool) => {
  const { channel } = await tool('slack_conversations_create', { name: 'birch-refit', is_private: true });
  const { members } = await tool('slack_users_list');
  const people = members.filter(({ profile }) => ['omar@quay.example', 'ida@quay.example'].includes(profile.email));
  await tool('slack_conversations_invite', { channel: channel.id, users: people.map(({ id }) => id).join() });
  await tool('slack_conversations_setPurpose', { channel: channel.id, purpose: 'Refit of Birch, 8 December' });
});

await task('workspace', 'keys-question', 'native', async (tool) => {
  const { files: [file] } = await tool('drive_files_list', { q: "name = 'handover.txt'" });
  const text = await tool('drive_files_get', { fileId: file.id, alt: 'media' });
  const { messages } = await tool('slack_conversations_history', { channel: 'C0CREW0001' });
  const question = messages.find((message) => /keys/.test(message.text));
  await tool('slack_chat_postMessage', { channel: 'C0CREW0001', thread_ts: question.ts, text: `In ${/cabinet \d+/.exec(text)[0]}.` });
});

// The same tasks with the tools of community servers.

await task('chains', 'only-who-comes', 'community', async (tool) => {
  const { events } = await tool('list-events',
    { calendarId: 'primary', timeMin: '2026-11-25T00:00:00', timeMax: '2026-11-26T00:00:00' });
  const review = events.find(({ summary }) => summary === 'Facade review');
  const coming = review.attendees.filter((guest) => guest.responseStatus === 'accepted' && !guest.self).map(({ email }) => email);
  await tool('send_email', { to: coming, subject: 'Wednesday', body: 'We meet ten minutes early, at 9:50.' });
});

await task('workspace', 'keys-question', 'community', async (tool) => {
  const [, id] = /\n(\S+) handover\.txt/.exec(await tool('gdrive_search', { query: 'handover.txt' }));
  const text = await tool('gdrive_read_file', { fileId: id });
  const lines = await tool('conversations_history', { channel_id: 'C0CREW0001', limit: '30d' });
  const [ts] = lines.split('\n').find((line) => /keys/.test(line)).split(',');
  await tool('conversations_add_message', { channel_id: 'C0CREW0001', thread_ts: ts, text: `In ${/cabinet \d+/.exec(text)[0]}.`,
    content_type: 'text/plain' });
});

await task('office', 'tell-sara', 'workspace', (tool) =>
  tool('send_gmail_message', { user_google_email: suites.office.actor, to: 'sara@pier.example', subject: 'Keys',
    body: 'The keys are in drawer 3.' }));

await finish();
