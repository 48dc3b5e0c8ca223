// SPDX-License-Identifier: Apache-2.0
'use strict';
// For node:test.
const hooks = require('node:test');
const { useWorld, withWorld } = require('./lib/harness.cjs');

module.exports = { useWorld: options => useWorld(hooks, options), withWorld };
