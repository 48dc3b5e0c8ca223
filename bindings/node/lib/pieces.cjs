// SPDX-License-Identifier: Apache-2.0
'use strict';
// Bodies that programs give piece by piece: files, streams, forms. One that is large is put together in a spool of the
// engine, which keeps it in a file meanwhile, and not in this process's memory.
const { types } = require('node:util');
const { addon } = require('./native.cjs');
const { bytes, wellFormed } = require('./request.cjs');

const LARGE = 1 << 18; // bytes

/** The parts of a request's body, of which nothing is read before the request is made. */
class Pieces {
  /** source: an iterable, or an async one, of strings and bytes. */
  constructor(source) {
    this._source = source;
    this._signal = undefined;
  }

  /** When the signal says so the rest is not taken, and there is no whole body. */
  until(signal) {
    this._signal = signal;
    return this;
  }

  _goesOn() {
    if (this._signal?.aborted) throw this._signal.reason;
  }

  async *[Symbol.asyncIterator]() {
    const source = this._source;
    if (source === undefined) throw new TypeError('a body that comes in pieces can be sent once');
    this._source = undefined;
    for await (const piece of source) {
      this._goesOn();
      yield typeof piece === 'string' ? Buffer.from(wellFormed(piece, 'a body')) : bytes(piece);
    }
    this._goesOn();
  }
}

/** Whether a body is given piece by piece. */
function isStreamed(body) {
  return typeof body === 'object' && body !== null && !ArrayBuffer.isView(body) && !types.isAnyArrayBuffer(body) &&
    (typeof body[Symbol.asyncIterator] === 'function' || typeof body[Symbol.iterator] === 'function' || typeof body.stream === 'function');
}

/** A Blob's, or those of what can be iterated. */
function piecesOf(body) {
  return body instanceof Pieces ? body : new Pieces(typeof body.stream === 'function' ? body.stream() : body);
}

/** The body of a call as the addon takes it, bytes or a spool; of no bytes at all it is undefined. open: makes a spool. */
async function gathered(pieces, open) {
  const parts = [];
  let size = 0, spool;
  try {
    for await (const piece of pieces) {
      size += piece.length;
      if (spool === undefined && size > LARGE) {
        spool = open();
        for (const part of parts.splice(0)) addon().spoolWrite(spool, part);
      }
      if (spool !== undefined) addon().spoolWrite(spool, piece);
      else parts.push(piece);
    }
  } catch (error) {
    release(spool);
    throw error;
  }
  return spool ?? (size ? Buffer.concat(parts) : undefined);
}

/** Frees what gathered() gave. */
function release(body) {
  if (types.isExternal(body)) addon().spoolClose(body);
}

module.exports = { gathered, isStreamed, Pieces, piecesOf, release };
