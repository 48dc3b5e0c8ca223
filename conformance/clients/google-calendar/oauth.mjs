// SPDX-License-Identifier: Apache-2.0
// Google's official libraries for Node with the real host names, through `sosia run`: a service account that acts for a
// person, and a program that a person lets in (authorisation code with PKCE), its refresh and its end.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { CodeChallengeMethod } from 'google-auth-library';
import { google } from 'googleapis';
import { control, finish, refused, start, step, through } from '../harness.mjs';
import { reason } from './client.mjs';

through(['--fixture', 'small', '--clock', 'real']);

await start();
const scope = 'https://www.googleapis.com/auth/calendar';
const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const robot = 'robot@sail.example';
const redirectUri = 'https://app.example/callback';
await control('POST', `/worlds/${process.env.SOSIA_WORLD}/seed`, {
  sosia: 1,
  organizations: [{ domain: 'sail.example', name: 'Sail' }],
  people: [
    { email: 'dora@sail.example', name: 'Dora', zone: 'Europe/Rome' }, { email: 'emil@sail.example', name: 'Emil' },
    { email: robot, name: 'Robot', kind: 'service' },
  ],
  service_accounts: [{ email: robot, client_id: '110000000000000000042', public_key: pair.publicKey, key_id: 'key-1', delegation: scope }],
  oauth_clients: [{
    client_id: 'my-app', client_secret: 'hush', name: 'My app', redirect_uris: [redirectUri], automatic: 'dora@sail.example',
  }],
});

/** A client as programs make it from a key file. */
const jwt = (more) => new google.auth.JWT({ email: robot, key: pair.privateKey, keyId: 'key-1', scopes: [scope], ...more });
const calendarOf = (auth) => google.calendar({ version: 'v3', auth });
const on = (day, more) => ({ start: { date: day }, end: { date: day }, ...more });

await step('a service account acts for itself', async () => {
  const calendar = calendarOf(jwt());
  const { data } = await calendar.calendarList.list();
  assert.ok(data.items.every(c => c.id === robot));
});

await step('and may not invite anybody in its own name', async () => {
  const error = await refused(() => calendarOf(jwt()).events.insert({
    calendarId: 'primary', requestBody: on('2026-12-01', { attendees: [{ email: 'emil@sail.example' }] }),
  }));
  assert.deepEqual(reason(error), [403, 'forbiddenForServiceAccounts']);
});

await step('with delegation it acts for a person', async () => {
  const calendar = calendarOf(jwt({ subject: 'dora@sail.example' }));
  const { data } = await calendar.events.insert({
    calendarId: 'primary', requestBody: on('2026-12-01', { summary: 'Regatta', attendees: [{ email: 'emil@sail.example' }] }),
  });
  assert.equal(data.creator.email, 'dora@sail.example');
  const emil = await calendarOf(jwt({ subject: 'emil@sail.example' })).events.list({ calendarId: 'primary' });
  assert.deepEqual(emil.data.items.map(e => [e.id, e.summary]), [[data.id, 'Regatta']]);
});

await step('not for somebody of another organisation', async () => {
  const error = await refused(() => jwt({ subject: process.env.SOSIA_ACTOR }).authorize());
  assert.deepEqual([error.status, error.response.data.error], [401, 'unauthorized_client']);
});

await step('nor with scopes that it was not given', async () => {
  const error = await refused(() => jwt({ subject: 'dora@sail.example', scopes: ['https://mail.google.com/'] }).authorize());
  assert.deepEqual([error.status, error.response.data.error], [401, 'unauthorized_client']);
});

await step('nor signed by another key', async () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const error = await refused(() => jwt({ key: other }).authorize());
  assert.deepEqual([error.status, error.response.data.error], [400, 'invalid_grant']);
});

// ---- a program that a person lets in ----

const app = () => new google.auth.OAuth2('my-app', 'hush', redirectUri);
const auth = app();
let verifier;

/** Goes where the program sends the browser; gives the parameters with which it comes back. */
async function consent(client, more) {
  const answer = await fetch(client.generateAuthUrl({ access_type: 'offline', scope: [scope, 'openid', 'email'], ...more }), { redirect: 'manual' });
  assert.equal(answer.status, 302);
  const back = new URL(answer.headers.get('location'));
  assert.equal(back.origin + back.pathname, redirectUri);
  return back.searchParams;
}

await step('a code comes back, and is good for tokens with its verifier', async () => {
  verifier = await auth.generateCodeVerifierAsync();
  const back = await consent(auth, {
    state: 'a b&c', code_challenge: verifier.codeChallenge, code_challenge_method: CodeChallengeMethod.S256,
  });
  assert.equal(back.get('state'), 'a b&c');
  const { tokens } = await auth.getToken({ code: back.get('code'), codeVerifier: verifier.codeVerifier });
  assert.equal(tokens.token_type, 'Bearer');
  assert.ok(tokens.access_token && tokens.refresh_token && tokens.id_token);
  assert.ok(tokens.scope.split(' ').includes(scope));
  assert.ok(tokens.expiry_date > Date.now() + 3000000);
  auth.setCredentials(tokens);
});

await step('a code is good once; when it comes again, its tokens are over', async () => {
  const client = app();
  const code = (await consent(client, { prompt: 'consent' })).get('code');
  const { tokens } = await client.getToken(code);
  const again = await refused(() => client.getToken(code));
  assert.deepEqual([again.status, again.response.data.error], [400, 'invalid_grant']);
  await refused(() => client.getTokenInfo(tokens.access_token));
});

await step('a code without the right verifier is good for nothing', async () => {
  const back = await consent(app(), { code_challenge: verifier.codeChallenge, code_challenge_method: CodeChallengeMethod.S256 });
  const error = await refused(() => app().getToken({ code: back.get('code'), codeVerifier: 'x'.repeat(64) }));
  assert.deepEqual([error.status, error.response.data.error], [400, 'invalid_grant']);
});

await step('the id_token says who it is, signed with a published key', async () => {
  const ticket = await auth.verifyIdToken({ idToken: auth.credentials.id_token, audience: 'my-app' });
  const payload = ticket.getPayload();
  assert.deepEqual([payload.email, payload.email_verified], ['dora@sail.example', true]);
});

await step('so does tokeninfo', async () => {
  const info = await auth.getTokenInfo(auth.credentials.access_token);
  assert.equal(info.email, 'dora@sail.example');
  assert.equal(info.aud, 'my-app');
  assert.ok(info.scopes.includes(scope));
});

await step('the program sees the person\'s calendar', async () => {
  const { data } = await calendarOf(auth).events.list({ calendarId: 'primary' });
  assert.deepEqual(data.items.map(e => e.summary), ['Regatta']);
});

await step('another person is chosen by login_hint', async () => {
  const other = app();
  const back = await consent(other, { login_hint: 'emil@sail.example' });
  other.setCredentials((await other.getToken(back.get('code'))).tokens);
  const { data } = await calendarOf(other).calendarList.get({ calendarId: 'primary' });
  assert.equal(data.id, 'emil@sail.example');
});

await step('an expired token is refreshed by the library itself', async () => {
  const old = auth.credentials.access_token;
  auth.setCredentials({ ...auth.credentials, expiry_date: Date.now() - 1000 });
  await calendarOf(auth).calendarList.list();
  assert.notEqual(auth.credentials.access_token, old);
  assert.ok(auth.credentials.refresh_token);
});

await step('a wrong secret is refused', async () => {
  const thief = new google.auth.OAuth2('my-app', 'wrong', redirectUri);
  thief.setCredentials({ refresh_token: auth.credentials.refresh_token });
  const error = await refused(() => thief.getAccessToken());
  assert.deepEqual([error.status, error.response.data.error], [401, 'invalid_client']);
});

await step('a token without the scope opens nothing', async () => {
  const narrow = app();
  const back = await consent(narrow, { scope: ['openid', 'email'] });
  narrow.setCredentials((await narrow.getToken(back.get('code'))).tokens);
  const error = await refused(() => calendarOf(narrow).calendarList.list());
  assert.deepEqual(reason(error), [403, 'insufficientPermissions']);
});

await step('a revoked grant is over, with all its tokens', async () => {
  const { access_token: access, refresh_token: refresh } = auth.credentials;
  const { status } = await auth.revokeToken(refresh);
  assert.equal(status, 200);
  const gone = app();
  gone.setCredentials({ refresh_token: refresh });
  const error = await refused(() => gone.getAccessToken());
  assert.deepEqual([error.status, error.response.data.error], [400, 'invalid_grant']);
  const answer = await fetch('https://www.googleapis.com/calendar/v3/users/me/calendarList', { headers: { authorization: `Bearer ${access}` } });
  assert.equal(answer.status, 401);
});

await step('no other host is there', async () => {
  await refused(() => fetch('https://example.com/'));
});

await finish();
