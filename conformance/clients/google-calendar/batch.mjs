// SPDX-License-Identifier: Apache-2.0
// Batches as the documentation has them: multipart/mixed with a request in each part.
import assert from 'node:assert/strict';
import { finish, start, step, world } from '../harness.mjs';
import { client } from './client.mjs';

await start();
const person = 'ada@acme.example';
const w = await world({ sosia: 1, time: '2026-11-23T08:00:00Z', people: [{ email: person, name: 'Ada' }] });
const { events } = client(w, person);
const path = '/calendar/v3/calendars/primary/events';
const on = (day, more) => JSON.stringify({ start: { date: day }, end: { date: day }, ...more });

/** Sends requests {id, line, headers, body} as one batch; gives the parts of the answer in order. */
async function batch(requests, { token = w.tokens[person], boundary = 'batch_outer', type } = {}) {
  const body = requests.map(({ id, line, headers = {}, body: inner = '' }) => [
    `--${boundary}`, 'Content-Type: application/http', ...(id ? [`Content-ID: <${id}>`] : []), '',
    line, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(inner ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(inner)}`] : []), '', inner,
  ].join('\r\n')).join('\r\n') + `\r\n--${boundary}--\r\n`;
  const answer = await fetch(`${w.url}batch/calendar/v3`, {
    method: 'POST', body,
    headers: { 'content-type': type ?? `multipart/mixed; boundary=${boundary}`, ...(token && { authorization: `Bearer ${token}` }) },
  });
  const text = await answer.text();
  const found = /^multipart\/mixed; boundary="?([^"]+)"?$/.exec(answer.headers.get('content-type'));
  if (!found) return { status: answer.status, text };
  const parts = text.split(`--${found[1]}`).slice(1, -1).map((part) => {
    const [outer, head, ...rest] = part.replace(/^\r\n/, '').split('\r\n\r\n');
    const inner = rest.join('\r\n\r\n').trim();
    return {
      id: /^content-id: *<(.*)>$/im.exec(outer)?.[1],
      status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)[1]),
      etag: /^etag: *(.*)$/im.exec(head)?.[1],
      data: inner ? JSON.parse(inner) : undefined,
    };
  });
  return { status: answer.status, parts };
}

let made;

await step('events are inserted in one call, answered in order', async () => {
  const { status, parts } = await batch([1, 2, 3].map(n => ({
    id: `insert-${n}`, line: `POST ${path} HTTP/1.1`, body: on(`2026-12-0${n}`, { summary: `Event ${n}` }),
  })));
  assert.equal(status, 200);
  assert.deepEqual(parts.map(p => [p.id, p.status, p.data.summary]),
    [['response-insert-1', 200, 'Event 1'], ['response-insert-2', 200, 'Event 2'], ['response-insert-3', 200, 'Event 3']]);
  made = parts.map(p => p.data);
  const { data } = await events.list({ calendarId: 'primary' });
  assert.deepEqual(data.items.map(e => e.summary).sort(), ['Event 1', 'Event 2', 'Event 3']);
});

await step('each part has its own method, status and error', async () => {
  const { parts } = await batch([
    { id: 'get', line: `GET ${path}/${made[0].id}` },
    { id: 'patch', line: `PATCH ${path}/${made[1].id} HTTP/1.1`, body: JSON.stringify({ summary: 'Changed' }) },
    { id: 'delete', line: `DELETE ${path}/${made[2].id}` },
    { id: 'missing', line: `GET ${path}/nosuchevent` },
    { id: 'stale', line: `PATCH ${path}/${made[1].id}`, headers: { 'If-Match': made[1].etag }, body: '{"summary":"Late"}' },
    { id: 'fields', line: `GET ${path}?fields=items(summary)` },
  ]);
  assert.deepEqual(parts.map(p => [p.id, p.status]), [
    ['response-get', 200], ['response-patch', 200], ['response-delete', 204], ['response-missing', 404],
    ['response-stale', 412], ['response-fields', 200],
  ]);
  assert.equal(parts[0].etag, made[0].etag);
  assert.equal(parts[2].data, undefined);
  assert.equal(parts[3].data.error.errors[0].reason, 'notFound');
  assert.deepEqual(parts[5].data.items.map(e => e.summary).sort(), ['Changed', 'Event 1']);
});

await step('an unchanged resource is not sent again', async () => {
  const { parts: [part] } = await batch([{ line: `GET ${path}/${made[0].id}`, headers: { 'If-None-Match': made[0].etag } }]);
  assert.deepEqual([part.status, part.data], [304, undefined]);
});

await step('a part may bring a token of its own', async () => {
  const { parts } = await batch([
    { id: 'good', line: `GET ${path}/${made[0].id}`, headers: { Authorization: `Bearer ${w.tokens[person]}` } },
    { id: 'bad', line: `GET ${path}/${made[0].id}`, headers: { Authorization: 'Bearer nothing-like-a-token' } },
  ], { token: null });
  assert.deepEqual(parts.map(p => p.status), [200, 401]);
});

await step('more than the limit is refused as a whole', async () => {
  const { status, parts } = await batch(Array.from({ length: 1001 }, () => ({ line: `GET ${path}` })));
  assert.deepEqual([status, parts], [400, undefined]);
});

await step('a body that is none is refused', async () => {
  const { status, parts } = await batch([{ line: `GET ${path}` }], { type: 'multipart/mixed; boundary=another' });
  assert.deepEqual([status, parts], [400, undefined]);
});

await finish();
