// SPDX-License-Identifier: Apache-2.0
// The official TypeScript client of the Model Context Protocol against every service: over HTTP, and over stdio.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { finish, refused, start, step, world } from '../harness.mjs';

const server = await start();
const ada = 'ada@acme.example';
const bob = 'bob@acme.example';
const acme = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z', zone: 'Europe/Rome',
  people: [{ email: ada, name: 'Ada' }, { email: bob, name: 'Bob' }],
  workspaces: [{ id: 'T0ACME0001', domain: 'acme', name: 'Acme' }],
  channels: [{ id: 'C0GENERAL1', name: 'general', general: true }],
  calendars: [{ id: ada, primary: true, events: [{ id: 'standup00001', summary: 'Stand-up', start: 'today 09:00', end: 'today 09:15' }] }],
});

async function connect(path, who) {
  const client = new Client({ name: 'sosia-test', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${acme.tokens[who]}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${acme.url}mcp${path}`), { requestInit: { headers } }));
  return client;
}

/** A tool's structured result; the client checks it against the tool's output schema. */
async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent ?? JSON.parse(result.content[0].text);
}

const client = await connect('?tools=native', ada);
const { tools } = await client.listTools();

await step('it says what it is and can', async () => {
  assert.equal(client.getServerVersion().name, 'sosia');
  assert.deepEqual(Object.keys(client.getServerCapabilities()).sort(), ['completions', 'logging', 'prompts', 'resources', 'tools']);
  assert.match(client.getInstructions(), /Ada <ada@acme\.example>/);
  await client.ping();
});

await step('all methods of all services are tools', () => {
  for (const name of ['calendar_events_insert', 'gmail_users_messages_send', 'drive_files_list', 'slack_chat_postMessage'])
    assert.ok(tools.find((tool) => tool.name === name), name);
  assert.equal(new Set(tools.map((tool) => tool.name)).size, tools.length);
});

await step('Calendar: an event with a guest is in both calendars', async () => {
  const event = await call(client, 'calendar_events_insert', {
    calendarId: 'primary', sendUpdates: 'all',
    body: { summary: 'Plan', start: { dateTime: '2026-11-24T10:00:00+01:00' }, end: { dateTime: '2026-11-24T11:00:00+01:00' },
      attendees: [{ email: bob }] },
  });
  const other = await connect('/calendar', bob);
  const list = await call(other, 'calendar_events_list', { calendarId: 'primary', q: 'plan' });
  assert.deepEqual(list.items.map(({ id }) => id), [event.id]);
  await call(other, 'calendar_events_patch', { calendarId: 'primary', eventId: event.id, sendUpdates: 'all',
    body: { attendees: [{ email: bob, responseStatus: 'accepted' }] } });
  const mine = await call(client, 'calendar_events_get', { calendarId: 'primary', eventId: event.id });
  assert.equal(mine.attendees[0].responseStatus, 'accepted');
  await other.close();
});

await step('Gmail: a letter goes out, is found, and gets a label', async () => {
  const raw = Buffer.from(`From: ${ada}\r\nTo: ${bob}\r\nSubject: Figures\r\n\r\nThe figures of October.\r\n`).toString('base64url');
  await call(client, 'gmail_users_messages_send', { userId: 'me', body: { raw } });
  const other = await connect('/gmail', bob);
  const found = await call(other, 'gmail_users_messages_list', { userId: 'me', q: 'subject:figures' });
  assert.equal(found.messages.length, 1);
  const { id } = found.messages[0];
  const label = await call(other, 'gmail_users_labels_create', { userId: 'me', body: { name: 'Reports' } });
  await call(other, 'gmail_users_messages_modify', { userId: 'me', id, body: { addLabelIds: [label.id], removeLabelIds: ['UNREAD'] } });
  const message = await call(other, 'gmail_users_messages_get', { userId: 'me', id, format: 'metadata' });
  assert.ok(message.labelIds.includes(label.id) && !message.labelIds.includes('UNREAD'));
  await other.close();
});

await step('Drive: a file is uploaded, shared, read as a tool and as a resource', async () => {
  const file = await call(client, 'drive_files_create', { body: { name: 'notes.md' }, media: { mimeType: 'text/markdown', text: '# Notes\n' } });
  await call(client, 'drive_permissions_create', { fileId: file.id, body: { type: 'user', role: 'reader', emailAddress: bob } });
  const other = await connect('/drive', bob);
  const read = await other.callTool({ name: 'drive_files_get', arguments: { fileId: file.id, alt: 'media' } });
  assert.equal(read.content[0].text, '# Notes\n');
  const { contents } = await other.readResource({ uri: `gdrive:///${file.id}` });
  assert.deepEqual(contents, [{ uri: `gdrive:///${file.id}`, mimeType: 'text/markdown', text: '# Notes\n' }]);
  await refused(() => other.readResource({ uri: 'gdrive:///1nothing' }));
  await other.close();
});

await step('Slack: a message, a reply, a reaction, and who reads them', async () => {
  const posted = await call(client, 'slack_chat_postMessage', { channel: 'C0GENERAL1', text: 'Who is in?' });
  const other = await connect('/slack', bob);
  await call(other, 'slack_chat_postMessage', { channel: 'C0GENERAL1', text: 'I am', thread_ts: posted.ts });
  await call(other, 'slack_reactions_add', { channel: 'C0GENERAL1', timestamp: posted.ts, name: 'wave' });
  const thread = await call(client, 'slack_conversations_replies', { channel: 'C0GENERAL1', ts: posted.ts });
  assert.deepEqual(thread.messages.map(({ text }) => text), ['Who is in?', 'I am']);
  const result = await other.callTool({ name: 'slack_conversations_info', arguments: { channel: 'C0NOTHERE1' } });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /channel_not_found/);
  await other.close();
});

await step('what tools give keeps to their output schemas', async () => {
  const given = { calendarId: 'primary', userId: 'me', setting: 'timezone', eventId: 'standup00001', fields: '*', channel: 'C0GENERAL1' };
  let n = 0;
  for (const tool of tools.filter((t) => t.annotations.readOnlyHint)) {
    const args = {};
    for (const name of tool.inputSchema.required ?? []) args[name] = given[name] ?? (name === 'body' ? {} : 'x');
    if (/^drive_(about|comments|replies)_/.test(tool.name)) args.fields = '*';
    const result = await client.callTool({ name: tool.name, arguments: args }); // throws if it does not
    if (!result.isError) n++;
  }
  assert.ok(n > 50, `${n} tools`);
});

await step('resources are listed, read and completed', async () => {
  const { resources } = await client.listResources();
  for (const { uri } of resources) await client.readResource({ uri });
  assert.ok(resources.some(({ uri }) => uri === 'slack://channels/C0GENERAL1'));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'gmail://messages/{messageId}'));
  const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'catch_up' }, argument: { name: 'channel', value: 'gen' } });
  assert.deepEqual(completion.values, ['C0GENERAL1']);
});

await step('prompts take arguments', async () => {
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.length >= 7);
  const { messages } = await client.getPrompt({ name: 'find_document', arguments: { topic: 'the budget' } });
  assert.match(messages[0].content.text, /about the budget/);
});

await step('a reader is shown tools that read', async () => {
  const reader = await connect('?risk=read&tools=native', ada);
  const list = (await reader.listTools()).tools;
  assert.ok(list.length > 50 && list.every((tool) => tool.annotations.readOnlyHint));
  await refused(() => reader.callTool({ name: 'calendar_events_delete', arguments: { calendarId: 'primary', eventId: 'standup00001' } }));
  await reader.close();
});

await step('the same over stdio', async () => {
  const stdio = new Client({ name: 'sosia-test', version: '1.0.0' });
  await stdio.connect(new StdioClientTransport({ command: process.env.SOSIA_BIN, args: ['mcp', '--url', `${acme.url}mcp`, '--token', acme.tokens[ada], '--tools', 'native'] }));
  assert.equal((await stdio.listTools()).tools.length, tools.length);
  const list = await call(stdio, 'calendar_events_list', { calendarId: 'primary' });
  assert.deepEqual(list.items.map(({ summary }) => summary), ['Stand-up', 'Plan']);
  await stdio.close();
});

await step('the same over stdio, for each service and set', async () => {
  const asks = {
    calendar: { native: ['calendar_settings_get', { setting: 'timezone' }, 'timezone'], hosted: ['google_calendar_get_current_time', {}, 'dayOfWeek'] },
    gmail: { native: ['gmail_users_getProfile', { userId: 'me' }, ada], hosted: ['gmail_search_emails', { query: 'in:sent' }, 'Figures'] },
    drive: { native: ['drive_files_list', {}, 'notes.md'], hosted: ['google_drive_get_file_tree_structure', {}, 'notes.md'], reference: ['search', { query: 'notes' }, 'notes.md (text/markdown)'] },
    slack: { native: ['slack_auth_test', {}, '"ok":true'], hosted: ['slack_user_list_channels', {}, 'general'], reference: ['slack_list_channels', {}, 'C0GENERAL1'] },
  };
  for (const [service, sets] of Object.entries(asks))
    for (const [set, [name, args, expected]] of Object.entries(sets)) {
      const stdio = new Client({ name: 'sosia-test', version: '1.0.0' });
      await stdio.connect(new StdioClientTransport({ command: process.env.SOSIA_BIN,
        args: ['mcp', '--url', `${acme.url}mcp`, '--token', acme.tokens[ada], '--service', service, '--tools', set] }));
      assert.ok((await stdio.listTools()).tools.some((tool) => tool.name === name), name);
      const result = await stdio.callTool({ name, arguments: args });
      assert.equal(result.isError, false);
      assert.ok(result.content[0].text.includes(expected), `${name}: ${result.content[0].text}`);
      await stdio.close();
    }
});

await step('tools of the hosted set change what the native ones show', async () => {
  const hosted = await connect('?tools=hosted', ada);
  const list = (await hosted.listTools()).tools;
  assert.equal(list.length, 33); // 36 with those of bots
  const say = async (name, args) => {
    const result = await hosted.callTool({ name, arguments: args });
    if (result.isError) throw new Error(result.content[0].text);
    return JSON.parse(result.content[0].text);
  };
  const { event } = await say('google_calendar_create_event',
    { summary: 'Talk', start_datetime: '2026-11-25T10:00:00', end_datetime: '2026-11-25T11:00:00', attendees: [bob] });
  assert.equal((await call(client, 'calendar_events_get', { calendarId: 'primary', eventId: event.id })).summary, 'Talk');
  const { messageId } = await say('gmail_send_email', { to: [bob], subject: 'Hello', body: 'Well?' });
  assert.ok((await call(client, 'gmail_users_messages_get', { userId: 'me', id: messageId, format: 'minimal' })).labelIds.includes('SENT'));
  const drive = await say('google_drive_create_shared_drive', { name: 'Team', request_id: 'one' });
  assert.equal((await call(client, 'drive_drives_get', { driveId: drive.id })).name, 'Team');
  const { ts } = await say('slack_user_post_message', { channel_id: 'C0GENERAL1', text: 'Tea?' });
  const { messages } = await call(client, 'slack_conversations_history', { channel: 'C0GENERAL1', latest: ts, inclusive: true, limit: 1 });
  assert.equal(messages[0].text, 'Tea?');
  const error = await refused(() => say('gmail_read_email', { messageId: '1a2000000000ffff' }));
  assert.match(error.message, /404 notFound/);
  await hosted.close();
});

await step('over stdio in a world of its own', async () => {
  const stdio = new Client({ name: 'sosia-test', version: '1.0.0' });
  await stdio.connect(new StdioClientTransport({ command: process.env.SOSIA_BIN, args: ['mcp', '--fixture', 'small', '--service', 'calendar'] }));
  const { tools: few } = await stdio.listTools();
  assert.ok(few.every(({ name }) => name.startsWith('calendar_')));
  assert.ok((await call(stdio, 'calendar_events_list', { calendarId: 'primary' })).items.length > 0);
  await stdio.subscribeResource({ uri: 'calendar://primary' });
  const updated = new Promise((resolve) => stdio.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)));
  await call(stdio, 'calendar_events_quickAdd', { calendarId: 'primary', text: 'Lunch tomorrow 12:00' });
  assert.equal(await updated, 'calendar://primary');
  await stdio.close();
});

await client.close();
await finish();
