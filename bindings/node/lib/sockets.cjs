// SPDX-License-Identifier: Apache-2.0
'use strict';
// WebSockets of a world in this process (Slack's Socket Mode and RTM): clients open sockets, so there is a port of loopback for
// them. The addresses that the world's answers give out lead to it.
const { createHash } = require('node:crypto');
const http = require('node:http');
const { KINDS, addon, listen } = require('./native.cjs');
const { Answer, answer, headOf } = require('./answer.cjs');
const { FREE, within } = require('./within.cjs');

const ACCEPT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455, section 1.3
const CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;
const NORMAL = 1000, GOING_AWAY = 1001, PROTOCOL = 1002, ABNORMAL = 1006, TOO_BIG = 1009, INTERNAL = 1011;
const LINGER = 500; // milliseconds for a client to close behind the close frame
// As the methods that open connections answer. The same text elsewhere is somebody's, and stays as it is.
const ADDRESS = /^(\{\s*"ok":\s*true,\s*"url":\s*")wss:(\\?\/\\?\/)([A-Za-z0-9.-]+)/;
const ports = new Set(); // that are open: intercept() lets programs reach them

class Ended extends Error {
  constructor(code, reason = '') {
    super(reason);
    this.code = code;
  }
}

/** The client's frames, out of bytes as they come. */
class Frames {
  constructor(most) {
    this._bytes = Buffer.alloc(0);
    this._message = [];
    this._size = 0;
    this._kind = 0;
    this._most = most;
  }

  add(data) { this._bytes = this._bytes.length ? Buffer.concat([this._bytes, data]) : data; }

  /** {kind, data} of a whole message; undefined: it is not there yet. Throws Ended. */
  next() {
    for (let frame; (frame = this._frame());) {
      const { final, kind, data } = frame;
      if (kind >= CLOSE) return frame;
      if ((kind === CONTINUATION) !== (this._kind !== 0)) throw new Ended(PROTOCOL, 'a frame is out of its order');
      this._kind ||= kind;
      this._message.push(data);
      this._size += data.length;
      if (this._size > this._most) throw new Ended(TOO_BIG, `a message must have ${this._most} bytes at most`);
      if (final) {
        const made = { kind: this._kind, data: Buffer.concat(this._message) };
        this._message = [];
        this._size = this._kind = 0;
        return made;
      }
    }
    return undefined;
  }

  _frame() {
    const have = this._bytes;
    if (have.length < 2) return undefined;
    const kind = have[0] & 15;
    const final = (have[0] & 128) !== 0;
    let size = have[1] & 127;
    if (have[0] & 0x70 || !(have[1] & 128) || ![CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG].includes(kind)) throw new Ended(PROTOCOL, 'a frame is malformed');
    if (kind >= CLOSE && (size > 125 || !final)) throw new Ended(PROTOCOL, 'a control frame is malformed');
    const at = size < 126 ? 2 : size === 126 ? 4 : 10;
    if (have.length < at) return undefined;
    if (at === 4) size = have.readUInt16BE(2);
    if (at === 10) size = Number(have.readBigUInt64BE(2));
    if (size > this._most) throw new Ended(TOO_BIG, `a message must have ${this._most} bytes at most`);
    if (have.length < at + 4 + size) return undefined;
    const data = Buffer.from(have.subarray(at + 4, at + 4 + size));
    for (let i = 0; i < size; i++) data[i] ^= have[at + (i & 3)];
    this._bytes = have.subarray(at + 4 + size);
    return { final, kind, data };
  }
}

function frame(kind, data) {
  const n = data.length;
  const head = Buffer.alloc(n < 126 ? 2 : n < 65536 ? 4 : 10);
  head[0] = 128 | kind;
  head[1] = n < 126 ? n : n < 65536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(n, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(n), 2);
  return Buffer.concat([head, data]);
}

/** A client's connection and the session that it is. */
class Connection {
  constructor(socket, handle, id, head, over) {
    this._socket = socket;
    this._handle = handle;
    this._id = id;
    this._frames = new Frames(addon().sessionMax(handle));
    this._over = over;
    this._ended = false;
    listen(KINDS.WAKE, id, () => { this._do(() => this._send()); });
    socket.on('data', (data) => { this._do(() => this._took(data)); });
    socket.on('error', () => {});
    socket.on('close', () => { this._end(ABNORMAL); });
    this._do(() => {
      this._send();
      this._took(head);
    });
  }

  _do(fn) {
    if (this._ended) return;
    try {
      fn();
    } catch (error) {
      this.end(error instanceof Ended ? error.code : INTERNAL, error.message);
      if (!(error instanceof Ended)) throw error;
    }
  }

  /** What the service has for the client. */
  _send() {
    const list = addon().sessionTake(this._handle);
    for (let i = 0; i < list.length; i += 2) {
      if (list[i]) throw new Ended(list[i], list[i + 1]);
      this._socket.write(frame(TEXT, Buffer.from(list[i + 1])));
    }
  }

  _took(bytes) {
    this._frames.add(bytes);
    for (let message; (message = this._frames.next());) {
      const { kind, data } = message;
      if (kind === PING) this._socket.write(frame(PONG, data));
      else if (kind === CLOSE) throw new Ended(data.length > 1 ? data.readUInt16BE(0) : NORMAL);
      else if (kind !== PONG && !addon().sessionSend(this._handle, data, kind === BINARY)) {
        this._send(); // what it said before, and why it ends
        throw new Ended(INTERNAL);
      }
    }
  }

  _end(code) {
    if (this._ended) return;
    this._ended = true;
    listen(KINDS.WAKE, this._id);
    addon().sessionClose(this._handle, code);
    this._over(this);
  }

  /** With a close frame. */
  end(code, reason = '') {
    if (this._ended) return;
    const data = Buffer.alloc(code === ABNORMAL ? 0 : 2);
    if (data.length) data.writeUInt16BE(code);
    this._socket.end(frame(CLOSE, Buffer.concat([data, Buffer.from(reason).subarray(0, 123)])));
    const timer = setTimeout(() => { this._socket.destroy(); }, LINGER);
    this._socket.on('close', () => { clearTimeout(timer); });
    this._end(code);
  }
}

class Sockets {
  constructor(world) {
    this.world = world;
    this._connections = new Set();
    this._unwatch = world.engine._watch(world, (first) => {
      if (first === undefined) void this.close();
      else if (first === 0) addon().wake(world.engine._id, world._high, world._low); // what is due on its sessions
    });
    this._server = http.createServer((request, response) => { response.writeHead(426, { Connection: 'close' }).end(); });
    this._server.on('upgrade', (request, socket, head) => { this._upgrade(request, socket, head); });
  }

  async _listen() {
    await new Promise((resolve, reject) => { this._server.once('error', reject).listen(0, '127.0.0.1', resolve); });
    this.port = this._server.address().port;
    ports.add(this.port);
    this.world._sockets = this;
    return this;
  }

  /** ws://127.0.0.1:PORT; behind it goes /@HOST and a path of that host. */
  get url() { return `ws://127.0.0.1:${this.port}`; }

  _upgrade(request, socket, head) {
    socket.on('error', () => {});
    let fields = '';
    for (let i = 0; i < request.rawHeaders.length; i += 2) fields += `${request.rawHeaders[i]}\n${request.rawHeaders[i + 1]}\n`;
    let said, handle, id;
    try {
      let given;
      [given, handle, id] = addon().sessionOpen(this.world.engine._id, this.world._high, this.world._low, request.method, request.url, fields, undefined, undefined);
      said = answer(given);
    } catch { // the world or the engine has gone
      socket.destroy();
      return;
    }
    const key = request.headers['sec-websocket-key'];
    if (!handle || !key) {
      socket.end(`HTTP/1.1 ${handle ? 400 : said.status} Refused\r\nConnection: close\r\nContent-Length: ${said.length}\r\n\r\n${said.text()}`);
      return;
    }
    const accept = createHash('sha1').update(key + ACCEPT).digest('base64');
    const more = said.rawHeaders.filter(([name]) => !['connection', 'content-length', 'upgrade'].includes(name.toLowerCase())).map(([n, v]) => `${n}: ${v}\r\n`).join('');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${more}\r\n`);
    this._connections.add(new Connection(socket, handle, id, head, connection => this._connections.delete(connection)));
  }

  /** An answer whose addresses of WebSockets lead here. */
  lead(given) {
    if (given.stream || !given.length || !given.headers['content-type']?.includes('json')) return given;
    const text = given.text();
    if (!ADDRESS.test(text)) return given;
    const body = Buffer.from(text.replace(ADDRESS, (_, before, slashes, host) => `${before}ws:${slashes}127.0.0.1:${this.port}${slashes.slice(slashes.length / 2)}@${host}`));
    const head = headOf(given.rawHeaders.map(([n, v]) => [n, n.toLowerCase() === 'content-length' ? String(body.length) : v]), given.why);
    return new Answer(given.status, Buffer.concat([head, body]), 0, head.length, body.length, undefined);
  }

  /** Ends its connections with 1001. */
  async close() {
    if (this._closed) return;
    this._closed = true;
    if (this.world._sockets === this) this.world._sockets = undefined;
    ports.delete(this.port);
    this._unwatch();
    const over = new Promise((resolve) => { this._server.close(resolve); });
    for (const connection of [...this._connections]) connection.end(GOING_AWAY);
    await over;
  }

  [Symbol.asyncDispose]() { return this.close(); }
}

/** A port for the world's WebSockets, outside of what is intercepted. */
function socketsOf(world) { return within.run(FREE, () => new Sockets(world)._listen()); }

module.exports = { ports, Sockets, socketsOf };
