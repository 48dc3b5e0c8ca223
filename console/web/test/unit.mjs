// SPDX-License-Identifier: Apache-2.0
// Runs test/*.test.ts under node:test: each is bundled first, since the sources are TypeScript.
// usage: node test/unit.mjs [NAME...]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here).filter((f) => f.endsWith('.test.ts') && (!wanted.length || wanted.some((w) => f.startsWith(w))));
const out = mkdtempSync(join(tmpdir(), 'sosia-console-'));
buildSync({
  entryPoints: files.map((f) => join(here, f)), outdir: out, outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm',
  platform: 'node', target: 'node18', jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'warning',
});
const run = spawnSync(process.execPath, ['--test', ...files.map((f) => join(out, f.replace(/ts$/, 'mjs')))], { stdio: 'inherit' });
rmSync(out, { recursive: true });
process.exit(run.status ?? 1);
