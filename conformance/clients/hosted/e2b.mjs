// SPDX-License-Identifier: Apache-2.0
// E2B's JavaScript SDK, unmodified: with E2B_API_URL and E2B_SANDBOX_URL it makes, fills, forks, keeps, pauses, lists and ends
// sandboxes here, and the company is beside their files.
import assert from 'node:assert/strict';
import { CommandExitError, FileNotFoundError, InvalidArgumentError, FileType, RateLimitError, Sandbox, SandboxNotFoundError, TemplateError, TimeoutError } from 'e2b';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { finish, refused, server, start, step } from '../harness.mjs';

const apiKey = 'key-of-the-sdk-of-e2b';
const narrow = 'key-of-a-narrow-tenant';
await start(['--fixture', 'small', '--api-key', apiKey, '--tenant', `narrow=${narrow},sandboxes=2`]);
process.env.E2B_API_KEY = apiKey;
process.env.E2B_API_URL = server.url;
process.env.E2B_SANDBOX_URL = server.url;

const names = (entries) => entries.map((e) => e.name);

await step('files are written, read, listed, moved and removed', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000 });
  assert.ok(await sandbox.isRunning());
  assert.deepEqual(await sandbox.files.write('notes/plan.txt', 'one\ntwo\n'),
    { name: 'plan.txt', path: '/home/user/notes/plan.txt', type: FileType.FILE, metadata: undefined });
  assert.equal(await sandbox.files.read('/home/user/notes/plan.txt'), 'one\ntwo\n');
  const bytes = new Uint8Array([0, 255, 10, 13]);
  await sandbox.files.write('raw.bin', bytes.buffer, { useOctetStream: true });
  await sandbox.files.write('packed.txt', 'x'.repeat(5000), { gzip: true });
  assert.deepEqual(await sandbox.files.read('~/raw.bin', { format: 'bytes' }), bytes);
  assert.equal((await sandbox.files.read('packed.txt', { gzip: true })).length, 5000);
  const many = await sandbox.files.writeFiles([{ path: 'a "b".txt', data: 'a' }, { path: 'dir/c.txt', data: new Blob(['c']) }, { path: 'empty', data: '' }]);
  assert.deepEqual(many.map((f) => f.path), ['/home/user/a "b".txt', '/home/user/dir/c.txt', '/home/user/empty']);
  assert.equal(await sandbox.files.read('empty'), '');
  assert.equal(await new Response(await sandbox.files.read('dir/c.txt', { format: 'stream' })).text(), 'c');
  assert.deepEqual(names(await sandbox.files.list('/home/user')), ['a "b".txt', 'dir', 'empty', 'notes', 'packed.txt', 'raw.bin']);
  assert.deepEqual((await sandbox.files.list('.', { depth: 2 })).map((e) => e.path).filter((p) => p.includes('dir')), ['/home/user/dir', '/home/user/dir/c.txt']);
  const info = await sandbox.files.getInfo('notes/plan.txt');
  assert.deepEqual([info.name, info.type, info.path, info.size, info.mode, info.permissions, info.owner, info.group],
    ['plan.txt', FileType.FILE, '/home/user/notes/plan.txt', 8, 0o644, '-rw-r--r--', 'user', 'user']);
  assert.ok(info.modifiedTime instanceof Date);
  assert.equal(await sandbox.files.makeDir('deep/er'), true);
  assert.equal(await sandbox.files.makeDir('deep/er'), false);
  assert.equal((await sandbox.files.rename('notes/plan.txt', 'new/place.txt')).path, '/home/user/new/place.txt');
  assert.equal(await sandbox.files.exists('notes/plan.txt'), false);
  assert.equal(await sandbox.files.exists('new/place.txt'), true);
  await sandbox.files.remove('new');
  await sandbox.files.remove('new'); // is no fault
  assert.ok(await refused(() => sandbox.files.read('new/place.txt')) instanceof FileNotFoundError);
  assert.ok(await refused(() => sandbox.files.list('new')) instanceof FileNotFoundError);
  assert.ok(await refused(() => sandbox.files.read('/etc/passwd')) instanceof FileNotFoundError);
  assert.match((await refused(() => sandbox.files.write('/etc/x', 'y'))).message, /permission denied/);
  assert.match((await refused(() => sandbox.files.read('dir'))).message, /'\/home\/user\/dir' is a directory/);
  assert.ok(await refused(() => sandbox.files.write('x', 'y', { metadata: { a: 'b' } })) instanceof TemplateError);
  assert.equal(await sandbox.kill(), true);
  assert.equal(await sandbox.kill(), false);
  assert.equal(await sandbox.isRunning(), false);
});

await step('addresses with a signature upload and download, until they end', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000 });
  const up = await sandbox.uploadUrl('in/a.txt', { useSignatureExpiration: 60 });
  const form = new FormData();
  form.append('file', new Blob(['sent']), 'other.txt');
  assert.equal((await fetch(up, { method: 'POST', body: form })).status, 200);
  const down = await sandbox.downloadUrl('in/a.txt');
  assert.equal(await (await fetch(down)).text(), 'sent');
  for (const bad of [down.replace('a.txt', 'b.txt'), up, down.replace(/signature=v1_./, 'signature=v1_-'), down.split('&signature')[0],
    await sandbox.downloadUrl('in/a.txt', { useSignatureExpiration: -10 })])
    assert.equal((await fetch(bad)).status, 401, bad);
  await sandbox.kill();
  assert.equal((await fetch(down)).status, 401);
});

await step('a sandbox is found, described, connected to, and its life is set', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 60_000, metadata: { 'user name': 'ada & bob', run: '7' }, envs: { A: 'b' } });
  const info = await sandbox.getInfo();
  assert.deepEqual([info.sandboxId, info.templateId, info.state, info.metadata, info.lifecycle.onTimeout],
    [sandbox.sandboxId, 'base', 'running', { 'user name': 'ada & bob', run: '7' }, 'kill']);
  assert.ok(Math.abs(info.endAt - info.startedAt - 60_000) < 2000);
  await sandbox.setTimeout(600_000);
  assert.ok(Math.abs((await sandbox.getInfo()).endAt - info.startedAt - 600_000) < 60_000);
  const same = await Sandbox.connect(sandbox.sandboxId, { timeoutMs: 30_000 }); // a shorter life changes nothing
  assert.ok((await same.getInfo()).endAt - info.startedAt > 500_000);
  await sandbox.files.write('a', '1');
  assert.equal(await same.files.read('a'), '1');
  const found = await Sandbox.list({ query: { metadata: { 'user name': 'ada & bob' }, state: ['running'] } }).nextItems();
  assert.deepEqual(found.map((s) => s.sandboxId), [sandbox.sandboxId]);
  assert.deepEqual(await Sandbox.list({ query: { metadata: { run: '8' } } }).nextItems(), []);
  await sandbox.kill();
  assert.ok(await refused(() => Sandbox.connect(sandbox.sandboxId)) instanceof SandboxNotFoundError);
  assert.ok(await refused(() => sandbox.getInfo()) instanceof SandboxNotFoundError);
});

await step('a sandbox is paused, which keeps it, and goes on', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000 });
  await sandbox.files.write('a', '1');
  assert.equal(await sandbox.pause(), true);
  assert.equal(await sandbox.pause(), false);
  assert.equal(await sandbox.isRunning(), false);
  assert.equal((await sandbox.getInfo()).state, 'paused');
  await refused(() => sandbox.files.read('a'));
  assert.deepEqual((await Sandbox.list({ query: { state: ['paused'] } }).nextItems()).map((s) => s.sandboxId), [sandbox.sandboxId]);
  await sandbox.connect({ timeoutMs: 600_000 });
  assert.equal(await sandbox.files.read('a'), '1');
  await sandbox.kill();
  // One that pauses when its time is over is there still.
  const kept = await Sandbox.create({ timeoutMs: 1000, lifecycle: { onTimeout: 'pause' } });
  const ended = await Sandbox.create({ timeoutMs: 1000 });
  await seen(async () => (await kept.getInfo()).state === 'paused', () => 'it runs');
  let gone;
  await seen(() => ended.getInfo().then(() => false, (error) => { gone = error; return true; }), () => 'it is there');
  assert.ok(gone instanceof SandboxNotFoundError);
  assert.equal(await kept.kill(), true);
});

await step('forks and snapshots have the state of their moment', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000, metadata: { kind: 'first' } });
  await sandbox.files.write('a', '1');
  const forks = await sandbox.fork({ count: 2, timeoutMs: 600_000 });
  const snapshot = await sandbox.createSnapshot({ name: 'one' });
  await sandbox.files.write('a', '2');
  await forks[0].files.write('a', '3');
  assert.equal(await forks[1].files.read('a'), '1');
  assert.equal(await sandbox.files.read('a'), '2');
  assert.equal((await forks[1].getInfo()).metadata.kind, 'first');
  assert.deepEqual(snapshot.names, ['one']);
  for (const template of [snapshot.snapshotId, 'one']) {
    const again = await Sandbox.create(template, { timeoutMs: 600_000 });
    assert.equal(await again.files.read('a'), '1');
    await again.kill();
  }
  await sandbox.kill();
  assert.deepEqual((await Sandbox.listSnapshots({ sandboxId: sandbox.sandboxId }).nextItems()).map((s) => s.snapshotId), [snapshot.snapshotId]);
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), true);
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), false);
  assert.match((await refused(() => Sandbox.create(snapshot.snapshotId))).message, /not found/);
  for (const fork of forks) await fork.kill();
});

await step('lists come in pages, the newest first', async () => {
  const made = [];
  for (let i = 0; i < 3; i++) made.push(await Sandbox.create({ timeoutMs: 600_000 }));
  const pages = Sandbox.list({ limit: 2 });
  const seen = [];
  while (pages.hasNext) seen.push(...(await pages.nextItems()).map((s) => s.sandboxId));
  assert.deepEqual(seen, made.map((s) => s.sandboxId).reverse());
  assert.deepEqual((await Sandbox.list({ order: 'asc' }).nextItems()).map((s) => s.sandboxId), made.map((s) => s.sandboxId));
  for (const sandbox of made) await sandbox.kill();
});

await step('the company is beside the files', async () => {
  const sandbox = await Sandbox.create('small', { timeoutMs: 600_000, metadata: { actor: 'ada@small.example' } });
  await sandbox.files.write('report.txt', 'All is well.');
  const tools = async (name) => {
    const mcp = new Client({ name: 'sosia-test', version: '1.0.0' });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/hosted/${name}/mcp/?instance_id=${sandbox.envdAccessToken}`)));
    return mcp;
  };
  const files = await tools('filesystem');
  const read = await files.callTool({ name: 'filesystem_read_text_file', arguments: { path: '/data/report.txt' } });
  assert.equal(read.content[0].text, 'All is well.');
  await files.callTool({ name: 'filesystem_write_file', arguments: { path: 'answer.txt', content: 'Fine.' } });
  await files.close();
  assert.equal(await sandbox.files.read('answer.txt'), 'Fine.');
  const mail = await tools('gmail');
  const sent = await mail.callTool({ name: 'gmail_send_email', arguments: { to: ['bob@small.example'], subject: 'Report', body: 'All is well.' } });
  assert.ok(!sent.isError);
  await mail.close();
  const answer = await fetch(`${server.url}/v2/sandboxes/${sandbox.sandboxId}/connect`, { method: 'POST', headers: { 'x-api-key': apiKey } });
  const { authData } = await answer.json();
  const profile = await fetch(`${authData.base_url}/gmail/v1/users/me/profile`, { headers: { authorization: `Bearer ${authData.access_token}` } });
  assert.equal((await profile.json()).emailAddress, 'ada@small.example');
  await sandbox.kill();
});

/** Why this machine does not keep programs in; undefined: it does. */
async function lacking() {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000 });
  const failed = await sandbox.commands.run('true').then(() => undefined, (error) => error);
  await sandbox.kill();
  return failed?.message;
}

const lacks = await lacking();
if (lacks) console.log(`left out: commands, since ${lacks}`);
else await step('commands run on the files, and what they change is there', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000, envs: { A: 'common', B: 'common' } });
  await sandbox.files.write('a.txt', 'one\n');
  let seen = '';
  const done = await sandbox.commands.run('cat a.txt; pwd; echo $A $B $HOME; echo said >&2; mkdir d && mv a.txt d/b.txt; python3 -c "print(6 * 7)"',
    { envs: { B: 'own' }, onStdout: (text) => { seen += text; } });
  assert.deepEqual([done.exitCode, done.stdout, done.stderr, seen], [0, 'one\n/home/user\ncommon own /home/user\n42\n', 'said\n', done.stdout]);
  assert.deepEqual((await sandbox.files.list('.', { depth: 2 })).map((e) => e.path), ['/home/user/d', '/home/user/d/b.txt']);
  assert.equal((await sandbox.commands.run('pwd', { cwd: 'd' })).stdout, '/home/user/d\n');
  const failed = await refused(() => sandbox.commands.run('echo no >&2; exit 3'));
  assert.ok(failed instanceof CommandExitError);
  assert.deepEqual([failed.exitCode, failed.stderr], [3, 'no\n']);
  assert.ok(await refused(() => sandbox.commands.run('pwd', { cwd: 'none' })) instanceof InvalidArgumentError);
  assert.ok(await refused(() => sandbox.commands.run('sleep 60', { timeoutMs: 700 })) instanceof TimeoutError);
  const behind = await sandbox.commands.run('head -c 100000 /dev/zero | tr "\\0" z', { background: true });
  assert.equal((await behind.wait()).stdout, 'z'.repeat(100000));
  assert.equal(await behind.kill(), false); // it has ended
  assert.deepEqual(await sandbox.commands.list(), []);
  await sandbox.git.init('repo', { initialBranch: 'main' });
  assert.ok(await sandbox.files.exists('repo/.git/HEAD'));
  const [fork] = await sandbox.fork({ timeoutMs: 600_000 });
  await fork.commands.run('rm -r d');
  assert.ok(await sandbox.files.exists('d/b.txt'));
  await fork.kill();
  await sandbox.kill();
});

/** Resolves as soon as it is true. */
async function seen(is, what) {
  for (let i = 0; i < 25_000; i++) {
    if (await is()) return;
    await new Promise((done) => { setTimeout(done, 20); });
  }
  assert.fail(`waited in vain: ${what()}`);
}

if (!lacks) await step('a process goes on behind its call: it is listed, written to, read while it runs, reached by others, and ended', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000 });
  let said = '';
  const cat = await sandbox.commands.run('echo ready; while read -r line; do echo "got $line"; done; echo over; exit 4',
    { background: true, stdin: true, timeoutMs: 0, onStdout: (text) => { said += text; } });
  await seen(() => said === 'ready\n', () => said);
  const [listed] = await sandbox.commands.list();
  assert.deepEqual([listed.pid, listed.cmd, listed.args.slice(0, 2)], [cat.pid, '/bin/bash', ['-l', '-c']]);
  await sandbox.commands.sendStdin(cat.pid, 'one\n');
  await seen(() => said === 'ready\ngot one\n', () => said);
  assert.equal((await sandbox.commands.run('echo meanwhile > a.txt; cat a.txt')).stdout, 'meanwhile\n');
  await cat.sendStdin('two\n');
  await cat.closeStdin();
  const over = await refused(() => cat.wait());
  assert.ok(over instanceof CommandExitError);
  assert.deepEqual([over.exitCode, over.stdout], [4, 'ready\ngot one\ngot two\nover\n']);
  assert.deepEqual(await sandbox.commands.list(), []);

  await sandbox.files.write('www/page.txt', 'Served.');
  const server = await sandbox.commands.run('python3 -u -m http.server 8000 --directory www', { background: true, timeoutMs: 0 });
  const get = 'python3 -c "import urllib.request as u; print(u.urlopen(\'http://127.0.0.1:8000/page.txt\').read().decode())"';
  await seen(async () => (await sandbox.commands.run(`${get} 2>/dev/null || true`)).stdout === 'Served.\n', () => 'no server');
  await server.disconnect(); // it is there still, and a second reader sees what it writes from then on
  let log = '';
  const again = await sandbox.commands.connect(server.pid, { onStderr: (text) => { log += text; } });
  await sandbox.commands.run(get);
  await seen(() => log.includes('GET /page.txt'), () => log);
  assert.equal(await again.kill(), true);
  const killed = await refused(() => again.wait());
  assert.deepEqual([killed.exitCode, killed.error], [-1, 'signal: killed']);
  assert.equal(await sandbox.commands.kill(server.pid), false);
  assert.match((await refused(() => sandbox.commands.connect(9999))).message, /process with pid 9999 not found/);

  let late;
  for (let timeoutMs = 700; !late; timeoutMs *= 8) { // more where the machine takes longer to begin
    const begun = sandbox.commands.run('sleep 1000', { background: true, timeoutMs });
    late = await begun.catch((error) => { if (!(error instanceof TimeoutError) || timeoutMs > 100_000) throw error; });
  }
  assert.ok(await refused(() => late.wait()) instanceof TimeoutError);
  await seen(async () => (await sandbox.commands.list()).length === 0, () => 'it is listed');
  assert.equal((await sandbox.commands.run('echo kept > /tmp/x')).exitCode, 0);
  assert.equal((await sandbox.commands.run('cat /tmp/x')).stdout, 'kept\n'); // as long as the processes' session is there
  const large = await sandbox.commands.run('head -c 6000000 /dev/zero | tr "\\0" y');
  assert.equal(large.stdout.length, 6000000);
  await sandbox.kill();
});

if (!lacks) await step('a terminal is created, written to, resized and killed', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000 });
  let shown = '';
  const decoder = new TextDecoder();
  const terminal = await sandbox.pty.create({ cols: 90, rows: 30, cwd: '/home/user', envs: { PS1: 'here> ' }, timeoutMs: 0,
    onData: (data) => { shown += decoder.decode(data, { stream: true }); } });
  const type = (text) => sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode(text));
  await type('stty size; test -t 0 && echo is a terminal\n');
  await seen(() => /30 90\r\nis a terminal\r\n/.test(shown), () => shown);
  await sandbox.pty.resize(terminal.pid, { cols: 100, rows: 20 });
  await type('stty size\n');
  await seen(() => /20 100\r\n/.test(shown), () => shown);
  await type('echo written > note.txt\n');
  await seen(() => sandbox.files.exists('note.txt'), () => shown);
  assert.equal(await sandbox.pty.kill(terminal.pid), true);
  await refused(() => terminal.wait());
  assert.equal(await sandbox.pty.kill(terminal.pid), false);
  const other = await sandbox.pty.create({ cols: 80, rows: 24, onData: () => {}, timeoutMs: 600_000 });
  await sandbox.pty.sendInput(other.pid, new TextEncoder().encode('exit 3\n'));
  assert.equal((await refused(() => other.wait())).exitCode, 3);
  await sandbox.kill();
});

await step('a directory is watched', async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 600_000 });
  await sandbox.files.write('watched/there.txt', '1');
  await sandbox.files.write('watched/below/deep.txt', '1');
  const events = [], deep = [];
  const shallow = await sandbox.files.watchDir('watched', (e) => { events.push(`${e.type} ${e.name}`); }, { timeoutMs: 0 });
  const all = await sandbox.files.watchDir('watched', (e) => { deep.push(`${e.type} ${e.name}`); }, { recursive: true, timeoutMs: 0 });
  const expect = async (list, ...wanted) => {
    await seen(() => wanted.every((w) => list.includes(w)), () => JSON.stringify(list));
    list.length = 0;
  };
  await sandbox.files.write('watched/new.txt', 'one');
  await expect(events, 'create new.txt', 'write new.txt');
  await sandbox.files.write('watched/there.txt', '2');
  await expect(events, 'write there.txt');
  await sandbox.files.rename('watched/new.txt', 'watched/other.txt');
  await expect(events, 'rename new.txt', 'create other.txt');
  await sandbox.files.remove('watched/other.txt');
  await expect(events, 'remove other.txt');
  deep.length = 0;
  await sandbox.files.write('watched/below/deep.txt', '2');
  await expect(deep, 'write below/deep.txt');
  assert.deepEqual(events, []);
  if (!lacks) {
    await sandbox.commands.run('chmod 600 watched/there.txt && echo x > watched/made.txt');
    await expect(events, 'chmod there.txt', 'create made.txt', 'write made.txt');
  }
  await shallow.stop();
  await all.stop();
  assert.ok(await refused(() => sandbox.files.watchDir('none', () => {})) instanceof FileNotFoundError);
  assert.ok(await refused(() => sandbox.files.watchDir('watched/there.txt', () => {})) instanceof InvalidArgumentError);
  await sandbox.kill();
});

await step('limits and strangers', async () => {
  const two = [await Sandbox.create({ apiKey: narrow }), await Sandbox.create({ apiKey: narrow })];
  assert.ok(await refused(() => Sandbox.create({ apiKey: narrow })) instanceof RateLimitError);
  const [full] = await two[0].fork();
  assert.ok(full instanceof RateLimitError);
  assert.ok(await refused(() => Sandbox.getInfo(two[0].sandboxId)) instanceof SandboxNotFoundError); // another key's
  assert.equal((await refused(() => Sandbox.create({ apiKey: 'another-key-than-these' }))).name, 'AuthenticationError');
  for (const sandbox of two) await sandbox.kill();
});

finish();
