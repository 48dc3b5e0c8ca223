// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: what each term of the search language finds, alone and together, in a drive that the
// program fills by itself; then orders, pages and what is refused.
import assert from 'node:assert/strict';
import { control, finish, refused, start, step, world } from '../harness.mjs';
import { all, client, create, DOCUMENT, FOLDER, raw, reason, SHORTCUT, SPREADSHEET, through } from './client.mjs';

through();
await start();
const [ada, bob] = ['ada@acme.example', 'bob@acme.example'];
const w = await world({
  sosia: 1, time: '2025-01-01T00:00:00Z', organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [{ email: ada, name: 'Ada' }, { email: bob, name: 'Bob' }],
  groups: [{ email: 'team@acme.example', name: 'Team', members: [bob] }],
});
const a = client(w, ada);
const b = client(w, bob);
const ids = {};
const mine = async (name, body, text) => { ids[name] = (await create(a, { name, ...body }, text)).id; };
const share = (drive, fileId, requestBody) => drive.permissions.create({ fileId, requestBody, sendNotificationEmail: false });

await mine('Projects', { mimeType: FOLDER, starred: true });
await mine('Archive 2024', { mimeType: FOLDER, parents: [ids.Projects] });
await mine('Hello World plan', { mimeType: 'text/plain', parents: [ids.Projects], description: 'Q1 roadmap', modifiedTime: '2026-01-10T12:00:00Z' },
  'The quarterly budget. Hello there world');
await mine('HelloWorld.md', { mimeType: 'text/markdown' }, 'Hello_world appendix');
await mine("Valentine's Day.jpg", { mimeType: 'image/jpeg', parents: [ids['Archive 2024']], properties: { mass: '1.3kg' }, modifiedTime: '2025-02-14T09:30:00.250Z' }, 'x');
await mine('notes.txt', { mimeType: 'text/plain' }, 'hello important');
await mine('Old', { mimeType: FOLDER });
await mine('draft.txt', { mimeType: 'text/plain', parents: [ids.Old] }, 'nothing');
await mine('Plan link', { mimeType: SHORTCUT, shortcutDetails: { targetId: ids['Hello World plan'] } });
await mine('clip.mp4', { mimeType: 'video/mp4' }, 'v');
await mine("quinn's paper\\essay", { mimeType: 'text/plain' }, 'essay');
await mine('Élan Vital', { mimeType: DOCUMENT });
await mine('Table', { mimeType: SPREADSHEET });
await mine('Straße Plan', { mimeType: 'text/plain' }, 'road');
ids.report_2025 = (await create(b, { name: 'report_2025', mimeType: 'text/csv', modifiedTime: '2026-01-31T23:59:59Z' }, 'q,r\n')).id;
await create(b, { name: 'secret hello.txt' }, 'hello');
await share(b, ids.report_2025, { type: 'user', role: 'writer', emailAddress: ada });
await share(a, ids['clip.mp4'], { type: 'anyone', role: 'reader' });
await share(a, ids['Straße Plan'], { type: 'domain', role: 'reader', domain: 'acme.example' });
await share(a, ids['Straße Plan'], { type: 'group', role: 'reader', emailAddress: 'team@acme.example' });
for (const name of ['notes.txt', 'Old']) await a.files.update({ fileId: ids[name], requestBody: { trashed: true } });
const sd = (await a.drives.create({ requestId: '1', requestBody: { name: 'SD' } })).data.id;
await mine('Budget 2026.xlsx', { parents: [sd], mimeType: 'application/octet-stream' }, 'z');

const order = Object.keys(ids);
const short = { P: 'Projects', A: 'Archive 2024', H: 'Hello World plan', W: 'HelloWorld.md', V: "Valentine's Day.jpg", n: 'notes.txt', O: 'Old', d: 'draft.txt',
  L: 'Plan link', c: 'clip.mp4', q: "quinn's paper\\essay", E: 'Élan Vital', T: 'Table', S: 'Straße Plan', r: 'report_2025', B: 'Budget 2026.xlsx' };
const letter = Object.fromEntries(Object.entries(short).map(([k, v]) => [v, k]));
const everything = 'PAHWVnOdLcqETSr';
const without = (letters) => [...everything].filter(l => !letters.includes(l)).join('');
const BAD = '400 invalid';

/** The letters of what is found, in the order in which files were made; or the refusal. */
async function found(params) {
  try {
    const files = await all(a.files.list.bind(a.files), { fields: 'nextPageToken,files(id,name)', pageSize: 4, ...params }, 'files');
    assert.equal(new Set(files.map(f => f.id)).size, files.length);
    return files.map(f => f.name).sort((x, y) => order.indexOf(x) - order.indexOf(y)).map(n => letter[n] ?? '?').join('');
  } catch (error) {
    if (!error.response) throw error;
    return reason(error).join(' ');
  }
}

const table = [
  ['', everything],
  ["name = 'notes.txt'", 'n'], ["name='notes.txt'", 'n'], ["name = 'Hello World'", ''], ["name = 'ÉLAN VITAL'", 'E'], ["name != 'notes.txt'", without('n')],
  ["name contains 'élan'", 'E'], ["name contains 'elan'", ''], ["name contains 'hello'", 'HW'], ["name contains 'World'", 'H'], ["name contains 'wor'", 'H'],
  ["name contains 'hello' and name contains 'plan'", 'H'], ["not name contains 'hello'", without('HW')], ["name = 'Valentine\\'s Day.jpg'", 'V'],
  ["name = 'Valentine's Day.jpg'", BAD], ["name = 'quinn\\'s paper\\\\essay'", 'q'], ['name = "notes.txt"', 'n'], ["name in 'notes.txt'", BAD],
  ["NAME CONTAINS 'plan'", 'HLS'], ["name contains 'PLAN'", 'HLS'], ["name contains 'straße'", 'S'], ["name contains 'xyzzy'", ''],
  ["fullText contains 'Hell'", ''], ["fullText contains 'hello'", 'HWn'], ["fullText contains 'roadmap'", 'H'], ["fullText contains '\"there hello\"'", ''],
  ["fullText contains '\"hello there\"'", 'H'], ["fullText contains '\"world appendix\"'", 'W'], ["not fullText contains 'budget'", without('H')],
  ["fullText = 'budget'", BAD], ["fullText contains 'important' and trashed = false", ''], ["fullText contains 'projects'", 'P'], ["fullText contains 'budget quarterly'", 'H'],
  [`mimeType = '${FOLDER}'`, 'PAO'], [`mimeType != '${FOLDER}' and trashed = false`, 'HWVLcqETSr'], [`mimeType = '${DOCUMENT}'`, 'E'], [`mimeType = '${SPREADSHEET}'`, 'T'],
  ["mimeType contains 'image/'", 'V'], ["mimeType contains 'text/'", 'HWndqSr'], ["mimeType contains 'application/vnd.google-apps'", 'PAOLET'], ["mimeType in 'image/jpeg'", BAD],
  ["modifiedTime > '2026-01-10T12:00:00'", 'r'], ["modifiedTime >= '2026-01-10T12:00:00Z'", 'Hr'], ["modifiedTime = '2026-01-10T12:00:00Z'", 'H'],
  ["modifiedTime > '2025-02-14T01:30:00-08:00' and modifiedTime < '2026-01-01T00:00:00'", 'V'], ["modifiedTime < '2025-01-01'", ''], ["modifiedTime > createdTime", BAD],
  ["modifiedTime > 'yesterday'", BAD], ["modifiedTime contains '2025'", BAD], ["createdTime >= '2025-01-01T00:00:00'", everything], ["createdTime > '2025-01-02'", ''],
  ["modifiedTime > '2012-06-04T12:00:00' and (mimeType contains 'image/' or mimeType contains 'video/')", 'Vc'],
  ['trashed = true', 'nOd'], ['trashed = false', without('nOd')], ['trashed != true and starred = true', 'P'], [`not trashed = true and mimeType = '${FOLDER}'`, 'PA'],
  ['trashed', BAD], ["trashed = 'true'", BAD], ['starred = true', 'P'], ['starred = false', without('P')], ['starred != false', 'P'],
  ["'@Projects' in parents", 'AH'], ["'root' in parents and trashed = false", 'PWLcqETS'], ["not '@Projects' in parents", without('AH')], ["'@Old' in parents", 'd'],
  ["parents = '@Projects'", BAD], ["'nobody' in parents", '404 notFound'], ["'@Projects' in parents and fullText contains 'budget'", 'H'],
  ["'bob@acme.example' in owners", 'r'], ["'me' in owners", without('r')], ["not 'me' in owners", 'r'], ["'bob@acme.example' in writers", 'r'], ["'team@acme.example' in readers", 'S'],
  ["'me' owners", BAD], ["'a' in names", BAD], ['sharedWithMe', 'r'], ['sharedWithMe = true', 'r'], ["sharedWithMe = true and name contains 'report'", 'r'], ['not sharedWithMe', without('r')],
  ["properties has { key='mass' and value='1.3kg' }", 'V'], ["properties has { key='mass' and value='2' }", ''], ["properties has { key='mass' }", BAD],
  ["appProperties has { key='mass' and value='1.3kg' }", ''], ["visibility = 'limited'", without('cS')], ["visibility != 'limited'", 'cS'], ["visibility = 'anyoneWithLink'", 'c'],
  ["visibility = 'domainWithLink'", 'S'], ["visibility = 'nobody'", BAD], ["shortcutDetails.targetId = '@Hello World plan'", 'L'],
  ["name contains 'plan' or name contains 'clip' and mimeType = 'video/mp4'", 'c'], ["name contains 'plan' or (name contains 'clip' and mimeType = 'video/mp4')", 'HLcS'],
  ["(name contains 'plan' or name contains 'clip') and not trashed = true", 'HLcS'], ["not (name contains 'plan' or trashed = true)", without('HLSnOd')],
  ["name contains 'plan' and", BAD], ["(name = 'a'", BAD], ["name = 'a')", BAD], ["name = 'a", BAD], ["title = 'a'", BAD], ["name = 'a' name = 'b'", BAD], ["name = 'a'; drop table files", BAD],
  ["name like 'a'", BAD], ['not', BAD], ["name contains 'Budget'", ''],
];

for (const [q, expected] of table) {
  await step(q || '(nothing)', async () => {
    const asked = q.replace(/@([^']+)'/g, (whole, name) => (ids[name] ? `${ids[name]}'` : whole));
    assert.equal(await found(q ? { q: asked } : {}), expected);
  });
}

await step('shared drives are searched when they are asked for', async () => {
  const both = { supportsAllDrives: true, includeItemsFromAllDrives: true };
  assert.equal(await found({ ...both, corpora: 'drive', driveId: sd, q: "name contains 'Budget'" }), 'B');
  assert.equal(await found({ ...both, corpora: 'allDrives', q: 'trashed = false' }), `${without('nOd')}B`);
  assert.equal((await refused(() => a.files.list({ includeItemsFromAllDrives: true }))).status, 403);
});

await step('orders are of one key or several, and pages keep them', async () => {
  const named = async (orderBy) => (await all(a.files.list.bind(a.files), { q: "'root' in parents and trashed = false", orderBy, pageSize: 3 }, 'files')).map(f => letter[f.name]).join('');
  assert.equal(await named('name'), 'cEWLPqST');
  assert.equal(await named('name desc'), 'TSqPLWEc');
  assert.equal((await named('folder,name'))[0], 'P');
  assert.equal((await named('folder desc,name')).at(-1), 'P');
  assert.equal((await refused(() => named('name,name_natural'))).status, 403);
  assert.equal((await refused(() => named('beauty'))).status, 400);
});

await step('sizes of pages are within bounds, and tokens belong to their question', async () => {
  assert.equal((await refused(() => a.files.list({ pageSize: 0 }))).status, 400);
  assert.equal((await refused(() => a.files.list({ pageSize: 1001 }))).status, 400);
  const { data } = await a.files.list({ pageSize: 2 });
  assert.equal(data.files.length, 2);
  assert.equal((await refused(() => a.files.list({ pageSize: 2, pageToken: `${data.nextPageToken}x` }))).status, 400);
});

await step('what is new is found at once', async () => {
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 60 });
  await mine('zeppelin.txt', { mimeType: 'text/plain' }, 'a rare aardvark');
  const answer = await raw(w, ada, 'GET', `/drive/v3/files?${new URLSearchParams({ q: "fullText contains 'aardvark'" })}`);
  assert.deepEqual((await answer.json()).files.map(f => f.name), ['zeppelin.txt']);
  await a.files.update({ fileId: ids['zeppelin.txt'], media: { body: 'a rare okapi' } });
  assert.equal(await found({ q: "fullText contains 'aardvark'" }), '');
  assert.equal(await found({ q: "fullText contains 'okapi'" }), '?');
  await a.files.delete({ fileId: ids['zeppelin.txt'] });
  assert.equal(await found({ q: "fullText contains 'okapi'" }), '');
});

await finish();
