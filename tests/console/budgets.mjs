// SPDX-License-Identifier: Apache-2.0
// What a screen may cost, as far as it is no matter of time: requests, elements of long lists, and nothing that grows with
// how many rows there are. bench/console.mjs has what is measured in milliseconds.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PATIENCE, Server, enter, fresh, settled } from './harness.mjs';

const ADA = 'ada@long.example', MESSAGES = 3000, CALLS = 2000;
const ELEMENTS = 400; // of a list, however long it is
const REQUESTS = 24; // to the control interface, for a screen with all around it, asked again once when its stream begins
let server, context, page, asked = [];

const open = async (path) => {
  await page.goto('about:blank'); // what the screen before still asks for is not of this one
  asked = [];
  await page.goto(`${server.url}/_sosia/ui/w/long${path}`);
  await settled(page);
};
const elements = () => page.evaluate(() => document.querySelector('main .list').querySelectorAll('*').length);
const jump = async (share) => {
  asked = [];
  await page.evaluate((part) => {
    const list = document.querySelector('main .list');
    list.scrollTop = list.scrollHeight * part;
  }, share);
  await page.waitForFunction((part) => {
    const list = document.querySelector('main .list'), rows = [...list.querySelectorAll('[role=row]')];
    const at = Number(rows[0]?.getAttribute('aria-rowindex')) / Number(list.getAttribute('aria-rowcount'));
    return Math.abs(at - part) < 0.05 && rows.every((r) => !r.querySelector('.row-wait') && !r.innerText.trim().endsWith('…'));
  }, share, { timeout: PATIENCE });
  await settled(page);
};

describe('what a screen costs', () => {
  before(async () => {
    server = await Server.start('--fixture', 'small', '--clock', 'frozen', '--journal', 'all');
    const mail = Array.from({ length: MESSAGES }, (_, i) => ({ from: `b${i % 7}@quay.example`, to: ADA, subject: `Ship ${i}`, date: new Date(Date.UTC(2026, 10, 23) - i * 60000).toISOString(), text: `Berth ${i}` }));
    await server.control('POST', '/worlds', { name: 'long', clock: 'frozen', journal: 'all', seed_document: { sosia: 1, people: [{ email: ADA, name: 'Ada' }], mail } }, 201);
    const { token } = await server.control('POST', '/worlds/long/tokens', { actor: ADA }, 201);
    const hundred = { token, calls: Array(100).fill({ method: 'GET', target: '/gmail/v1/users/me/profile' }) };
    for (let n = 0; n < CALLS; n += 100) await server.control('POST', '/worlds/long/calls', hundred);
    context = await fresh();
    page = await enter(context, server.info.console_url);
    page.on('request', (r) => r.url().includes('/_sosia/v1/') && asked.push(new URL(r.url()).pathname.replace('/_sosia/v1', '') + new URL(r.url()).search));
  });
  after(async () => {
    await context?.close();
    await server?.stop();
  });

  test('a long list has a window of its rows, and a jump asks for that', async () => {
    for (const [path, row] of [[`/mail/${ADA}`, '/messages?'], ['/journal', '/journal?']]) {
      await open(path);
      assert.ok(asked.length <= REQUESTS, `${path}: ${asked.length} requests: ${asked.join(' ')}`);
      assert.ok(asked.filter((a) => a.includes(row)).length <= 3, asked.join(' '));
      for (const share of [0.5, 0.9, 0.25]) {
        await jump(share);
        assert.ok(asked.length <= 2 && asked.every((a) => a.includes(row)), `${path} at ${share}: ${asked.join(' ')}`);
        assert.ok((await elements()) <= ELEMENTS, `${path} at ${share}: ${await elements()} elements`);
      }
    }
  });

  test('a list is not drawn before its style is there, and asks for no more than its window', async () => {
    const tab = await context.newPage(), messages = [];
    tab.on('request', (r) => r.url().includes('/messages?') && messages.push(r.url()));
    let come;
    const late = new Promise((done) => (come = done));
    await tab.route(/\/services-[^/]*\.css$/, async (route) => {
      await late;
      await route.continue();
    });
    await tab.goto(`${server.url}/_sosia/ui/w/long/mail/${ADA}`, { waitUntil: 'commit' });
    await tab.waitForFunction(() => document.querySelector('header.top time'), undefined, { timeout: PATIENCE });
    await tab.evaluate(() => new Promise((done) => {
      let left = 60;
      const frame = () => (left-- ? requestAnimationFrame(frame) : done());
      frame();
    }));
    come();
    await tab.locator('main [role=row]').nth(8).waitFor({ timeout: PATIENCE });
    await settled(tab);
    assert.ok(messages.length <= 3, messages.join(' '));
    assert.ok((await tab.evaluate(() => document.querySelectorAll('main .list *').length)) <= ELEMENTS);
    await tab.close();
  });

  test('what stays in sight while a list is scrolled is not made anew', async () => {
    const tab = await context.newPage();
    // each row has its times by these
    await tab.addInitScript(() => {
      globalThis.formatted = 0;
      const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format');
      Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', { configurable: true, get() {
        const format = get.call(this);
        return (x) => (globalThis.formatted++, format(x));
      } });
    });
    await tab.goto(`${server.url}/_sosia/ui/w/long/mail/${ADA}`);
    await tab.locator('main [role=row]').nth(8).waitFor({ timeout: PATIENCE });
    await settled(tab);
    const scroll = async (rows) => {
      const first = await tab.evaluate((by) => {
        const list = document.querySelector('main .list');
        globalThis.formatted = 0;
        const was = Number(list.querySelector('[role=row]').getAttribute('aria-rowindex'));
        list.scrollTop += 52 * by;
        return was;
      }, rows);
      await tab.waitForFunction((was) => Number(document.querySelector('main .list [role=row]').getAttribute('aria-rowindex')) > was && !document.querySelector('main .list .row-wait'),
        first, { timeout: PATIENCE });
      return tab.evaluate(() => globalThis.formatted);
    };
    const far = await scroll(600), near = await scroll(1);
    const shown = await tab.locator('main .list [role=row]').count();
    assert.ok(far >= shown, `${far} for ${shown} rows`); // all of them are new
    assert.ok(near <= (far / shown) * 4, `${near} for one row more, ${far} for ${shown}`);
    await tab.close();
  });

  test('no screen asks for more than a few things', async () => {
    const too = [];
    for (const path of ['', `/calendar/${ADA}`, `/chat/${ADA}`, `/drive/${ADA}`, `/tasks/${ADA}`, '/workspace', '/diff/long@0', '/approvals', '/outbox', '/clock', '/policy', '/faults', '/search?q=ship', '/connect']) {
      await open(path);
      if (asked.length > REQUESTS) too.push(`${path}: ${asked.length}: ${asked.join(' ')}`);
    }
    assert.deepEqual(too, []);
    assert.deepEqual(context.problems, []);
  });
});
