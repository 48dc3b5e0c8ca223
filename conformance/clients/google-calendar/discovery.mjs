// SPDX-License-Identifier: Apache-2.0
// Google's Node client builds itself from the discovery document that we serve.
import assert from 'node:assert/strict';
import { google } from 'googleapis';
import { finish, start, step, world } from '../harness.mjs';

const ADA = 'ada@acme.example';
await start();
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  people: [{ email: ADA, name: 'Ada', zone: 'Europe/Rome' }],
  oauth_clients: [{ client_id: 'app', client_secret: 'hush', kind: 'web', redirect_uris: ['https://app.example/back'] }],
  oauth_refresh_tokens: [{
    token: '1//ada-token', client_id: 'app', actor: ADA, scopes: 'https://www.googleapis.com/auth/calendar',
  }],
});
const auth = new google.auth.OAuth2({
  clientId: 'app', clientSecret: 'hush', endpoints: { oauth2TokenUrl: `${w.url}token` },
});
auth.setCredentials({ refresh_token: '1//ada-token' });

await step('the directory names the API', async () => {
  const { items } = await (await fetch(`${w.url}discovery/v1/apis?name=calendar`)).json();
  assert.deepEqual(items.map(i => i.id), ['calendar:v3']);
  assert.equal(items[0].discoveryRestUrl, `${w.url}discovery/v1/apis/calendar/v3/rest`);
});

await step('a client is built and works', async () => {
  const calendar = await google.discoverAPI(`${w.url}discovery/v1/apis/calendar/v3/rest`, { auth });
  const { data } = await calendar.events.insert({
    calendarId: 'primary', requestBody: { summary: 'Built', start: { date: '2026-11-24' }, end: { date: '2026-11-25' } },
  });
  const { data: list } = await calendar.events.list({ calendarId: 'primary', fields: 'kind,items(summary)' });
  assert.deepEqual(list, { kind: 'calendar#events', items: [{ summary: 'Built' }] });
  await calendar.events.delete({ calendarId: 'primary', eventId: data.id });
});

await step('an access token leads to its world by itself', async () => {
  // The library keeps only the host of rootUrl.
  const calendar = google.calendar({ version: 'v3', auth, rootUrl: `${new URL(w.url).origin}/` });
  const { data } = await calendar.calendars.get({ calendarId: 'primary' });
  assert.equal(data.id, ADA);
});

await finish();
