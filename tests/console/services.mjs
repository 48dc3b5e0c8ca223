// SPDX-License-Identifier: Apache-2.0
// The screens of services: marks of what changed, ghosts of meetings, threads, files as text, both vendors, the
// keyboard, and acting as somebody, which is off until it is switched on.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PATIENCE, Server, enter, fresh, settled, violations } from './harness.mjs';

const MARTA = 'marta.ferri@tidewater.example', NOOR = 'noor.haddad@tidewater.example';
const HANNA = 'hanna.vogt@ostmole.example', JONAS = 'jonas.weil@ostmole.example';
const GRAPH = '@graph.microsoft.com/v1.0';

let server, context, page, made;

const act = (actor, method, path, body) => server.control(method, `/worlds/office/act/${actor}/${path}`, body);
const look = (actor, path) => server.control('GET', `/worlds/office/look/${actor}/${path}`);
const inboxOf = async (actor) => {
  const { folders } = await server.control('GET', `/worlds/office/mail/${actor}/folders`);
  const inbox = folders.find((f) => f.name.toUpperCase() === 'INBOX');
  return (await server.control('GET', `/worlds/office/mail/${actor}/messages?folder=${inbox.id}&limit=50`)).rows;
};
const open = async (path) => {
  await page.goto(`${server.url}/_sosia/ui/w/office${path}`);
  await settled(page);
};
const shows = (text, where = 'main') => page.waitForFunction(
  ([t, w]) => [...document.querySelectorAll(w)].some((e) => e.innerText.includes(t)), [text, where], { timeout: PATIENCE });
const lacks = async (text, where = 'main') => assert.ok(!(await page.locator(where).first().innerText()).includes(text), text);

describe('screens of services', () => {
  before(async () => {
    server = await Server.start('--fixture', 'office', '--clock', 'step', '--journal', 'all');
    await server.control('POST', '/worlds/office/snapshot', { name: 'before' });
    const [lift, call] = await inboxOf(MARTA);
    await act(MARTA, 'POST', `gmail/v1/users/me/messages/${call.id}/modify`, { addLabelIds: ['STARRED'], removeLabelIds: ['UNREAD'] });
    await act(MARTA, 'POST', `gmail/v1/users/me/messages/${lift.id}/trash`);
    await act(MARTA, 'PATCH', 'calendar/v3/calendars/primary/events/lunchnoor0001?sendUpdates=all',
      { start: { dateTime: '2026-11-24T12:30:00+01:00' }, end: { dateTime: '2026-11-24T13:30:00+01:00' } });
    await act(MARTA, 'DELETE', 'calendar/v3/calendars/primary/events/dentist000001');
    const html = '<h1>Offer</h1><p>12,400 <b>EUR</b></p><script>document.title = "ran"</script><img src="http://localhost:1/x.png">';
    await act(NOOR, 'POST', 'gmail/v1/users/me/messages/send', { raw: Buffer.from(
      `To: ${MARTA}\r\nSubject: =?UTF-8?B?${Buffer.from('Offer <b>bold</b> \u202etxt').toString('base64')}?=\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=UTF-8\r\n\r\n${html}\r\n`).toString('base64url') });
    await act(MARTA, 'POST', '@slack.com/api/chat.postMessage', { channel: 'C0GENERAL01', text: 'Lunch is <b>tomorrow</b>.' });
    await act(HANNA, 'POST', `${GRAPH}/me/events`, {
      subject: 'Berths', start: { dateTime: '2026-11-24T10:00:00', timeZone: 'Europe/Berlin' }, end: { dateTime: '2026-11-24T11:00:00', timeZone: 'Europe/Berlin' },
      attendees: [{ emailAddress: { address: JONAS } }],
    });
    await act(HANNA, 'POST', `${GRAPH}/me/sendMail`, { message: { subject: 'Cranes', body: { contentType: 'HTML', content: '<p>Crane <b>4</b></p>' }, toRecipients: [{ emailAddress: { address: JONAS } }] } });
    const bound = (email) => ({ '@odata.type': '#microsoft.graph.aadUserConversationMember', roles: ['owner'], 'user@odata.bind': `https://graph.microsoft.com/v1.0/users('${email}')` });
    const chat = await act(HANNA, 'POST', `${GRAPH}/chats`, { chatType: 'oneOnOne', members: [bound(HANNA), bound(JONAS)] });
    await act(HANNA, 'POST', `${GRAPH}/chats/${encodeURIComponent(chat.id)}/messages`, { body: { contentType: 'html', content: '<p>Crane <b>4</b> &amp; 5</p>' } });
    made = { lift, call, offer: (await inboxOf(MARTA))[0], chat: chat.id };
    context = await fresh({ locale: 'en-GB' });
    page = await enter(context, server.info.console_url);
  });
  after(async () => {
    await context?.close();
    await server?.stop();
  });

  test('mail: what is new, what changed, what left the folder, and what it says', async () => {
    await open(`/mail/${MARTA}/INBOX?since=before`);
    await shows('1 message left this folder since before');
    await page.waitForFunction(() => document.querySelectorAll('main .row.is-added').length === 1 && document.querySelectorAll('main .row.is-changed').length === 1,
      undefined, { timeout: PATIENCE });
    await page.locator('main .gone-rows summary').click();
    await shows(made.lift.subject, '.gone-rows');
    await page.locator('main .row.is-added').click();
    await shows('Offer <b>bold</b> \\u202etxt', '.service-pane h2');
    const frame = page.frameLocator('main iframe');
    await frame.getByRole('heading', { name: 'Offer' }).waitFor({ timeout: PATIENCE });
    await shows('not loaded', '.service-pane');
    assert.notEqual(await page.title(), 'ran');
    assert.equal(new URL(page.url()).searchParams.get('open'), made.offer.id);
    for (const [tab, text] of [['Text', '12,400 EUR'], ['Source', '<script>document.title'], ['API', '"threadId"'], ['History', 'gmail.users.messages.send']]) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      await shows(text, '.service-pane');
    }
  });

  test('mail by words, which are in the address', async () => {
    await open(`/mail/${MARTA}/INBOX`);
    const field = page.getByRole('searchbox', { name: 'Words in messages' });
    await field.fill('third quarter');
    await field.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('main .row').length === 1, undefined, { timeout: PATIENCE });
    assert.equal(new URL(page.url()).searchParams.get('q'), 'third quarter');
    await open(`/mail/${MARTA}/INBOX?q=nothing-of-that-kind`);
    await shows('No message here has the words');
  });

  test('mail of the other vendor has the same tabs', async () => {
    const [mail] = (await inboxOf(JONAS)).filter((m) => m.subject === 'Cranes');
    for (const [as, text] of [['text', 'Crane 4'], ['source', 'Subject: Cranes'], ['api', '"internetMessageId"'], ['history', 'sendMail']]) {
      await open(`/mail/${JONAS}/Inbox?open=${mail.id}&as=${as}`);
      await shows(text, '.service-pane');
    }
  });

  test('the calendar has ghosts where meetings were, in the grid and in the list', async () => {
    await open(`/calendar/${MARTA}/week/2026-11-23?since=before`);
    await page.locator('.calendar-grid .meeting-gone').first().waitFor({ timeout: PATIENCE });
    const grid = await page.locator('.calendar-grid').innerText();
    assert.match(grid, /− Lunch with Noor \(moved\)/);
    assert.match(grid, /~ Lunch with Noor/);
    assert.match(grid, /− Dentist \(gone\)/);
    await page.locator('.calendar-grid .meeting-changed').first().press('Enter');
    await shows('Trattoria del Molo', '.detail');
    await shows('calendar.events.patch', '.detail');
    await page.getByRole('link', { name: 'List', exact: true }).click();
    await page.locator('.agenda-row.is-removed').first().waitFor({ timeout: PATIENCE });
    assert.deepEqual(await page.locator('.agenda-row.is-removed .agenda-title').allInnerTexts(), ['Lunch with Noor', 'Dentist']);
  });

  test('times of the calendar are in the zone of the address', async () => {
    for (const [zone, time] of [['', '09:30'], ['UTC', '08:30'], ['world', '09:30'], ['Asia/Tokyo', '17:30'], ['No/Where', '09:30']]) {
      await open(`/calendar/${MARTA}/list/2026-11-23?zone=${zone}`);
      await page.waitForFunction((t) => document.querySelector('.agenda-time')?.innerText.startsWith(t), time, { timeout: PATIENCE });
    }
    await open(`/calendar/${MARTA}/day/2026-11-23?with=${NOOR}`);
    await page.waitForFunction(() => document.querySelectorAll('.calendar-grid .meeting').length >= 3, undefined, { timeout: PATIENCE });
    assert.equal(await page.locator('.person-chip').count(), 2);
  });

  test('chat: channels of both services, a thread, what is new', async () => {
    await open(`/chat/${MARTA}/general?since=before`);
    await shows('Lunch is <b>tomorrow</b>.', '.chat-message.is-added');
    await open(`/chat/${MARTA}/general?thread=1795196400.000000`);
    await shows('We do not. Do not click', '.service-pane');
    await open(`/chat/${HANNA}/${encodeURIComponent(made.chat)}`);
    await shows('Crane 4 & 5', '.chat-message');
    await shows('Jonas Weil', '.service-side');
  });

  test('a drive: folders by the keyboard, a sheet as a table, its versions, who may see it', async () => {
    await open(`/drive/${MARTA}`);
    await page.locator('main .row').first().focus();
    const names = await page.locator('main .row .side-name').allInnerTexts();
    for (let i = names.indexOf('Finance'); i > 0; i--) await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await shows('Budget 2027');
    await page.getByText('Budget 2027').click();
    await shows('Engineering', '.preview-table');
    await page.getByRole('tab', { name: 'Who may see it' }).click();
    await shows(MARTA, '.service-pane');
    await page.getByRole('tab', { name: 'Who may see it' }).press('ArrowLeft');
    await page.waitForURL((url) => url.searchParams.get('as') === 'versions', { timeout: PATIENCE });
    await page.locator('.service-pane table').waitFor({ timeout: PATIENCE });
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('open'), { timeout: PATIENCE });
  });

  test('tasks: lists with marks, plans by buckets, one with its steps, by the keyboard', async () => {
    const lists = `${GRAPH}/me/todo/lists`;
    const list = await act(HANNA, 'POST', lists, { displayName: 'Cranes <b>' });
    const tasks = `${lists}/${list.id}/tasks`;
    const [oil, paint] = [await act(HANNA, 'POST', tasks, { title: 'Oil <i>4</i>', body: { contentType: 'text', content: 'Both bearings' } }), await act(HANNA, 'POST', tasks, { title: 'Paint' })];
    await act(HANNA, 'POST', `${tasks}/${oil.id}/checklistItems`, { displayName: 'Left' });
    await server.control('POST', '/worlds/office/seed', {
      sosia: 1,
      groups: [{ email: 'crew@ostmole.example', name: 'Crew', members: [HANNA] }], taskPlans: [{ id: 'PLAN', group: 'crew@ostmole.example', title: 'Dredging' }],
      taskBuckets: [{ id: 'B1', plan: 'PLAN', name: 'Now' }, { id: 'B2', plan: 'PLAN', name: 'Later' }],
      tasks: [{ id: 'X1', plan: 'PLAN', bucket: 'B2', title: 'Survey', assignments: [{ person: JONAS }] }, { id: 'X2', plan: 'PLAN', bucket: 'B1', title: 'Pump' }],
    });
    await server.control('POST', '/worlds/office/snapshot', { name: 'tasked' });
    await act(HANNA, 'PATCH', `${tasks}/${oil.id}`, { status: 'completed' });
    await act(HANNA, 'DELETE', `${tasks}/${paint.id}`);
    await act(HANNA, 'POST', tasks, { title: 'Grease' });
    const was = await server.state();
    await open(`/tasks/${HANNA}/${encodeURIComponent(list.id)}?since=tasked`);
    await shows('Grease', 'main .list');
    await page.locator('main .row.is-added', { hasText: 'Grease' }).waitFor();
    await page.locator('main .row.is-changed', { hasText: 'Oil <i>4</i>' }).waitFor();
    await page.locator('main .gone-rows', { hasText: 'Paint' }).waitFor();
    await page.locator('main .list [tabindex="0"]').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await shows('Both bearings', '.service-pane');
    await shows('0 of 1 steps');
    assert.deepEqual(await violations(page), []);
    await page.getByRole('tab', { name: 'History' }).click();
    await shows('todo.tasks.update', '.service-pane');
    await open(`/tasks/${HANNA}/PLAN`);
    await shows('Survey', 'main .list');
    assert.deepEqual((await page.locator('main .list .task-title').allInnerTexts()).map((t) => t.split(' ')[0].trim()), ['Pump', 'Survey']); // by their buckets
    await open(`/tasks/${JONAS}/assigned?open=X1`);
    await shows('Later', '.service-pane');
    await page.goto(`${server.url}/_sosia/ui/w/office@1/tasks/${HANNA}`);
    await settled(page);
    await lacks('Cranes');
    await open(`/tasks/${MARTA}`);
    await shows('This person has no tasks.');
    assert.equal(await server.state(), was);
  });

  test('tasks are added and completed, as somebody', async () => {
    const list = await act(HANNA, 'POST', `${GRAPH}/me/todo/lists`, { displayName: 'Ropes' });
    const last = async () => (await server.control('GET', '/worlds/office/journal?order=newest&limit=1&risk=draft')).entries[0];
    const does = async (button) => {
      const before = (await last()).seq;
      await page.getByRole('button', { name: button, exact: true }).click();
      for (;;) {
        const entry = await last();
        if (entry.seq > before) return [entry.method, entry.actor, entry.labels.via];
      }
    };
    await open(`/tasks/${HANNA}/${encodeURIComponent(list.id)}`);
    assert.equal(await page.getByRole('textbox', { name: 'A new task' }).count(), 0); // only looked at
    await page.getByRole('button', { name: 'Act as Hanna Vogt' }).click();
    await page.getByRole('textbox', { name: 'A new task' }).fill('Splice <b>it</b>');
    await page.getByLabel('Due on').fill('2026-11-27');
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(await does('Add'), ['todo.tasks.create', HANNA, 'console']);
    await page.locator('main .list [role=row]', { hasText: 'Splice <b>it</b>' }).click();
    await shows('27 Nov 2026', '.service-pane');
    assert.deepEqual(await does('Complete as Hanna Vogt'), ['todo.tasks.update', HANNA, 'console']);
    await shows('completed', '.service-pane .facts');
    assert.deepEqual(await does('Not done yet'), ['todo.tasks.update', HANNA, 'console']);
    await page.getByRole('button', { name: 'Complete as Hanna Vogt' }).waitFor();
    // of a plan, whose tasks are changed by the version that was read
    await open(`/tasks/${HANNA}/PLAN?open=X2`);
    await page.getByRole('button', { name: 'Act as Hanna Vogt' }).click();
    assert.deepEqual(await does('Complete as Hanna Vogt'), ['planner.tasks.update', HANNA, 'console']);
    await shows('completed', '.service-pane .facts');
    await page.getByRole('textbox', { name: 'A new task' }).fill('Sound the basin');
    assert.deepEqual(await does('Add'), ['planner.tasks.create', HANNA, 'console']);
    await page.locator('main .list [role=row]', { hasText: 'Sound the basin' }).waitFor();
  });

  test('hits of a search lead to what was found', async () => {
    const event = await act(MARTA, 'POST', 'calendar/v3/calendars/primary/events',
      { summary: 'Xyzzyx fair', start: { date: '2027-02-03' }, end: { date: '2027-02-04' }, recurrence: ['RRULE:FREQ=YEARLY;COUNT=2'] });
    const file = await act(MARTA, 'POST', 'drive/v3/files', { name: 'Xyzzyx plan', mimeType: 'text/plain' });
    await act(HANNA, 'POST', `${GRAPH}/me/sendMail`, { message: { subject: 'Xyzzyx crane', body: { contentType: 'Text', content: 'x' }, toRecipients: [{ emailAddress: { address: JONAS } }] } });
    await act(HANNA, 'POST', `${GRAPH}/me/events`, {
      subject: 'Xyzzyx berth', start: { dateTime: '2027-03-04T23:30:00', timeZone: 'UTC' }, end: { dateTime: '2027-03-04T23:45:00', timeZone: 'UTC' } });
    await act(MARTA, 'POST', '@slack.com/api/chat.postMessage', { channel: 'C0GENERAL01', text: 'Xyzzyx lunch' });
    assert.ok(event.id && file.id);
    for (const [title, where] of [['Xyzzyx fair', '/calendar/'], ['Xyzzyx plan', '/drive/'], ['Xyzzyx crane', '/mail/'], ['Xyzzyx berth', '/calendar/']]) {
      await open('/search?q=xyzzyx');
      await page.locator('main [role=row] a', { hasText: title }).first().click();
      await page.waitForURL((url) => url.pathname.includes(where), { timeout: PATIENCE });
      await shows(title, where === '/calendar/' ? '.detail' : '.service-pane');
    }
    await open('/search?q=xyzzyx&service=chat');
    await page.locator('main [role=row] a').first().click();
    await shows('Xyzzyx lunch', '.chat-text');
  });

  test('who has no account is told so', async () => {
    await open('/mail/tomas.veld');
    await shows('This person has no mailbox.');
    await open('/chat/room.kranhaus@ostmole.example');
    await shows('no chat account');
  });

  test('a step has its own state, and no way to act', async () => {
    await page.goto(`${server.url}/_sosia/ui/w/office@2/calendar/${MARTA}/list/2026-11-23`);
    await settled(page);
    await shows('Dentist');
    assert.equal(await page.getByRole('button', { name: /^Act as/ }).isDisabled(), true);
  });

  test('acting is off until it is switched on, is a call like others, and ends with the screen', async () => {
    await open(`/mail/${MARTA}/INBOX?open=${made.offer.id}`);
    await shows('Offer', '.service-pane');
    await lacks('Your answer');
    await page.getByRole('button', { name: /^Act as Marta/ }).click();
    await shows('You act as Marta Ferri');
    await page.getByRole('textbox', { name: 'Your answer' }).fill('We take twelve.');
    await page.getByRole('button', { name: 'Send' }).click();
    await shows('The answer is sent.', 'body');
    const [mine] = await inboxOf(NOOR);
    assert.ok(mine.subject.startsWith('Re: Offer'), mine.subject);
    const { entries } = await server.control('GET', '/worlds/office/journal?order=newest&limit=1');
    assert.deepEqual([entries[0].method, entries[0].labels, entries[0].actor], ['gmail.users.messages.send', { via: 'console' }, MARTA]);
    await open(`/mail/${MARTA}/INBOX?open=${made.offer.id}`);
    await lacks('Your answer');

    await open(`/chat/${MARTA}/general`);
    await page.getByRole('button', { name: /^Act as/ }).click();
    await page.getByRole('textbox', { name: 'Post in general' }).fill('Coffee?');
    await page.getByRole('button', { name: 'Post' }).click();
    await shows('Coffee?', '.chat-message');

    await open(`/calendar/${JONAS}/week/2026-11-24`);
    await page.getByText('Berths').first().click();
    await shows('Hanna Vogt', '.detail');
    await page.getByRole('button', { name: /^Act as/ }).click();
    await page.getByRole('button', { name: 'Maybe' }).click();
    await shows('The answer is given.', 'body');
    const { value } = await look(JONAS, `${GRAPH}/me/events?$select=subject,responseStatus`);
    assert.equal(value.find((e) => e.subject === 'Berths').responseStatus.response, 'tentativelyAccepted');

    for (const [actor, name] of [[MARTA, 'google'], [HANNA, 'microsoft']]) {
      await open(`/drive/${actor}`);
      await page.getByRole('button', { name: /^Act as/ }).click();
      await page.locator('input[type=file]').setInputFiles({ name: `${name}.txt`, mimeType: 'text/plain', buffer: Buffer.from(`hello ${name}`) });
      await page.getByRole('button', { name: 'Upload a file' }).click();
      await shows(`${name}.txt`, 'main .list');
      await page.getByText(`${name}.txt`).first().click();
      await shows(`hello ${name}`, '.preview-text');
    }
  });

  for (const theme of ['light', 'dark'])
    test(`what is open beside lists passes axe too, ${theme}`, async () => {
      await page.emulateMedia({ colorScheme: theme });
      const found = [];
      for (const [path, ...except] of [
        [`/mail/${MARTA}/INBOX?since=before&open=${made.offer.id}`], [`/mail/${MARTA}/INBOX?since=before&open=${made.offer.id}&as=history`],
        [`/calendar/${MARTA}/week/2026-11-23?since=before&with=${NOOR}&open=lunchnoor0001`, 'aria-required-children'], [`/calendar/${MARTA}/month/2026-11-23?since=before`, 'aria-required-children'],
        [`/calendar/${MARTA}/list/2026-11-23?since=before&with=${NOOR}&open=dentist000001`], [`/chat/${MARTA}/general?since=before&thread=1795196400.000000`],
        [`/drive/${MARTA}/1FinancetpbXVRHcFvK1JWPjETpJgxGnm?open=1Budget2027D7nTSWgkBISqZvYRGRoalBvLZa5bCsi3m`], ['/workspace'],
      ]) {
        await open(path);
        for (const line of await violations(page, except)) found.push(`${path}: ${line}`);
      }
      assert.deepEqual(found, []);
    });

  test('nothing of all that has failed in the page', () => assert.deepEqual(context.problems, []));
});
