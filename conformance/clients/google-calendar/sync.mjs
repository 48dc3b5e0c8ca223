// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: a mirror that is kept by sync tokens stays equal to a full list.
//
// The changes are random, but the same in every run: SYNC_SEED and SYNC_ROUNDS choose others.
import assert from 'node:assert/strict';
import { control, finish, generator, refused, start, step, world } from '../harness.mjs';
import { client, reason } from './client.mjs';

await start();
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  people: [{ email: 'ada@acme.example', name: 'Ada', zone: 'Europe/Rome' }, { email: 'bob@acme.example', name: 'Bob' }],
});
const ada = client(w, 'ada@acme.example');
const { events } = ada;
const calendarId = 'primary';
const rounds = Number(process.env.SYNC_ROUNDS ?? 40);

const below = generator(process.env.SYNC_SEED);

/** All pages of a list, and the token on the last one. */
async function pages(params) {
  const items = [];
  let pageToken;
  for (;;) {
    const { data } = await events.list({ calendarId, maxResults: 7, ...params, pageToken });
    assert.equal(Boolean(data.nextPageToken) !== Boolean(data.nextSyncToken), true);
    items.push(...data.items);
    if (data.nextSyncToken) return { items, token: data.nextSyncToken };
    pageToken = data.nextPageToken;
  }
}

const sorted = (items) => [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
const isInstance = (id) => id.includes('_');

/** What a program does with the answer of a sync: cancelled things go, with a series all of it. */
function apply(mirror, items) {
  for (const e of items) {
    if (e.status === 'cancelled' && !e.recurringEventId) {
      mirror.delete(e.id);
      for (const [id, other] of mirror) if (other.recurringEventId === e.id) mirror.delete(id);
    } else {
      mirror.set(e.id, e);
    }
  }
}

const day = () => `2026-12-${String(1 + below(28)).padStart(2, '0')}`;
function times() {
  const hour = String(8 + below(10)).padStart(2, '0');
  const on = day();
  return {
    start: { dateTime: `${on}T${hour}:00:00`, timeZone: 'Europe/Rome' },
    end: { dateTime: `${on}T${hour}:30:00`, timeZone: 'Europe/Rome' },
  };
}

const done = {};
async function change(mirror) {
  const ids = [...mirror.keys()].filter(id => !isInstance(id));
  const series = ids.filter(id => mirror.get(id).recurrence);
  const pick = (list) => list[below(list.length)];
  const instance = async () => {
    const { data } = await events.instances({ calendarId, eventId: pick(series) });
    return data.items.length ? pick(data.items) : undefined;
  };
  const kinds = ['insert', 'insertSeries'];
  if (ids.length) kinds.push('insert', 'patch', 'patch', 'delete');
  if (series.length) kinds.push('moveInstance', 'cancelInstance', 'renameSeries', 'cutSeries');
  const kind = pick(kinds);
  done[kind] = (done[kind] ?? 0) + 1;
  switch (kind) {
    case 'insert':
      return events.insert({ calendarId, requestBody: { summary: `event ${below(1000)}`, ...times() } });
    case 'insertSeries':
      return events.insert({
        calendarId,
        requestBody: { summary: `series ${below(1000)}`, ...times(), recurrence: [`RRULE:FREQ=DAILY;COUNT=${3 + below(5)}`] },
      });
    case 'patch':
      return events.patch({
        calendarId, eventId: pick(ids), requestBody: { description: `note ${below(1000)}`, colorId: String(1 + below(11)) },
      });
    case 'delete':
      return events.delete({ calendarId, eventId: pick(ids) });
    case 'moveInstance': {
      const e = await instance();
      return e && events.patch({ calendarId, eventId: e.id, requestBody: { summary: 'moved', ...times() } });
    }
    case 'cancelInstance': {
      const e = await instance();
      return e && events.delete({ calendarId, eventId: e.id });
    }
    case 'renameSeries':
      return events.patch({ calendarId, eventId: pick(series), requestBody: { summary: `renamed ${below(1000)}` } });
    case 'cutSeries':
      return events.patch({
        calendarId, eventId: pick(series), requestBody: { recurrence: [`RRULE:FREQ=DAILY;COUNT=${1 + below(4)}`] },
      });
  }
}

let token;
await step(`a mirror stays equal to the calendar through ${rounds} rounds of random changes`, async () => {
  const mirror = new Map();
  const first = await pages({});
  apply(mirror, first.items);
  token = first.token;
  for (let round = 0; round < rounds; round++) {
    for (let n = below(6); n >= 0; n--) {
      await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 1 + below(60) });
      await change(new Map((await pages({})).items.map(e => [e.id, e])));
    }
    const next = await pages({ syncToken: token });
    apply(mirror, next.items);
    token = next.token;
    const full = await pages({});
    assert.deepEqual(sorted(mirror.values()), sorted(full.items), `round ${round} of seed ${process.env.SYNC_SEED ?? 'default'}`);
  }
  assert.ok(Object.keys(done).length >= 8, JSON.stringify(done));
});

await step('nothing changed: an empty answer with a token', async () => {
  const { items } = await pages({ syncToken: token });
  assert.deepEqual(items, []);
});

await step('a deleted event comes bare', async () => {
  const { data } = await events.insert({ calendarId, requestBody: { summary: 'short-lived', ...times() } });
  const after = await pages({ syncToken: token });
  assert.deepEqual(after.items.map(e => e.summary), ['short-lived']);
  await events.delete({ calendarId, eventId: data.id });
  const { items } = await pages({ syncToken: after.token });
  assert.deepEqual(items.map(e => [e.id, e.status]), [[data.id, 'cancelled']]);
  assert.deepEqual(Object.keys(items[0]).sort(), ['etag', 'id', 'kind', 'status']);
});

await step('a mirror of single events is kept in the same way', async () => {
  const single = { singleEvents: true };
  const mirror = new Map();
  let { items, token: singleToken } = await pages(single);
  for (const e of items) mirror.set(e.id, e);
  const { data: series } = await events.insert({
    calendarId, requestBody: { summary: 'expanded', ...times(), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] },
  });
  const turn = async () => {
    ({ items, token: singleToken } = await pages({ ...single, syncToken: singleToken }));
    for (const e of items) if (e.status === 'cancelled') mirror.delete(e.id); else mirror.set(e.id, e);
    assert.deepEqual(sorted(mirror.values()), sorted((await pages(single)).items));
  };
  await turn();
  const { data: all } = await events.instances({ calendarId, eventId: series.id });
  await events.delete({ calendarId, eventId: all.items[2].id });
  await turn();
  await events.patch({ calendarId, eventId: all.items[3].id, requestBody: { summary: 'other' } });
  await turn();
  await events.delete({ calendarId, eventId: series.id });
  await turn();
});

await step('a token that is none is refused with 400', async () => {
  const error = await refused(() => events.list({ calendarId, syncToken: 'nonsense' }));
  assert.deepEqual(reason(error), [400, 'invalid']);
});

await step('a token goes with no filter', async () => {
  for (const more of [{ q: 'x' }, { timeMin: '2026-11-23T00:00:00Z' }, { orderBy: 'updated' }, { iCalUID: 'x@example' },
    { updatedMin: '2026-11-23T00:00:00Z' }, { showDeleted: false }]) {
    const error = await refused(() => events.list({ calendarId, syncToken: token, ...more }));
    assert.equal(error.status, 400, JSON.stringify(more));
  }
});

await step('a filtered list gives no token', async () => {
  const { data } = await events.list({ calendarId, timeMin: '2026-11-23T00:00:00Z' });
  assert.equal(data.nextSyncToken, undefined);
});

await step('a page token that is none is refused', async () => {
  const error = await refused(() => events.list({ calendarId, pageToken: 'nonsense' }));
  assert.equal(error.status, 400);
});

await step('the calendar list syncs too', async () => {
  const first = await ada.calendarList.list();
  const { data: made } = await ada.calendars.insert({ requestBody: { summary: 'Boat' } });
  const { data } = await ada.calendarList.list({ syncToken: first.data.nextSyncToken });
  assert.deepEqual(data.items.map(c => c.id), [made.id]);
  await ada.calendars.delete({ calendarId: made.id });
  const last = await ada.calendarList.list({ syncToken: data.nextSyncToken });
  assert.deepEqual(last.data.items.map(c => [c.id, c.deleted]), [[made.id, true]]);
});

await step('an old token is refused with 410 fullSyncRequired', async () => {
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 60 * 86400 });
  // The token of a person has its hour of the world's clock too.
  const { token: access } = await control('POST', `/worlds/${w.key}/tokens`, { actor: 'ada@acme.example' });
  const later = client({ ...w, tokens: { 'ada@acme.example': access } }, 'ada@acme.example');
  const error = await refused(() => later.events.list({ calendarId, syncToken: token }));
  assert.deepEqual(error.response.data.error.errors[0], {
    domain: 'calendar', reason: 'fullSyncRequired',
    message: 'Sync token is no longer valid, a full sync is required.',
    locationType: 'parameter', location: 'syncToken',
  });
  assert.equal(error.status, 410);
});

await finish();
