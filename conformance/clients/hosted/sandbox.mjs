// SPDX-License-Identifier: Apache-2.0
// The published Node client of a hosted sandbox service: with another base URL it acquires, fills, uses, reads, empties and releases
// sandboxes here. It asks for initialize and dump at one path alone, and for lists of sandboxes not at all.
import assert from 'node:assert/strict';
import { KlavisClient, KlavisError, Klavis } from 'klavis';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { finish, refused, server, start, step } from '../harness.mjs';

const apiKey = 'key-of-the-node-client';
await start(['--fixture', 'small', '--api-key', apiKey]);
const client = new KlavisClient({ apiKey, environment: server.url });

async function tools(url) {
  const mcp = new Client({ name: 'sosia-test', version: '1.0.0' });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(url)));
  return mcp;
}

await step('a sandbox of each server is acquired, described, emptied and released', async () => {
  for (const name of ['google_calendar', 'gmail', 'google_drive', 'slack', 'outlook_calendar', 'outlook_mail', 'onedrive', 'microsoft_teams']) {
    const { sandbox_id: id, server_url: url, status } = await client.sandbox.createSandbox(name);
    assert.equal(status, 'occupied');
    const info = await client.sandbox.getSandbox(name, id);
    assert.deepEqual([info.sandbox_id, info.server_name, info.server_url], [id, name, url]);
    const mcp = await tools(url);
    assert.ok((await mcp.listTools()).tools.length > 5);
    await mcp.close();
    assert.equal((await client.sandbox.resetSandbox(name, id)).status, 'occupied');
    assert.equal((await client.sandbox.deleteSandbox(name, id)).status, 'idle');
  }
});

await step('initialize, a tool, dump', async () => {
  const { sandbox_id: id, server_url: url } = await client.sandbox.createSandbox('gmail');
  const message = { subject: 'Plans', to: 'agent@sandbox.example', from: 'bob@far.example', body: 'At ten?' };
  const made = await client.sandbox.initializeSandbox(id, { messages: [message] });
  assert.deepEqual(made.records_created, { messages: 1, drafts: 0 });
  const mcp = await tools(url);
  const sent = await mcp.callTool({ name: 'gmail_send_email', arguments: { to: ['bob@far.example'], subject: 'Yes', body: 'Fine' } });
  assert.ok(!sent.isError);
  await mcp.close();
  const { data } = await client.sandbox.dumpSandbox(id);
  assert.deepEqual(data.messages.map((m) => [m.subject, m.from, m.body]),
    [['Plans', 'bob@far.example', 'At ten?'], ['Yes', 'agent@sandbox.example', 'Fine']]);
});

await step('the helpers list and call tools', async () => {
  const { server_url: serverUrl } = await client.sandbox.createSandbox('google_calendar');
  const listed = await client.mcpServer.listTools({ serverUrl, format: Klavis.ToolFormat.Openai });
  assert.ok(listed.success && listed.tools.some((t) => t.function.name === 'google_calendar_list_calendars'));
  const called = await client.mcpServer.callTools({ serverUrl, toolName: 'google_calendar_list_calendars', toolArgs: {} });
  assert.ok(called.success && !called.result.isError);
  assert.ok((await client.mcpServer.getTools('Google Calendar')).tools.length > 5);
});

await step('refusals are the client\'s own errors', async () => {
  const { sandbox_id: id } = await client.sandbox.createSandbox('slack');
  const wrong = await refused(() => client.sandbox.initializeSandbox(id, { channels: [{}] }));
  assert.ok(wrong instanceof Klavis.UnprocessableEntityError);
  assert.deepEqual(wrong.body.detail[0].loc, ['body', 'channels', 0, 'name']);
  await client.sandbox.deleteSandbox('slack', id);
  const gone = await refused(() => client.sandbox.getSandbox('slack', id));
  assert.ok(gone instanceof KlavisError);
  assert.equal(gone.statusCode, 404);
  const stranger = new KlavisClient({ apiKey: 'another-key', environment: server.url });
  assert.equal((await refused(() => stranger.sandbox.createSandbox('slack'))).statusCode, 403);
});

finish();
