// SPDX-License-Identifier: Apache-2.0
'use strict';
// The addon: native/ of the package, or what SOSIA_NODE_ADDON names.
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

/** What an engine refuses, or a server's control interface. */
class SosiaError extends Error {
  constructor(message, code = 'INTERNAL', reason = undefined, where = undefined, line = 0, status = 500) {
    super(message);
    /** What a caller can do: NOT_FOUND, INVALID, ... */
    this.code = code;
    /** A word for programs */
    this.reason = reason;
    /** The parameter, member or header at fault */
    this.where = where;
    /** In a document, from 1 */
    this.line = line || undefined;
    /** The HTTP status that it maps to */
    this.status = status;
  }
}
Object.defineProperty(SosiaError.prototype, 'name', { value: 'SosiaError', configurable: true, writable: true });

/** musl has no glibc in the process's report. */
function libc() {
  const report = process.report;
  if (!report) return '';
  report.excludeNetwork = true;
  return report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

function load() {
  const platform = `${process.platform}-${process.arch}`;
  const file = process.env.SOSIA_NODE_ADDON || path.join(__dirname, '..', 'native', platform, 'sosia.node');
  try {
    return require(path.resolve(file));
  } catch (error) {
    let why = error.message;
    if (!fs.existsSync(file)) {
      why = process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)
        ? `there is none for ${platform}: sosia's engine runs on Linux, x64 or arm64; connect() to a server works anywhere`
        : 'the file is not there: the package is of another platform, or was installed from a lock file of one';
    } else if (process.platform === 'linux' && libc() === 'musl') {
      why = `it needs glibc, and this Node runs on musl (${error.message})`;
    }
    throw new SosiaError(`sosia can't load ${file}: ${why}`, 'IO', 'addon', file);
  }
}

const KINDS = { OUTBOX: 1, WAKE: 2 };
const ROOM = 65536;

// One addon has one set of these, however often a test runner loads this module into realms of its own.
const shared = vm.runInThisContext('globalThis')[Symbol.for(`sosia.node.${require('../package.json').version}`)] ??= {
  native: undefined,
  listeners: new Map(), // by kind and id
  numbers: new Int32Array(16), // of the last answer, and of a plain call: what addon.h names
  answers: { chunk: undefined }, // where it is
  sent: { text: '', serial: 0 }, // the fields that the addon has kept of the last plain call
};
const { answers, listeners, numbers, sent } = shared;
let native;

/** Loads it at the first use, so that a program that only connects needs none. */
function addon() {
  if (!native) {
    const loaded = shared.native ?? load();
    loaded.setup(SosiaError, (kind, id, world, first, last) => {
      listeners.get(`${kind}:${id}`)?.(world, first, last);
    }, numbers);
    native = loaded;
    if (!shared.native) renew();
    shared.native = loaded;
  }
  return native;
}

/** A fresh chunk for answers. It is never shown to a caller, who gets copies, so that nobody can detach it. */
function renew() {
  answers.chunk = Buffer.allocUnsafeSlow(ROOM);
  native.chunk(answers.chunk);
  numbers[4] = ROOM;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A call without a body by a method of METHODS: its index; what else the addon would convert anew for each call is left where it looks.
 *  What call() of the addon gives. */
function callPlain(engine, high, low, method, target, fields) {
  numbers[6] = engine;
  numbers[7] = high;
  numbers[8] = low;
  numbers[9] = method;
  if (fields === sent.text && numbers[5] === sent.serial && sent.serial) return native.callPlain(target);
  const given = native.callPlain(target, fields);
  sent.text = fields;
  sent.serial = numbers[5];
  return given;
}

function listen(kind, id, fn) {
  if (fn) listeners.set(`${kind}:${id}`, fn);
  else listeners.delete(`${kind}:${id}`);
}

module.exports = { addon, answers, callPlain, KINDS, METHODS, listen, numbers, renew, SosiaError };
