// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as cal from '../src/views/calendar/shape';
import { byName, flatten } from '../src/views/shared/changes';
import { addDays, dateIn, isZone, listTime, midnight, offsetAt, startOf } from '../src/views/shared/time';

const at = (id: string, start: string, end: string, more: Partial<cal.Instance> = {}): cal.Instance => ({
  id, calendar: '1', title: id, start, end, all_day: false, status: 'confirmed', guests: 0, ...more,
});
const calendars: cal.Calendar[] = [{ id: '1', key: 'ada@x.example', name: 'Ada', main: true }];

test('midnights and dates of zones, across changes of clocks', () => {
  assert.equal(midnight('2026-03-29', 'Europe/Rome'), '2026-03-28T23:00:00.000Z');
  assert.equal(midnight('2026-03-30', 'Europe/Rome'), '2026-03-29T22:00:00.000Z');
  assert.equal(midnight('2026-10-26', 'Europe/Rome'), '2026-10-25T23:00:00.000Z');
  assert.equal(midnight('2026-11-23', 'Asia/Kathmandu'), '2026-11-22T18:15:00.000Z');
  assert.equal(dateIn('2026-11-22T23:30:00Z', 'Europe/Rome'), '2026-11-23');
  assert.equal(offsetAt(Date.parse('2026-11-23T00:00:00Z'), 'America/New_York'), -300);
  assert.equal(isZone('Mars/Base'), false);
  assert.equal(isZone('Europe/Rome'), true);
  assert.equal(startOf('week', '2026-11-29'), '2026-11-23');
  assert.equal(startOf('week', '2026-11-23'), '2026-11-23');
  assert.equal(addDays('2026-12-31', 1), '2027-01-01');
});

test('times of rows: of this day the hour, of others the date', () => {
  const now = '2026-11-23T12:00:00Z';
  assert.equal(listTime('2026-11-23T06:55:00Z', now, 'Europe/Rome', 'en-GB'), '07:55');
  assert.equal(listTime('2026-11-22T06:55:00Z', now, 'Europe/Rome', 'en-GB'), '22 Nov');
  assert.equal(listTime('2025-11-22T06:55:00Z', now, 'Europe/Rome', 'en-GB'), '22 Nov 2025');
});

test('what views show, and where the next one is', () => {
  assert.deepEqual(cal.stretch('week', '2026-11-25'), { from: '2026-11-23', to: '2026-11-30' });
  assert.deepEqual(cal.stretch('month', '2026-11-25'), { from: '2026-10-26', to: '2026-12-07' });
  assert.deepEqual(cal.stretch('day', '2026-11-25'), { from: '2026-11-25', to: '2026-11-26' });
  assert.equal(cal.turn('month', '2026-01-31', 1), '2026-02-01');
  assert.equal(cal.turn('month', '2026-01-31', -1), '2025-12-01');
  assert.equal(cal.turn('week', '2026-11-25', -1), '2026-11-18');
});

test('a moved meeting leaves a ghost, a new one is new, a removed one is a ghost', () => {
  const now = [at('lunch', '2026-11-24T11:30:00Z', '2026-11-24T12:30:00Z'), at('same', '2026-11-23T08:00:00Z', '2026-11-23T09:00:00Z'),
    at('fresh', '2026-11-23T10:00:00Z', '2026-11-23T11:00:00Z'), at('titled', '2026-11-26T10:00:00Z', '2026-11-26T11:00:00Z', { title: 'B' })];
  const before = [at('lunch', '2026-11-23T11:30:00Z', '2026-11-23T12:30:00Z'), at('same', '2026-11-23T08:00:00Z', '2026-11-23T09:00:00Z'),
    at('dentist', '2026-11-25T17:45:00Z', '2026-11-25T18:30:00Z'), at('titled', '2026-11-26T10:00:00Z', '2026-11-26T11:00:00Z', { title: 'A' })];
  const marks = byName(flatten([{ entity: 'event', change: 'removed', name: 'event/ada@x.example/dentist', service: 'calendar', seq: 5 }]));
  const all = cal.entries([{ actor: 'ada@x.example', calendars, now, before }], marks);
  const said = (e: cal.Entry): string => `${e.id} ${e.start.slice(8, 10)} ${e.change ?? ''} ${e.words ?? ''}`.trim();
  assert.deepEqual(all.map(said), ['same 23', 'fresh 23 new new', 'lunch 23 gone moved', 'lunch 24 changed start, end', 'dentist 25 gone gone', 'titled 26 changed title']);
  assert.equal(all.find((e) => e.id === 'dentist')!.mark!.seq, 5);
  assert.equal(new Set(all.map((e) => e.key)).size, all.length);
});

test('nothing is marked without a state to compare with; what came into the dates from elsewhere has moved', () => {
  const now = [at('a', '2026-11-23T08:00:00Z', '2026-11-23T09:00:00Z')];
  assert.equal(cal.entries([{ actor: 'a', calendars, now }], new Map())[0]!.change, undefined);
  const marks = byName(flatten([{ entity: 'event', change: 'changed', name: 'event/ada@x.example/a', service: 'calendar', seq: 2 }]));
  const [e] = cal.entries([{ actor: 'a', calendars, now, before: [] }], marks);
  assert.deepEqual([e!.change, e!.words], ['changed', 'moved here']);
});

test('an instance of a series has its series\' mark', () => {
  const marks = byName(flatten([{ entity: 'event', change: 'changed', name: 'event/ada@x.example/s', service: 'calendar', seq: 9 }]));
  const [e] = cal.entries([{ actor: 'a', calendars, now: [at('s_20261123', '2026-11-23T08:00:00Z', '2026-11-23T09:00:00Z', { series: 's' })] }], marks);
  assert.equal(e!.mark!.seq, 9);
});

test('days of the list: all-day first, over midnight on both, what ends at midnight on one', () => {
  const people = [{ actor: 'a', calendars, now: [
    at('night', '2026-11-23T22:00:00Z', '2026-11-24T01:00:00Z'), at('late', '2026-11-24T22:00:00Z', '2026-11-24T23:00:00Z'),
    at('skis', '2026-11-24', '2026-11-26', { all_day: true }), at('point', '2026-11-27T09:00:00Z', '2026-11-27T09:00:00Z'),
  ] }];
  const found = cal.days(cal.entries(people, new Map()), '2026-11-23', '2026-11-28', 'Europe/Rome');
  assert.deepEqual(found.map((d) => [d.date, d.entries.map((e) => e.id)]), [
    ['2026-11-23', ['night']], ['2026-11-24', ['skis', 'night', 'late']], ['2026-11-25', ['skis']], ['2026-11-27', ['point']],
  ]);
});

test('answers to invitations in the words of both vendors', () => {
  const call = cal.answerGoogle('a@x.example', { id: 'e1', attendees: [{ email: 'b', responseStatus: 'accepted' }, { email: 'a', self: true, optional: true }] }, 'declined');
  assert.deepEqual(call.body, { attendees: [{ email: 'b', responseStatus: 'accepted' }, { email: 'a', self: true, optional: true, responseStatus: 'declined' }] });
  assert.ok(cal.answerMicrosoft('AA=', 'tentative').path.endsWith('/events/AA%3D/tentativelyAccept'));
  const entry = cal.entries([{ actor: 'a', calendars, now: [at('Berths', '2026-11-24T09:00:00.000000Z', '2026-11-24T10:00:00Z')] }], new Map())[0]!;
  const graph = [{ id: 'x', subject: 'Berths', start: { dateTime: '2026-11-24T09:00:00.0000000', timeZone: 'UTC' } }, { id: 'y', subject: 'Berths', start: { dateTime: '2026-11-25T09:00:00.0000000' } }];
  assert.equal(cal.findMicrosoft(graph, entry), 'x');
  assert.equal(cal.findMicrosoft([], entry), undefined);
});
