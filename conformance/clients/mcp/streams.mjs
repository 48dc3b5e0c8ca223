// SPDX-License-Identifier: Apache-2.0
// The official TypeScript client of the Model Context Protocol on streams: requests of the server, subscriptions, sessions, the
// transport of 2024-11-05, and signing in by what the endpoint says of itself.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { control, finish, refused, start, step, world } from '../harness.mjs';

const server = await start(['--mcp-fixture']);
const ada = 'ada@acme.example';
const redirect = 'http://localhost:9/callback';
const acme = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z', zone: 'Europe/Rome', registration: true,
  people: [{ email: ada, name: 'Ada' }],
  calendars: [{ id: ada, primary: true, events: [{ id: 'standup00001', summary: 'Stand-up', start: 'today 09:00', end: 'today 09:15' }] }],
  oauth_clients: [{ client_id: 'known', name: 'Known', kind: 'installed', redirect_uris: [redirect], automatic: ada }],
});
const requestInit = { headers: { Authorization: `Bearer ${acme.tokens[ada]}` } };

async function connect(transport, capabilities = {}) {
  const client = new Client({ name: 'sosia-test', version: '1.0.0' }, { capabilities });
  await client.connect(transport);
  return client;
}

const http = (path = 'mcp', options = { requestInit }) => new StreamableHTTPClientTransport(new URL(acme.url + path), options);

/** The next notification of a kind. */
function next(client, schema) {
  return new Promise((resolve) => client.setNotificationHandler(schema, ({ params }) => resolve(params)));
}

const patch = (client, summary) => client.callTool({
  name: 'calendar_events_patch', arguments: { calendarId: 'primary', eventId: 'standup00001', body: { summary } },
});

await step('a tool asks a model and a person while it works', async () => {
  const client = await connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/conformance`)), { sampling: {}, elicitation: {} });
  client.setRequestHandler(types.CreateMessageRequestSchema, async ({ params }) => ({
    role: 'assistant', model: 'm', content: { type: 'text', text: params.messages[0].content.text.toUpperCase() } }));
  client.setRequestHandler(types.ElicitRequestSchema, async () => ({ action: 'decline' }));
  const calls = ['one', 'two', 'three'].map((prompt) => client.callTool({ name: 'test_sampling', arguments: { prompt } }));
  assert.deepEqual((await Promise.all(calls)).map(({ content }) => content[0].text), ['ONE', 'TWO', 'THREE'].map((t) => `LLM response: ${t}`));
  const declined = await client.callTool({ name: 'test_elicitation', arguments: { message: 'Who?' } });
  assert.equal(declined.content[0].text, 'User response: action=decline, content={}');
  await client.close();
});

await step('a client that can not be asked gets an error', async () => {
  const client = await connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/conformance`)));
  const result = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'x' } });
  assert.equal(result.isError, true);
  await client.close();
});

await step('a client that sets a level gets log messages', async () => {
  const client = await connect(http());
  await client.setLoggingLevel('debug');
  const message = next(client, types.LoggingMessageNotificationSchema);
  await patch(client, 'Logged');
  assert.deepEqual(await message, { level: 'debug', logger: 'sosia',
    data: { method: 'PATCH', path: '/calendar/v3/calendars/primary/events/standup00001', status: 200 } });
  await client.close();
});

await step('files come in pages', async () => {
  const client = await connect(http('mcp/drive'));
  for (let i = 0; i < 120; i++) await client.callTool({ name: 'drive_files_create', arguments: { body: { name: `Page ${i}` } } });
  const first = await client.listResources();
  const second = await client.listResources({ cursor: first.nextCursor });
  assert.deepEqual([first.resources.length, second.resources.length, second.nextCursor], [100, 20, undefined]);
  assert.equal(new Set([...first.resources, ...second.resources].map(({ uri }) => uri)).size, 120);
  await client.close();
});

await step('changes of resources and lists are notified', async () => {
  const client = await connect(http());
  assert.deepEqual(client.getServerCapabilities().resources, { subscribe: true, listChanged: true });
  await client.subscribeResource({ uri: 'calendar://primary' });
  const updated = next(client, types.ResourceUpdatedNotificationSchema);
  await patch(client, 'A');
  assert.deepEqual(await updated, { uri: 'calendar://primary' });
  const listed = next(client, types.ResourceListChangedNotificationSchema);
  await client.callTool({ name: 'drive_files_create', arguments: { body: { name: 'F' } } });
  await listed;
  await client.close();
});

await step('a session ends, and a new one begins', async () => {
  const transport = http();
  const client = await connect(transport);
  const old = transport.sessionId;
  assert.ok(old);
  await transport.terminateSession();
  await client.close();
  const answer = await fetch(`${acme.url}mcp`, { method: 'POST', headers: { ...requestInit.headers, 'mcp-session-id': old,
    'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  assert.equal(answer.status, 404);
  const other = http();
  await (await connect(other)).close();
  assert.notEqual(other.sessionId, old);
});

await step('the transport of 2024-11-05', async () => {
  const transport = new SSEClientTransport(new URL(`${acme.url}sse`), {
    requestInit, eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...requestInit.headers } }) } });
  const client = await connect(transport);
  assert.ok((await client.listTools()).tools.length > 50);
  await client.subscribeResource({ uri: 'calendar://primary' });
  const updated = next(client, types.ResourceUpdatedNotificationSchema);
  await patch(client, 'B');
  assert.deepEqual(await updated, { uri: 'calendar://primary' });
  await client.close();
});

/** What a program keeps when it signs somebody in; the person's browser is a request. */
function provider(information) {
  const kept = {};
  return {
    kept,
    redirectUrl: redirect,
    clientMetadata: { client_name: 'Tools', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
    clientInformation: () => information ?? kept.information,
    saveClientInformation: (given) => { kept.information = given; },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => { kept.tokens = tokens; },
    redirectToAuthorization: (url) => { kept.url = url; },
    saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
    codeVerifier: () => kept.verifier,
  };
}

await step('a client signs in by what the endpoint says of itself', async () => {
  const authProvider = provider({ client_id: 'known' });
  const first = http('mcp', { authProvider });
  await refused(() => connect(first));
  const answer = await fetch(authProvider.kept.url, { redirect: 'manual' });
  const code = new URL(answer.headers.get('location')).searchParams.get('code');
  await first.finishAuth(code);
  const client = await connect(http('mcp', { authProvider }));
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'calendar_events_list') && !tools.some(({ name }) => name === 'slack_chat_postMessage'));
  assert.equal((await client.callTool({ name: 'calendar_events_list', arguments: { calendarId: 'primary' } })).isError ?? false, false);
  await client.close();
});

/** What a browser sends when Allow is pressed on a page; cookie: that it has. */
async function allow(url, cookie) {
  const headers = cookie ? { cookie } : {};
  const page = await (await fetch(url, { headers })).text();
  const form = new URLSearchParams({ sosia_decision: 'allow' });
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g))
    form.set(name, value.replaceAll('&amp;', '&'));
  const action = new URL(page.match(/<form method="post" action="([^"]*)"/)[1], url);
  return fetch(action, { method: 'POST', redirect: 'manual', body: form, headers: { ...headers, origin: action.origin } });
}

await step('a client that is not known registers, and a person agrees with a link of its own', async () => {
  const authProvider = provider();
  const first = http('mcp', { authProvider });
  await refused(() => connect(first));
  assert.match(authProvider.kept.information.client_id, /^[0-9a-f]{32}$/);
  assert.equal(authProvider.kept.information.client_secret, undefined);
  assert.equal((await allow(authProvider.kept.url)).status, 403);
  const { link } = await control('POST', `/worlds/${acme.key}/consents`, { actor: ada });
  const opened = await fetch(link);
  assert.equal(opened.status, 200);
  const cookie = opened.headers.get('set-cookie').split(';')[0];
  const agreed = await allow(authProvider.kept.url, cookie);
  assert.equal(agreed.status, 302);
  await first.finishAuth(new URL(agreed.headers.get('location')).searchParams.get('code'));
  const client = await connect(http('mcp', { authProvider }));
  const told = await client.callTool({ name: 'calendar_events_list', arguments: { calendarId: 'primary' } });
  assert.ok(!told.isError && JSON.stringify(told).includes(ada));
  await client.close();
  assert.equal((await allow(authProvider.kept.url, cookie)).status, 403); // the link was good once
  const bad = await fetch(`${acme.url}mcp/register`, { method: 'POST', body: JSON.stringify({ redirect_uris: ['http://evil.example/'] }) });
  assert.deepEqual([bad.status, (await bad.json()).error], [400, 'invalid_redirect_uri']);
});

await step('a client that is not known signs in nowhere else', async () => {
  const closed = await world({ sosia: 1, people: [{ email: ada, name: 'Ada' }] });
  const authProvider = provider();
  const why = await refused(() => connect(new StreamableHTTPClientTransport(new URL(`${closed.url}mcp`), { authProvider })));
  assert.match(why.message, /does not support dynamic client registration/);
  assert.equal((await fetch(`${closed.url}mcp/register`, { method: 'POST', body: '{}' })).status, 404);
});

await step('metadata are where the standards put them', async () => {
  const path = new URL(acme.url).pathname.replace(/\/$/, '');
  for (const [from, to] of [
    [`${acme.url}.well-known/oauth-protected-resource/mcp`, `${server.url}/.well-known/oauth-protected-resource${path}/mcp`],
    [`${acme.url}.well-known/oauth-authorization-server`, `${server.url}/.well-known/oauth-authorization-server${path}`],
  ]) {
    const inner = await (await fetch(from)).json();
    assert.deepEqual(await (await fetch(to)).json(), inner);
    assert.ok((inner.issuer ?? inner.authorization_servers[0]) === acme.url.replace(/\/$/, ''));
  }
});

await finish();
