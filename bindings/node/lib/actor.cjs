// SPDX-License-Identifier: Apache-2.0
'use strict';
// Somebody in a world, in this process or over HTTP: its calls and clients with a token of theirs.
const { Reachable } = require('./clients.cjs');

const CREDENTIAL = /^authorization$/im;

class Actor extends Reachable {
  constructor(world, email, options) {
    super();
    this.world = world;
    this.email = email;
    this._options = options;
    this._token = undefined;
  }

  /** Made when it is first asked for; of a world over HTTP it is a promise. */
  get token() { return this._token ??= this.world.token(this.email, this._options); }

  /** {authorization: 'Bearer ...'} */
  get headers() { return { authorization: `Bearer ${this.token}` }; }

  get engine() { return this.world.engine; }

  call(request) {
    const token = this.token;
    return typeof token !== 'string' ? token.then(value => this.world.call(withToken(request, value))) : this.world.call(withToken(request, token));
  }

  async callAsync(request) { return this.world.callAsync(withToken(request, await this.token)); }

  /** Where the caller has no credential of its own. */
  async _serve(method, at, text, data) {
    return this.world._serve(method, at, CREDENTIAL.test(text) ? text : `${text}Authorization\nBearer ${await this.token}\n`, data);
  }
}

function withToken(request, token) {
  if (typeof request !== 'object' || request === null) throw new TypeError('a request must be an object with method and url');
  return { ...request, headers: [...pairs(request.headers), ['Authorization', `Bearer ${token}`]] };
}

function pairs(headers) {
  if (headers === undefined || headers === null) return [];
  if (typeof headers[Symbol.iterator] !== 'function') return Object.entries(headers);
  return Array.isArray(headers) && headers.length && !Array.isArray(headers[0])
    ? headers.flatMap((name, i) => i % 2 ? [] : [[name, headers[i + 1]]]) : headers;
}

module.exports = { Actor };
