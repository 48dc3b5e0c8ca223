// SPDX-License-Identifier: Apache-2.0
// Google's official client for Node: a mirror that is kept by the feed of changes stays equal to a full list, for the owner
// of a drive and for a person who gets access and loses it.
//
// The changes are random, but the same in every run: CHANGES_SEED and CHANGES_ROUNDS choose others.
import assert from 'node:assert/strict';
import { finish, generator, refused, start, step, world } from '../harness.mjs';
import { all, client, create, FOLDER, through } from './client.mjs';

through();
await start();
const [ada, bob] = ['ada@acme.example', 'bob@acme.example'];
const w = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z', organizations: [{ domain: 'acme.example', name: 'Acme' }],
  people: [{ email: ada, name: 'Ada' }, { email: bob, name: 'Bob' }],
});
// What is in a folder in the trash is trashed with it and has no entry of its own, so a mirror keeps what was done to each item.
const fields = 'id,name,mimeType,parents,explicitlyTrashed,starred,size,md5Checksum';
const rounds = Number(process.env.CHANGES_ROUNDS ?? 30);

const below = generator(process.env.CHANGES_SEED);

class Mirror {
  constructor(email, options = {}) {
    this.drive = client(w, email);
    this.options = options;
    this.files = new Map();
  }

  async list() {
    const files = await all(this.drive.files.list.bind(this.drive.files),
      { fields: `nextPageToken,files(${fields})`, pageSize: 5, ...(this.options.driveId ? { corpora: 'drive' } : {}), ...this.options }, 'files');
    return new Map(files.map(f => [f.id, f]));
  }

  async begin() {
    this.token = (await this.drive.changes.getStartPageToken({ supportsAllDrives: true, driveId: this.options.driveId })).data.startPageToken;
    this.files = await this.list();
  }

  /** Reads the feed to its end; gives how many changes there were. */
  async follow() {
    let n = 0;
    for (;;) {
      const { data } = await this.drive.changes.list({
        pageToken: this.token, pageSize: 3, fields: `nextPageToken,newStartPageToken,changes(changeType,fileId,removed,file(${fields}))`, ...this.options });
      assert.notEqual(Boolean(data.nextPageToken), Boolean(data.newStartPageToken));
      for (const change of data.changes) {
        n++;
        if (change.changeType === 'drive') continue;
        if (change.removed) this.files.delete(change.fileId);
        else this.files.set(change.fileId, change.file);
      }
      this.token = data.nextPageToken ?? data.newStartPageToken;
      if (data.newStartPageToken) return n;
    }
  }

  async equal(what) {
    const sorted = (map) => [...map.values()].sort((x, y) => (x.id < y.id ? -1 : 1));
    assert.deepEqual(sorted(this.files), sorted(await this.list()), what);
  }
}

const mirror = new Mirror(ada);
const a = mirror.drive;
const folders = [undefined];
const files = [];

/** One random change; gives what it was. */
async function change(n) {
  const fileId = files[below(files.length || 1)];
  const parent = folders[below(folders.length)];
  switch (files.length < 3 ? 0 : below(9)) {
    case 0: files.push((await create(a, { name: `f${n}`, parents: parent && [parent] }, `text ${n}`)).id); return 'create';
    case 1: folders.push((await create(a, { name: `d${n}`, mimeType: FOLDER, parents: parent && [parent] })).id); return 'folder';
    case 2: await a.files.update({ fileId, requestBody: { name: `renamed ${n}` } }); return 'rename';
    case 3: await a.files.update({ fileId, media: { body: `other ${n}` } }); return 'content';
    case 4: await a.files.update({ fileId, requestBody: { starred: Boolean(below(2)) } }); return 'star';
    case 5: await a.files.update({ fileId, requestBody: { trashed: Boolean(below(2)) } }); return 'trash';
    case 6: {
      const { data } = await a.files.get({ fileId, fields: 'parents' });
      await a.files.update({ fileId, addParents: parent ?? 'root', removeParents: data.parents?.[0] });
      return 'move';
    }
    case 7: files.push((await a.files.copy({ fileId, requestBody: { name: `copy ${n}` } })).data.id); return 'copy';
    default:
      await a.files.delete({ fileId });
      files.splice(files.indexOf(fileId), 1);
      return 'delete';
  }
}

await step('a feed that nothing happened in is empty', async () => {
  await mirror.begin();
  assert.equal(await mirror.follow(), 0);
});

await step(`a mirror equals a list after each of ${rounds} rounds of changes`, async () => {
  for (let n = 0; n < rounds; n++) {
    const done = [];
    for (let i = 0; i <= below(4); i++) done.push(await change(n * 10 + i));
    await mirror.follow();
    await mirror.equal(`round ${n}: ${done.join(', ')}`);
  }
});

await step('a folder in the trash takes what is in it along, and back', async () => {
  const top = (await create(a, { name: 'top', mimeType: FOLDER })).id;
  for (let i = 0; i < 7; i++) await create(a, { name: `in ${i}`, parents: [top] }, 'x');
  for (const trashed of [true, false]) {
    await a.files.update({ fileId: top, requestBody: { trashed } });
    await mirror.follow();
    await mirror.equal(`trashed: ${trashed}`);
    const { data } = await a.files.list({ q: `'${top}' in parents and trashed = ${trashed}`, fields: 'files(trashed,explicitlyTrashed)' });
    assert.deepEqual(data.files, Array(7).fill({ trashed, explicitlyTrashed: false }));
  }
  await a.files.delete({ fileId: top });
  await mirror.follow();
  await mirror.equal('deleted');
});

await step('who is let in sees it come, and who is let out sees it go', async () => {
  const other = new Mirror(bob);
  await other.begin();
  const { id } = await create(a, { name: 'shared' }, 'x');
  assert.equal(await other.follow(), 0);
  const p = (await a.permissions.create({ fileId: id, requestBody: { type: 'user', role: 'reader', emailAddress: bob }, sendNotificationEmail: false })).data;
  await other.follow();
  assert.deepEqual([...other.files.keys()], [id]);
  await other.equal('in');
  await a.permissions.delete({ fileId: id, permissionId: p.id });
  await other.follow();
  assert.equal(other.files.size, 0);
  await other.equal('out');
});

await step('a shared drive has a feed of its own', async () => {
  const driveId = (await a.drives.create({ requestId: 'x', requestBody: { name: 'Shared' } })).data.id;
  const shared = new Mirror(ada, { driveId, supportsAllDrives: true, includeItemsFromAllDrives: true });
  await shared.begin();
  const { id } = await create(a, { name: 'there', parents: [driveId] }, 'x');
  assert.ok(await shared.follow() > 0);
  await shared.equal('made');
  await a.files.update({ fileId: id, requestBody: { name: 'renamed' }, supportsAllDrives: true });
  await shared.follow();
  await shared.equal('renamed');
  await a.files.delete({ fileId: id, supportsAllDrives: true });
  await shared.follow();
  await shared.equal('deleted');
  assert.equal(shared.files.size, 0);
});

await step('a token that is none is refused', async () => {
  assert.equal((await refused(() => a.changes.list({ pageToken: 'nonsense' }))).status, 400);
});

await finish();
