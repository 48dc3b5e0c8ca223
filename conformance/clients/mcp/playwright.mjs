// SPDX-License-Identifier: Apache-2.0
// A browser in a world: @playwright/mcp, unmodified, with Debian's chromium, carried by `sosia serve` and reached by the SDK's client.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { control, finish, server, start, step } from '../harness.mjs';

const skipped = 77; // as test runners have it
const chromium = '/usr/lib/chromium/chromium';
const packages = realpathSync(join(import.meta.dirname, '../node_modules'));
const ada = 'ada@small.example';

function leaveOut(why) {
  console.log(`left out: playwright, since ${why}`);
  process.exit(skipped);
}

if (!existsSync(chromium)) leaveOut('there is no chromium of Debian');
if (!existsSync(join(packages, '@playwright/mcp'))) leaveOut('@playwright/mcp is not installed');
const directory = mkdtempSync(join(tmpdir(), 'sosia-playwright-'));
const carry = join(directory, 'servers.json');
writeFileSync(carry, JSON.stringify({
  servers: [{
    name: 'playwright', state: 'memory', show: [packages],
    command: [realpathSync(process.execPath), join(packages, '@playwright/mcp/cli.js'), '--headless', '--isolated', '--no-sandbox', '--browser', 'chromium',
      '--executable-path', chromium, '--output-dir', '/data/.playwright_output', '--allow-unrestricted-file-access', '--ignore-https-errors'],
  }],
}));
try {
  await start(['--fixture', 'small', '--carry', carry]);
} finally {
  rmSync(directory, { recursive: true });
}

async function tools(name, world = 'small') {
  const { token } = await control('POST', `/worlds/${world}/tokens`, { actor: ada });
  const client = new Client({ name: 'sosia-test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/w/${world}/mcp/${name}`), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  return {
    list: async () => (await client.listTools()).tools.map((t) => t.name),
    call: async (tool, args = {}) => {
      const result = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: 120_000 });
      assert.ok(!result.isError, JSON.stringify(result));
      return result.content[0];
    },
  };
}

const browser = await tools('playwright');
const files = await tools('filesystem');
const page = (heading) => `<!doctype html><title>Plans</title><h1>${heading}</h1>
<button onclick="document.querySelector('h1').textContent += ' and seen'">Seen</button>`;

await step('it lists its tools without a browser', async () => {
  const names = await browser.list();
  for (const name of ['browser_navigate', 'browser_snapshot', 'browser_click', 'browser_take_screenshot']) assert.ok(names.includes(name), name);
});

await step('a page of the workspace is opened, and stays open between calls', async () => {
  await files.call('write_file', { path: '/data/page.html', content: page('Plans of the week') });
  await browser.call('browser_navigate', { url: 'file:///data/page.html' });
  const before = (await browser.call('browser_snapshot')).text;
  assert.match(before, /Plans of the week/);
  const [, ref] = before.match(/button "Seen" \[ref=(\w+)\]/);
  await browser.call('browser_click', { element: 'Seen', target: ref });
  assert.match((await browser.call('browser_snapshot')).text, /Plans of the week and seen/);
});

await step('it sees what other tools write meanwhile', async () => {
  await files.call('write_file', { path: '/data/page.html', content: page('Other plans') });
  await browser.call('browser_navigate', { url: 'file:///data/page.html' });
  assert.match((await browser.call('browser_snapshot')).text, /Other plans/);
});

await step('a screenshot is a file of the workspace', async () => {
  await browser.call('browser_take_screenshot', { filename: 'plans.png' });
  const found = (await files.call('search_files', { path: '/data', pattern: '**/plans.png' })).text;
  assert.match(found, /^\/data\/(.+\/)?plans\.png$/);
  const image = await files.call('read_media_file', { path: found });
  assert.equal(image.mimeType, 'image/png');
  assert.equal(Buffer.from(image.data, 'base64').subarray(1, 4).toString(), 'PNG');
});

await step("a service's own host leads into the world", async () => {
  await browser.call('browser_navigate', { url: 'https://www.googleapis.com/discovery/v1/apis/calendar/v3/rest' });
  assert.match((await browser.call('browser_snapshot')).text, /calendar#?/);
});

await step('a fork has a browser of its own, and the files', async () => {
  const fork = await control('POST', '/worlds/small/fork', {});
  const name = fork.world ?? fork.worlds[0].world;
  const other = await tools('playwright', name);
  assert.doesNotMatch((await other.call('browser_snapshot')).text, /Other plans/);
  await other.call('browser_navigate', { url: 'file:///data/page.html' });
  assert.match((await other.call('browser_snapshot')).text, /Other plans/);
});

finish();
