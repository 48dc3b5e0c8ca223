// SPDX-License-Identifier: Apache-2.0
'use strict';
// Options in words, as the addon takes them. The order of each list is that of sosia.h.
const { isUint8Array } = require('node:util').types;
const { microseconds, timeOf } = require('./time.cjs');

const CLOCKS = ['frozen', 'step', 'real'];
const JOURNALS = ['writes', 'none', 'all'];
const KEEPS = ['redacted', 'full', 'hashes'];
const FORMS = ['json', 'patch', 'tables'];
const FORMATS = ['jsonl', 'har', 'otlp', 'atif', 'run'];

function index(list, word, name) {
  const i = list.indexOf(word);
  if (i < 0) throw new TypeError(`${name} must be one of ${list.join(', ')}, not ${JSON.stringify(word)}`);
  return i;
}

/** A document as text or bytes: objects become JSON. */
function document(value) {
  if (typeof value === 'string' || isUint8Array(value)) return value;
  if (typeof value !== 'object' || value === null) throw new TypeError('a document must be an object, a string of JSON or YAML, or a Uint8Array');
  return JSON.stringify(value);
}

const maybe = (value, fn) => value === undefined ? undefined : fn(value);

function clockOptions({ name, seed, now, clock, stepMs, journal, evaluation }) {
  return {
    name, seed, evaluation,
    nowUs: maybe(now, timeOf),
    clock: maybe(clock, word => index(CLOCKS, word, 'clock')),
    stepUs: maybe(stepMs, ms => microseconds({ ms })),
    journal: maybe(journal, word => index(JOURNALS, word, 'journal')),
  };
}

function forkOptions(options) {
  if (typeof options !== 'object') throw new TypeError(`options must be an object, not a ${typeof options}`);
  return {
    ...clockOptions(options),
    inheritDeliveries: maybe(options.deliveries, word => index(['drop', 'inherit'], word, 'deliveries') === 1),
  };
}

module.exports = { CLOCKS, clockOptions, document, FORMATS, FORMS, forkOptions, index, JOURNALS, KEEPS };
