// SPDX-License-Identifier: Apache-2.0
// What comes wrongly: sessions that are forged or over, a server that is gone and comes back, addresses of what is not
// there, calls that are decided on twice, and content that is broken, huge or made to mislead. The page says what there is
// to say in the server's words, and never goes blank.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LATE, PATIENCE, Server, enter, fresh, keptPort, settled } from './harness.mjs';

const MARTA = 'marta.ferri@tidewater.example', EVENT = '/calendar/v3/calendars/primary/events/lunchnoor0001';
const until = (page, what, ...args) => page.waitForFunction(what, args, { timeout: PATIENCE });
const shows = (page, text, where = 'main') => until(page, ([t, w]) => [...document.querySelectorAll(w)].some((e) => e.innerText.includes(t)), text, where);

/** A session as the server signs it. */
function session(key, rights, expires) {
  const head = `console_${rights}_${expires}`;
  return `${head}_${createHmac('sha256', key).update(`sosia session\n${head}`).digest('hex')}`;
}

describe('what comes wrongly', () => {
  let server, context;
  before(async () => {
    server = await Server.start('--fixture', 'office', '--clock', 'step', '--journal', 'all');
    context = await fresh();
  });
  after(async () => {
    await context?.close();
    await server?.stop();
  });

  test('a session that is over leads to the way in, with the server’s words, and one that is good does not', async () => {
    const hour = Math.floor(Date.now() / 1000) + 3600;
    const kept = (text) => ({ session: text, expires: new Date(Date.now() + 3600e3).toISOString(), read_only: false });
    const good = session(server.key, 'w', hour), past = session(server.key, 'w', 1_700_000_000);
    assert.equal((await fetch(`${server.url}/_sosia/v1/worlds`, { headers: { Authorization: `Bearer ${good}` } })).status, 200);
    for (const bad of [past, session(server.key, 'w', hour).replace('_w_', '_r_'), session('another key', 'w', hour), `${good}0`, good.slice(0, -1)]) {
      const answer = await fetch(`${server.url}/_sosia/v1/worlds`, { headers: { Authorization: `Bearer ${bad}` } });
      assert.deepEqual([answer.status, (await answer.json()).error.reason], [401, 'sessionOver'], bad);
      const other = await fresh();
      const page = await other.newPage();
      await page.goto(server.url);
      await page.evaluate((s) => localStorage.setItem('sosia.session', JSON.stringify(s)), kept(bad));
      await page.goto(`${server.url}/_sosia/ui/w/office/journal`);
      await page.locator('input[type=password]').waitFor();
      await shows(page, 'This session is over', 'main [role=alert]');
      assert.equal(await page.evaluate(() => localStorage.getItem('sosia.session')), null);
      // and its time that is past is not even tried
      await page.evaluate((s) => localStorage.setItem('sosia.session', JSON.stringify({ ...s, expires: '2020-01-01T00:00:00Z' })), kept(good));
      const asked = [];
      page.on('request', (r) => asked.push(r.url()));
      await page.reload();
      await page.locator('input[type=password]').waitFor();
      assert.deepEqual(asked.filter((url) => url.includes('/_sosia/v1/')), []);
      await other.close();
    }
  });

  test('a link that was kept for too long gets nobody in, and neither does a session of yesterday', async () => {
    assert.ok(existsSync(LATE), `${LATE} must be there: ninja tests/console/liblate.so`);
    const place = mkdtempSync(join(tmpdir(), 'sosia-late-')), by = join(place, 'by');
    const late = (seconds) => writeFileSync(by, String(seconds));
    late(0);
    const slow = await Server.with({ LD_PRELOAD: LATE, SOSIA_LATE_BY: by }, '--fixture', 'small', '--clock', 'frozen');
    const other = await fresh();
    try {
      const [soon, never] = [await slow.link(), await slow.link()];
      late(590);
      const page = await enter(other, soon); // ten minutes are not over
      late(601);
      const tab = await (await fresh()).newPage();
      await tab.goto(never);
      await tab.locator('input[type=password]').waitFor();
      await shows(tab, 'the code is spent, is over', 'main [role=alert]');
      await tab.context().close();
      await page.goto(`${slow.url}/_sosia/ui/w/small/journal`);
      await settled(page);
      assert.equal(await page.locator('input[type=password]').count(), 0);
      late(590 + 12 * 3600 + 1);
      await page.reload();
      await page.locator('input[type=password]').waitFor();
      await shows(page, 'This session is over', 'main [role=alert]');
    } finally {
      await other.close();
      await slow.stop();
      rmSync(place, { recursive: true });
    }
  });

  test('a session that ends while a page is open ends what it shows, at the next thing that is asked', async () => {
    const other = await fresh();
    const page = await enter(other, server.info.console_url);
    await page.goto(`${server.url}/_sosia/ui/w/office/journal`);
    await settled(page);
    await page.route('**/_sosia/v1/**', (route) => route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${session(server.key, 'w', 1_700_000_000)}` } }));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Outbox');
    await page.keyboard.press('Enter');
    await page.locator('input[type=password]').waitFor();
    await shows(page, 'This session is over', 'main [role=alert]');
    await other.close();
  });

  test('a server that is gone is said, what was there stays, and is asked for anew when it is back', async () => {
    const options = ['--fixture', 'office', '--clock', 'step', '--journal', 'all', '--key', 'a-key-of-both-servers', '--port', await keptPort()];
    const first = await Server.start(...options);
    const other = await fresh();
    const page = await enter(other, first.info.console_url);
    await page.goto(`${first.url}/_sosia/ui/w/office/mail/${MARTA}`);
    await settled(page);
    const rows = await page.locator('main .list [role=row]').count();
    assert.ok(rows > 1);
    await first.stop();
    await shows(page, 'The server can’t be reached.', 'body');
    assert.equal(await page.locator('main .list [role=row]').count(), rows);
    const second = await Server.start(...options);
    try {
      await until(page, () => !document.body.innerText.includes('The server can’t be reached.'));
      // its world is another one of that name: the session is still good, and what is shown is what there is now
      await page.goto(`${second.url}/_sosia/ui/w/office/journal`);
      await settled(page);
      await second.call(second.token(MARTA), 'GET', EVENT);
      await shows(page, 'calendar.events.get', 'main .list');
    } finally {
      await other.close();
      await second.stop();
    }
  });

  test('a screen whose style does not come is drawn without it, and has it when it can be had', async () => {
    const other = await fresh();
    const page = await enter(other, await server.link());
    let asked = 0, back = false;
    await page.route(/\/services-[^/]*\.css$/, (route) => (asked++, back ? route.continue() : route.abort()));
    await page.goto(`${server.url}/_sosia/ui/w/office/mail/${MARTA}`);
    await page.locator('main .list [role=row]').first().waitFor();
    assert.ok(asked > 0);
    const styled = () => [...document.styleSheets].some((s) => s.href?.includes('/services-'));
    assert.equal(await page.evaluate(styled), false);
    back = true;
    await page.waitForFunction(styled, undefined, { timeout: PATIENCE });
    // what scrolls by it then can be reached by the keyboard
    back = false;
    await page.route(/\/calendar-[^/]*\.css$/, (route) => (back ? route.continue() : route.abort()));
    await page.goto(`${server.url}/_sosia/ui/w/office/calendar/${MARTA}`);
    await page.locator('.calendar-grid *').nth(50).waitFor({ state: 'attached' });
    await settled(page);
    back = true;
    await page.waitForFunction(() => [...document.querySelectorAll('.calendar-grid *')].some((e) => e.tabIndex === 0 && e.scrollHeight > e.clientHeight + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowY)),
      undefined, { timeout: PATIENCE });
    await other.close();
  });

  test('what addresses name and is not there is said by each screen', async () => {
    const page = await enter(context, await server.link());
    const at = `${server.url}/_sosia/ui/w/office`, wrong = [];
    for (const [path, says] of [['/mail/' + MARTA + '?open=0123456789abcdef', 'messageNotFound'], ['/mail/' + MARTA + '?open=%3Cimg%3E', 'invalid'], ['/mail/' + MARTA + '/Nowhere', 'There is no folder Nowhere'],
      ['/calendar/nobody@x.example/week/2026-11-24', 'This person has no calendar.'], ['/calendar/' + MARTA + '/week/not-a-date', ''], ['/calendar/' + MARTA + '/list/9999-12-31', ''], ['/drive/' + MARTA + '/none', 'File not found'],
      ['/chat/' + MARTA + '/none', ''], ['/tasks/nobody@x.example', 'This person has no tasks.'], ['/journal?open=99999', 'entryNotFound'], ['/journal?open=x', ''], ['/journal?status=%F0', ''], ['/approvals/act_none', 'NotFound'],
      ['/diff/none', 'worldNotFound'], ['/diff/office@77777', 'stepNotFound'], ['/outbox?open=77', ''], ['/policy/none', ''], ['/search?q=%22', 'must have a word'], ['@x/journal', ''], ['@-1', ''], ['/%2e%2e/%2e%2e/health', '']]) {
      await page.goto(at + path);
      await settled(page);
      const shown = (await page.locator('main').innerText()).trim();
      if (shown.length <= 5 || !shown.includes(says)) wrong.push(`${path}: ${shown.replace(/\s+/g, ' ').slice(-300)}`);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(context.problems, []);
    await page.close();
  });

  test('a call that is decided on by somebody else meanwhile is not decided twice', async () => {
    const world = (await server.control('POST', '/worlds/office/fork', { name: 'twice', actors: [MARTA] }, 201)).worlds?.[0] ?? 'twice';
    const { token } = await server.control('POST', `/worlds/${world}/tokens`, { actor: MARTA }, 201);
    await server.control('POST', `/worlds/${world}/policies`, { policy: 1, name: 'p', rules: [{ id: 'r', effect: 'approve', call: { method: 'calendar.events.patch' } }] });
    await fetch(`${server.url}/w/${world}${EVENT}`, { method: 'PATCH', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: '{"summary":"x"}' });
    const { approvals: [held] } = await server.control('GET', `/worlds/${world}/approvals`);
    const page = await enter(context, await server.link());
    await page.goto(`${server.url}/_sosia/ui/w/twice/approvals/${held.action}`);
    await shows(page, 'calendar.events.patch', '.detail h2');
    await settled(page);
    await page.keyboard.press('a');
    const dialog = page.locator('dialog[open], [role=dialog]');
    await dialog.waitFor();
    await server.control('POST', `/worlds/${world}/approvals/${held.action}`, { decision: 'reject' });
    await dialog.locator('button[type=submit]').click();
    await until(page, () => /notHeld|decided|rejected/i.test(document.body.innerText));
    const [one] = (await server.control('GET', `/worlds/${world}/approvals/${held.action}`)).approvals;
    assert.equal(one.state, 'rejected');
    await until(page, () => document.querySelector('.detail dd')?.innerText.startsWith('rejected'));
    assert.deepEqual(context.problems, []);
    await page.close();
  });

  test('content that is broken, huge or made to mislead is shown as far as it can be', async () => {
    const long = 'w'.repeat(1 << 20), mark = '<script>globalThis.ran = 1</script><img src=x onerror="globalThis.ran = 1">', turned = '\u202egnp.exe\u2066 \u200b\u0000'.replace('\u0000', '');
    const word = (s) => `=?UTF-8?B?${Buffer.from(s).toString('base64')}?=`;
    const many = Array.from({ length: 10000 }, (_, i) => `p${i}@elsewhere.example`).join(',\r\n ');
    const token = server.token(MARTA);
    const mails = {
      markup: `From: ${word(mark)} <a@elsewhere.example>\r\nTo: ${MARTA}\r\nSubject: ${word(`MARK ${mark}`)}\r\nX-Odd: ${word(mark)}\r\n\r\n${mark}\r\n`,
      turned: `From: ${word(turned)} <b@elsewhere.example>\r\nTo: ${MARTA}\r\nSubject: ${word(`TURNED ${turned}`)}\r\n\r\n${turned}\r\n`,
      large: `From: c@elsewhere.example\r\nTo: ${MARTA}\r\nSubject: LARGE\r\n\r\n${long}\r\n`,
      people: `From: d@elsewhere.example\r\nTo: ${MARTA},\r\n ${many}\r\nSubject: PEOPLE\r\n\r\nHello\r\n`,
      broken: Buffer.concat([Buffer.from(`From: =?X-NONE?Q?=GG?= <e@elsewhere.example\r\nTo: ${MARTA}\r\nSubject: BROKEN `), Buffer.from([0xff, 0xfe, 0xc3, 0x28]),
        Buffer.from('\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html; charset=none\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!!\r\n--b\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--c')]),
      empty: `From: f@elsewhere.example\r\nTo: ${MARTA}\r\nSubject:\r\n\r\n`,
    };
    const ids = {};
    for (const [name, raw] of Object.entries(mails)) {
      const answer = await fetch(`${server.url}/upload/gmail/v1/users/me/messages/import?uploadType=media`, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'message/rfc822' }, body: raw });
      const text = await answer.text();
      assert.equal(answer.status, 200, `${name}: ${text}`);
      ids[name] = JSON.parse(text).id;
    }
    await server.call(token, 'PATCH', EVENT, { summary: `${mark}${turned}`, location: mark.repeat(20), description: mark });
    await server.call(token, 'POST', '/drive/v3/files', { name: `${mark}${turned}/../x` });
    const page = await enter(context, await server.link());
    const at = `${server.url}/_sosia/ui/w/office`;
    const open = async (path) => {
      await page.goto(at + path);
      await settled(page);
      assert.ok((await page.locator('main').innerText()).trim().length > 5, `${path}: the screen is blank`);
      assert.equal(await page.evaluate(() => globalThis.ran), undefined, path);
      assert.equal(await page.evaluate(() => document.querySelectorAll('main script, main img[onerror]').length), 0, path);
    };
    for (const [name, id] of Object.entries(ids)) for (const as of ['', '&as=text', '&as=source', '&as=api']) await open(`/mail/${MARTA}?open=${id}${as}`);
    await open(`/mail/${MARTA}?open=${ids.turned}`);
    await shows(page, '\\u202egnp.exe\\u2066', '.service-pane h2');
    await open(`/mail/${MARTA}?open=${ids.markup}`);
    await shows(page, '<script>globalThis.ran', '.service-pane h2');
    for (const path of [`/mail/${MARTA}`, `/calendar/${MARTA}/week/2026-11-24`, `/calendar/${MARTA}/list/2026-11-24?open=lunchnoor0001`, `/drive/${MARTA}`, '/journal', '/journal?open=1', '/journal?open=7&tab=changes',
      '/diff/office@0', '/search?q=globalThis', '']) await open(path);
    assert.deepEqual(context.problems, []);
    await page.close();
  });
});
