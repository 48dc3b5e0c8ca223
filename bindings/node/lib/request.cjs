// SPDX-License-Identifier: Apache-2.0
'use strict';
// Requests as the addon takes them: method, target, fields as one text, body, base of absolute URLs.

const { types } = require('node:util'); // of whatever realm: test runners have their own

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const BREAKS = /[\n\r\0]/;
const known = new Set(); // names that were looked at

function field(name, value) {
  name = String(name);
  if (!known.has(name)) {
    if (!NAME.test(name)) throw new TypeError(`a header's name must be letters, digits and !#$%&'*+-.^_\`|~, not ${JSON.stringify(name)}`);
    if (known.size < 1000) known.add(name);
  }
  if (typeof value !== 'string') {
    if (!['number', 'boolean', 'bigint'].includes(typeof value)) throw new TypeError(`the header ${name} must be a string, not ${value === null ? 'null' : `of type ${typeof value}`}`);
    value = String(value);
  }
  if (BREAKS.test(value))
    throw new TypeError(`the header ${name} must have no line break and no NUL in its value`);
  return `${name}\n${value}\n`;
}

// Of the object that was looked at last: most calls of a program have the same fields.
const last = { names: [], values: [], text: '' };

/** The text of an object that has just these fields; undefined: it has others. */
function again(headers) {
  const { names, values } = last;
  let i = 0;
  for (const name in headers) {
    if (name !== names[i] || headers[name] !== values[i]) return undefined;
    i++;
  }
  return i === names.length ? last.text : undefined;
}

/** The text of an object, which is kept where all its values are strings. */
function ofObject(headers) {
  const names = [], values = [];
  let text = '', plain = true;
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') plain = false;
    names.push(name);
    values.push(value);
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) for (const one of value) text += field(name, one);
    else text += field(name, value);
  }
  if (plain) Object.assign(last, { names, values, text });
  return text;
}

/** Of an object, a list of pairs, a flat list, or anything that gives pairs (Headers, Map). */
function fields(headers) {
  if (headers === undefined || headers === null) return '';
  let text = '';
  if (typeof headers !== 'object') throw new TypeError(`headers must be an object or a list of pairs, not a ${typeof headers}`);
  if (Array.isArray(headers) && headers.length && !Array.isArray(headers[0])) {
    for (let i = 0; i + 1 < headers.length; i += 2) text += field(headers[i], headers[i + 1]);
  } else if (typeof headers[Symbol.iterator] === 'function') {
    for (const pair of headers) text += field(pair[0], pair[1]);
  } else {
    return again(headers) ?? ofObject(headers);
  }
  return text;
}

function wellFormed(text, what) {
  if (!text.isWellFormed()) throw new TypeError(`${what} must be well-formed Unicode, has half of a surrogate pair`);
  return text;
}

/** Bytes of what is not a stream; undefined: there is none. */
function bytes(body) {
  if (body === undefined || body === null || typeof body === 'string') return body ?? undefined;
  if (types.isUint8Array(body)) return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (types.isAnyArrayBuffer(body)) return new Uint8Array(body);
  throw new TypeError('a body must be a string, a Uint8Array or another view, or an ArrayBuffer');
}

/** Where a request goes: the path and query, its host, and what absolute URLs in the answer begin with. */
function place(url) {
  if (typeof url === 'string' && url.charCodeAt(0) === 47) return { target: url, host: undefined, origin: undefined };
  const at = url instanceof URL ? url : new URL(String(url));
  return { target: at.pathname + at.search, host: at.host, origin: at.origin };
}

/** A method as fetch() takes it. */
function methodOf(method) {
  const name = String(method ?? 'GET');
  if (!NAME.test(name)) throw new TypeError(`a method must be letters, digits and !#$%&'*+-.^_\`|~, not ${JSON.stringify(name)}`);
  return /^(delete|get|head|options|post|put)$/i.test(name) ? name.toUpperCase() : name;
}

module.exports = { bytes, field, fields, methodOf, place, wellFormed };
