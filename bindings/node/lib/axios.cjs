// SPDX-License-Identifier: Apache-2.0
'use strict';
// An adapter of axios. What refuses a status is axios's own settle(), which an adapter has to do itself.

function axiosAdapterOf(world) {
  return async function adapter(config) {
    const base = config.baseURL ? String(config.baseURL).replace(/\/+$/, '') : '';
    const url = /^https?:/.test(config.url ?? '') ? config.url : `${base}/${String(config.url ?? '').replace(/^\/+/, '')}`;
    const at = new URL(url, 'http://localhost');
    const params = config.params instanceof URLSearchParams ? config.params : new URLSearchParams();
    if (params !== config.params) {
      for (const [name, value] of Object.entries(config.params ?? {})) {
        for (const one of Array.isArray(value) ? value : [value])
          if (one !== undefined && one !== null) params.append(Array.isArray(value) ? `${name}[]` : name, one instanceof Date ? one.toISOString() : typeof one === 'object' ? JSON.stringify(one) : one);
      }
    }
    for (const [name, value] of params) at.searchParams.append(name, value);
    const headers = config.headers?.toJSON ? config.headers.toJSON() : { ...config.headers };
    if (config.auth) headers.Authorization = `Basic ${Buffer.from(`${config.auth.username}:${config.auth.password}`).toString('base64')}`;
    for (const name of Object.keys(headers)) if (headers[name] === false || headers[name] === null) delete headers[name];
    const got = await world.fetch(at.href, { method: (config.method ?? 'get').toUpperCase(), headers, body: config.data, signal: config.signal,
      redirect: config.maxRedirects === 0 ? 'manual' : 'follow' });
    const response = { data: await dataOf(got, config.responseType), status: got.status, statusText: got.statusText, headers: Object.fromEntries(got.headers), config, request: undefined };
    if (!config.validateStatus || config.validateStatus(got.status)) return response;
    throw Object.assign(new Error(`Request failed with status code ${got.status}`), {
      name: 'AxiosError', isAxiosError: true, code: got.status >= 500 ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST', config, request: undefined, response, status: got.status,
    });
  };
}

function dataOf(got, type) {
  switch (type) {
    case 'arraybuffer': return got.arrayBuffer().then(bytes => Buffer.from(bytes));
    case 'blob': return got.blob();
    case 'stream': return require('node:stream').Readable.fromWeb(got.body ?? new Blob([]).stream());
    default: return got.text(); // JSON of it is axios's own transformResponse
  }
}

module.exports = { axiosAdapterOf };
