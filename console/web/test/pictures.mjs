// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of docs/console.md: each screen in both themes, after the same calls in the same world.
// usage: node test/pictures.mjs [NAME...]     writes docs/console/NAME-THEME.png; SOSIA is the command, CHROMIUM the browser
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, crc32 } from 'node:zlib';
import { ROOT, SOSIA, Server, closeBrowser, enter, fresh, settled } from '../../../tests/console/harness.mjs';

const HANNA = 'hanna.vogt@ostmole.example';
const MARTA = 'marta.ferri@tidewater.example', NOOR = 'noor.haddad@tidewater.example';
const at = (path) => `/_sosia/ui/w/office${path}`;

/** What the agent did. */
async function play(server) {
  const act = (actor, method, path, body) => server.control(method, `/worlds/office/act/${actor}/${path}`, body);
  await server.control('POST', '/worlds/office/snapshot', { name: 'before' });
  const { folders } = await server.control('GET', `/worlds/office/mail/${MARTA}/folders`);
  const { rows } = await server.control('GET', `/worlds/office/mail/${MARTA}/messages?folder=${folders[0].id}&limit=5`);
  const port = rows.find((m) => m.from.includes('porto-ravenna'));
  await act(MARTA, 'POST', `gmail/v1/users/me/messages/${port.id}/modify`, { addLabelIds: ['STARRED'], removeLabelIds: ['UNREAD'] });
  await act(MARTA, 'POST', `gmail/v1/users/me/messages/${rows.find((m) => m.subject.includes('lift')).id}/trash`);
  await act(MARTA, 'PATCH', 'calendar/v3/calendars/primary/events/lunchnoor0001?sendUpdates=all',
    { start: { dateTime: '2026-11-24T12:30:00+01:00' }, end: { dateTime: '2026-11-24T13:30:00+01:00' } });
  await act(MARTA, 'DELETE', 'calendar/v3/calendars/primary/events/dentist000001');
  const html = '<h2>Offer for twenty housings</h2><p>Dear Marta,</p><table border="1" cellpadding="6"><tr><td>Housing TW-40</td><td>620 EUR</td></tr>' +
    '<tr><td><b>Twenty</b></td><td><b>12,400 EUR</b></td></tr></table><p>Noor</p><img src="http://tracker.example/seen.png" alt="">';
  const mail = `To: ${MARTA}\r\nSubject: Offer for housings\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=UTF-8\r\n\r\n${html}\r\n`;
  await act(NOOR, 'POST', 'gmail/v1/users/me/messages/send', { raw: Buffer.from(mail).toString('base64url') });
  await act(MARTA, 'POST', '@slack.com/api/chat.postMessage', { channel: 'C0GENERAL01', text: 'Lunch is tomorrow, not today.' });
  await act(NOOR, 'POST', 'gmail/v1/users/me/messages/send', { raw: Buffer.from('To: h.castro@portodouro.example\r\nSubject: Two units for the pier\r\n\r\nThey leave on Thursday.\r\n').toString('base64url') });
  await server.control('POST', '/worlds/office/seed', { sosia: 1, workspace: [{ path: 'reports/october.csv', text: 'quay,level\n4,2.31\n5,2.28\n' }, { path: 'reports/readme.md', text: '# Levels\n\nBy quay, in metres.\n' }, { path: 'todo.txt', text: 'Ask Jonas.\n' }] });
  const policy = { policy: 1, name: 'assistant', rules: [
    { id: 'strangers', effect: 'approve', reaches: { strangers: { length: { gt: 0 } } } },
    { id: 'own-mail', effect: 'allow', call: { method: 'gmail.users.messages.send', arguments: { 'body.raw': { exists: true } } } }] };
  await server.control('POST', '/worlds/office/policies', policy);
  const out = 'To: press@elsewhere.example\r\nSubject: Figures of the third quarter\r\n\r\nHere they are.\r\n';
  await act(MARTA, 'POST', 'gmail/v1/users/me/messages/send', { raw: Buffer.from(out).toString('base64url') }).catch(() => {}); // held
  await plan(server, act);
  await server.control('PUT', '/worlds/office/faults', { faults: 1, use: ['rate-limited'], rules: [
    { name: 'busy in the morning', fault: 'server-error', status: 503, vendors: ['microsoft'], before: '2026-11-23T09:00:00Z', chance: 0.2 }] });
  const inbox = await server.control('GET', `/worlds/office/mail/${MARTA}/messages?folder=${folders[0].id}&limit=1`);
  const { approvals } = await server.control('GET', '/worlds/office/approvals');
  return { offer: inbox.rows[0].id, held: approvals[0].action };
}

/** What somebody of the harbour has to do, and what became of it. */
async function plan(server, act) {
  const lists = '@graph.microsoft.com/v1.0/me/todo/lists';
  const list = await act(HANNA, 'POST', lists, { displayName: 'Quay 4' });
  const task = (title, more = {}) => act(HANNA, 'POST', `${lists}/${list.id}/tasks`, { title, ...more });
  const at = (dateTime) => ({ dateTime, timeZone: 'Europe/Berlin' });
  const crane = await task('Order a bearing for crane 4', { importance: 'high', dueDateTime: at('2026-11-27T12:00:00'), body: { contentType: 'text', content: 'The one on the sea side; Jonas has the number.' } });
  await act(HANNA, 'POST', `${lists}/${list.id}/tasks/${crane.id}/checklistItems`, { displayName: 'Ask for the number', isChecked: true });
  await act(HANNA, 'POST', `${lists}/${list.id}/tasks/${crane.id}/checklistItems`, { displayName: 'Write to the maker' });
  const levels = await task('Send the levels of October', { dueDateTime: at('2026-11-30T12:00:00') });
  await task('Read the sensors', { recurrence: { pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'] }, range: { type: 'noEnd', startDate: '2026-11-23' } }, dueDateTime: at('2026-11-23T12:00:00') });
  await server.control('POST', '/worlds/office/seed', { sosia: 1, groups: [{ email: 'crew@ostmole.example', name: 'Crew', members: [HANNA] }], taskPlans: [{ id: 'DREDGING', group: 'crew@ostmole.example', title: 'Dredging' }],
    taskBuckets: [{ id: 'B1', plan: 'DREDGING', name: 'Now' }], tasks: [{ id: 'SURVEY', plan: 'DREDGING', bucket: 'B1', title: 'Survey the bar', assignments: [{ person: HANNA }] }] });
  await server.control('POST', '/worlds/office/snapshot', { name: 'planned' });
  await act(HANNA, 'PATCH', `${lists}/${list.id}/tasks/${levels.id}`, { status: 'completed' });
  await task('Tell the pilots of the bar', { importance: 'high' });
  planned = { list: list.id, task: crane.id };
}
let planned;

/** Attempts of two versions of an agent, and a workflow, as they lie in folders. */
function keep(place) {
  const attempt = (version, task, n, reward, of) => {
    const folder = join(place, 'runs', `${version}.office.${task}.${n}`);
    mkdirSync(folder, { recursive: true });
    const write = (name, what) => writeFileSync(join(folder, name), typeof what === 'string' ? what : JSON.stringify(what));
    write('task.json', { suite: 'office', task, prompt: 'Move the budget review to Friday, the same time, and say so to those who come.' });
    write('verdict.json', { passed: reward === 1, reward, failures: reward === 1 ? [] : ['event "Budget review": start must be 2026-11-27T10:00, is 2026-11-26T10:00'], parts: [] });
    write('attempt.json', { version, ...of });
    write('diff.json', { changes: [] });
    write('output.txt', reward === 1 ? 'It is on Friday now; all four have been told.' : 'Done.');
    utimesSync(folder, 1_795_000_000 + n, 1_795_000_000 + n);
  };
  let n = 0;
  for (const [version, move, tidy] of [['2026-10', 0.4, 1], ['2026-11', 1, 1]])
    for (let i = 0; i < 2; i++) {
      attempt(version, 'move-budget', n++, i ? move : 1, { calls: 9 - n, refused: i, cost: 0.04 + 0.01 * i, kinds: i && move < 1 ? ['goal', 'wrong_value'] : [] });
      attempt(version, 'tidy-inbox', n++, tidy, { calls: 14 - n, refused: 0, cost: 0.06, kinds: [] });
    }
  cpSync(`${ROOT}examples/workflow`, join(place, 'desk'), { recursive: true });
  mkdirSync(join(place, 'workflows'));
  const words = ['--against', join(place, 'workflows/front-desk.promoted.json'), '--output', join(place, 'workflows/front-desk.json')];
  spawnSync(SOSIA, ['workflow', 'promote', join(place, 'desk/workflow.yaml'), ...words]);
  for (const name of ['front-desk.promoted', 'front-desk']) utimesSync(join(place, `workflows/${name}.json`), 1_795_000_000, 1_795_000_000);
}

const screens = ({ offer, held }) => ({
  worlds: '/_sosia/ui/worlds',
  runs: '/_sosia/ui/runs?version=%3D2026-10&against=%3D2026-11',
  workflows: '/_sosia/ui/workflows?open=front-desk',
  tasks: at(`/tasks/${HANNA}/${encodeURIComponent(planned.list)}?since=planned&open=${encodeURIComponent(planned.task)}`),
  workspace: at('/workspace/reports/october.csv?since=before'),
  outbox: at('/outbox?open=1'),
  policy: at('/policy/assistant'),
  faults: at('/faults'),
  overview: at('?since=before'),
  mail: at(`/mail/${MARTA}/INBOX?since=before&open=${offer}`),
  calendar: at(`/calendar/${MARTA}/week/2026-11-23?since=before&with=${NOOR}`),
  agenda: at(`/calendar/${MARTA}/list/2026-11-23?since=before&open=lunchnoor0001`),
  chat: at(`/chat/${MARTA}/general?since=before&thread=1795196400.000000`),
  drive: at(`/drive/${MARTA}/1FinancetpbXVRHcFvK1JWPjETpJgxGnm?open=1Budget2027D7nTSWgkBISqZvYRGRoalBvLZa5bCsi3m`),
  journal: at('/journal?open=4&tab=changes'),
  changes: at('/diff/before'),
  approvals: at(`/approvals/${held}`),
  clock: at('/clock'),
  search: at('/search?q=offer'),
  connect: at('/connect'),
});

/* ---- small pictures: a page has few colours ---- */

const COLOURS = 128;

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** An indexed PNG of red, green and blue values: the colours that are seen most, others by the nearest of them. */
function indexed(width, height, rgb) {
  const seen = new Map();
  for (let i = 0; i < rgb.length; i += 3) {
    const colour = (rgb[i] << 16) | (rgb[i + 1] << 8) | rgb[i + 2];
    seen.set(colour, (seen.get(colour) ?? 0) + 1);
  }
  const palette = [...seen].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, COLOURS).map(([colour]) => colour);
  const place = new Map(palette.map((colour, i) => [colour, i]));
  const nearest = (colour) => {
    let best = 0, least = Infinity;
    palette.forEach((p, i) => {
      const d = ((p >> 16) - (colour >> 16)) ** 2 + (((p >> 8) & 255) - ((colour >> 8) & 255)) ** 2 + ((p & 255) - (colour & 255)) ** 2;
      if (d < least) [best, least] = [i, d];
    });
    place.set(colour, best);
    return best;
  };
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i += 3) {
      const colour = (rgb[i] << 16) | (rgb[i + 1] << 8) | rgb[i + 2];
      rows[y * (width + 1) + 1 + x] = place.get(colour) ?? nearest(colour);
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]))), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

/** What the browser sees of a picture's bytes. */
async function pixels(page, png) {
  const { width, height, data } = await page.evaluate(async (text) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const ctx = canvas.getContext('2d');
    ctx.drawImage(picture, 0, 0);
    const { data } = ctx.getImageData(0, 0, picture.width, picture.height);
    let out = '';
    for (let i = 0; i < data.length; i += 4) out += String.fromCharCode(data[i], data[i + 1], data[i + 2]);
    return { width: picture.width, height: picture.height, data: btoa(out) };
  }, png.toString('base64'));
  return { width, height, rgb: Buffer.from(data, 'base64') };
}

const wanted = process.argv.slice(2);
const directory = `${ROOT}docs/console`;
mkdirSync(directory, { recursive: true });
const place = mkdtempSync(join(tmpdir(), 'sosia-pictures-'));
keep(place);
const server = await Server.start('--fixture', 'office', '--clock', 'step', '--journal', 'all', '--runs', join(place, 'runs'), '--workflows', join(place, 'workflows'));
try {
  const all = screens(await play(server));
  const blank = await (await fresh()).newPage();
  for (const theme of ['light', 'dark']) {
    const context = await fresh({ viewport: { width: 1200, height: 680 }, colorScheme: theme, locale: 'en-GB', timezoneId: 'Europe/Rome' });
    const page = await enter(context, await server.link());
    for (const [name, address] of Object.entries(all)) {
      if (wanted.length && !wanted.includes(name)) continue;
      await page.goto(server.url + address);
      await settled(page);
      await page.mouse.move(0, 0);
      const { width, height, rgb } = await pixels(blank, await page.screenshot());
      const png = indexed(width, height, rgb);
      writeFileSync(`${directory}/${name}-${theme}.png`, png);
      console.log(`${name}-${theme}.png ${png.length}`);
    }
    await context.close();
  }
} finally {
  await server.stop();
  await closeBrowser();
  rmSync(place, { recursive: true, force: true });
}
