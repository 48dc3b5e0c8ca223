// SPDX-License-Identifier: Apache-2.0
// A community server for Microsoft's services as it is, through `sosia run`, with a token from its environment: its own tools
// against Graph in the fixture small-365. What they give, the tools of the set "softeria" give too.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { control, finish, server, start, step, through } from '../harness.mjs';

through(['--fixture', 'small-365', '--clock', 'frozen', '--credentials', 'microsoft']);
await start();
const NORA = 'nora@quay.example';
const program = fileURLToPath(import.meta.resolve('@softeria/ms-365-mcp-server'));

const theirs = new Client({ name: 'test', version: '1' });
await theirs.connect(new StdioClientTransport({
  command: process.execPath, args: [program, '--org-mode'], stderr: 'ignore',
  env: { ...process.env, MS365_MCP_OAUTH_TOKEN: process.env.SOSIA_MICROSOFT_TOKEN },
}));
const ours = new Client({ name: 'test', version: '1' });
const { token } = await control('POST', `/worlds/${process.env.SOSIA_WORLD}/tokens`, { actor: NORA });
await ours.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp?tools=softeria`), {
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
}));

async function call(client, name, args) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  assert.ok(!isError, content[0].text);
  // Links lead to where a client came: to Graph's host, or to this server.
  return JSON.parse(content[0].text.replaceAll(/http:[^"]*@(?=graph\.microsoft\.com)/g, 'https://'));
}

/** The same tool with the same arguments of both. */
async function both(name, args) {
  const [a, b] = [await call(theirs, name, args), await call(ours, name, args)];
  assert.deepEqual(b, a);
  return a;
}

await step('its tools are there, with the arguments that they need', async () => {
  const differ = [];
  const [own, all] = [(await ours.listTools()).tools, new Map((await theirs.listTools()).tools.map(t => [t.name, t]))];
  for (const { name, inputSchema } of own) {
    const original = all.get(name);
    assert.ok(original, name);
    if (name === 'list-calendar-events-delta') continue; // Graph wants no range there
    const required = schema => (schema.required ?? []).filter(n => n !== 'body').sort();
    if (required(inputSchema).join() !== required(original.inputSchema).join()) differ.push([name, required(inputSchema), required(original.inputSchema)]);
  }
  assert.deepEqual(differ, []);
});

let draft;
await step('mail is written, read and listed', async () => {
  draft = await call(theirs, 'create-draft-email', { body: {
    subject: 'Tide tables', body: { contentType: 'html', content: '<p>By the west mole.</p>' },
    toRecipients: [{ emailAddress: { address: 'olaf@quay.example' } }],
  } });
  const got = await both('get-mail-message', { messageId: draft.id });
  assert.equal(got.body.contentType, 'text');
  await both('get-mail-message', { messageId: draft.id, select: 'subject,toRecipients', includeHeaders: true });
  await both('list-mail-messages', { filter: 'isDraft eq true', select: 'subject,from' });
  await both('list-mail-folder-messages', { mailFolderId: 'drafts', top: 1 });
  await both('list-mail-folders', {});
  await both('get-mailbox-settings', {});
  await both('list-mail-rules', { mailFolderId: 'inbox' });
  const zones = await both('list-supported-time-zones', { TimeZoneStandard: 'Iana' });
  assert.ok(zones.value.some(zone => zone.alias === 'Europe/Berlin'));
  await both('list-supported-languages', {});
  const body = { AttachmentItem: { attachmentType: 'file', name: 'tides.pdf', size: 3500000 } };
  const session = await call(theirs, 'create-mail-attachment-upload-session', { messageId: draft.id, body });
  assert.deepEqual(session.nextExpectedRanges, ['0-']);
  assert.deepEqual(await call(theirs, 'send-draft-message', { messageId: draft.id }), { message: 'OK!' });
});

await step('events are made, changed and listed', async () => {
  const at = dateTime => ({ dateTime, timeZone: 'Europe/Berlin' });
  const made = await call(theirs, 'create-calendar-event', { body: { subject: 'Round', start: at('2026-11-24T08:00:00'), end: at('2026-11-24T09:00:00') } });
  const changed = await call(ours, 'update-calendar-event', { eventId: made.id, body: { location: { displayName: 'Pier' } } });
  assert.equal(changed.location.displayName, 'Pier');
  await both('get-calendar-event', { eventId: made.id, timezone: 'Europe/Berlin' });
  const view = { startDateTime: '2026-11-23T00:00:00Z', endDateTime: '2026-12-01T00:00:00Z', select: 'subject,start', timezone: 'Europe/Berlin' };
  const { value } = await both('get-calendar-view', view);
  assert.ok(value.some(e => e.subject === 'Round' && e.start.dateTime.startsWith('2026-11-24T08:00')));
  await both('list-calendar-events', { top: 2, select: 'subject', fetchAllPages: true });
  await both('list-calendars', {});
  assert.deepEqual(await call(theirs, 'delete-calendar-event', { eventId: made.id }), { message: 'OK!' });
});

await step('people, and what is not there', async () => {
  await both('get-current-user', {});
  await both('get-my-manager', { select: 'displayName' });
  await both('list-users', { select: 'displayName', orderby: 'displayName' });
  for (const client of [theirs, ours]) {
    const { isError, content } = await client.callTool({ name: 'get-mail-message', arguments: { messageId: draft.id } });
    assert.ok(isError, content[0].text); // it was sent
  }
});

await theirs.close();
await ours.close();
finish();
