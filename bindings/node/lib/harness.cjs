// SPDX-License-Identifier: Apache-2.0
'use strict';
// A fresh world for each test: an engine and a base world for the process, a fork for the test. A test that fails shows what
// changed in its world, and the last calls.
const { isNativeError } = require('node:util').types;
const { Engine } = require('./engine.cjs');
const { intercept } = require('./intercept.cjs');

const LAST = 5;
let engine;
const bases = new Map(); // by what they are made of

function base(options) {
  engine ??= new Engine();
  const { fixture, document, documentName, rates, now, clock, stepMs, seed } = options;
  const what = JSON.stringify([fixture, document, documentName, rates, now, clock, stepMs, seed]);
  let world = bases.get(what);
  if (!world) {
    world = engine.world(document === undefined && fixture === undefined ? { fixture: 'small' } : { fixture, document, documentName, now, clock, stepMs, seed });
    if (rates !== undefined) world.rates(rates);
    bases.set(what, world);
  }
  return world;
}

/** What a test gets: {world, actor, engine}. options: fixture or document, now, clock, stepMs, seed, rates; actor: an address;
 *  intercept: true, or the options of intercept(). */
function begin(options = {}) {
  const world = base(options).fork({ journal: 'all' });
  const actor = options.actor === undefined ? undefined : world.asActor(options.actor);
  const held = options.intercept ? intercept(actor ?? world, options.intercept === true ? {} : options.intercept) : undefined;
  return { context: { world, actor, engine }, end: () => {
    held?.restore();
    world[Symbol.dispose]();
  } };
}

/** For people: what changed, and the last calls. */
function report(world) {
  try {
    const { changes } = world.diff();
    const { entries } = world.journal({ after: Math.max(0, world.journalInfo().entries - LAST), limit: LAST });
    const lines = ['', `--- sosia: what changed in world ${world.key}`];
    for (const c of changes.slice(0, 20)) lines.push(`${c.change} ${c.entity} ${c.person ? `of ${c.person} ` : ''}${c.title ?? c.name ?? ''}`);
    if (!changes.length) lines.push('nothing');
    if (changes.length > 20) lines.push(`and ${changes.length - 20} more`);
    lines.push('--- the last calls');
    for (const e of entries) if (e.request) lines.push(`${e.response?.status ?? '-'} ${e.request.verb} ${e.request.target}${e.actor ? ` as ${e.actor}` : ''}${e.response?.why ? `: ${e.response.why}` : ''}`);
    return lines.join('\n');
  } catch (error) {
    return `\n--- sosia: nothing can be said of the world: ${error.message}`;
  }
}

/** Puts the report behind an error's message, as every runner shows it. */
function explain(error, world) {
  if (!isNativeError(error) && !(error instanceof Error)) return error;
  const text = report(world);
  const stack = error.stack ?? '';
  try {
    const before = error.message;
    error.message = `${before}\n${text}\n`;
    error.stack = stack.includes(before) && before ? stack.replace(before, () => error.message) : `${error.message}\n${stack}`;
  } catch {
    // a frozen error stays as it is
  }
  return error;
}

/** A function for any runner's test(): fn gets {world, actor, engine} and what the runner gives. */
function withWorld(fn, options = {}) {
  // No parameters: a runner that counts them would wait for a callback.
  return async function test() {
    const { context, end } = begin(options);
    try {
      return await fn(context, ...arguments);
    } catch (error) {
      throw explain(error, context.world);
    } finally {
      end();
    }
  };
}

/** The same by a runner's hooks: {world, actor, engine} of the test that runs. */
function useWorld({ beforeEach, afterEach }, options = {}) {
  let held;
  beforeEach(() => { held = begin(options); });
  afterEach(() => {
    held?.end();
    held = undefined;
  });
  const current = name => ({ enumerable: true, get: () => {
    if (!held) throw new Error('there is a world while a test or a beforeEach() behind useWorld() runs');
    return held.context[name];
  } });
  return Object.defineProperties({}, { world: current('world'), actor: current('actor'), engine: current('engine') });
}

module.exports = { begin, explain, report, useWorld, withWorld };
