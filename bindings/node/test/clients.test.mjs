// SPDX-License-Identifier: Apache-2.0
// The vendors' own client programs on a world, unmodified and without a socket.
import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { Readable } from 'node:stream';
import { after } from 'node:test';
import { ADA, engine, event, EVENTS, sdk, slackWorld, small, sosia, test } from './support.mjs';

// Nothing here may open a connection.
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function refused() { throw new Error('a socket was connected'); };
after(() => { net.Socket.prototype.connect = connect; });

const { google } = (await sdk('googleapis')).default;
const auth = (token) => {
  const client = new google.auth.OAuth2();
  client.setCredentials({ access_token: token });
  return client;
};

test('fetch(): bodies of all kinds, refusals, redirects and signals', async () => {
  const world = small();
  const { fetch } = world.asActor(ADA);
  const post = (body, headers = {}) => fetch(EVENTS, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
  const text = JSON.stringify(event('Lunch — café'));
  for (const body of [text, Buffer.from(text), new TextEncoder().encode(text).buffer, new Blob([text]), Readable.from([text.slice(0, 9), text.slice(9)]),
    new Blob([text]).stream()]) {
    const made = await post(body);
    assert.equal(made.status, 200);
    assert.equal(made.url, EVENTS);
    assert.equal((await made.json()).summary, 'Lunch — café');
  }
  const whole = await fetch(new Request(EVENTS, { method: 'POST', body: text, headers: { 'Content-Type': 'application/json' } }));
  assert.equal((await whole.json()).summary, 'Lunch — café');
  assert.equal((await fetch(new URL(EVENTS))).status, 200);
  const gone = await fetch(`${EVENTS}/none`, { method: 'DELETE' });
  assert.equal(gone.status, 404);
  assert.match(gone.headers.get('content-type'), /^application\/json/);
  const made = await (await post(text)).json();
  const deleted = await fetch(`${EVENTS}/${made.id}`, { method: 'DELETE' });
  assert.equal(deleted.status, 204);
  assert.equal(await deleted.text(), '');
  assert.equal((await world.fetch(EVENTS)).status >= 400, true, 'nobody has no calendar');
  await assert.rejects(fetch(EVENTS, { signal: AbortSignal.abort(new Error('mine')) }), /mine/);
});

test('the global fetch with a dispatcher', async () => {
  const world = small();
  const { headers } = world.asActor(ADA);
  const made = await fetch(EVENTS, { dispatcher: world.dispatcher, method: 'POST', body: JSON.stringify(event('Lunch')), headers: { ...headers, 'Content-Type': 'application/json' } });
  assert.equal((await made.json()).summary, 'Lunch');
  const listed = await fetch(`${EVENTS}?q=Lunch`, { dispatcher: world.asActor(ADA).dispatcher });
  assert.equal((await listed.json()).items.length, 1);
});

test('undici with a dispatcher', async () => {
  const undici = await sdk('undici');
  const world = small();
  const { statusCode, body } = await undici.request(EVENTS, { dispatcher: world.asActor(ADA).dispatcher });
  assert.equal(statusCode, 200);
  assert.ok((await body.json()).items.length);
});

test('node:http and node:https with an agent', async () => {
  const world = small();
  const ask = (module, url, options, body) => new Promise((resolve, reject) => {
    module.request(url, options, async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      resolve({ status: response.statusCode, text });
    }).on('error', reject).end(body);
  });
  const { agent } = world.asActor(ADA);
  const big = 'x'.repeat(100_000);
  for (const module of [http, https]) {
    const scheme = module === http ? 'http' : 'https';
    const made = await ask(module, EVENTS.replace('https', scheme), { agent, method: 'POST', headers: { 'Content-Type': 'application/json' } }, JSON.stringify({ ...event('Lunch'), description: big.slice(0, 8000) }));
    assert.equal(made.status, 200, made.text);
  }
  const file = await ask(https, 'https://www.googleapis.com/upload/drive/v3/files?uploadType=media', { agent, method: 'POST', headers: { 'Content-Type': 'text/plain' } }, big);
  assert.equal(file.status, 200, file.text);
  assert.equal((await ask(https, `https://www.googleapis.com/drive/v3/files/${JSON.parse(file.text).id}?alt=media`, { agent })).text, big);
  const dropped = small();
  dropped.drop();
  await assert.rejects(ask(https, EVENTS, { agent: dropped.agent }), { code: 'NOT_FOUND' });
});

test('axios with an adapter', async () => {
  const axios = (await sdk('axios')).default;
  const world = small();
  const client = axios.create({ adapter: world.asActor(ADA).axiosAdapter, baseURL: 'https://www.googleapis.com/calendar/v3' });
  const made = await client.post('/calendars/primary/events', event('Lunch'));
  assert.equal(made.data.summary, 'Lunch');
  const listed = await client.get('/calendars/primary/events', { params: { q: 'Lunch', maxResults: 5 } });
  assert.equal(listed.data.items.length, 1);
  const refused = await client.get('/calendars/none/events').catch(error => error);
  assert.ok(axios.isAxiosError(refused));
  assert.equal(refused.response.status, 404);
});

test('googleapis', async () => {
  const world = small();
  const options = { auth: auth(world.asActor(ADA).token), fetchImplementation: world.fetch };
  const calendar = google.calendar({ version: 'v3', ...options });
  const { data } = await calendar.events.insert({ calendarId: 'primary', requestBody: event('Lunch') });
  assert.equal(data.summary, 'Lunch');
  await assert.rejects(calendar.events.get({ calendarId: 'primary', eventId: 'none' }), { status: 404 });
  const drive = google.drive({ version: 'v3', ...options });
  const file = await drive.files.create({ requestBody: { name: 'a.txt' }, media: { mimeType: 'text/plain', body: Readable.from(['one ', 'two']) } });
  const got = await drive.files.get({ fileId: file.data.id, alt: 'media' });
  assert.equal(got.data, 'one two');
});

test('@slack/web-api, and @slack/bolt without a port', async () => {
  const { WebClient } = (await sdk('@slack/web-api'));
  const bolt = (await sdk('@slack/bolt')).default;
  const world = engine.world({ document: slackWorld });
  const ada = new WebClient(world.asActor('ada@acme.example').token, { fetch: world.fetch });
  const receiver = new sosia.WorldReceiver(world);
  const app = new bolt.App({ receiver, token: world.token('deploy@acme.example', { prefix: 'xoxb-' }), botId: 'B0DEPLOY', botUserId: 'U0DEPLOY', clientOptions: { fetch: world.fetch }, logLevel: 'error' });
  app.event('app_mention', async ({ event: mention, say }) => { await say({ text: `hello <@${mention.user}>`, thread_ts: mention.ts }); });
  app.command('/deploy', async ({ ack, command }) => { await ack(`Only you see ${command.text}`); });
  await app.start();
  const { ts } = await ada.chat.postMessage({ channel: 'C0DEV', text: 'hey <@U0DEPLOY>' });
  const acted = await world.act('ada@acme.example', 'slack', { command: { channel: 'C0DEV', command: '/deploy', text: 'now' } });
  assert.equal(acted.ephemeral?.text ?? acted.message?.text, 'Only you see now', JSON.stringify(acted));
  await app.stop();
  const { messages } = await ada.conversations.replies({ channel: 'C0DEV', ts });
  assert.deepEqual(messages.map(m => m.text), ['hey <@U0DEPLOY>', 'hello <@U0ADA>']);
  assert.ok(world.outbox().every(e => e.delivery.state === 'delivered'));
});

const NORA = 'nora@quay.example';
const round = { subject: 'Tide round', start: { dateTime: '2026-11-24T08:00:00', timeZone: 'UTC' }, end: { dateTime: '2026-11-24T08:30:00', timeZone: 'UTC' } };

/** What programs do with each client of Graph. */
async function graphDays(client, world) {
  const made = await client.make(round);
  assert.equal(made.subject, 'Tide round');
  assert.deepEqual((await client.subjects()).slice(0, 2), ['Morning round', 'Dentist']);
  assert.equal((await client.change(made.id, { location: { displayName: 'Pier' } })).location.displayName, 'Pier');
  await client.send({ message: { subject: 'Hi', toRecipients: [{ emailAddress: { address: 'olaf@quay.example' } }] } });
  const inbox = world.asActor('olaf@quay.example').call({ url: '/v1.0/me/mailFolders/inbox/messages?$filter=subject%20eq%20%27Hi%27' });
  assert.equal(inbox.json().value.length, 1);
  await client.remove(made.id);
  assert.equal((await client.refused(made.id)).toLowerCase(), 'erroritemnotfound');
}

const graphClient = (graph, GraphError) => ({
  make: event => graph.api('/me/events').post(event),
  subjects: async () => (await graph.api('/me/events').orderby('start/dateTime').get()).value.map(e => e.subject),
  change: (id, event) => graph.api(`/me/events/${id}`).patch(event),
  send: message => graph.api('/me/sendMail').post(message),
  remove: id => graph.api(`/me/events/${id}`).delete(),
  refused: async (id) => {
    const error = await graph.api(`/me/events/${id}`).get().catch(e => e);
    assert.ok(error instanceof GraphError);
    return error.code;
  },
});

test('@microsoft/microsoft-graph-client', async () => {
  const { Client, GraphError, PageIterator } = await sdk('@microsoft/microsoft-graph-client');
  for (const intercepted of [false, true]) {
    const world = engine.world({ fixture: 'small-365' });
    const { token } = world.asActor(NORA);
    const graph = Client.init({ authProvider: done => done(null, token), ...(!intercepted && { fetchOptions: { dispatcher: world.dispatcher } }) });
    using held = intercepted ? sosia.intercept(world) : { [Symbol.dispose]() {} };
    await graphDays(graphClient(graph, GraphError), world);
    const seen = [];
    const first = await graph.api('/me/events').top(2).get();
    await new PageIterator(graph, first, e => seen.push(e.subject) > 0).iterate();
    assert.equal(seen.length, 5); // links lead to the world, too
    assert.ok(held);
  }
});

test('@microsoft/msgraph-sdk', async () => {
  const { createGraphServiceClient, GraphRequestAdapter } = await sdk('@microsoft/msgraph-sdk');
  const { createGraphClientFactory } = await sdk('@microsoft/msgraph-sdk-core');
  await sdk('@microsoft/msgraph-sdk-users');
  for (const intercepted of [false, true]) {
    const world = engine.world({ fixture: 'small-365' });
    const { token } = world.asActor(NORA);
    const signIn = { authenticateRequest: async request => { request.headers.add('Authorization', `Bearer ${token}`); } };
    const adapter = intercepted ? new GraphRequestAdapter(signIn)
      : new GraphRequestAdapter(signIn, undefined, undefined, createGraphClientFactory({}, world.fetch));
    const { me } = createGraphServiceClient(adapter);
    using held = intercepted ? sosia.intercept(world) : { [Symbol.dispose]() {} };
    await graphDays({
      make: event => me.events.post(event),
      subjects: async () => (await me.events.get({ queryParameters: { orderby: ['start/dateTime'] } })).value.map(e => e.subject),
      change: (id, event) => me.events.byEventId(id).patch(event),
      send: message => me.sendMail.post(message),
      remove: id => me.events.byEventId(id).delete(),
      refused: async id => (await me.events.byEventId(id).get().catch(e => e)).errorEscaped?.code ?? '',
    }, world);
    assert.ok(held);
  }
});

test('@modelcontextprotocol/sdk', async () => {
  const { Client } = await sdk('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await sdk('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const world = small();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: world.asActor(ADA).fetch }));
  const { tools } = await client.listTools();
  assert.ok(tools.length > 10);
  const result = await client.callTool({ name: tools.find(t => /list.?calendars|list_events|events_list/i.test(t.name))?.name ?? tools[0].name, arguments: {} });
  assert.ok(Array.isArray(result.content));
  await client.close();
});

test('openai', async () => {
  const OpenAI = (await sdk('openai')).default;
  const world = small();
  const client = new OpenAI({ apiKey: world.asActor(ADA).token, baseURL: 'https://www.googleapis.com/calendar/v3', fetch: world.fetch, maxRetries: 0 });
  const made = await client.post('/calendars/primary/events', { body: event('Lunch') });
  assert.equal(made.summary, 'Lunch');
  await assert.rejects(client.chat.completions.create({ model: 'none', messages: [] }), { status: 404 });
});
