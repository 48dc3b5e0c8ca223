// SPDX-License-Identifier: Apache-2.0
// Every screen by its address, in a fresh tab and in both themes: it opens, says what it is, has no error and no
// violation of its policies, passes axe, asks no other host for anything, and leaves the world as it was.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mkdirSync } from 'node:fs';
import { Server, enter, fresh, settled, violations } from './harness.mjs';

const MARTA = 'marta.ferri@tidewater.example';
const EVENT = '/calendar/v3/calendars/primary/events/lunchnoor0001';
// FullCalendar's grid: its events can be reached with the keyboard, and its days are named by labels. The list of the same
// screen is in markup of our own, and is looked at whole.
const EXCEPTIONS = [[/\/calendar\/(?!.*\/list)/, ['aria-required-children', 'empty-table-header']]];

// What the screen says of addresses that lead nowhere.
const NOWHERE = [[/nothing-like-it/, 'worldNotFound'], [/@999/, 'stepNotFound'], [/nobody@nowhere/, 'This person has no mailbox.'], [/no-such-screen/, 'There is no such page.']];

let server, context, addresses, asked;

/** Calls that wrote, that only read, that were refused and held; a snapshot; a world that was forked. */
async function fill() {
  const token = server.token(MARTA);
  const world = server.world;
  await server.control('POST', `/worlds/${world}/snapshot`, { name: 'before' });
  await server.call(token, 'GET', EVENT);
  await server.call(token, 'PATCH', EVENT, { summary: 'Lunch is moved' });
  const raw = Buffer.from('To: somebody@elsewhere.example\r\nSubject: Out\r\n\r\nHello\r\n').toString('base64url');
  await server.call(token, 'POST', '/gmail/v1/users/me/messages/send', { raw });
  await fetch(`${server.url}${EVENT}x`, { headers: { Authorization: `Bearer ${token}` } });
  await server.control('POST', `/worlds/${world}/fork`, { name: 'try-1' }, 201);
  const { folders } = await server.control('GET', `/worlds/${world}/mail/${MARTA}/folders`);
  const inbox = folders.find((f) => f.name.toUpperCase() === 'INBOX');
  const { rows } = await server.control('GET', `/worlds/${world}/mail/${MARTA}/messages?folder=${inbox.id}&limit=5`);
  return rows;
}

describe('every screen', () => {
before(async () => {
  server = await Server.start('--fixture', 'office', '--clock', 'step', '--journal', 'all');
  const rows = await fill();
  context = await fresh();
  asked = new Set();
  context.on('request', (request) => asked.add(new URL(request.url()).origin));
  const page = await enter(context, server.info.console_url);
  await page.goto(`${server.url}/_sosia/ui/w/office`);
  await settled(page);
  const own = await page.evaluate(() => [...document.querySelectorAll('nav a[href], aside a[href]')].map((a) => new URL(a.href).pathname));
  await page.close();
  const at = '/_sosia/ui/w/office';
  addresses = [...new Set(['/_sosia/ui/', '/_sosia/ui/worlds', at, ...own.filter((p) => p.startsWith(`${at}/`)),
    `${at}/journal?open=2`, `${at}/journal?open=2&tab=changes`, `${at}/diff/before`, `${at}@1`, `${at}@2/mail/${MARTA}`, '/_sosia/ui/w/before',
    `${at}/mail/${MARTA}?open=${rows[0].id}`, `${at}/mail/${MARTA}?open=${rows[0].id}&as=source`, `${at}/calendar/${MARTA}/week/2026-11-24`,
    `${at}/calendar/${MARTA}/list/2026-11-24`, '/_sosia/ui/w/nothing-like-it', `${at}@999`, `${at}/mail/nobody@nowhere.example`, `${at}/no-such-screen`])];
});

after(async () => {
  await context?.close();
  await server?.stop();
});

test('every address opens in a fresh tab, and looking changes nothing', async () => {
  const was = await server.state();
  for (const address of addresses) {
    context.problems.length = 0;
    const page = await context.newPage();
    await page.goto(server.url + address);
    await settled(page);
    const shown = (await page.locator('main').innerText()).trim();
    assert.ok(shown.length > 5, `${address}: the screen is blank`);
    assert.ok(!/Loading …/.test(shown), `${address}: ${shown}`);
    const [, reason] = NOWHERE.find(([where]) => where.test(address)) ?? [];
    if (reason) assert.ok(shown.includes(reason), `${address}: ${shown}`);
    else assert.deepEqual(await page.locator('main .failure').allInnerTexts(), [], address);
    assert.deepEqual(context.problems, [], address);
    assert.equal(new URL(page.url()).search.includes('code='), false);
    await page.close();
    assert.equal(await server.state(), was, `${address}: the world has changed`);
  }
});

test('no screen has what axe finds, in both themes', async () => {
  const found = [];
  for (const address of addresses) {
    const page = await context.newPage();
    await page.goto(server.url + address);
    await settled(page);
    const except = EXCEPTIONS.filter(([where]) => where.test(address)).flatMap(([, rules]) => rules);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const line of await violations(page, except)) found.push(`${address}, ${colorScheme}: ${line}`);
      if (process.env.CONSOLE_SHOTS) {
        mkdirSync(process.env.CONSOLE_SHOTS, { recursive: true });
        await page.screenshot({ path: `${process.env.CONSOLE_SHOTS}/${address.replace(/\W+/g, '-').slice(0, 80)}-${colorScheme}.png` });
      }
    }
    await page.close();
  }
  assert.deepEqual(found, []);
});

test('an address opens in a browser that was never here, by a link with a code', async () => {
  for (const address of [`/_sosia/ui/w/office@2/mail/${MARTA}`, '/_sosia/ui/w/office/journal?open=2']) {
    const other = await fresh();
    const code = (await server.link()).split('code=')[1];
    const page = await enter(other, `${server.url}${address}#code=${code}`);
    await settled(page);
    assert.equal(page.url(), server.url + address);
    assert.deepEqual(other.problems, []);
    await other.close();
  }
});

test('no screen has asked another host for anything', () => {
  assert.deepEqual([...asked].filter((origin) => origin !== server.url && origin !== 'null'), []);
});
});
