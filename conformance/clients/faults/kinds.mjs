// SPDX-License-Identifier: Apache-2.0
// The faults that faults.mjs does not have, each with a vendor's own client: what it does by itself, and what was done.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { google } from 'googleapis';
import { BatchRequestContent, BatchResponseContent, Client as Graph, HTTPMessageHandler, RetryHandler } from '@microsoft/microsoft-graph-client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { control, finish, refused, start, step, until, world } from '../harness.mjs';

await start();
const ADA = 'ada@acme.example';
const NORA = 'nora@quay.example';
const event = (id, day) => ({ id, summary: `Day ${day}`, start: `2026-11-${day}T10:00`, end: `2026-11-${day}T11:00` });
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  people: [{ email: ADA, name: 'Ada Conti' }, { email: NORA, name: 'Nora Falk' }],
  accounts: [{ actor: NORA, vendor: 'microsoft' }],
  calendars: [{ id: ADA, primary: true, events: [event('firstday01', 24), event('secondday1', 25)] }],
});

const faults = (...rules) => control('PUT', `/worlds/${w.key}/faults`,
  { faults: 1, rules: rules.map((r, i) => ({ name: `rule ${i}`, ...r })) });
const injected = async () => (await control('GET', `/worlds/${w.key}/faults`)).rules.map(r => r.injected);

const auth = new google.auth.OAuth2();
auth.setCredentials({ access_token: w.tokens[ADA] });
const gmail = google.gmail({ version: 'v1', auth, rootUrl: w.url });
const calendar = google.calendar({ version: 'v3', auth, rootUrl: w.url });
const quick = { retryConfig: { retry: 3, noResponseRetries: 2, retryDelay: 10 } };
const reason = error => error.response.data.error.errors[0].reason;
const raw = Buffer.from(`To: ${ADA}\r\nSubject: Note\r\n\r\nTo me.\r\n`).toString('base64url');
const letters = async () => {
  await control('DELETE', `/worlds/${w.key}/faults`);
  return (await gmail.users.messages.list({ userId: 'me' })).data.resultSizeEstimate;
};

await step('Google: a quota that is used up ends the call', async () => {
  await faults({ fault: 'quota', times: 1 });
  const error = await refused(() => calendar.events.list({ calendarId: 'primary' }, quick));
  assert.deepEqual([error.code, reason(error), await injected()], [403, 'quotaExceeded', [1]]);
});

await step('Google: access that is taken away', async () => {
  await faults({ fault: 'access-lost', times: 1 }, { fault: 'access-lost', status: 404, times: 1 });
  const codes = [];
  for (let i = 0; i < 2; i++) codes.push((await refused(() => calendar.events.list({ calendarId: 'primary' }, quick))).code);
  assert.deepEqual(codes, [403, 404]);
});

await step('Google: a page token that is too old', async () => {
  const { data } = await calendar.events.list({ calendarId: 'primary', maxResults: 1 });
  assert.ok(data.nextPageToken);
  await faults({ fault: 'expired-page-token' });
  const error = await refused(() => calendar.events.list({ calendarId: 'primary', maxResults: 1, pageToken: data.nextPageToken }));
  assert.deepEqual([error.code, await injected()], [400, [1]]);
  assert.equal((await calendar.events.list({ calendarId: 'primary', maxResults: 1 })).data.items.length, 1);
});

await step('Google: a method that is not there', async () => {
  await faults({ fault: 'missing', methods: ['calendar.events.list'] });
  assert.equal((await refused(() => calendar.events.list({ calendarId: 'primary' }, quick))).code, 404);
});

await step('Google: a connection that is reset, and one without an answer: what reads is made again', async () => {
  for (const fault of [{ fault: 'reset' }, { fault: 'timeout', delay_ms: 50, clock: 'real' }, { fault: 'timeout', delay_ms: 60000 }]) {
    await faults({ ...fault, times: 1 });
    assert.equal((await calendar.events.list({ calendarId: 'primary' }, quick)).status, 200);
    assert.deepEqual(await injected(), [1]);
  }
});

await step('Google: a letter whose answer never comes is there once, and the caller does not know', async () => {
  const before = await letters();
  await faults({ fault: 'lost-answer', lost: 'timeout', methods: ['gmail.users.messages.send'] });
  const waits = new AbortController();
  const lost = refused(() => gmail.users.messages.send({ userId: 'me', requestBody: { raw } }, { retry: false, signal: waits.signal }));
  await until(async () => (await injected())[0] === 1);
  waits.abort(); // the client gives up
  await lost;
  assert.equal(await letters(), before + 1);
});

await step('Google: an answer that can not be parsed as JSON is given as its text', async () => {
  await faults({ fault: 'malformed', times: 1 });
  const { data } = await calendar.events.list({ calendarId: 'primary' }, quick);
  assert.equal(typeof data, 'string');
  assert.throws(() => JSON.parse(data));
});

await step('Google: a slow answer, and a client that does not wait for it', async () => {
  await faults({ fault: 'slow', delay_ms: 400, clock: 'real' });
  const began = Date.now();
  assert.equal((await calendar.events.list({ calendarId: 'primary' })).status, 200);
  assert.ok(Date.now() - began >= 350); // two clocks may differ by a little
  await refused(() => calendar.events.list({ calendarId: 'primary' }, { timeout: 50, retry: false }));
});

await step('Google: a read that does not have the last change yet', async () => {
  await faults({ fault: 'stale-read', methods: ['calendar.events.list'], times: 1 });
  const { data } = await calendar.events.insert({ calendarId: 'primary',
    requestBody: { summary: 'New', start: { date: '2026-11-26' }, end: { date: '2026-11-27' } } });
  const ids = async () => (await calendar.events.list({ calendarId: 'primary' })).data.items.map(e => e.id);
  assert.equal((await ids()).includes(data.id), false);
  assert.equal((await ids()).includes(data.id), true);
});

await step('Google: mail that arrives in the midst', async () => {
  const before = await letters();
  await faults({ fault: 'arrival', methods: ['gmail.users.messages.list'], times: 1, document: { sosia: 1,
    mailboxes: [{ person: ADA, messages: [{ from: 'Dana <dana@out.example>', to: ADA, subject: 'Now', date: 'today 08:00', text: 'Just sent.' }] }] } });
  assert.equal((await gmail.users.messages.list({ userId: 'me' })).data.resultSizeEstimate, before + 1);
});

await step('Google: a notification that is sent twice', async () => {
  await control('DELETE', `/worlds/${w.key}/faults`);
  const numbers = [];
  let enough;
  const all = new Promise(done => { enough = done; });
  const receiver = createServer((request, response) => {
    response.end();
    if (request.headers['x-goog-resource-state'] !== 'exists') return;
    numbers.push(request.headers['x-goog-message-number']);
    if (numbers.length === 2) enough();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  await calendar.events.watch({ calendarId: 'primary',
    requestBody: { id: 'channel-1', type: 'web_hook', address: `http://localhost:${receiver.address().port}/` } });
  await faults({ fault: 'duplicate-webhook', methods: ['calendar.events.insert'], times: 1 });
  await calendar.events.insert({ calendarId: 'primary',
    requestBody: { summary: 'Told', start: { date: '2026-11-28' }, end: { date: '2026-11-29' } } });
  await all;
  receiver.close();
  assert.equal(numbers[0], numbers[1]);
});

/** In front of the client's own middleware: it gives its token to addresses of https alone. */
class Token {
  async execute(context) {
    context.options.headers = { ...context.options.headers, Authorization: `Bearer ${w.tokens[NORA]}` };
    await this.next.execute(context);
  }
}
const chain = [new Token(), new RetryHandler(), new HTTPMessageHandler()];
chain[0].next = chain[1];
chain[1].setNext(chain[2]);
const graph = Graph.initWithMiddleware({ middleware: chain[0], baseUrl: `${w.url}@graph.microsoft.com/` });

await step('Microsoft: the client waits as long as Retry-After says, and asks again', async () => {
  await faults({ fault: 'rate-limit', retry_after: 1, times: 1 });
  const began = Date.now();
  assert.equal((await graph.api('/me').get()).mail, NORA);
  assert.ok(Date.now() - began >= 950); // two clocks may differ by a little
  assert.deepEqual(await injected(), [1]);
});

await step('Microsoft: a service that is unavailable is asked again, also for what writes', async () => {
  await faults({ fault: 'server-error', status: 503, retry_after: 1, times: 1 });
  const made = await graph.api('/me/events').post({ subject: 'Once',
    start: { dateTime: '2026-11-24T10:00', timeZone: 'UTC' }, end: { dateTime: '2026-11-24T11:00', timeZone: 'UTC' } });
  assert.deepEqual([made.subject, await injected()], ['Once', [1]]);
});

await step('Microsoft: a token that is not taken any more, access that is lost', async () => {
  await faults({ fault: 'token-revoked', times: 1 }, { fault: 'access-lost', times: 1 });
  const codes = [];
  for (let i = 0; i < 2; i++) codes.push((await refused(() => graph.api('/me').get())).statusCode);
  assert.deepEqual(codes, [401, 403]);
});

await step('Microsoft: a part of a batch fails', async () => {
  await faults({ fault: 'server-error', status: 500, parts: true, calls: 2 });
  const request = id => ({ id, request: new Request('https://graph.microsoft.com/me') });
  const content = await new BatchRequestContent([request('1'), request('2'), request('3')]).getContent();
  const answer = new BatchResponseContent(await graph.api('/$batch').post(content));
  assert.deepEqual(['1', '2', '3'].map(id => answer.getResponseById(id).status), [200, 500, 200]);
});

await step('Model Context Protocol: a tool that is called otherwise, and one that is gone', async () => {
  await faults({ fault: 'renamed', tools: ['calendar_events_list'], to: 'list_meetings' }, { fault: 'missing', tools: ['calendar_events_get'] });
  const client = new Client({ name: 'sosia-test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${w.url}mcp/calendar?tools=native`),
    { requestInit: { headers: { Authorization: `Bearer ${w.tokens[ADA]}` } } }));
  const names = (await client.listTools()).tools.map(tool => tool.name);
  assert.deepEqual(['list_meetings', 'calendar_events_list', 'calendar_events_get'].map(n => names.includes(n)), [true, false, false]);
  const called = await client.callTool({ name: 'list_meetings', arguments: { calendarId: 'primary' } });
  assert.ok(!called.isError && called.structuredContent.items.length > 0);
  for (const name of ['calendar_events_list', 'calendar_events_get']) {
    const error = await client.callTool({ name, arguments: { calendarId: 'primary', eventId: 'firstday01' } }).catch(e => e);
    assert.ok(error instanceof Error || error.isError);
  }
  await client.close();
});

await finish();
