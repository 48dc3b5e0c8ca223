// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: what three people and a stranger see of files that are shared, lowered and taken back.
import assert from 'node:assert/strict';
import { control, finish, refused, start, step, world } from '../harness.mjs';
import { all, client, content, create, FOLDER, reason, through } from './client.mjs';

through();
await start();
const people = ['ada', 'bob', 'eve', 'far'];
const [ada, bob, eve] = people.map(n => `${n}@acme.example`);
const far = 'far@other.example';
const w = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z',
  organizations: [{ domain: 'acme.example', name: 'Acme' }, { domain: 'other.example', name: 'Other' }],
  people: [ada, bob, eve, far].map(email => ({ email, name: email.split('@')[0] })),
  groups: [{ email: 'team@acme.example', name: 'Team', members: [eve] }],
});
const drives = Object.fromEntries([ada, bob, eve, far].map(email => [email, client(w, email)]));
const as = (email) => drives[email];

/** What a person may do with a file: "-" nothing, else letters: r read, e edit, s share, t trash, c comment. */
async function can(email, fileId) {
  try {
    const { data } = await as(email).files.get({ fileId, fields: 'capabilities', supportsAllDrives: true });
    const c = data.capabilities;
    return [['r', c.canDownload], ['c', c.canComment], ['e', c.canEdit], ['s', c.canShare], ['t', c.canTrash]]
      .filter(([, yes]) => yes).map(([letter]) => letter).join('');
  } catch (error) {
    assert.deepEqual(reason(error), [404, 'notFound']);
    return '-';
  }
}
const table = async (fileId) => (await Promise.all([ada, bob, eve, far].map(email => can(email, fileId)))).join(' ');
const names = async (email, q) => (await all(as(email).files.list.bind(as(email).files), { q, pageSize: 2 }, 'files')).map(f => f.name).sort();
const grant = async (email, fileId, requestBody, more = {}) =>
  (await as(email).permissions.create({ fileId, requestBody, sendNotificationEmail: false, fields: '*', ...more })).data;

const folder = (await create(as(ada), { name: 'Plans', mimeType: FOLDER })).id;
const file = (await create(as(ada), { name: 'plan.txt', parents: [folder] }, 'the plan')).id;

await step('nobody but the owner sees a new file', async () => {
  assert.equal(await table(file), 'rcest - - -');
  assert.deepEqual(await names(bob), []);
  assert.deepEqual(reason(await refused(() => as(bob).permissions.list({ fileId: file }))), [404, 'notFound']);
});

let readers;
await step('a reader reads, finds it among what is shared with him, and changes nothing', async () => {
  readers = await grant(ada, file, { type: 'user', role: 'reader', emailAddress: bob });
  assert.deepEqual([readers.type, readers.role, readers.emailAddress], ['user', 'reader', bob]);
  assert.equal(await table(file), 'rcest r - -');
  assert.deepEqual(await names(bob, 'sharedWithMe'), ['plan.txt']);
  assert.deepEqual(await names(bob, "'ada@acme.example' in owners"), ['plan.txt']);
  assert.equal((await content(as(bob), file)).toString(), 'the plan');
  assert.equal((await refused(() => as(bob).files.update({ fileId: file, requestBody: { name: 'his' } }))).status, 403);
  assert.equal((await refused(() => as(bob).files.delete({ fileId: file }))).status, 403);
  assert.equal((await refused(() => grant(bob, file, { type: 'user', role: 'reader', emailAddress: eve }))).status, 403);
  assert.deepEqual(await names(bob, `'${folder}' in parents`).catch(e => reason(e)), [404, 'notFound']);
});

await step('a commenter, then a writer, by changing the role', async () => {
  await as(ada).permissions.update({ fileId: file, permissionId: readers.id, requestBody: { role: 'commenter' } });
  assert.equal(await table(file), 'rcest rc - -');
  await as(ada).permissions.update({ fileId: file, permissionId: readers.id, requestBody: { role: 'writer' } });
  assert.equal(await table(file), 'rcest rces - -');
  await as(bob).files.update({ fileId: file, media: { body: 'the plan, by Bob' } });
  const { data } = await as(ada).files.get({ fileId: file, fields: 'lastModifyingUser,ownedByMe,shared,permissions(role,emailAddress)' });
  assert.equal(data.lastModifyingUser.emailAddress, bob);
  assert.equal(data.shared, true);
  assert.deepEqual(data.permissions.map(p => `${p.emailAddress} ${p.role}`).sort(), [`${ada} owner`, `${bob} writer`]);
});

await step('a writer shares further, unless the owner forbids it', async () => {
  const p = await grant(bob, file, { type: 'user', role: 'reader', emailAddress: eve });
  assert.equal(await table(file), 'rcest rces r -');
  await as(bob).permissions.delete({ fileId: file, permissionId: p.id });
  await as(ada).files.update({ fileId: file, requestBody: { writersCanShare: false } });
  assert.equal(await table(file), 'rcest rce - -');
  assert.equal((await refused(() => grant(bob, file, { type: 'user', role: 'reader', emailAddress: eve }))).status, 403);
  await as(ada).files.update({ fileId: file, requestBody: { writersCanShare: true } });
});

await step('what is revoked is gone for him', async () => {
  await as(ada).permissions.delete({ fileId: file, permissionId: readers.id });
  assert.equal(await table(file), 'rcest - - -');
  assert.deepEqual(await names(bob), []);
  assert.equal((await refused(() => content(as(bob), file))).status, 404);
});

await step('a folder that is shared is shared with what is below it, now and later', async () => {
  const p = await grant(ada, folder, { type: 'user', role: 'writer', emailAddress: bob });
  assert.equal(await table(file), 'rcest rces - -');
  const deep = (await create(as(ada), { name: 'deep', mimeType: FOLDER, parents: [folder] })).id;
  const late = (await create(as(bob), { name: 'late.txt', parents: [deep] }, 'late')).id;
  assert.equal((await as(ada).files.get({ fileId: late, fields: 'ownedByMe' })).data.ownedByMe, false);
  assert.deepEqual(await names(bob, 'sharedWithMe'), ['Plans']);
  assert.deepEqual(await names(bob, `'${folder}' in parents`), ['deep', 'plan.txt']);
  await as(ada).permissions.delete({ fileId: folder, permissionId: p.id });
  assert.equal(await can(bob, file), '-');
  assert.notEqual(await can(bob, late), '-');
});

await step('a file that leaves the shared folder is not shared any more', async () => {
  const p = await grant(ada, folder, { type: 'user', role: 'reader', emailAddress: eve });
  assert.equal(await can(eve, file), 'r');
  await as(ada).files.update({ fileId: file, addParents: 'root', removeParents: folder });
  assert.equal(await can(eve, file), '-');
  await as(ada).files.update({ fileId: file, addParents: folder, removeParents: 'root' });
  assert.equal(await can(eve, file), 'r');
  await as(ada).permissions.delete({ fileId: folder, permissionId: p.id });
});

await step('a group is its members, a domain its people', async () => {
  const g = await grant(ada, file, { type: 'group', role: 'commenter', emailAddress: 'team@acme.example' });
  assert.equal(await table(file), 'rcest - rc -');
  await as(ada).permissions.delete({ fileId: file, permissionId: g.id });
  const d = await grant(ada, file, { type: 'domain', role: 'reader', domain: 'acme.example' });
  assert.equal(await table(file), 'rcest r r -');
  await as(ada).permissions.delete({ fileId: file, permissionId: d.id });
});

await step('a link lets in who has it, and shows it to nobody', async () => {
  await grant(ada, file, { type: 'anyone', role: 'reader' });
  assert.equal(await table(file), 'rcest r r r');
  assert.deepEqual(await names(far), []);
  assert.equal((await content(as(far), file)).toString(), 'the plan, by Bob');
  await as(ada).permissions.delete({ fileId: file, permissionId: 'anyoneWithLink' });
  assert.equal(await table(file), 'rcest - - -');
});

await step('a share that expires ends by the clock', async () => {
  const p = await grant(ada, file, { type: 'user', role: 'reader', emailAddress: bob, expirationTime: '2026-11-23T09:00:00Z' });
  assert.equal(p.expirationTime, '2026-11-23T09:00:00.000Z');
  await as(ada).permissions.update({ fileId: file, permissionId: p.id, requestBody: { role: 'reader', expirationTime: '2026-11-23T10:00:00Z' } });
  assert.equal(await can(bob, file), 'r');
  await control('POST', `/worlds/${w.key}/clock/advance`, { seconds: 3 * 3600 });
  for (const email of [ada, bob, eve, far]) {
    w.tokens[email] = (await control('POST', `/worlds/${w.key}/tokens`, { actor: email })).token;
    drives[email] = client(w, email);
  }
  assert.equal(await can(bob, file), '-');
});

await step('a file changes its owner, who was asked or is a colleague', async () => {
  const p = await grant(ada, file, { type: 'user', role: 'owner', emailAddress: bob }, { transferOwnership: true, sendNotificationEmail: true });
  assert.equal(p.role, 'owner');
  const { data } = await as(bob).files.get({ fileId: file, fields: 'ownedByMe,owners(emailAddress)' });
  assert.deepEqual(data.owners.map(o => o.emailAddress), [bob]);
  assert.notEqual(await can(ada, file), '-');
  assert.equal((await refused(() => as(ada).files.delete({ fileId: file }))).status, 403);
});

await step('a notice reaches the one it is shared with', async () => {
  const mine = (await create(as(ada), { name: 'told.txt' }, 'x')).id;
  await as(ada).permissions.create({ fileId: mine, requestBody: { type: 'user', role: 'reader', emailAddress: bob }, emailMessage: 'Have a look, please' });
  const answer = await fetch('https://gmail.googleapis.com/gmail/v1/users/me/messages?q=look', { headers: { authorization: `Bearer ${w.tokens[bob]}` } });
  assert.equal((await answer.json()).messages?.length, 1);
});

await finish();
