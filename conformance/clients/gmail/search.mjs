// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: what each operator of the search language finds, alone and together.
import assert from 'node:assert/strict';
import { finish, start, step, world } from '../harness.mjs';
import { all, client, header } from './client.mjs';

await start();
const ada = 'ada@acme.example';
const letter = (name, received, labels, members) => ({ headers: [{ name: 'X-Name', value: name }], received, labels, ...members });
const filler = (n) => 'x'.repeat(n);
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  people: [{ email: ada, name: 'Ada' }],
  mailboxes: [{
    person: ada,
    labels: [{ name: 'Port/North Pier' }, { name: 'R&D' }],
    messages: [
      letter('offer', '2026-11-02T20:00:00Z', ['INBOX', 'UNREAD', 'CATEGORY_PERSONAL'], {
        from: 'Helena Castro <helena.castro@port.example>', to: ada, subject: 'Offer for two gauges', messageId: '<o1@port.example>',
        text: 'The quay needs a second gauge. Reference 07.3310-12 is ours.',
      }),
      letter('report', '2026-11-03T07:59:59Z', ['INBOX', 'STARRED', 'IMPORTANT', 'Port/North Pier'], {
        from: 'Rob <rob_miller@acme.example>', to: 'ada+tides@acme.example', cc: 'lin@acme.example', subject: 'Re: Yearly report',
        text: 'The silver buoy for Monday: a small brass bell.',
        attachments: [{ filename: 'report-final.pdf', type: 'application/pdf', text: filler(1600000) }],
      }),
      letter('invoice', '2026-11-03T08:00:00Z', ['SENT'], {
        from: `Ada <${ada}>`, to: 'dave@far.example', bcc: 'eve@far.example', subject: 'Invoice 42', text: 'See bar_foo and anna-lund.',
      }),
      letter('spam', '2026-11-10T09:00:00Z', ['SPAM', 'UNREAD'], { from: 'win@bad.example', to: ada, subject: 'Win a gauge', text: 'Now.' }),
      letter('trashed', '2026-11-01T09:00:00Z', ['TRASH'], { from: 'helena.castro@port.example', to: ada, subject: 'Old gauge', text: 'Sold.' }),
      letter('draft', '2026-11-22T09:00:00Z', ['DRAFT'], { from: `Ada <${ada}>`, to: 'lin@acme.example', subject: 'Gauge notes', text: 'To do.' }),
      letter('build', '2026-10-01T09:00:00Z', ['CATEGORY_FORUMS', 'R&D'], {
        from: 'carl@dev.far.example', to: 'dev@lists.far.example', subject: '[dev] build failed',
        text: 'Seen in https://youtu.be/abc as well.', headers: [{ name: 'X-Name', value: 'build' }, { name: 'List-ID', value: '<dev.lists.far.example>' }],
        attachments: [{ filename: 'log.txt', type: 'text/plain', text: filler(11000000) }],
      }),
      letter('news', '2025-09-01T09:00:00Z', ['INBOX', 'CATEGORY_PROMOTIONS'], {
        from: 'news@promo.example', to: ada, subject: '50% off', html: '<p>Sale</p><img src="cid:a">',
        attachments: [{ filename: 'logo.png', type: 'image/png', base64: 'iVBORw0KGgo=', inline: true, cid: 'a' }],
      }),
      letter('hello', '2026-04-01T09:00:00Z', [], { from: 'anna.lund@mail.example', to: ada, subject: 'hello', text: 'gadgets and starting points' }),
      letter('answer', '2026-11-04T09:00:00Z', ['INBOX', 'STARRED'], {
        from: 'lin@acme.example', to: ada, subject: 'Re: Offer for two gauges', inReplyTo: '<o1@port.example>', references: '<o1@port.example>',
        text: 'Yes please.',
      }),
    ],
  }],
});
const gmail = client(w, ada);
const userId = 'me';
const names = new Map();
for (const { id } of await all(gmail.messages.list.bind(gmail.messages), { includeSpamTrash: true }, 'messages'))
  names.set(id, header((await gmail.messages.get({ userId, id, format: 'metadata', metadataHeaders: ['X-Name'] })).data, 'X-Name'));

const everything = 'draft answer invoice report offer build hello news';
const table = [
  ['', everything],
  ['from:helena', 'offer'], ['from:helena.castro@port.example', 'offer'], ['from:port.example', 'offer'], ['from:castro@port.example', ''],
  ['from:hel', ''], ['from:"anna lund"', 'hello'], ['from:(lund anna)', 'hello'], ['from:anna-lund', 'hello'], ['from:@mail.example', 'hello'],
  ['from:me', 'draft invoice'], ['from:rob', 'report'], ['to:me', 'answer offer hello news'], ['to:lin@acme.example', 'draft report'],
  ['cc:lin@acme.example', 'report'], ['bcc:eve@far.example', 'invoice'], ['list:dev.lists.far.example', 'build'],
  ['subject:offer', 'answer offer'], ['SUBJECT:OFFER', 'answer offer'], ['subject:quay', ''], ['subject:(gauges two)', 'answer offer'],
  ['subject:"gauges two"', ''], ['subject:yearly', 'report'], ['quay', 'offer'], ['qua', ''], ['qua*', ''], ['+quay', 'offer'],
  ['+gadget', ''], ['"second gauge"', 'offer'], ['"needs gauge"', ''], ['second gauge', 'offer'], ['quay zebra', ''], ['quay and zebra', ''],
  ['quay OR buoy', 'report offer'], ['{from:helena from:rob}', 'report offer'], ['from:{helena rob}', 'report offer'],
  ['is:unread from:helena OR from:rob', 'offer'], ['offer -quay', 'answer'], ['-(offer zebra) subject:offer', 'answer offer'],
  ['-{offer zebra} in:inbox', 'report news'], ['silver AROUND 10 bell', 'report'], ['bell AROUND 10 silver', 'report'],
  ['silver AROUND 2 bell', ''], ['"bell AROUND 10 silver"', ''], ['12', 'offer'], ['3310', ''], ['07.3310', 'offer'], ['foo', ''], ['bar_foo', 'invoice'],
  ['is:unread', 'offer'], ['is:read in:inbox', 'answer report news'], ['is:starred', 'answer report'], ['is:important', 'report'],
  ['in:inbox', 'answer report offer news'], ['-in:inbox', 'draft invoice build hello'], ['in:sent', 'invoice'], ['in:drafts', 'draft'],
  ['gauge', 'draft offer'], ['in:trash', 'trashed'], ['in:spam', 'spam'], ['in:anywhere gauge', 'draft spam offer trashed'],
  ['label:port-north-pier', 'report'], ['label:"Port/North Pier"', 'report'], ['in:port-north-pier', 'report'], ['label:port', ''],
  ['label:r-d', 'build'], ['label:R&D', ''], ['has:userlabels', 'report build'], ['has:nouserlabels in:inbox', 'answer offer news'],
  ['category:forums', 'build'], ['category:primary', 'offer'], ['category:promotions', 'news'],
  ['has:attachment', 'report build news'], ['filename:pdf', 'report'], ['filename:report', 'report'], ['filename:log.txt', 'build'], ['has:youtube', 'build'],
  ['larger:10M', 'build'], ['smaller:1K in:inbox', 'answer offer news'], ['size:1000000', 'report build'],
  ['after:2026/11/03', 'draft answer invoice'], ['before:2026/11/03 after:2026/11/02', 'report offer'], ['after:11/03/2026', 'draft answer invoice'],
  ['after:1793692800', 'draft answer invoice'], ['after:1793692800000', ''], ['older:2026/01/01', 'news'], ['newer:2026/11/04', 'draft answer'],
  ['newer_than:1m', 'draft answer invoice report offer'], ['older_than:1y', 'news'], ['newer_than:2d', 'draft'],
  ['rfc822msgid:o1@port.example', 'offer'], ['rfc822msgid:<o1@port.example>', 'offer'], ['is:muted', ''], ['in:snoozed', ''],
];

for (const [q, expected] of table) {
  await step(q || '(nothing)', async () => {
    const { data } = await gmail.messages.list({ userId, q });
    assert.equal((data.messages ?? []).map(m => names.get(m.id)).join(' '), expected);
    assert.equal(data.resultSizeEstimate, expected ? expected.split(' ').length : 0);
  });
}

await step('labels beside a query, and spam and trash when they are asked for', async () => {
  const found = async (params) => ((await gmail.messages.list({ userId, ...params })).data.messages ?? []).map(m => names.get(m.id)).join(' ');
  assert.equal(await found({ labelIds: ['INBOX', 'STARRED'] }), 'answer report');
  assert.equal(await found({ labelIds: ['TRASH'] }), 'trashed');
  assert.equal(await found({ q: 'gauge', includeSpamTrash: true }), 'draft spam offer trashed');
  assert.equal(await found({ q: 'gauge', labelIds: ['INBOX'] }), 'offer');
});

await step('a thread is found by one of its messages, and listed whole', async () => {
  const { data } = await gmail.threads.list({ userId, q: 'from:lin is:starred' });
  assert.equal(data.threads.length, 1);
  const { data: thread } = await gmail.threads.get({ userId, id: data.threads[0].id });
  assert.deepEqual(thread.messages.map(m => names.get(m.id)), ['offer', 'answer']);
  assert.equal((await gmail.threads.list({ userId, q: 'from:lin quay' })).data.threads, undefined);
});

await finish();
