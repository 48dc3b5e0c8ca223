// SPDX-License-Identifier: Apache-2.0
// Slack's OAuth packages with nothing set but addresses: installing through InstallProvider and Bolt's receiver, with the page
// and without it; token rotation; manifests; signing in.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import bolt from '@slack/bolt';
import { InstallProvider } from '@slack/oauth';
import { WebClient } from '@slack/web-api';
import { control, finish, refused, start, step, world } from '../harness.mjs';

const never = (ms) => new Promise((_, fail) => setTimeout(() => fail(new Error("nothing came of it")), ms).unref());
const no = async (call, code) => assert.equal((await refused(call)).data?.error, code);

const callback = (port) => `http://127.0.0.1:${port}/slack/oauth_redirect`;

/** A server on a port of its own; gives its address. */
async function listen(handler) {
  const server = createServer(handler);
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return { server, port: server.address().port };
}

/** What a browser does: sends cookies back, follows redirects one by one. */
function browser() {
  let cookie;
  return async (url, options = {}) => {
    const answer = await fetch(url, {
      ...options, redirect: 'manual', headers: { ...options.headers, ...(cookie ? { cookie } : {}) },
    });
    const set = answer.headers.get('set-cookie');
    if (set) cookie = set.split(';')[0];
    return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() };
  };
}

/** Fills in the page's form and sends it. */
async function agree(browse, page, url, choice) {
  const form = new URLSearchParams();
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g))
    form.set(name, value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#39;', "'").replaceAll('&amp;', '&'));
  for (const [name, value] of Object.entries(choice)) form.set(name, value);
  const action = page.match(/<form method="post" action="([^"]*)"/)[1];
  return browse(new URL(action, url), {
    method: 'POST', body: form.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

const listener = await listen((request, response) => handle(request, response));
let handle = (request, response) => response.end();
const back = callback(listener.port);

const manifest = (more) => ({
  display_information: { name: 'Deployer' },
  features: { bot_user: { display_name: 'deployer' } },
  oauth_config: { redirect_urls: [back], scopes: { bot: ['chat:write', 'incoming-webhook'], user: ['search:read'] } },
  settings: { org_deploy_enabled: false, socket_mode_enabled: true, token_rotation_enabled: false, ...more },
});
const document = {
  sosia: 1,
  time: '2026-02-15T20:00:00Z',
  people: [{ email: 'ada@acme.example', name: 'Ada Conti' }, { email: 'bob@acme.example', name: 'Bob Stone' }],
  apps: [
    { client_id: '10.1', client_secret: 'auto-secret', name: 'Automatic', vendor: 'slack', automatic: 'ada@acme.example' },
  ],
  workspaces: [{
    id: 'T0ACME', domain: 'acme', name: 'Acme',
    members: [{ actor: 'ada@acme.example', id: 'U0ADA', role: 'owner' }, { actor: 'bob@acme.example', id: 'U0BOB' }],
  }],
  chatApps: [
    { client_id: '10.1', id: 'A0AUTO', manifest: manifest() },
    { client_id: '10.2', client_secret: 'page-secret', signing_secret: 'sign', id: 'A0PAGE', manifest: manifest({ token_rotation_enabled: true }) },
  ],
  channels: [{ id: 'C0GENERAL', name: 'general', general: true, creator: 'ada@acme.example' }],
};

await start();
const w = await world(document);
const clientOptions = { slackApiUrl: `${w.url}api/`, retryConfig: { retries: 0 } };
const authorizationUrl = `${w.url}@slack.com/oauth/v2/authorize`;
const client = (token) => new WebClient(token, clientOptions);
const provider = (id, secret) => new InstallProvider({
  clientId: id, clientSecret: secret, stateSecret: 'state', authorizationUrl, clientOptions, logLevel: 'error',
});

/** An install from the install path to the callback; decide gets the page if there is one. */
async function install(installer, decide) {
  const browse = browser();
  const done = Promise.withResolvers();
  done.promise.catch(() => {}); // it is looked at when the browser has ended
  handle = (request, response) => {
    if (request.url.startsWith('/install'))
      return installer.handleInstallPath(request, response, {}, { scopes: ['chat:write', 'incoming-webhook'], userScopes: ['search:read'], redirectUri: back });
    return installer.handleCallback(request, response, {
      success: (installation, options, req, res) => { res.end('installed'); done.resolve(installation); },
      failure: (error, options, req, res) => { res.end('failed'); done.reject(error); },
    });
  };
  const first = await browse(`http://127.0.0.1:${listener.port}/install`);
  const url = first.to ?? first.text.match(/href="([^"]*oauth\/v2\/authorize[^"]*)"/)[1].replaceAll('&amp;', '&');
  let answer = await browse(url);
  if (answer.status === 200) answer = await agree(browse, answer.text, url, decide);
  assert.equal(answer.status, 302, answer.text);
  await browse(answer.to);
  return Promise.race([done.promise, never(500_000)]);
}

await step('an automatic app is installed through InstallProvider', async () => {
  const installation = await install(provider('10.1', 'auto-secret'));
  assert.equal(installation.team.id, 'T0ACME');
  assert.equal(installation.appId, 'A0AUTO');
  assert.equal(installation.user.id, 'U0ADA');
  assert.match(installation.bot.token, /^xoxb-/);
  assert.match(installation.user.token, /^xoxp-/);
  assert.deepEqual(installation.bot.scopes, ['chat:write', 'incoming-webhook']);
  assert.equal(installation.incomingWebhook.channel, '#general');
  const me = await client(installation.bot.token).auth.test();
  assert.equal(me.user_id, installation.bot.userId);
  assert.equal(me.bot_id, installation.bot.id);
});

await step('installed once more, the bot keeps its token', async () => {
  const one = await install(provider('10.1', 'auto-secret'));
  const other = await install(provider('10.1', 'auto-secret'));
  assert.equal(one.bot.token, other.bot.token);
});

const rotating = provider('10.2', 'page-secret');
await step('a person agrees on the page, and tokens rotate', async () => {
  const installation = await install(rotating, { sosia_user: 'T0ACME/U0BOB', sosia_decision: 'allow', sosia_channel: 'C0GENERAL' });
  assert.equal(installation.user.id, 'U0BOB');
  assert.match(installation.bot.token, /^xoxe\.xoxb-1-/);
  assert.match(installation.bot.refreshToken, /^xoxe-1-/);
  const seconds = installation.bot.expiresAt - Math.floor(Date.now() / 1000);
  assert.ok(seconds > 43000 && seconds <= 43200);
  // As if it were about to end: authorize() renews both tokens.
  installation.bot.expiresAt = installation.user.expiresAt = Math.floor(Date.now() / 1000) + 60;
  await rotating.installationStore.storeInstallation(installation);
  const before = installation.bot.token;
  const authorized = await rotating.authorize({ teamId: 'T0ACME', isEnterpriseInstall: false });
  assert.notEqual(authorized.botToken, before);
  assert.equal((await client(authorized.botToken).auth.test()).ok, true);
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 43201 });
  await no(() => client(authorized.botToken).auth.test(), 'token_expired');
});

await step('who cancels does not install', async () => {
  await assert.rejects(install(rotating, { sosia_user: 'T0ACME/U0BOB', sosia_decision: 'deny' }), { code: 'slack_oauth_installer_authorization_error' });
});

await step('WebClient.oauth.v2.access is refused what is wrong', async () => {
  const anonymous = client();
  const ask = (more) => anonymous.oauth.v2.access({ client_id: '10.1', client_secret: 'auto-secret', code: 'x', ...more });
  await no(() => ask({}), 'invalid_code');
  await no(() => ask({ client_secret: 'no' }), 'bad_client_secret');
  await no(() => ask({ client_id: '0.0' }), 'invalid_client_id');
  await no(() => ask({ grant_type: 'refresh_token', refresh_token: 'xoxe-1-no' }), 'invalid_refresh_token');
});

await step("Bolt's receiver installs", async () => {
  const receiver = new bolt.HTTPReceiver({
    signingSecret: 'sign', clientId: '10.1', clientSecret: 'auto-secret', stateSecret: 'state', scopes: ['chat:write'],
    redirectUri: back, logLevel: 'error',
    installerOptions: { authorizationUrl, clientOptions, redirectUriPath: '/slack/oauth_redirect', directInstall: true },
  });
  const app = new bolt.App({ receiver, clientOptions, logLevel: 'error' });
  handle = (request, response) => receiver.unboundRequestListener(request, response);
  const browse = browser();
  const first = await browse(`http://127.0.0.1:${listener.port}/slack/install`);
  assert.equal(first.status, 302);
  const code = await browse(first.to);
  assert.equal(code.status, 302, code.text);
  const last = await browse(code.to);
  assert.equal(last.status, 200);
  const known = await receiver.installer.installationStore.fetchInstallation({ teamId: 'T0ACME', isEnterpriseInstall: false });
  assert.equal(known.appId, 'A0AUTO');
  assert.ok(app);
});

await step('configuration tokens make, change and delete apps', async () => {
  const { token } = await control('POST', `/worlds/${w.key}/tokens`, { actor: 'ada@acme.example', scopes: 'app_configurations:read app_configurations:write' });
  const config = client(token);
  const made = await config.apps.manifest.create({ manifest: manifest() });
  assert.match(made.app_id, /^A0/);
  const changed = await config.apps.manifest.update({ app_id: made.app_id, manifest: manifest({ token_rotation_enabled: true }) });
  assert.equal(changed.permissions_updated, false);
  const { manifest: kept } = await config.apps.manifest.export({ app_id: made.app_id });
  assert.equal(kept.settings.token_rotation_enabled, true);
  await no(() => config.apps.manifest.validate({ manifest: { display_information: {} } }), 'invalid_manifest');
  // Who installs it proves who it is: the page takes nobody's word, and the app's keeper is nobody else.
  const { client_id: id, client_secret: secret } = made.credentials;
  const asked = new URL(made.oauth_authorize_url);
  const url = `${authorizationUrl}${asked.search}`;
  const browse = browser();
  const page = await browse(url);
  assert.ok(!page.text.includes('U0BOB'));
  const nobody = await agree(browse, page.text, url, { sosia_user: 'T0ACME/U0BOB', sosia_decision: 'allow' });
  assert.ok(!nobody.to && nobody.text.includes('user_not_found'));
  const { link } = await control('POST', `/worlds/${w.key}/consents`, { actor: 'bob@acme.example' });
  await browse(link);
  const shown = await browse(url);
  const agreed = await agree(browse, shown.text, url, { sosia_decision: 'allow', sosia_user: 'T0ACME/U0BOB', sosia_channel: 'C0GENERAL' });
  assert.equal(agreed.status, 302, agreed.text);
  const code = new URL(agreed.to).searchParams.get('code');
  assert.equal((await client().oauth.v2.access({ client_id: id, client_secret: secret, code })).authed_user.id, 'U0BOB');
  await config.apps.manifest.delete({ app_id: made.app_id });
  await no(() => config.apps.manifest.export({ app_id: made.app_id }), 'app_not_found');
});

await step('signing in says who it is', async () => {
  const browse = browser();
  const url = `${w.url}@slack.com/openid/connect/authorize?response_type=code&scope=openid%20email%20profile&client_id=10.1&nonce=n1&redirect_uri=${encodeURIComponent(back)}`;
  const { to } = await browse(url);
  const answer = await client().openid.connect.token({ client_id: '10.1', client_secret: 'auto-secret', code: new URL(to).searchParams.get('code'), redirect_uri: back });
  const claims = JSON.parse(Buffer.from(answer.id_token.split('.')[1], 'base64url').toString());
  assert.equal(claims.sub, 'U0ADA');
  assert.equal(claims.nonce, 'n1');
  const info = await client(answer.access_token).openid.connect.userInfo();
  assert.equal(info.email, 'ada@acme.example');
});

listener.server.close();
await finish();
