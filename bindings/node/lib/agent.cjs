// SPDX-License-Identifier: Apache-2.0
'use strict';
// An agent of node:http and node:https whose connections are pairs of streams in memory: the other end is a server that
// never listens, and a world answers there. No TLS takes part.
const http = require('node:http');
const { Duplex } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { Pieces } = require('./pieces.cjs');
const { place } = require('./request.cjs');

class End extends Duplex {
  constructor() {
    super({ allowHalfOpen: true });
    this.other = undefined;
    this._resume = undefined;
    this.encrypted = true; // what asks whether it talks to the right one is content
    this.authorized = true;
    this.remoteAddress = this.localAddress = '127.0.0.1';
    this.remotePort = this.localPort = 443;
    this.remoteFamily = 'IPv4';
  }

  _read() {
    const resume = this._resume;
    this._resume = undefined;
    resume?.();
  }

  _write(chunk, encoding, done) {
    if (this.other.destroyed || this.other.readableEnded) return done();
    if (this.other.push(chunk)) done();
    else this.other._resume = done;
  }

  _final(done) {
    if (!this.other.destroyed) this.other.push(null);
    done();
  }

  _destroy(error, done) {
    this._read();
    if (!this.other.destroyed) process.nextTick(() => { if (!this.other.destroyed) this.other.destroy(); });
    done(error);
  }

  setTimeout() { return this; }
  setNoDelay() { return this; }
  setKeepAlive() { return this; }
  ref() { return this; }
  unref() { return this; }
  address() { return {}; }
  getPeerCertificate() { return {}; }
}

const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

async function handle(incoming, outgoing) {
  const world = incoming.socket.world;
  try {
    let text = '';
    for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
      const name = incoming.rawHeaders[i];
      if (!HOP.has(name.toLowerCase())) text += `${name}\n${incoming.rawHeaders[i + 1]}\n`;
    }
    const host = incoming.headers.host;
    const at = { ...place(incoming.url.startsWith('/') ? incoming.url : new URL(incoming.url).pathname), host, origin: host && `${incoming.socket.scheme}://${host}` };
    const hasBody = Number(incoming.headers['content-length']) > 0 || incoming.headers['transfer-encoding'] !== undefined;
    const answer = await world._serve(incoming.method, at, text, hasBody ? new Pieces(incoming) : undefined);
    const { stream } = answer;
    outgoing.writeHead(answer.status, answer.rawHeaders.filter(([name]) => !HOP.has(name.toLowerCase()) || ((stream || incoming.method === 'HEAD') && name.toLowerCase() === 'content-length')).flat());
    if (!stream) return void outgoing.end(answer.body);
    outgoing.on('close', () => stream.close());
    outgoing.flushHeaders();
    await pipeline(stream, outgoing);
  } catch (error) {
    incoming.socket.other.destroy(error); // the client's own end says why
  }
}

let server;

/** The client's end of a connection to a world. */
function connect(world, scheme) {
  server ??= http.createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, handle).on('clientError', (error, socket) => socket.destroy());
  const near = new End();
  const far = new End();
  near.other = far;
  far.other = near;
  far.world = world;
  far.scheme = scheme;
  server.emit('connection', far);
  return near;
}

class WorldAgent extends http.Agent {
  /** choose: of the options of a connection, the world that answers. */
  constructor(choose, scheme = 'https') {
    super({ keepAlive: false, maxSockets: Infinity });
    this._choose = choose;
    this._scheme = scheme;
    this.defaultPort = scheme === 'https' ? 443 : 80;
    this._both = false;
  }

  /** An agent for both schemes has the one of each request. */
  get protocol() { return this._both ? undefined : `${this._scheme}:`; }
  set protocol(value) { /* http.Agent's constructor sets its own */ }

  createConnection(options, done) {
    let end;
    try {
      end = connect(this._choose(options), this._both ? (options.port === 443 ? 'https' : 'http') : this._scheme);
    } catch (error) {
      done?.(error);
      return undefined;
    }
    process.nextTick(() => { end.emit('connect'); end.emit('secureConnect'); });
    return end;
  }
}

/** An agent for both schemes; https.request() gives the port where the url has none. */
function agentOf(world) {
  const agent = new WorldAgent(() => world);
  agent._both = true;
  return agent;
}

module.exports = { agentOf, WorldAgent };
