// SPDX-License-Identifier: Apache-2.0
'use strict';
const { Engine, Suite, versions, World } = require('./lib/engine.cjs');
const { Answer, SosiaError, Stream } = require('./lib/answer.cjs');
const { Actor } = require('./lib/actor.cjs');
const { connect, RemoteEngine, RemoteWorld } = require('./lib/remote.cjs');
const { Delivery } = require('./lib/deliveries.cjs');
const { intercept, RefusedError } = require('./lib/intercept.cjs');
const { Sockets } = require('./lib/sockets.cjs');
const { WorldReceiver } = require('./lib/slack.cjs');

module.exports = { Actor, Answer, connect, Delivery, Engine, intercept, RefusedError, RemoteEngine, RemoteWorld, Sockets, SosiaError, Stream, Suite, versions, World, WorldReceiver };
