// SPDX-License-Identifier: Apache-2.0
// The Inspector's command line: it lists tools, resources and prompts of each service, and calls, over HTTP and stdio.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { finish, refused, start, step, world } from '../harness.mjs';

const part = (name) => fileURLToPath(import.meta.resolve(`@modelcontextprotocol/inspector-cli/build/${name}`));
const everything = 'SOSIA_FULL' in process.env; // each look is a process or two
const run = promisify(execFile);

await start();
const ada = 'ada@acme.example';
const acme = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z', zone: 'Europe/Rome',
  people: [{ email: ada, name: 'Ada' }],
  workspaces: [{ id: 'T0ACME0001', domain: 'acme', name: 'Acme' }],
  channels: [{ id: 'C0GENERAL1', name: 'general', general: true }],
});

/** What the Inspector prints for a method, parsed. Its first program reads the options and starts the second with them, which
 * takes as long again: the first look is through both. */
let looks = 0;
async function inspect(target, ...options) {
  const program = everything || looks++ === 0 ? [part('cli.js'), '--cli'] : [part('index.js')];
  const { stdout } = await run(process.execPath, [...program, ...target, ...options], { maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

const http = (path) => [`${acme.url}mcp${path}`, '--transport', 'http', '--header', `Authorization: Bearer ${acme.tokens[ada]}`];
const stdio = [process.env.SOSIA_BIN ?? 'sosia', 'mcp', '--fixture', 'small'];
const tool = (name, ...pairs) => ['--method', 'tools/call', '--tool-name', name, ...pairs.flatMap((pair) => ['--tool-arg', pair])];

const services = [['/calendar', 'calendar_'], ['/gmail', 'gmail_'], ['/drive', 'drive_'], ['/slack', 'slack_']];
for (const [path, prefix] of everything ? services : services.slice(0, 1)) {
  await step(`it lists the tools of ${path}`, async () => {
    const { tools } = await inspect(http(`${path}?tools=native`), '--method', 'tools/list');
    assert.ok(tools.length > 30 && tools.every(({ name }) => name.startsWith(prefix)), `${tools.length} tools`);
  });
}

await step('it lists resources, reads one, and lists prompts', async () => {
  const { resources } = await inspect(http(''), '--method', 'resources/list');
  assert.ok(resources.some(({ uri }) => uri === 'slack://channels/C0GENERAL1'));
  const { contents } = await inspect(http(''), '--method', 'resources/read', '--uri', 'slack://channels/C0GENERAL1');
  assert.deepEqual(JSON.parse(contents[0].text).messages, []);
  if (everything) assert.ok((await inspect(http(''), '--method', 'prompts/list')).prompts.length >= 7);
});

await step('it calls a tool that writes and one that reads', async () => {
  const posted = await inspect(http('/slack'), ...tool('slack_chat_postMessage', 'channel=C0GENERAL1', 'text=Good morning'));
  assert.equal(posted.structuredContent.message.text, 'Good morning');
  const { structuredContent } = await inspect(http('/slack'), ...tool('slack_conversations_history', 'channel=C0GENERAL1'));
  assert.deepEqual(structuredContent.messages.map(({ text }) => text), ['Good morning']);
});

await step('a refusal of the vendor is a result, one of the protocol an error', async () => {
  const { isError, content } = await inspect(http('/slack'), ...tool('slack_conversations_history', 'channel=C0NOWHERE1'));
  assert.ok(isError && /channel_not_found/.test(content[0].text), content[0].text);
  const { stderr } = await refused(() => inspect(http('/slack'), ...tool('slack_no_such_method')));
  assert.match(stderr, /slack_no_such_method/);
});

await step('the same over stdio', async () => {
  if (everything) assert.ok((await inspect([...stdio, '--tools', 'native'], '--method', 'tools/list')).tools.length > 300);
  const { structuredContent } = await inspect(stdio, ...tool('calendar_calendarList_list'));
  assert.ok(structuredContent.items.length > 0);
});

await finish();
