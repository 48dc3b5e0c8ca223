// SPDX-License-Identifier: Apache-2.0
// What the test suites of Slack's own SDKs do against a workspace, through the official client: calls, canvases, groups, quiet,
// a channel's life, webhooks, manifests, a Socket Mode client that connects late.
import assert from 'node:assert/strict';
import bolt from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { WebClient } from '@slack/web-api';
import { control, finish, refused, server, start, step, until, world } from '../harness.mjs';
import { acme } from './acme.mjs';

await start();
const owned = structuredClone(acme);
owned.workspaces[0].members[0].role = 'owner';
const w = await world(owned);
const clientOptions = { slackApiUrl: `${w.url}api/`, retryConfig: { retries: 0 } };
const tokens = await control('GET', `/worlds/${w.key}/credentials?kind=slack&actor=deploy@acme.example`);
const ada = new WebClient(w.tokens['ada@acme.example'], clientOptions);
const bot = new WebClient(tokens.slack_bot, clientOptions);
const code = async (call) => (await refused(call)).data.error;

await step('tokens have the shape that programs look for', async () => {
  assert.match(tokens.slack_bot, /^xoxb-\d{10,13}-\d{10,13}-[A-Za-z0-9]{24,}$/);
  assert.match(tokens.slack_app, /^xapp-\d-A[A-Z0-9]+-\d+-[A-Za-z0-9]+$/);
});

await step('a call of a bot, from its beginning to its end', async () => {
  const { call } = await bot.calls.add({
    external_unique_id: 'c-1', join_url: 'https://calls.example/1', title: 'Stand-up', users: [{ slack_id: 'U0ADA' }],
  });
  await bot.chat.postMessage({ channel: 'C0DEV', text: 'A call', blocks: [{ type: 'call', call_id: call.id }] });
  await bot.calls.participants.add({ id: call.id, users: [{ external_id: 'g-1', display_name: 'Guest' }] });
  assert.equal((await bot.calls.info({ id: call.id })).call.users.length, 2);
  await bot.calls.participants.remove({ id: call.id, users: [{ slack_id: 'U0ADA' }] });
  assert.equal(await code(() => bot.calls.update({ id: call.id })), 'invalid_arguments');
  assert.equal((await bot.calls.update({ id: call.id, title: 'Over' })).call.title, 'Over');
  await bot.calls.end({ id: call.id });
});

await step('a canvas: made, read, changed, shared with who made it', async () => {
  const markdown = (text) => ({ type: 'markdown', markdown: text });
  const { canvas_id: id } = await bot.canvases.create({ title: 'Plan', document_content: markdown('# Plan\n\n- one\n  - two') });
  await bot.canvases.access.set({ canvas_id: id, access_level: 'write', user_ids: ['U0DEPLOY'] });
  await bot.canvases.access.set({ canvas_id: id, access_level: 'read', user_ids: ['U0ADA'] });
  const found = await bot.canvases.sections.lookup({ canvas_id: id, criteria: { section_types: ['h1'], contains_text: 'Plan' } });
  assert.equal(found.sections.length, 1);
  const edit = (text) => bot.canvases.edit({
    canvas_id: id, changes: [{ operation: 'insert_after', section_id: found.sections[0].id, document_content: markdown(text) }],
  });
  assert.equal(await code(() => edit('1. one\n   - two')), 'canvas_editing_failed');
  await edit('Words');
  await bot.canvases.access.delete({ canvas_id: id, user_ids: ['U0ADA'] });
  await bot.canvases.delete({ canvas_id: id });
});

await step('a group of people is filled, and emptied by an empty list', async () => {
  const { usergroup } = await ada.usergroups.create({ name: 'Crew', handle: 'crew' });
  await ada.usergroups.users.update({ usergroup: usergroup.id, users: ['U0ADA'] });
  assert.deepEqual((await ada.usergroups.users.list({ usergroup: usergroup.id })).users, ['U0ADA']);
  await ada.usergroups.users.update({ usergroup: usergroup.id, users: [] });
  assert.deepEqual((await ada.usergroups.users.list({ usergroup: usergroup.id })).users, []);
});

await step('quiet ends, whether it was on or not', async () => {
  await ada.dnd.endSnooze();
  await ada.dnd.setSnooze({ num_minutes: 5 });
  assert.equal((await ada.dnd.endSnooze()).snooze_enabled, false);
});

await step('a channel from its creation to its archive', async () => {
  const { channel: { id } } = await bot.conversations.create({ name: 'suite-one' });
  assert.equal((await bot.conversations.rename({ channel: id, name: 'suite-two' })).channel.name, 'suite-two');
  await bot.conversations.setTopic({ channel: id, topic: 'a topic' });
  await bot.conversations.setPurpose({ channel: id, purpose: 'a purpose' });
  await bot.conversations.invite({ channel: id, users: 'U0ADA' });
  assert.equal(await code(() => bot.conversations.invite({ channel: id, users: 'U0ADA' })), 'already_in_channel');
  await ada.conversations.leave({ channel: id });
  await ada.conversations.kick({ channel: id, user: 'U0DEPLOY' }); // an owner, from outside
  assert.equal(await code(() => bot.conversations.setTopic({ channel: id, topic: 'another' })), 'not_in_channel');
  await ada.conversations.archive({ channel: id });
});

await step('everything is searched at once', async () => {
  const all = await ada.search.all({ query: 'nothingofthekind' });
  assert.deepEqual(all.posts, { total: 0, matches: [] });
  assert.equal(all.messages.total + all.files.total, 0);
});

await step('a webhook that is none leads elsewhere', async () => {
  const answer = await fetch(`${w.url}@hooks.slack.com/services/dummy/dummy`, {
    method: 'POST', redirect: 'manual', headers: { 'content-type': 'application/json' }, body: '{"text":"x"}',
  });
  assert.equal(answer.status, 302);
});

await step('every app of the office has a manifest that makes an app', async () => {
  const office = await control('POST', '/worlds', { fixture: 'office', clock: 'frozen' });
  const { slack_config: token } = await control('GET', `/worlds/${office.world}/credentials?kind=slack&actor=marta.ferri@tidewater.example`);
  const { chatApps, workspaces } = await control('GET', `/worlds/${office.world}/dump`);
  const config = new WebClient(token, { ...clientOptions, slackApiUrl: `${server.url}/w/${office.world}/api/` });
  const described = chatApps.find((a) => a.settings);
  for (const { id, client_id } of workspaces[0].apps) {
    const { manifest } = await config.apps.manifest.export({ app_id: id });
    if (client_id === described.client_id) {
      assert.deepEqual(manifest.settings.event_subscriptions.bot_events, described.settings.bot_events);
      assert.deepEqual(manifest.features.slash_commands.map((c) => c.command), ['/assist']);
      assert.deepEqual(manifest.features.shortcuts.map((s) => s.callback_id), ['ask', 'summarise']);
    }
    await config.apps.manifest.validate({ manifest: JSON.stringify(manifest) });
    const made = await config.apps.manifest.create({ manifest: JSON.stringify(manifest) });
    const again = await config.apps.manifest.export({ app_id: made.app_id });
    assert.deepEqual(again.manifest, manifest);
  }
});

await step('the office\'s assistant moves to HTTP, as docs/slack.md shows', async () => {
  const office = await control('POST', '/worlds', { fixture: 'office', clock: 'real' });
  const its = await control('GET', `/worlds/${office.world}/credentials?kind=slack&actor=marta.ferri@tidewater.example`);
  const options = { slackApiUrl: `${server.url}/w/${office.world}/api/` };
  const app = new bolt.App({ token: its.slack_bot, signingSecret: its.slack_signing_secret, clientOptions: options, logLevel: 'error' });
  app.event('app_mention', ({ event, say }) => say({ text: `Hello <@${event.user}>`, thread_ts: event.ts }));
  app.event('app_home_opened', ({ event, client }) => client.views.publish({ user_id: event.user, view: { type: 'home', blocks: [
    { type: 'actions', elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }] },
  ] } }));
  const pressed = [];
  app.action('go', async ({ ack, body }) => { pressed.push(body.view.type); await ack(); });
  const http = await app.start(0);
  const url = `http://127.0.0.1:${http.address().port}/slack/events`;
  const config = new WebClient(its.slack_config, options);
  const { manifest } = await config.apps.manifest.export({ app_id: 'A0ASSIST001' });
  manifest.settings.socket_mode_enabled = false;
  manifest.settings.event_subscriptions.request_url = url;
  manifest.settings.interactivity.request_url = url;
  manifest.features.slash_commands[0].url = url;
  await config.apps.manifest.update({ app_id: 'A0ASSIST001', manifest: JSON.stringify(manifest) });
  const act = (does) => control('POST', `/worlds/${office.world}/act`, { actor: 'marta.ferri@tidewater.example', service: 'slack', do: does });
  const { channel, ts } = await act({ post: { channel: 'C0SALES0001', text: '<@U0ASSIST001> hello' } });
  const marta = new WebClient(its.slack_user, options);
  const thread = await until(async () => {
    const { messages } = await marta.conversations.replies({ channel, ts });
    return messages.length > 1 && messages;
  });
  assert.match(thread[1].text, /^Hello <@U/);
  await act({ home: { app: 'A0ASSIST001' } });
  await until(async () => (await act({ see: {} })).views.length);
  await act({ click: { action_id: 'go' } });
  assert.deepEqual(pressed, ['home']);
  await app.stop();
});

await step('who connects late has as long for an event as who was there', async () => {
  const late = await world(acme);
  const its = await control('GET', `/worlds/${late.key}/credentials?kind=slack&actor=deploy@acme.example`);
  const options = { slackApiUrl: `${late.url}api/` };
  const goOn = (seconds) => control('POST', `/worlds/${late.key}/clock/advance`, { seconds });
  const deliveries = async () => (await control('GET', `/worlds/${late.key}/outbox`)).entries.map((e) => e.delivery);
  await new WebClient(late.tokens['ada@acme.example'], options).chat.postMessage({ channel: 'C0DEV', text: 'early' });
  await goOn(2);
  const got = [];
  let acknowledge;
  const client = new SocketModeClient({ appToken: its.slack_app, clientOptions: options, logLevel: 'error' });
  client.on('message', ({ ack, retry_num: retry }) => {
    got.push(retry);
    acknowledge ??= ack;
  });
  await client.start();
  await until(() => got.length);
  await goOn(2); // the event is more than three seconds old then, its frame is not
  await acknowledge();
  await until(async () => (await deliveries())[0].state !== 'pending');
  assert.deepEqual((await deliveries()).map(({ state, attempts }) => [state, attempts]), [['delivered', 1]]);
  await goOn(400);
  await client.disconnect();
  assert.deepEqual(got, [0]);
});

await finish();
