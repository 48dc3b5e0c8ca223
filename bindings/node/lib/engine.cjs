// SPDX-License-Identifier: Apache-2.0
'use strict';
// An engine in this process, and its worlds.
const fs = require('node:fs');
const path = require('node:path');
const { addon, KINDS, listen, SosiaError } = require('./native.cjs');
const { World } = require('./world.cjs');
const { answer } = require('./answer.cjs');
const { hostsOf, matches } = require('./hosts.cjs');
const words = require('./words.cjs');

// An engine that nobody has any more is closed; its worlds keep it.
const forgotten = new FinalizationRegistry((id) => {
  try {
    addon().close(id);
  } catch {
    // it was closed before
  }
});

/** Where fixtures are looked for. */
function folders() {
  return [process.env.SOSIA_FIXTURES, path.join(__dirname, '../fixtures'), path.join(__dirname, '../../../fixtures')].filter(Boolean);
}

function readFixture(name) {
  if (typeof name !== 'string') throw new TypeError('a fixture must be a name or the path of a document');
  if (name.includes('/')) return { text: fs.readFileSync(name), name };
  for (const folder of folders()) {
    for (const end of ['.yaml', '.json']) {
      const file = path.join(folder, name + end);
      if (fs.existsSync(file)) return { text: fs.readFileSync(file), name: path.basename(file) };
    }
  }
  throw new SosiaError(`there is no fixture "${name}" in ${folders().join(', ')}`, 'NOT_FOUND', 'fixtureNotFound', 'fixture', 0, 404);
}

class Suite {
  constructor(document, name = undefined) { this._handle = addon().suite(words.document(document), name); }

  /** id, name, difficulty, prompt, actor of each. */
  get tasks() { return JSON.parse(addon().tasks(this._handle)).tasks; }
}

class Engine {
  constructor(options = {}) {
    this._id = addon().open(options);
    this._fixtures = new Map();
    this._watchers = new Map();
    this._pending = new Set();
    this._closed = false;
    forgotten.register(this, this._id, this);
  }

  get closed() { return this._closed; }

  /** Ends it and frees its worlds. Calls of other threads must be over. */
  close() {
    if (this._closed) return;
    if (!addon().close(this._id)) throw new SosiaError('calls are under way in the engine: wait for their promises, or for settled(), first', 'CONFLICT', 'busy', undefined, 0, 409);
    this._closed = true;
    listen(KINDS.OUTBOX, this._id);
    for (const set of this._watchers.values()) for (const fn of set) fn(undefined);
    this._watchers.clear();
    forgotten.unregister(this);
  }

  [Symbol.dispose]() { this.close(); }

  /** When calls that are under way are over, whatever came of them. */
  async settled() { while (this._pending.size) await Promise.allSettled(this._pending); }

  async [Symbol.asyncDispose]() {
    await this.settled();
    this.close();
  }

  info() { return addon().info(this._id); }

  /** The vendors' hosts that are served: 'api.example.com', and '*.example.com' for each below it. */
  hosts() {
    // Where no vendor answers, the engine says what it serves.
    return this._hosts ??= hostsOf(answer(addon().call(this._id, 0, 0, 'GET', '/.', '')));
  }

  _isVendor(host) { return matches(this.hosts(), host); }

  /** A new world: of a fixture, a document, another world or snapshot, or empty. */
  world(options = {}) {
    const { fixture, document, from, rates, ttlSeconds } = options;
    if ([fixture, document, from].filter(v => v !== undefined).length > 1)
      throw new TypeError('at most one of fixture, document and from can be given');
    let made;
    if (from !== undefined) {
      made = this._worldOf(from).fork(options);
    } else if (fixture !== undefined) {
      made = this._fixture(fixture, options.seed === undefined).fork(options);
    } else {
      made = new World(this, addon().create(this._id, { ...words.clockOptions(options),
        documentName: options.documentName, document: document === undefined ? undefined : words.document(document) }));
    }
    if (rates !== undefined) made.rates(rates);
    if (ttlSeconds) made.ttl(ttlSeconds);
    return made;
  }

  /** A fixture is read once; its worlds are forks. */
  _fixture(name) {
    let base = this._fixtures.get(name);
    if (!base) {
      const { text, name: documentName } = readFixture(name);
      base = new World(this, addon().create(this._id, { document: text, documentName }));
      this._fixtures.set(name, base);
    }
    return base;
  }

  /** The world or snapshot of a key or name. */
  find(keyOrName) { return new World(this, addon().find(this._id, keyOrName)); }

  _worldOf(world) {
    if (world instanceof World) {
      if (world.engine !== this) throw new TypeError('the world must be one of the same engine');
      return world;
    }
    return this.find(world);
  }

  /** All worlds and snapshots. */
  worlds() { return addon().worlds(this._id).map(id => new World(this, id)); }

  /** A world of an exported file. */
  import(file, { name, secrets = false } = {}) {
    return new World(this, addon().importFrom(this._id, String(file), name, secrets));
  }

  /** Tasks to grade by: an object, or JSON or YAML. */
  suite(document, name = undefined) { return document instanceof Suite ? document : new Suite(document, name); }

  /** The world of requests that name none. */
  setDefault(world) { addon().setDefault(this._id, world._high, world._low); }

  /** Drops worlds whose time is over: how many. */
  sweep() { return addon().sweep(this._id); }

  /** fn(first, last) for each change of a world's outbox; fn(undefined) when the engine is closed. */
  _watch(world, fn) {
    if (this._watchers.size === 0) {
      const weak = new WeakRef(this);
      listen(KINDS.OUTBOX, this._id, (id, first, last) => {
        for (const each of weak.deref()?._watchers.get(id) ?? []) each(first, last);
      });
      addon().watch(this._id, true);
    }
    const id = BigInt(world._high) << 32n | BigInt(world._low);
    const set = this._watchers.get(id) ?? new Set();
    this._watchers.set(id, set.add(fn));
    return () => {
      set.delete(fn);
      if (set.size || this._closed) return;
      this._watchers.delete(id);
      if (this._watchers.size) return;
      addon().watch(this._id, false);
      listen(KINDS.OUTBOX, this._id);
    };
  }
}

function versions() { return addon().versions(); }

module.exports = { Engine, Suite, versions, World };
