// SPDX-License-Identifier: Apache-2.0
'use strict';
// A world in this process.
const { addon, callPlain, METHODS, SosiaError } = require('./native.cjs');
const { answer, eventually } = require('./answer.cjs');
const { Actor } = require('./actor.cjs');
const { Reachable } = require('./clients.cjs');
const { gathered, isStreamed, Pieces, piecesOf, release } = require('./pieces.cjs');
const { bytes, field, fields, place, wellFormed } = require('./request.cjs');
const { microseconds, timeOf, timeText } = require('./time.cjs');
const words = require('./words.cjs');

class World extends Reachable {
  constructor(engine, id) {
    super();
    this.engine = engine;
    this._high = Number(id >> 32n);
    this._low = Number(id & 0xffffffffn);
    this._actors = new Map();
    this._sockets = undefined;
  }

  get _engine() { return this.engine._id; }

  /** As in URLs: 16 hexadecimal digits. */
  get key() {
    return this._high.toString(16).padStart(8, '0') + this._low.toString(16).padStart(8, '0');
  }

  // ---- calls ----

  _request(request) {
    if (typeof request !== 'object' || request === null)
      throw new TypeError('a request must be an object with method and url');
    const { url = request.target ?? request.path, body } = request;
    if (url === undefined) throw new TypeError('a request must have a url: a path and query, or a whole one');
    const at = place(url);
    let text = request.headers === undefined ? '' : fields(request.headers);
    if (at.host !== undefined && !/^host$/im.test(text)) text += field('Host', at.host);
    if (request.as !== undefined) text += field('Authorization', `Bearer ${this.asActor(request.as).token}`);
    let data = isStreamed(body) ? piecesOf(body) : bytes(body);
    if (request.json !== undefined) {
      data = JSON.stringify(request.json);
      text += 'Content-Type\napplication/json; charset=utf-8\n';
    } else if (typeof data === 'string') {
      wellFormed(data, 'a body');
    }
    const base = request.baseUrl ?? (at.origin && !this.engine._isVendor(at.host) ? at.origin : undefined);
    return [request.method ?? 'GET', wellFormed(at.target, 'a url'), wellFormed(text, 'a header'), data, base];
  }

  /** Makes a call, on this thread. */
  call(request) {
    // What most calls are takes no detour: a path, and no body.
    const url = request?.url;
    if (typeof url === 'string' && url.charCodeAt(0) === 47 && request.body === undefined && request.json === undefined && request.as === undefined &&
      request.baseUrl === undefined) {
      const method = request.method === undefined || request.method === 'GET' ? 0 : METHODS.indexOf(request.method);
      const plain = request.headers === undefined ? '' : fields(request.headers);
      if (method >= 0 && url.isWellFormed() && plain.isWellFormed())
        return this._led(answer(callPlain(this.engine._id, this._high, this._low, method, url, plain)));
    }
    const [method, target, text, body, base] = this._request(request);
    if (body instanceof Pieces) throw new TypeError('a body that comes in pieces wants callAsync()');
    const made = answer(addon().call(this.engine._id, this._high, this._low, method, target, text, body, base));
    return method === 'HEAD' ? made.emptied() : this._led(made);
  }

  /** The same; where something else keeps the world, or the answer waits for the disk, another thread does. stream: a large
   *  body comes by the answer's stream. */
  async callAsync(request) {
    const [method, target, text, body, base] = this._request(request);
    return this._promised(method, target, text, body, base, request.stream);
  }

  async _promised(method, target, text, body, base, keep) {
    if (body instanceof Pieces) return this._spooled(method, target, text, body, base, keep);
    const made = await eventually(addon().callAsync(this.engine._id, this._high, this._low, method, target, text, body, base, keep), this.engine._pending);
    return method === 'HEAD' ? made.emptied() : this._led(made);
  }

  /** What comes in pieces is put together first: the engine's lock is for its calls. */
  async _spooled(method, target, text, pieces, base, keep) {
    const body = await gathered(pieces, () => addon().spoolOpen(this.engine._id, this._high, this._low, method, target, text));
    try {
      return await this._promised(method, target, text, body, base, keep);
    } finally {
      release(body);
    }
  }

  /** An answer as the program gets it: while there are sockets(), their addresses lead to them. */
  _led(made) { return this._sockets === undefined ? made : this._sockets.lead(made); }

  /** Ends what promises of it have under way in other threads: they fail with INTERRUPTED, the world stays as it was. */
  interrupt() { return addon().interrupt(this.engine._id, this._high, this._low); }

  /** For clients: a call by the parts of its request. data: a string, bytes or Pieces; a large body comes by the answer's stream. */
  async _serve(method, at, text, data) {
    const whole = at.host !== undefined && !/^host$/im.test(text) ? `${text}Host\n${at.host}\n` : text;
    const base = at.origin && !this.engine._isVendor(at.host) ? at.origin : undefined;
    return this._promised(method, at.target, whole, data, base, true);
  }

  // ---- state ----

  /** What the world is: key, name, time, sizes. */
  info() {
    const i = addon().worldInfo(this._engine, this._high, this._low);
    return {
      world: i.world, name: i.name || null, snapshot: i.snapshot, parent: i.parent ? i.parent.toString(16).padStart(16, '0') : null,
      now: timeText(i.nowUs), clock: words.CLOCKS[i.clock], ...(i.clock === 1 && { step_ms: Number(i.stepUs) / 1000 }),
      journal: words.JOURNALS[i.journal], evaluation: i.evaluation, seed: i.seed, size: i.size, base_size: i.baseSize,
      expires: i.expiresUs ? timeText(i.expiresUs) : null, ...(i.expiresUs && { expires_by: i.expiresByClock ? 'world' : 'real' }),
    };
  }

  get name() { return this.info().name; }

  /** A world with this one's state. */
  fork(options = undefined) {
    return new World(this.engine, addon().fork(this.engine._id, this._high, this._low,
      options && words.forkOptions(options), options?.step));
  }

  /** A world with the state after an entry of the journal. */
  step(entry, options = {}) { return this.fork({ ...options, step: entry }); }

  /** The present state under a name; nobody can write it. */
  snapshot(name = undefined) {
    return new World(this.engine, addon().snapshot(this._engine, this._high, this._low, name));
  }

  /** Back to the state at its creation, to a snapshot or world, or to the state after an entry of its journal. */
  reset({ to, step } = {}) {
    if (to !== undefined) {
      const w = this.engine._worldOf(to);
      addon().resetTo(this._engine, this._high, this._low, w._high, w._low);
    } else if (step !== undefined) {
      addon().resetStep(this._engine, this._high, this._low, step);
    } else {
      addon().reset(this._engine, this._high, this._low);
    }
    this._actors.clear();
    return this;
  }

  /** Frees it; forks live on. */
  drop() { addon().drop(this.engine._id, this._high, this._low); }

  /** As drop(); a world that is gone, or whose engine is closed, is none to drop. */
  [Symbol.dispose]() {
    try {
      this.drop();
    } catch (error) {
      if (!(error instanceof SosiaError) || !['NOT_FOUND', 'GONE'].includes(error.code)) throw error;
    }
  }

  /** Applies a seed document: an object, or JSON or YAML. */
  seed(document, { name } = {}) {
    addon().seed(this._engine, this._high, this._low, words.document(document), name);
    return this;
  }

  /** The world as a seed document in normal form. */
  dump() { return JSON.parse(this.dumpText()); }
  dumpText() { return addon().dump(this._engine, this._high, this._low); }

  /** SHA-256 of the logical state. */
  hash() { return addon().hash(this._engine, this._high, this._low); }

  /** What changed, in the vendors' terms, since the state that it resets to, or since another world's. */
  diff({ from, form = 'json', all = false } = {}) {
    const w = from === undefined ? { _high: 0, _low: 0 } : this.engine._worldOf(from);
    return JSON.parse(addon().diff(this._engine, this._high, this._low, w._high, w._low, words.index(words.FORMS, form, 'form'), all));
  }

  /** Judges what was done in it by a suite (or its document). */
  grade(suite, { task, from, answer: said, judgements, diff = false } = {}) {
    const w = from === undefined ? { _high: 0, _low: 0 } : this.engine._worldOf(from);
    const [grade, changes] = addon().grade(this._engine, w._high, w._low, this._high, this._low, this.engine.suite(suite)._handle,
      { task, answer: said, judgements: judgements && JSON.stringify(judgements), diff });
    return diff ? { ...JSON.parse(grade), diff: JSON.parse(changes) } : JSON.parse(grade);
  }

  /** Writes it as an SQLite file. */
  export(path, { secrets = false } = {}) {
    addon().exportTo(this._engine, this._high, this._low, String(path), secrets);
  }

  /** Puts in what another program's file holds (docs/import.md), all of it or nothing. data: its bytes. How much came. */
  importFile(data, format, { person, vendor, place, name } = {}) {
    return JSON.parse(addon().importFile(this._engine, this._high, this._low, data, format, person, vendor, place, name));
  }

  /** The bytes of a file that another program reads: mbox, ics, vcf, csv, drive, workspace. */
  exportFile(format, { person, vendor, place } = {}) {
    return addon().exportFile(this._engine, this._high, this._low, format, person, vendor, place);
  }

  rename(name) { addon().rename(this._engine, this._high, this._low, name ?? undefined); }

  /** Ends its life so many seconds from now, by real time or by its clock; 0: never. */
  ttl(seconds, { by = 'real' } = {}) {
    addon().ttl(this._engine, this._high, this._low, BigInt(Math.round(seconds * 1e6)), words.index(['real', 'world'], by, 'by') === 1);
  }

  /** Whether the vendors' rate limits hold. */
  rates(on) { addon().rates(this._engine, this._high, this._low, on); }

  // ---- time ----

  /** {now, clock, step_ms} */
  clock() {
    const { now, clock, step_ms } = this.info();
    return { now, clock, ...(step_ms !== undefined && { step_ms }) };
  }

  get now() { return new Date(this.info().now); }

  /** Sets the time, without what would have been due in between, or how it goes on. */
  setClock({ now, clock, stepMs } = {}) {
    if (now !== undefined) addon().clockSet(this._engine, this._high, this._low, timeOf(now));
    if (clock !== undefined || stepMs !== undefined)
      addon().clockMode(this._engine, this._high, this._low, words.index(words.CLOCKS, clock ?? 'step', 'clock'), microseconds({ ms: stepMs ?? 0 }));
    return this.clock();
  }

  /** Goes forward: milliseconds, or {days, hours, minutes, seconds, ms, us}; what is due happens, each at its instant. */
  advance(by) {
    addon().clockAdvance(this._engine, this._high, this._low, microseconds(by));
    return this.clock();
  }

  // ---- people ----

  actors({ after = 0, limit = 0 } = {}) {
    return JSON.parse(addon().actors(this._engine, this._high, this._low, after, limit));
  }

  /** A token for somebody. */
  token(actor, { scopes, ttlSeconds, value, app, kind, prefix } = {}) {
    return addon().token(this._engine, this._high, this._low, {
      actor, scopes: Array.isArray(scopes) ? scopes.join(' ') : scopes, value, app, kind, prefix,
      ttlUs: ttlSeconds === undefined ? undefined : BigInt(Math.round(ttlSeconds * 1e6)),
    });
  }

  revoke(token) { addon().revoke(this._engine, this._high, this._low, token); }

  /** Somebody in the world: calls and clients with a token of theirs, made when one is first needed. */
  asActor(email, options = undefined) {
    if (options) return new Actor(this, email, options);
    let actor = this._actors.get(email);
    if (!actor) this._actors.set(email, actor = new Actor(this, email, {}));
    return actor;
  }

  /** Credentials as a file that vendors' programs load, parsed. */
  credential(kind, actor, baseUrl = 'https://oauth2.googleapis.com') {
    return JSON.parse(addon().credential(this._engine, this._high, this._low, kind, actor, baseUrl));
  }

  /** What somebody does in a service's client: act('ada@acme.example', 'slack', {post: {...}}). Where an app has to answer
   *  first, the promise waits for it. */
  async act(actor, service, doing) {
    const token = this.token(actor, { kind: 'user', ttlSeconds: 60 });
    const done = await this.callAsync({ method: 'POST', url: `/_act/${encodeURIComponent(service)}`, headers: { Authorization: `Bearer ${token}` }, json: { do: doing } });
    const said = done.json();
    if (!done.ok) throw new SosiaError(said.error?.message ?? done.text(), 'INVALID', said.error?.reason, said.error?.field, 0, done.status);
    return said;
  }

  // ---- journal ----

  /** {entries, next} of the journal. */
  journal(query = {}) {
    const [text, next] = addon().journal(this._engine, this._high, this._low, query);
    return { entries: JSON.parse(text), ...(next && { next }) };
  }

  journalInfo() { return JSON.parse(addon().journalInfo(this._engine, this._high, this._low)); }

  /** What the call of an entry changed. */
  changes(entry) { return JSON.parse(addon().journalChanges(this._engine, this._high, this._low, entry)); }

  /** Its entries as jsonl, har, otlp, atif or run. */
  journalExport({ format = 'jsonl', after = 0, to = 0, secrets = false } = {}) {
    return addon().journalExport(this._engine, this._high, this._low, words.index(words.FORMATS, format, 'format'), after, to, secrets);
  }

  /** What the journal keeps from now on. */
  journalKeep({ mode, keep, steps, stepBytes, bytes: size } = {}) {
    addon().journalKeep(this._engine, this._high, this._low, {
      mode: mode && words.index(words.JOURNALS, mode, 'mode'), keep: keep && words.index(words.KEEPS, keep, 'keep'),
      steps, stepBytes, bytes: size,
    });
  }

  /** Runs the journal again beside the world and compares. With keep the report's world is the end. */
  replay(options = {}) {
    const { edits, ...rest } = options;
    const [report, id] = addon().replay(this._engine, this._high, this._low,
      { ...rest, edits: edits === undefined || typeof edits === 'string' ? edits : JSON.stringify(edits) });
    return id ? { ...JSON.parse(report), world: new World(this.engine, id) } : JSON.parse(report);
  }

  // ---- what leaves the world ----

  outbox({ after = 0, limit = 0 } = {}) {
    return JSON.parse(addon().outbox(this._engine, this._high, this._low, after, limit));
  }

  /** Deliveries to receivers as they fall due: an async iterable. */
  deliveries(options = {}) { return require('./deliveries.cjs').deliveriesOf(this, options); }

  /** Calls fn with each delivery; what it gives is the receiver's response. Gives a function that ends it. */
  onDelivery(fn, options = {}) { return require('./deliveries.cjs').onDelivery(this, fn, options); }

  /** A port of loopback for its WebSockets: until it is closed the addresses that answers give out (Slack's
   *  apps.connections.open, rtm.connect) lead to it. */
  sockets() { return require('./sockets.cjs').socketsOf(this); }

  [Symbol.for('nodejs.util.inspect.custom')]() { return `World { ${this.key} }`; }
}

module.exports = { World };
