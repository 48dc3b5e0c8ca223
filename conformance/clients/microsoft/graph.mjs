// SPDX-License-Identifier: Apache-2.0
// Microsoft's Graph client for JavaScript as it is, through `sosia run`: a calendar's and a mailbox's days in the fixture small-365, tasks and a plan.
import assert from 'node:assert/strict';
import {
  BatchRequestContent, BatchResponseContent, Client, GraphError, PageIterator, RetryHandlerOptions,
} from '@microsoft/microsoft-graph-client';
import { control, finish, refused, start, step, through } from '../harness.mjs';

through(['--fixture', 'small-365', '--clock', 'step', '--rates', '--credentials', 'microsoft']);
await start();
const [NORA, OLAF] = ['nora@quay.example', 'olaf@quay.example'];
const client = token => Client.init({ authProvider: done => done(null, token) });
const nora = client(process.env.SOSIA_MICROSOFT_TOKEN);
const olaf = client((await control('GET',
  `/worlds/${process.env.SOSIA_WORLD}/credentials?kind=microsoft&actor=${OLAF}`)).microsoft_token);
const berlin = 'outlook.timezone="Europe/Berlin"';
const at = dateTime => ({ dateTime, timeZone: 'Europe/Berlin' });
const address = email => ({ emailAddress: { address: email } });
const subjects = page => page.value.map(item => item.subject);

/** All items of a collection, by the client's own iterator; gives the link for what changes later, too. */
async function collect(of, first) {
  const items = [];
  const iterator = new PageIterator(of, first, item => items.push(item) > 0);
  await iterator.iterate();
  assert.ok(iterator.isComplete());
  return { items, deltaLink: iterator.getDeltaLink() };
}

await step('who is signed in', async () => {
  const me = await nora.api('/me').get();
  assert.deepEqual([me.userPrincipalName, me.displayName, me.jobTitle], [NORA, 'Nora Falk', 'Harbour master']);
  const manager = await nora.api('/me/manager').select('mail').get();
  assert.equal(manager.mail, OLAF);
});

await step('events come in pages', async () => {
  const first = await nora.api('/me/events').select(['subject', 'start']).orderby('start/dateTime').top(2).get();
  assert.deepEqual(subjects(first), ['Morning round', 'Dentist']);
  assert.deepEqual(Object.keys(first.value[0]).sort(), ['@odata.etag', 'id', 'start', 'subject']);
  const { items } = await collect(nora, first);
  assert.deepEqual(items.map(e => e.subject), ['Morning round', 'Dentist', 'Budget review', 'Crane supplier', 'Offsite']);
  const { '@odata.count': count } = await nora.api('/me/events').count(true).top(1).get();
  assert.equal(count, 5);
});

let round;
await step('a series is made, and a week of it seen in its zone', async () => {
  round = await nora.api('/me/events').header('Prefer', berlin).post({
    subject: 'Tide round', body: { contentType: 'text', content: 'By the west mole.' },
    start: at('2026-11-24T08:00:00'), end: at('2026-11-24T08:30:00'), location: { displayName: 'West mole' },
    attendees: [{ ...address(OLAF), type: 'required' }],
    recurrence: {
      pattern: { type: 'weekly', interval: 1, daysOfWeek: ['tuesday', 'thursday'] },
      range: { type: 'numbered', startDate: '2026-11-24', numberOfOccurrences: 4 },
    },
  });
  assert.deepEqual([round.type, round.recurrence.range.recurrenceTimeZone], ['seriesMaster', 'W. Europe Standard Time']);
  const view = await nora.api('/me/calendarView')
    .query({ startDateTime: '2026-11-24T00:00:00+01:00', endDateTime: '2026-12-01T00:00:00+01:00' }).header('Prefer', berlin).get();
  const seen = view.value.map(e => [e.subject, e.start.dateTime.slice(0, 16), e.type]);
  assert.deepEqual(seen, [
    ['Tide round', '2026-11-24T08:00', 'occurrence'],
    ['Budget review', '2026-11-24T10:00', 'singleInstance'],
    ['Crane supplier', '2026-11-24T14:00', 'singleInstance'],
    ['Tide round', '2026-11-26T08:00', 'occurrence'],
  ]);
  assert.ok(view.value.every(e => e.start.timeZone === 'Europe/Berlin'));
  const days = await nora.api(`/me/events/${round.id}/instances`)
    .query({ startDateTime: '2026-11-24T00:00:00Z', endDateTime: '2026-12-31T00:00:00Z' }).get();
  assert.deepEqual(days.value.map(e => e.start.dateTime),
    ['24', '26'].map(d => `2026-11-${d}T07:00:00.0000000`).concat(['01', '03'].map(d => `2026-12-${d}T07:00:00.0000000`)));
});

await step('a meeting moves by a day, if it is as it was', async () => {
  const found = (await nora.api('/me/events').filter("subject eq 'Budget review'").header('Prefer', berlin).get()).value[0];
  const moved = await nora.api(`/me/events/${found.id}`).headers({ Prefer: berlin, 'If-Match': found['@odata.etag'] })
    .patch({ start: at('2026-11-25T10:00:00'), end: at('2026-11-25T11:00:00') });
  assert.deepEqual([moved.id, moved.start.dateTime], [found.id, '2026-11-25T10:00:00.0000000']);
  assert.notEqual(moved['@odata.etag'], found['@odata.etag']);
  const late = await refused(() => nora.api(`/me/events/${found.id}`).header('If-Match', found['@odata.etag']).patch({ subject: 'Late' }));
  assert.deepEqual([late.statusCode, late.code], [412, 'ErrorIrresolvableConflict']);
  const his = (await olaf.api('/me/events').filter("subject eq 'Budget review'").get()).value[0];
  assert.deepEqual([his.start.dateTime, his.isOrganizer], ['2026-11-25T09:00:00.0000000', false]);
});

await step('a guest answers, and the organizer sees it', async () => {
  const his = (await olaf.api('/me/events').filter("subject eq 'Tide round'").get()).value[0];
  await olaf.api(`/me/events/${his.id}/accept`).post({ sendResponse: true, comment: 'Gladly' });
  const seen = await nora.api(`/me/events/${round.id}`).select('attendees').get();
  assert.deepEqual(seen.attendees.map(a => [a.emailAddress.address, a.status.response]), [[OLAF, 'accepted']]);
});

await step('what is cancelled is gone here and crossed out there', async () => {
  await nora.api(`/me/events/${round.id}/cancel`).post({ comment: 'The mole is closed.' });
  assert.equal((await refused(() => nora.api(`/me/events/${round.id}`).get())).statusCode, 404);
  const his = (await olaf.api('/me/events').filter('isCancelled eq true').get()).value;
  assert.deepEqual(his.map(e => e.subject), ['Canceled: Tide round']);
});

await step('what is deleted is not found, and the error says so', async () => {
  const { id } = await nora.api('/me/events').post({ subject: 'Once', start: at('2026-11-28T10:00:00'), end: at('2026-11-28T11:00:00') });
  await nora.api(`/me/events/${id}`).delete();
  const error = await refused(() => nora.api(`/me/events/${id}`).get());
  assert.ok(error instanceof GraphError);
  assert.deepEqual([error.statusCode, error.code], [404, 'ErrorItemNotFound']);
  assert.match(error.message, /not found in the store/);
  assert.match(error.headers.get('request-id'), /^[0-9a-f-]{36}$/);
  const malformed = await refused(() => nora.api('/me/events/nonsense').get());
  assert.deepEqual([malformed.statusCode, malformed.code], [400, 'ErrorInvalidIdMalformed']);
  const unsigned = await refused(() => client('nonsense').api('/me').get());
  assert.deepEqual([unsigned.statusCode, unsigned.code], [401, 'InvalidAuthenticationToken']);
  const stranger = await refused(() => nora.api('/users/zoe@quay.example').get());
  assert.deepEqual([stranger.statusCode, stranger.code], [404, 'Request_ResourceNotFound']);
  assert.equal(stranger.requestId, stranger.headers.get('request-id'));
  assert.equal(stranger.date.toISOString().slice(0, 10), '2026-11-23');
});

let link;
await step('an inbox begins to be followed', async () => {
  const { deltaLink } = await collect(olaf, await olaf.api('/me/mailFolders/inbox/messages/delta').select('subject').get());
  assert.match(deltaLink, /^https:\/\/graph\.microsoft\.com\/v1\.0\/.*\$deltatoken=/);
  link = deltaLink;
});

let received;
await step('mail is sent, and found by filter and by words', async () => {
  for (const [subject, content] of [['Crane bids', 'Three offers for dock 2.'], ['Lunch', 'Herring at noon?']])
    await nora.api('/me/sendMail').post({ message: { subject, body: { contentType: 'text', content }, toRecipients: [address(OLAF)] } });
  const unread = await olaf.api('/me/mailFolders/inbox/messages')
    .filter(`isRead eq false and from/emailAddress/address eq '${NORA}' and startswith(subject,'Crane')`).get();
  assert.deepEqual(subjects(unread), ['Crane bids']);
  [received] = unread.value;
  assert.deepEqual([received.bodyPreview, received.from.emailAddress.name], ['Three offers for dock 2.', 'Nora Falk']);
  assert.deepEqual(subjects(await olaf.api('/me/messages').search('"herring"').get()), ['Lunch']);
  assert.deepEqual(subjects(await nora.api('/me/mailFolders/sentitems/messages').select('subject').get()).slice(0, 2), ['Lunch', 'Crane bids']);
});

await step('what came since is what the link gives', async () => {
  const { items, deltaLink } = await collect(olaf, await olaf.api(link).get());
  assert.deepEqual(items.map(m => m.subject).filter(s => ['Crane bids', 'Lunch'].includes(s)).sort(), ['Crane bids', 'Lunch']);
  await olaf.api(`/me/messages/${received.id}`).patch({ isRead: true, categories: ['Docks'] });
  const { items: later } = await collect(olaf, await olaf.api(deltaLink).get());
  assert.deepEqual(later.map(m => m.id), [received.id]);
});

await step('an answer, with an attachment, in the same conversation', async () => {
  const draft = await olaf.api(`/me/messages/${received.id}/createReply`).post({ comment: 'See the list.' });
  const content = Buffer.from('a,1\nb,2\n').toString('base64');
  const file = await olaf.api(`/me/messages/${draft.id}/attachments`)
    .post({ '@odata.type': '#microsoft.graph.fileAttachment', name: 'bids.csv', contentType: 'text/csv', contentBytes: content });
  assert.deepEqual([file.name, file.size > 0], ['bids.csv', true]);
  await olaf.api(`/me/messages/${draft.id}/send`).post({});
  const [answer] = (await nora.api('/me/messages').filter("subject eq 'Re: Crane bids'").expand('attachments').get()).value;
  assert.deepEqual(answer.attachments.map(a => [a.name, a.contentBytes]), [['bids.csv', content]]);
  const bytes = await nora.api(`/me/messages/${answer.id}/attachments/${answer.attachments[0].id}/$value`).responseType('text').get();
  assert.equal(bytes, 'a,1\nb,2\n');
  const sent = (await nora.api('/me/mailFolders/sentitems/messages').filter("subject eq 'Crane bids'").get()).value[0];
  assert.equal(answer.conversationId, sent.conversationId);
  await nora.api(`/me/messages/${answer.id}/reply`).post({ comment: 'Thanks.' });
  assert.equal((await olaf.api('/me/messages').filter(`conversationId eq '${received.conversationId}'`).count(true).top(1).get())['@odata.count'], 3);
});

await step('a message moves to a folder of its own', async () => {
  const folder = await olaf.api('/me/mailFolders').post({ displayName: 'Docks' });
  const moved = await olaf.api(`/me/messages/${received.id}/move`).post({ destinationId: folder.id });
  assert.equal(moved.parentFolderId, folder.id);
  assert.notEqual(moved.id, received.id);
  assert.equal((await refused(() => olaf.api(`/me/messages/${received.id}`).get())).statusCode, 404);
  assert.deepEqual(subjects(await olaf.api(`/me/mailFolders/${folder.id}/messages`).get()), ['Crane bids']);
  const { totalItemCount } = await olaf.api(`/me/mailFolders/${folder.id}`).get();
  assert.equal(totalItemCount, 1);
});

await step('a task of one\'s own recurs, with its steps', async () => {
  const lists = await nora.api('/me/todo/lists').get();
  assert.deepEqual(lists.value.map(l => l.wellknownListName), ['defaultList', 'flaggedEmails']);
  const list = await nora.api('/me/todo/lists').post({ displayName: 'Cranes' });
  const tasks = `/me/todo/lists/${list.id}/tasks`;
  const oil = await nora.api(tasks).post({
    title: 'Oil the crane', importance: 'high', dueDateTime: at('2026-11-24T00:00:00'), checklistItems: [{ displayName: 'Boom' }],
    recurrence: { pattern: { type: 'daily', interval: 2 }, range: { type: 'noEnd', startDate: '2026-11-24', recurrenceTimeZone: 'Europe/Berlin' } },
  });
  assert.deepEqual([oil.status, oil.dueDateTime.dateTime], ['notStarted', '2026-11-23T23:00:00.0000000']);
  const { deltaLink } = await collect(nora, await nora.api(`${tasks}/delta`).get());
  const done = await nora.api(`${tasks}/${oil.id}`).patch({ status: 'completed' });
  assert.equal(done.status, 'completed');
  const next = await nora.api(tasks).filter("status ne 'completed'").expand('checklistItems').header('Prefer', berlin).get();
  assert.deepEqual(next.value.map(t => [t.title, t.dueDateTime.dateTime.slice(0, 10), t.checklistItems[0].isChecked]),
    [['Oil the crane', '2026-11-26', false]]);
  const changes = await nora.api(deltaLink).get();
  assert.deepEqual(changes.value.map(t => t.status).sort(), ['completed', 'notStarted']);
  await nora.api(`/me/todo/lists/${list.id}`).delete();
  const gone = await refused(() => nora.api(tasks).get());
  assert.deepEqual([gone.statusCode, gone.code], [404, 'itemNotFound']);
});

await step('a plan of a group, whose tasks are changed by their etags', async () => {
  const me = await nora.api('/me').select('id').get();
  const group = await olaf.api('/groups').post({
    displayName: 'Yard', mailNickname: 'yard', mailEnabled: true, securityEnabled: false, groupTypes: ['Unified'],
    'members@odata.bind': [`https://graph.microsoft.com/v1.0/users/${me.id}`],
  });
  const plan = await nora.api('/planner/plans').post({
    title: 'Winter', container: { url: `https://graph.microsoft.com/v1.0/groups/${group.id}` },
  });
  const bucket = await nora.api('/planner/buckets').post({ name: 'Open', planId: plan.id, orderHint: ' !' });
  const task = await nora.api('/planner/tasks').post({
    planId: plan.id, bucketId: bucket.id, title: 'Salt the quay',
    assignments: { [me.id]: { '@odata.type': '#microsoft.graph.plannerAssignment', orderHint: ' !' } },
  });
  const bare = await refused(() => nora.api(`/planner/tasks/${task.id}`).patch({ percentComplete: 50 }));
  assert.deepEqual([bare.statusCode, bare.message], [412, 'The If-Match header must be specified for this kind of request.']);
  const half = await nora.api(`/planner/tasks/${task.id}`).header('If-Match', task['@odata.etag']).header('Prefer', 'return=representation')
    .patch({ percentComplete: 50 });
  assert.equal(half.percentComplete, 50);
  const stale = await refused(() => nora.api(`/planner/tasks/${task.id}`).header('If-Match', task['@odata.etag']).delete());
  assert.equal(stale.statusCode, 409);
  const details = await nora.api(`/planner/tasks/${task.id}/details`).get();
  await nora.api(`/planner/tasks/${task.id}/details`).header('If-Match', details['@odata.etag']).patch({
    description: 'Before six.', checklist: { a1: { '@odata.type': 'microsoft.graph.plannerChecklistItem', title: 'North side' } },
  });
  const mine = await nora.api('/me/planner/tasks').expand('details').get();
  assert.deepEqual(mine.value.map(t => [t.title, t.hasDescription, t.details.checklist.a1.title]), [['Salt the quay', true, 'North side']]);
  const plans = await olaf.api('/me/planner/plans').get(); // he owns the group
  assert.deepEqual(plans.value.map(p => [p.title, p.createdBy.user.id]), [['Winter', me.id]]);
});

await step('three calls in a batch', async () => {
  const base = 'https://graph.microsoft.com'; // the client takes the host away, and a batch has paths without a version
  const batch = new BatchRequestContent([
    { id: '1', request: new Request(`${base}/me/calendar`) },
    { id: '2', request: new Request(`${base}/me/events`, {
      method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject: 'By batch', start: at('2026-11-30T10:00:00'), end: at('2026-11-30T11:00:00') }),
    }) },
    { id: '3', request: new Request(`${base}/me/messages/nonsense`) },
  ]);
  const answers = new BatchResponseContent(await nora.api('/$batch').post(await batch.getContent()));
  assert.deepEqual(['1', '2', '3'].map(id => answers.getResponseById(id).status), [200, 201, 400]);
  assert.equal((await answers.getResponseById('1').json()).name, 'Calendar');
  assert.equal((await answers.getResponseById('2').json()).subject, 'By batch');
  assert.equal((await answers.getResponseById('3').json()).error.code, 'ErrorInvalidIdMalformed');
});

await step('beyond the limit the client waits for as long as the answer says, and asks again', async () => {
  const world = `/worlds/${process.env.SOSIA_WORLD}`;
  await control('PUT', `${world}/clock`, { clock: 'frozen' });
  const requests = Array.from({ length: 20 }, (_, i) => ({ id: `${i}`, method: 'GET', url: '/users/zoe@quay.example' }));
  for (let i = 0; i < 250; i++) // 5,000 in all
    await nora.api('/$batch').post({ requests });
  const over = await refused(() => nora.api('/me').middlewareOptions([new RetryHandlerOptions(0, 0)]).get());
  assert.deepEqual([over.statusCode, over.code, over.headers.get('retry-after')], [429, 'TooManyRequests', '1']);
  const waits = [];
  const later = (delay, attempt, request, options, answer) => {
    waits.push(answer.headers.get('retry-after'));
    control('POST', `${world}/clock/advance`, { seconds: 1 }); // while the client waits, time goes on in the world, too
    return true;
  };
  const me = await nora.api('/me').middlewareOptions([new RetryHandlerOptions(3, 3, later)]).get();
  assert.equal(me.userPrincipalName, NORA);
  assert.deepEqual(waits, ['1']);
});

await finish();
