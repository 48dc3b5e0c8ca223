// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: documents made from files and exported, revisions, comments and replies.
import assert from 'node:assert/strict';
import { finish, refused, start, step, world } from '../harness.mjs';
import { client, content, create, DOCUMENT, reason, SPREADSHEET, through } from './client.mjs';

through();
await start();
const [ada, bob] = ['ada@acme.example', 'bob@acme.example'];
const w = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z', organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [{ email: ada, name: 'Ada' }, { email: bob, name: 'Bob' }],
});
const [a, b] = [ada, bob].map(email => client(w, email));
const exported = async (fileId, mimeType) => Buffer.from((await a.files.export({ fileId, mimeType }, { responseType: 'arraybuffer' })).data);
const converted = (name, mimeType, from, body) => a.files.create({ requestBody: { name, mimeType }, media: { mimeType: from, body }, fields: 'id,mimeType,size' });

let doc, sheet, file;

await step('a text becomes a document, and goes out as text, Markdown, HTML, docx, odt and PDF', async () => {
  const { data } = await converted('Plan', DOCUMENT, 'text/markdown', '# Plan\n\nSome *plain* words.\n\n- one\n- two\n');
  doc = data.id;
  assert.equal(data.mimeType, DOCUMENT);
  const text = (await exported(doc, 'text/plain')).toString();
  assert.ok(text.startsWith('\uFEFFPlan\r\n'), JSON.stringify(text));
  assert.match((await exported(doc, 'text/markdown')).toString(), /# Plan[^]*\*plain\*/);
  assert.match((await exported(doc, 'text/html')).toString(), /<h1[^>]*>[^]*Plan/);
  for (const [type, magic] of [['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK'],
    ['application/vnd.oasis.opendocument.text', 'PK'], ['application/pdf', '%PDF']])
    assert.equal((await exported(doc, type)).subarray(0, magic.length).toString(), magic);
});

await step('a table becomes a sheet, and goes out as CSV, TSV and xlsx', async () => {
  sheet = (await converted('Table', SPREADSHEET, 'text/csv', 'a,b\n1,"x, y"\n')).data.id;
  assert.equal((await exported(sheet, 'text/csv')).toString(), 'a,b\r\n1,"x, y"');
  assert.equal((await exported(sheet, 'text/tab-separated-values')).toString().split('\r\n')[0], 'a\tb');
  assert.equal((await exported(sheet, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')).subarray(0, 2).toString(), 'PK');
});

await step('a docx that was exported is imported again as it was', async () => {
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const { Readable } = await import('node:stream');
  const again = (await converted('Again', DOCUMENT, type, Readable.from([await exported(doc, type)]))).data.id;
  assert.equal((await exported(again, 'text/markdown')).toString(), (await exported(doc, 'text/markdown')).toString());
});

await step('what is not a document is not exported, and a document is not downloaded', async () => {
  file = (await create(a, { name: 'notes.txt' }, 'one')).id;
  const status = async (call) => (await refused(call)).status;
  assert.equal(await status(() => a.files.export({ fileId: file, mimeType: 'text/plain' })), 403);
  assert.equal(await status(() => a.files.get({ fileId: doc, alt: 'media' })), 403);
  assert.equal(await status(() => a.files.export({ fileId: doc, mimeType: 'image/webp' })), 400);
  assert.equal(await status(() => converted('Broken', DOCUMENT, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'no archive')), 400);
});

await step('new content makes revisions; a kept one is read, and the last that is left is not deleted', async () => {
  for (const body of ['two', 'three']) await a.files.update({ fileId: file, media: { body } });
  await a.files.update({ fileId: file, requestBody: { name: 'renamed.txt' } });
  const { data } = await a.revisions.list({ fileId: file, fields: 'revisions(id,size,keepForever)' });
  assert.deepEqual(data.revisions.map(r => r.size), ['3', '3', '5']);
  const [first, second, last] = data.revisions.map(r => r.id);
  await a.revisions.update({ fileId: file, revisionId: first, requestBody: { keepForever: true } });
  const old = await a.revisions.get({ fileId: file, revisionId: first, alt: 'media' }, { responseType: 'text' });
  assert.equal(old.data, 'one');
  assert.equal((await content(a, file)).toString(), 'three');
  for (const revisionId of [first, second]) await a.revisions.delete({ fileId: file, revisionId });
  assert.deepEqual((await a.revisions.list({ fileId: file })).data.revisions.map(r => r.id), [last]);
  assert.ok((await refused(() => a.revisions.delete({ fileId: file, revisionId: last }))).status >= 400);
  assert.equal((await content(a, file)).toString(), 'three');
});

await step('comments are asked for with fields, answered, resolved, opened again and deleted', async () => {
  await a.permissions.create({ fileId: doc, requestBody: { type: 'user', role: 'commenter', emailAddress: bob }, sendNotificationEmail: false });
  assert.deepEqual(reason(await refused(() => b.comments.list({ fileId: doc }))), [400, 'required']);
  const { data: said } = await b.comments.create({ fileId: doc, requestBody: { content: 'Which words?', quotedFileContent: { mimeType: 'text/plain', value: 'words' } }, fields: '*' });
  assert.deepEqual([said.content, said.author.displayName, said.author.me, said.resolved], ['Which words?', 'Bob', true, undefined]);
  const commentId = said.id;
  const resolved = async () => (await a.comments.get({ fileId: doc, commentId, fields: 'resolved' })).data.resolved;
  const reply = (requestBody) => a.replies.create({ fileId: doc, commentId, requestBody, fields: 'id,action,content' });
  await reply({ content: 'These.' });
  await reply({ action: 'resolve' });
  assert.equal(await resolved(), true);
  await reply({ action: 'reopen', content: 'Or not.' });
  assert.equal(await resolved(), false);
  const { data: whole } = await a.comments.get({ fileId: doc, commentId, fields: 'replies(content,action)' });
  assert.deepEqual(whole.replies.map(r => r.action ?? r.content), ['These.', 'resolve', 'reopen']);
  assert.equal((await refused(() => a.comments.update({ fileId: doc, commentId, requestBody: { content: 'Hers' }, fields: 'id' }))).status, 403);
  await b.comments.delete({ fileId: doc, commentId });
  assert.deepEqual((await a.comments.list({ fileId: doc, fields: 'comments(id)' })).data.comments, []);
  const { data: all } = await a.comments.list({ fileId: doc, includeDeleted: true, fields: 'comments(id,deleted,content)' });
  assert.deepEqual(all.comments, [{ id: commentId, deleted: true }]);
});

await step('a reader reads comments and writes none', async () => {
  await a.permissions.create({ fileId: sheet, requestBody: { type: 'user', role: 'reader', emailAddress: bob }, sendNotificationEmail: false });
  assert.deepEqual((await b.comments.list({ fileId: sheet, fields: '*' })).data.comments, []);
  assert.equal((await refused(() => b.comments.create({ fileId: sheet, requestBody: { content: 'x' }, fields: 'id' }))).status, 403);
});

await finish();
