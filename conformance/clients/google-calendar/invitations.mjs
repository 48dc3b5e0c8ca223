// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: an invitation, the guests' copies, their answers, the mails it would have sent.
import assert from 'node:assert/strict';
import { control, finish, refused, start, step, world } from '../harness.mjs';
import { client, reason } from './client.mjs';

await start();
const [adaId, bobId, carlId, farId] = ['ada@acme.example', 'bob@acme.example', 'carl@acme.example', 'guest@far.example'];
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  people: [
    { email: adaId, name: 'Ada', zone: 'Europe/Rome' }, { email: bobId, name: 'Bob', zone: 'Europe/London' },
    { email: carlId, name: 'Carl' },
  ],
});
const ada = client(w, adaId).events;
const bob = client(w, bobId).events;
const carl = client(w, carlId).events;
const calendarId = 'primary';
let event;
let seen = 0;

const read = new Set();

/** The calendar objects that have come into a mailbox of the world since the last call. */
async function arrived(who) {
  const get = async (path) => {
    const answer = await fetch(`${w.url}gmail/v1/users/me/messages${path}`, { headers: { authorization: `Bearer ${w.tokens[who]}` } });
    return answer.json();
  };
  const all = [];
  const leaves = (part) => part.parts?.flatMap(leaves) ?? [part];
  for (const { id } of (await get('')).messages ?? []) {
    if (read.has(id)) continue;
    read.add(id);
    const { payload } = await get(`/${id}`);
    const from = payload.headers.find(h => h.name === 'From').value.match(/[^<>\s]+@[^<>\s]+/)[0];
    const part = leaves(payload).find(p => p.mimeType === 'text/calendar');
    const calendar = Buffer.from(part.body.data, 'base64url').toString();
    all.push({ from, to: who, payload: { method: calendar.match(/\nMETHOD:(\w+)/)[1], calendar } });
  }
  return all;
}

/** The mails since the last call: what left the world, and what came to people in it. */
async function mails() {
  const { entries } = await control('GET', `/worlds/${w.key}/outbox?after=${seen}`);
  if (entries.length) seen = entries.at(-1).id;
  const within = [];
  for (const who of [adaId, bobId, carlId]) within.push(...await arrived(who));
  return [...entries.filter(e => e.kind === 'mail'), ...within];
}

const answers = (e) => Object.fromEntries(e.attendees.map(a => [a.email, a.responseStatus]));
const own = (e) => e.attendees.find(a => a.self);

await step('three guests are invited', async () => {
  ({ data: event } = await ada.insert({
    calendarId,
    sendUpdates: 'all',
    requestBody: {
      summary: 'Budget',
      start: { dateTime: '2026-11-24T10:00:00+01:00' },
      end: { dateTime: '2026-11-24T11:00:00+01:00' },
      attendees: [{ email: bobId }, { email: carlId, optional: true }, { email: farId }],
    },
  }));
  assert.deepEqual(answers(event), { [bobId]: 'needsAction', [carlId]: 'needsAction', [farId]: 'needsAction' });
  assert.equal(event.attendees.find(a => a.email === carlId).optional, true);
});

await step('the invitation goes by mail, within the world and out of it, as a calendar object', async () => {
  const sent = await mails();
  assert.deepEqual(sent.flatMap(m => m.to.split(',')).sort(), [bobId, carlId, farId].sort());
  assert.equal(sent[0].from, adaId);
  assert.equal(sent[0].payload.method, 'REQUEST');
  const ics = sent[0].payload.calendar.replaceAll('\r\n ', '');
  assert.match(ics, /^BEGIN:VCALENDAR\r\n/);
  assert.match(ics, /\r\nMETHOD:REQUEST\r\n/);
  assert.match(ics, new RegExp(`\r\nUID:${event.iCalUID}\r\n`));
  assert.match(ics, /\r\nSUMMARY:Budget\r\n/);
  assert.match(ics, /\r\nDTSTART:20261124T090000Z\r\n/);
});

await step('each guest has a copy with the same id, in his own time', async () => {
  for (const [who, id, start] of [[bob, bobId, '2026-11-24T09:00:00Z'], [carl, carlId, '2026-11-24T09:00:00Z']]) {
    const { data } = await who.list({ calendarId });
    assert.deepEqual(data.items.map(e => [e.id, e.iCalUID, e.summary]), [[event.id, event.iCalUID, 'Budget']]);
    const [copy] = data.items;
    assert.equal(Date.parse(copy.start.dateTime), Date.parse(start));
    assert.equal(copy.organizer.email, adaId);
    assert.equal(copy.organizer.self, undefined);
    assert.equal(own(copy).email, id);
  }
});

await step('an answer flows back to the organizer and to the others', async () => {
  const { data } = await bob.patch({
    calendarId, eventId: event.id, sendUpdates: 'all',
    requestBody: { attendees: [{ email: bobId, responseStatus: 'accepted', comment: 'Gladly' }], attendeesOmitted: true },
  });
  assert.equal(own(data).responseStatus, 'accepted');
  const { data: at } = await ada.get({ calendarId, eventId: event.id });
  assert.deepEqual(answers(at), { [bobId]: 'accepted', [carlId]: 'needsAction', [farId]: 'needsAction' });
  assert.equal(at.attendees.find(a => a.email === bobId).comment, 'Gladly');
  const { data: elsewhere } = await carl.get({ calendarId, eventId: event.id });
  assert.equal(answers(elsewhere)[bobId], 'accepted');
  const sent = await mails();
  assert.deepEqual(sent.map(m => [m.from, m.to, m.payload.method]), [[bobId, adaId, 'REPLY']]);
});

await step('a guest does not change what is the organizer\'s', async () => {
  const error = await refused(() => bob.patch({ calendarId, eventId: event.id, sendUpdates: 'none', requestBody: { guestsCanModify: true } }));
  assert.deepEqual(reason(error), [403, 'forbiddenForNonOrganizer']);
  const { data } = await ada.get({ calendarId, eventId: event.id });
  assert.equal(data.guestsCanModify, undefined);
});

await step('what is a guest\'s own stays his', async () => {
  await bob.patch({ calendarId, eventId: event.id, requestBody: { colorId: '5', reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 3 }] } } });
  const { data } = await ada.get({ calendarId, eventId: event.id });
  assert.equal(data.colorId, undefined);
  assert.deepEqual(data.reminders, { useDefault: true });
});

await step('the organizer\'s change reaches the copies and leaves their own members alone', async () => {
  await ada.patch({ calendarId, eventId: event.id, sendUpdates: 'all', requestBody: { location: 'Room 2' } });
  const { data } = await bob.get({ calendarId, eventId: event.id });
  assert.deepEqual([data.location, data.colorId, own(data).responseStatus], ['Room 2', '5', 'accepted']);
  const sent = await mails();
  assert.deepEqual([...new Set(sent.map(m => m.payload.method))], ['REQUEST']);
});

await step('a declined event is no longer busy', async () => {
  const busy = async () => {
    const { data } = await client(w, carlId).freebusy.query({
      requestBody: { timeMin: '2026-11-24T00:00:00Z', timeMax: '2026-11-25T00:00:00Z', items: [{ id: 'primary' }] },
    });
    return data.calendars.primary.busy.length;
  };
  await carl.patch({ calendarId, eventId: event.id, requestBody: { attendees: [{ email: carlId, responseStatus: 'declined' }], attendeesOmitted: true } });
  assert.equal(await busy(), 0);
  const { data } = await ada.get({ calendarId, eventId: event.id });
  assert.equal(answers(data)[carlId], 'declined');
  assert.deepEqual(await mails(), []);
});

await step('guests may change events that allow it', async () => {
  await ada.patch({ calendarId, eventId: event.id, requestBody: { guestsCanModify: true } });
  await bob.patch({ calendarId, eventId: event.id, requestBody: { summary: 'Budget, second draft' } });
  const { data } = await ada.get({ calendarId, eventId: event.id });
  assert.equal(data.summary, 'Budget, second draft');
  assert.equal(data.organizer.email, adaId);
});

await step('a guest who is taken off the list has no copy any more', async () => {
  await mails();
  const { data: now } = await ada.get({ calendarId, eventId: event.id });
  await ada.patch({
    calendarId, eventId: event.id, sendUpdates: 'all', requestBody: { attendees: now.attendees.filter(a => a.email !== carlId) },
  });
  const { data } = await carl.list({ calendarId });
  assert.deepEqual(data.items, []);
  const sent = await mails();
  assert.deepEqual(sent.map(m => [m.to, m.payload.method]), [[carlId, 'CANCEL']]);
});

await step('one instance of a series is answered alone', async () => {
  const { data: series } = await ada.insert({
    calendarId,
    requestBody: {
      summary: 'Review', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'], attendees: [{ email: bobId }],
      start: { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Rome' }, end: { dateTime: '2026-12-01T11:00:00', timeZone: 'Europe/Rome' },
    },
  });
  const { data: at } = await bob.instances({ calendarId, eventId: series.id });
  assert.equal(at.items.length, 3);
  await bob.patch({
    calendarId, eventId: at.items[1].id,
    requestBody: { attendees: [{ email: bobId, responseStatus: 'declined' }], attendeesOmitted: true },
  });
  const { data } = await ada.instances({ calendarId, eventId: series.id });
  assert.deepEqual(data.items.map(e => answers(e)[bobId]), ['needsAction', 'declined', 'needsAction']);
  await ada.delete({ calendarId, eventId: series.id });
  for (const who of [ada, bob]) {
    const { data: left } = await who.list({ calendarId, singleEvents: true, q: 'Review' });
    assert.deepEqual(left.items, []);
  }
});

await step('a guest of one instance loses it with the series', async () => {
  const { data: series } = await ada.insert({
    calendarId,
    requestBody: {
      summary: 'Rehearsal', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
      start: { dateTime: '2026-12-02T10:00:00', timeZone: 'Europe/Rome' }, end: { dateTime: '2026-12-02T11:00:00', timeZone: 'Europe/Rome' },
    },
  });
  const { data: at } = await ada.instances({ calendarId, eventId: series.id });
  await ada.patch({ calendarId, eventId: at.items[1].id, requestBody: { attendees: [{ email: carlId }] } });
  const { data: before } = await carl.list({ calendarId });
  assert.deepEqual(before.items.map(e => e.id), [at.items[1].id]);
  await ada.delete({ calendarId, eventId: series.id });
  const { data: after } = await carl.list({ calendarId, syncToken: before.nextSyncToken });
  assert.deepEqual(after.items.map(e => [e.id, e.status]), [[at.items[1].id, 'cancelled']]);
});

await step('a cancelled event is cancelled for all, and they are notified', async () => {
  await mails();
  await ada.delete({ calendarId, eventId: event.id, sendUpdates: 'all' });
  const { data } = await bob.get({ calendarId, eventId: event.id });
  assert.equal(data.status, 'cancelled');
  assert.deepEqual((await bob.list({ calendarId })).data.items, []);
  const sent = await mails();
  assert.deepEqual([...new Set(sent.map(m => m.payload.method))], ['CANCEL']);
  assert.deepEqual(sent.flatMap(m => m.to.split(',')).sort(), [bobId, farId].sort());
});

await step('a guest who deletes his copy declines', async () => {
  const { data: other } = await ada.insert({
    calendarId,
    requestBody: { summary: 'Party', start: { date: '2026-12-24' }, end: { date: '2026-12-25' }, attendees: [{ email: bobId }] },
  });
  await bob.delete({ calendarId, eventId: other.id });
  const { data } = await ada.get({ calendarId, eventId: other.id });
  assert.deepEqual([data.status, answers(data)[bobId]], ['confirmed', 'declined']);
});

await finish();
