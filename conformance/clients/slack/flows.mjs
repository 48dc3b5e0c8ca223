// SPDX-License-Identifier: Apache-2.0
// Programs for Bolt as the vendor's tutorials have them, over HTTP and Socket Mode: an order in several windows that carries
// its state along, replies by response addresses, a home tab, an assistant that streams, a step of a workflow with buttons.
import assert from 'node:assert/strict';
import bolt from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { control, finish, start, step, until, world } from '../harness.mjs';

const { App, Assistant, HTTPReceiver, LogLevel } = bolt;
const ADA = 'ada@acme.example';
const BOT = 'deploy@acme.example';

/** address: where the app is; undefined: it is reached by Socket Mode. */
const document = (address) => ({
  sosia: 1,
  time: new Date().toISOString(), // Bolt holds the time of a signature against its own clock
  people: [{ email: ADA, name: 'Ada Conti' }, { email: BOT, name: 'Deploy', kind: 'bot' }],
  apps: [{ client_id: '1.2', client_secret: 'hush', signing_secret: 's1gn', name: 'Deployer', vendor: 'slack', bot: BOT }],
  workspaces: [{
    id: 'T0ACME', domain: 'acme', name: 'Acme',
    members: [
      { actor: ADA, id: 'U0ADA', name: 'ada', role: 'owner' },
      { actor: BOT, id: 'U0DEPLOY', name: 'deployer' },
    ],
    apps: [{
      client_id: '1.2', id: 'A0DEPLOY', bot: 'B0DEPLOY',
      settings: {
        ...(address ? { events_url: address, interactivity_url: address } : { socket_mode: true }),
        bot_events: ['app_home_opened', 'message.im', 'assistant_thread_started', 'assistant_thread_context_changed'],
        commands: [{ command: '/order', url: address }, { command: '/say', url: address }],
        functions: {
          approve: {
            title: 'Approve',
            input_parameters: { who: { type: 'slack#/types/user_id' } },
            output_parameters: { ok: { type: 'boolean', is_required: true } },
          },
        },
      },
    }],
  }],
  channels: [{ id: 'C0DEV', name: 'dev', creator: 'U0ADA', members: ['U0ADA', BOT] }],
});

const plain = (text) => ({ type: 'plain_text', text });
const options = (...values) => values.map((value) => ({ text: plain(value), value }));
const button = (action_id, more) => ({ type: 'button', action_id, text: plain(action_id), value: action_id, ...more });
const actions = (...ids) => [{ type: 'actions', elements: ids.map((id) => button(id)) }];
const input = (id, element, more) => ({ type: 'input', block_id: id, label: plain(id), element: { action_id: 'v', ...element }, ...more });
const modal = (callback_id, blocks, more) =>
  ({ type: 'modal', callback_id, title: plain(callback_id), submit: plain('Next'), blocks, ...more });

function windows(app, note) {
  app.command('/order', async ({ ack, command, client }) => {
    await ack();
    await client.views.open({
      trigger_id: command.trigger_id,
      view: modal('size', [input('size', { type: 'static_select', options: options('S', 'L') })], {
        notify_on_close: true, private_metadata: JSON.stringify({ channel: command.channel_id }),
      }),
    });
    note('opened', command);
  });
  app.view('size', async ({ ack, view }) => {
    const order = { ...JSON.parse(view.private_metadata), size: view.state.values.size.v.selected_option.value };
    const view2 = modal('toppings', [
      input('top', { type: 'multi_static_select', options: options('ham', 'egg') }, { optional: true }),
      input('where', { type: 'conversations_select', response_url_enabled: true }),
      input('kind', { type: 'radio_buttons', options: options('a', 'b') }, { dispatch_action: true, optional: true }),
    ], { private_metadata: JSON.stringify(order) });
    await ack({ response_action: 'push', view: view2 });
  });
  app.action({ callback_id: 'toppings', action_id: 'v' }, async ({ ack, body, client }) => {
    await ack();
    const { id, hash, blocks, private_metadata } = body.view;
    const changed = modal('toppings', [...blocks, { type: 'section', block_id: 'note', text: plain('b is hot') }], { private_metadata });
    await client.views.update({ view_id: id, hash, view: changed });
    await client.views.update({ view_id: id, hash, view: changed }).catch((error) => note('refused', error.data.error));
  });
  app.view('toppings', async ({ ack, view, body }) => {
    note('order', { ...JSON.parse(view.private_metadata), values: view.state.values, previous: view.previous_view_id });
    await ack({ response_action: 'update', view: modal('why', [input('why', { type: 'plain_text_input', min_length: 3 })]) });
    for (const { response_url: url } of body.response_urls)
      await fetch(url, { method: 'POST', body: JSON.stringify({ text: 'ordered' }) });
  });
  app.view('why', async ({ ack, view }) => {
    const good = view.state.values.why.v.value !== 'bad';
    await ack(good ? { response_action: 'clear' } : { response_action: 'errors', errors: { why: 'Not so' } });
  });
  app.view({ callback_id: 'size', type: 'view_closed' }, async ({ ack, body }) => {
    await ack();
    note('closed', body);
  });
}

function replies(app, note) {
  app.command('/say', async ({ ack, command, respond }) => {
    await ack({ text: 'working' });
    await respond('still working');
    await respond({ response_type: 'in_channel', text: command.text });
  });
  app.action('delete', async ({ ack, respond }) => { await ack(); await respond({ delete_original: true }); });
  app.action('replace', async ({ ack, respond, body }) => {
    await ack();
    await respond({ replace_original: true, text: 'replaced' });
    if (body.message) await respond({ replace_original: false, response_type: 'in_channel', thread_ts: body.message.ts, text: 'below' });
  });
  app.action('many', async ({ ack, respond }) => {
    await ack();
    for (let i = 0; i < 6; i++) await respond(`n${i}`).catch((error) => note('spent', error));
    note('said', true);
  });
}

function home(app, note) {
  app.event('app_home_opened', async ({ event, client }) => {
    if (event.tab !== 'home') return;
    await client.views.publish({ user_id: event.user, hash: event.view?.hash, view: { type: 'home', blocks: actions('go') } });
    note('home', event);
  });
  app.action('go', async ({ ack, body, client }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: modal('from home', [{ type: 'divider' }], { submit: undefined }) });
    await client.views.update({ view_id: body.view.id, view: { type: 'home', blocks: [{ type: 'section', text: plain('pressed') }] } });
  });
}

function assistant(app, note) {
  app.assistant(new Assistant({
    threadStarted: async ({ say, setSuggestedPrompts, saveThreadContext }) => {
      await say('Hello');
      await saveThreadContext();
      await setSuggestedPrompts({ title: 'Try', prompts: [{ title: 'a', message: 'b' }] });
      note('begun', true);
    },
    threadContextChanged: async ({ saveThreadContext }) => { await saveThreadContext(); note('looked', true); },
    userMessage: async ({ client, message, setTitle, setStatus, getThreadContext }) => {
      await setTitle(message.text);
      await setStatus({ status: 'thinking', loading_messages: ['one', 'two'] });
      note('context', await getThreadContext());
      const stream = client.chatStream({
        channel: message.channel, thread_ts: message.thread_ts, recipient_team_id: 'T0ACME', recipient_user_id: message.user, buffer_size: 4,
      });
      await stream.append({ markdown_text: '**fine** ' });
      await stream.append({ markdown_text: '[thanks](https://example.com)' });
      const feedback = {
        type: 'feedback_buttons', action_id: 'rate',
        positive_button: { text: plain('Good'), value: 'up' }, negative_button: { text: plain('Bad'), value: 'down' },
      };
      await stream.stop({ blocks: [{ type: 'context_actions', elements: [feedback] }] });
      note('streamed', true);
    },
  }));
  app.action('rate', async ({ ack, action }) => { await ack(); note('rated', action.value); });
}

function workflow(app, note) {
  app.function('approve', async ({ client, inputs }) => {
    const { ts } = await client.chat.postMessage({ channel: 'C0DEV', text: `<@${inputs.who}>?`, blocks: actions('approve', 'ask') });
    note('asked', ts);
  });
  app.action('ask', async ({ ack, body, client }) => {
    await ack();
    const { interactivity_pointer } = body.interactivity;
    await client.views.open({ interactivity_pointer, view: modal('reason', [input('reason', { type: 'plain_text_input' })]) });
  });
  app.view('reason', async ({ ack, body }) => { await ack(); note('reason', body); });
  app.action('approve', async ({ ack, complete }) => { await ack(); await complete({ outputs: { ok: true } }); });
}

const server = await start();
const clientOptions = { slackApiUrl: `${server.url}/api/` }; // its token leads to the world

/** A program, its world, and what it has noted; done: it has noted n things of a kind. */
async function open(socket) {
  const noted = {};
  const note = (kind, what) => { (noted[kind] ??= []).push(what); };
  const done = (kind, n = 1) => until(() => noted[kind]?.length >= n || noted.error).then(() => {
    assert.equal(noted.error, undefined, noted.error?.[0]);
    return noted[kind].at(-1);
  });
  const program = (with_) => {
    const app = new App({ logLevel: LogLevel.ERROR, clientOptions, ...with_ });
    for (const part of [windows, replies, home, assistant, workflow]) part(app, note);
    app.error(async (error) => note('error', error));
    return app;
  };
  let app;
  let w;
  if (socket) {
    w = await world(document());
    const tokens = await control('GET', `/worlds/${w.key}/credentials?kind=slack&actor=${BOT}`);
    app = program({ token: tokens.slack_bot, appToken: tokens.slack_app, socketMode: true });
    await app.start();
  } else {
    // The app has its address before there is a world that names it.
    const receiver = new HTTPReceiver({ signingSecret: 's1gn' });
    app = program({ receiver, authorize: async () => ({ botToken: w.tokens[BOT], botId: 'B0DEPLOY', botUserId: 'U0DEPLOY' }) });
    const http = await app.start(0);
    w = await world(document(`http://127.0.0.1:${http.address().port}/slack/events`));
  }
  const act = (what) => control('POST', `/worlds/${w.key}/act`, { actor: ADA, service: 'slack', do: what });
  return { app, act, done, noted, bot: new WebClient(w.tokens[BOT], clientOptions) };
}

async function run(socket) {
  const by = socket ? 'Socket Mode' : 'HTTP';
  const { app, act, done, noted, bot } = await open(socket);
  const views = async () => (await act({ see: {} })).views;
  const shown = async () => (await act({ see: { channel: 'dev' } })).ephemeral.map((e) => e.text);
  const thread = async (channel, ts) => (await bot.conversations.replies({ channel, ts })).messages;
  const post = async (...ids) => (await bot.chat.postMessage({ channel: 'C0DEV', text: 'x', blocks: actions(...ids) })).ts;

  if (!socket) await step(`${by}: Bolt gives back the challenge of the address for events`, async () => {
    assert.equal((await act({ verify: { app: 'A0DEPLOY' } })).verified, true);
    const { failure } = await act({ verify: { app: 'A0DEPLOY', url: 'http://127.0.0.1:9/slack/events' } });
    assert.equal(failure, 'connection_failed');
  });
  await step(`${by}: an order goes through windows that are pushed, changed, replaced and cleared`, async () => {
    await act({ command: { channel: 'dev', command: '/order' } });
    await done('opened');
    assert.equal((await act({ submit: { values: { size: 'L' } } })).view.callback_id, 'toppings');
    await act({ choose: { block_id: 'kind', action_id: 'v', value: 'b' } });
    assert.equal(await done('refused'), 'hash_conflict');
    assert.ok((await views()).some((v) => v.blocks.some((b) => b.block_id === 'note')));
    assert.equal((await act({ submit: { values: { top: ['ham'], where: 'dev' } } })).view.callback_id, 'why');
    const order = await done('order');
    assert.deepEqual([order.channel, order.size], ['C0DEV', 'L']);
    assert.equal(order.values.top.v.selected_options[0].value, 'ham');
    assert.equal(order.values.kind.v.selected_option.value, 'b');
    assert.ok(order.previous);
    await until(async () => (await shown()).includes('ordered'));
    assert.ok((await act({ submit: { values: { why: 'x' } } })).errors.why);
    assert.equal((await act({ submit: { values: { why: 'bad' } } })).errors.why, 'Not so');
    assert.equal((await act({ submit: { values: { why: 'good' } } })).view, null);
    assert.deepEqual(await views(), []);
  });
  await step(`${by}: the app is notified of a window that is closed`, async () => {
    await act({ command: { channel: 'dev', command: '/order' } });
    await done('opened', 2);
    await act({ close: {} });
    const { view, is_cleared } = await done('closed');
    assert.deepEqual([view.callback_id, is_cleared], ['size', false]);
  });
  await step(`${by}: a command is answered to one, and then to all`, async () => {
    await act({ command: { channel: 'dev', command: '/say', text: 'hello <all>' } });
    await until(async () => (await bot.conversations.history({ channel: 'C0DEV', limit: 1 })).messages[0]?.text === 'hello &lt;all&gt;');
    assert.deepEqual((await shown()).slice(-2).sort(), ['still working', 'working']);
  });
  await step(`${by}: response addresses replace, delete, answer in threads, and are good five times`, async () => {
    const ts = await post('replace', 'many');
    await act({ click: { channel: 'dev', ts, action_id: 'many' } });
    await done('said');
    assert.equal(noted.spent.length, 1);
    assert.equal((await shown()).filter((text) => /^n\d$/.test(text)).length, 5);
    await act({ click: { channel: 'dev', ts, action_id: 'replace' } });
    await until(async () => (await thread('C0DEV', ts)).length === 2);
    assert.deepEqual((await thread('C0DEV', ts)).map((m) => m.text), ['replaced', 'below']);
    const other = await post('delete');
    await act({ click: { channel: 'dev', ts: other, action_id: 'delete' } });
    await until(async () => !(await bot.conversations.history({ channel: 'C0DEV' })).messages.some((m) => m.ts === other));
    const show = async (id) => (await bot.chat.postEphemeral({ channel: 'C0DEV', user: 'U0ADA', text: 'y', blocks: actions(id) })).message_ts;
    await act({ click: { channel: 'dev', ts: await show('replace'), action_id: 'replace' } });
    await until(async () => (await shown()).includes('replaced'));
    await act({ click: { channel: 'dev', ts: await show('delete'), action_id: 'delete' } });
    await until(async () => !(await shown()).includes('y'));
  });
  await step(`${by}: a home tab is published again as it was seen`, async () => {
    await act({ home: { app: 'A0DEPLOY' } });
    await done('home');
    const { view } = await act({ home: { app: 'A0DEPLOY' } });
    assert.equal((await done('home', 2)).view.id, view.id);
    await act({ click: { view: view.id, action_id: 'go' } });
    await until(async () => (await views()).find((v) => v.type === 'home').blocks[0].text?.text === 'pressed');
    assert.ok((await views()).some((v) => v.callback_id === 'from home'));
    await act({ close: {} });
  });
  await step(`${by}: an assistant is told where one looks, streams its answer, and is rated`, async () => {
    const { channel, thread_ts } = await act({ assist: { app: 'A0DEPLOY' } });
    await done('begun');
    await act({ assist: { app: 'A0DEPLOY', context: 'dev', ts: thread_ts } });
    await done('looked');
    await act({ post: { channel, thread_ts, text: 'how are you' } });
    await done('streamed');
    assert.equal(noted.context[0].channel_id, 'C0DEV');
    const messages = await thread(channel, thread_ts);
    assert.deepEqual(messages.slice(1).map((m) => m.text), ['Hello', 'how are you', '*fine* <https://example.com|thanks>']);
    await act({ click: { channel, ts: messages.at(-1).ts, action_id: 'rate', value: 'up' } });
    assert.equal(await done('rated'), 'up');
  });
  await step(`${by}: a step of a workflow waits for a button, and asks in a window of its own`, async () => {
    const { function_execution_id: execution } = await act({ run: { app: 'A0DEPLOY', function: 'approve', inputs: { who: 'U0ADA' } } });
    const ts = await done('asked');
    await act({ click: { channel: 'dev', ts, action_id: 'ask' } });
    await until(async () => (await views()).some((v) => v.callback_id === 'reason'));
    await act({ submit: { values: { reason: 'because' } } });
    assert.equal((await done('reason')).function_data.execution_id, execution);
    await act({ click: { channel: 'dev', ts, action_id: 'approve' } });
    await until(async () => (await act({ see: { execution } })).execution.status === 'completed');
    assert.deepEqual((await act({ see: { execution } })).execution.outputs, { ok: true });
  });
  await app.stop();
  assert.equal(noted.error, undefined);
}

await run(false);
await run(true);
await finish();
