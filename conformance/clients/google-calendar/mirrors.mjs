// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: three people and a calendar of a team, at random. Each keeps a mirror by sync tokens,
// which stays equal to a full list, in which a series has one etag and none falls; what an organizer has, each guest has, with
// the same times, words and answers.
//
// The changes are the same in every run: SYNC_SEED and SYNC_ROUNDS choose others.
import assert from 'node:assert/strict';
import { finish, generator, start, step, world } from '../harness.mjs';
import { client } from './client.mjs';

await start();
const people = ['ada', 'bob', 'cyd'].map(name => `${name}@acme.example`);
const zones = ['Europe/Rome', 'America/New_York', 'Asia/Tokyo'];
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [
    ...people.map((email, i) => ({ email, name: email.slice(0, 3), zone: zones[i] })),
    { email: 'room@acme.example', name: 'Room', kind: 'resource', zone: 'Europe/Rome' },
  ],
  groups: [{ email: 'all@acme.example', name: 'All', members: people.slice(1) }],
});
const clients = Object.fromEntries(people.map(email => [email, client(w, email)]));
const { data: team } = await clients[people[0]].calendars.insert({ requestBody: { summary: 'Team' } });
const views = [...people.map(who => ({ who, calendarId: 'primary', key: who })), { who: people[0], calendarId: team.id, key: team.id }];
const rounds = Number(process.env.SYNC_ROUNDS ?? 120);
const made = new Map(); // event id -> who took a copy of it away

const below = generator(process.env.SYNC_SEED);
const pick = list => list[below(list.length)];

async function list(view, params = {}) {
  const items = [];
  let pageToken;
  for (;;) {
    const { data } = await clients[view.who].events.list({ calendarId: view.calendarId, maxResults: 100, ...params, pageToken });
    items.push(...data.items);
    if (!data.nextPageToken) return { items, token: data.nextSyncToken };
    pageToken = data.nextPageToken;
  }
}

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
  return mirror;
}

const rules = ['RRULE:FREQ=DAILY;COUNT=4', 'RRULE:FREQ=DAILY;COUNT=6', 'RRULE:FREQ=WEEKLY;COUNT=3', 'RRULE:FREQ=DAILY;UNTIL=20261127T225959Z'];
function times() {
  const at = hour => ({ dateTime: `2026-11-${day}T${String(hour).padStart(2, '0')}:00:00`, timeZone: zone });
  const day = 24 + below(6), hour = 8 + below(10), zone = pick([...zones, 'UTC']);
  return { start: at(hour), end: at(hour + 1) };
}
const guests = () => [...people, 'room@acme.example', 'all@acme.example', 'eve@else.example'].filter(() => below(3) === 0).map(email => ({ email }));
const leads = e => e.organizer?.self;

/** One change, which may be refused: what holds afterwards is what counts. */
async function change(n) {
  const view = pick(views);
  const { who, calendarId } = view;
  const { events } = clients[who];
  const { items } = await list(view, { showDeleted: true });
  const some = filter => pick(items.filter(filter));
  const patch = (e, requestBody) => e && events.patch({ calendarId, eventId: e.id, requestBody });
  const remove = async e => {
    if (!e) return;
    await events.delete({ calendarId, eventId: e.id });
    if (!leads(e)) made.set(e.id, [...(made.get(e.id) ?? []), who]);
  };
  const instance = async filter => {
    const series = some(e => e.recurrence && filter(e));
    const all = series && (await events.instances({ calendarId, eventId: series.id, showDeleted: true })).data.items;
    return all?.length ? pick(all) : undefined;
  };
  switch (below(14)) {
    case 0:
    case 1: {
      const recurrence = below(3) ? [pick(rules)] : undefined;
      return events.insert({ calendarId, requestBody: { id: `change${n}`.replace(/[w-z]/g, 'v'), summary: `event ${n}`, ...times(), recurrence, attendees: guests() } });
    }
    case 2:
      return events.insert({
        calendarId, requestBody: { summary: `day ${n}`, start: { date: '2026-11-24' }, end: { date: '2026-11-25' }, recurrence: [pick(rules.slice(0, 3))], attendees: guests() },
      });
    case 3:
      return patch(await instance(leads), pick([{ summary: `instance ${n}` }, times(), { attendees: guests() }, { status: 'confirmed' }]));
    case 4:
      return patch(await instance(() => true), { colorId: String(1 + below(11)) });
    case 5:
    case 6:
      return remove(await instance(() => true));
    case 7:
    case 8:
      return patch(some(leads), pick([{ summary: `changed ${n}` }, times(), { attendees: guests() }, { recurrence: [pick(rules)] }, { recurrence: null }]));
    case 9:
      return remove(some(() => true));
    case 10:
      return patch(some(e => e.status === 'cancelled'), { status: 'confirmed' });
    case 11:
    case 12: {
      const self = { email: who, responseStatus: pick(['accepted', 'declined', 'tentative']) };
      const e = below(2) ? some(e => e.attendees?.some(a => a.self)) : await instance(e => e.attendees?.some(a => a.self));
      return patch(e, { attendees: [self], attendeesOmitted: below(2) === 0 });
    }
    case 13: {
      const e = who === people[0] && some(leads);
      return e && events.move({ calendarId, eventId: e.id, destination: calendarId === 'primary' ? team.id : 'primary' });
    }
  }
}

const number = e => BigInt(JSON.parse(e.etag));
const shown = e => [e.id, e.etag, e.status, e.summary, e.start, e.attendees];
const common = e => [
  e.summary, e.status, e.start.date ?? Date.parse(e.start.dateTime), e.location, e.sequence, e.organizer.email,
  e.attendees.map(a => [a.email, a.responseStatus]),
];

let counted = 0;
await step(`mirrors and copies stay equal through ${rounds} random changes`, async () => {
  const mirrors = [];
  for (const view of views) {
    const { items, token } = await list(view);
    mirrors.push({ mirror: apply(new Map(), items), token });
  }
  for (let n = 0; n < rounds; n++) {
    try {
      if (await change(n)) counted++;
    } catch (error) {
      assert.ok(error.status >= 400 && error.status < 500, error);
    }
    const where = `round ${n} of seed ${process.env.SYNC_SEED ?? 'default'}`;
    const now = [];
    for (const [i, view] of views.entries()) {
      const next = await list(view, { syncToken: mirrors[i].token });
      const full = apply(new Map(), (await list(view)).items);
      for (const e of full.values()) {
        const series = full.get(e.recurringEventId), was = mirrors[i].mirror.get(e.id);
        if (series) assert.equal(e.etag, series.etag, `${e.id} and its series, ${view.key}, ${where}`);
        if (was) assert.ok(number(e) >= number(was), `the etag of ${e.id} falls, ${view.key}, ${where}`);
      }
      apply(mirrors[i].mirror, next.items);
      mirrors[i].token = next.token;
      const sorted = map => [...map.values()].map(shown).sort((a, b) => (a[0] < b[0] ? -1 : 1));
      assert.deepEqual(sorted(mirrors[i].mirror), sorted(full), `${view.key}, ${where}`);
      const single = (await list(view, { singleEvents: true })).items;
      now.push(new Map(single.map(e => [e.id, e])));
      assert.equal(now[i].size, single.length, `an instance twice, ${view.key}, ${where}`);
    }
    for (const [i, view] of views.entries()) {
      for (const [id, e] of now[i]) {
        const from = now[views.findIndex(v => v.key === e.organizer.email)];
        assert.ok(from.has(id), `${id} without its organizer's, ${view.key}, ${where}`);
        if (!leads(e)) continue;
        for (const { email } of e.attendees ?? []) {
          const other = people.indexOf(email);
          if (other < 0 || email === view.key) continue;
          const copy = now[other].get(id);
          const away = [id, id.split('_')[0]].some(key => made.get(key)?.includes(email));
          assert.ok(copy || away, `${email} has no ${id}, ${where}`);
          if (copy) assert.deepEqual(common(copy), common(e), `${id} of ${email}, ${where}`);
        }
      }
    }
  }
  assert.ok(counted > rounds / 4, `${counted} changes`);
});

await finish();
