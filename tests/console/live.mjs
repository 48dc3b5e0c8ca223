// SPDX-License-Identifier: Apache-2.0
// What is shown is of its address and of now: after resets, also unseen ones; when one world of several is gone; at an
// address where there is nothing; at a step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATIENCE, Server, enter, fresh, settled } from './harness.mjs';

const MARTA = 'marta.ferri@tidewater.example';
const EVENT = '/calendar/v3/calendars/primary/events/lunchnoor0001';

const until = (page, what, ...args) => page.waitForFunction(what, args, { timeout: PATIENCE });
/** Until the journal has these methods, the newest first, and no more. */
const rows = (page, ...methods) => until(page, (wanted) => {
  const shown = [...document.querySelectorAll('main [role=row]')].map((r) => r.innerText);
  return shown.length === wanted.length && wanted.every((m, i) => shown[i].includes(m));
}, ...methods);

/** As if the person looked at another tab, or came back. */
const hide = (page, hidden) => page.evaluate((h) => {
  Object.defineProperty(document, 'visibilityState', { value: h ? 'hidden' : 'visible', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}, hidden);

/** Streams of a browser that are open. */
function streams(context) {
  const open = new Set();
  context.on('request', (r) => r.url().includes('/events?') && open.add(r));
  for (const end of ['requestfinished', 'requestfailed']) context.on(end, (r) => open.delete(r));
  return open;
}

/** The same page at another address, as a link within it does. */
const move = (page, address) => page.evaluate((to) => {
  history.pushState(null, '', to);
  dispatchEvent(new PopStateEvent('popstate'));
}, address);

async function withServer(doing) {
  const server = await Server.start('--fixture', 'office', '--clock', 'step', '--journal', 'all');
  const context = await fresh();
  try {
    await doing(server, context);
    assert.deepEqual(context.problems, []);
  } finally {
    await context.close();
    await server.stop();
  }
}

test('after a reset the journal is the new one, also where nobody looked meanwhile', () => withServer(async (server, context) => {
  const token = server.token(MARTA), open = streams(context);
  const page = await enter(context, server.info.console_url);
  await page.goto(`${server.url}/_sosia/ui/w/office/journal`);
  await settled(page);
  for (const summary of ['One', 'Two']) await server.call(token, 'PATCH', EVENT, { summary });
  await rows(page, 'calendar.events.patch', 'calendar.events.patch');
  await server.control('POST', `/worlds/${server.world}/reset`);
  await until(page, () => !document.querySelector('main [role=row]'));
  await server.call(token, 'GET', EVENT);
  await rows(page, 'calendar.events.get');
  await hide(page, true);
  while (open.size) await page.evaluate(() => new Promise((done) => setTimeout(done, 20)));
  await server.control('POST', `/worlds/${server.world}/reset`);
  await server.call(token, 'PATCH', EVENT, { summary: 'As many calls as before' });
  await hide(page, false);
  await rows(page, 'calendar.events.patch');
}));

test('a world that is gone takes live away from no other', () => withServer(async (server, context) => {
  for (const name of ['gone', 'other']) await server.control('POST', `/worlds/${server.world}/fork`, { name, actors: [MARTA] }, 201);
  const pages = [await enter(context, server.info.console_url)];
  for (const name of ['office', 'gone']) {
    if (name !== 'office') pages.push(await context.newPage());
    await pages.at(-1).goto(`${server.url}/_sosia/ui/w/${name}/journal`);
    await settled(pages.at(-1));
  }
  await server.control('DELETE', '/worlds/gone', undefined, 204);
  await until(pages[1], () => document.querySelector('main [role=alert]'));
  // another world is looked at: the stream begins anew with all of them
  pages.push(await context.newPage());
  await pages[2].goto(`${server.url}/_sosia/ui/w/other/journal`);
  await settled(pages[2]);
  await server.call(server.token(MARTA), 'GET', EVENT);
  await rows(pages[0], 'calendar.events.get');
}));

test('an address where there is nothing shows nothing of the one before', () => withServer(async (server, context) => {
  await server.call(server.token(MARTA), 'GET', EVENT);
  const page = await enter(context, server.info.console_url);
  await page.goto(`${server.url}/_sosia/ui/w/office/journal?open=1`);
  await until(page, () => document.querySelector('main .detail h2')?.innerText.includes('calendar.events.get'));
  await move(page, '/_sosia/ui/w/office/journal?open=99');
  await until(page, () => document.querySelector('main .detail .failure'));
  assert.ok(!(await page.locator('main .detail').innerText()).includes('calendar.events.get'));
  await move(page, '/_sosia/ui/w/nothing-like-it/journal');
  await until(page, () => document.querySelector('main .failure'));
  await until(page, () => !document.querySelector('main .list, header a.world'));
  await move(page, '/_sosia/ui/w/office/journal');
  await rows(page, 'calendar.events.get');
}));

test('at a step a call that waited is shown as it was, and is not decided on', () => withServer(async (server, context) => {
  const policy = { policy: 1, name: 'p', rules: [{ id: 'r', effect: 'approve', call: { method: 'calendar.events.patch' } }] };
  await server.control('POST', `/worlds/${server.world}/policies`, policy);
  await fetch(server.url + EVENT, { method: 'PATCH', headers: { Authorization: `Bearer ${server.token(MARTA)}`, 'Content-Type': 'application/json' }, body: '{"summary":"x"}' });
  const { approvals: [held] } = await server.control('GET', `/worlds/${server.world}/approvals`);
  const { entries: at } = await server.control('GET', `/worlds/${server.world}/journal/info`);
  await server.control('POST', `/worlds/${server.world}/approvals/${held.action}`, { decision: 'reject' });
  const page = await enter(context, server.info.console_url);
  const state = () => until(page, () => document.querySelector('main .detail dd'));
  await page.goto(`${server.url}/_sosia/ui/w/office@${at}/approvals/${held.action}`);
  await state();
  await settled(page);
  assert.match(await page.locator('main .detail dd').first().innerText(), /^held/);
  assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0);
  await page.goto(`${server.url}/_sosia/ui/w/office/approvals/${held.action}?state=all`);
  await state();
  assert.match(await page.locator('main .detail dd').first().innerText(), /^rejected/);
}));

test('a stream is of the session that the browser has now', () => withServer(async (server, context) => {
  const open = streams(context);
  const rights = () => [...open].map((r) => /console_[rw]/.exec(r.headers().authorization)?.[0]).join();
  const page = await enter(context, server.info.console_url);
  await page.goto(`${server.url}/_sosia/ui/w/office/journal`);
  await settled(page);
  await server.call(server.token(MARTA), 'GET', EVENT);
  await rows(page, 'calendar.events.get');
  assert.equal(rights(), 'console_w');
  const again = context.waitForEvent('request', { predicate: (r) => r.url().includes('/events?') && /console_r/.test(r.headers().authorization), timeout: PATIENCE });
  await enter(context, await server.link({ read_only: true }));
  await again;
  while (open.size > 1) await page.evaluate(() => new Promise((done) => setTimeout(done, 20)));
  assert.equal(rights(), 'console_r');
}));
