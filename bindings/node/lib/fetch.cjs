// SPDX-License-Identifier: Apache-2.0
'use strict';
// fetch() of a world. Making a Request costs more than the call does: where a string and plain headers come none is made.
const { types } = require('node:util');
const { isStreamed, Pieces, piecesOf } = require('./pieces.cjs');
const { bytes, field, fields, methodOf, place, wellFormed } = require('./request.cjs');

const EMPTY = new Set([101, 204, 205, 304]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const HOPS = 20;

/** [body, its content type]: a string, bytes, or Pieces. */
async function bodyOf(body) {
  if (body === undefined || body === null) return [undefined, undefined];
  if (typeof body === 'string') return [body.toWellFormed(), 'text/plain;charset=UTF-8'];
  if (ArrayBuffer.isView(body) || types.isAnyArrayBuffer(body)) return [bytes(body), undefined];
  if (body instanceof URLSearchParams) return [body.toString(), 'application/x-www-form-urlencoded;charset=UTF-8'];
  if (body instanceof FormData || body instanceof Blob) {
    const packed = new Response(body);
    return [new Pieces(packed.body), packed.headers.get('content-type') ?? undefined];
  }
  if (isStreamed(body)) return [piecesOf(body), undefined];
  if (typeof body.getBoundary === 'function' && typeof body.pipe === 'function') // form-data of npm
    return [new Pieces(body.pipe(new (require('node:stream').PassThrough)())), `multipart/form-data;boundary=${body.getBoundary()}`];
  return [String(body), 'text/plain;charset=UTF-8'];
}

/** The body of a Request, of whatever implementation. */
async function bodyWithin(made) {
  if (made.bodyUsed) throw new TypeError('Body is unusable: it has been read');
  const { body } = made;
  if (body === null || body === undefined) return undefined;
  if (isStreamed(body)) return piecesOf(body);
  return typeof made.arrayBuffer === 'function' ? new Uint8Array(await made.arrayBuffer()) : (await bodyOf(body))[0];
}

/** What a request is, whichever way it came. */
async function parts(input, init) {
  if (typeof input === 'string' || input instanceof URL || typeof input?.url !== 'string') {
    const [body, type] = init?.body === undefined ? [] : await bodyOf(init.body);
    let text = fields(init?.headers);
    if (type && !/^content-type$/im.test(text)) text += field('Content-Type', type);
    return { url: String(input), method: methodOf(init?.method), text, body, signal: init?.signal, redirect: init?.redirect ?? 'follow' };
  }
  // A Request, of whatever implementation: its own members say all.
  const made = init && input instanceof Request ? new Request(input, init) : input;
  return { url: made.url, method: made.method, text: fields(made.headers), body: await bodyWithin(made), signal: init?.signal ?? made.signal, redirect: made.redirect ?? 'follow' };
}

function without(text, names) {
  const lines = text.split('\n');
  let kept = '';
  for (let i = 0; i + 1 < lines.length; i += 2) if (!names.includes(lines[i].toLowerCase())) kept += `${lines[i]}\n${lines[i + 1]}\n`;
  return kept;
}

/** Where a redirect leads; undefined: it is none. */
function next(request, answer) {
  const to = REDIRECTS.has(answer.status) && answer.headers.location;
  if (!to || request.redirect === 'manual') return undefined;
  if (request.redirect === 'error') throw new TypeError('fetch failed', { cause: new Error(`unexpected redirect to ${to}`) });
  const url = new URL(to, request.url);
  const made = { ...request, url: url.href };
  if (answer.status === 303 ? !['GET', 'HEAD'].includes(request.method) : answer.status < 303 && request.method === 'POST') {
    made.method = 'GET';
    made.body = undefined;
    made.text = without(made.text, ['content-type', 'content-length', 'content-encoding', 'content-language']);
  }
  if (new URL(request.url).origin !== url.origin) made.text = without(made.text, ['authorization', 'cookie', 'host']);
  return made;
}

function responseOf(answer, request, redirected) {
  let body = null;
  if (answer.stream) {
    body = answer.stream.readable();
    request.signal?.addEventListener('abort', () => answer.stream.close(), { once: true });
  } else if (!EMPTY.has(answer.status) && request.method !== 'HEAD') {
    body = answer.body;
  }
  const response = new Response(body, { status: answer.status, headers: answer.rawHeaders });
  Object.defineProperty(response, 'url', { value: request.url });
  if (redirected) Object.defineProperty(response, 'redirected', { value: true });
  return response;
}

/** The answer, unless the signal comes first: then nobody reads it. */
function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      promise.then(answer => answer.stream?.close(), () => {});
    };
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Whatever the host, the world answers. A path without a host is taken too. */
function fetchOf(world) {
  return async function fetch(input, init = undefined) {
    let request = await parts(input, init);
    if (request.signal && request.body instanceof Pieces) request.body.until(request.signal);
    if (request.body !== undefined && (request.method === 'GET' || request.method === 'HEAD')) throw new TypeError('Request with GET/HEAD method cannot have body.');
    for (let hops = 0; ; hops++) {
      if (request.signal?.aborted) throw request.signal.reason;
      const at = place(request.url);
      wellFormed(request.text, 'a header');
      const served = world._serve(request.method, at, request.text, request.body);
      const answer = await (request.signal ? unlessAborted(served, request.signal) : served);
      const onward = next(request, answer);
      if (!onward) return responseOf(answer, request, hops > 0);
      if (hops === HOPS) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') });
      request = onward;
    }
  };
}

module.exports = { fetchOf };
