// SPDX-License-Identifier: Apache-2.0
// Microsoft's Graph client for JavaScript as it is, through `sosia run`: two people of the fixture small-365 in Teams and OneDrive.
import assert from 'node:assert/strict';
import { Client, FileUpload, OneDriveLargeFileUploadTask, PageIterator } from '@microsoft/microsoft-graph-client';
import { control, finish, start, step, through } from '../harness.mjs';

through(['--fixture', 'small-365', '--clock', 'step', '--credentials', 'microsoft']);
await start();
const OLAF = 'olaf@quay.example';
const client = token => Client.init({ authProvider: done => done(null, token) });
const nora = client(process.env.SOSIA_MICROSOFT_TOKEN);
const olaf = client((await control('GET', `/worlds/${process.env.SOSIA_WORLD}/credentials?kind=microsoft&actor=${OLAF}`)).microsoft_token);
const member = (user, ...roles) => ({
  '@odata.type': '#microsoft.graph.aadUserConversationMember', roles, 'user@odata.bind': `https://graph.microsoft.com/v1.0/users('${user}')`,
});
const [me, him] = [await nora.api('/me').get(), await olaf.api('/me').get()];
const names = page => page.value.map(item => item.displayName);

let team, channel;
await step('a team is made, with its channels and members', async () => {
  await nora.api('/teams').post({
    'template@odata.bind': "https://graph.microsoft.com/v1.0/teamsTemplates('standard')", displayName: 'Cranes', description: 'All of us',
  });
  const joined = await nora.api('/me/joinedTeams').get();
  team = joined.value.find(t => t.displayName === 'Cranes').id;
  await nora.api(`/teams/${team}/members`).post(member(him.id));
  assert.deepEqual(names(await olaf.api(`/teams/${team}/members`).get()).sort(), [me.displayName, him.displayName].sort());
  const group = await nora.api(`/groups/${team}`).select('id,displayName,resourceProvisioningOptions').get();
  assert.deepEqual(group.resourceProvisioningOptions, ['Team']);
  channel = (await nora.api(`/teams/${team}/channels`).post({ displayName: 'Cargo', description: 'Ships', membershipType: 'standard' })).id;
  assert.deepEqual(names(await olaf.api(`/teams/${team}/channels`).get()).sort(), ['Cargo', 'General']);
});

await step('messages, replies, mentions and reactions', async () => {
  const messages = `/teams/${team}/channels/${channel}/messages`;
  for (let i = 0; i < 5; i++)
    await nora.api(messages).post({ body: { content: `Ship ${i}` } });
  const { id } = await nora.api(messages).post({
    body: { contentType: 'html', content: '<at id="0">Olaf</at>, is it late?' },
    mentions: [{ id: 0, mentionText: 'Olaf', mentioned: { user: { id: him.id, displayName: 'Olaf', userIdentityType: 'aadUser' } } }],
  });
  await olaf.api(`${messages}/${id}/replies`).post({ body: { content: 'Aye' } });
  await olaf.api(`${messages}/${id}/setReaction`).post({ reactionType: '👍' });
  const items = [];
  const iterator = new PageIterator(nora, await nora.api(messages).top(2).get(), item => items.push(item) > 0);
  await iterator.iterate();
  assert.equal(items.filter(m => m.messageType === 'message').length, 6);
  const one = await nora.api(`${messages}/${id}`).expand('replies').get();
  assert.deepEqual([one.replies[0].body.content, one.reactions[0].reactionType, one.mentions[0].mentioned.user.id], ['Aye', '👍', him.id]);
});

await step('a chat of two, and a tag', async () => {
  const chat = await nora.api('/chats').post({ chatType: 'oneOnOne', members: [member(me.id, 'owner'), member(him.id, 'owner')] });
  await nora.api(`/chats/${chat.id}/messages`).post({ body: { content: 'There?' } });
  const { value } = await olaf.api('/me/chats').expand('lastMessagePreview').get();
  assert.equal(value.find(c => c.id === chat.id).lastMessagePreview.body.content, 'There?');
  const tag = await nora.api(`/teams/${team}/tags`).post({ displayName: 'Night', members: [{ userId: him.id }] });
  assert.equal(tag.memberCount, 1);
  assert.deepEqual(names(await olaf.api(`/teams/${team}/tags/${tag.id}/members`).get()), [him.displayName]);
});

await step('an online meeting is found by the address of its event', async () => {
  const at = dateTime => ({ dateTime, timeZone: 'UTC' });
  const event = await nora.api('/me/events').post({
    subject: 'Cranes', isOnlineMeeting: true, start: at('2026-11-26T09:00:00'), end: at('2026-11-26T09:30:00'),
    attendees: [{ emailAddress: { address: OLAF }, type: 'required' }],
  });
  const url = event.onlineMeeting.joinUrl;
  const { value: [meeting] } = await olaf.api('/me/onlineMeetings').filter(`JoinWebUrl eq '${url}'`).get();
  assert.deepEqual([meeting.subject, meeting.joinWebUrl, meeting.participants.organizer.identity.user.id], ['Cranes', url, me.id]);
  await olaf.api(`/chats/${meeting.chatInfo.threadId}/messages`).post({ body: { content: 'I am late' } });
  const chat = await nora.api(`/chats/${meeting.chatInfo.threadId}`).get();
  assert.deepEqual([chat.chatType, chat.onlineMeetingInfo.joinWebUrl], ['meeting', url]);
  const own = await nora.api('/me/onlineMeetings').post({ subject: 'Plan', startDateTime: '2026-11-27T09:00:00Z', endDateTime: '2026-11-27T10:00:00Z' });
  assert.equal((await nora.api(`/me/onlineMeetings/${own.id}`).get()).subject, 'Plan');
  await nora.api(`/me/onlineMeetings/${own.id}`).delete();
});

await step('a file is uploaded in pieces, shared and read', async () => {
  const bytes = Buffer.alloc(700000, 'crane ');
  const file = new FileUpload(bytes, 'cranes.txt', bytes.length);
  const payload = { item: { '@microsoft.graph.conflictBehavior': 'fail' } };
  const session = await OneDriveLargeFileUploadTask.createUploadSession(nora, '/me/drive/root:/cranes.txt:/createUploadSession', payload);
  const task = new OneDriveLargeFileUploadTask(nora, file, session, { rangeSize: 327680 });
  const { responseBody: item } = await task.upload();
  assert.equal(item.size, bytes.length);
  await nora.api(`/me/drive/items/${item.id}/invite`).post({
    recipients: [{ email: OLAF }], roles: ['read'], requireSignIn: true, sendInvitation: true, message: 'See',
  });
  const shared = await olaf.api('/me/drive/sharedWithMe').get();
  assert.ok(shared.value.some(i => i.name === 'cranes.txt'));
  const { value: [letter] } = await olaf.api('/me/messages').top(1).get();
  assert.match(letter.subject, /cranes\.txt/);
  const stream = await olaf.api(`/drives/${item.parentReference.driveId}/items/${item.id}/content`).getStream();
  const read = Buffer.from(await new Response(stream).arrayBuffer());
  assert.ok(read.equals(bytes));
});

await step('what is not there', async () => {
  await assert.rejects(olaf.api('/teams/9a000000-0000-4000-8000-00000000ffff').get(), e => e.statusCode === 404);
  await assert.rejects(olaf.api('/me/onlineMeetings').get(), e => e.statusCode === 400);
});

finish();
