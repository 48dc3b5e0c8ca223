// SPDX-License-Identifier: Apache-2.0
// A server, a browser, and what the tests of the console do with both. Nothing here waits for a time to pass: what is
// waited for is a condition, for as long as a slow machine with much else to do may take.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const packages = createRequire(`${ROOT}console/web/package.json`);
const { chromium } = packages('playwright-core');
export const axeSource = packages('axe-core').source;

export const SOSIA = process.env.SOSIA ?? `${ROOT}build/cli/sosia`;
export const PATIENCE = Number(process.env.CONSOLE_PATIENCE_S ?? 180) * 1000; // a test depends on it only when something hangs
export const LATE = process.env.SOSIA_LATE ?? `${ROOT}build/tests/console/liblate.so`; // late.c
// The shell has no window to draw, and takes a fifth less time.
const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

// ---- servers ----

const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SOSIA_')));

/** A running server; what it said of itself is in info. */
export class Server {
  static async start(...options) {
    return Server.with({}, ...options);
  }

  static async with(env, ...options) {
    const server = new Server();
    server.process = spawn(SOSIA, ['serve', '--port', '0', '--json', ...options], { env: { ...clean, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    for await (const piece of server.process.stdout) {
      said += piece;
      if (said.includes('\n')) break;
    }
    assert.ok(said.includes('\n'), 'the server did not start');
    server.info = JSON.parse(said);
    server.url = server.info.url;
    server.key = server.info.control_key;
    server.world = server.info.world;
    return server;
  }

  async control(method, path, body, status) {
    const answer = await fetch(`${this.url}/_sosia/v1${path}`, {
      method, headers: { Authorization: `Bearer ${this.key}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.equal(answer.status, status ?? (answer.ok ? answer.status : 200), `${method} ${path}: ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** A call of a person to a service. */
  async call(token, method, target, body, world, type = 'text/html') {
    const raw = typeof body === 'string';
    const answer = await fetch(this.url + (world ? `/w/${world}` : '') + target, {
      method, headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': raw ? type : 'application/json' }) },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${target}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  token(actor) {
    return this.info.actors[actor].token;
  }

  async link(body = {}) {
    return (await this.control('POST', '/console/codes', body, 201)).url;
  }

  /** What must be the same before and behind a look. */
  async state(world = this.world) {
    const [hash, clock, journal] = await Promise.all(
      ['hash', 'clock', 'journal/info'].map((row) => this.control('GET', `/worlds/${world}/${row}`)));
    return JSON.stringify({ hash, clock, entries: journal.entries, head: journal.head });
  }

  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGTERM');
    await ended;
  }
}

/** A port for a server that ends and begins again. No other program gets it meanwhile: it is below those that systems
 *  give to who asks for any. */
export async function keptPort() {
  for (;;) {
    const port = 12000 + Math.floor(Math.random() * 18000);
    const probe = createServer().listen(port, '127.0.0.1');
    const free = await new Promise((done) => probe.on('listening', () => done(true)).on('error', () => done(false)));
    if (!free) continue;
    await new Promise((done) => probe.close(done));
    return String(port);
  }
}

/** Google's official client, where those of conformance/clients are installed; undefined: it is not there. */
export function officialClient() {
  try {
    return createRequire(`${ROOT}conformance/clients/package.json`)('googleapis').google;
  } catch {
    return undefined;
  }
}

// ---- the browser ----

let running;

/** One for all tests. */
export async function browser() {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  assert.ok(executablePath, 'there must be a Chromium: apt-get install chromium-headless-shell, or CHROMIUM=PATH');
  running ??= await chromium.launch({
    executablePath, timeout: PATIENCE,
    args: ['--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  return running;
}

export async function closeBrowser() {
  await running?.close();
  running = undefined;
}

/** A fresh browser, as far as its storage goes; errors of pages and violations of their policies are collected. */
export async function fresh(options = {}) {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PATIENCE);
  context.setDefaultNavigationTimeout(PATIENCE);
  context.problems = [];
  context.on('page', (page) => page.on('pageerror', (error) => context.problems.push(String(error))));
  context.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) context.problems.push(message.text());
  });
  return context;
}

/** A page that is inside: the link's code is spent and gone from the address. */
export async function enter(context, url) {
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => !location.hash.includes('code=') && document.querySelector('header.top'), undefined, { timeout: PATIENCE });
  return page;
}

/** Until the page has asked for all that it shows. Its stream goes on for ever, and is not counted. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('main') && !document.querySelector('main [aria-busy=true]'), undefined, { timeout: PATIENCE });
  let open = new Set();
  let quiet = 0;
  const begun = (r) => {
    if (!r.url().includes('/events?')) open.add(r);
  };
  const ended = (r) => open.delete(r);
  page.on('request', begun).on('requestfinished', ended).on('requestfailed', ended);
  try {
    // Turns of the page's own loop without a request that is under way: together longer than the page waits (330 ms by the
    // same timers) before it asks again for what a call has changed.
    for (let turn = 0; quiet < 12 && turn < 4000; turn++) {
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30))));
      quiet = open.size ? 0 : quiet + 1;
    }
  } finally {
    page.off('request', begun).off('requestfinished', ended).off('requestfailed', ended);
  }
  open = undefined;
}

/** What axe finds, as lines: rule, impact, the places. */
export async function violations(page, except = []) {
  await page.evaluate(axeSource);
  const found = await page.evaluate((rules) => globalThis.axe.run(document, {
    runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
    rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])),
  }), except);
  return found.violations.map((v) => `${v.id} (${v.impact}): ${v.nodes.map((n) => n.target.join(' ')).slice(0, 4).join('; ')}`);
}

// ---- a listener ----

/** Counts connections to a port of this machine, and what they ask for. */
export async function canary() {
  const seen = [];
  const open = new Set();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    const about = { connection: seen.length, text: '' };
    seen.push(about);
    socket.on('data', (data) => {
      about.text += data;
      socket.end('HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n');
    });
    socket.on('error', () => {});
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, host: `127.0.0.1:${server.address().port}`, seen,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

export const command = (server, ...words) => spawnSync(SOSIA, words, {
  encoding: 'utf8', timeout: PATIENCE, env: { ...clean, SOSIA_URL: server.url, SOSIA_CONTROL_KEY: server.key, SOSIA_WORLD: server.world },
});
