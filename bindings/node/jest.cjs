// SPDX-License-Identifier: Apache-2.0
'use strict';
// For Jest, whose hooks are global where tests run.
const { useWorld, withWorld } = require('./lib/harness.cjs');

module.exports = {
  useWorld: (options) => {
    if (typeof globalThis.beforeEach !== 'function') throw new Error('useWorld() belongs into a test file: there is no beforeEach() here');
    return useWorld(globalThis, options);
  },
  withWorld,
};
