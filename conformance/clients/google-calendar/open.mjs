// SPDX-License-Identifier: Apache-2.0
// A program at a developer's desk, unmodified, with its own client id and the refresh token that it keeps, through
// `sosia run`: an open world takes it as its first person; a listed one does not know it.
import assert from 'node:assert/strict';
import { google } from 'googleapis';
import { control, finish, refused, start, step, through } from '../harness.mjs';

through(['--fixture', `${import.meta.dirname}/desk.yaml`, '--clock', 'frozen']);

await start();
const scope = 'https://www.googleapis.com/auth/calendar.readonly';
const app = { client_id: '407408718192-desk.apps.googleusercontent.com', client_secret: 'GOCSPX-of-the-program' };
const kept = { refresh_token: '1//09-of-the-program', scope };

/** As the program makes it: a client from its own file, with the tokens that it kept. */
function client(tokens = kept, endpoints) {
  const auth = new google.auth.OAuth2({ clientId: app.client_id, clientSecret: app.client_secret, endpoints });
  auth.setCredentials(tokens);
  return auth;
}
const calendarOf = (auth) => google.calendar({ version: 'v3', auth });
const primary = async (auth) => (await calendarOf(auth).calendars.get({ calendarId: 'primary' })).data.id;

await step('a program with its own client id and refresh token acts as the first person', async () => {
  const auth = client();
  assert.equal(await primary(auth), 'ada@small.example');
  assert.ok(auth.credentials.access_token);
  assert.ok(auth.credentials.expiry_date > 0);
});

await step('an access token that has expired is refreshed on the way', async () => {
  const auth = client({ ...kept, access_token: 'ya29.long-gone', expiry_date: 1 });
  assert.equal(await primary(auth), 'ada@small.example');
});

await step('a file of an authorised user works as it is', async () => {
  const auth = google.auth.fromJSON({ type: 'authorized_user', ...app, refresh_token: kept.refresh_token });
  assert.equal(await primary(auth), 'ada@small.example');
});

await step('mail is served to it too', async () => {
  const { data } = await google.gmail({ version: 'v1', auth: client() }).users.getProfile({ userId: 'me' });
  assert.equal(data.emailAddress, 'ada@small.example');
});

await step('a token that was revoked is not good again', async () => {
  const auth = client({ refresh_token: '1//09-another' });
  await primary(auth);
  await auth.revokeToken('1//09-another');
  const error = await refused(() => primary(client({ refresh_token: '1//09-another' })));
  assert.equal(error.response.data.error, 'invalid_grant');
});

await step('a world that names the person has it so', async () => {
  const { world } = await control('POST', '/worlds', {
    clock: 'frozen',
    seed_document: {
      sosia: 1, organizations: [{ domain: 'desk.example', name: 'Desk' }],
      people: [{ email: 'una@desk.example', name: 'Una' }, { email: 'due@desk.example', name: 'Due' }],
      oauth: { mode: 'open', actor: 'due@desk.example' },
    },
  });
  const url = `${process.env.SOSIA_URL}/w/${world}`;
  const auth = client(kept, { oauth2TokenUrl: `${url}/token` });
  const { token } = await auth.getAccessToken();
  const answer = await fetch(`${url}/calendar/v3/calendars/primary`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await answer.json()).id, 'due@desk.example');
});

await step('a listed world does not know it', async () => {
  const { world } = await control('POST', '/worlds', {
    clock: 'frozen', seed_document: { sosia: 1, people: [{ email: 'una@desk.example', name: 'Una' }] },
  });
  const error = await refused(
    () => client(kept, { oauth2TokenUrl: `${process.env.SOSIA_URL}/w/${world}/token` }).getAccessToken());
  assert.equal(error.response.status, 401);
  assert.equal(error.response.data.error, 'invalid_client');
});

await finish();
