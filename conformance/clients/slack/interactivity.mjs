// SPDX-License-Identifier: Apache-2.0
// Slack's Bolt with people on the other side: a button opens a window, which is submitted with a fault and without; a command
// and what it says later; shortcuts, options of an external select, the app's page. By HTTP, and by Socket Mode.
import assert from 'node:assert/strict';
import bolt from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { control, finish, start, step, until, world } from '../harness.mjs';

const { App, HTTPReceiver, LogLevel } = bolt;
const ADA = 'ada@acme.example';
const BOT = 'deploy@acme.example';

/** address: where the app is; undefined: it is reached by Socket Mode. */
const document = (address) => {
  const urls = !address ? { socket_mode: true } : { events_url: address, interactivity_url: address, options_url: address };
  return {
    sosia: 1,
    time: new Date().toISOString(), // Bolt holds the time of a signature against its own clock
    people: [{ email: ADA, name: 'Ada Conti' }, { email: BOT, name: 'Deploy', kind: 'bot' }],
    apps: [{
      client_id: '1.2', client_secret: 'hush', signing_secret: 's1gn', name: 'Deployer', vendor: 'slack', bot: BOT,
    }],
    workspaces: [{
      id: 'T0ACME', domain: 'acme', name: 'Acme',
      members: [
        { actor: ADA, id: 'U0ADA', name: 'ada', role: 'owner' },
        { actor: BOT, id: 'U0DEPLOY', name: 'deployer' },
      ],
      apps: [{
        client_id: '1.2', id: 'A0DEPLOY', bot: 'B0DEPLOY',
        settings: {
          ...urls,
          bot_events: ['app_home_opened'],
          functions: {
            greet: {
              title: 'Greet',
              input_parameters: { who: { type: 'slack#/types/user_id', is_required: true } },
              output_parameters: { text: { type: 'string', is_required: true } },
            },
          },
          commands: [{ command: '/deploy', url: address }],
          shortcuts: [{ name: 'New', type: 'global', callback_id: 'new' }, { name: 'Keep', type: 'message', callback_id: 'keep' }],
        },
      }],
    }],
    channels: [{ id: 'C0DEV', name: 'dev', creator: 'U0ADA', members: ['U0ADA', BOT] }],
  };
};

const plain = (text) => ({ type: 'plain_text', text });
const form = {
  type: 'modal', callback_id: 'form', title: plain('Deploy'), submit: plain('Go'), private_metadata: 'v42',
  blocks: [
    { type: 'input', block_id: 'what', label: plain('What'), element: { type: 'plain_text_input', action_id: 'name' } },
    { type: 'input', block_id: 'who', optional: true, label: plain('Who'), element: { type: 'users_select', action_id: 'user' } },
  ],
};

function program(app, seen) {
  app.action('yes', async ({ ack, body, client }) => {
    seen.action = body;
    await client.views.open({ trigger_id: body.trigger_id, view: form });
    await ack();
  });
  app.view('form', async ({ ack, view, body }) => {
    seen.submission = body;
    const name = view.state.values.what.name.value;
    if (name === 'moon') await ack({ response_action: 'errors', errors: { what: 'No such thing' } });
    else await ack({ response_action: 'update', view: { ...form, title: plain('Done'), submit: undefined, blocks: [] } });
  });
  app.command('/deploy', async ({ ack, command, respond }) => {
    seen.command = command;
    await respond({ response_type: 'in_channel', text: `Deploying ${command.text}` });
    await ack('Only you see this');
  });
  app.shortcut('new', async ({ ack, shortcut, client }) => {
    await client.views.open({ trigger_id: shortcut.trigger_id, view: form });
    await ack();
  });
  app.shortcut('keep', async ({ ack, shortcut, respond }) => {
    seen.message = shortcut.message;
    await respond({ text: 'Kept', response_type: 'ephemeral' });
    await ack();
  });
  app.function('greet', async ({ inputs, complete, fail, client }) => {
    seen.bot = (await client.auth.test()).user_id; // with the token of the event
    if (inputs.who === 'U0ADA') await complete({ outputs: { text: `hello <@${inputs.who}>` } });
    else await fail({ error: 'Only Ada is greeted' });
  });
  app.event('app_home_opened', async ({ event }) => { seen.opened = event; });
  app.options('env', async ({ ack, payload }) => {
    await ack({ options: ['test', 'live'].filter((e) => e.startsWith(payload.value)).map((e) => ({ text: plain(e), value: e })) });
  });
  app.action('env', async ({ ack, action, respond }) => {
    await respond({ replace_original: true, text: `To ${action.selected_option.value}` });
    await ack();
  });
}

const server = await start();
const clientOptions = { slackApiUrl: `${server.url}/api/` }; // its token leads to the world

async function run(socket) {
  const by = socket ? 'Socket Mode' : 'HTTP';
  const seen = {};
  let w;
  const open = (options) => {
    const app = new App({ logLevel: LogLevel.ERROR, ...options });
    program(app, seen);
    return app;
  };
  let app;
  if (socket) {
    w = await world(document());
    const tokens = await control('GET', `/worlds/${w.key}/credentials?kind=slack&actor=${BOT}`);
    app = open({ token: tokens.slack_bot, appToken: tokens.slack_app, socketMode: true, clientOptions });
    await app.start();
  } else {
    // The app has its address before there is a world that names it.
    const receiver = new HTTPReceiver({ signingSecret: 's1gn' });
    const authorize = async () => ({ botToken: w.tokens[BOT], botId: 'B0DEPLOY', botUserId: 'U0DEPLOY' });
    app = open({ receiver, authorize, clientOptions });
    const http = await app.start(0);
    w = await world(document(`http://127.0.0.1:${http.address().port}/slack/events`));
  }
  const bot = new WebClient(w.tokens[BOT], clientOptions);
  const act = (what) => control('POST', `/worlds/${w.key}/act`, { actor: ADA, service: 'slack', do: what });
  const { ts } = await bot.chat.postMessage({
    channel: 'C0DEV', text: 'Deploy?',
    blocks: [{
      type: 'actions', block_id: 'ask',
      elements: [
        { type: 'button', action_id: 'yes', value: '42', text: plain('Yes') },
        { type: 'external_select', action_id: 'env', min_query_length: 1, placeholder: plain('Where') },
      ],
    }],
  });

  await step(`${by}: a button opens a window`, async () => {
    const { view } = await act({ click: { channel: 'dev', ts, action_id: 'yes' } });
    assert.equal(seen.action.user.id, 'U0ADA');
    assert.equal(seen.action.actions[0].value, '42');
    assert.equal(view.callback_id, 'form');
    assert.equal(view.private_metadata, 'v42');
  });
  await step(`${by}: the client and then the app find faults in what is submitted`, async () => {
    assert.ok((await act({ submit: {} })).errors.what);
    const { errors, view } = await act({ submit: { values: { what: 'moon' } } });
    assert.equal(errors.what, 'No such thing');
    assert.equal(view.callback_id, 'form');
  });
  await step(`${by}: a submission updates the window`, async () => {
    const { view } = await act({ submit: { values: { what: 'api', who: 'ada' } } });
    assert.equal(view.title.text, 'Done');
    assert.equal(seen.submission.view.state.values.what.name.value, 'api');
    assert.equal(seen.submission.view.state.values.who.user.selected_user, 'U0ADA');
    await act({ close: {} });
  });
  await step(`${by}: a command is answered at once and by its address`, async () => {
    const answer = await act({ command: { channel: 'dev', command: '/deploy', text: 'api' } });
    assert.equal(seen.command.channel_name, 'dev');
    assert.equal(answer.ephemeral.text, 'Only you see this');
    const { messages } = await bot.conversations.history({ channel: 'C0DEV', limit: 1 });
    assert.equal(messages[0].text, 'Deploying api');
  });
  await step(`${by}: shortcuts`, async () => {
    assert.equal((await act({ shortcut: { callback_id: 'new' } })).view.callback_id, 'form');
    await act({ close: {} });
    await act({ shortcut: { callback_id: 'keep', channel: 'dev', ts } });
    assert.equal(seen.message.ts, ts);
    const { ephemeral } = await act({ see: { channel: 'dev' } });
    assert.equal(ephemeral.at(-1).text, 'Kept');
  });
  await step(`${by}: options come from the app, and a choice replaces the message`, async () => {
    const { options } = await act({ options: { channel: 'dev', ts, action_id: 'env', text: 'l' } });
    assert.deepEqual(options.map((o) => o.value), ['live']);
    await act({ choose: { channel: 'dev', ts, action_id: 'env', value: 'live' } });
    const { messages } = await bot.conversations.history({ channel: 'C0DEV', latest: ts, inclusive: true, limit: 1 });
    assert.equal(messages[0].text, 'To live');
  });
  await step(`${by}: a function is a step of a workflow`, async () => {
    const outcome = async (who) => {
      const { function_execution_id: id } = await act({ run: { app: 'A0DEPLOY', function: 'greet', inputs: { who } } });
      let execution;
      await until(async () => (({ execution } = await act({ see: { execution: id } })), execution.status !== 'running'));
      return execution;
    };
    assert.equal((await outcome('U0ADA')).outputs.text, 'hello <@U0ADA>');
    assert.equal(seen.bot, 'U0DEPLOY');
    const { status, error } = await outcome('U0DEPLOY');
    assert.deepEqual([status, error], ['failed', 'Only Ada is greeted']);
  });
  await step(`${by}: the app's page`, async () => {
    await bot.views.publish({ user_id: 'U0ADA', view: { type: 'home', blocks: [{ type: 'divider' }] } });
    const { views } = await act({ see: {} });
    assert.equal(views[0].type, 'home');
    const { view, channel } = await act({ home: { app: 'A0DEPLOY' } });
    assert.equal(view.id, views[0].id);
    await until(() => seen.opened);
    assert.equal(seen.opened.tab, 'home');
    assert.equal(seen.opened.channel, channel);
    assert.equal(seen.opened.view.id, view.id);
  });
  await app.stop();
}

await run(false);
await run(true);
await finish();
