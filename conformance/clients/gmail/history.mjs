// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: a mirror that is kept by history records stays equal to the mailbox.
//
// The changes are random, but the same in every run: SYNC_SEED and SYNC_ROUNDS choose others.
import assert from 'node:assert/strict';
import { finish, generator, refused, start, step, world } from '../harness.mjs';
import { all, client, raw, reason } from './client.mjs';

await start();
const [ada, bob] = ['ada@acme.example', 'bob@acme.example'];
const w = await world({ sosia: 1, time: '2026-11-23T08:00:00Z', people: [{ email: ada }, { email: bob }] });
const [adas, bobs] = [client(w, ada), client(w, bob)];
const userId = 'me';
const rounds = Number(process.env.SYNC_ROUNDS ?? 40);

const below = generator(process.env.SYNC_SEED);
const pick = (list) => list[below(list.length)];

/** id -> labels, sorted, by a full listing. */
async function listed() {
  const found = new Map();
  for (const { id } of await all(adas.messages.list.bind(adas.messages), { includeSpamTrash: true, maxResults: 9 }, 'messages')) {
    const { data } = await adas.messages.get({ userId, id, format: 'minimal' });
    found.set(id, [...(data.labelIds ?? [])].sort().join(' '));
  }
  return found;
}

/** Brings a mirror up to date; gives the id of the newest record. */
async function follow(mirror, startHistoryId) {
  let pageToken;
  for (;;) {
    const { data } = await adas.history.list({ userId, startHistoryId, maxResults: 5, pageToken });
    for (const record of data.history ?? []) {
      for (const { message } of record.messagesAdded ?? []) mirror.set(message.id, new Set(message.labelIds));
      for (const { message, labelIds } of record.labelsAdded ?? []) for (const l of labelIds) mirror.get(message.id)?.add(l);
      for (const { message, labelIds } of record.labelsRemoved ?? []) for (const l of labelIds) mirror.get(message.id)?.delete(l);
      for (const { message } of record.messagesDeleted ?? []) mirror.delete(message.id);
    }
    if (!data.nextPageToken) return data.historyId;
    pageToken = data.nextPageToken;
  }
}

const done = {};
async function change() {
  const ids = (await all(adas.messages.list.bind(adas.messages), { includeSpamTrash: true }, 'messages')).map(m => m.id);
  const drafts = await all(adas.drafts.list.bind(adas.drafts), {}, 'drafts');
  const kept = ids.filter(id => !drafts.some(d => d.message.id === id));
  const kinds = ['receive', 'receive', 'send', 'draft'];
  if (kept.length) kinds.push('star', 'read', 'archive', 'trash', 'untrash', 'delete', 'thread');
  if (drafts.length) kinds.push('redraft', 'sendDraft');
  const kind = pick(kinds);
  const id = pick(kept);
  const letter = (to) => ({ raw: raw({ To: to, Subject: `Number ${below(1000)}` }, 'Text.') });
  const steps = {
    receive: () => bobs.messages.send({ userId, requestBody: letter(ada) }),
    send: () => adas.messages.send({ userId, requestBody: letter(bob) }),
    draft: () => adas.drafts.create({ userId, requestBody: { message: letter(bob) } }),
    redraft: () => adas.drafts.update({ userId, id: pick(drafts).id, requestBody: { message: letter(bob) } }),
    sendDraft: () => adas.drafts.send({ userId, requestBody: { id: pick(drafts).id } }),
    star: () => adas.messages.modify({ userId, id, requestBody: { addLabelIds: ['STARRED'] } }),
    read: () => adas.messages.modify({ userId, id, requestBody: { removeLabelIds: ['UNREAD'] } }),
    archive: () => adas.messages.batchModify({ userId, requestBody: { ids: kept.slice(0, 4), removeLabelIds: ['INBOX'] } }),
    trash: () => adas.messages.trash({ userId, id }),
    untrash: () => adas.messages.untrash({ userId, id }),
    delete: () => adas.messages.delete({ userId, id }),
    thread: async () => {
      const { data } = await adas.messages.get({ userId, id, format: 'minimal' });
      await adas.threads.modify({ userId, id: data.threadId, requestBody: { addLabelIds: ['IMPORTANT'] } });
    },
  };
  await steps[kind]();
  done[kind] = (done[kind] ?? 0) + 1;
}

await step(`a mirror stays equal over ${rounds} rounds of changes`, async () => {
  const mirror = new Map();
  let { data: { historyId } } = await adas.getProfile({ userId });
  for (let round = 0; round < rounds; round++) {
    for (let n = 1 + below(4); n; n--) await change();
    const next = await follow(mirror, historyId);
    assert.ok(BigInt(next) >= BigInt(historyId));
    historyId = next;
    const mine = new Map([...mirror].map(([id, set]) => [id, [...set].sort().join(' ')]));
    assert.deepEqual([...mine].sort(), [...await listed()].sort(), `round ${round}`);
  }
  assert.ok(Object.keys(done).length >= 10, JSON.stringify(done));
});

await step('nothing new is nothing but the number', async () => {
  const { data: { historyId } } = await adas.getProfile({ userId });
  const { data } = await adas.history.list({ userId, startHistoryId: historyId });
  assert.deepEqual(data, { historyId });
});

await step('a number that is not known any more asks for a full sync', async () => {
  assert.deepEqual(reason(await refused(() => adas.history.list({ userId, startHistoryId: '999999999' }))), [404, 'notFound']);
});

await finish();
