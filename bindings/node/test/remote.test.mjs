// SPDX-License-Identifier: Apache-2.0
// The same code on a world in the process and on one of a server.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { after } from 'node:test';
import { ADA, event, EVENTS, sdk, serve, sosia, test } from './support.mjs';

const SECRET = 'scenario';
const server = await serve('--world-secret', SECRET, '--fixture', 'small');
const remote = sosia.connect(server.url, server.key);
const local = new sosia.Engine({ worldSecret: SECRET });
after(async () => {
  await remote.close();
  await server.stop();
  await local[Symbol.asyncDispose]();
});

for (const [where, engine] of [['in the process', local], ['over HTTP', remote]]) {
  test(`one program runs ${where}`, async () => {
    const world = await engine.world({ fixture: 'small', journal: 'all' });
    const ada = world.asActor(ADA);
    const made = await ada.call({ method: 'POST', url: EVENTS, json: event('Lunch — café') });
    assert.equal(made.status, 200);
    assert.equal(made.json().summary, 'Lunch — café');
    const fork = await world.fork();
    const listed = await fork.asActor(ADA).fetch(`${EVENTS}?q=Lunch`);
    assert.equal((await listed.json()).items.length, 1);
    assert.equal((await world.diff()).changes.some(c => c.title === 'Lunch — café'), true);
    assert.deepEqual((await fork.diff({ from: world })).changes, []);
    assert.equal(await fork.hash(), await world.hash());
    assert.equal((await world.journal()).entries[0].method, 'calendar.events.insert');
    assert.equal((await world.replay()).equal, true);
    assert.equal((await (await world.step(1)).info()).parent, (await world.info()).world);
    const before = (await world.clock()).now;
    assert.notEqual((await world.advance({ minutes: 5 })).now, before);
    const suite = await engine.suite({ version: '1.1', name: 'node', actor: ADA, fixture: 'small', tests: [{ id: 'lunch', prompt: 'Enter lunch.',
      assertions: [{ diff_type: 'added', entity: 'event', where: { summary: 'Lunch — café' } }] }] });
    assert.equal((await world.grade(suite)).passed, true);
    await world.seed({ sosia: 1, people: [{ email: 'new@small.example', name: 'New' }] });
    assert.ok((await world.dump()).people.some(p => p.email === 'new@small.example'));
    assert.ok((await world.actors()).some(a => a.email === 'new@small.example'));
    const mbox = 'From eve@far.example Mon Nov 23 08:00:00 2026\nFrom: eve@far.example\nTo: ada@small.example\nSubject: Figures\n\nTwelve\n';
    assert.equal((await world.importFile(mbox, 'mbox', { person: ADA })).messages, 1);
    const mail = await world.exportFile('mbox', { person: ADA });
    assert.ok(Buffer.isBuffer(mail) && mail.includes('Subject: Figures'));
    await assert.rejects(async () => await world.importFile('Subject: x\n', 'mbox', { person: ADA, name: 'wrong.mbox' }),
      e => e instanceof sosia.SosiaError && e.reason === 'transfer' && e.message.includes('wrong.mbox:1'));
    const shot = await world.snapshot(`shot-${where.replaceAll(' ', '-')}`);
    await world.reset();
    await world.reset({ to: shot });
    await assert.rejects(async () => await world.token('nobody@small.example'), { name: 'SosiaError', code: 'NOT_FOUND', reason: 'actorNotFound' });
    const { google } = (await sdk('googleapis')).default;
    const auth = new google.auth.OAuth2();
    auth.setCredentials({ access_token: await world.asActor(ADA).token });
    const { data } = await google.calendar({ version: 'v3', auth, fetchImplementation: world.fetch }).events.list({ calendarId: 'primary', q: 'Lunch' });
    assert.equal(data.items.length, 1);
    await sosia.intercept.run(world, async () => {
      const got = await fetch(`${EVENTS}?q=Lunch`, { headers: { Authorization: `Bearer ${await world.asActor(ADA).token}` } });
      assert.equal((await got.json()).items.length, 1);
    });
    await fork.drop();
    await assert.rejects(async () => await fork.call({ url: EVENTS }), { name: 'SosiaError', code: 'NOT_FOUND' });
    assert.ok((await engine.hosts()).includes('slack.com'));
  });
}

// Requests whose answers have the same bytes wherever they are made, in every language.
const files = ['scenario', 'scenario-365'].map(name => new URL(`../../${name}.json`, import.meta.url));
const member = (value, path) => path.split('.').reduce((v, name) => v?.[name], value);

for (const [where, engine, file] of files.flatMap(f => [['in the process', local, f], ['over HTTP', remote, f]])) {
  test(`${basename(file.pathname)} gives its bytes ${where}`, { skip: !existsSync(file) && 'there is no scenario' }, async () => {
    const scenario = JSON.parse(readFileSync(file, 'utf8'));
    assert.equal(scenario.world_secret, SECRET);
    const world = await engine.world({ fixture: scenario.fixture });
    const saved = {};
    let calls = 0;
    for (const step of scenario.steps) {
      if (step.wait !== undefined) {
        await world.advance({ seconds: step.wait });
        continue;
      }
      const url = step.target.replace(/\$\{([^}]*)\}/g, (_, name) => saved[name]);
      const headers = { ...(step.text !== undefined && { 'Content-Type': step.type }), ...(step.body !== undefined && { 'Content-Type': 'application/json' }), ...step.headers };
      const body = step.text ?? (step.body === undefined ? undefined : JSON.stringify(step.body));
      const answer = await (step.as ? world.asActor(step.as) : world).call({ method: step.method, url, headers, body });
      assert.equal(answer.status, step.status, `${step.method} ${url}: ${answer.text()}`);
      assert.equal(createHash('sha256').update(answer.body).digest('hex'), step.sha256, `${step.method} ${url}: ${answer.text()}`);
      for (const [name, path] of Object.entries(step.save ?? {})) saved[name] = member(answer.json(), path);
      calls++;
    }
    assert.ok(calls > 5);
  });
}
