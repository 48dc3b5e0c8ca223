// SPDX-License-Identifier: Apache-2.0
// Slack's official client asks the demo office some seventy questions, as several people; what must be found is worked out here
// from the world's dump, by reading every message.
import assert from 'node:assert/strict';
import { WebClient } from '@slack/web-api';
import { control, finish, server, start, step } from '../harness.mjs';

await start();
const { world } = await control('POST', '/worlds', { fixture: 'office', clock: 'frozen' });
const dump = await control('GET', `/worlds/${world}/dump`);
const zones = Object.fromEntries(dump.workspaces[0].members.map((m) => [m.id, m.zone]));
const names = Object.fromEntries(dump.workspaces[0].members.map((m) => [m.name, m.id]));
const roles = Object.fromEntries(dump.workspaces[0].members.map((m) => [m.id, m.role ?? 'member']));
const rooms = Object.fromEntries(dump.channels.map((c) => [c.id, { ...c, kind: c.kind ?? 'public', people: new Set(c.members.map((m) => m.user)) }]));
const named = Object.fromEntries(dump.channels.map((c) => [c.name, c.id]));
const threads = new Set(dump.messages.filter((m) => m.thread).flatMap((m) => [`${m.channel} ${m.ts}`, `${m.channel} ${m.thread}`]));
const messages = dump.messages.filter((m) => !m.subtype).map((m) => ({
  ...m, key: `${m.channel} ${m.ts}`, room: rooms[m.channel], words: m.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
}));

// ---- what a question says, read once more ----
const w = (word) => (m) => m.words.includes(word);
const phrase = (...words) => (m) => m.words.some((_, i) => words.every((x, k) => m.words[i + k] === x));
const begins = (start) => (m) => m.words.some((x) => x.startsWith(start));
const all = (...tests) => (m, me) => tests.every((t) => t(m, me));
const not = (test) => (m, me) => !test(m, me);
const from = (name) => (m) => m.from === names[name];
const inside = (name) => (m) => m.channel === named[name];
const direct = (name) => (m, me) => m.room.kind === 'direct' && m.room.people.has(names[name]) && m.room.people.has(me)
  && (m.room.people.size === 2 || names[name] === me);
const fromMe = (m, me) => m.from === me;
const toMe = (m, me) => m.from !== me && ['direct', 'group'].includes(m.room.kind) && m.room.people.has(me);
const link = (m) => m.text.includes('<http');
const file = (m) => !!m.files;
const pin = (m) => !!m.pinned;
const reacted = (name) => (m) => (m.reactions ?? []).some((r) => r.name === name);
const reactedByMe = (name) => (m, me) => (m.reactions ?? []).some((r) => r.name === name && r.by.includes(me));
const thread = (m) => threads.has(m.key);
const day = (m, me) => new Date(Number(m.ts) * 1000).toLocaleDateString('sv-SE', { timeZone: zones[me] });
const after = (date) => (m, me) => day(m, me) > date;
const before = (date) => (m, me) => day(m, me) < date;
const on = (date) => (m, me) => day(m, me) === date;
const during = (month) => (m, me) => day(m, me).startsWith(month);
const none = () => false;

const table = [
  ['gasket', w('gasket')], ['porto', w('porto')], ['PORTO', w('porto')], ['kestrel', w('kestrel')], ['marina', w('marina')],
  ['gasket spare', all(w('gasket'), w('spare'))], ['spare gasket', all(w('gasket'), w('spare'))],
  ['"spare gasket"', phrase('spare', 'gasket')], ['"gasket spare"', phrase('gasket', 'spare')],
  ['"pressure driver"', phrase('pressure', 'driver')], ['kestrel -marina', all(w('kestrel'), not(w('marina')))],
  ['-kestrel marine', all(w('marine'), not(w('kestrel')))], ['batter*', begins('batter')], ['gask*', begins('gask')],
  ['ga*', w('ga')], ['firmware OR hardware', all(w('firmware'), w('or'), w('hardware'))], ['2404', w('2404')],
  ['2.4', phrase('2', '4')], ['TW-40', phrase('tw', '40')], ['in:engineering gasket', all(inside('engineering'), w('gasket'))],
  ['in:#engineering gasket', all(inside('engineering'), w('gasket'))],
  ['in:<#C0ENGINEER1> gasket', all(inside('engineering'), w('gasket'))],
  ['-in:engineering gasket', all(not(inside('engineering')), w('gasket'))], ['in:leadership', inside('leadership')],
  ['in:board', inside('board')], ['in:genoa-fair', inside('genoa-fair')], ['in:ext-bluecrane', inside('ext-bluecrane')],
  ['in:nowhere gasket', none], ['from:nobody gasket', none], ['from:noor.haddad', from('noor.haddad')],
  ['from:@davide.longo gasket', all(from('davide.longo'), w('gasket'))],
  ['from:<@U0PRIYA0001> index', all(from('priya.raman'), w('index'))], ['from:Noor fire', all(from('noor.haddad'), w('fire'))],
  ['from:"Owen Hale" obrigado', all(from('owen.hale'), w('obrigado'))], ['from:me', fromMe], ['-from:me budget', all(not(fromMe), w('budget'))],
  ['to:me', toMe], ['in:@owen.hale', direct('owen.hale')], ['in:@noor.haddad', direct('noor.haddad')],
  ['has:pin', pin], ['has:link', link], ['has:file', file], ['-has:file figures', all(not(file), w('figures'))],
  ['has:pin in:sales', all(pin, inside('sales'))], ['has:link from:priya.raman', all(link, from('priya.raman'))],
  ['has::tada:', reacted('tada')], ['has::buoy:', reacted('buoy')], ['has::no_such_emoji:', none], ['has::+1:', reacted('+1')],
  ['hasmy::eyes:', reactedByMe('eyes')], ['hasmy::joy:', reactedByMe('joy')], ['has:nonsense', none],
  ['is:thread gauge', all(thread, w('gauge'))], ['is:thread in:sales', all(thread, inside('sales'))], ['is:nonsense', none],
  ['after:2026-11-18', after('2026-11-18')], ['before:2026-09-01', before('2026-09-01')], ['on:2026-11-20', on('2026-11-20')],
  ['on:11/20/2026', on('2026-11-20')], ['during:october', during('2026-10')], ['during:oct gauge', all(during('2026-10'), w('gauge'))],
  ['during:2025', during('2025')], ['on:yesterday', on('2026-11-22')], ['on:today', on('2026-11-23')],
  ['after:2026-11-01 before:2026-11-15', all(after('2026-11-01'), before('2026-11-15'))],
  ['after:2026-11-10 from:lena.ortiz kestrel', all(after('2026-11-10'), from('lena.ortiz'), w('kestrel'))],
  ['木曜日', (m) => m.text.includes('木曜日')], ['ありがとう', (m) => m.text.includes('ありがとう')], ['obrigado', w('obrigado')],
  ['SYSTEM salary', all(w('system'), w('salary'))], ['8 percent', all(w('8'), w('percent'))],
  ['"8 percent"', phrase('8', 'percent')], ['okafor', w('okafor')], ['tw-40 -porto -kestrel', all(phrase('tw', '40'), not(w('porto')), not(w('kestrel')))],
];

const sees = (m, me) => m.room.people.has(me) || (m.room.kind === 'public' && !roles[me].includes('guest'));

async function found(client, query) {
  const keys = [];
  for (let page = 1; ; page++) {
    const { messages: answer } = await client.search.messages({ query, count: 25, page });
    for (const hit of answer.matches) keys.push(`${hit.channel.id} ${hit.ts}`);
    if (page >= answer.paging.pages) {
      assert.equal(keys.length, answer.total, query);
      return keys.sort();
    }
  }
}

assert.ok(table.length >= 60);
for (const name of ['marta.ferri', 'priya.raman', 'sam.whitfield', 'yuki.tanabe', 'tomas.veld']) {
  const me = names[name];
  const actor = name === 'tomas.veld' ? name : `${name}@tidewater.example`;
  const { token } = await control('POST', `/worlds/${world}/tokens`, { actor });
  const client = new WebClient(token, { slackApiUrl: `${server.url}/w/${world}/api/`, retryConfig: { retries: 0 } });
  await step(`${table.length} questions of ${name}`, async () => {
    const wrong = [];
    for (const [query, test] of table) {
      const wanted = messages.filter((m) => sees(m, me) && test(m, me)).map((m) => m.key).sort();
      const keys = await found(client, query);
      if (keys.join() !== wanted.join()) {
        const text = (k) => `    ${k} ${messages.find((m) => m.key === k)?.text.slice(0, 70)}`;
        wrong.push([`${query}: ${keys.length} found, ${wanted.length} wanted`, ...keys.filter((k) => !wanted.includes(k)).map((k) => `  +${text(k)}`),
          ...wanted.filter((k) => !keys.includes(k)).map((k) => `  -${text(k)}`)].join('\n'));
      }
    }
    assert.equal(wrong.length, 0, wrong.join('\n'));
  });
}

await step('most of the questions have an answer, and people get different ones', async () => {
  const answered = (me) => table.filter(([, test]) => messages.some((m) => sees(m, me) && test(m, me))).length;
  assert.ok(answered(names['marta.ferri']) > 55);
  assert.ok(answered(names['tomas.veld']) < 15);
});

await finish();
