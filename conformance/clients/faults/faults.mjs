// SPDX-License-Identifier: Apache-2.0
// The vendors' own clients in trouble: what they do by themselves, and what the report says of it.
import assert from 'node:assert/strict';
import { google } from 'googleapis';
import { WebClient, ErrorCode } from '@slack/web-api';
import { control, finish, refused, start, step, world } from '../harness.mjs';

await start();
const ADA = 'ada@acme.example';
const EVE = 'eve@acme.example';
const w = await world({
  sosia: 1,
  people: [{ email: ADA, name: 'Ada Conti' }, { email: EVE, name: 'Eve Moss' }],
  workspaces: [{ id: 'T0ACME', domain: 'acme', name: 'Acme', members: [{ actor: ADA, id: 'U0ADA', role: 'owner' }, { actor: EVE, id: 'U0EVE' }] }],
  channels: [{ id: 'C0DEV', name: 'dev', creator: 'U0ADA', members: ['U0ADA', 'U0EVE'] }],
}, { clock: 'real' });

const faults = (...rules) => control('PUT', `/worlds/${w.key}/faults`,
  { faults: 1, rules: rules.map((r, i) => ({ name: `rule ${i}`, ...r })) });
const injected = async () => (await control('GET', `/worlds/${w.key}/faults`)).rules.map(r => r.injected);
const report = () => control('GET', `/worlds/${w.key}/faults/report`);

const auth = new google.auth.OAuth2();
auth.setCredentials({ access_token: w.tokens[ADA] });
const gmail = google.gmail({ version: 'v1', auth, rootUrl: w.url });
const calendar = google.calendar({ version: 'v3', auth, rootUrl: w.url });
const quick = { retryConfig: { retryDelay: 10, statusCodesToRetry: [[100, 199], [408, 408], [429, 429], [500, 599]] } };
const raw = Buffer.from(`To: ${EVE}\r\nSubject: Offer\r\n\r\nHere it is.\r\n`).toString('base64url');

const reason = error => error.response.data.error.errors[0].reason;

/** How many letters Eve has. */
async function letters() {
  const eve = new google.auth.OAuth2();
  eve.setCredentials({ access_token: w.tokens[EVE] });
  const list = await google.gmail({ version: 'v1', auth: eve, rootUrl: w.url }).users.messages.list({ userId: 'me' });
  return list.data.resultSizeEstimate;
}

await step('Google: a read that finds the server unavailable is made again', async () => {
  await faults({ fault: 'server-error', status: 503, times: 2 });
  const list = await calendar.events.list({ calendarId: 'primary' }, quick);
  assert.equal(list.status, 200);
  assert.deepEqual(await injected(), [2]);
});

await step('Google: a limit, as 403, ends the call', async () => {
  await faults({ fault: 'rate-limit', times: 1 });
  const error = await refused(() => calendar.events.list({ calendarId: 'primary' }, quick));
  assert.deepEqual([error.code, reason(error)], [403, 'rateLimitExceeded']);
});

await step('Google: a limit, as 429, is tried again', async () => {
  await faults({ fault: 'rate-limit', status: 429, retry_after: 1, times: 1 });
  assert.equal((await calendar.events.list({ calendarId: 'primary' }, quick)).status, 200);
  assert.deepEqual(await injected(), [1]);
});

await step('Google: a letter whose answer is lost is not sent again', async () => {
  await faults({ fault: 'lost-answer', lost: 'error', methods: ['gmail.users.messages.send'], times: 1 });
  const error = await refused(() => gmail.users.messages.send({ userId: 'me', requestBody: { raw } }, quick));
  assert.equal(error.code, 503);
  assert.equal(await letters(), 1);
  await faults({ fault: 'lost-answer', methods: ['gmail.users.messages.send'], times: 1 });
  await refused(() => gmail.users.messages.send({ userId: 'me', requestBody: { raw } }, quick));
  assert.equal(await letters(), 2);
});

await step('Google: half an answer is an error', async () => {
  await faults({ fault: 'truncated' });
  await refused(() => calendar.events.list({ calendarId: 'primary' }, { retry: false }));
});

await step('Google: a sync token that is too old', async () => {
  await control('DELETE', `/worlds/${w.key}/faults`);
  const { data } = await calendar.events.list({ calendarId: 'primary' });
  await faults({ fault: 'expired-sync-token' });
  const error = await refused(() => calendar.events.list({ calendarId: 'primary', syncToken: data.nextSyncToken }));
  assert.deepEqual([error.code, reason(error)], [410, 'fullSyncRequired']);
});

const slack = new WebClient(w.tokens[ADA], { slackApiUrl: `${w.url}@slack.com/api/`, logLevel: 'error', retryConfig: { retries: 3, minTimeout: 10, maxTimeout: 50 } });
const messages = async () => {
  await control('DELETE', `/worlds/${w.key}/faults`);
  return (await slack.conversations.history({ channel: 'C0DEV' })).messages.filter(m => !m.subtype).length;
};

await step('Slack: waits as long as Retry-After says', async () => {
  await faults({ fault: 'rate-limit', retry_after: 1, times: 1 });
  const began = Date.now();
  assert.equal((await slack.chat.postMessage({ channel: 'C0DEV', text: 'One' })).ok, true);
  assert.ok(Date.now() - began >= 950); // two clocks may differ by a little
  const { faults: list } = await report();
  assert.deepEqual([list.at(-1).method, list.at(-1).honoured], ['chat.postMessage', true]);
});

await step('Slack: a post whose answer is lost is made again, and is there twice', async () => {
  const before = await messages();
  await faults({ fault: 'lost-answer', methods: ['chat.postMessage'], times: 1 });
  assert.equal((await slack.chat.postMessage({ channel: 'C0DEV', text: 'Two' })).ok, true);
  const { faults: list, done_twice: twice } = await report();
  assert.equal(list.at(-1).twice, true);
  assert.ok(twice >= 1);
  assert.equal(await messages(), before + 2);
});

await step('Slack: a token that is taken away in the midst', async () => {
  await faults({ fault: 'token-revoked', calls: { from: 2 } });
  assert.equal((await slack.auth.test()).ok, true);
  const error = await refused(() => slack.auth.test());
  assert.deepEqual([error.code, error.data.error], [ErrorCode.PlatformError, 'token_revoked']);
});

await step('a budget stops both, and neither tries again', async () => {
  await control('DELETE', `/worlds/${w.key}/faults`);
  await control('PUT', `/worlds/${w.key}/budgets`, { maxToolCalls: 1 });
  assert.equal((await slack.auth.test()).ok, true);
  const error = await refused(() => calendar.events.list({ calendarId: 'primary' }, quick));
  assert.equal(error.code, 403);
  const said = await refused(() => slack.auth.test());
  assert.equal(said.data.error, 'access_denied');
  const { used } = await control('GET', `/worlds/${w.key}/faults`);
  assert.equal(used[0].tool_calls_used, 3);
});

await finish();
