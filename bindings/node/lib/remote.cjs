// SPDX-License-Identifier: Apache-2.0
'use strict';
// Engines and worlds behind a server's control interface: the classes of engine.cjs and world.cjs, whose functions give
// promises here. `await` takes both, so that code moves between them.
const http = require('node:http');
const https = require('node:https');
const fs = require('node:fs');
const { pipeline } = require('node:stream/promises');
const { isUint8Array } = require('node:util').types;
const { Actor } = require('./actor.cjs');
const { Answer, headOf, ofWorld } = require('./answer.cjs');
const { Reachable } = require('./clients.cjs');
const { hostsOf, matches } = require('./hosts.cjs');
const { SosiaError } = require('./native.cjs');
const { isStreamed, Pieces, piecesOf } = require('./pieces.cjs');
const { bytes, field, fields, place, wellFormed } = require('./request.cjs');
const { microseconds, timeOf, timeText } = require('./time.cjs');
const { free } = require('./within.cjs');

const CODES = { 400: 'INVALID', 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED', 409: 'CONFLICT', 410: 'GONE',
  412: 'PRECONDITION', 413: 'TOO_LARGE', 415: 'MEDIA_TYPE', 429: 'LIMIT', 503: 'NO_MEMORY', 507: 'FULL' };

/** A body that comes in pieces, as Stream of answer.cjs. */
class RemoteStream {
  constructor(incoming) {
    const said = incoming.headers['content-length'];
    this.length = said === undefined ? undefined : Number(said);
    this._incoming = incoming;
    this._iterator = incoming[Symbol.asyncIterator]();
    this._closed = false;
  }

  async read() {
    try {
      return (await this._iterator.next()).value;
    } catch (error) {
      if (this._closed || this.length === undefined) return undefined; // what goes on has ended
      throw new SosiaError(`a body of ${this.length} bytes must come whole: ${error.message}`, 'IO');
    }
  }

  close() {
    this._closed = true;
    this._incoming.destroy();
  }

  async *[Symbol.asyncIterator]() {
    try {
      for (let part; (part = await this.read()) !== undefined;) yield part;
    } finally {
      this.close();
    }
  }

  readable() {
    return new ReadableStream({
      pull: async (controller) => {
        const part = await this.read();
        if (part === undefined) controller.close();
        else controller.enqueue(new Uint8Array(part));
      },
      cancel: () => { this.close(); },
    }, { highWaterMark: 0 });
  }
}

class Connection {
  constructor(url, key) {
    this.url = new URL(url);
    this.key = key;
    this.module = this.url.protocol === 'https:' ? https : http;
    this.agent = new this.module.Agent({ keepAlive: true });
  }

  /** An Answer; keep: a large body comes by its stream. data: bytes or Pieces. */
  send(method, target, rawHeaders, data, keep = false) {
    return new Promise((resolve, reject) => {
      const request = free(() => this.module.request({
        agent: this.agent, method, path: target, headers: rawHeaders.some((name, i) => i % 2 === 0 && name === 'Host') ? rawHeaders : ['Host', this.url.host, ...rawHeaders],
        host: this.url.hostname.replace(/^\[|\]$/g, ''), port: this.url.port || undefined,
      }, (incoming) => { take(incoming, keep, resolve, reject); }));
      request.on('error', reject);
      if (!(data instanceof Pieces)) request.end(data);
      else pipeline(data, request).catch(reject);
    });
  }

  async control(method, path, body, type = 'application/json') {
    const headers = ['Authorization', `Bearer ${this.key}`];
    let data;
    if (body !== undefined) {
      data = Buffer.from(typeof body === 'string' || isUint8Array(body) ? body : JSON.stringify(body));
      headers.push('Content-Type', type, 'Content-Length', data.length);
    }
    const answer = await this.send(method, `/_sosia/v1${path}`, headers, data);
    if (answer.ok) return answer;
    let said = {};
    try {
      said = answer.json().error ?? {};
    } catch {
      said = { message: answer.text() };
    }
    throw new SosiaError(said.message ?? `status ${answer.status}`, CODES[answer.status] ?? 'INTERNAL', said.reason, said.field, said.line, answer.status);
  }

  async json(method, path, body) {
    const answer = await this.control(method, path, body);
    return answer.length ? answer.json() : undefined;
  }
}

// What this connection says itself; bodies come as they are.
const OURS = new Set(['host', 'content-length', 'accept-encoding', 'connection', 'transfer-encoding', 'x-sosia-world']);
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

const LARGE = 1 << 16; // bytes of a body

function take(incoming, keep, resolve, reject) {
  const fields = [];
  for (let i = 0; i < incoming.rawHeaders.length; i += 2)
    if (!HOP.has(incoming.rawHeaders[i].toLowerCase())) fields.push([incoming.rawHeaders[i], incoming.rawHeaders[i + 1]]);
  const head = headOf(fields);
  const large = keep && Number(incoming.headers['content-length']) > LARGE;
  if (incoming.req.method !== 'HEAD' && (large || incoming.headers['content-type']?.startsWith('text/event-stream'))) {
    resolve(new Answer(incoming.statusCode, head, 0, head.length, 0, new RemoteStream(incoming)));
    return;
  }
  const parts = [head];
  incoming.on('data', part => parts.push(part));
  incoming.on('error', reject);
  incoming.on('end', () => {
    const all = Buffer.concat(parts);
    try {
      resolve(ofWorld(new Answer(incoming.statusCode, all, 0, head.length, all.length - head.length, undefined)));
    } catch (error) {
      reject(error);
    }
  });
}

const query = (members) => {
  const text = new URLSearchParams(Object.entries(members).filter(([, v]) => v !== undefined && v !== false && v !== 0).map(([k, v]) => [k, String(v)])).toString();
  return text && `?${text}`;
};
const keyOf = world => world instanceof RemoteWorld ? world.key : String(world);
const documentOf = value => isUint8Array(value) ? Buffer.from(value).toString() : value;
const timeMember = now => now === undefined ? undefined : timeText(timeOf(now));

class RemoteWorld extends Reachable {
  constructor(engine, key) {
    super();
    this.engine = engine;
    this.key = key;
    this._actors = new Map();
  }

  _json(method, path, body) { return this.engine._connection.json(method, `/worlds/${this.key}${path}`, body); }

  // ---- calls ----

  async _serve(method, at, text, data, keep = true) {
    const lines = text.split('\n').slice(0, -1);
    const raw = [];
    const host = at.host ?? /^host\n(.*)$/im.exec(text)?.[1];
    for (let i = 0; i < lines.length; i += 2) if (!OURS.has(lines[i].toLowerCase())) raw.push(lines[i], lines[i + 1]);
    let target = at.target;
    if (host !== undefined && host !== this.engine._connection.url.host) {
      raw.push('Host', host, 'X-Forwarded-Proto', at.origin?.startsWith('http:') ? 'http' : 'https', 'X-Sosia-World', this.key);
    } else {
      target = `/w/${this.key}${target}`;
    }
    const body = data === undefined || data instanceof Pieces ? data : Buffer.from(data);
    if (body instanceof Pieces) raw.push('Transfer-Encoding', 'chunked');
    else if (body || !['GET', 'HEAD'].includes(method)) raw.push('Content-Length', String(body?.length ?? 0));
    return this.engine._connection.send(method, target, raw, body, keep);
  }

  async call(request) {
    if (typeof request !== 'object' || request === null) throw new TypeError('a request must be an object with method and url');
    const { url = request.target ?? request.path } = request;
    if (url === undefined) throw new TypeError('a request must have a url: a path and query, or a whole one');
    let text = request.headers === undefined ? '' : fields(request.headers);
    if (request.as !== undefined) text += field('Authorization', `Bearer ${await this.asActor(request.as).token}`);
    let data = isStreamed(request.body) ? piecesOf(request.body) : bytes(request.body);
    if (request.json !== undefined) {
      data = JSON.stringify(request.json);
      text += 'Content-Type\napplication/json; charset=utf-8\n';
    } else if (typeof data === 'string') {
      wellFormed(data, 'a body');
    }
    return this._serve(request.method ?? 'GET', place(url), wellFormed(text, 'a header'), data, request.stream ?? false);
  }

  callAsync(request) { return this.call(request); }

  // ---- state ----

  info() { return this._json('GET', ''); }

  async fork({ name, seed, now, clock, stepMs, deliveries, evaluation, step, journal } = {}) {
    const { world } = await this._json('POST', '/fork', { name, seed, now: timeMember(now), deliveries, evaluation, step, journal });
    const made = new RemoteWorld(this.engine, world);
    if (clock !== undefined || stepMs !== undefined) await made.setClock({ clock: clock ?? 'step', stepMs });
    return made;
  }

  step(entry, options = {}) { return this.fork({ ...options, step: entry }); }

  async snapshot(name) { return new RemoteWorld(this.engine, (await this._json('POST', '/snapshot', { name })).world); }

  async reset({ to, step } = {}) {
    await this._json('POST', '/reset', { to: to === undefined ? undefined : keyOf(to), step });
    this._actors.clear();
    return this;
  }

  async drop() { await this._json('DELETE', ''); }

  async [Symbol.asyncDispose]() {
    try {
      await this.drop();
    } catch (error) {
      if (!(error instanceof SosiaError) || error.code !== 'NOT_FOUND') throw error;
    }
  }

  async seed(document, { name } = {}) {
    const plain = typeof document === 'string' || isUint8Array(document);
    await this.engine._connection.control('POST', `/worlds/${this.key}/seed${query({ document_name: name })}`, plain ? document : JSON.stringify(document),
      plain ? 'application/yaml' : 'application/json');
    return this;
  }

  async dump() { return JSON.parse(await this.dumpText()); }
  async dumpText() { return (await this.engine._connection.control('GET', `/worlds/${this.key}/dump`)).text(); }
  async hash() { return (await this._json('GET', '/hash')).hash; }

  diff({ from, form, all } = {}) {
    return this.engine._connection.json('GET', `/diff${query({ from: from === undefined ? undefined : keyOf(from), to: this.key, form, all })}`);
  }

  async grade(suite, { task, from, answer, judgements, diff } = {}) {
    const { results, diffs } = await this.engine._connection.json('POST', '/worlds/grade', { suite: documentOf(suite.document ?? suite), task,
      from: from === undefined ? undefined : keyOf(from), answer, judgements, diff, worlds: [this.key] });
    return diff ? { ...results[0], diff: diffs[0] } : results[0];
  }

  async export(path, { secrets } = {}) {
    fs.writeFileSync(path, (await this.engine._connection.control('GET', `/worlds/${this.key}/export${query({ secrets })}`)).body);
  }

  async importFile(data, format, { person, vendor, place, name } = {}) {
    const path = `/worlds/${this.key}/transfer${query({ format, person, vendor, place, name })}`;
    return (await this.engine._connection.control('POST', path, data, 'application/octet-stream')).json();
  }

  async exportFile(format, { person, vendor, place } = {}) {
    return Buffer.from((await this.engine._connection.control('GET', `/worlds/${this.key}/transfer${query({ format, person, vendor, place })}`)).body);
  }

  async ttl(seconds, { by } = {}) { await this._json('PUT', '/ttl', { seconds, by }); }
  async rates(on) { await this._json('PUT', '/rates', { on }); }

  // ---- time ----

  clock() { return this._json('GET', '/clock'); }
  setClock({ now, clock, stepMs } = {}) { return this._json('PUT', '/clock', { now: timeMember(now), clock, step_ms: stepMs }); }
  advance(by) { return this._json('POST', '/clock/advance', { us: Number(microseconds(by)) }); }

  // ---- people ----

  async actors({ after, limit } = {}) { return (await this._json('GET', `/actors${query({ after, limit: limit ?? 1000 })}`)).actors; }

  async token(actor, { scopes, ttlSeconds, value, app, kind, prefix } = {}) {
    return (await this._json('POST', '/tokens', { actor, scopes: Array.isArray(scopes) ? scopes.join(' ') : scopes, ttl_seconds: ttlSeconds, value, app, kind, prefix })).token;
  }

  async revoke(token) { await this._json('POST', '/tokens/revoke', { token }); }

  asActor(email, options = undefined) {
    if (options) return new Actor(this, email, options);
    let actor = this._actors.get(email);
    if (!actor) this._actors.set(email, actor = new Actor(this, email, {}));
    return actor;
  }

  credential(kind, actor) { return this._json('GET', `/credentials${query({ actor, kind })}`); }
  act(actor, service, doing) { return this._json('POST', '/act', { actor, service, do: doing }); }

  // ---- journal, and what leaves the world ----

  journal({ after, limit, bodies, method, actor, text, failed, label } = {}) {
    return this._json('GET', `/journal${query({ after, limit, bodies, method, actor, text, failed, label })}`);
  }

  journalInfo() { return this._json('GET', '/journal/info'); }
  changes(entry) { return this._json('GET', `/journal/${entry}/changes`); }

  async journalExport({ format, after, to, secrets } = {}) {
    return (await this.engine._connection.control('GET', `/worlds/${this.key}/journal/export${query({ format, after, to, secrets })}`)).text();
  }

  async journalKeep({ mode, keep, steps, stepBytes, bytes: size } = {}) {
    await this._json('PUT', '/journal', { mode, keep, steps, step_bytes: stepBytes, bytes: size });
  }

  async replay({ edits, journal, journalName, ...rest } = {}) {
    const report = await this._json('POST', '/journal/replay', { ...rest, journal: documentOf(journal), journal_name: journalName,
      edits: edits === undefined || typeof edits === 'string' ? edits : JSON.stringify(edits) });
    return report.world ? { ...report, world: new RemoteWorld(this.engine, report.world) } : report;
  }

  async outbox({ after, limit } = {}) { return (await this._json('GET', `/outbox${query({ after, limit: limit ?? 1000 })}`)).entries; }

  [Symbol.for('nodejs.util.inspect.custom')]() { return `RemoteWorld { ${this.key} }`; }
}

class RemoteEngine {
  constructor(url, key) {
    this._connection = new Connection(url, key);
    this._hosts = undefined;
  }

  /** The vendors' hosts that are served. */
  async hosts() { return this._hosts ??= hostsOf(await this._connection.send('GET', '/.', [], undefined)); }

  /** Every world's maker has asked for them. */
  _isVendor(host) { return matches(this._hosts ?? [], host); }

  get url() { return this._connection.url.href.replace(/\/$/, ''); }

  async world({ fixture, document, documentName, from, name, clock, stepMs, now, seed, journal, evaluation, rates, ttlSeconds } = {}) {
    if ([fixture, document, from].filter(v => v !== undefined).length > 1)
      throw new TypeError('at most one of fixture, document and from can be given');
    await this.hosts();
    const made = await this._connection.json('POST', '/worlds', {
      fixture, from: from === undefined ? undefined : keyOf(from), seed_document: documentOf(document), document_name: documentName, name,
      clock: clock ?? (from === undefined ? 'frozen' : undefined), step_ms: stepMs, now: timeMember(now), seed, journal, evaluation, rates, ttl_seconds: ttlSeconds,
    });
    return new RemoteWorld(this, made.world);
  }

  async find(keyOrName) {
    await this.hosts();
    return new RemoteWorld(this, (await this._connection.json('GET', `/worlds/${encodeURIComponent(keyOrName)}`)).world);
  }

  async worlds() {
    const all = [];
    for (let after; after !== null;) {
      const page = await this._connection.json('GET', `/worlds${query({ after })}`);
      all.push(...page.worlds.map(w => new RemoteWorld(this, w.world)));
      after = page.next ?? null;
    }
    return all;
  }

  async import(file, { name, secrets } = {}) {
    const made = await this._connection.control('POST', `/worlds/import${query({ name, secrets })}`, fs.readFileSync(file), 'application/vnd.sqlite3');
    return new RemoteWorld(this, made.json().world);
  }

  suite(document) { return document.document === undefined ? { document } : document; }
  info() { return this._connection.json('GET', '/health'); }

  async close() { this._connection.agent.destroy(); }
  async [Symbol.asyncDispose]() { await this.close(); }
}

/** The server at url, with its control key. */
function connect(url = process.env.SOSIA_URL, key = process.env.SOSIA_CONTROL_KEY) {
  if (!url || !key) throw new TypeError('connect() needs the url of a server and its control key, or SOSIA_URL and SOSIA_CONTROL_KEY');
  return new RemoteEngine(url, key);
}

module.exports = { connect, RemoteEngine, RemoteWorld };
