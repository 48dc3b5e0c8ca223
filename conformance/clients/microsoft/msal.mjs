// SPDX-License-Identifier: Apache-2.0
// Microsoft's token libraries as they are, with the authority's own host, through `sosia run`: every flow that they have for
// Node, and Graph with what it gives.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientSecretCredential } from '@azure/identity';
import { ConfidentialClientApplication, PublicClientApplication } from '@azure/msal-node';
import { finish, refused, start, step, through } from '../harness.mjs';
import { port } from './port.mjs';

if (!process.env.SOSIA_WORLD) {
  const folder = mkdtempSync(join(tmpdir(), 'sosia-msal-'));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=app.example',
    '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'app.pem')], { stdio: 'ignore' });
  process.env.SOSIA_MSAL_KEY = readFileSync(join(folder, 'key.pem'), 'utf8');
  process.env.SOSIA_MSAL_CERTIFICATE = readFileSync(join(folder, 'app.pem'), 'utf8');
  const keyCredentials = [new X509Certificate(process.env.SOSIA_MSAL_CERTIFICATE).raw.toString('base64')];
  const microsoftApplications = [{ app: port.apps[0].client_id, keyCredentials }];
  writeFileSync(join(folder, 'port.yaml'), JSON.stringify({ ...port, microsoftApplications }));
  through(['--fixture', join(folder, 'port.yaml'), '--clock', 'real'], () => rmSync(folder, { recursive: true }));
}

await start();
const TENANT = port.microsoftTenants[0].id;
const [WEB, DESK] = port.apps.map(app => app.client_id);
const authority = `https://login.microsoftonline.com/${TENANT}`;
const web = new ConfidentialClientApplication({ auth: { clientId: WEB, clientSecret: 's1', authority } });
const desk = new PublicClientApplication({ auth: { clientId: DESK, authority: 'https://login.microsoftonline.com/organizations' } });
const redirectUri = 'https://app.example/cb';

const graph = async (token, path) => {
  const answer = await fetch(`https://graph.microsoft.com/v1.0${path}`, { headers: { authorization: `Bearer ${token}` } });
  return answer.json();
};

/** What a browser sends from a page of the authority's, by the person whose token the command has. */
const decide = (address, parameters) => fetch(address, {
  method: 'POST', redirect: 'manual', headers: { authorization: `Bearer ${process.env.SOSIA_TOKEN}` },
  body: new URLSearchParams({ ...Object.fromEntries(parameters), sosia_decision: 'allow' }),
});

let account;
await step('a code, exchanged with its secret', async () => {
  const url = new URL(await web.getAuthCodeUrl({ scopes: ['User.Read', 'Mail.Read'], redirectUri, state: 's' }));
  const page = await fetch(url);
  assert.equal(page.status, 200);
  const back = await decide(`${authority}/oauth2/v2.0/login`, url.searchParams);
  const code = new URL(back.headers.get('location')).searchParams.get('code');
  const got = await web.acquireTokenByCode({ code, scopes: ['User.Read', 'Mail.Read'], redirectUri });
  ({ account } = got);
  assert.deepEqual([account.username, account.tenantId, account.name], ['ada@port.example', TENANT, 'Ada Love']);
  assert.equal(account.homeAccountId, `${account.localAccountId}.${TENANT}`);
  assert.ok(got.scopes.includes('Mail.Read'));
  assert.equal((await graph(got.accessToken, '/me')).userPrincipalName, 'ada@port.example');
});

await step('it is renewed without the person', async () => {
  const kept = await web.acquireTokenSilent({ account, scopes: ['User.Read'] });
  assert.ok(kept.fromCache);
  const renewed = await web.acquireTokenSilent({ account, scopes: ['User.Read'], forceRefresh: true });
  assert.notEqual(renewed.accessToken, kept.accessToken);
  assert.equal((await graph(renewed.accessToken, '/me')).displayName, 'Ada Love');
});

await step('an app of its own, with what the tenant gave it', async () => {
  const { accessToken } = await web.acquireTokenByClientCredential({ scopes: ['https://graph.microsoft.com/.default'] });
  assert.deepEqual((await graph(accessToken, '/users?$select=displayName')).value.map(user => user.displayName), ['Ada Love', 'Bob Stone']);
  assert.equal((await graph(accessToken, '/me')).error.code, 'BadRequest');
});

await step('the same app, with its certificate in the place of the secret', async () => {
  const thumbprintSha256 = new X509Certificate(process.env.SOSIA_MSAL_CERTIFICATE).fingerprint256.replaceAll(':', '');
  const signed = new ConfidentialClientApplication({
    auth: { clientId: WEB, authority, clientCertificate: { thumbprintSha256, privateKey: process.env.SOSIA_MSAL_KEY } },
  });
  const { accessToken } = await signed.acquireTokenByClientCredential({ scopes: ['https://graph.microsoft.com/.default'] });
  assert.equal((await graph(accessToken, '/users')).value.length, 2);
});

await step('a device waits for the person', async () => {
  const got = await desk.acquireTokenByDeviceCode({
    scopes: ['User.Read'],
    deviceCodeCallback: async ({ userCode, verificationUri }) => {
      const answer = await decide(verificationUri, new URLSearchParams({ user_code: userCode }));
      assert.equal(answer.status, 200);
    },
  });
  assert.equal(got.account.username, 'ada@port.example');
});

await step('a name and its password', async () => {
  const got = await desk.acquireTokenByUsernamePassword({ scopes: ['User.Read'], username: 'ada@port.example', password: 'hush' });
  assert.equal((await graph(got.accessToken, '/me')).id, got.account.localAccountId);
  const error = await refused(() => desk.acquireTokenByUsernamePassword({ scopes: ['User.Read'], username: 'ada@port.example', password: 'no' }));
  assert.match(error.errorMessage, /AADSTS50126/);
});

await step('on behalf of who called an API', async () => {
  const url = new URL(await desk.getAuthCodeUrl({ scopes: [`api://${WEB}/access`], redirectUri: 'http://localhost:99/' }));
  const back = await decide('https://login.microsoftonline.com/organizations/oauth2/v2.0/login', url.searchParams);
  const code = new URL(back.headers.get('location')).searchParams.get('code');
  const { accessToken } = await desk.acquireTokenByCode({ code, scopes: [`api://${WEB}/access`], redirectUri: 'http://localhost:99/' });
  const got = await web.acquireTokenOnBehalfOf({ oboAssertion: accessToken, scopes: ['User.Read'] });
  assert.equal((await graph(got.accessToken, '/me')).displayName, 'Ada Love');
});

await step('@azure/identity, with a secret and with a wrong one', async () => {
  const scope = 'https://graph.microsoft.com/.default';
  const { token } = await new ClientSecretCredential(TENANT, WEB, 's1').getToken(scope);
  assert.equal((await graph(token, '/organization')).value[0].id, TENANT);
  const error = await refused(() => new ClientSecretCredential(TENANT, WEB, 'no').getToken(scope));
  assert.match(error.message, /AADSTS7000215/);
});

await finish();
