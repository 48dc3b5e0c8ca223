// SPDX-License-Identifier: Apache-2.0
// Bolt with its own HTTP receiver: signatures that it checks, a mention and its reply, retries of what failed, an assistant,
// a function.
import assert from 'node:assert/strict';
import bolt from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { control, finish, server, start, step, until, world } from '../harness.mjs';

await start();

const headers = [];
let failures = 0;
const seen = [];

const receiver = new bolt.HTTPReceiver({
  signingSecret: 's1gn',
  endpoints: ['/slack/events'],
  processBeforeResponse: true, // else Bolt acknowledges before a listener fails
  customPropertiesExtractor: (request) => { headers.push(request.headers); return {}; },
  processEventErrorHandler: async ({ response }) => { response.writeHead(500); response.end(); return false; },
});
const app = new bolt.App({ receiver, authorize: async () => ({ botToken, botId: 'B0DEPLOY', botUserId: 'U0DEPLOY' }), clientOptions: { slackApiUrl: `${server.url}/api/` }, logLevel: 'error' });
let botToken;

const http = await app.start(0);
const address = `http://127.0.0.1:${http.address().port}/slack/events`;
const w = await world({
  sosia: 1,
  time: new Date().toISOString(),
  people: [
    { email: 'ada@acme.example', name: 'Ada Conti' },
    { email: 'deploy@acme.example', name: 'Deploy', kind: 'bot' },
  ],
  apps: [{ client_id: '1.2', client_secret: 'hush', signing_secret: 's1gn', name: 'Deployer', vendor: 'slack', bot: 'deploy@acme.example' }],
  workspaces: [{
    id: 'T0ACME', domain: 'acme', name: 'Acme', apps: [{ client_id: '1.2', id: 'A0DEPLOY', bot: 'B0DEPLOY' }],
    members: [{ actor: 'ada@acme.example', id: 'U0ADA' }, { actor: 'deploy@acme.example', id: 'U0DEPLOY' }],
  }],
  chatApps: [{ client_id: '1.2', settings: {
    events_url: address, interactivity_url: address,
    functions: {
      approve: {
        title: 'Approve', input_parameters: { properties: { what: { type: 'string' } }, required: ['what'] },
        output_parameters: { properties: { by: { type: 'string' } }, required: ['by'] },
      },
    },
    bot_events: ['message.channels', 'message.im', 'app_mention', 'reaction_added', 'assistant_thread_started', 'assistant_thread_context_changed'],
  } }],
  channels: [{ id: 'C0DEV', name: 'dev', creator: 'ada@acme.example', members: ['ada@acme.example', 'deploy@acme.example'] }],
});
botToken = w.tokens['deploy@acme.example'];
const slackApiUrl = `${w.url}api/`;
const bot = new WebClient(botToken, { slackApiUrl });
const ada = new WebClient(w.tokens['ada@acme.example'], { slackApiUrl, retryConfig: { retries: 0 } });

app.message('flaky', async () => {
  if (failures++ < 2) throw new Error('not yet');
  seen.push('flaky');
});
app.event('app_mention', async ({ event }) => {
  await bot.chat.postMessage({ channel: event.channel, thread_ts: event.ts, text: `hello <@${event.user}>` });
  seen.push('mention');
});
app.event('reaction_added', async ({ event, body }) => {
  seen.push({ reaction: event.reaction, item: event.item, team: body.team_id });
});

await step('a mention is answered in its thread', async () => {
  const { ts } = await ada.chat.postMessage({ channel: 'C0DEV', text: 'hey <@U0DEPLOY>' });
  await until(() => seen.includes('mention'), seen);
  const { messages } = await ada.conversations.replies({ channel: 'C0DEV', ts });
  assert.deepEqual(messages.map(m => m.text), ['hey <@U0DEPLOY>', 'hello <@U0ADA>']);
});

await step('a reaction is notified', async () => {
  const { ts } = await ada.chat.postMessage({ channel: 'C0DEV', text: 'look' });
  await ada.reactions.add({ channel: 'C0DEV', timestamp: ts, name: 'eyes' });
  const reaction = await until(() => seen.find(s => s.reaction), seen);
  assert.deepEqual(reaction, { reaction: 'eyes', item: { type: 'message', channel: 'C0DEV', ts }, team: 'T0ACME' });
});

/** How often the last message was tried, as far as the server has recorded it. */
async function attempts() {
  const { entries } = await control('GET', `/worlds/${w.key}/outbox?limit=1000`);
  return entries.at(-1).delivery.attempts;
}

await step('what failed comes again, with the number of the retry and the reason', async () => {
  headers.length = 0;
  await ada.chat.postMessage({ channel: 'C0DEV', text: 'flaky' });
  await until(async () => await attempts() === 1, seen);
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 2 });
  await until(async () => await attempts() === 2, seen);
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 61 });
  await until(() => seen.includes('flaky'), seen);
  const retries = headers.filter(h => h['x-slack-retry-num']).map(h => [h['x-slack-retry-num'], h['x-slack-retry-reason']]);
  assert.deepEqual(retries, [['1', 'http_error'], ['2', 'http_error']]);
});

const act = doing => control('POST', `/worlds/${w.key}/act`, { actor: 'ada@acme.example', service: 'slack', do: doing });

app.assistant(new bolt.Assistant({
  threadStarted: async ({ say, setSuggestedPrompts, saveThreadContext }) => {
    await say('How can I help?');
    await saveThreadContext();
    await setSuggestedPrompts({ prompts: [{ title: 'Sum up', message: 'Sum up the channel' }] });
    seen.push('started');
  },
  threadContextChanged: async ({ saveThreadContext }) => {
    await saveThreadContext();
    seen.push('looks elsewhere');
  },
  userMessage: async ({ message, say, setTitle, setStatus, getThreadContext }) => {
    await setTitle(message.text);
    await setStatus('is thinking...');
    const { channel_id: channel } = await getThreadContext();
    await say({ text: `about ${channel}`, blocks: [{ type: 'context_actions', elements: [{
      type: 'feedback_buttons', action_id: 'rate',
      positive_button: { text: { type: 'plain_text', text: 'Good' }, value: 'good' },
      negative_button: { text: { type: 'plain_text', text: 'Bad' }, value: 'bad' },
    }] }] });
    seen.push('answered');
  },
}));
app.action('rate', async ({ ack, action }) => {
  await ack();
  seen.push({ rated: action.value, type: action.type });
});

await step('an assistant is opened, knows what one looks at, answers and is rated', async () => {
  const { channel, thread_ts: thread } = await act({ assist: { app: 'A0DEPLOY' } });
  await until(() => seen.includes('started'), seen);
  await act({ assist: { app: 'A0DEPLOY', ts: thread, context: 'dev' } });
  await until(() => seen.includes('looks elsewhere'), seen);
  await act({ post: { channel, thread_ts: thread, text: 'What is new?' } });
  await until(() => seen.includes('answered'), seen);
  const { messages } = await ada.conversations.replies({ channel, ts: thread });
  assert.deepEqual(messages.map(m => m.text), ['New Assistant Thread', 'How can I help?', 'What is new?', 'about C0DEV']);
  assert.equal(messages[0].assistant_app_thread.title, 'What is new?');
  await act({ click: { channel, ts: messages[3].ts, action_id: 'rate', value: 'bad' } });
  assert.deepEqual(await until(() => seen.find(s => s.rated), seen), { rated: 'bad', type: 'feedback_buttons' });
});

app.function('approve', async ({ client, inputs }) => {
  seen.push({ asked: await client.chat.postMessage({ channel: 'C0DEV', text: `May I ${inputs.what}?`, blocks: [{
    type: 'actions', elements: [{ type: 'button', action_id: 'may', text: { type: 'plain_text', text: 'Yes' } }],
  }] }) });
});
app.action('may', async ({ ack, body, complete }) => {
  await ack();
  await complete({ outputs: { by: body.user.id } });
  seen.push('completed');
});

await step('a function asks with a button, which completes it', async () => {
  const { function_execution_id: execution } = await act({ run: { app: 'A0DEPLOY', function: 'approve', inputs: { what: 'deploy' } } });
  const { asked } = await until(() => seen.find(s => s.asked), seen);
  await act({ click: { channel: 'dev', ts: asked.ts, action_id: 'may' } });
  await until(() => seen.includes('completed'), seen);
  const { execution: ended } = await act({ see: { execution } });
  assert.deepEqual([ended.status, ended.outputs], ['completed', { by: 'U0ADA' }]);
});

await app.stop();
await finish();
