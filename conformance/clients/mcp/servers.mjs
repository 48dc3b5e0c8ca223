// SPDX-License-Identifier: Apache-2.0
// Tool servers that work on files: the published programs on a directory and sosia's on a world's workspace with the same
// files get the same requests, and what they answer is compared.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { finish, start, step, world } from '../harness.mjs';

const packages = join(import.meta.dirname, '../node_modules/@modelcontextprotocol');
const ada = 'ada@acme.example';
const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n') + '\n';
const files = {
  'a.txt': 'one\ntwo\nthree\n', 'no-end.txt': 'one\ntwo', 'empty.txt': '', 'crlf.txt': 'a\r\nb\r\n', 'long.txt': lines,
  'dir/b.md': '# B\n', 'dir/deep/c.txt': 'c\n', 'dir/.hidden': 'h\n', 'big.bin': 'x'.repeat(2500),
  'code.py': 'def f():\n    if x:\n        return 1\n    return 2\n', 'ticks.md': '```\ncode\n```\n', 'pic.png': 'png', 'Zeta.txt': 'z', 'alpha.txt': 'a',
  'node_modules/m/index.js': '1', 'dir/deep/node_modules/x.js': '2',
};
const links = { link: 'dir', 'link.txt': 'a.txt', out: '/etc', dangling: 'nothing', loop: 'loop' };

await start();
const root = realpathSync(mkdtempSync(join(tmpdir(), 'sosia-servers-')));
const data = join(root, 'data');
const when = '2026-11-20T10:20:30Z';
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(data, path)), { recursive: true });
  writeFileSync(join(data, path), text);
  utimesSync(join(data, path), new Date(when), new Date(when));
}
const bytes = Buffer.from([97, 0, 98, 255, 0xc3, 0x28, 10]); // neither a text nor without a NUL
writeFileSync(join(data, 'bytes'), bytes);
chmodSync(join(data, 'code.py'), 0o755);
for (const [path, target] of Object.entries(links)) symlinkSync(target, join(data, path));
const acme = await world({
  sosia: 1, time: '2026-11-23T08:00:00Z', people: [{ email: ada, name: 'Ada' }],
  workspace: [...Object.entries(files).map(([path, text]) => ({ path, text, modified: when, ...(path === 'code.py' ? { mode: '0755' } : {}) })),
    ...Object.entries(links).map(([path, link]) => ({ path, link })), { path: 'bytes', base64: bytes.toString('base64') }],
});

async function published(name, args, env = {}) {
  const client = new Client({ name: 'sosia-test', version: '1.0.0' });
  const program = name.includes('/') ? join(packages, '..', name) : join(packages, name, 'dist/index.js');
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, ...args], env: { ...process.env, ...env }, stderr: 'ignore' }));
  return client;
}

async function ours(path) {
  const client = new Client({ name: 'sosia-test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${acme.url}mcp${path}`), { requestInit: { headers: { Authorization: `Bearer ${acme.tokens[ada]}` } } }));
  return client;
}

/** A result with the directory's name as programs of a world see it, and without what no two runs have the same. */
function common(result) {
  const text = JSON.stringify(result).replaceAll(data, '/data').replaceAll(`${root}/`, '/').replaceAll(/(created|accessed): [^\\]*/g, '$1:')
    .replaceAll(/size: 4096|\[FILE\] link {29}[^\\]*4.00 KB/g, 'size').replaceAll(/\.[0-9a-f]{32}\.tmp/g, '');
  return JSON.parse(text);
}

/** Lists come in the order of a disk. */
function sorted(result) {
  const order = (v) => Array.isArray(v) ? v.map(order).sort((a, b) => (a.name < b.name ? -1 : 1)) : v?.children ? { ...v, children: order(v.children) } : v;
  const text = (t) => t.startsWith('[{') ? JSON.stringify(order(JSON.parse(t))) : t.split('\n').sort().join('\n');
  return { ...result, content: result.content.map((c) => ({ ...c, text: text(c.text) })), structuredContent: undefined };
}

async function same(pair, name, args, tidy = (r) => r) {
  const [theirs, mine] = await Promise.all(pair.map((client, i) =>
    client.callTool({ name, arguments: i ? args : JSON.parse(JSON.stringify(args).replaceAll('"/data', `"${data}`)) })));
  assert.deepEqual(tidy(common(mine)), tidy(common(theirs)), `${name} ${JSON.stringify(args)}`);
}

/** What a list says of a tool, but for words for people. */
function shape(tool) {
  const plain = (v) => Array.isArray(v) ? v.map(plain) : v && typeof v === 'object'
    ? Object.fromEntries(Object.entries(v).filter(([k, x]) => !(k === 'description' && typeof x === 'string')).map(([k, x]) => [k, plain(x)])) : v;
  const { execution, ...rest } = plain(tool);
  return rest;
}

const filesystem = [await published('server-filesystem', [data]), await ours('/filesystem')];
const memory = [await published('server-memory', [], { MEMORY_FILE_PATH: join(root, 'memory.json') }), await ours('?tools=localmemory')];

await step('the same names, schemas and hints', async () => {
  for (const [theirs, mine] of [filesystem, memory]) {
    assert.deepEqual(mine.getServerVersion(), theirs.getServerVersion());
    assert.deepEqual((await mine.listTools()).tools.map(shape), (await theirs.listTools()).tools.map(shape));
  }
});

await step('files are read alike', async () => {
  for (const path of ['a.txt', 'bytes', '/data/no-end.txt', './dir/../empty.txt', 'crlf.txt', 'link.txt', 'link/b.md', 'out/passwd', 'none', 'none/x', 'dir', 'dangling', 'loop', 'a.txt/x', '../x', '/etc/passwd', 'C:\\x'])
    for (const more of [{}, { head: 2 }, { tail: 2 }, { head: 0 }, { tail: 100 }, { head: 1, tail: 1 }, { head: -1 }])
      await same(filesystem, 'read_text_file', { path, ...more });
  await same(filesystem, 'read_text_file', { path: 'long.txt', tail: 3 });
  await same(filesystem, 'read_file', { path: 'a.txt' });
  for (const path of ['pic.png', 'a.txt', 'none', 'out'])
    await same(filesystem, 'read_media_file', { path });
  await same(filesystem, 'read_multiple_files', { paths: ['a.txt', 'none', '/data/dir/b.md', '/etc/passwd'] });
});

await step('directories are listed alike', async () => {
  for (const path of ['.', '/data', 'dir', 'dir/deep', 'link', 'none', 'a.txt', 'loop', '/']) {
    await same(filesystem, 'list_directory', { path }, sorted);
    await same(filesystem, 'directory_tree', { path }, path === 'link' ? (r) => ({ ...r, content: [] , structuredContent: {} }) : sorted);
    await same(filesystem, 'get_file_info', { path }, path.startsWith('a') || path === 'none' ? undefined : (r) => r.isError);
  }
  for (const path of ['dir', 'dir/deep'])
    for (const sortBy of ['name', 'size'])
      await same(filesystem, 'list_directory_with_sizes', { path, sortBy });
  /* Where a link leads out, the published program shows the size of what is there. */
  const without = (r) => sorted({ ...r, content: r.content.map((c) => ({ ...c, text: c.text.replaceAll(/^\[FILE\] out .*|^Combined.*/gm, '') })) });
  await same(filesystem, 'list_directory_with_sizes', { path: '.' }, without);
  for (const excludePatterns of [['node_modules'], ['*.txt'], ['**/*.txt', 'dir/deep'], ['.hidden']])
    await same(filesystem, 'directory_tree', { path: '/data', excludePatterns }, sorted);
  await same(filesystem, 'get_file_info', { path: 'code.py' });
  await same(filesystem, 'list_allowed_directories', {});
});

await step('globs find the same', async () => {
  for (const pattern of ['*.txt', '**/*.txt', '**/*', '**', '*', 'dir/**', '**/c.*', '?.txt', '[a-c].txt', '[!a]*.txt', '{a,Zeta}.txt', '**/{b,c}.{md,txt}', '**/node_modules/**', '**/.h*', '!*.txt', 'dir', 'nothing', 'DIR', '*/*', '**/deep/**/*.txt', ''])
    await same(filesystem, 'search_files', { path: '/data', pattern }, sorted);
  await same(filesystem, 'search_files', { path: 'dir', pattern: '**/*', excludePatterns: ['deep/**'] }, sorted);
  for (const path of ['none', 'a.txt'])
    await same(filesystem, 'search_files', { path, pattern: '*' });
});

await step('arguments are refused alike', async () => {
  for (const [name, args] of [['read_text_file', {}], ['read_text_file', { path: 3, head: 'x' }], ['read_multiple_files', { paths: [] }], ['read_multiple_files', { paths: ['a', 1] }],
    ['edit_file', { path: 'a.txt', edits: [{ oldText: 'a' }] }], ['edit_file', { path: 'a.txt', edits: 'x', dryRun: 1 }], ['list_directory_with_sizes', { path: '.', sortBy: 'z' }],
    ['write_file', { path: null, content: {} }], ['nothing', {}], ['read_text_file', { path: 'a.txt', more: 1 }]])
    await same(filesystem, name, args);
});

await step('edits make the same changes and show them alike', async () => {
  for (const [path, edits, dryRun] of [
    ['a.txt', [{ oldText: 'two', newText: 'TWO' }], true],
    ['long.txt', [{ oldText: 'line 3\n', newText: '' }, { oldText: 'line 12\n', newText: 'twelve\nand more\n' }, { oldText: 'line 40\n', newText: 'end' }], true],
    ['long.txt', [{ oldText: 'line 5\nline 6\nline 7\n', newText: 'line 7\nline 6\nline 5\n' }], true],
    ['code.py', [{ oldText: 'if x:\n  return 1', newText: 'if y:\n  z()\n  return 3' }]],
    ['code.py', [{ oldText: '      return 2', newText: 'return 4' }]],
    ['ticks.md', [{ oldText: 'code', newText: '````' }]],
    ['crlf.txt', [{ oldText: 'a\r\nb', newText: 'b\r\nc' }]],
    ['no-end.txt', [{ oldText: 'two', newText: 'two\nthree' }]],
    ['no-end.txt', [{ oldText: 'one\n', newText: '' }]],
    ['empty.txt', [{ oldText: '', newText: 'begin\n' }]],
    ['a.txt', [{ oldText: 'one', newText: 'one' }]],
    ['a.txt', []],
    ['a.txt', [{ oldText: 'one', newText: '1' }, { oldText: 'not there\n at all', newText: 'x' }]],
    ['none', [{ oldText: 'a', newText: 'b' }]], ['dir', [{ oldText: 'a', newText: 'b' }]]])
    await same(filesystem, 'edit_file', { path, edits, ...(dryRun ? { dryRun } : {}) });
  for (const path of Object.keys(files).filter((p) => p !== 'pic.png'))
    await same(filesystem, 'read_text_file', { path });
});

await step('changes are made and refused alike', async () => {
  for (const [name, args] of [
    ['write_file', { path: 'new.txt', content: 'n\u00e4w\n' }], ['write_file', { path: 'a.txt', content: 'other' }], ['write_file', { path: 'link.txt', content: 'through' }],
    ['write_file', { path: 'none/x/y', content: 'x' }], ['write_file', { path: 'out', content: 'x' }], ['write_file', { path: 'a.txt/x', content: 'x' }],
    ['write_file', { path: '/data2/x', content: 'x' }], ['write_file', { path: 'dangling', content: 'x' }],
    ['create_directory', { path: 'made/in/there' }], ['create_directory', { path: 'dir' }], ['create_directory', { path: 'a.txt' }], ['create_directory', { path: 'a.txt/x' }],
    ['move_file', { source: 'dir', destination: 'moved' }], ['move_file', { source: 'moved', destination: 'moved/in' }], ['move_file', { source: 'none', destination: 'x' }],
    ['move_file', { source: 'a.txt', destination: 'new.txt' }], ['move_file', { source: 'a.txt', destination: 'none/x' }], ['move_file', { source: '/etc/passwd', destination: 'x' }],
    ['move_file', { source: 'new.txt', destination: 'made/in/there/n.txt' }]])
    await same(filesystem, name, args);
  for (const path of ['a.txt', 'made/in/there/n.txt', 'moved/b.md', 'link/b.md'])
    await same(filesystem, 'read_text_file', { path });
  await same(filesystem, 'directory_tree', { path: '/data' }, sorted);
});

await step('a graph is kept alike', async () => {
  const e = (name, entityType = 'person', observations = []) => ({ name, entityType, observations });
  const r = (from, to, relationType = 'knows') => ({ from, to, relationType });
  for (const [name, args] of [
    ['read_graph', {}], ['create_entities', { entities: [e('Ada', 'person', ['writes "code"', '\u00fcber']), e('Bob'), e('Acme', 'company')] }],
    ['create_entities', { entities: [e('Ada'), e('Eve'), e('Eve')] }], ['create_relations', { relations: [r('Ada', 'Bob'), r('Bob', 'Nobody'), r('Eve', 'Acme', 'works at')] }],
    ['create_relations', { relations: [r('Ada', 'Bob'), r('Ada', 'Bob', 'likes')] }],
    ['add_observations', { observations: [{ entityName: 'Bob', contents: ['a', 'a', 'b'] }, { entityName: 'Ada', contents: ['\u00fcber', 'new'] }] }],
    ['add_observations', { observations: [{ entityName: 'Bob', contents: ['c'] }, { entityName: 'X', contents: ['c'] }] }],
    ['search_nodes', { query: '\u00dcBER' }], ['search_nodes', { query: 'COMP' }], ['search_nodes', { query: '' }], ['search_nodes', { query: 'zzz' }],
    ['open_nodes', { names: ['Bob', 'X'] }], ['open_nodes', { names: [] }],
    ['delete_observations', { deletions: [{ entityName: 'Bob', observations: ['a', 'z'] }, { entityName: 'X', observations: ['a'] }] }],
    ['delete_relations', { relations: [r('Ada', 'Bob', 'likes'), r('x', 'y')] }], ['delete_entities', { entityNames: ['Eve', 'X'] }], ['read_graph', {}],
    ['create_entities', { entities: [{ name: 1 }] }], ['create_relations', {}], ['open_nodes', { names: 'x' }], ['nothing', {}]])
    await same(memory, name, args);
});

const code = [await published('mcp-server-code-runner/dist/cli.js', []), await ours('/code-runner')];

await step('code is run alike', async () => {
  assert.deepEqual((await code[1].listTools()).tools.map(shape), (await code[0].listTools()).tools.map(shape));
  for (const [languageId, text] of [
    ['javascript', 'console.log([1, 2].map((x) => x * 2))'], ['javascript', ''], ['shellscript', 'echo hi'],
    ['shellscript', 'echo e >&2; echo o'], ['shellscript', 'exit 3'], ['shellscript', 'echo x; exit 3'], ['shellscript', 'printf "a\\n\\n"'],
    ['perl', 'print 5'], ['cobol', 'x']])
    await same(code, 'run-code', { languageId, code: text });
  for (const [name, args] of [['run-code', { languageId: 'perl' }], ['run-code', { code: 1, languageId: 'perl' }], ['run-code', {}], ['nothing', {}]])
    await same(code, name, args);
});

for (const client of [...filesystem, ...memory, ...code]) await client.close();
rmSync(root, { recursive: true });
finish();
