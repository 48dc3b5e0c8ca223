// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: mail between two people, a reply in its thread, drafts, labels, attachments.
import assert from 'node:assert/strict';
import { control, finish, refused, start, step, world } from '../harness.mjs';
import { all, bytes, client, header, raw, reason, text } from './client.mjs';

await start();
const [ada, bob] = ['ada@acme.example', 'bob@acme.example'];
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [{ email: ada, name: 'Ada Love' }, { email: bob, name: 'Bob Stone' }],
});
const [adas, bobs] = [client(w, ada), client(w, bob)];
const userId = 'me';
const labels = (m) => [...(m.labelIds ?? [])].sort();
let sent, received, reply;

await step('a message goes from one to the other', async () => {
  ({ data: sent } = await adas.messages.send({
    userId, requestBody: { raw: raw({ To: `Bob <${bob}>`, Cc: 'guest@far.example', Subject: 'Tide tables' }, 'Are they ready?\r\n') },
  }));
  assert.deepEqual(Object.keys(sent).sort(), ['id', 'labelIds', 'threadId']);
  assert.deepEqual(labels(sent), ['SENT']);
  const { data: list } = await bobs.messages.list({ userId, q: 'is:unread subject:tide' });
  assert.equal(list.resultSizeEstimate, 1);
  ({ data: received } = await bobs.messages.get({ userId, id: list.messages[0].id }));
  assert.notEqual(received.id, sent.id);
  assert.deepEqual(labels(received).filter(l => !l.startsWith('CATEGORY_')), ['INBOX', 'UNREAD']);
  assert.equal(header(received, 'From'), ada);
  assert.equal(text(received), 'Are they ready?\r\n');
  assert.equal(received.snippet, 'Are they ready?');
});

await step('what goes out of the world is in its outbox', async () => {
  const { entries } = await control('GET', `/worlds/${w.key}/outbox`);
  assert.deepEqual(entries.map(e => [e.kind, e.from, e.to]), [['mail', ada, 'guest@far.example']]);
});

await step('a reply joins the thread on both sides', async () => {
  const id = header(received, 'Message-ID');
  ({ data: reply } = await bobs.messages.send({
    userId,
    requestBody: {
      threadId: received.threadId,
      raw: raw({ To: ada, Subject: 'Re: Tide tables', 'In-Reply-To': id, References: id }, 'On your desk.\r\n'),
    },
  }));
  assert.equal(reply.threadId, received.threadId);
  const { data: thread } = await adas.threads.get({ userId, id: sent.threadId });
  assert.deepEqual(thread.messages.map(m => m.snippet), ['Are they ready?', 'On your desk.']);
  const { data: list } = await adas.threads.list({ userId });
  assert.deepEqual(list.threads.map(t => [t.id, t.snippet]), [[sent.threadId, 'On your desk.']]);
});

await step('labels come, nest, count and go', async () => {
  const { data: work } = await bobs.labels.create({ userId, requestBody: { name: 'Work' } });
  const { data: plans } = await bobs.labels.create({ userId, requestBody: { name: 'Work/Plans', color: { textColor: '#ffffff', backgroundColor: '#16a766' } } });
  await bobs.messages.modify({ userId, id: received.id, requestBody: { addLabelIds: [plans.id, 'STARRED'], removeLabelIds: ['UNREAD'] } });
  const { data: counted } = await bobs.labels.get({ userId, id: plans.id });
  assert.deepEqual([counted.messagesTotal, counted.messagesUnread, counted.threadsTotal, counted.threadsUnread], [1, 0, 1, 0]);
  const { data: found } = await bobs.messages.list({ userId, q: 'label:work-plans is:starred -is:unread' });
  assert.deepEqual(found.messages.map(m => m.id), [received.id]);
  assert.deepEqual(reason(await refused(() => bobs.labels.create({ userId, requestBody: { name: 'work' } }))), [409, 'aborted']);
  assert.deepEqual(reason(await refused(() => bobs.labels.create({ userId, requestBody: { name: 'INBOX' } }))), [400, 'invalidArgument']);
  await bobs.labels.patch({ userId, id: work.id, requestBody: { name: 'Office' } });
  await bobs.labels.delete({ userId, id: plans.id });
  const { data: names } = await bobs.labels.list({ userId });
  assert.deepEqual(names.labels.filter(l => l.type === 'user').map(l => l.name), ['Office']);
  const { data: m } = await bobs.messages.get({ userId, id: received.id, format: 'minimal' });
  assert.ok(!m.labelIds.includes(plans.id));
});

await step('a draft is written, changed and sent', async () => {
  const { data: draft } = await adas.drafts.create({ userId, requestBody: { message: { raw: raw({ To: bob, Subject: 'Pier' }, 'Draf') } } });
  assert.deepEqual(draft.message.labelIds, ['DRAFT']);
  const { data: saved } = await adas.drafts.update({ userId, id: draft.id, requestBody: { message: { raw: raw({ To: bob, Subject: 'Pier' }, 'Draft.') } } });
  assert.equal(saved.id, draft.id);
  assert.notEqual(saved.message.id, draft.message.id);
  assert.deepEqual((await all(adas.drafts.list.bind(adas.drafts), {}, 'drafts')).map(d => d.id), [draft.id]);
  assert.deepEqual(reason(await refused(() => adas.messages.get({ userId, id: draft.message.id }))), [404, 'notFound']);
  const { data: gone } = await adas.drafts.send({ userId, requestBody: { id: draft.id } });
  assert.deepEqual(labels(gone), ['SENT']);
  assert.deepEqual(reason(await refused(() => adas.drafts.get({ userId, id: draft.id }))), [404, 'notFound']);
  const { data: list } = await bobs.messages.list({ userId, q: 'subject:pier' });
  assert.equal(text((await bobs.messages.get({ userId, id: list.messages[0].id })).data), 'Draft.');
});

await step('an attachment of 20 MB goes up and comes down as it is', async () => {
  const data = Buffer.alloc(20 << 20);
  for (let i = 0; i < data.length; i += 4) data.writeUInt32LE(Math.imul(i, 2654435761) >>> 0, i);
  const lines = data.toString('base64').replace(/(.{76})/g, '$1\r\n');
  const body = bytes({ To: bob, Subject: 'Log', 'MIME-Version': '1.0', 'Content-Type': 'multipart/mixed; boundary=b' },
    `--b\r\nContent-Type: text/plain\r\n\r\nHere.\r\n--b\r\nContent-Type: application/octet-stream; name=log.bin\r\n`
    + `Content-Disposition: attachment; filename=log.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}\r\n--b--\r\n`);
  const { data: big } = await adas.messages.send({ userId, media: { mimeType: 'message/rfc822', body } }, { rootUrl: w.url });
  assert.deepEqual(labels(big), ['SENT']);
  const { data: list } = await bobs.messages.list({ userId, q: 'has:attachment larger:20M filename:log' });
  const { data: m } = await bobs.messages.get({ userId, id: list.messages[0].id });
  const part = m.payload.parts[1];
  assert.deepEqual([part.filename, part.body.size, part.body.data], ['log.bin', data.length, undefined]);
  const { data: attachment } = await bobs.messages.attachments.get({ userId, messageId: m.id, id: part.body.attachmentId });
  assert.ok(Buffer.from(attachment.data, 'base64url').equals(data));
});

await step('many messages are changed and deleted at once', async () => {
  const ids = (await all(bobs.messages.list.bind(bobs.messages), {}, 'messages')).map(m => m.id);
  await bobs.messages.batchModify({ userId, requestBody: { ids, addLabelIds: ['IMPORTANT'], removeLabelIds: ['UNREAD'] } });
  const { data: inbox } = await bobs.labels.get({ userId, id: 'INBOX' });
  assert.equal(inbox.messagesUnread, 0);
  await bobs.messages.trash({ userId, id: ids[0] });
  assert.equal((await bobs.messages.list({ userId, labelIds: ['TRASH'] })).data.messages[0].id, ids[0]);
  await bobs.messages.batchDelete({ userId, requestBody: { ids } });
  assert.equal((await bobs.getProfile({ userId })).data.messagesTotal, 0);
});

await step('what is malformed is refused in the service\'s words', async () => {
  const texts = [
    [() => adas.messages.send({ userId, requestBody: {} }), 400, "'raw' RFC822 payload message string or uploading message via /upload/* URL required"],
    [() => adas.messages.send({ userId, requestBody: { raw: raw({ Subject: 'x' }) } }), 400, 'Recipient address required'],
    [() => adas.messages.get({ userId, id: 'zzz' }), 400, 'Invalid id value'],
    [() => adas.messages.get({ userId, id: '0123456789abcdef' }), 404, 'Requested entity was not found.'],
    [() => adas.messages.modify({ userId, id: sent.id, requestBody: {} }), 400, 'No label add or removes specified'],
    [() => adas.messages.modify({ userId, id: sent.id, requestBody: { addLabelIds: ['SENT'] } }), 400, 'Invalid label: SENT'],
    [() => client(w, ada).getProfile({ userId: bob }), 403, `Delegation denied for ${ada}`],
  ];
  for (const [call, status, message] of texts) {
    const error = await refused(call);
    assert.deepEqual([error.status, error.response.data.error.message], [status, message]);
  }
});

await finish();
