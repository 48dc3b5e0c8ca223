// SPDX-License-Identifier: Apache-2.0
// What the test suite of a public double of Drive holds the real service to, as far as it is about version 3: programs that keep
// a copy of a folder by asking what was modified since, uploads without conditions, batches, the feed.
import assert from 'node:assert/strict';
import { control, finish, start, step, world } from '../harness.mjs';
import { client, create, FOLDER, raw, through } from './client.mjs';

through();
await start();
const ada = 'ada@acme.example';
const w = await world({
  sosia: 1, time: '2026-11-23T08:00:00.123456Z', organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [{ email: ada, name: 'Ada' }],
}, { clock: 'frozen' });
const drive = client(w, ada);
const later = (seconds = 1) => control('POST', `/worlds/${w.key}/clock/advance`, { seconds });
const json = (body) => ({ requestBody: body });
const ids = (answer) => answer.data.files.map((f) => f.id);
const find = async (q, more = {}) => ids(await drive.files.list({ q, fields: 'files(id)', ...more }));

/** A body of two parts, and its headers. */
function parts(metadata, content) {
  const line = (type, value) => `--=edge\r\nContent-Type: ${type}\r\n\r\n${JSON.stringify(value)}\r\n`;
  return [{ 'content-type': 'multipart/related; boundary="=edge"' },
    `${line('application/json', metadata)}${line('application/json', content)}--=edge--`];
}
const upload = async (method, id, metadata, content, headers = {}) => {
  const [type, body] = parts(metadata, content);
  const answer = await raw(w, ada, method, `upload/drive/v3/files${id}?uploadType=multipart`, { ...type, ...headers }, body);
  return { status: answer.status, body: await answer.json().catch(() => null) };
};

await step('what was modified behind a time leaves out the file whose own time it is', async () => {
  const { id: folder } = await create(drive, { name: 'copy', mimeType: FOLDER });
  const files = [];
  for (const name of ['one', 'two', 'three']) {
    files.push(await create(drive, { name, parents: [folder] }, name, 'id,modifiedTime'));
    await later();
  }
  const [one, two, three] = files;
  const within = `'${folder}' in parents and trashed = false`;
  const order = { orderBy: 'modifiedTime asc,name asc' };
  assert.deepEqual(await find(`modifiedTime > '${one.modifiedTime}' and ${within}`, order), [two.id, three.id]);
  assert.deepEqual(await find(`modifiedTime > '${one.modifiedTime}' and ${within}`, { ...order, pageSize: 1 }), [two.id]);
  assert.deepEqual(await find(`modifiedTime >= '${two.modifiedTime}' and ${within}`, order), [two.id, three.id]);
  assert.deepEqual(await find(`modifiedTime = '${two.modifiedTime}' and ${within}`), [two.id]);
  assert.deepEqual(await find(`modifiedTime > '${three.modifiedTime}' and ${within}`), []);
  await drive.files.update({ fileId: one.id, requestBody: { modifiedTime: two.modifiedTime, name: 'a' } });
  assert.deepEqual(await find(`modifiedTime = '${two.modifiedTime}' and ${within}`, { orderBy: 'name' }), [one.id, two.id]);
  assert.deepEqual(await find(`modifiedTime >= '${two.modifiedTime}' and ${within}`, order), [one.id, two.id, three.id]);
});

await step('a file gets a later time by metadata, by content and by a touch', async () => {
  const { id: fileId, modifiedTime: first } = await create(drive, { name: 'clock' }, 'x', 'id,modifiedTime');
  let before = first;
  for (const change of [{ requestBody: { name: 'watch' } }, { media: { mimeType: 'text/plain', body: 'y' } }, { requestBody: { description: 'z' } }]) {
    await later();
    const { data } = await drive.files.update({ fileId, fields: 'modifiedTime', ...change });
    assert.ok(data.modifiedTime > before);
    before = data.modifiedTime;
  }
  const answer = await raw(w, ada, 'GET', `drive/v3/files/${fileId}`);
  assert.ok(Date.parse(answer.headers.get('date')) + 1000 > Date.parse(before));
});

await step('names are not unique, and conditions on uploads are not read', async () => {
  const made = [];
  for (const headers of [{}, { 'if-none-match': '*' }, { 'if-none-match': '*' }])
    made.push(await upload('POST', '', { name: 'same.json', mimeType: 'application/json' }, { n: 1 }, headers));
  assert.deepEqual(made.map((m) => m.status), [200, 200, 200]);
  assert.equal(new Set(made.map((m) => m.body.id)).size, 3);
  const { id } = made[0].body;
  assert.equal((await upload('PATCH', `/${id}`, { name: 'new.json' }, { n: 2 }, { 'if-match': '"none"' })).body.name, 'new.json');
  assert.deepEqual((await drive.files.get({ fileId: id, alt: 'media' })).data, { n: 2 });
  assert.equal((await upload('PUT', `/${id}`, { name: 'put.json' }, { n: 3 })).status, 404);
  assert.equal((await upload('PATCH', '/1nobodyhasthis', {}, {})).status, 404);
});

await step('version 3 has no etag, in answers and in fields', async () => {
  const { id } = await create(drive, { name: 'plain' });
  assert.equal((await raw(w, ada, 'GET', `drive/v3/files/${id}?fields=etag,name`)).status, 400);
  assert.equal((await raw(w, ada, 'GET', 'drive/v3/files?fields=files(id,etag)')).status, 400);
  const answer = await raw(w, ada, 'GET', `drive/v3/files/${id}?fields=*`);
  assert.equal(answer.headers.get('etag'), null);
  assert.equal((await answer.json()).etag, undefined);
});

await step('content keeps its type and its bytes, empty too', async () => {
  const text = '{\n  "b": 1,\n  "a": 2\n}';
  const { id } = await create(drive, { name: 'order', mimeType: 'application/json' });
  await raw(w, ada, 'PATCH', `upload/drive/v3/files/${id}?uploadType=media`, { 'content-type': 'application/json' }, text);
  const answer = await raw(w, ada, 'GET', `drive/v3/files/${id}?alt=media&supportsAllDrives=true`);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.equal(await answer.text(), text);
  const changed = await raw(w, ada, 'PATCH', `drive/v3/files/${id}`, { 'content-type': 'application/json' }, '{"mimeType":"text/csv"}');
  assert.equal(changed.status, 200);
  const { data } = await drive.files.create({ requestBody: { name: 'empty' }, media: { mimeType: 'text/plain', body: '' }, fields: 'size,md5Checksum' });
  assert.deepEqual(data, { size: '0', md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e' });
});

await step('files are made and changed side by side', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, (_, i) => create(drive, { name: `side ${i}` }, `first ${i}`)));
  await Promise.all(made.map(({ id }, i) =>
    raw(w, ada, 'PATCH', `upload/drive/v3/files/${id}?uploadType=media&fields=id`, { 'content-type': 'text/plain' }, `second ${i}`)));
  const read = await Promise.all(made.map(({ id }) => raw(w, ada, 'GET', `drive/v3/files/${id}?alt=media`).then((a) => a.text())));
  assert.deepEqual(read, made.map((_, i) => `second ${i}`));
});

await step('many are made in one batch, and found by name and type', async () => {
  const request = (i) => `--b\r\nContent-Type: application/http\r\nContent-ID: <${i}>\r\n\r\nPOST /drive/v3/files HTTP/1.1\r\n`
    + `Content-Type: application/json\r\n\r\n${JSON.stringify({ name: `in batch ${i}`, mimeType: FOLDER })}\r\n`;
  const answer = await raw(w, ada, 'POST', 'batch/drive/v3', { 'content-type': 'multipart/mixed; boundary=b' }, `${[1, 2, 3].map(request).join('')}--b--`);
  const text = await answer.text();
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g).length, 3);
  assert.match(text, /Content-ID: <response-2>/);
  const { data } = await drive.files.list({ q: `name = 'in batch 2' and mimeType = '${FOLDER}' and trashed = false`, fields: 'files(id)' });
  assert.deepEqual(Object.keys(data), ['files']);
  assert.deepEqual(Object.keys(data.files[0]), ['id']);
  assert.equal(data.files.length, 1);
});

await step('the feed has what was made and what was deleted', async () => {
  const { data: { startPageToken } } = await drive.changes.getStartPageToken();
  const { id } = await create(drive, { name: 'told' }, 'x');
  let { data } = await drive.changes.list({ pageToken: startPageToken, fields: 'newStartPageToken,changes(fileId,removed,file(name))' });
  assert.deepEqual(data.changes, [{ fileId: id, removed: false, file: { name: 'told' } }]);
  await drive.files.delete({ fileId: id });
  ({ data } = await drive.changes.list({ pageToken: data.newStartPageToken, fields: 'changes(fileId,removed)' }));
  assert.deepEqual(data.changes, [{ fileId: id, removed: true }]);
});

await step('a lock that is a file is taken, held and given back', async () => {
  const held = () => find("name = 'lock' and trashed = false");
  assert.deepEqual(await held(), []);
  const { data: { id } } = await drive.files.create(json({ name: 'lock' }));
  assert.deepEqual(await held(), [id]);
  await drive.files.delete({ fileId: id });
  assert.deepEqual(await held(), []);
});

await finish();
