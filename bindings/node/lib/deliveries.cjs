// SPDX-License-Identifier: Apache-2.0
'use strict';
// What a world sends to receivers: webhooks, Slack's events, pushes. Each is given when it falls due, again for each attempt.
const { addon, SosiaError } = require('./native.cjs');
const { fields } = require('./request.cjs');

class Delivery {
  constructor(world, entry) {
    this._world = world;
    /** Number of the outbox's entry */
    this.id = entry.id;
    this.at = entry.at;
    this.kind = entry.kind;
    this.from = entry.from;
    this.to = entry.to;
    this.payload = entry.payload;
    /** From 1 */
    this.attempt = entry.delivery.attempts + 1;
  }

  get method() { return this.payload.method ?? 'POST'; }
  get url() { return this.payload.url ?? this.to; }
  get headers() { return this.payload.headers ?? {}; }

  /** The bytes that the receiver is sent. */
  get body() { return this.payload.body === undefined ? Buffer.alloc(0) : Buffer.from(this.payload.body); }
  text() { return this.payload.body ?? ''; }
  json() { return JSON.parse(this.text()); }

  /** As a request to a handler that takes one. */
  request() {
    return new Request(this.url, { method: this.method, headers: this.headers, body: ['GET', 'HEAD'].includes(this.method) ? undefined : this.body });
  }

  _outcome(outcome) {
    const again = addon().outcome(this._world.engine._id, this._world._high, this._world._low, this.id, this.attempt, outcome);
    return again ? new Date(Number(BigInt(again) / 1000n)) : null;
  }

  /** What the receiver answers. Gives when the vendor tries again, by the world's clock; null: not. */
  respond({ status = 200, headers, body } = {}) {
    if (!Number.isInteger(status) || status < 100 || status > 599) throw new TypeError(`a status must be from 100 to 599, not ${status}`);
    return this._outcome({ status, fields: fields(headers) || undefined, body: body ?? undefined });
  }

  /** No answer comes. reason: timeout, connect, tls or redirects. */
  fail(error, reason = undefined) { return this._outcome({ error: String(error), reason }); }
}

/** push(delivery) for what is to be delivered now, and as more falls due; end() when the world is gone. Gives what stops it. */
function subscribe(world, push, end) {
  const pushed = new Map(); // the last attempt by entry
  let stop;
  const look = (first, last) => {
    if (first === undefined) return finish();
    try {
      if (first === 0) return void addon().wake(world.engine._id, world._high, world._low);
      const entries = world.outbox({ after: first - 1, limit: last - first + 1 });
      for (const entry of entries) {
        if (entry.id > last || !entry.delivery || !['pending', 'waiting'].includes(entry.delivery.state)) continue;
        if ((pushed.get(entry.id) ?? 0) > entry.delivery.attempts) continue;
        pushed.set(entry.id, entry.delivery.attempts + 1);
        push(new Delivery(world, entry));
      }
    } catch (error) {
      if (!(error instanceof SosiaError)) throw error;
      finish(); // the world, or its engine, is gone
    }
  };
  function finish() {
    stop?.();
    stop = undefined;
    end();
  }
  stop = world.engine._watch(world, look);
  addon().wake(world.engine._id, world._high, world._low); // what is due now becomes entries
  const due = addon().pending(world.engine._id, world._high, world._low);
  if (due) look(due[0], due[1]);
  return () => {
    stop?.();
    stop = undefined;
  };
}

/** An async iterable of deliveries; signal ends it. */
async function* deliveriesOf(world, { signal } = {}) {
  const queue = [];
  let wake;
  let over = signal?.aborted ?? false;
  const finish = () => {
    over = true;
    wake?.();
  };
  const stop = subscribe(world, (delivery) => {
    queue.push(delivery);
    wake?.();
  }, finish);
  signal?.addEventListener('abort', finish, { once: true });
  try {
    while (queue.length || !over) {
      if (queue.length) yield queue.shift();
      else await new Promise(resolve => { wake = resolve; });
    }
  } finally {
    stop();
    signal?.removeEventListener('abort', finish);
  }
}

/** fn(delivery) for each; what it gives is the answer: {status, headers, body}, a Response, or nothing, which is 200. What
 *  it throws is the answer 500, and onError is called. Answers of fn itself (respond(), fail()) are taken as they are.
 *  wanted: of a delivery, whether it is for fn; without it all are. */
function onDelivery(world, fn, { onError = (error) => { process.emitWarning(error); }, wanted = () => true } = {}) {
  if (typeof fn !== 'function') throw new TypeError('onDelivery() takes a function');
  const one = async (delivery) => {
    let answered = false;
    const outcome = delivery._outcome;
    delivery._outcome = (...args) => {
      answered = true;
      return outcome.apply(delivery, args);
    };
    try {
      let answer = await fn(delivery);
      if (answer instanceof Response) answer = { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
      if (!answered) delivery.respond(answer ?? {});
    } catch (error) {
      try {
        if (!answered) delivery.respond({ status: 500 });
      } catch {
        // the world is gone
      }
      onError(error);
    }
  };
  return subscribe(world, (delivery) => { if (wanted(delivery)) one(delivery); }, () => {});
}

module.exports = { deliveriesOf, Delivery, onDelivery };
