// SPDX-License-Identifier: Apache-2.0
'use strict';
// Whatever this program asks the vendors' hosts, a world answers; connections elsewhere are refused. Three doors lead out
// of Node: the global dispatcher of undici (fetch), the agents of node:http, and sockets. The patches are made once, for as
// long as anything is intercepted; which world answers is that of the innermost intercept.run() that the call is in, else
// the latest intercept().
const http = require('node:http');
const https = require('node:https');
const net = require('node:net');
const { syncBuiltinESMExports } = require('node:module');
const vm = require('node:vm');
const { WorldAgent } = require('./agent.cjs');
const { WorldDispatcher } = require('./dispatcher.cjs');
const { Reachable } = require('./clients.cjs');
const { ports } = require('./sockets.cjs');
const { FREE, within } = require('./within.cjs');

// A test runner's own realm is not where Node's fetch looks.
const outer = vm.runInThisContext('globalThis');

const SYMBOLS = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map(name => Symbol.for(name));
const stack = [];
let holders = 0; // intercept() and intercept.run() that have not ended
let undo;

class RefusedError extends Error {
  constructor(message) {
    super(message);
    this.code = 'ERR_SOSIA_REFUSED';
  }
}
Object.defineProperty(RefusedError.prototype, 'name', { value: 'RefusedError', configurable: true, writable: true });

function current() {
  const state = within.getStore() ?? stack.at(-1);
  return state === FREE ? undefined : state;
}

const nameOf = host => String(host ?? 'localhost').replace(/^\[|\]$/g, '').toLowerCase();

/** "NAME", "*.NAME", with ":PORT" behind it or not; localhost is all of loopback. */
function allows(state, host, port) {
  const name = nameOf(host);
  const loopback = name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127\./.test(name);
  if (loopback && ports.has(Number(port))) return true; // a world's own
  return state.allow.some((entry) => {
    const m = /^(.*?)(?::(\d+|\*))?$/.exec(entry);
    if (m[2] && m[2] !== '*' && Number(m[2]) !== Number(port)) return false;
    const pattern = m[1].replace(/^\[|\]$/g, '');
    return pattern === 'localhost' ? loopback : pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern;
  });
}

/** The world that answers for a host now; undefined: nobody does. */
function worldFor(host) {
  const state = current();
  return state && (state.world.engine._isVendor(nameOf(host)) || state.hosts.includes(nameOf(host))) ? state.world : undefined;
}

function refusal(state, host, port) {
  const list = state.allow.length ? state.allow.join(', ') : 'nothing';
  const what = worldFor(host) ? 'its world answers HTTP there, and nothing else' : `it is none of the hosts that the world answers for, and the allow-list has ${list}`;
  return new RefusedError(`sosia.intercept() refuses a connection to ${host}:${port}: ${what}`);
}

/** What net.Socket.prototype.connect was asked for. */
function destination(args) {
  if (Array.isArray(args[0])) args = args[0];
  const [first, second] = args;
  if (typeof first === 'object' && first !== null) return first.path ? undefined : { host: first.host ?? first.hostname ?? 'localhost', port: first.port };
  if (typeof first === 'string' && !/^\d+$/.test(first)) return undefined; // a socket of the file system
  return { host: typeof second === 'string' ? second : 'localhost', port: first };
}

/** Where http.request() is asked to go. */
function hostOf(first, second) {
  if (typeof first === 'string' || first instanceof URL) {
    const options = typeof second === 'object' && second !== null ? second : {};
    return options.hostname ?? options.host ?? new URL(first).hostname;
  }
  return first?.hostname ?? first?.host ?? 'localhost';
}

function patchedRequest(original, agent) {
  return function request(...args) {
    let host;
    try {
      host = hostOf(args[0], args[1]);
    } catch {
      return original.apply(this, args); // which says what is wrong with it
    }
    if (!worldFor(String(host).replace(/:\d+$/, ''))) return original.apply(this, args);
    const at = typeof args[0] === 'string' || args[0] instanceof URL ? 1 : 0;
    if (typeof args[at] === 'object' && args[at] !== null) args[at] = { ...args[at], agent, createConnection: undefined };
    else args.splice(at, 0, { agent });
    return original.apply(this, args);
  };
}

/** An agent for the vendors' hosts; all else is the one's before. */
class GlobalAgent extends WorldAgent {
  constructor(before, scheme) {
    super(options => worldFor(options.host), scheme);
    this._before = before;
  }

  addRequest(request, options, ...rest) {
    if (worldFor(options.host)) return super.addRequest(request, options, ...rest);
    return this._before.addRequest(request, options, ...rest);
  }
}

function patch() {
  void outer.Response; // Node makes its dispatcher when the first of fetch's classes is needed
  const saved = { http: http.globalAgent, https: https.globalAgent, connect: net.Socket.prototype.connect, requests: [], dispatchers: [] };
  for (const symbol of SYMBOLS) {
    const before = outer[symbol];
    if (before === undefined && symbol !== SYMBOLS[0]) continue;
    saved.dispatchers.push([symbol, before]);
    outer[symbol] = new WorldDispatcher((url) => {
      const world = worldFor(url.hostname);
      if (world) return world;
      const state = current();
      const port = url.port || (url.protocol === 'https:' ? 443 : 80);
      if (state && !allows(state, url.hostname, port)) throw refusal(state, url.hostname, port);
      return before;
    });
  }
  for (const [module, scheme] of [[http, 'http'], [https, 'https']]) {
    const agent = new GlobalAgent(module.globalAgent, scheme);
    module.globalAgent = agent;
    for (const name of ['request', 'get']) {
      const original = module[name];
      saved.requests.push([module, name, original]);
      module[name] = patchedRequest(original, agent);
    }
  }
  net.Socket.prototype.connect = function connect(...args) {
    const state = current();
    const to = state && destination(args);
    if (!to || allows(state, to.host, to.port)) return saved.connect.apply(this, args);
    const error = refusal(state, to.host, to.port);
    process.nextTick(() => { this.destroy(error); });
    return this;
  };
  syncBuiltinESMExports();
  return () => {
    for (const [symbol, before] of saved.dispatchers) outer[symbol] = before;
    for (const [module, name, original] of saved.requests) module[name] = original;
    http.globalAgent = saved.http;
    https.globalAgent = saved.https;
    net.Socket.prototype.connect = saved.connect;
    syncBuiltinESMExports();
  };
}

function hold() {
  if (holders++ === 0) undo = patch();
}

function release() {
  if (--holders > 0) return;
  undo();
  undo = undefined;
}

function stateOf(world, { allow = [], hosts = [] } = {}) {
  if (!(world instanceof Reachable)) throw new TypeError('intercept() takes a world, or an actor of one');
  for (const list of [allow, hosts])
    if (!Array.isArray(list) || list.some(entry => typeof entry !== 'string')) throw new TypeError('allow and hosts must be lists of strings');
  return { world, allow: allow.map(entry => entry.toLowerCase()), hosts: hosts.map(nameOf) };
}

/** From now on, until restore() of what it gives (or the end of a `using`). allow: hosts that connections may go to,
 *  hosts: more that the world answers for. */
function intercept(world, options = undefined) {
  const state = stateOf(world, options);
  hold();
  stack.push(state);
  let over = false;
  const restore = () => {
    if (over) return;
    over = true;
    stack.splice(stack.lastIndexOf(state), 1);
    release();
  };
  return { restore, [Symbol.dispose]: restore };
}

/** While fn runs, and for what it awaits alone: calls beside it have worlds of their own. */
intercept.run = async function run(world, fn, options = undefined) {
  const state = stateOf(world, options);
  hold();
  try {
    return await within.run(state, fn);
  } finally {
    release();
  }
};

module.exports = { intercept, RefusedError };
