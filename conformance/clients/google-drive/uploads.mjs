// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: files made in all ways of uploading, a resumable upload that is cut and goes on,
// downloads in parts, and what is refused.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import tls from 'node:tls';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { control, finish, refused, start, step, world } from '../harness.mjs';
import { client, content, create, DOCUMENT, FOLDER, raw, reason, through } from './client.mjs';

through();
await start();
const ada = 'ada@acme.example';
const bob = 'bob@acme.example';
const w = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z', organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [{ email: ada, name: 'Ada' }, { email: bob, name: 'Bob' }],
});
const drive = client(w, ada);
const CHUNK = 256 * 1024;
const large = Buffer.alloc(3 * CHUNK + 1234, (_, i) => i);
for (let i = 0; i < large.length; i++) large[i] = (i * 7 + (i >> 8)) & 255;
const digest = (name, bytes) => createHash(name).update(bytes).digest('hex');
const digests = 'id,name,mimeType,size,md5Checksum,sha1Checksum,sha256Checksum,originalFilename,fileExtension,fullFileExtension';

async function holds(file, bytes) {
  assert.equal(file.size, String(bytes.length));
  for (const name of ['md5', 'sha1', 'sha256']) assert.equal(file[`${name}Checksum`], digest(name, bytes));
  assert.ok(bytes.equals(await content(drive, file.id)));
}

/** Begins a resumable session; gives its address. */
async function session(body = {}, headers = {}, path = '/upload/drive/v3/files?uploadType=resumable', method = 'POST') {
  const answer = await raw(w, ada, method, path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));
  assert.equal(answer.status, 200, await answer.text());
  const location = answer.headers.get('location');
  assert.match(location, /^https:\/\/www\.googleapis\.com\/upload\/drive\/v3\/files.*[?&]upload_id=/);
  return location;
}
const put = (location, bytes, range, who = ada) =>
  raw(w, who, 'PUT', location, { 'content-range': range }, bytes.length ? bytes : undefined);

await step('metadata only: an empty file, a folder, a document', async () => {
  const file = await create(drive, { name: 'bare.txt' }, undefined, digests);
  assert.equal(file.name, 'bare.txt');
  assert.equal(file.mimeType, 'application/octet-stream');
  assert.equal(file.size, '0');
  assert.equal(file.md5Checksum, 'd41d8cd98f00b204e9800998ecf8427e');
  assert.equal((await create(drive, { name: 'dir', mimeType: FOLDER }, undefined, '*')).size, undefined);
  assert.equal((await create(drive, { name: 'doc', mimeType: DOCUMENT }, undefined, '*')).md5Checksum, undefined);
});

await step('media alone: a file without a name', async () => {
  const { data } = await drive.files.create({ media: { mimeType: 'text/csv', body: 'a,b\n' }, fields: digests });
  assert.equal(data.name, 'Untitled');
  assert.equal(data.mimeType, 'text/csv');
  await holds(data, Buffer.from('a,b\n'));
});

await step('multipart: metadata and media in one request', async () => {
  const { data } = await drive.files.create({
    requestBody: { name: 'archive.tar.gz', description: 'packed' },
    media: { mimeType: 'application/gzip', body: Readable.from([large.subarray(0, 1000), large.subarray(1000)]) }, fields: digests,
  });
  assert.deepEqual([data.name, data.mimeType, data.originalFilename, data.fileExtension, data.fullFileExtension],
    ['archive.tar.gz', 'application/gzip', 'archive.tar.gz', 'gz', 'tar.gz']);
  await holds(data, large);
});

await step('resumable: one request with everything', async () => {
  const answer = await put(await session({ name: 'whole.bin' }), large, `bytes 0-${large.length - 1}/${large.length}`);
  assert.equal(answer.status, 200);
  await holds((await drive.files.get({ fileId: (await answer.json()).id, fields: digests })).data, large);
});

await step('resumable: chunks, of an unknown length at first', async () => {
  const location = await session({ name: 'chunks.bin' }, { 'x-upload-content-type': 'application/x-chunks' });
  let answer = await put(location, large.subarray(0, CHUNK), `bytes 0-${CHUNK - 1}/*`);
  assert.equal(answer.status, 308);
  assert.equal(answer.headers.get('range'), `bytes=0-${CHUNK - 1}`);
  answer = await put(location, large.subarray(CHUNK, 3 * CHUNK), `bytes ${CHUNK}-${3 * CHUNK - 1}/*`);
  assert.equal(answer.headers.get('range'), `bytes=0-${3 * CHUNK - 1}`);
  answer = await put(location, large.subarray(3 * CHUNK), `bytes ${3 * CHUNK}-${large.length - 1}/${large.length}`);
  assert.equal(answer.status, 200);
  const { id } = await answer.json();
  const { data } = await drive.files.get({ fileId: id, fields: digests });
  assert.equal(data.mimeType, 'application/x-chunks');
  await holds(data, large);
});

await step('resumable: a connection that breaks in the middle of a chunk; what is held is asked for, and sent on from there', async () => {
  const location = await session({ name: 'cut.bin' });
  const total = large.length;
  assert.equal((await put(location, large.subarray(0, CHUNK), `bytes 0-${CHUNK - 1}/${total}`)).status, 308);
  const { pathname, search, hostname } = new URL(location);
  const socket = tls.connect({ host: hostname, port: 443, servername: hostname, ca: readFileSync(process.env.NODE_EXTRA_CA_CERTS) });
  await once(socket, 'secureConnect');
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${w.tokens[ada]}\r\n`
    + `Content-Length: ${total - CHUNK}\r\nContent-Range: bytes ${CHUNK}-${total - 1}/${total}\r\n\r\n`);
  await new Promise(done => socket.write(large.subarray(CHUNK, CHUNK + 300000), done));
  socket.destroy();
  let asked = await put(location, Buffer.alloc(0), `bytes */${total}`);
  assert.equal(asked.status, 308);
  const range = /^bytes=0-(\d+)$/.exec(asked.headers.get('range'));
  const held = Number(range[1]) + 1;
  assert.ok(held >= CHUNK && held <= CHUNK + 300000, `${held} bytes are held`);
  const done = await put(location, large.subarray(held), `bytes ${held}-${total - 1}/${total}`);
  assert.equal(done.status, 200);
  const { id } = await done.json();
  await holds((await drive.files.get({ fileId: id, fields: digests })).data, large);
  asked = await put(location, Buffer.alloc(0), `bytes */${total}`);
  assert.equal((await asked.json()).id, id);
});

await step('resumable: nothing held has no range, and nothing is there before the end', async () => {
  const location = await session({ name: 'never.bin' });
  const asked = await put(location, Buffer.alloc(0), 'bytes */*');
  assert.deepEqual([asked.status, asked.headers.get('range')], [308, null]);
  const { data } = await drive.files.list({ q: "name = 'never.bin'" });
  assert.deepEqual(data.files, []);
});

await step('resumable: ranges that fit nothing, sizes that are none, sessions that are not there', async () => {
  const location = await session({ name: 'abused.bin' });
  assert.equal((await put(location, large.subarray(0, CHUNK), `bytes 0-${CHUNK - 1}/*`)).status, 308);
  const wrong = await Promise.all([
    put(location, large.subarray(0, 10), 'bytes zero-ten/20'), put(location, large.subarray(0, 1000), `bytes ${CHUNK}-${CHUNK + 999}/*`)]);
  for (const answer of wrong) assert.equal(answer.status, 400);
  const gone = `${location.slice(0, -4)}zzzz`;
  assert.equal((await put(gone, large.subarray(0, CHUNK), `bytes 0-${CHUNK - 1}/*`)).status, 404);
  const asked = await put(location, Buffer.alloc(0), 'bytes */*');
  assert.equal(asked.headers.get('range'), `bytes=0-${CHUNK - 1}`);
});

await step('resumable: a session ends after a week', async () => {
  const location = await session({ name: 'late.bin' });
  await put(location, large.subarray(0, CHUNK), `bytes 0-${CHUNK - 1}/*`);
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 8 * 24 * 3600 });
  w.tokens[ada] = (await control('POST', `/worlds/${w.key}/tokens`, { actor: ada })).token;
  w.tokens[bob] = (await control('POST', `/worlds/${w.key}/tokens`, { actor: bob })).token;
  assert.equal((await put(location, large.subarray(CHUNK), `bytes ${CHUNK}-${large.length - 1}/${large.length}`)).status, 404);
});

const again = client(w, ada);
await step('new content of a file: all ways change it and keep its id', async () => {
  const { id } = await create(again, { name: 'notes.txt' }, 'first');
  const { data: second } = await again.files.update({ fileId: id, media: { mimeType: 'text/plain', body: 'second' }, fields: 'id,size,version' });
  assert.deepEqual([second.id, second.size], [id, '6']);
  const { data: third } = await again.files.update({
    fileId: id, requestBody: { name: 'notes2.txt' }, media: { body: 'third!!' }, fields: 'name,size,headRevisionId' });
  assert.deepEqual([third.name, third.size], ['notes2.txt', '7']);
  const location = await session({}, {}, `/upload/drive/v3/files/${id}?uploadType=resumable`, 'PATCH');
  assert.equal((await put(location, large, `bytes 0-${large.length - 1}/${large.length}`)).status, 200);
  assert.ok(large.equals(await content(again, id)));
});

await step('parts of a file, and ranges that it does not have', async () => {
  const { id } = await create(again, { name: 'digits' }, '0123456789');
  for (const [range, expected] of [['bytes=0-3', '0123'], ['bytes=7-', '789'], ['bytes=-2', '89'], ['bytes=4-4', '4']]) {
    const answer = await raw(w, ada, 'GET', `/drive/v3/files/${id}?alt=media`, { range });
    assert.equal(answer.status, 206);
    assert.equal(await answer.text(), expected);
  }
  const outside = await raw(w, ada, 'GET', `/drive/v3/files/${id}?alt=media`, { range: 'bytes=50-60' });
  assert.equal(outside.status, 416);
});

await step('a file of somebody else is not there for a stranger, neither to read nor to overwrite', async () => {
  const { id } = await create(again, { name: 'mine.txt' }, 'mine');
  const stranger = client(w, bob);
  assert.deepEqual(reason(await refused(() => stranger.files.get({ fileId: id }))), [404, 'notFound']);
  assert.deepEqual(reason(await refused(() => stranger.files.update({ fileId: id, media: { body: 'his' } }))), [404, 'notFound']);
  assert.equal((await content(again, id)).toString(), 'mine');
});

await step('ids made before their files, and used once', async () => {
  const { data } = await again.files.generateIds({ count: 3 });
  assert.equal(new Set(data.ids).size, 3);
  const [id] = data.ids;
  assert.equal((await create(again, { id, name: 'known' }, 'x')).id, id);
  assert.equal((await refused(() => create(again, { id, name: 'again' }, 'y'))).status, 409);
});

await step('copies, properties, and names that are hard', async () => {
  const name = 'a/b\\c \u{1F4C4} é';
  const { id } = await create(again, { name, properties: { k: 'v' }, appProperties: { a: 'b' }, description: 'd' }, 'body');
  const { data } = await again.files.copy({ fileId: id, requestBody: { name: `${name} 2` }, fields: 'id,name,properties,appProperties,description' });
  assert.equal(data.name, `${name} 2`);
  assert.deepEqual(data.properties, { k: 'v' });
  assert.equal((await content(again, data.id)).toString(), 'body');
});

await finish();
