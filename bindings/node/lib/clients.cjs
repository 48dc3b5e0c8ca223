// SPDX-License-Identifier: Apache-2.0
'use strict';
// How programs reach a world or somebody in it, here or over HTTP: what has _serve() has all of these.
const makers = {
  fetch: () => require('./fetch.cjs').fetchOf,
  dispatcher: () => require('./dispatcher.cjs').dispatcherOf,
  agent: () => require('./agent.cjs').agentOf,
  axiosAdapter: () => require('./axios.cjs').axiosAdapterOf,
};

class Reachable {
  constructor() { this._made = undefined; }

  _client(name) {
    const made = this._made ??= Object.create(null);
    return made[name] ??= makers[name]()(this);
  }

  /** fetch(), answered here, whatever the host. */
  get fetch() { return this._client('fetch'); }

  /** A dispatcher of undici and of the global fetch. */
  get dispatcher() { return this._client('dispatcher'); }

  /** An agent of node:http and node:https. */
  get agent() { return this._client('agent'); }

  /** An adapter of axios. */
  get axiosAdapter() { return this._client('axiosAdapter'); }
}

module.exports = { Reachable };
