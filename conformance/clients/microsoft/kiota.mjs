// SPDX-License-Identifier: Apache-2.0
// Microsoft's typed Graph SDK for TypeScript as it is, through `sosia run`: an app with permissions of its own in the calendar and
// the mailbox of a user in the fixture small-365, and a person beside it.
import assert from 'node:assert/strict';
import { control, finish, refused, start, step, through } from '../harness.mjs';

through(['--fixture', 'small-365', '--clock', 'step', '--credentials', 'microsoft']);
// The SDK is a thousand modules, which are loaded once the program is where it stays.
const { ClientSecretCredential } = await import('@azure/identity');
const { createGraphServiceClient, GraphRequestAdapter } = await import('@microsoft/msgraph-sdk');
const { BatchRequestContent, GraphAzureIdentityAuthenticationProvider, PageIterator } = await import('@microsoft/msgraph-sdk-core');
const { createEventCollectionResponseFromDiscriminatorValue } = await import('@microsoft/msgraph-sdk/models/index.js');
const { createODataErrorFromDiscriminatorValue } = await import('@microsoft/msgraph-sdk/models/oDataErrors/index.js');
await import('@microsoft/msgraph-sdk-users');

await start();
const [NORA, OLAF] = ['nora@quay.example', 'olaf@quay.example'];
const APP = '11111111-0000-4000-8000-000000000001';
const errors = { XXX: createODataErrorFromDiscriminatorValue };
const world = `/worlds/${process.env.SOSIA_WORLD}`;
await control('POST', `${world}/seed`, {
  sosia: 1,
  apps: [{ client_id: APP, client_secret: 's1', name: 'Rounds', kind: 'web', vendor: 'microsoft' }],
  microsoftApps: [{ app: APP, tenant: 'quay.example', application: 'User.Read.All Calendars.ReadWrite Mail.ReadWrite Mail.Send' }],
});
const credential = new ClientSecretCredential(process.env.SOSIA_MICROSOFT_TENANT, APP, 's1');
const adapter = new GraphRequestAdapter(new GraphAzureIdentityAuthenticationProvider(credential, ['https://graph.microsoft.com/.default']));
const graph = createGraphServiceClient(adapter);
const nora = graph.users.byUserId(NORA);
const { microsoft_token: token } = await control('GET', `${world}/credentials?kind=microsoft&actor=${OLAF}`);
const olaf = createGraphServiceClient(new GraphRequestAdapter({
  authenticateRequest: async request => { request.headers.add('Authorization', `Bearer ${token}`); },
})).me;
const berlin = { Prefer: ['outlook.timezone="Europe/Berlin"'] };
const at = dateTime => ({ dateTime, timeZone: 'Europe/Berlin' });
const address = email => ({ emailAddress: { address: email } });

await step('an app signs in, and sees whom it may see', async () => {
  const { value } = await graph.users.get({ queryParameters: { select: ['displayName', 'jobTitle'], orderby: ['displayName'] } });
  assert.deepEqual(value.map(u => [u.displayName, u.jobTitle]), [['Nora Falk', 'Harbour master'], ['Olaf Brandt', 'Director']]);
  const error = await refused(() => graph.me.get());
  assert.equal(error.responseStatusCode, 400);
});

await step('events come in pages', async () => {
  const first = await nora.events.get({ queryParameters: { select: ['subject', 'start'], orderby: ['start/dateTime'], top: 2 } });
  const seen = [];
  const pages = new PageIterator(adapter, first, e => seen.push(e.subject) > 0, createEventCollectionResponseFromDiscriminatorValue, errors);
  await pages.iterate();
  assert.deepEqual(seen, ['Morning round', 'Dentist', 'Budget review', 'Crane supplier', 'Offsite']);
  assert.equal(pages.getPagingState(), 'Complete');
});

await step('a series is made, and seen in its zone', async () => {
  const made = await nora.events.post({
    subject: 'Tide round', start: at('2026-11-24T08:00:00'), end: at('2026-11-24T08:30:00'), showAs: 'busy',
    attendees: [{ ...address(OLAF), type: 'required' }],
    recurrence: {
      pattern: { type: 'weekly', interval: 1, daysOfWeek: ['tuesday', 'thursday'] },
      range: { type: 'noEnd', startDate: { year: 2026, month: 11, day: 24, toString: () => '2026-11-24' } },
    },
  });
  assert.deepEqual([made.type, made.showAs, made.recurrence.pattern.daysOfWeek], ['seriesMaster', 'busy', ['tuesday', 'thursday']]);
  const { value } = await nora.calendarView.get({
    headers: berlin,
    queryParameters: { startDateTime: '2026-11-26T00:00:00+01:00', endDateTime: '2026-11-27T00:00:00+01:00' },
  });
  assert.deepEqual(value.map(e => [e.subject, e.start.dateTime, e.start.timeZone, e.type]),
    [['Tide round', '2026-11-26T08:00:00.0000000', 'Europe/Berlin', 'occurrence']]);
  const his = await olaf.events.get({ queryParameters: { filter: "subject eq 'Tide round'" } });
  await olaf.events.byEventId(his.value[0].id).tentativelyAccept.post({ sendResponse: true });
  const { attendees } = await nora.events.byEventId(made.id).get();
  assert.equal(attendees[0].status.response, 'tentativelyAccepted');
  await nora.events.byEventId(made.id).cancel.post({ comment: 'Fog' });
  assert.equal((await refused(() => nora.events.byEventId(made.id).get())).responseStatusCode, 404);
});

await step('an event moves by a day, if it is as it was, and is deleted', async () => {
  const [dentist] = (await nora.events.get({ queryParameters: { filter: "subject eq 'Dentist'" } })).value;
  const event = nora.events.byEventId(dentist.id);
  const etag = dentist.additionalData['@odata.etag'];
  const moved = await event.patch({ start: at('2026-11-24T15:00:00'), end: at('2026-11-24T16:00:00') }, { headers: { 'If-Match': [etag] } });
  assert.equal(moved.start.dateTime, '2026-11-24T14:00:00.0000000');
  const late = await refused(() => event.patch({ subject: 'Late' }, { headers: { 'If-Match': [etag] } }));
  assert.deepEqual([late.responseStatusCode, late.errorEscaped.code], [412, 'ErrorIrresolvableConflict']);
  await event.delete();
  const gone = await refused(() => event.get());
  assert.deepEqual([gone.responseStatusCode, gone.errorEscaped.code], [404, 'ErrorItemNotFound']);
});

let link;
await step('an inbox is followed', async () => {
  const first = await olaf.mailFolders.byMailFolderId('inbox').messages.delta.get({ queryParameters: { select: ['subject'] } });
  assert.match(first.odataDeltaLink, /deltatoken=/);
  link = first.odataDeltaLink;
});

await step('mail is sent, found, answered and moved', async () => {
  const body = { contentType: 'text', content: 'Three offers for dock 2.' };
  await nora.sendMail.post({ message: { subject: 'Crane bids', body, toRecipients: [address(OLAF)] }, saveToSentItems: true });
  const inbox = olaf.mailFolders.byMailFolderId('inbox').messages;
  const [received] = (await inbox.get({ queryParameters: { filter: `isRead eq false and from/emailAddress/address eq '${NORA}' and subject eq 'Crane bids'` } })).value;
  assert.ok(received.receivedDateTime instanceof Date);
  const { value: found } = await olaf.messages.get({ queryParameters: { search: '"offers"' } });
  assert.deepEqual(found.map(m => m.id), [received.id]);
  const since = await olaf.mailFolders.byMailFolderId('inbox').messages.delta.withUrl(link).get();
  assert.ok(since.value.some(m => m.id === received.id));
  await olaf.messages.byMessageId(received.id).reply.post({ comment: 'Thanks.' });
  const answers = await nora.messages.get({ queryParameters: { filter: "subject eq 'Re: Crane bids'" } });
  assert.match(answers.value[0].bodyPreview, /^Thanks\./);
  const folder = await olaf.mailFolders.post({ displayName: 'Docks' });
  const moved = await olaf.messages.byMessageId(received.id).move.post({ destinationId: folder.id });
  assert.equal(moved.parentFolderId, folder.id);
  assert.equal((await olaf.mailFolders.byMailFolderId(folder.id).messages.count.get()), 1);
});

await step('a draft with an attachment', async () => {
  const draft = await nora.messages.post({ subject: 'List', toRecipients: [address(OLAF)] });
  const { attachments } = nora.messages.byMessageId(draft.id);
  const content = Buffer.from('a,1\n');
  // The SDK writes no member of a derived type, so its bytes go as further data.
  const made = await attachments.post({ odataType: '#microsoft.graph.fileAttachment', name: 'a.csv', contentType: 'text/csv',
    additionalData: { contentBytes: content.toString('base64') } });
  const got = await attachments.byAttachmentId(made.id).get();
  assert.deepEqual([got.odataType, got.name, Buffer.from(got.contentBytes)], ['#microsoft.graph.fileAttachment', 'a.csv', content]);
  await nora.messages.byMessageId(draft.id).send.post();
  const [received] = (await olaf.messages.get({ queryParameters: { filter: 'hasAttachments eq true', expand: ['attachments'] } })).value;
  assert.deepEqual(received.attachments.map(a => a.name), ['a.csv']);
});

await step('three calls in a batch', async () => {
  const batch = new BatchRequestContent(adapter, errors);
  const parts = [
    nora.calendar.toGetRequestInformation(),
    nora.messages.toGetRequestInformation({ queryParameters: { top: 1 } }),
    nora.events.byEventId('nonsense').toGetRequestInformation(),
  ].map((request, i) => batch.addBatchRequest(request, `${i + 1}`));
  assert.equal(parts.length, 3);
  const statuses = await (await batch.postAsync()).getResponsesStatusCodes();
  assert.deepEqual([...statuses].sort(), [['1', 200], ['2', 200], ['3', 400]]);
});

await finish();
