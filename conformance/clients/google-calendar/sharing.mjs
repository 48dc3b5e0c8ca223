// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: what three people see of a calendar that one of them shares.
import assert from 'node:assert/strict';
import { finish, refused, start, step, world } from '../harness.mjs';
import { client, reason } from './client.mjs';

await start();
const [adaId, bobId, carlId] = ['ada@acme.example', 'bob@acme.example', 'carl@other.example'];
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [{ email: adaId, name: 'Ada', zone: 'Europe/Rome' }, { email: bobId, name: 'Bob' }, { email: carlId, name: 'Carl' }],
});
const ada = client(w, adaId);
const bob = client(w, bobId);
const carl = client(w, carlId);
const on = (day) => ({ start: { date: day }, end: { date: day } });
let boat;
let plain;
let secret;

const titles = async (who) => {
  const { data } = await who.events.list({ calendarId: boat, singleEvents: true, orderBy: 'startTime' });
  return [data.accessRole, data.items.map(e => e.summary)];
};

await step('a secondary calendar is made, and its maker owns it', async () => {
  const { data } = await ada.calendars.insert({ requestBody: { summary: 'Boat', timeZone: 'Europe/Rome' } });
  boat = data.id;
  assert.match(boat, /^c_[0-9a-f]{64}@group\.calendar\.google\.com$/);
  const { data: entry } = await ada.calendarList.get({ calendarId: boat });
  assert.deepEqual([entry.accessRole, entry.summary, entry.primary], ['owner', 'Boat', undefined]);
});

await step('its events have the calendar as their organizer', async () => {
  ({ data: plain } = await ada.events.insert({
    calendarId: boat, requestBody: { summary: 'Paint the hull', location: 'Harbour', ...on('2026-11-24') },
  }));
  ({ data: secret } = await ada.events.insert({
    calendarId: boat,
    requestBody: { summary: 'Sell the boat', description: 'Tell nobody', visibility: 'private', ...on('2026-11-25') },
  }));
  assert.equal(plain.organizer.email, boat);
  assert.equal(plain.creator.email, adaId);
});

await step('nobody else sees it', async () => {
  for (const who of [bob, carl]) {
    assert.deepEqual(reason(await refused(() => who.events.list({ calendarId: boat }))), [404, 'notFound']);
    assert.deepEqual(reason(await refused(() => who.calendars.get({ calendarId: boat }))), [404, 'notFound']);
    assert.deepEqual(reason(await refused(() => who.calendarList.insert({ requestBody: { id: boat } }))), [404, 'notFound']);
  }
});

await step('rules are made', async () => {
  const { data } = await ada.acl.insert({ calendarId: boat, requestBody: { role: 'reader', scope: { type: 'user', value: bobId } } });
  assert.equal(data.id, `user:${bobId}`);
  assert.equal(data.kind, 'calendar#aclRule');
  await ada.acl.insert({ calendarId: boat, requestBody: { role: 'freeBusyReader', scope: { type: 'user', value: carlId } } });
  const { data: rules } = await ada.acl.list({ calendarId: boat });
  const byId = Object.fromEntries(rules.items.map(r => [r.id, r.role]));
  assert.equal(byId[`user:${adaId}`], 'owner');
  assert.equal(byId[`user:${bobId}`], 'reader');
  assert.equal(byId[`user:${carlId}`], 'freeBusyReader');
});

await step('a rule puts the calendar on nobody\'s list; its reader does', async () => {
  const before = await bob.calendarList.list();
  assert.deepEqual(before.data.items.map(c => c.id), [bobId]);
  const { data } = await bob.calendarList.insert({ requestBody: { id: boat, summaryOverride: 'Ada\'s boat' } });
  assert.deepEqual([data.accessRole, data.summary, data.summaryOverride], ['reader', 'Boat', 'Ada\'s boat']);
  const { data: mine } = await ada.calendarList.get({ calendarId: boat });
  assert.equal(mine.summaryOverride, undefined);
});

await step('the owner sees everything', async () => {
  assert.deepEqual(await titles(ada), ['owner', ['Paint the hull', 'Sell the boat']]);
});

await step('a reader sees titles, but of private events only when they are', async () => {
  assert.deepEqual(await titles(bob), ['reader', ['Paint the hull', undefined]]);
  const { data } = await bob.events.get({ calendarId: boat, eventId: secret.id });
  assert.deepEqual([data.summary, data.description, data.visibility], [undefined, undefined, 'private']);
  assert.deepEqual(data.start, secret.start);
});

await step('a reader of free/busy sees times only', async () => {
  assert.deepEqual(await titles(carl), ['freeBusyReader', [undefined, undefined]]);
  const { data } = await carl.events.get({ calendarId: boat, eventId: plain.id });
  assert.deepEqual([data.summary, data.location], [undefined, undefined]);
  assert.deepEqual(data.start, plain.start);
});

await step('neither finds by a word what he may not see', async () => {
  const found = async (who, q) => (await who.events.list({ calendarId: boat, q })).data.items.map(e => e.id);
  assert.deepEqual(await found(ada, 'sell'), [secret.id]);
  assert.deepEqual(await found(bob, 'sell'), []);
  assert.deepEqual(await found(bob, 'paint'), [plain.id]);
  assert.deepEqual(await found(carl, 'paint'), []);
});

await step('neither writes, or reads the rules', async () => {
  for (const who of [bob, carl]) {
    const error = await refused(() => who.events.insert({ calendarId: boat, requestBody: on('2026-11-26') }));
    assert.deepEqual(reason(error), [403, 'requiredAccessLevel']);
    assert.equal((await refused(() => who.events.delete({ calendarId: boat, eventId: plain.id }))).status, 403);
    assert.equal((await refused(() => who.acl.list({ calendarId: boat }))).status, 403);
  }
});

await step('a writer sees and writes everything, but does not change the rules', async () => {
  const { data } = await ada.acl.patch({ calendarId: boat, ruleId: `user:${bobId}`, requestBody: { role: 'writer' } });
  assert.equal(data.role, 'writer');
  assert.deepEqual(await titles(bob), ['writer', ['Paint the hull', 'Sell the boat']]);
  const { data: event } = await bob.events.insert({ calendarId: boat, requestBody: { summary: 'Sail', ...on('2026-11-27') } });
  assert.equal(event.creator.email, bobId);
  assert.equal(event.organizer.email, boat);
  const error = await refused(() => bob.acl.insert({
    calendarId: boat, requestBody: { role: 'owner', scope: { type: 'user', value: bobId } },
  }));
  assert.equal(error.status, 403);
  const { data: seen } = await ada.events.get({ calendarId: boat, eventId: event.id });
  assert.equal(seen.summary, 'Sail');
});

await step('a rule for a domain reaches those who are in it', async () => {
  await ada.acl.delete({ calendarId: boat, ruleId: `user:${bobId}` });
  assert.equal((await refused(() => bob.events.list({ calendarId: boat }))).status, 404);
  const { data } = await ada.acl.insert({
    calendarId: boat, requestBody: { role: 'reader', scope: { type: 'domain', value: 'acme.example' } },
  });
  assert.equal(data.id, 'domain:acme.example');
  assert.equal((await titles(bob))[0], 'reader');
  assert.equal((await titles(carl))[0], 'freeBusyReader');
});

await step('a public rule reaches everybody', async () => {
  const { data } = await ada.acl.insert({ calendarId: boat, requestBody: { role: 'reader', scope: { type: 'default' } } });
  assert.equal(data.role, 'reader');
  assert.deepEqual(await titles(carl), ['reader', ['Paint the hull', undefined, 'Sail']]);
});

await step('a primary calendar is shared by its own rules', async () => {
  await bob.events.insert({ calendarId: 'primary', requestBody: { summary: 'Dentist', ...on('2026-11-26') } });
  assert.equal((await refused(() => ada.events.list({ calendarId: bobId }))).status, 404);
  await bob.acl.insert({ calendarId: 'primary', requestBody: { role: 'reader', scope: { type: 'user', value: adaId } } });
  const { data } = await ada.events.list({ calendarId: bobId });
  assert.deepEqual(data.items.map(e => e.summary), ['Dentist']);
});

await step('a primary calendar is neither deleted nor taken off the list', async () => {
  assert.ok([400, 403].includes((await refused(() => ada.calendars.delete({ calendarId: 'primary' }))).status));
  assert.ok([400, 403].includes((await refused(() => ada.calendarList.delete({ calendarId: adaId }))).status));
});

await step('a deleted calendar is gone for all', async () => {
  await ada.calendars.delete({ calendarId: boat });
  for (const who of [ada, bob, carl]) assert.equal((await refused(() => who.events.list({ calendarId: boat }))).status, 404);
});

await finish();
