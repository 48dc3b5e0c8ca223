// SPDX-License-Identifier: Apache-2.0
// What somebody does with the console: from the printed link to the first mail; an agent's calls as they happen, and
// back to the states between them; codes that are no good.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATIENCE, officialClient, Server, enter, fresh, settled } from './harness.mjs';

const MARTA = 'marta.ferri@tidewater.example';
const EVENT = '/calendar/v3/calendars/primary/events/lunchnoor0001';

/** Until the text is on the page. */
export const shows = (page, text, where = 'body') => page.waitForFunction(
  ([t, w]) => document.querySelector(w)?.innerText.includes(t), [text, where], { timeout: PATIENCE });

test('from the printed link to the first mail, by what is on the page', async () => {
  const server = await Server.start('--fixture', 'office', '--clock', 'frozen');
  const context = await fresh();
  try {
    const page = await enter(context, server.info.console_url);
    assert.ok(!page.url().includes('code='), page.url());
    const worlds = await server.control('GET', '/worlds');
    if (!page.url().includes('/w/')) await page.locator(`a[href*="/w/"]`, { hasText: /^\W*office$/ }).first().click();
    await page.locator('nav a, aside a', { hasText: /^Mail/ }).first().click();
    await page.waitForURL((url) => url.pathname.includes(`/mail/`), { timeout: PATIENCE });
    // The person at whose mail it looks has the mail that a program of theirs would list first.
    const row = page.locator('main [role=row] , main [role=listitem]').filter({ hasText: /\S/ });
    await row.nth(1).waitFor({ timeout: PATIENCE });
    const actor = decodeURIComponent(new URL(page.url()).pathname.split('/mail/')[1].split('/')[0]);
    const { folders } = await server.control('GET', `/worlds/${server.world}/mail/${actor}/folders`);
    const inbox = folders.find((f) => f.name.toUpperCase() === 'INBOX');
    const { rows } = await server.control('GET', `/worlds/${server.world}/mail/${actor}/messages?folder=${inbox.id}&limit=1`);
    await page.getByText(rows[0].subject).first().click();
    await page.waitForURL((url) => url.searchParams.get('open') === rows[0].id, { timeout: PATIENCE });
    const message = await server.control('GET', `/worlds/${server.world}/mail/${actor}/messages/${rows[0].id}`);
    await shows(page, message.subject, 'main');
    assert.ok(worlds.worlds.length >= 1);
    assert.deepEqual(context.problems, []);
  } finally {
    await context.close();
    await server.stop();
  }
});

test('a code is good once, and the page says so when it is not', async () => {
  const server = await Server.start('--fixture', 'small', '--clock', 'frozen');
  const context = await fresh();
  const other = await fresh();
  try {
    const link = await server.link();
    await enter(context, link);
    const code = link.split('code=')[1];
    for (const bad of [link, `${server.url}/#code=${'0'.repeat(48)}`, `${server.url}/#code=x`, `${server.url}/#code=${code}${code}`,
      `${server.url}/#code=%3Cimg%20src%3Dx%3E`]) {
      const page = await other.newPage();
      await page.goto(bad);
      await page.locator('input[type=password]').waitFor({ timeout: PATIENCE }); // for the control key
      await page.locator('[role=alert]').waitFor({ timeout: PATIENCE });
      assert.ok(!page.url().includes('code='), page.url());
      assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes('console_')), false);
      await page.close();
    }
    // The key gets in where no code does.
    const page = await other.newPage();
    await page.goto(server.url);
    await page.locator('input[type=password]').fill('not the key of this server');
    await page.locator('button[type=submit]').click();
    await page.locator('[role=alert]').waitFor({ timeout: PATIENCE });
    await page.locator('input[type=password]').fill(server.key);
    await page.locator('button[type=submit]').click();
    await page.locator('header.top').waitFor({ timeout: PATIENCE });
    // A session that is none of this server's leads back to the way in.
    await page.evaluate(() => {
      for (const name of Object.keys(localStorage))
        localStorage.setItem(name, localStorage.getItem(name).replace(/console_[\w-]*/g, `console_w_9999999999_${'0'.repeat(64)}`));
    });
    await page.reload();
    await page.locator('input[type=password]').waitFor({ timeout: PATIENCE });
  } finally {
    await context.close();
    await other.close();
    await server.stop();
  }
});

test('who may only look has no way to change anything', async () => {
  const server = await Server.start('--fixture', 'small', '--clock', 'frozen');
  const context = await fresh();
  try {
    const page = await enter(context, await server.link({ read_only: true }));
    await page.goto(`${server.url}/_sosia/ui/w/${server.world}`);
    await settled(page);
    await shows(page, 'Looking only');
    for (const name of [/^Fork/, /^Reset/, /^Snapshot/]) assert.equal(await page.getByRole('button', { name }).count(), 0, String(name));
  } finally {
    await context.close();
    await server.stop();
  }
});

test('an agent is watched: each call comes by itself, and its states can be gone back to', async () => {
  const server = await Server.start('--fixture', 'office', '--clock', 'step', '--journal', 'all');
  const context = await fresh();
  try {
    const token = server.token(MARTA);
    const page = await enter(context, server.info.console_url);
    await page.goto(`${server.url}/_sosia/ui/w/office/journal`);
    await settled(page);
    await page.evaluate(() => {
      globalThis.notReloaded = true;
    });
    const week = await context.newPage();
    const { folders } = await server.control('GET', `/worlds/${server.world}/mail/${MARTA}/folders`);
    const inbox = folders.find((f) => f.name.toUpperCase() === 'INBOX');
    const { rows } = await server.control('GET', `/worlds/${server.world}/mail/${MARTA}/messages?folder=${inbox.id}&limit=1`);
    await week.goto(`${server.url}/_sosia/ui/w/office/mail/${MARTA}`);
    await shows(week, rows[0].subject, 'main');
    await week.evaluate(() => {
      globalThis.notReloaded = true;
    });
    // by the official client, so that what is seen is what an agent does; elsewhere the same requests
    const google = officialClient();
    const auth = google && new google.auth.OAuth2();
    auth?.setCredentials({ access_token: token });
    const schedule = google?.calendar({ version: 'v3', auth, rootUrl: `${server.url}/` }).events;
    const messages = google?.gmail({ version: 'v1', auth, rootUrl: `${server.url}/` }).users.messages;
    const of = { calendarId: 'primary', eventId: EVENT.split('/').at(-1) };
    const raw = Buffer.from(`To: ${MARTA}\r\nSubject: Written just now\r\n\r\nHello\r\n`).toString('base64url');
    const official = google && [
      () => schedule.get(of), () => schedule.patch({ ...of, requestBody: { summary: 'Lunch is moved' } }), () => messages.modify({ userId: 'me', id: rows[0].id, requestBody: { addLabelIds: ['STARRED'] } }),
      () => messages.send({ userId: 'me', requestBody: { raw } }), () => schedule.patch({ ...of, requestBody: { summary: 'Lunch is off' } }),
    ];
    const calls = [
      ['GET', EVENT, undefined, 'calendar.events.get'],
      ['PATCH', EVENT, { summary: 'Lunch is moved' }, 'calendar.events.patch'],
      ['POST', `/gmail/v1/users/me/messages/${rows[0].id}/modify`, { addLabelIds: ['STARRED'] }, 'gmail.users.messages.modify'],
      ['POST', '/gmail/v1/users/me/messages/send', { raw }, 'gmail.users.messages.send'],
      ['PATCH', EVENT, { summary: 'Lunch is off' }, 'calendar.events.patch'],
    ];
    const seen = (n) => page.waitForFunction((k) => [...document.querySelectorAll('main [role=row]')].some((r) => r.innerText.match(`\\b${k}\\b`)), n, { timeout: PATIENCE });
    for (const [i, [method, target, body, name]] of calls.entries()) {
      await (official ? official[i]() : server.call(token, method, target, body));
      await seen(i + 1);
      await shows(page, name.replace(/^gmail\.users\./, ''), 'main');
    }
    assert.equal(await page.evaluate(() => globalThis.notReloaded), true);
    // The inbox has the new one, without a reload.
    await shows(week, 'Written just now', 'main');
    assert.equal(await week.evaluate(() => globalThis.notReloaded), true);
    // Back by a write, and on again: what is shown is what there was.
    const events = (seq) => server.control('GET', `/worlds/${server.world}@${seq}/look/${MARTA}${EVENT}`);
    assert.equal((await events(3)).summary, 'Lunch is moved');
    assert.equal((await events(5)).summary, 'Lunch is off');
    await week.locator('main').first().focus();
    await week.keyboard.press('[');
    await week.waitForURL((url) => /\/w\/office@4\//.test(url.pathname), { timeout: PATIENCE });
    await shows(week, 'You look at the state behind call 4');
    await shows(week, 'Written just now', 'main');
    await week.keyboard.press('[');
    await week.waitForURL((url) => /\/w\/office@3\//.test(url.pathname), { timeout: PATIENCE });
    await week.waitForFunction(() => !document.querySelector('main [role=grid], main [role=list]')?.innerText.includes('Written just now') &&
      document.querySelector('main').innerText.length > 100, undefined, { timeout: PATIENCE });
    await week.keyboard.press(']');
    await week.waitForURL((url) => /\/w\/office@4\//.test(url.pathname), { timeout: PATIENCE });
    await shows(week, 'Written just now', 'main');
    await week.keyboard.press('l');
    await week.waitForURL((url) => /\/w\/office\//.test(url.pathname), { timeout: PATIENCE });
    // A fork of a step goes on from there.
    await page.goto(`${server.url}/_sosia/ui/w/office@3`);
    await settled(page);
    await page.getByRole('button', { name: 'Fork here' }).first().click();
    await page.waitForURL((url) => !/\/w\/office(@|\/|$)/.test(url.pathname), { timeout: PATIENCE });
    const fork = decodeURIComponent(new URL(page.url()).pathname.split('/w/')[1].split(/[/@]/)[0]);
    assert.equal((await server.control('GET', `/worlds/${fork}/look/${MARTA}${EVENT}`)).summary, 'Lunch is moved');
    assert.deepEqual(context.problems, []);
  } finally {
    await context.close();
    await server.stop();
  }
});

test('all of it goes by the keyboard alone', async () => {
  const server = await Server.start('--fixture', 'office', '--clock', 'frozen');
  const context = await fresh();
  try {
    const page = await enter(context, server.info.console_url);
    await page.goto(`${server.url}/_sosia/ui/w/office`);
    await settled(page);
    const at = (test) => page.waitForURL((url) => test.test(url.pathname + url.search), { timeout: PATIENCE });
    const focused = (what) => page.waitForFunction((w) => document.activeElement?.matches(w), what, { timeout: PATIENCE });
    await focused('#main'); // a screen that opens has the focus
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    await focused('#main');
    await page.keyboard.press('?');
    await page.locator('[role=dialog], dialog[open]').first().waitFor({ timeout: PATIENCE });
    await page.keyboard.press('Escape');
    await page.locator('[role=dialog], dialog[open]').first().waitFor({ state: 'detached', timeout: PATIENCE });
    // two keys are one only soon after each other: the page's clock stands for both
    await page.evaluate(() => {
      const now = performance.now();
      performance.now = () => now;
    });
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.evaluate(() => delete performance.now);
    await at(/\/mail\//);
    await page.locator('main [role=row]').nth(2).waitFor({ timeout: PATIENCE });
    await settled(page);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await at(/[?&]open=/);
    await settled(page);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('open'), { timeout: PATIENCE });
    await page.waitForFunction(() => document.activeElement !== document.body, undefined, { timeout: PATIENCE });
    await page.keyboard.press('Control+k');
    await focused('dialog[open] input, [role=dialog] input');
    await page.keyboard.type('Journal');
    await page.locator('dialog[open] [role=option], [role=dialog] [role=option]').filter({ hasText: 'Journal' }).first().waitFor({ timeout: PATIENCE });
    await page.keyboard.press('Enter');
    await at(/\/journal/);
    assert.deepEqual(context.problems, []);
  } finally {
    await context.close();
    await server.stop();
  }
});

test('a list always has a row for the keyboard, and a filtered journal goes on by itself', async () => {
  const server = await Server.start('--fixture', 'office', '--clock', 'frozen', '--journal', 'all');
  const context = await fresh();
  try {
    const token = server.token(MARTA);
    const calls = 90;
    for (let i = 0; i < calls; i++) await server.call(token, 'GET', EVENT);
    const page = await enter(context, server.info.console_url);
    // What an address opens is in sight, though it is far down.
    await page.goto(`${server.url}/_sosia/ui/w/office/journal?open=3`);
    await page.waitForFunction(() => {
      const row = document.querySelector('main [role=row][aria-selected=true]')?.getBoundingClientRect(), list = document.querySelector('main .list')?.getBoundingClientRect();
      return row && list && row.top >= list.top && row.bottom <= list.bottom;
    }, undefined, { timeout: PATIENCE });
    const stops = () => page.locator('main .list [role=row][tabindex="0"]').evaluateAll((all) => all.map((row) => Number(row.getAttribute('aria-rowindex'))));
    assert.deepEqual(await stops(), [calls - 2]);
    await page.locator('main .list').evaluate((list) => list.scrollTo(0, 0));
    await page.locator('main [role=row][aria-rowindex="1"]').waitFor({ timeout: PATIENCE });
    assert.equal((await stops()).length, 1);
    await page.goto(`${server.url}/_sosia/ui/w/office/journal?method=calendar.events.get`);
    const counted = (n) => page.waitForFunction((k) => document.querySelector('main .list')?.getAttribute('aria-rowcount') === String(k), n, { timeout: PATIENCE });
    await counted(calls);
    await settled(page);
    for (let i = 0; i < 3; i++) await server.call(token, 'GET', EVENT);
    await counted(calls + 3);
    const seqs = await page.locator('main [role=row] .call-seq').allInnerTexts();
    assert.equal(new Set(seqs).size, seqs.length);
    assert.deepEqual(context.problems, []);
  } finally {
    await context.close();
    await server.stop();
  }
});

test('many tabs read one stream, and another one goes on when its reader is closed', async () => {
  const server = await Server.start('--fixture', 'office', '--clock', 'step', '--journal', 'all');
  const context = await fresh();
  const open = new Set();
  context.on('request', (r) => r.url().includes('/events?') && open.add(r));
  for (const end of ['requestfinished', 'requestfailed']) context.on(end, (r) => open.delete(r));
  try {
    const tabs = [await enter(context, server.info.console_url)];
    await tabs[0].goto(`${server.url}/_sosia/ui/w/office/journal`);
    await settled(tabs[0]);
    while (tabs.length < 20) {
      tabs.push(await context.newPage());
      await tabs.at(-1).goto(`${server.url}/_sosia/ui/w/office/journal`);
      await settled(tabs.at(-1)); // the seventh would hang if each had a stream of its own
    }
    const shown = (tab, n) => tab.waitForFunction((k) => [...document.querySelectorAll('main [role=row]')].some((r) => r.innerText.match(`\\b${k}\\b`)) &&
      document.querySelectorAll('main [role=row]').length >= k, n, { timeout: PATIENCE });
    await server.call(server.token(MARTA), 'PATCH', EVENT, { summary: 'One' });
    for (const tab of tabs) await shown(tab, 1);
    assert.equal(open.size, 1);
    const reader = [...open][0].frame().page();
    tabs.splice(tabs.indexOf(reader), 1);
    await reader.close();
    await server.call(server.token(MARTA), 'PATCH', EVENT, { summary: 'Two' });
    for (const tab of tabs) await shown(tab, 2);
    assert.equal([...open].filter((r) => !r.frame().page().isClosed()).length, 1);
    assert.deepEqual(context.problems, []);
  } finally {
    await context.close();
    await server.stop();
  }
});
