// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: filters, the automatic answer, forwarding, addresses to send from, delegates.
import assert from 'node:assert/strict';
import { google } from 'googleapis';
import { control, finish, refused, start, step, world } from '../harness.mjs';
import { client, header, raw, reason, text } from './client.mjs';

await start();
const [ada, bob] = ['ada@acme.example', 'bob@acme.example'];
const w = await world({
  sosia: 1,
  time: '2026-11-23T08:00:00Z',
  organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [{ email: ada, name: 'Ada Love', aliases: ['a.love@acme.example'] }, { email: bob, name: 'Bob Stone' }],
});
const [adas, bobs] = [client(w, ada), client(w, bob)];
const userId = 'me';
const settings = adas.settings;

/** Bob writes to Ada: what she has then. */
async function comes(subject, body = 'x') {
  await bobs.messages.send({ userId, requestBody: { raw: raw({ To: ada, Subject: subject }, body) } });
  const { data: list } = await adas.messages.list({ userId, maxResults: 1, includeSpamTrash: true });
  const { data } = await adas.messages.get({ userId, id: list.messages[0].id });
  return data;
}

/** Her labels for it, but for its category. */
const labels = (m) => (m.labelIds ?? []).filter(l => !l.startsWith('CATEGORY_')).sort();

/** The address of a page in the newest mail to a person outside. */
async function page(to) {
  const { entries } = await control('GET', `/worlds/${w.key}/outbox`);
  const mail = entries.filter(e => e.to === to).at(-1);
  return Buffer.from(mail.payload.raw, 'base64').toString().match(/https?:\S+\/mail\/v\S+/)[0];
}

await step('a filter labels, archives and stars what comes', async () => {
  const { data: label } = await adas.labels.create({ userId, requestBody: { name: 'Reports' } });
  const before = await comes('Old report');
  const { data: filter } = await settings.filters.create({
    userId,
    requestBody: {
      criteria: { from: bob, subject: 'report' },
      action: { addLabelIds: [label.id, 'STARRED'], removeLabelIds: ['INBOX', 'UNREAD'] },
    },
  });
  assert.match(filter.id, /^ANe1Bm[\w-]{32}$/);
  assert.deepEqual(labels(await comes('Quarterly report')), [label.id, 'STARRED'].sort());
  assert.deepEqual(labels(await comes('Lunch')), ['INBOX', 'UNREAD']);
  const { data: old } = await adas.messages.get({ userId, id: before.id, format: 'minimal' });
  assert.deepEqual(labels(old), ['INBOX', 'UNREAD']);
  const { data: list } = await settings.filters.list({ userId });
  assert.deepEqual(list, { filter: [filter] });
  const { data: got } = await settings.filters.get({ userId, id: filter.id });
  assert.deepEqual(got, filter);
  const { data: counted } = await adas.labels.get({ userId, id: label.id });
  assert.deepEqual([counted.messagesTotal, counted.messagesUnread], [1, 0]);
});

await step('filters that make no sense are refused', async () => {
  const create = (requestBody) => refused(() => settings.filters.create({ userId, requestBody }));
  const action = { addLabelIds: ['STARRED'] };
  for (const [body, message, why = 'invalidArgument'] of [
    [{ action }, "Filter doesn't have any criteria"],
    [{ criteria: { from: bob } }, "Filter doesn't have any actions"],
    [{ criteria: { from: bob }, action: { addLabelIds: ['Reports'] } }, 'Invalid label: Reports'],
    [{ criteria: { from: bob }, action: { forward: 'x@far.example' } }, 'Unrecognized forwarding address', 'failedPrecondition'],
    [{ criteria: { query: 'x'.repeat(1501) }, action }, 'The specified filter is too long'],
  ]) {
    const error = await create(body);
    assert.deepEqual([...reason(error), error.message], [400, why, message]);
  }
  const { data: list } = await settings.filters.list({ userId });
  const { id, ...same } = list.filter[0];
  assert.equal((await create(same)).message, 'Filter already exists');
  await settings.filters.delete({ userId, id });
  assert.deepEqual((await settings.filters.list({ userId })).data, {});
  assert.deepEqual(reason(await refused(() => settings.filters.get({ userId, id }))), [404, 'notFound']);
});

await step('an automatic answer goes out once in four days', async () => {
  await settings.updateVacation({
    userId, requestBody: { enableAutoReply: true, responseSubject: 'At sea', responseBodyPlainText: 'Back in May.', restrictToDomain: true },
  });
  const answers = async () => (await bobs.messages.list({ userId, q: 'subject:sea' })).data.messages ?? [];
  await comes('Hello');
  await comes('Hello again');
  const [first, ...more] = await answers();
  assert.deepEqual(more, []);
  const { data: m } = await bobs.messages.get({ userId, id: first.id });
  assert.deepEqual([header(m, 'From'), header(m, 'Auto-Submitted'), text(m)], [`Ada Love <${ada}>`, 'auto-replied', 'Back in May.']);
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 4 * 86400 });
  await comes('Still there?');
  assert.equal((await answers()).length, 2);
  const { data: off } = await settings.updateVacation({ userId, requestBody: { enableAutoReply: false } });
  assert.deepEqual(off, { enableAutoReply: false, responseSubject: '', restrictToContacts: false, restrictToDomain: false });
});

await step('forwarding waits for the owner of the address', async () => {
  const requestBody = { enabled: true, emailAddress: 'ada@far.example', disposition: 'archive' };
  const { data: asked } = await settings.forwardingAddresses.create({ userId, requestBody: { forwardingEmail: 'ada@far.example' } });
  assert.equal(asked.verificationStatus, 'pending');
  assert.deepEqual(reason(await refused(() => settings.updateAutoForwarding({ userId, requestBody }))), [400, 'invalidArgument']);
  assert.equal((await fetch(await page('ada@far.example'))).status, 200);
  assert.deepEqual((await settings.updateAutoForwarding({ userId, requestBody })).data, requestBody);
  assert.deepEqual(labels(await comes('Onwards')), ['UNREAD']);
  const { entries } = await control('GET', `/worlds/${w.key}/outbox`);
  const { from, to, payload } = entries.at(-1);
  assert.deepEqual([from, to, payload.subject], [bob, 'ada@far.example', 'Onwards']);
  await settings.forwardingAddresses.delete({ userId, forwardingEmail: 'ada@far.example' });
  assert.deepEqual((await settings.getAutoForwarding({ userId })).data, { enabled: false });
});

await step('mail goes from addresses that were accepted', async () => {
  const sent = async (From) => {
    const { data } = await adas.messages.send({ userId, requestBody: { raw: raw({ From, To: bob, Subject: 's' }) } });
    return header((await adas.messages.get({ userId, id: data.id })).data, 'From');
  };
  const { data: alias } = await settings.sendAs.create({ userId, requestBody: { sendAsEmail: 'a.love@acme.example', displayName: 'A. Love' } });
  assert.equal(alias.verificationStatus, 'accepted');
  const sales = 'Sales <sales@far.example>';
  await settings.sendAs.create({ userId, requestBody: { sendAsEmail: 'sales@far.example' } });
  assert.equal(await sent(sales), ada);
  await fetch(await page('sales@far.example'));
  assert.equal(await sent(sales), sales);
  await settings.sendAs.patch({ userId, sendAsEmail: 'sales@far.example', requestBody: { isDefault: true, signature: '<b>S</b>' } });
  const { data: list } = await settings.sendAs.list({ userId });
  assert.deepEqual(list.sendAs.map(s => [s.sendAsEmail, s.isPrimary, s.isDefault]),
    [[ada, true, undefined], ['a.love@acme.example', undefined, undefined], ['sales@far.example', undefined, true]]);
  assert.equal((await refused(() => settings.sendAs.delete({ userId, sendAsEmail: ada }))).message, 'Cannot delete primary send-as');
  await settings.sendAs.delete({ userId, sendAsEmail: 'sales@far.example' });
  assert.equal((await settings.sendAs.get({ userId, sendAsEmail: ada })).data.isDefault, true);
});

await step('a delegate uses the mailbox, but not its settings', async () => {
  const denied = async (call) => assert.equal((await refused(call)).message, `Delegation denied for ${bob}`);
  await denied(() => bobs.messages.list({ userId: ada }));
  const { data } = await settings.delegates.create({ userId, requestBody: { delegateEmail: bob } });
  assert.deepEqual(data, { delegateEmail: bob, verificationStatus: 'accepted' });
  assert.ok((await bobs.messages.list({ userId: ada })).data.messages.length);
  assert.equal((await bobs.getProfile({ userId: ada })).data.emailAddress, ada);
  await denied(() => bobs.settings.filters.list({ userId: ada }));
  await settings.delegates.delete({ userId, delegateEmail: bob });
  await denied(() => bobs.messages.list({ userId: ada }));
});

await step("people's own tokens may not change what is for administrators", async () => {
  const scopes = ['basic', 'sharing'].map(s => `https://www.googleapis.com/auth/gmail.settings.${s}`).join(' ');
  const { token } = await control('POST', `/worlds/${w.key}/tokens`, { actor: ada, scopes });
  const auth = new google.auth.OAuth2();
  auth.setCredentials({ access_token: token });
  const person = google.gmail({ version: 'v1', auth, rootUrl: w.url }).users.settings;
  for (const call of [
    () => person.forwardingAddresses.create({ userId, requestBody: { forwardingEmail: bob } }),
    () => person.updateAutoForwarding({ userId, requestBody: { enabled: false } }),
    () => person.delegates.create({ userId, requestBody: { delegateEmail: bob } }),
    () => person.sendAs.create({ userId, requestBody: { sendAsEmail: 'x@far.example' } }),
  ])
    assert.deepEqual(reason(await refused(call)), [403, 'forbidden']);
  const { data } = await person.sendAs.patch({ userId, sendAsEmail: ada, requestBody: { signature: '<i>Ada</i>' } });
  assert.equal(data.signature, '<i>Ada</i>');
});

await step('the world shows what was set', async () => {
  await settings.updatePop({ userId, requestBody: { accessWindow: 'disabled', disposition: 'archive' } });
  const dump = await control('GET', `/worlds/${w.key}/dump`);
  const { person, pop } = dump.gmail[0];
  assert.deepEqual([person, pop], [ada, { accessWindow: 'disabled', disposition: 'archive' }]);
  const again = await control('POST', '/worlds', { seed_document: dump, clock: 'frozen' });
  assert.deepEqual((await control('GET', `/worlds/${again.world}/dump`)).gmail, dump.gmail);
});

await finish();
