// SPDX-License-Identifier: Apache-2.0
// What the live page costs: bytes, the way to the first rows, lists that are flung, journals, worlds, and what it costs the
// server that somebody looks on (docs/performance.md). Wants Debian's Chromium. usage: node bench/console.mjs [--json] [mail|lookingOn|journal|worlds ...]
// CONSOLE_MESSAGES, CONSOLE_CALLS and CONSOLE_WORLDS say how many there are.
import { readFileSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Server, closeBrowser, enter, fresh, settled, PATIENCE } from '../tests/console/harness.mjs';

const json = process.argv.includes('--json');
const MESSAGES = Number(process.env.CONSOLE_MESSAGES ?? 100000), CALLS = Number(process.env.CONSOLE_CALLS ?? 1000000), WORLDS = Number(process.env.CONSOLE_WORLDS ?? 16384);
const DAY = Number(process.env.CONSOLE_DAY ?? 8 * 3600 * 50); // calls that come while the journal is shown
const ADA = 'ada@bench.example';
const ROWS = 'main [role=row]';
const TURNS = 8, CALLS_OF_A_TURN = 4000, SOCKETS = 8; // as long as it is from one piece of the stream to the next, and longer

function report(name, value, unit, target, baseline) {
  const shown = baseline ? value / baseline : value;
  const limit = target && Number(target.replace(/[^\d.]/g, ''));
  const ok = !target || (target.startsWith('<') ? shown <= limit : shown >= limit);
  const round = (x) => Number(x.toPrecision(4));
  if (json) console.log(JSON.stringify({ name, value: round(value), unit, baseline: baseline ? round(baseline) : null, ratio: baseline ? Number(shown.toFixed(3)) : null, target: target ?? null, ok }));
  else console.log(`${name.padEnd(46)} ${String(round(value)).padStart(10)} ${unit.padEnd(9)} ${baseline ? String(round(baseline)).padStart(10) : ' '.repeat(10)} ${baseline ? shown.toFixed(3).padStart(7) : ' '.repeat(7)}  ${(target ?? '').padEnd(9)} ${target ? (ok ? 'yes' : 'NO') : ''}`);
}
const at = (values, q) => [...values].sort((a, b) => a - b)[Math.floor(q * (values.length - 1))];

/** A person with many messages, a week of events, and nothing else. */
function document() {
  const day = (n) => new Date(Date.UTC(2026, 10, 23, 9) - n * 60000).toISOString();
  const mail = Array.from({ length: MESSAGES }, (_, i) => ({ from: `Berth ${i % 97} <berth${i % 97}@quay.example>`, to: ADA, subject: `Arrival ${i} at the quay`, date: day(i), text: `The ship ${i} is early.` }));
  const hour = (n) => String(n).padStart(2, '0');
  const events = Array.from({ length: 25 }, (_, i) => {
    const date = `2026-11-${23 + (i % 5)}T`, from = 8 + Math.floor(i / 5) * 2;
    return { summary: `Meeting ${i}`, start: `${date}${hour(from)}:00:00Z`, end: `${date}${hour(from + 1)}:00:00Z` };
  });
  return { sosia: 1, people: [{ email: ADA, name: 'Ada' }], calendars: [{ id: ADA, primary: true, events }], mail };
}

/** CPU seconds of each thread that a process has, so far. */
function cpuOf(pid) {
  const of = (task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  return new Map(readdirSync(`/proc/${pid}/task`).map((task) => [task, of(task)]));
}
const minus = (after, before) => new Map([...after].map(([task, s]) => [task, s - (before.get(task) ?? 0)]));
const sum = (cpu) => [...cpu].reduce((all, [, s]) => all + s, 0);

const address = (server, path) => `${server.url}/_sosia/ui/w/bench${path}`;
const rows = (page) => page.waitForFunction((q) => [...document.querySelectorAll(q)].some((r) => !r.querySelector('.row-wait') && r.innerText.length > 8), ROWS, { timeout: PATIENCE });

/** Milliseconds from the start of the navigation to what is waited for, as the page's own clock has it. */
async function since(context, target, what) {
  const page = await context.newPage();
  await page.addInitScript((q) => {
    const look = () => {
      if (document.querySelector(q) && !document.querySelector(`${q} .row-wait`)) globalThis.there = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, what);
  await page.goto(target);
  await page.waitForFunction(() => globalThis.there !== undefined, undefined, { timeout: PATIENCE });
  const got = await page.evaluate(() => ({ there: globalThis.there, paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime }));
  await page.close();
  return got;
}

/** A list that is scrolled by px each frame: times between frames, and how many elements it has at most. */
const fling = (page, px, seconds) => page.evaluate(([by, long]) => new Promise((done) => {
  const box = document.querySelector('main .list'), frames = [];
  let last, nodes = 0, begun;
  const step = (now) => {
    begun ??= now;
    if (last !== undefined) frames.push(now - last);
    last = now;
    nodes = Math.max(nodes, box.querySelectorAll('*').length);
    box.scrollTop += by;
    if (now - begun < long * 1000) requestAnimationFrame(step);
    else done({ frames, nodes });
  };
  requestAnimationFrame(step);
}), [px, seconds]);

/** The work of the page's thread for each frame of a fling, without what waits for others. */
async function work(page, doing) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const of = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]));
  const before = await of();
  const got = await doing();
  const after = await of();
  await cdp.detach();
  return { ...got, task: after.TaskDuration - before.TaskDuration, heap: after.JSHeapUsedSize };
}

/** From a jump to the middle until its rows are there. */
const jump = (page) => page.evaluate(() => new Promise((done) => {
  const box = document.querySelector('main .list'), begun = performance.now();
  box.scrollTop = box.scrollHeight / 2;
  const look = () => {
    const seen = [...box.querySelectorAll('[role=row]')].filter((r) => r.getBoundingClientRect().top < box.getBoundingClientRect().bottom);
    const waits = seen.some((r) => r.querySelector('.row-wait') || r.innerText.trim().endsWith('…'));
    const middle = seen.length && Math.abs(Number(seen[0].getAttribute('aria-rowindex')) / Number(box.getAttribute('aria-rowcount')) - 0.5) < 0.2;
    if (middle && !waits) done(performance.now() - begun);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}));

async function mail(server, context) {
  const cold = await fresh();
  await enter(cold, await server.link());
  const inbox = await since(cold, address(server, `/mail/${ADA}`), 'main .list [role=row]');
  const week = await since(cold, address(server, `/calendar/${ADA}/week/2026-11-23`), '.calendar-grid .meeting');
  await cold.close();
  report('cold link to the inbox', inbox.there, 'ms', '<= 500');
  report('cold link to a week', week.there, 'ms', '<= 800');
  report('first contentful paint, cold', inbox.paint, 'ms', '<= 400');
  const other = await context.newPage(); // as whoever opens a second page has it
  await other.goto(`${server.url}/_sosia/ui/worlds`);
  await settled(other);
  const warm = [];
  for (let i = 0; i < 5; i++) warm.push((await since(context, address(server, `/mail/${ADA}`), 'main .list [role=row]')).paint);
  report('first contentful paint, warm', at(warm, 0.5), 'ms', '<= 200');
  await other.close();
  const page = await context.newPage();
  await page.goto(address(server, `/mail/${ADA}`));
  await rows(page);
  await settled(page);
  const flung = await work(page, () => fling(page, 300, 5));
  report(`${MESSAGES} messages flung: p99 of a frame`, at(flung.frames, 0.99), 'ms', '<= 17');
  report(`${MESSAGES} messages flung: middle frame`, at(flung.frames, 0.5), 'ms');
  report(`${MESSAGES} messages flung: work a frame`, (flung.task * 1000) / flung.frames.length, 'ms');
  report(`${MESSAGES} messages flung: elements`, flung.nodes, '', '<= 400');
  const times = [];
  for (let i = 0; i < 5; i++) {
    await page.evaluate(() => (document.querySelector('main .list').scrollTop = 0));
    await settled(page);
    times.push(await jump(page));
  }
  report('a jump to the middle of them', at(times, 0.5), 'ms', '<= 150');
  report('heap after all of that', flung.heap / 1e6, 'MB', '<= 40');
  await page.close();
  const { folders } = await server.control('GET', `/worlds/bench/mail/${ADA}/folders`);
  const box = folders.find((f) => f.name === 'INBOX');
  const asked = [];
  for (let i = 0; i < 60; i++) {
    const begun = performance.now();
    await server.control('GET', `/worlds/bench/mail/${ADA}/messages?folder=${box.id}&limit=200&offset=${Math.floor((i * box.total) / 60)}`);
    asked.push(performance.now() - begun);
  }
  report(`200 rows anywhere of ${MESSAGES}`, at(asked, 0.5), 'ms', '<= 3');
}

async function journal(server, context, token) {
  const { id } = await server.call(token, 'POST', '/calendar/v3/calendars/primary/events', { summary: 'x', start: { date: '2026-11-23' }, end: { date: '2026-11-24' } }, 'bench');
  const hundred = { token, calls: Array(100).fill({ method: 'GET', target: `/calendar/v3/calendars/primary/events/${id}` }) };
  for (let n = 0; n < CALLS; n += 100) await server.control('POST', '/worlds/bench/calls', hundred);
  const asked = [];
  for (let i = 0; i < 40; i++) {
    const begun = performance.now();
    await server.control('GET', `/worlds/bench/journal?after=${Math.floor((i * CALLS) / 40)}&limit=200&bodies=false&effects=true`);
    asked.push(performance.now() - begun);
  }
  report(`a page of ${CALLS} calls`, at(asked, 0.5), 'ms', '<= 10');
  const page = await context.newPage();
  await page.goto(address(server, '/journal'));
  await rows(page);
  await settled(page);
  const times = [];
  for (let i = 0; i < 5; i++) {
    await page.evaluate(() => (document.querySelector('main .list').scrollTop = 0));
    await settled(page);
    times.push(await jump(page));
  }
  report('a jump to the middle of its journal', at(times, 0.5), 'ms', '<= 150');
  const flung = await work(page, () => fling(page, 300, 5));
  report(`${CALLS} calls flung: p99 of a frame`, at(flung.frames, 0.99), 'ms', '<= 34');
  report(`${CALLS} calls flung: work a frame`, (flung.task * 1000) / flung.frames.length, 'ms');
  // calls that come while it is looked at: the page's work for each, beside that of as long a time without any
  await page.evaluate(() => (document.querySelector('main .list').scrollTop = 0));
  await settled(page);
  const total = () => page.evaluate(() => Number(document.querySelector('main .list').getAttribute('aria-rowcount')));
  const before = await total();
  const came = await work(page, async () => {
    for (let n = 0; n < 2000; n += 100) await server.control('POST', '/worlds/bench/calls', hundred);
    await page.waitForFunction((n) => Number(document.querySelector('main .list').getAttribute('aria-rowcount')) >= n, before + 2000, { timeout: PATIENCE });
    return {};
  });
  report('a call that comes, of the page', (came.task * 1000) / 2000, 'ms', '<= 2');
  await page.close();
}

/** What is left in the page of a day of calls that it has shown as they came, one in ten a write. */
async function day(server, context, token) {
  const at = '/calendar/v3/calendars/primary/events';
  const { id } = await server.call(token, 'POST', at, { summary: 'x', start: { date: '2026-11-23' }, end: { date: '2026-11-24' } }, 'bench');
  const target = `${at}/${id}`;
  const hundred = (n) => ({ token, calls: Array.from({ length: 100 }, (_, i) => (i % 10 ? { method: 'GET', target } : { method: 'PATCH', target, body: { summary: `x${n + i}` } })) });
  const page = await context.newPage();
  await page.goto(address(server, '/journal'));
  await rows(page);
  await settled(page);
  for (let n = 0; n < DAY; n += 100) await server.control('POST', '/worlds/bench/calls', hundred(n));
  await page.waitForFunction((n) => Number(document.querySelector('main .list').getAttribute('aria-rowcount')) >= n, DAY, { timeout: PATIENCE });
  await settled(page);
  const cdp = await context.newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  report(`heap after ${DAY} calls that came`, (await cdp.send('Runtime.getHeapUsage')).usedSize / 1e6, 'MB', '<= 80');
  await page.close();
}

/** As if the person looked at another tab, or came back: the page reads no stream and asks for nothing while it is hidden. */
const hide = (page, hidden) => page.evaluate((h) => {
  Object.defineProperty(document, 'visibilityState', { value: h ? 'hidden' : 'visible', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}, hidden);

/** A client with connections that stay, so that each of them is with the same thread of the server all the time. */
function client(token) {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const ask = (method, target, body) => new Promise((done, fail) => {
    request(target, { method, agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => (text += piece)).on('end', () => done(text));
    }).on('error', fail).end(body && JSON.stringify(body));
  });
  return { ask, close: () => agent.destroy() };
}

/** The server's CPU time a call while a page looks on, beside the same without: in many short turns, each pair of them in the
 * other order than the one before, on the same connections and with the page open but hidden in those without. The figure is the
 * middle of the pairs' ratios: what else the machine does is in both of a pair. What the server does for the page is also
 * counted by itself, as the CPU time of threads that serve no calls. The world is a fork, so that the page asks for what has
 * changed since then as well. */
async function lookingOn(server, context) {
  await server.control('POST', '/worlds/bench/fork', { name: 'seen', actors: [] }, 201);
  const { token } = await server.control('POST', '/worlds/seen/tokens', { actor: ADA }, 201);
  const { ask, close } = client(token), pid = server.process.pid;
  const events = `${server.url}/w/seen/calendar/v3/calendars/primary/events`;
  const { id } = JSON.parse(await ask('POST', events, { summary: 'x', start: { date: '2026-11-23' }, end: { date: '2026-11-24' } }));
  const kinds = {
    '': () => ask('GET', `${events}?maxResults=5`),
    ', that write': (n) => ask('PATCH', `${events}/${id}`, { summary: `x${n}` }),
  };
  const page = await context.newPage(), open = new Set();
  page.on('request', (r) => r.url().includes('/events?') && open.add(r));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (r) => open.delete(r));
  await page.goto(`${server.url}/_sosia/ui/w/seen/journal`);
  const look = async (on) => {
    await hide(page, !on);
    while (open.size !== Number(on)) await page.evaluate(() => new Promise((done) => setTimeout(done, 20)));
    await settled(page); // as long a rest before each turn
  };
  const calls = async (call) => {
    let left = CALLS_OF_A_TURN;
    const before = cpuOf(pid);
    await Promise.all(Array.from({ length: SOCKETS }, async () => {
      while (left-- > 0) await call(left);
    }));
    return minus(cpuOf(pid), before);
  };
  for (const [which, call] of Object.entries(kinds)) {
    const ratios = [], own = [], shares = [];
    await look(false);
    const serves = new Set([...await calls(call)].filter(([, s]) => s > 0.01).map(([task]) => task));
    const seen = async () => {
      await look(true);
      const begun = performance.now(), got = await work(page, async () => ({ cpu: await calls(call) }));
      shares.push((got.task * 1e5) / (performance.now() - begun));
      const mine = sum([...got.cpu].filter(([task]) => serves.has(task)));
      own.push(mine / sum(got.cpu));
      return sum(got.cpu);
    };
    const unseen = async () => {
      await look(false);
      return sum(await calls(call));
    };
    for (let turn = 0; turn < TURNS; turn++) {
      const first = turn % 2 ? await seen() : await unseen(), second = turn % 2 ? await unseen() : await seen();
      ratios.push(turn % 2 ? second / first : first / second);
    }
    report(`calls${which}, with a console open, by CPU`, at(ratios, 0.5), 'of those', '>= 0.97');
    report('the same, a quarter of the pairs below', at(ratios, 0.25), 'of those');
    report('the same, by the threads that serve them', at(own, 0.5), 'of those', '>= 0.97');
    report(`the page's thread meanwhile${which}`, at(shares, 0.5), '% of one');
  }
  await page.close();
  close();
}

async function worlds(server, context) {
  await server.control('POST', '/worlds', { name: 'tree' }, 201);
  for (let n = 0; n < WORLDS; n += 512) await server.control('POST', '/worlds/tree/fork', { count: Math.min(512, WORLDS - n), actors: [] }, 201);
  const asked = [];
  for (let i = 0; i < 20; i++) {
    const begun = performance.now();
    await server.control('GET', '/worlds?parent=tree&limit=200');
    asked.push(performance.now() - begun);
  }
  report(`200 of ${WORLDS} worlds`, at(asked, 0.5), 'ms');
  const page = await since(context, `${server.url}/_sosia/ui/worlds?parent=tree`, 'main .list [role=row]');
  report(`${WORLDS} worlds in the tree, opened`, page.there, 'ms', '<= 800');
}

const server = await Server.start('--fixture', 'small', '--clock', 'frozen', '--journal', 'all', '--max-worlds', String(WORLDS + 64), '--max-body', String(1 << 29));
try {
  await server.control('POST', '/worlds', { name: 'bench', clock: 'frozen', journal: 'all', seed_document: document() }, 201);
  const { token } = await server.control('POST', '/worlds/bench/tokens', { actor: ADA }, 201);
  const context = await fresh();
  await (await enter(context, server.info.console_url)).close(); // nobody looks on but where it says so
  const parts = { mail, lookingOn, journal, day, worlds }, named = process.argv.slice(2).filter((word) => word !== '--json');
  for (const [name, part] of Object.entries(parts)) if (!named.length || named.includes(name)) await part(server, context, token);
  await context.close();
} finally {
  await closeBrowser();
  await server.stop();
}
