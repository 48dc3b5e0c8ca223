// SPDX-License-Identifier: Apache-2.0
// Programs that were not written for it: their calls to the vendors come to a world, their other connections are refused.
import assert from 'node:assert/strict';
import http from 'node:http';
import https, { get as httpsGet } from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { once } from 'node:events';
import { ADA, BO, event, EVENTS, sdk, small, sosia, test } from './support.mjs';

const { intercept } = sosia;
const failure = emitter => new Promise((resolve) => { emitter.on('error', resolve); });
const { google } = (await sdk('googleapis')).default;
const axios = (await sdk('axios')).default;

test('unmodified programs come to the world, by fetch, node:http and agents of their own', async () => {
  const world = small();
  using held = intercept(world.asActor(ADA));
  const made = await fetch(EVENTS, { method: 'POST', body: JSON.stringify(event('Lunch')), headers: { 'Content-Type': 'application/json' } });
  assert.equal((await made.json()).summary, 'Lunch');
  const auth = new google.auth.OAuth2();
  auth.setCredentials({ access_token: world.asActor(ADA).token });
  const { data } = await google.calendar({ version: 'v3', auth }).events.list({ calendarId: 'primary', q: 'Lunch' });
  assert.equal(data.items.length, 1);
  assert.equal((await axios.get(`${EVENTS}?q=Lunch`)).data.items.length, 1);
  assert.equal((await axios.get(`${EVENTS}?q=Lunch`, { httpsAgent: new https.Agent({ keepAlive: true }) })).data.items.length, 1);
  const [response] = await once(httpsGet(`${EVENTS}?q=Lunch`), 'response'); // a name that was imported before
  assert.equal(response.statusCode, 200);
  response.resume();
  const [other] = await once(https.get({ hostname: 'www.googleapis.com', path: '/calendar/v3/calendars/primary', agent: false }), 'response');
  assert.equal(other.statusCode, 200);
  other.resume();
  assert.ok(held.restore);
});

test('every other connection is refused, with its host and the allow-list', async () => {
  const world = small();
  const { restore } = intercept(world, { allow: ['*.example.org', 'db.example:5432'] });
  const text = /refuses a connection to api\.example\.com:443: .*allow-list has \*\.example\.org, db\.example:5432/;
  try {
    const refused = await fetch('https://api.example.com/').catch(error => error.cause);
    assert.equal(refused.code, 'ERR_SOSIA_REFUSED');
    assert.match(refused.message, text);
    assert.match((await failure(https.get('https://api.example.com/'))).message, text);
    assert.match((await failure(tls.connect(443, 'api.example.com'))).message, text);
    assert.match((await failure(net.connect(443, 'api.example.com'))).message, text);
    assert.match((await failure(net.connect({ port: 5433, host: 'db.example' }))).message, /db\.example:5433/);
    assert.match((await failure(net.connect(443, 'www.googleapis.com'))).message, /answers HTTP there, and nothing else/);
    await assert.rejects(axios.get('https://api.example.com/'), text);
  } finally {
    restore();
  }
});

test('what is allowed goes through, and all does when it is over', async () => {
  const world = small();
  const server = http.createServer((request, response) => response.end('own')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/`;
  const before = [http.globalAgent, https.globalAgent, http.request, https.get, net.Socket.prototype.connect, globalThis[Symbol.for('undici.globalDispatcher.1')]];
  const outer = intercept(world);
  const inner = intercept(world, { allow: ['localhost'] });
  assert.equal(await (await fetch(url)).text(), 'own');
  assert.equal((await axios.get(url)).data, 'own');
  inner.restore();
  inner.restore(); // twice is once
  await assert.rejects(fetch(url));
  outer.restore();
  assert.deepEqual([http.globalAgent, https.globalAgent, http.request, https.get, net.Socket.prototype.connect, globalThis[Symbol.for('undici.globalDispatcher.1')]], before);
  assert.equal(await (await fetch(url)).text(), 'own');
  server.close();
  server.closeAllConnections();
});

test('run() holds for what it awaits alone, beside others', async () => {
  const names = await Promise.all([ADA, BO].map(as => intercept.run(small().asActor(as), async () => {
    await fetch(EVENTS, { method: 'POST', body: JSON.stringify(event(as)), headers: { 'Content-Type': 'application/json' } });
    await new Promise(resolve => { setTimeout(resolve, 5); });
    const { items } = await (await fetch(`${EVENTS}?q=small`)).json();
    return items.map(e => e.summary).filter(s => s.includes('@'));
  })));
  assert.deepEqual(names, [[ADA], [BO]]);
  await assert.rejects(intercept.run(small(), () => { throw new Error('mine'); }), /mine/);
  assert.throws(() => intercept({}), TypeError);
  assert.throws(() => intercept(small(), { allow: 'localhost' }), TypeError);
});
