// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

// What the module of the control interface wants to be there when it is loaded.
Object.assign(globalThis, { addEventListener() {} });

test('who is asked: vendors with whom somebody has mail or calendars; any where that is not known', async () => {
  const { mayHave, vendorsOf } = await import('../src/views/shared/vendors');
  const known = async (mail: string[] | null, calendars: string[] | null) => {
    globalThis.fetch = (async (url: string | URL | Request) => {
      const vendors = String(url).includes('/mail/') ? mail : calendars;
      return new Response(JSON.stringify(vendors ? { vendors } : { error: { code: 404, reason: 'mailboxNotFound', message: 'none' } }), { status: vendors ? 200 : 404 });
    }) as typeof fetch;
    const found = await vendorsOf('w', 'ada@x.example', new AbortController().signal);
    return ['google', 'microsoft'].filter((v) => mayHave(found, v));
  };
  assert.deepEqual(await known(['google'], ['google']), ['google']);
  assert.deepEqual(await known(null, ['microsoft']), ['microsoft']);
  assert.deepEqual(await known(['google'], ['microsoft']), ['google', 'microsoft']);
  assert.deepEqual(await known(null, null), ['google', 'microsoft']);
});
