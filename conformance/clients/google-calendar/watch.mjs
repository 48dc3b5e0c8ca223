// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: push channels, with a receiver on this machine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { control, finish, refused, start, step, world } from '../harness.mjs';
import { client, reason } from './client.mjs';

await start();
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  people: [{ email: 'ada@acme.example', name: 'Ada' }, { email: 'bob@acme.example', name: 'Bob' }],
});
const ada = client(w, 'ada@acme.example');

const received = [];
let wake = () => {};
const receiver = createServer((request, response) => {
  let size = 0;
  request.on('data', (chunk) => { size += chunk.length; });
  request.on('end', () => {
    received.push({ method: request.method, url: request.url, headers: request.headers, size });
    response.end();
    wake();
  });
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const address = `http://127.0.0.1:${receiver.address().port}/hook`;

/** The next message; fails where none comes for minutes. */
async function message() {
  const deadline = setTimeout(() => wake(new Error('no message came')), 500_000);
  while (!received.length) {
    const error = await new Promise(resolve => { wake = resolve; });
    if (error) throw error;
  }
  clearTimeout(deadline);
  return received.shift();
}

const lunch = { summary: 'Lunch', start: { date: '2026-11-24' }, end: { date: '2026-11-25' } };
let channel;
let event;

await step('a channel is made', async () => {
  const { data } = await ada.events.watch({
    calendarId: 'primary', requestBody: { id: 'channel-1', type: 'web_hook', address, token: 'my=token' },
  });
  channel = data;
  assert.equal(data.kind, 'api#channel');
  assert.equal(data.id, 'channel-1');
  assert.match(data.resourceId, /^[\w-]{27}$/);
  assert.match(data.resourceUri, /\/calendar\/v3\/calendars\/[^/]+\/events\?alt=json$/);
  assert.equal(data.expiration, String(Date.parse('2026-11-30T08:00:00Z')));
});

await step('the first message says sync', async () => {
  const { method, url, headers, size } = await message();
  assert.deepEqual([method, url, size, headers['content-length']], ['POST', '/hook', 0, '0']);
  assert.equal(headers['x-goog-channel-id'], 'channel-1');
  assert.equal(headers['x-goog-channel-token'], 'my=token');
  assert.equal(headers['x-goog-channel-expiration'], 'Mon, 30 Nov 2026 08:00:00 GMT');
  assert.equal(headers['x-goog-resource-id'], channel.resourceId);
  assert.equal(headers['x-goog-resource-uri'], channel.resourceUri);
  assert.equal(headers['x-goog-resource-state'], 'sync');
  assert.equal(headers['x-goog-message-number'], '1');
});

await step('a change is notified', async () => {
  ({ data: event } = await ada.events.insert({ calendarId: 'primary', requestBody: lunch }));
  const { headers, size } = await message();
  assert.deepEqual([headers['x-goog-resource-state'], headers['x-goog-channel-id'], size], ['exists', 'channel-1', 0]);
  assert.ok(Number(headers['x-goog-message-number']) > 1);
});

await step('so is an invitation from somebody else', async () => {
  await client(w, 'bob@acme.example').events.insert({
    calendarId: 'primary', requestBody: { ...lunch, attendees: [{ email: 'ada@acme.example' }] },
  });
  assert.equal((await message()).headers['x-goog-resource-state'], 'exists');
});

await step('a name is used once', async () => {
  const error = await refused(() => ada.events.watch({
    calendarId: 'primary', requestBody: { id: 'channel-1', type: 'web_hook', address },
  }));
  assert.deepEqual(reason(error), [400, 'channelIdNotUnique']);
});

await step('the messages are in the outbox too', async () => {
  const { entries } = await control('GET', `/worlds/${w.key}/outbox`);
  const hooks = entries.filter(e => e.kind === 'webhook');
  assert.equal(hooks.length, 3);
  assert.ok(hooks.every(e => e.to === address));
});

await step('a stopped channel is silent', async () => {
  const { status } = await ada.channels.stop({ requestBody: { id: channel.id, resourceId: channel.resourceId } });
  assert.equal(status, 204);
  await ada.events.patch({ calendarId: 'primary', eventId: event.id, requestBody: { summary: 'Dinner' } });
  const { entries } = await control('GET', `/worlds/${w.key}/outbox`);
  assert.equal(entries.filter(e => e.kind === 'webhook').length, 3);
  assert.deepEqual(received, []);
});

await step('stopping it again finds nothing', async () => {
  const error = await refused(() => ada.channels.stop({ requestBody: { id: channel.id, resourceId: channel.resourceId } }));
  assert.equal(error.status, 404);
});

await step('a channel ends by the world\'s clock', async () => {
  const { data } = await ada.calendarList.watch({
    requestBody: { id: 'channel-2', type: 'web_hook', address, expiration: String(Date.parse('2026-11-23T08:10:00Z')) },
  });
  assert.equal(data.expiration, String(Date.parse('2026-11-23T08:10:00Z')));
  assert.equal((await message()).headers['x-goog-resource-state'], 'sync');
  await ada.calendars.insert({ requestBody: { summary: 'Boat' } });
  assert.equal((await message()).headers['x-goog-channel-id'], 'channel-2');
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 660 });
  await ada.calendars.insert({ requestBody: { summary: 'Bike' } });
  const { entries } = await control('GET', `/worlds/${w.key}/outbox`);
  assert.equal(entries.filter(e => e.kind === 'webhook').length, 5);
});

receiver.close();
await finish();
