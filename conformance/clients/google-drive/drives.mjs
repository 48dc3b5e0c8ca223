// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: the life of a shared drive.
import assert from 'node:assert/strict';
import { finish, refused, start, step, world } from '../harness.mjs';
import { all, client, content, create, FOLDER, reason, through } from './client.mjs';

through();
await start();
const [ada, bob, eve] = ['ada@acme.example', 'bob@acme.example', 'eve@acme.example'];
const w = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z', organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [ada, bob, eve].map(email => ({ email, name: email.split('@')[0] })),
});
const [a, b, e] = [ada, bob, eve].map(email => client(w, email));
const everywhere = { supportsAllDrives: true, includeItemsFromAllDrives: true };
const names = async (drive, params) => (await all(drive.files.list.bind(drive.files), { pageSize: 3, ...everywhere, ...params }, 'files')).map(f => f.name).sort();
let driveId, file, folder, member;

await step('made once for each request id', async () => {
  const { data } = await a.drives.create({ requestId: 'once', requestBody: { name: 'Harbour', themeId: 'abacus' } });
  driveId = data.id;
  assert.deepEqual([data.kind, data.name], ['drive#drive', 'Harbour']);
  const again = await a.drives.create({ requestId: 'once', requestBody: { name: 'Harbour' } }).catch(error => error);
  assert.ok(again.status === 409 || again.data?.id === driveId);
  assert.deepEqual((await a.drives.list()).data.drives.map(d => d.name), ['Harbour']);
});

await step('it is its members\' and nobody else\'s', async () => {
  assert.deepEqual(reason(await refused(() => b.drives.get({ driveId }))), [404, 'notFound']);
  assert.deepEqual((await b.drives.list()).data.drives, []);
  member = (await a.permissions.create({
    fileId: driveId, supportsAllDrives: true, sendNotificationEmail: false, requestBody: { type: 'user', role: 'fileOrganizer', emailAddress: bob } })).data;
  assert.deepEqual((await b.drives.list()).data.drives.map(d => d.id), [driveId]);
});

await step('its files have no owner, and are there for who says that he knows of drives', async () => {
  folder = (await create(b, { name: 'Quay', mimeType: FOLDER, parents: [driveId] })).id;
  file = (await create(b, { name: 'depths.csv', mimeType: 'text/csv', parents: [folder] }, 'x,y\n', 'id,driveId,owners,ownedByMe')).id;
  const { data } = await a.files.get({ fileId: file, supportsAllDrives: true, fields: '*' });
  assert.deepEqual([data.driveId, data.owners, data.hasAugmentedPermissions], [driveId, undefined, false]);
  assert.deepEqual(reason(await refused(() => a.files.get({ fileId: file }))), [404, 'notFound']);
  assert.equal((await content(a, file)).toString(), 'x,y\n');
});

await step('lists show them where they are asked for', async () => {
  assert.deepEqual((await a.files.list()).data.files, []);
  assert.deepEqual(await names(a, { corpora: 'drive', driveId }), ['Quay', 'depths.csv']);
  assert.deepEqual(await names(a, { corpora: 'allDrives' }), ['Quay', 'depths.csv']);
  assert.deepEqual(await names(a, { corpora: 'drive', driveId, q: `'${folder}' in parents` }), ['depths.csv']);
  assert.equal((await refused(() => a.files.list({ corpora: 'drive', driveId }))).status, 403);
  assert.deepEqual(reason(await refused(() => e.files.list({ corpora: 'drive', driveId, ...everywhere }))), [404, 'notFound']);
});

await step('a member gets there by membership; a guest by one file', async () => {
  const { data } = await a.permissions.list({ fileId: file, supportsAllDrives: true, fields: 'permissions(role,emailAddress,permissionDetails)' });
  const his = data.permissions.find(p => p.emailAddress === bob);
  assert.deepEqual(his.permissionDetails, [{ permissionType: 'member', role: 'fileOrganizer', inheritedFrom: driveId, inherited: true }]);
  await a.permissions.create({ fileId: file, supportsAllDrives: true, sendNotificationEmail: false, requestBody: { type: 'user', role: 'reader', emailAddress: eve } });
  assert.equal((await content(e, file)).toString(), 'x,y\n');
  assert.equal((await refused(() => e.files.get({ fileId: folder, supportsAllDrives: true }))).status, 404);
  assert.equal((await refused(() => a.permissions.delete({ fileId: file, permissionId: member.id, supportsAllDrives: true }))).status, 403);
});

await step('what each role may do', async () => {
  const can = async (drive) => (await drive.drives.get({ driveId, fields: 'capabilities' })).data.capabilities;
  const [organizer, fileOrganizer] = [await can(a), await can(b)];
  assert.deepEqual([organizer.canManageMembers, organizer.canDeleteDrive, organizer.canRenameDrive], [true, true, true]);
  assert.deepEqual([fileOrganizer.canManageMembers, fileOrganizer.canAddChildren, fileOrganizer.canRenameDrive], [false, true, false]);
  assert.equal((await refused(() => b.drives.update({ driveId, requestBody: { name: 'Mine' } }))).status, 403);
});

await step('renamed, restricted, hidden', async () => {
  assert.equal((await a.drives.update({ driveId, requestBody: { name: 'Port', restrictions: { domainUsersOnly: true } }, fields: 'name,restrictions' })).data.name, 'Port');
  await b.drives.hide({ driveId });
  assert.deepEqual((await b.drives.list({ q: 'hidden = true' })).data.drives.map(d => d.name), ['Port']);
  assert.equal((await a.drives.get({ driveId, fields: 'hidden' })).data.hidden, false);
  assert.equal((await b.drives.unhide({ driveId, fields: 'hidden' })).data.hidden, false);
});

await step('trashed and put back by those who may', async () => {
  const { data } = await b.files.update({ fileId: file, supportsAllDrives: true, requestBody: { trashed: true }, fields: 'trashed,trashingUser(emailAddress)' });
  assert.deepEqual([data.trashed, data.trashingUser.emailAddress], [true, bob]);
  assert.deepEqual(await names(a, { corpora: 'drive', driveId, q: 'trashed = true' }), ['depths.csv']);
  await b.files.update({ fileId: file, supportsAllDrives: true, requestBody: { trashed: false } });
  assert.equal((await refused(() => b.files.delete({ fileId: file, supportsAllDrives: true }))).status, 403);
});

await step('it is deleted when it is empty', async () => {
  assert.equal((await refused(() => a.drives.delete({ driveId }))).status, 403);
  await a.files.delete({ fileId: folder, supportsAllDrives: true });
  assert.deepEqual(await names(a, { corpora: 'drive', driveId }), []);
  await a.drives.delete({ driveId });
  assert.equal((await refused(() => a.drives.get({ driveId }))).status, 404);
  assert.deepEqual((await b.drives.list()).data.drives, []);
});

await finish();
