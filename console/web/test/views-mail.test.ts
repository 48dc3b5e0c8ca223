// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flatten, byName, summary, wordsOf, brief, type Change } from '../src/views/shared/changes';
import { htmlToText, splitAddress, size, visible, namePart, base64 } from '../src/views/shared/text';
import * as mail from '../src/views/mail/shape';

const changes: Change[] = [
  {
    entity: 'event', change: 'changed', name: 'event/ada@x.example/e1', service: 'calendar', title: 'Lunch', seq: 4, actor: 'ada@x.example',
    method: 'calendar.events.patch', key: {}, fields: { 'start.dateTime': { from: '12:30', to: '13:30' } },
    consequences: [{ entity: 'message', change: 'added', name: 'message/bob@x.example/m9', service: 'gmail', title: 'Updated', key: { mailbox: 'bob@x.example', id: 'm9' } }],
  },
  {
    entity: 'message', change: 'changed', name: 'message/ada@x.example/m1', service: 'gmail', title: 'Lift', seq: 3, key: { mailbox: 'ada@x.example', id: 'm1' },
    fields: { labels: { from: ['INBOX', 'UNREAD'], to: ['TRASH', 'UNREAD'], removed: ['INBOX'], added: ['TRASH'] } },
  },
  {
    entity: 'message', change: 'removed', name: 'message/ada@x.example/m2', service: 'gmail', title: 'Old', seq: 5, key: { mailbox: 'ada@x.example', id: 'm2' },
    value: { labels: ['INBOX'], from: 'bob@x.example' },
  },
  {
    entity: 'message', change: 'changed', name: 'message/ada@x.example/m3', service: 'outlook', title: 'Moved', seq: 6, key: { mailbox: 'Ada@x.example', id: 'm3' },
    fields: { folder: { from: 'Inbox', to: 'Archive' } },
  },
];

test('what follows from a change has its call', () => {
  const marks = flatten(changes);
  assert.equal(marks.length, 5);
  const m = byName(marks).get('message/bob@x.example/m9')!;
  assert.deepEqual([m.kind, m.seq, m.method, m.follows], ['new', 4, 'calendar.events.patch', true]);
  assert.equal(marks[0]!.follows, false);
  assert.equal(summary(marks), '1 new, 3 changed, 1 gone');
  assert.equal(summary([]), '');
});

test('a change of a field is said in words', () => {
  assert.deepEqual(wordsOf(changes[0]!), ['start.dateTime: 12:30 → 13:30']);
  assert.deepEqual(wordsOf(changes[1]!), ['labels + TRASH - INBOX']);
  assert.equal(brief('x'.repeat(1 << 20)).length, 80);
});

test('marks of a folder are those of its mailbox; who left it is listed with where to', () => {
  const inbox = { id: '1', name: 'INBOX', kind: 'folder', total: 1, unread: 0 };
  const found = mail.folderMarks(flatten(changes), 'ada@x.example', inbox);
  assert.deepEqual([...found.byId.keys()], ['m1', 'm2', 'm3']);
  assert.deepEqual(found.gone.map((g) => [g.id, g.to, g.from]), [['m1', 'TRASH, UNREAD', undefined], ['m2', '', 'bob@x.example']]);
  assert.deepEqual(mail.folderMarks(flatten(changes), 'ada@x.example', { ...inbox, name: 'Inbox' }).gone.map((g) => g.id), ['m3']);
  assert.equal(mail.folderMarks(flatten(changes), 'eve@x.example', inbox).byId.size, 0);
});

test('folders stand below their parents, hidden ones only when asked for or chosen', () => {
  const folders: mail.Folder[] = [
    { id: '1', name: 'Inbox', kind: 'folder', total: 2, unread: 0 }, { id: '2', name: 'Porto', kind: 'folder', total: 1, unread: 1, parent: '1' },
    { id: '3', name: 'Hidden', kind: 'folder', total: 0, unread: 0, hidden: true }, { id: '4', name: 'unread', kind: 'keyword', total: 4, unread: 4, hidden: true },
    { id: '5', name: 'Lost', kind: 'folder', total: 0, unread: 0, parent: '77' }, { id: '6', name: 'Spam', kind: 'folder', total: 3, unread: 0, hidden: true },
  ];
  assert.deepEqual(mail.folderRows(folders, null).map((f) => [f.id, f.depth]), [['1', 0], ['2', 1], ['5', 0], ['6', 0]]);
  assert.ok(mail.folderRows(folders, '3').some((f) => f.id === '3'));
  assert.equal(mail.folderRows(folders, null, true).length, 6);
  assert.equal(mail.findFolder(folders, 'porto')!.id, '2');
  assert.equal(mail.findFolder(folders, undefined)!.id, '1');
  assert.equal(mail.findFolder(folders, 'none'), undefined);
  assert.equal(mail.folderTitle({ name: 'CATEGORY_UPDATES', kind: 'keyword' }), 'Updates');
  assert.equal(mail.folderTitle({ name: 'BOARD', kind: 'label' }), 'BOARD');
});

const message = (more: Partial<mail.FullMessage> = {}): mail.FullMessage => ({
  id: '0a', thread: '0b', at: '2026-11-23T06:55:00.000000Z', from: 'Bob <bob@x.example>', to: 'ada@x.example', subject: 'Lift', folders: [], unread: true,
  files: false, size: 7, text: 'one\r\ntwo\r\n', parts: [], headers: [{ name: 'From', value: 'Bob <bob@x.example>' }, { name: 'Message-ID', value: "<a'b@x>" }], ...more,
});

test('an answer goes to the sender, keeps the thread, and is well formed whatever is in it', () => {
  const m = message();
  const reply = { ...mail.replyTo(m), text: 'Sì, grazie\r\nBcc: evil@x.example' };
  assert.deepEqual([reply.to, reply.subject], ['Bob <bob@x.example>', 'Re: Lift']);
  assert.equal(mail.replyTo(message({ subject: 'RE: Lift' })).subject, 'RE: Lift');
  const mime = mail.replyMime(m, { ...reply, to: 'Bob, Jr <bob@x.example>\r\nBcc: evil@x.example', subject: 'Grüße\r\nBcc: x' });
  const [head, body] = mime.split('\r\n\r\n');
  assert.ok(!/^Bcc:/m.test(head!), head);
  assert.match(head!, /^Subject: =\?UTF-8\?B\?[A-Za-z0-9+/=]+\?=$/m);
  assert.match(head!, /^In-Reply-To: <a'b@x>$/m);
  const text = new TextDecoder().decode(mail.fromBase64(body!));
  assert.ok(text.includes('Sì, grazie') && text.includes('> one\r\n> two'), text);
  const google = mail.replyCall('google', m, m.id, reply);
  assert.equal((google.body as { threadId: string }).threadId, '0b');
  assert.ok(/^[\w-]+$/.test((google.body as { raw: string }).raw));
  const microsoft = mail.replyCall('microsoft', m, 'AA/=', { ...reply, text: '<b>' });
  assert.equal(microsoft.path, '@graph.microsoft.com/v1.0/me/messages/AA%2F%3D/reply');
  assert.equal((microsoft.body as { comment: string }).comment, '&lt;b&gt;');
  assert.ok(decodeURIComponent(mail.apiPath('microsoft', m)).endsWith("internetMessageId eq '<a''b@x>'"));
});

test('files of a message are the parts with a name, and what is no text', () => {
  const parts: mail.Part[] = [
    { n: 0, type: 'multipart/mixed', size: 0 }, { n: 1, type: 'text/plain', size: 3 }, { n: 2, type: 'text/plain', name: 'a.txt', size: 3 },
    { n: 3, type: 'image/png', size: 3, cid: 'x' }, { n: 4, type: 'text/calendar', size: 9 },
  ];
  assert.deepEqual(mail.attachments(message({ parts })).map((p) => p.n), [2, 3, 4]);
  assert.equal(mail.invitation(message({ parts }))!.n, 4);
});

test('HTML as text: no markup, no script, references as characters', () => {
  assert.equal(htmlToText('<p>Hi <b>Jonas</b> &amp; all<br>line</p><script>x()</script><style>a{}</style><!-- <p>no -->'), 'Hi Jonas & all\nline');
  assert.equal(htmlToText('<ul><li>a<li>b</ul>&lt;script&gt;&#x26;&#0;&#xd800;&unknown;'), '• a\n• b\n<script>&&#0;&#xd800;&unknown;');
  assert.equal(htmlToText('a <script>never closed'), 'a');
  const long = htmlToText('<a'.repeat(1 << 19) + '\u00a0'.repeat(1 << 19)); // a second is far more than it takes
  assert.ok(long.length > 0);
  assert.equal(htmlToText('1 < 2 <emoji alt="🙂"></emoji>'), '1 < 2 🙂');
});

test('small things of text', () => {
  assert.deepEqual(splitAddress('"Ferri, Marta" <m@x.example>'), { name: 'Ferri, Marta', address: 'm@x.example' });
  assert.deepEqual(splitAddress('<m@x.example>'), { name: 'm@x.example', address: 'm@x.example' });
  assert.deepEqual([size(0), size(999), size(1000), size(99999), size(999999), size(3e12)], ['0 B', '999 B', '1.0 kB', '100 kB', '1.0 MB', '3.0 TB']);
  assert.equal(visible('a\u202eb\u200b\tc\n'), 'a\\u202eb\\u200b\tc\n');
  assert.equal(namePart('in/a%b'), 'in%2Fa%25b');
  assert.equal(base64('Sì?>', true), 'U8OsPz4');
});
