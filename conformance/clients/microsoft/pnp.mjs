// SPDX-License-Identifier: Apache-2.0
// PnPjs (@pnp/graph) as it is, through `sosia run`: a person of the fixture small-365 in a site, its lists, library and workbook.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { BearerToken, BrowserFetchWithRetry, DefaultParse } from '@pnp/queryable';
import { DefaultHeaders, DefaultInit, graphfi } from '@pnp/graph';
import '@pnp/graph/presets/all.js';
import { control, finish, refused, start, step, through } from '../harness.mjs';

through(['--fixture', 'small-365', '--clock', 'step', '--credentials', 'microsoft']);
await start();
const SITE = 'b1c00000-0000-4000-8000-000000000001', WEB = 'b1c00000-0000-4000-8000-000000000002';
const LIBRARY = 'b1c00000-0000-4000-8000-000000000003';
// A sheet with the cells A1:B2, of the cassettes.
const sheet = JSON.parse(readFileSync(new URL('../../cassettes/sharepoint/_site.json', import.meta.url)))
  .world.seed.files.find(f => f.name === 'Sums.xlsx').base64;
await control('POST', `/worlds/${process.env.SOSIA_WORLD}/seed`, {
  sosia: 1,
  microsoftSites: [{
    path: '/sites/yard', name: 'Yard', id: SITE, web: WEB, everyone: 'owner',
    libraries: [{ name: 'Shared Documents', title: 'Documents', id: LIBRARY, owner: 'yard-files' }],
  }],
  files: [{ name: 'Sums.xlsx', owner: 'yard-files', base64: sheet, createdBy: 'nora@quay.example' }],
  lists: [{
    place: '/sites/yard', name: 'Jobs', creator: 'nora@quay.example',
    columns: [{ name: 'Title', length: 255 }, { name: 'Status', type: 'choice', choices: ['Open', 'Done'], indexed: true }],
  }],
});
const graph = graphfi().using(DefaultInit('https://graph.microsoft.com/v1.0'), DefaultHeaders(), DefaultParse(), BrowserFetchWithRetry(),
  BearerToken(process.env.SOSIA_MICROSOFT_TOKEN));
const host = (await graph.sites.root()).siteCollection.hostname;
const site = await graph.sites.getByUrl(host, '/sites/yard');
const jobs = site.lists.getById('Jobs');

await step('a site is found by its address', async () => {
  assert.equal((await site()).displayName, 'Yard');
  const lists = await site.lists.select('displayName', 'list')();
  assert.deepEqual(lists.map(l => l.displayName), ['Jobs', 'Documents']);
});

await step('columns and items of a list', async () => {
  await jobs.columns.add({ name: 'Hours', number: { minimum: 0 } });
  assert.ok((await jobs.columns()).some(c => c.name === 'Hours'));
  for (let i = 0; i < 5; i++)
    await jobs.items.add({ fields: { Title: `Job ${i}`, Status: i % 2 ? 'Done' : 'Open', Hours: i } });
  const done = await jobs.items.expand('fields($select=Title,Hours)').filter("fields/Status eq 'Done'")();
  assert.deepEqual(done.map(i => i.fields.Title), ['Job 1', 'Job 3']);
  const pages = [];
  for await (const page of jobs.items.top(2))
    pages.push(page.length);
  assert.deepEqual(pages, [2, 2, 1]);
  const one = jobs.items.getById(done[0].id);
  await one.update({ fields: { Hours: 8 } });
  assert.equal((await one.expand('fields')()).fields.Hours, 8);
  assert.ok((await one.versions()).length >= 2);
  await one.delete();
  assert.equal((await refused(() => one())).status, 404);
});

await step('a library is a drive', async () => {
  const drive = site.drive;
  const { name } = await drive();
  assert.equal(name, 'Documents');
  const made = await drive.root.upload({ content: new Blob(['first']), contentType: 'text/plain', filePathName: 'Plan.txt' });
  const file = graph.drives.getById(made.parentReference.driveId).getItemById(made.id);
  assert.equal(await (await file.getContent()).text(), 'first');
  await file.checkOut();
  await file.checkIn({ checkInAs: 'published', comment: 'done' });
  assert.equal((await file.versions()).length, 1);
  const folder = await drive.root.children.addFolder({ name: 'Old', conflictBehavior: 'rename' });
  const monitor = await file.copyItem({ parentReference: { driveId: made.parentReference.driveId, id: folder.id }, name: 'Copy.txt' });
  assert.match(monitor, /monitor/);
  assert.deepEqual((await drive.getItemById(folder.id).children.select('name')()).map(i => i.name), ['Copy.txt']);
  assert.equal((await file.permissions()).length > 0, true);
  await file.delete();
  assert.equal((await refused(() => file())).status, 404);
});

await step('files of a library are items of its list', async () => {
  const documents = site.lists.getById('Documents');
  await documents.columns.add({ name: 'Status', choice: { choices: ['Draft', 'Final'] } });
  const [item] = await documents.items.expand('fields').top(1)();
  assert.equal(item.fields.FileLeafRef, 'Sums.xlsx');
  await documents.items.getById(item.id).update({ fields: { Status: 'Draft' } });
  const file = (await site.drive.root.children.expand('listItem($expand=fields)')()).find(f => f.name === 'Sums.xlsx');
  assert.equal(file.listItem.fields.Status, 'Draft');
  const { getUrl } = await site.drive.getItemById(file.id).preview();
  assert.equal((await fetch(getUrl)).headers.get('content-type'), 'application/pdf');
  assert.deepEqual(await site.drive.getItemById(file.id).thumbnails(), []);
});

await step('a workbook is read and written by ranges and tables', async () => {
  const { id } = await site.drive.getItemByPath('Sums.xlsx')();
  const book = site.drive.getItemById(id).workbook;
  const [{ name }] = await book.worksheets();
  const range = book.worksheets.getById(name).getRange('A1:B2');
  const { values } = await range();
  assert.equal(values.length, 2);
  await book.worksheets.getById(name).getRange('D1:E2').update({ values: [['a', 'b'], [1, 2]] });
  const table = await book.worksheets.getById(name).tables.add('D1:E2', true);
  await book.tables.getById(table.name).rows.add({ values: [[3, 4]] });
  assert.deepEqual((await book.tables.getById(table.name).rows()).map(r => r.values[0]), [[1, 2], [3, 4]]);
});

await finish();
