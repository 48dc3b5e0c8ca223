// SPDX-License-Identifier: Apache-2.0
'use strict';
// Somebody in a world, in this process or over HTTP: the world's calls and clients with a token of theirs.

class Actor {
  constructor(world, email, options) {
    this.world = world;
    this.email = email;
    this._options = options;
    this._token = undefined;
    this._fetch = undefined;
  }

  /** Of a world over HTTP it is a promise. */
  get token() { return this._token ??= this.world.token(this.email, this._options); }

  /** {authorization: 'Bearer ...'} */
  get headers() { return { authorization: `Bearer ${this.token}` }; }

  _with(request, token) {
    const { headers, ...rest } = request;
    return { ...rest, headers: [...pairs(headers), ['Authorization', `Bearer ${token}`]] };
  }

  call(request) {
    return this.token instanceof Promise
      ? this.token.then(token => this.world.call(this._with(request, token)))
      : this.world.call(this._with(request, this.token));
  }

  async callAsync(request) { return this.world.callAsync(this._with(request, await this.token)); }

  /** fetch() with the token, where the caller has no Authorization of its own. */
  get fetch() {
    return this._fetch ??= async (input, init) => {
      const token = await this.token;
      if (typeof input !== 'string' && !(input instanceof URL)) {
        const request = new Request(input, init);
        if (!request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${token}`);
        return this.world.fetch(request);
      }
      const headers = new Headers(init?.headers);
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
      return this.world.fetch(input, { ...init, headers });
    };
  }
}

function pairs(headers) {
  if (!headers) return [];
  if (typeof headers[Symbol.iterator] !== 'function') return Object.entries(headers);
  return Array.isArray(headers) && headers.length && !Array.isArray(headers[0])
    ? headers.flatMap((name, i) => i % 2 ? [] : [[name, headers[i + 1]]]) : headers;
}

module.exports = { Actor };
