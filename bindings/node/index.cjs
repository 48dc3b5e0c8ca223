// SPDX-License-Identifier: Apache-2.0
'use strict';
const { Engine, hosts, Suite, versions, World } = require('./lib/engine.cjs');
const { Answer, SosiaError, Stream } = require('./lib/answer.cjs');
const { Actor } = require('./lib/actor.cjs');
const { intercept, RefusedError } = require('./lib/intercept.cjs');

module.exports = { Actor, Answer, Engine, hosts, intercept, RefusedError, SosiaError, Stream, Suite, versions, World };
