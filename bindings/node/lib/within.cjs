// SPDX-License-Identifier: Apache-2.0
'use strict';
// Whose world answers what this asynchronous context asks for (intercept.cjs).
const { AsyncLocalStorage } = require('node:async_hooks');

const within = new AsyncLocalStorage();
const FREE = Symbol('free');

/** Runs fn as if nothing was intercepted: the control interface is reached wherever it is. */
function free(fn) { return within.run(FREE, fn); }

module.exports = { FREE, free, within };
