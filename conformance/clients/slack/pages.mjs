// SPDX-License-Identifier: Apache-2.0
// Slack's official client goes through ten thousand messages and long threads, page by page: each comes once, in its order,
// also while others write.
import assert from 'node:assert/strict';
import { WebClient } from '@slack/web-api';
import { finish, start, step, world } from '../harness.mjs';

const COUNT = 10000;
const ANSWERS = 2500;
const FIRST = 1760000000;
// Many within one second; some have answers, which the channel does not show.
const messages = Array.from({ length: COUNT }, (_, i) => ({
  channel: 'C0DEV', from: i % 3 ? 'U0ADA' : 'U0BOB', ts: `${FIRST + Math.floor(i / 4) * 7}.${String((i % 4) * 100 + 1).padStart(6, '0')}`, text: `number ${i}`,
}));
messages[5000].replies = Array.from({ length: ANSWERS }, (_, i) => ({
  from: i % 2 ? 'U0ADA' : 'U0BOB', ts: `${FIRST + 100000 + i}.000009`, text: `answer ${i}`, ...(i === 1200 && { broadcast: true }),
}));

await start();
const w = await world({
  sosia: 1,
  time: '2026-02-15T20:00:00Z',
  people: [{ email: 'ada@acme.example', name: 'Ada Conti' }, { email: 'bob@acme.example', name: 'Bob Stone' }],
  workspaces: [{
    id: 'T0ACME', domain: 'acme', name: 'Acme',
    members: [{ actor: 'ada@acme.example', id: 'U0ADA' }, { actor: 'bob@acme.example', id: 'U0BOB' }],
  }],
  channels: [{ id: 'C0DEV', name: 'dev', creator: 'U0ADA', members: ['U0ADA', 'U0BOB'] }],
  messages,
});
const ada = new WebClient(w.tokens['ada@acme.example'], { slackApiUrl: `${w.url}api/` });
const bob = new WebClient(w.tokens['bob@acme.example'], { slackApiUrl: `${w.url}api/` });

const shown = messages.map(({ ts, text }) => ({ ts, text }));
shown.push({ ts: `${FIRST + 100000 + 1200}.000009`, text: 'answer 1200' });
shown.sort((a, b) => Number(b.ts) - Number(a.ts));
const texts = (list) => list.map(({ text }) => text);

async function all(client, method, options, between = async () => {}) {
  const list = [];
  let pages = 0;
  for await (const page of client.paginate(method, options)) {
    assert.equal(page.has_more, !!page.response_metadata?.next_cursor);
    assert.ok(page.messages.length <= options.limit);
    list.push(...page.messages);
    pages++;
    await between(pages);
  }
  return { list, pages };
}

for (const limit of [999, 200]) {
  await step(`ten thousand messages in pages of ${limit}`, async () => {
    const { list, pages } = await all(ada, 'conversations.history', { channel: 'C0DEV', limit });
    assert.deepEqual(texts(list), texts(shown));
    assert.equal(pages, Math.ceil(shown.length / limit));
    assert.equal(list.find(m => m.text === 'number 5000').reply_count, ANSWERS);
  });
}

await step('from a message on, back to another one', async () => {
  const latest = shown[1000].ts;
  const oldest = shown[4000].ts;
  const { list } = await all(ada, 'conversations.history', { channel: 'C0DEV', limit: 500, latest, oldest });
  assert.deepEqual(texts(list), texts(shown.slice(1001, 4000)));
  const { list: more } = await all(ada, 'conversations.history', { channel: 'C0DEV', limit: 500, latest, oldest, inclusive: true });
  assert.deepEqual(texts(more), texts(shown.slice(1000, 4001)));
});

await step('pages stay as they are while others write', async () => {
  const { list } = await all(ada, 'conversations.history', { channel: 'C0DEV', limit: 999 },
    n => bob.chat.postMessage({ channel: 'C0DEV', text: `new ${n}` }));
  assert.deepEqual(texts(list), texts(shown));
});

await step('a message that is deleted between two pages is missing, and no other one', async () => {
  const gone = shown.slice(3000).find(m => messages.find(n => n.ts === m.ts)?.from === 'U0BOB');
  const { list } = await all(ada, 'conversations.history', { channel: 'C0DEV', limit: 999, latest: shown[0].ts, inclusive: true },
    async n => { if (n === 2) await bob.chat.delete({ channel: 'C0DEV', ts: gone.ts }); });
  assert.deepEqual(texts(list), texts(shown.filter(m => m !== gone)));
});

await step('a long thread, oldest first', async () => {
  const { list, pages } = await all(ada, 'conversations.replies', { channel: 'C0DEV', ts: messages[5000].ts, limit: 1000 });
  assert.deepEqual(texts(list), ['number 5000', ...Array.from({ length: ANSWERS }, (_, i) => `answer ${i}`)]);
  assert.equal(pages, 3);
});

await step('a cursor of another channel, or of nothing, is refused', async () => {
  for (const cursor of ['bm90aGluZw==', 'x', 'bmV4dF90czotMQ==']) {
    const error = await ada.conversations.history({ channel: 'C0DEV', cursor }).then(() => null, e => e);
    assert.equal(error?.data?.error, 'invalid_cursor', cursor);
  }
});

await finish();
