// SPDX-License-Identifier: Apache-2.0
'use strict';
// A dispatcher as undici and the global fetch take it: whatever is dispatched a world answers. Handlers come in two forms;
// the older one has onHeaders, the newer onResponseStart.
const { EventEmitter } = require('node:events');
const { isStreamed, Pieces, piecesOf } = require('./pieces.cjs');
const { bytes, fields, place } = require('./request.cjs');

/** A request's body, of which sent() is told as it goes, until the request is aborted. */
function bodyOf(body, signal, sent) {
  if (isStreamed(body)) {
    return new Pieces(async function* () {
      for await (const piece of piecesOf(body)) {
        sent(piece);
        yield piece;
      }
    }()).until(signal);
  }
  const data = bytes(body);
  if (data !== undefined) sent(data);
  return data;
}

/** Holds bytes back while the handler is busy. */
class Gate {
  constructor() { this.open = Promise.resolve(); }
  close() { if (!this.release) this.open = new Promise(resolve => { this.release = resolve; }); }
  resume() { this.release?.(); this.release = undefined; }
}

class WorldDispatcher extends EventEmitter {
  /** choose: of a request's origin, the world that answers it, or another dispatcher. */
  constructor(choose) {
    super();
    this._choose = choose;
  }

  dispatch(options, handler) {
    const url = new URL(options.path, options.origin);
    const chosen = this._choose(url);
    if (typeof chosen.dispatch === 'function') return chosen.dispatch(options, handler);
    this._run(chosen, url, options, handler);
    return true;
  }

  async _run(world, url, options, handler) {
    const gate = new Gate();
    const newer = typeof handler.onRequestStart === 'function' || typeof handler.onResponseStart === 'function';
    let stream;
    const state = { aborted: false, reason: null, paused: false };
    const abort = (reason) => {
      if (state.aborted) return;
      state.aborted = true;
      state.reason = reason ?? Object.assign(new Error('Request aborted'), { name: 'AbortError', code: 'UND_ERR_ABORTED' });
      stream?.close();
      gate.resume();
      fail(state.reason);
    };
    const controller = {
      get aborted() { return state.aborted; },
      get reason() { return state.reason; },
      get paused() { return state.paused; },
      pause() { state.paused = true; gate.close(); },
      resume() { state.paused = false; gate.resume(); },
      abort,
    };
    let ended = false;
    function fail(error) {
      if (ended) return;
      ended = true;
      if (newer) handler.onResponseError?.(controller, error);
      else handler.onError?.(error);
    }
    try {
      if (newer) handler.onRequestStart?.(controller, null);
      else handler.onConnect?.(abort, null);
      if (state.aborted) return;
      const text = fields(options.headers);
      const body = bodyOf(options.body, state, (piece) => { if (!newer) handler.onBodySent?.(piece); });
      const answer = await world._serve(options.method, place(url), text, body);
      if (state.aborted) {
        answer.stream?.close();
        return;
      }
      if (!newer) handler.onRequestSent?.();
      stream = answer.stream;
      if (newer) {
        const headers = {};
        for (const [name, value] of answer.rawHeaders) {
          const key = name.toLowerCase();
          headers[key] = key in headers ? [].concat(headers[key], value) : value;
        }
        handler.onResponseStart?.(controller, answer.status, headers, '');
      } else {
        handler.onResponseStarted?.();
        if (handler.onHeaders(answer.status, answer.rawHeaders.flat().map(t => Buffer.from(t, 'latin1')), () => gate.resume(), '') === false) gate.close();
      }
      for await (const bytes of stream ?? (answer.length ? [answer.body] : [])) {
        await gate.open;
        if (state.aborted) return;
        if (newer) handler.onResponseData?.(controller, bytes);
        else if (handler.onData(bytes) === false) gate.close();
      }
      await gate.open;
      if (state.aborted || ended) return;
      ended = true;
      if (newer) handler.onResponseEnd?.(controller, {});
      else handler.onComplete([]);
    } catch (error) {
      fail(error);
    }
  }

  close(done) {
    if (done) queueMicrotask(done);
    else return Promise.resolve();
  }

  destroy(error, done) {
    const fn = typeof error === 'function' ? error : done;
    if (fn) queueMicrotask(fn);
    else return Promise.resolve();
  }
}

function dispatcherOf(world) { return new WorldDispatcher(() => world); }

module.exports = { dispatcherOf, WorldDispatcher };
