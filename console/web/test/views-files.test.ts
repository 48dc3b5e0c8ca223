// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import * as chat from '../src/views/chat/shape';
import * as drive from '../src/views/drive/shape';
import { docxText, officeText, sheetText } from '../src/views/drive/office';
import * as files from '../src/views/files/shape';

const names = new Map([['U1', 'Davide Longo'], ['U2', 'Noor']]);

test('Slack: channels by what they are, direct ones by who is there', () => {
  const [a, b, c] = chat.slackChannels([
    { id: 'C1', name: 'general', is_member: true, topic: { value: '' }, purpose: { value: 'All' } }, { id: 'D1', is_im: true, user: 'U2' }, { id: 'C2', name: 'board', is_private: true },
  ], names);
  assert.deepEqual([a!.name, a!.kind, a!.member, a!.topic], ['general', 'channel', true, 'All']);
  assert.deepEqual([b!.name, b!.kind, b!.group, b!.member], ['Noor', 'direct', 'Direct messages', true]);
  assert.deepEqual([c!.kind, c!.member], ['private', false]);
  assert.deepEqual(chat.bySection([c!, b!, a!]).map(([g, l]) => [g, l.map((x) => x.id)]), [['Channels', ['C1', 'C2']], ['Direct messages', ['D1']]]);
});

test('Slack: text as people read it', () => {
  assert.equal(chat.slackText('Hi <@U1>, see <#C1|sales> &amp; <https://x.example/a|the page> <!here> <mailto:a@x.example|a@x.example> &lt;b&gt; <@U9>', names),
    'Hi @Davide Longo, see #sales & the page (https://x.example/a) @here a@x.example <b> @U9');
});

test('Slack: messages with threads, reactions, files, and text that is only in blocks', () => {
  const [a, b] = chat.slackMessages([
    { ts: '1795196400.000100', user: 'U1', text: 'x', thread_ts: '1795196400.000100', reply_count: 3, reactions: [{ name: 'tada', count: 2, users: ['U1', 'U2'] }], files: [{ name: 'a.txt', size: 3, preview: 'abc' }] },
    { ts: '1795196401.000000', bot_id: 'B1', bot_profile: { name: 'Build' }, thread_ts: '1795196400.000100', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*ok* <https://c.example|#5>' } }] },
  ], names);
  assert.deepEqual([a!.from, a!.replies, a!.thread, a!.at], ['Davide Longo', 3, undefined, '2026-11-20T17:40:00.000Z']);
  assert.deepEqual(a!.reactions, [{ name: ':tada:', count: 2, by: ['Davide Longo', 'Noor'] }]);
  assert.deepEqual(a!.files, [{ name: 'a.txt', size: 3, text: 'abc' }]);
  assert.deepEqual([b!.from, b!.bot, b!.thread, b!.text], ['Build', true, '1795196400.000100', '*ok* #5 (https://c.example)']);
});

test('Teams: the same shape, HTML as text, reactions counted by kind', () => {
  const [m] = chat.teamsMessages([{
    id: '1795419010000', messageType: 'message', createdDateTime: '2026-11-23T07:30:10Z', from: { user: { displayName: 'Hanna Vogt' } }, body: { contentType: 'html', content: '<p>Hi <b>J</b> &amp; all</p>' },
    reactions: [{ reactionType: 'like', user: { user: { displayName: 'Jonas' } } }, { reactionType: 'like', user: { user: { displayName: 'Tilo' } } }], replies: [{}, {}],
  }]);
  assert.deepEqual([m!.ts, m!.text, m!.replies, m!.from], ['1795419010.000000', 'Hi J & all', 2, 'Hanna Vogt']);
  assert.deepEqual(m!.reactions, [{ name: 'like', count: 2, by: ['Jonas', 'Tilo'] }]);
  const [c] = chat.teamsChats([{ id: '19:a', topic: null, members: [{ displayName: 'Hanna', email: 'H@x' }, { displayName: 'Jonas', email: 'j@x' }] }], 'h@x');
  assert.equal(c!.name, 'Jonas');
  assert.equal(chat.entityName(c!, m!), 'chatMessage/19:a/1795419010.000000');
});

test('where messages are read from and posted to', () => {
  const base = { key: '', name: '', group: '', kind: 'channel' as const, member: true };
  const slack = { ...base, id: 'C1', service: 'slack' as const }, team = { ...base, id: '19:c', team: 't1', service: 'teams' as const };
  const direct = { ...base, id: '19:d', service: 'teams' as const };
  assert.equal(chat.messagesPath(slack, '1.5'), '@slack.com/api/conversations.replies?channel=C1&ts=1.5&limit=100');
  assert.ok(chat.messagesPath(team).includes('/teams/t1/channels/19%3Ac/messages?'));
  assert.deepEqual(chat.postCall(slack, 'x', '1.5').body, { channel: 'C1', text: 'x', thread_ts: '1.5' });
  assert.ok(chat.postCall(team, 'x', '9').path.endsWith('/messages/9/replies'));
  assert.ok(chat.postCall(direct, '<i>', '9').path.endsWith('/chats/19%3Ad/messages'));
  assert.equal(chat.nativeOf('http://localhost:1/w/abc/@h.example/p?q=1'), '@h.example/p?q=1');
  assert.equal(chat.nativeOf('https://graph.microsoft.com/v1.0/x?$skip=1'), '@graph.microsoft.com/v1.0/x?$skip=1');
});

test('files of both drives, and who may see them', () => {
  assert.deepEqual(drive.googleAccess({ permissions: [
    { id: '1', type: 'anyone', role: 'reader' }, { id: '2', type: 'domain', role: 'writer', domain: 'x.example' },
    { id: '3', type: 'user', role: 'reader', emailAddress: 'a@x', expirationTime: '2026-12-01T00:00:00Z', permissionDetails: [{ inherited: true }] },
  ] }), [
    { who: 'Anyone with the link', role: 'reader', how: undefined }, { who: 'All of x.example', role: 'writer', how: undefined },
    { who: 'a@x', role: 'reader', how: 'from its folder, until 2026-12-01T00:00:00Z' },
  ]);
  assert.deepEqual(drive.microsoftAccess({ value: [{ id: 'p', roles: ['write'], link: { scope: 'anonymous', type: 'edit' } }, { id: 'q', roles: ['owner'], grantedToV2: { user: { email: 'h@x' } } }] }),
    [{ who: 'Anyone with the link', role: 'write', how: 'by a link' }, { who: 'h@x', role: 'owner', how: undefined }]);
  const item = (type: string, name = 'a'): drive.Item => ({ id: 'F', name, folder: false, type });
  assert.equal(drive.previewOf('google', item('application/vnd.google-apps.spreadsheet')).kind, 'text');
  assert.equal(drive.previewOf('google', item('image/svg+xml', 'a.svg')).kind, 'text');
  assert.equal(drive.previewOf('google', item('image/png')).kind, 'image');
  assert.equal(drive.previewOf('google', item('text/html', 'a.html')).kind, 'text');
  assert.equal(drive.previewOf('google', item('', 'a.docx')).kind, 'office');
  assert.equal(drive.previewOf('microsoft', item('text/plain')).kind, 'none'); // no address of its bytes
  assert.ok(drive.googleListPath("x' or '1").includes(encodeURIComponent("'x\\' or \\'1' in parents")));
});

test('an upload in two parts keeps the bytes', async () => {
  const { type, body } = await drive.multipart('root', 'a "b".txt', 'text/plain\r\nX: y', new Uint8Array([0, 255, 13, 10]));
  const text = new TextDecoder('latin1').decode(body);
  const boundary = /boundary=(.*)$/.exec(type)![1]!;
  assert.equal(text.split(`--${boundary}`).length, 4);
  assert.ok(text.includes('"name":"a \\"b\\".txt","parents":["root"]'));
  assert.ok(text.includes('Content-Type: text/plainX: y\r\n\r\n\x00\xff\r\n\r\n--'));
});

// A ZIP archive of these parts, as Office writes it.
function archive(parts: Record<string, string>): Uint8Array {
  const local: Buffer[] = [], central: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(parts)) {
    const packed = deflateRawSync(content), raw = Buffer.from(content), n = Buffer.from(name);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(raw.length, 22);
    head.writeUInt16LE(n.length, 26);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x02014b50, 0);
    row.writeUInt16LE(8, 10);
    row.writeUInt32LE(packed.length, 20);
    row.writeUInt32LE(raw.length, 24);
    row.writeUInt16LE(n.length, 28);
    row.writeUInt32LE(at, 42);
    local.push(head, n, packed);
    central.push(row, n);
    at += 30 + n.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(parts).length, 10);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...local, ...central, end]));
}

test('Office files: what they say, and bounds on what they hold', async () => {
  assert.equal(docxText('<w:p><w:r><w:t xml:space="preserve">A &amp; </w:t></w:r><w:r><w:t>B</w:t></w:r></w:p><w:p><w:r><w:t>C</w:t></w:r></w:p>'), 'A & B\nC');
  assert.equal(sheetText('<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1"><v>4.5</v></c><c r="C1"/></row><row><c t="inlineStr"><is><t>x</t></is></c></row>', ['zero', 'one']), 'one\t4.5\t\nx');
  assert.equal(await officeText(archive({ 'word/document.xml': '<w:p><w:t>Hello</w:t></w:p>' })), 'Hello');
  assert.equal(await officeText(archive({ 'xl/worksheets/sheet1.xml': '<row><c t="s"><v>0</v></c></row>', 'xl/sharedStrings.xml': '<sst><si><t>Name</t></si></sst>' })), 'Name');
  assert.equal(await officeText(archive({ 'ppt/slides/slide2.xml': '<a:p><a:t>two</a:t></a:p>', 'ppt/slides/slide1.xml': '<a:p><a:t>one</a:t></a:p>' })), 'one\n\ntwo');
  assert.ok((await officeText(archive({ 'word/document.xml': `<w:p><w:t>${'x'.repeat(40 << 20)}</w:t></w:p>` }))).length <= 8 << 20);
  await assert.rejects(officeText(new TextEncoder().encode('no archive')), /no Office file/);
  await assert.rejects(officeText(archive({ 'a.xml': '' })), /no document/);
});

test('the workspace as rows: directories first, open ones with what is in them', () => {
  const node = (path: string, kind = 'file'): files.Node => ({ path, kind, mode: '0644', size: 1, modified: '' });
  const children = new Map([['', [node('b.txt'), node('in', 'directory')]], ['in', [node('in/z'), node('in/docs', 'directory')]]]);
  assert.deepEqual(files.treeRows(children, new Set()).map((r) => r.name), ['in', 'b.txt']);
  assert.deepEqual(files.treeRows(children, new Set(['in'])).map((r) => [r.name, r.depth]), [['in', 0], ['docs', 1], ['z', 1], ['b.txt', 0]]);
  assert.deepEqual(files.above('in/docs/a.md'), ['in', 'in/docs']);
  assert.equal(files.asText(new Uint8Array([104, 0xc3, 0xa9])), 'hé');
  assert.equal(files.asText(new Uint8Array([0xff, 0xfe])), null);
  assert.equal(files.asText(new Uint8Array([65, 0])), null);
  assert.equal(files.dump(new Uint8Array([65, 0, 255])), `000000  41 00 ff${' '.repeat(39)}  A..`);
  assert.equal(files.entityName('in/a%.md'), 'workspaceFile/in%2Fa%25.md');
});
