// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: free/busy of people, groups and unknown addresses.
import assert from 'node:assert/strict';
import { finish, refused, start, step, world } from '../harness.mjs';
import { client, reason } from './client.mjs';

await start();
const [adaId, bobId, carlId] = ['ada@acme.example', 'bob@acme.example', 'carl@other.example'];
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  people: [{ email: adaId, name: 'Ada', zone: 'Europe/Rome' }, { email: bobId, name: 'Bob', zone: 'Europe/Rome' }, { email: carlId, name: 'Carl' }],
  groups: [{ email: 'team@acme.example', name: 'Team', members: [adaId, bobId] }],
  calendars: [{ id: bobId, primary: true, access: [{ role: 'freebusy', person: adaId }] }],
});
const ada = client(w, adaId);
const bob = client(w, bobId);
const on = (day, from, to, more) => ({
  start: { dateTime: `${day}T${from}:00`, timeZone: 'Europe/Rome' }, end: { dateTime: `${day}T${to}:00`, timeZone: 'Europe/Rome' }, ...more,
});
const query = async (who, items, more) => (await who.freebusy.query({
  requestBody: { timeMin: '2026-11-23T00:00:00Z', timeMax: '2026-11-30T00:00:00Z', items: items.map(id => ({ id })), ...more },
})).data;

await step('who has nothing is free', async () => {
  const data = await query(ada, ['primary']);
  assert.equal(data.kind, 'calendar#freeBusy');
  assert.deepEqual([data.timeMin, data.timeMax], ['2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z']);
  assert.deepEqual(data.calendars, { primary: { busy: [] } });
});

await step('busy times are those of all kinds of events, joined where they overlap', async () => {
  const put = (requestBody) => bob.events.insert({ calendarId: 'primary', requestBody });
  await put(on('2026-11-24', '10:00', '11:00'));
  await put(on('2026-11-24', '10:30', '12:00'));
  await put(on('2026-11-24', '15:00', '16:00', { transparency: 'transparent' }));
  await put(on('2026-11-23', '09:00', '09:15', { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }));
  const { data: gone } = await put(on('2026-11-24', '17:00', '18:00'));
  await bob.events.delete({ calendarId: 'primary', eventId: gone.id });
  const data = await query(ada, [bobId]);
  assert.deepEqual(data.calendars[bobId].busy, [
    { start: '2026-11-23T08:00:00Z', end: '2026-11-23T08:15:00Z' },
    { start: '2026-11-24T08:00:00Z', end: '2026-11-24T08:15:00Z' },
    { start: '2026-11-24T09:00:00Z', end: '2026-11-24T11:00:00Z' },
    { start: '2026-11-25T08:00:00Z', end: '2026-11-25T08:15:00Z' },
  ]);
});

await step('times are in the zone that is asked for', async () => {
  const data = await query(ada, [bobId], { timeZone: 'Europe/Rome' });
  assert.equal(Date.parse(data.calendars[bobId].busy[0].start), Date.parse('2026-11-23T08:00:00Z'));
  assert.match(data.calendars[bobId].busy[0].start, /^2026-11-23T09:00:00\+01:00$/);
});

await step('unknown and unreadable calendars have errors of their own', async () => {
  const data = await query(ada, ['nobody@acme.example', carlId, bobId]);
  for (const id of ['nobody@acme.example', carlId])
    assert.deepEqual(data.calendars[id].errors, [{ domain: 'global', reason: 'notFound' }]);
  assert.equal(data.calendars[bobId].errors, undefined);
});

await step('a group is laid out into its members', async () => {
  const data = await query(ada, ['team@acme.example']);
  assert.deepEqual([...data.groups['team@acme.example'].calendars].sort(), [adaId, bobId]);
  assert.equal(data.calendars[bobId].busy.length, 4);
});

await step('a group that is larger than asked for is an error', async () => {
  const data = await query(ada, ['team@acme.example'], { groupExpansionMax: 1 });
  assert.deepEqual(data.groups['team@acme.example'].errors.map(e => e.reason), ['groupTooBig']);
});

await step('a range that ends before it begins is refused', async () => {
  const error = await refused(() => ada.freebusy.query({
    requestBody: { timeMin: '2026-11-30T00:00:00Z', timeMax: '2026-11-23T00:00:00Z', items: [{ id: 'primary' }] },
  }));
  assert.deepEqual(reason(error), [400, 'timeRangeEmpty']);
});

await step('so is one of a year', async () => {
  const error = await refused(() => ada.freebusy.query({
    requestBody: { timeMin: '2026-01-01T00:00:00Z', timeMax: '2027-01-01T00:00:00Z', items: [{ id: 'primary' }] },
  }));
  assert.deepEqual(reason(error), [400, 'timeRangeTooLong']);
});

await finish();
