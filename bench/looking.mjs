// SPDX-License-Identifier: Apache-2.0
// What looking on costs the server, in instructions: the same calls over one connection without a reader of the stream and with
// one that reads as the page does, by thread. It is the same on any machine, whatever else that does. Wants valgrind, in which
// all is slower, so that fewer calls come between two pieces than do otherwise: what a piece costs is counted by itself, of as many
// calls as come between two while the server is busy. usage: SOSIA=FILE node bench/looking.mjs
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CALLS = 1000, A_SECOND = 4500, PIECES_A_SECOND = 2, ENTRIES = 60; // of a page that is 1,400 px high
const READERS = 10, BATCH = A_SECOND / PIECES_A_SECOND; // calls of a piece, but the newest of them are left out and counted
const ADA = 'ada@bench.example', AT = '/calendar/v3/calendars/primary/events';
const out = mkdtempSync(join(tmpdir(), 'sosia-looking-'));

async function start() {
  const valgrind = spawn('valgrind', ['--tool=callgrind', '--separate-threads=yes', `--callgrind-out-file=${out}/all`, process.env.SOSIA, 'serve', '--port', '0', '--json',
    '--fixture', 'small', '--clock', 'frozen', '--journal', 'all', '--max-body', String(1 << 29)], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  for await (const piece of valgrind.stdout) {
    said += piece;
    if (said.includes('\n')) break;
  }
  return { valgrind, ...JSON.parse(said) };
}

const server = await start(), agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ask = (method, path, key, body) => new Promise((done, fail) => {
  request(server.url + path, { method, agent, headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' } }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (piece) => (text += piece)).on('end', () => done(text ? JSON.parse(text) : undefined));
  }).on('error', fail).end(body && JSON.stringify(body));
});
const control = (method, path, body) => ask(method, `/_sosia/v1${path}`, server.control_key, body);

let dumps = 0;
/** Instructions of each thread for what is done meanwhile, the most first. */
async function counted(doing) {
  const tell = (what) => execFileSync('callgrind_control', [what, String(server.valgrind.pid)], { stdio: 'ignore' });
  tell('-z');
  await doing();
  tell('-d');
  dumps++;
  const threads = readdirSync(out).filter((f) => f.startsWith(`all.${dumps}-`)).map((f) => Number(/^totals: (\d+)/m.exec(readFileSync(join(out, f), 'utf8'))?.[1] ?? 0));
  return threads.sort((a, b) => b - a);
}
const total = (threads) => threads.reduce((sum, n) => sum + n, 0);
const line = (name, value, what) => console.log(`${name.padEnd(58)} ${String(value).padStart(12)} ${what}`);

/** Reads the stream of the world, from where the id says; until its first piece of calls is there, or where there is no id until it is open. */
async function look(id) {
  const reader = { id: '', pieces: 0, close: () => {} };
  await new Promise((done) => {
    const headers = { Authorization: `Bearer ${server.control_key}`, ...(id ? { 'Last-Event-ID': id } : {}) };
    const r = request(`${server.url}/_sosia/v1/events?entries=${ENTRIES}&worlds=bench`, { headers }, (answer) => {
      let rest = '';
      answer.setEncoding('utf8').on('data', (text) => {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) {
          reader.id = /^id: (.*)$/m.exec(block)?.[1] ?? reader.id;
          const calls = block.includes('event: call');
          reader.pieces += Number(calls);
          if (calls || !id) done();
        }
      }).on('error', () => {});
    }).on('error', () => {});
    reader.close = () => r.destroy();
    r.end();
  });
  return reader;
}

try {
  await control('POST', '/worlds', { name: 'bench', clock: 'frozen', journal: 'all', seed_document: { sosia: 1, people: [{ email: ADA, name: 'Ada' }], calendars: [{ id: ADA, primary: true, events: [] }] } });
  const { token } = await control('POST', '/worlds/bench/tokens', { actor: ADA });
  const { id } = await ask('POST', `/w/bench${AT}`, token, { summary: 'x', start: { date: '2026-11-23' }, end: { date: '2026-11-24' } });
  const kinds = {
    'that reads': () => ask('GET', `/w/bench${AT}?maxResults=5`, token),
    'that writes': (n) => ask('PATCH', `/w/bench${AT}/${id}`, token, { summary: `x${n}` }),
  };
  const of = {};
  for (const [which, call] of Object.entries(kinds)) {
    const calls = async () => {
      for (let i = 0; i < CALLS; i++) await call(i);
    };
    for (let i = 0; i < 50; i++) await call(i);
    const without = (await counted(calls))[0] / CALLS, reader = await look(), seen = (await counted(calls))[0] / CALLS;
    reader.close();
    of[which] = without;
    line(`a call ${which}, its own thread, nobody looks`, without.toFixed(1), 'instructions');
    line(`a call ${which}, its own thread, with a reader`, seen.toFixed(1), `instructions, ${(seen / without).toFixed(5)} of that; ${reader.pieces} pieces for ${CALLS} calls`);
  }
  // a piece: readers that go on from so many calls ago, beside readers that begin
  const readers = async (id) => {
    for (let i = 0; i < READERS; i++) (await look(id)).close();
  };
  const first = await look(), [key, seq, era] = first.id.split(':');
  const begin = total(await counted(() => readers())), goOn = total(await counted(() => readers(`${key}:${Number(seq) - BATCH}:${era}`)));
  first.close();
  const piece = (goOn - begin) / READERS;
  line(`a piece of ${BATCH} calls, of which ${ENTRIES} are shown`, piece.toFixed(0), 'instructions');
  for (const [which, n] of Object.entries(of)) {
    const share = 1 / (1 + (piece * PIECES_A_SECOND) / (n * A_SECOND));
    line(`a call ${which}: without a console, of one with it`, share.toFixed(4), share >= 0.97 ? '(>= 0.97: yes)' : '(>= 0.97: NO)');
  }
} finally {
  agent.destroy();
  const ended = new Promise((done) => server.valgrind.once('exit', done));
  server.valgrind.kill('SIGTERM');
  await ended;
  rmSync(out, { recursive: true });
}
