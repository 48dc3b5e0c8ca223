// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node with nothing set but its rootUrl: single events.
import assert from 'node:assert/strict';
import { google } from 'googleapis';
import { control, finish, refused, start, step, world } from '../harness.mjs';

await start();
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  people: [{ email: 'ada@acme.example', name: 'Ada', zone: 'Europe/Rome' }],
});
const auth = new google.auth.OAuth2();
auth.setCredentials({ access_token: w.tokens['ada@acme.example'] });
const calendar = google.calendar({ version: 'v3', auth, rootUrl: w.url });
let event;

await step('the calendar list has the primary calendar', async () => {
  const { data } = await calendar.calendarList.list();
  assert.equal(data.kind, 'calendar#calendarList');
  assert.deepEqual(data.items.map(c => [c.id, c.primary, c.accessRole]), [['ada@acme.example', true, 'owner']]);
});

await step('an event is inserted', async () => {
  const { data, status } = await calendar.events.insert({
    calendarId: 'primary',
    requestBody: {
      summary: 'Coffee',
      start: { dateTime: '2026-11-23T10:00:00+01:00' },
      end: { dateTime: '2026-11-23T10:30:00+01:00' },
    },
  });
  event = data;
  assert.equal(status, 200);
  assert.match(event.id, /^[a-v0-9]{26}$/);
  assert.equal(event.iCalUID, `${event.id}@google.com`);
  assert.equal(event.status, 'confirmed');
  assert.equal(event.organizer.self, true);
  assert.deepEqual(event.start, { dateTime: '2026-11-23T10:00:00+01:00', timeZone: 'Europe/Rome' });
});

await step('it is listed and got', async () => {
  const { data } = await calendar.events.list({ calendarId: 'primary' });
  assert.deepEqual(data.items.map(e => e.id), [event.id]);
  assert.ok(data.nextSyncToken);
  const got = await calendar.events.get({ calendarId: 'primary', eventId: event.id });
  assert.deepEqual(got.data, event);
  assert.equal(got.headers.get('etag'), event.etag);
});

await step('a patch changes one field and the etag', async () => {
  const { data } = await calendar.events.patch({
    calendarId: 'primary', eventId: event.id, requestBody: { summary: 'Tea' },
  });
  assert.equal(data.summary, 'Tea');
  assert.equal(data.created, event.created);
  assert.notEqual(data.etag, event.etag);
});

await step('a stale etag is refused with 412', async () => {
  const error = await refused(() => calendar.events.patch(
    { calendarId: 'primary', eventId: event.id, requestBody: { summary: 'Milk' } },
    { headers: { 'If-Match': event.etag } }));
  assert.equal(error.status, 412);
  assert.deepEqual(error.response.data.error.errors[0], {
    domain: 'global', reason: 'conditionNotMet', message: 'Precondition Failed',
    locationType: 'header', location: 'If-Match',
  });
  const { data } = await calendar.events.get({ calendarId: 'primary', eventId: event.id });
  assert.equal(data.summary, 'Tea');
});

await step('an update replaces it', async () => {
  const { data } = await calendar.events.update({
    calendarId: 'primary', eventId: event.id,
    requestBody: { start: { date: '2026-11-24' }, end: { date: '2026-11-25' } },
  });
  assert.equal(data.summary, undefined);
  assert.deepEqual(data.start, { date: '2026-11-24' });
  assert.equal(data.sequence, 1);
});

await step('a partial answer has only what was asked for', async () => {
  const { data } = await calendar.events.list({ calendarId: 'primary', fields: 'items(id,start/date)' });
  assert.deepEqual(data, { items: [{ id: event.id, start: { date: '2026-11-24' } }] });
});

await step('it is deleted, and again is gone', async () => {
  const { status } = await calendar.events.delete({ calendarId: 'primary', eventId: event.id });
  assert.equal(status, 204);
  const error = await refused(() => calendar.events.delete({ calendarId: 'primary', eventId: event.id }));
  assert.equal(error.status, 410);
  assert.equal(error.response.data.error.errors[0].reason, 'deleted');
});

await step('a forked world has its own data under its own URL', async () => {
  const fork = (await control('POST', `/worlds/${w.key}/fork`)).world;
  const token = (await control('POST', `/worlds/${fork}/tokens`, { actor: 'ada@acme.example' })).token;
  const other = new google.auth.OAuth2();
  other.setCredentials({ access_token: token });
  const there = google.calendar({ version: 'v3', auth: other, rootUrl: `${w.url.split('/w/')[0]}/` });
  const { data } = await there.events.quickAdd({ calendarId: 'primary', text: 'Lunch tomorrow 1-2pm' });
  assert.equal(data.summary, 'Lunch');
  assert.equal(data.start.dateTime, '2026-11-24T13:00:00+01:00');
  assert.equal(data.end.dateTime, '2026-11-24T14:00:00+01:00');
  assert.equal((await there.events.list({ calendarId: 'primary' })).data.items.length, 1);
  assert.equal((await calendar.events.list({ calendarId: 'primary' })).data.items.length, 0);
});

await step('a bad token is refused', async () => {
  const nobody = new google.auth.OAuth2();
  nobody.setCredentials({ access_token: 'nothing-like-a-token' });
  const error = await refused(() => google.calendar({ version: 'v3', auth: nobody, rootUrl: w.url }).calendarList.list());
  assert.equal(error.status, 401);
});

await finish();
