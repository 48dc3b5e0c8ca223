// SPDX-License-Identifier: Apache-2.0
// The part of bench-node that runs in Node: node.mjs TARGET MICROSECONDS_IN_C [--json]. Wall time, best of many
// rounds that are short, so that others on the machine leave some of them alone. Rows are as those of bench.h.
import { Engine } from '../bindings/node/index.mjs';
import { withWorld } from '../bindings/node/node-test.mjs';

const [target, inC, json] = process.argv.slice(2);
const ROUNDS = 100;

const engine = new Engine();
const world = engine.world({ fixture: 'office', journal: 'none' });
const headers = { Authorization: `Bearer ${world.token('marta.ferri@tidewater.example', { value: 'bench-token-1' })}`, 'Content-Type': 'application/json' };
const request = { method: 'GET', url: target, headers };
const url = `https://www.googleapis.com${target}`;

// Wall time: the kernel counts a thread's CPU time in ticks of some milliseconds.
const now = () => performance.now() * 1e3;
async function best(n, fn) {
  let least = Infinity;
  for (let r = 0; r < ROUNDS; r++) {
    const begun = now();
    const done = fn(n);
    if (done) await done;
    least = Math.min(least, (now() - begun) / n);
  }
  return least;
}

function report(name, value, target_) {
  const ok = !target_ || value <= Number(target_.replace(/[^\d.]/g, ''));
  if (json) {
    console.log(JSON.stringify({ name, value: Number(value.toPrecision(4)), unit: 'us', baseline: null, ratio: null, target: target_ ?? null, ok }));
  } else {
    console.log(`${name.padEnd(46)} ${value.toPrecision(4).padStart(10)} ${'us'.padEnd(9)} ${''.padStart(10)} ${''.padStart(7)}  ${(target_ ?? '').padEnd(9)} ${target_ ? (ok ? 'ok' : 'MISSED') : ''}`);
  }
}

let sum = 0;
const sync = await best(2_000, (n) => { for (let i = 0; i < n; i++) sum += world.call(request).status; });
report('node: a call, more than in C', sync - inC, '<= 1');
const text = await best(2_000, (n) => { for (let i = 0; i < n; i++) sum += world.call(request).text().length; });
report('node: a call and its text, more than in C', text - inC);
const all = await best(2_000, (n) => { for (let i = 0; i < n; i++) { const a = world.call(request); sum += Object.keys(a.headers).length + a.json().id.length; } });
report('node: a call, its headers and JSON', all);
const promise = await best(2_000, async (n) => { for (let i = 0; i < n; i++) sum += (await world.callAsync(request)).status; });
report('node: a promise, more than in C', promise - inC, '<= 5');
const fetched = await best(200, async (n) => { for (let i = 0; i < n; i++) sum += (await (await world.fetch(url, { headers })).json()).id.length; });
report('node: fetch() and its JSON', fetched);
const forked = await best(2_000, (n) => { for (let i = 0; i < n; i++) world.fork().drop(); });
report('node: a fork and its drop', forked);
const run = withWorld(({ world: w }) => { sum += w._low; }, { fixture: 'office' });
await run();
const tested = await best(200, async (n) => { for (let i = 0; i < n; i++) await run(); });
report('node: a test with a fresh world, more than empty', tested, '<= 200');
if (!sum) process.exitCode = 1;
engine.close();
