// SPDX-License-Identifier: Apache-2.0
'use strict';
// Answers of calls, decoded when they are asked for.
const { isPromise } = require('node:util').types;
const { KINDS, addon, answers, listen, numbers, renew, SosiaError } = require('./native.cjs');

/** A body that comes in pieces, of an answer that goes on or of a large file: an async iterable of Buffers. */
class Stream {
  /** length: in bytes; undefined: it goes on, nobody knows how long. */
  constructor(handle, length) {
    this._handle = handle;
    this.length = length;
    this._id = addon().streamWake(handle); // undefined: a file's bytes are always there
    this._changed = undefined;
    this._wake = undefined;
    this._ended = false;
  }

  /** When there may be more, or it has ended. Only as long as somebody waits is the stream held by what wakes it. */
  _change() {
    return this._changed ??= new Promise((resolve) => {
      this._wake = () => {
        listen(KINDS.WAKE, this._id);
        this._changed = this._wake = undefined;
        resolve();
      };
      listen(KINDS.WAKE, this._id, this._wake);
    });
  }

  /** The next bytes; undefined: it has ended. */
  async read() {
    while (!this._ended) {
      const bytes = addon().streamTake(this._handle);
      if (bytes === undefined) break;
      if (bytes !== null) return bytes;
      await this._change();
    }
    this.close();
    return undefined;
  }

  close() {
    if (this._ended) return;
    this._ended = true;
    addon().streamClose(this._handle);
    this._wake?.();
  }

  async *[Symbol.asyncIterator]() {
    try {
      for (let bytes; (bytes = await this.read()) !== undefined;) yield bytes;
    } finally {
      this.close();
    }
  }

  /** As the body of a Response. */
  readable() {
    return new ReadableStream({
      pull: async (controller) => {
        const bytes = await this.read();
        if (bytes === undefined) controller.close();
        else controller.enqueue(new Uint8Array(bytes));
      },
      cancel: () => { this.close(); },
    }, { highWaterMark: 0 });
  }
}

class Answer {
  constructor(status, data, at, head, body, stream) {
    this.status = status;
    this._data = data;
    this._at = at;
    this._head = head;
    this._length = body;
    this._lines = undefined;
    this._headers = undefined;
    this._said = undefined;
    /** Of an answer that goes on, and of a large body where it was asked for so */
    this.stream = stream;
  }

  /** As that of a HEAD: it says how long the body is, and has none of it. */
  emptied() {
    this._said = this.stream ? this.stream.length : this._length;
    this.stream?.close();
    this.stream = undefined;
    this._length = 0;
    return this;
  }

  get ok() { return this.status >= 200 && this.status < 300; }

  /** Name and value of each header, then, where there is one, why; each is one line. */
  _split() {
    if (this._lines) return this._lines;
    const text = this._data.latin1Slice(this._at, this._at + this._head);
    const lines = (text.includes('\n') ? text.replaceAll('\n', ' ') : text).split('\0');
    lines.pop(); // behind the last NUL
    return this._lines = lines;
  }

  /** Why it is refused, where the service's own words don't say. */
  get why() {
    const lines = this._split();
    return lines.length % 2 ? lines.at(-1) || undefined : undefined;
  }

  /** Name and value of each, as they came. */
  get rawHeaders() {
    const lines = this._split();
    const list = [];
    for (let i = 0; i + 1 < lines.length; i += 2) list.push([lines[i], lines[i + 1]]);
    const length = this._said ?? this.stream?.length;
    if (length !== undefined && !/^content-length$/im.test(lines.join('\n'))) list.push(['Content-Length', String(length)]);
    return list;
  }

  /** By names in lower case; several of one name are joined by ', '. */
  get headers() {
    if (!this._headers) {
      const all = Object.create(null);
      for (const [name, value] of this.rawHeaders) {
        const key = name.toLowerCase();
        all[key] = key in all ? `${all[key]}, ${value}` : value;
      }
      this._headers = all;
    }
    return this._headers;
  }

  /** A copy of the body's bytes. */
  get body() {
    const at = this._at + this._head;
    return Buffer.from(this._data.subarray(at, at + this._length));
  }

  get length() { return this._length; }

  text() {
    const at = this._at + this._head;
    return this._data.utf8Slice(at, at + this._length);
  }

  json() { return JSON.parse(this.text()); }
}

/** The head of an answer as the addon writes it, of pairs of name and value. */
function headOf(fields, why = undefined) {
  return Buffer.from([...fields.flat(), ...(why === undefined ? [] : [why])].map(line => `${line}\0`).join(''), 'latin1');
}

/** Of what call() of the addon gives. */
function answer(given) {
  if (given === undefined) {
    const made = new Answer(numbers[0], answers.chunk, numbers[2], numbers[1], numbers[3], undefined);
    if (numbers[4] < 8192) renew();
    return made.status === 404 ? ofWorld(made) : made;
  }
  return apart(numbers[0], numbers[1], given);
}

/** What the engine itself says of a world that is not there is an error, not an answer of a service. */
function ofWorld(made) {
  if (made.length < 300 && made.text().includes('"worldNotFound"'))
    throw new SosiaError('there is no such world, or its time is over', 'NOT_FOUND', 'worldNotFound', undefined, 0, 404);
  return made;
}

function apart(status, head, given) {
  const pair = Array.isArray(given);
  const data = pair ? given[0] : given;
  const made = new Answer(status, data, 0, head, data.length - head, pair ? new Stream(given[1], given[2]) : undefined);
  return status === 404 ? ofWorld(made) : made;
}

/** Of what callAsync() of the addon gives: an answer, or a promise of one, which is among the pending ones meanwhile. */
function eventually(given, pending) {
  if (!isPromise(given)) return answer(given);
  const made = given.then(([status, head, data]) => apart(status, head, data)).finally(() => pending.delete(made));
  pending.add(made);
  return made;
}

module.exports = { Answer, answer, eventually, headOf, ofWorld, SosiaError, Stream };
