// SPDX-License-Identifier: Apache-2.0
// What the client programs share: a server to talk to, steps that are counted, and the control interface.
//
// A program runs against the server at SOSIA_URL with SOSIA_CONTROL_KEY, or starts one of its own from the `sosia` at
// SOSIA_BIN. Its last line is "N passed, M failed".
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';

let passed = 0;
let failed = 0;
let child;

export const server = { url: process.env.SOSIA_URL, key: process.env.SOSIA_CONTROL_KEY };

/** Starts a server if none is given. options: more arguments of `sosia serve`; command: of another program. */
export async function start(options = [], command = ['serve', '--port', '0', '--json']) {
  if (!server.url) {
    child = spawn(process.env.SOSIA_BIN ?? 'sosia', [...command, ...options],
      { stdio: ['ignore', 'pipe', 'inherit'] });
    process.on('exit', () => child.kill()); // of a program that an error ends, too
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const ready = JSON.parse(line);
    server.url = ready.url;
    server.key = ready.control_key;
  }
  return server;
}

/** Runs the program again, in the place of itself, as a command of `sosia run`, which shows it the client programs
 *  wherever they are. options: of `sosia serve`; behind: what there is to do behind it. */
export function through(options, behind = () => {}) {
  if (process.env.SOSIA_WORLD) return;
  const run = ['run', '--with-control', '--show', import.meta.dirname, ...options, '--', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync(process.env.SOSIA_BIN ?? 'sosia', run, { stdio: 'inherit' });
  behind();
  process.exit(status ?? 1);
}

/** A request to the control interface; gives the parsed answer, throws what it refuses. */
export async function control(method, path, body) {
  const answer = await fetch(`${server.url}/_sosia/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** A world of its own from a seed document, and a token for each person in it. */
export async function world(seedDocument, options = {}) {
  const made = await control('POST', '/worlds', { seed_document: seedDocument, clock: 'frozen', ...options });
  const tokens = {};
  for (const { email } of seedDocument.people ?? [])
    tokens[email] = (await control('POST', `/worlds/${made.world}/tokens`, { actor: email })).token;
  return { key: made.world, url: `${server.url}/w/${made.world}/`, tokens };
}

/** One thing that must hold. */
export async function step(name, check) {
  try {
    await check();
    passed++;
    console.log(`ok     ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}\n${error?.stack ?? error}`);
  }
}

/** The error that a call must end with. */
export async function refused(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('the call was not refused');
}

export async function finish() {
  if (child) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed || !passed ? 1 : 0);
}

// What found() gives, as soon as it is true; fails after minutes in which nothing else depends on the time, with what was seen.
export async function until(found, seen) {
  const end = Date.now() + 500_000;
  for (;;) {
    const value = await found();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain${seen ? `; seen: ${JSON.stringify(seen)}` : ''}`);
    await new Promise(resolve => { setTimeout(resolve, 20); });
  }
}

// Gives numbers below n, the same ones with the same seed, by a xorshift generator.
export function generator(seed) {
  let state = Number(seed ?? 20261123) >>> 0 || 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % n;
  };
}
