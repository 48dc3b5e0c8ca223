// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: series, their exceptions, the cut of a series in two, summer time.
import assert from 'node:assert/strict';
import { finish, refused, start, step, world } from '../harness.mjs';
import { client, reason } from './client.mjs';

await start();
const w = await world({
  sosia: 1,
  time: '2026-03-02T08:00:00Z',
  people: [{ email: 'ada@acme.example', name: 'Ada', zone: 'Europe/Rome' }],
});
const { events } = client(w, 'ada@acme.example');
const calendarId = 'primary';
const rome = (dateTime) => ({ dateTime, timeZone: 'Europe/Rome' });
const starts = (items) => items.map(e => e.start.dateTime ?? e.start.date);
let series;
let instances;

await step('a series is inserted and keeps its rules', async () => {
  const { data } = await events.insert({
    calendarId,
    requestBody: {
      summary: 'Stand-up',
      start: rome('2026-03-09T09:30:00'), end: rome('2026-03-09T09:45:00'),
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=6'],
    },
  });
  series = data;
  assert.deepEqual(data.recurrence, ['RRULE:FREQ=WEEKLY;COUNT=6']);
  assert.deepEqual(data.start, { dateTime: '2026-03-09T09:30:00+01:00', timeZone: 'Europe/Rome' });
});

await step('a timed series without a zone is refused', async () => {
  const error = await refused(() => events.insert({
    calendarId,
    requestBody: {
      start: { dateTime: '2026-03-09T09:30:00+01:00' }, end: { dateTime: '2026-03-09T09:45:00+01:00' },
      recurrence: ['RRULE:FREQ=DAILY'],
    },
  }));
  assert.equal(error.status, 400);
  assert.match(error.message, /Missing time zone definition for start time/);
});

await step('its instances keep their wall clock when summer time begins', async () => {
  const { data } = await events.instances({ calendarId, eventId: series.id });
  instances = data.items;
  assert.deepEqual(starts(instances), [
    '2026-03-09T09:30:00+01:00', '2026-03-16T09:30:00+01:00', '2026-03-23T09:30:00+01:00',
    '2026-03-30T09:30:00+02:00', '2026-04-06T09:30:00+02:00', '2026-04-13T09:30:00+02:00',
  ]);
  assert.deepEqual(instances.map(e => e.id), [
    `${series.id}_20260309T083000Z`, `${series.id}_20260316T083000Z`, `${series.id}_20260323T083000Z`,
    `${series.id}_20260330T073000Z`, `${series.id}_20260406T073000Z`, `${series.id}_20260413T073000Z`,
  ]);
  for (const e of instances) {
    assert.equal(e.recurringEventId, series.id);
    assert.equal(e.recurrence, undefined);
    assert.deepEqual(e.originalStartTime, e.start);
    assert.equal(e.iCalUID, series.iCalUID);
  }
});

await step('an instance is got by its id', async () => {
  const { data } = await events.get({ calendarId, eventId: instances[3].id });
  assert.deepEqual(data.start, instances[3].start);
});

await step('an id of no instance is not found', async () => {
  const error = await refused(() => events.get({ calendarId, eventId: `${series.id}_20260310T083000Z` }));
  assert.deepEqual(reason(error), [404, 'notFound']);
});

await step('one instance is moved, and knows where it was', async () => {
  const { data } = await events.patch({
    calendarId, eventId: instances[1].id,
    requestBody: { summary: 'Late stand-up', start: rome('2026-03-16T16:00:00'), end: rome('2026-03-16T16:15:00') },
  });
  assert.equal(data.id, instances[1].id);
  assert.equal(data.recurringEventId, series.id);
  assert.deepEqual(data.originalStartTime, instances[1].start);
  assert.equal(data.start.dateTime, '2026-03-16T16:00:00+01:00');
  const master = await events.get({ calendarId, eventId: series.id });
  assert.equal(master.data.summary, 'Stand-up');
});

await step('another is cancelled', async () => {
  await events.delete({ calendarId, eventId: instances[2].id });
  const { data } = await events.get({ calendarId, eventId: instances[2].id });
  assert.equal(data.status, 'cancelled');
  const listed = await events.instances({ calendarId, eventId: series.id });
  assert.equal(listed.data.items.length, 5);
  const all = await events.instances({ calendarId, eventId: series.id, showDeleted: true });
  assert.equal(all.data.items.length, 6);
});

await step('a list of single events shows what happens, in order', async () => {
  const { data } = await events.list({ calendarId, singleEvents: true, orderBy: 'startTime' });
  assert.deepEqual(data.items.map(e => [e.start.dateTime, e.summary]), [
    ['2026-03-09T09:30:00+01:00', 'Stand-up'], ['2026-03-16T16:00:00+01:00', 'Late stand-up'],
    ['2026-03-30T09:30:00+02:00', 'Stand-up'], ['2026-04-06T09:30:00+02:00', 'Stand-up'],
    ['2026-04-13T09:30:00+02:00', 'Stand-up'],
  ]);
});

await step('without singleEvents there are the series and its exceptions, the cancelled one bare', async () => {
  const { data } = await events.list({ calendarId });
  const byId = new Map(data.items.map(e => [e.id, e]));
  assert.deepEqual([...byId.keys()].sort(), [series.id, instances[1].id, instances[2].id].sort());
  assert.deepEqual(Object.keys(byId.get(instances[2].id)).sort(),
    ['etag', 'id', 'kind', 'originalStartTime', 'recurringEventId', 'status']);
});

await step('orderBy=startTime needs single events', async () => {
  const error = await refused(() => events.list({ calendarId, orderBy: 'startTime' }));
  assert.equal(error.status, 400);
});

await step('a change of the series leaves the exceptions with what they have of their own', async () => {
  await events.patch({ calendarId, eventId: series.id, requestBody: { summary: 'Sync', location: 'Room 1' } });
  const { data } = await events.instances({ calendarId, eventId: series.id });
  assert.deepEqual(data.items.map(e => [e.summary, e.location]).slice(0, 3),
    [['Sync', 'Room 1'], ['Late stand-up', 'Room 1'], ['Sync', 'Room 1']]);
});

await step('this and following: the series is cut and another one goes on', async () => {
  await events.patch({
    calendarId, eventId: series.id, requestBody: { recurrence: ['RRULE:FREQ=WEEKLY;UNTIL=20260405T215959Z'] },
  });
  const next = await events.insert({
    calendarId,
    requestBody: {
      summary: 'Sync at noon', start: rome('2026-04-06T12:00:00'), end: rome('2026-04-06T12:15:00'),
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'],
    },
  });
  assert.notEqual(next.data.id, series.id);
  const { data } = await events.list({ calendarId, singleEvents: true, orderBy: 'startTime' });
  assert.deepEqual(data.items.map(e => [e.start.dateTime, e.summary]), [
    ['2026-03-09T09:30:00+01:00', 'Sync'], ['2026-03-16T16:00:00+01:00', 'Late stand-up'],
    ['2026-03-30T09:30:00+02:00', 'Sync'], ['2026-04-06T12:00:00+02:00', 'Sync at noon'],
    ['2026-04-13T12:00:00+02:00', 'Sync at noon'],
  ]);
});

await step('days recur with EXDATE and RDATE', async () => {
  const { data } = await events.insert({
    calendarId,
    requestBody: {
      summary: 'Water the plants', start: { date: '2026-05-01' }, end: { date: '2026-05-02' },
      recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=4', 'EXDATE;VALUE=DATE:20260503', 'RDATE;VALUE=DATE:20260510'],
    },
  });
  const listed = await events.instances({ calendarId, eventId: data.id, showDeleted: true });
  assert.deepEqual(starts(listed.data.items), ['2026-05-01', '2026-05-05', '2026-05-07', '2026-05-10']);
  assert.equal(listed.data.items[0].id, `${data.id}_20260501`);
});

await step('a window far from the start is answered, in pages', async () => {
  const { data: daily } = await events.insert({
    calendarId,
    requestBody: {
      summary: 'Bells', start: rome('2000-01-01T12:00:00'), end: rome('2000-01-01T12:01:00'), recurrence: ['RRULE:FREQ=DAILY'],
    },
  });
  const seen = [];
  let pageToken;
  do {
    const { data } = await events.instances({
      calendarId, eventId: daily.id, timeMin: '2030-10-25T00:00:00Z', timeMax: '2030-10-30T00:00:00Z', maxResults: 2, pageToken,
    });
    seen.push(...starts(data.items));
    pageToken = data.nextPageToken;
  } while (pageToken);
  assert.deepEqual(seen, [
    '2030-10-25T12:00:00+02:00', '2030-10-26T12:00:00+02:00', '2030-10-27T12:00:00+01:00',
    '2030-10-28T12:00:00+01:00', '2030-10-29T12:00:00+01:00',
  ]);
  await events.delete({ calendarId, eventId: daily.id });
});

await step('a deleted series is gone with its exceptions', async () => {
  await events.delete({ calendarId, eventId: series.id });
  const { data } = await events.list({ calendarId, singleEvents: true, timeMax: '2026-04-05T00:00:00Z' });
  assert.deepEqual(data.items, []);
});

await step('a rule that says nothing sensible is refused', async () => {
  const error = await refused(() => events.insert({
    calendarId,
    requestBody: { start: { date: '2026-05-01' }, end: { date: '2026-05-02' }, recurrence: ['RRULE:FREQ=SOMETIMES'] },
  }));
  assert.deepEqual(reason(error), [400, 'invalid']);
});

await finish();
