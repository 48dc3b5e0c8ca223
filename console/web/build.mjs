// SPDX-License-Identifier: Apache-2.0
// Builds the live page: scripts and styles named by what is in them, each packed by gzip, as one
// JSON file that tools/embed.py makes a table of.
// usage: node build.mjs [--out FILE] [--depfile FILE] [--sizes] [--dir DIRECTORY]
//   --sizes prints how many bytes each file has, packed; --dir writes the files as they are
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const ROOT = '/_sosia/ui/';
const TARGET = ['chrome123', 'firefox121', 'safari17.5'];
const { values: options } = parseArgs({
  options: {
    out: { type: 'string' },
    depfile: { type: 'string' },
    dir: { type: 'string' },
    sizes: { type: 'boolean' },
  },
});

const PAGE_POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
  "connect-src 'self'", "frame-src 'self'", "base-uri 'none'", "form-action 'none'",
  "frame-ancestors 'none'", "require-trusted-types-for 'script'",
].join('; ');

// The frame that shows what a mail has as HTML: an origin of its own, one script, no network.
const framePolicy = (script) => [
  'sandbox allow-scripts', "default-src 'none'", `script-src 'sha256-${hash(script, 'base64')}'`,
  "style-src 'unsafe-inline'", 'img-src data:', "base-uri 'none'", "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const hash = (bytes, as) => createHash('sha256').update(bytes).digest(as);
const common = {
  absWorkingDir: here, bundle: true, minify: true, metafile: true, write: false, target: TARGET,
  charset: 'utf8', legalComments: 'none', logLevel: 'warning', outdir: '/assets',
  entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]', assetNames: '[name]-[hash]',
};
const inputs = new Set();
const files = [];

function note(result) {
  for (const file of Object.keys(result.metafile.inputs)) inputs.add(file);
  return result.outputFiles;
}
function add(path, type, contents, more = {}) {
  files.push({ path, type, contents: Buffer.from(contents), ...more });
}

// Styles: main.css is the page's, each other one is loaded by the view that wants it (ui/style.ts).
const styleDir = join(here, 'src/style');
const styles = {};
for (const out of note(await build({
  ...common,
  entryPoints: readdirSync(styleDir).filter((f) => f.endsWith('.css')).map((f) => join('src/style', f)),
}))) {
  const name = basename(out.path);
  styles[name.replace(/-[^-]*\.css$/, '')] = `${ROOT}assets/${name}`;
  add(`assets/${name}`, 'text/css; charset=UTF-8', out.contents, { hashed: true });
}

let main;
for (const out of note(await build({
  ...common,
  entryPoints: ['src/main.tsx'],
  format: 'esm',
  splitting: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { STYLES: JSON.stringify(styles) },
}))) {
  const name = basename(out.path);
  if (/^main-/.test(name)) main = name;
  add(`assets/${name}`, 'text/javascript; charset=UTF-8', out.contents, { hashed: true });
}

// What the first load has: the page's script and what it imports at once.
function firstLoad() {
  const text = new Map(files.map((f) => [basename(f.path), f]));
  const seen = new Set([main]);
  for (const name of seen)
    for (const [, other] of text.get(name).contents.toString().matchAll(/(?:from|import)\s?"\.\/([^"]+)"/g))
      seen.add(other);
  return [...seen];
}
const first = firstLoad();
const page = readFileSync(join(here, 'src/index.html'), 'utf8')
  .replace('{styles}', `<link rel="stylesheet" href="${styles.main}">`)
  .replace('{scripts}', first.filter((n) => n !== main)
    .map((n) => `<link rel="modulepreload" href="${ROOT}assets/${n}">`).join('') +
    `<script type="module" src="${ROOT}assets/${main}"></script>`);
inputs.add('src/index.html');
add('', 'text/html; charset=UTF-8', page, { policy: PAGE_POLICY });

if (existsSync(join(here, 'src/frame/frame.ts'))) {
  const [out] = note(await build({
    ...common, outdir: '/frame', entryPoints: ['src/frame/frame.ts'], format: 'iife',
  }));
  const script = Buffer.from(out.contents).toString().replaceAll('</script', '<\\/script').trim();
  add('frame', 'text/html; charset=UTF-8',
    `<!doctype html><meta charset="utf-8"><title>.</title><body><script>${script}</script>`,
    { policy: framePolicy(script) });
}

// What is in the files above, with its licences.
function parts() {
  const packages = new Set();
  for (const file of inputs) {
    const at = file.lastIndexOf('node_modules/');
    if (at >= 0)
      packages.add(file.slice(0, at + 13) + file.slice(at + 13).split('/').slice(0, file[at + 13] === '@' ? 2 : 1).join('/'));
  }
  return [...packages].sort().map((dir) => {
    const { name, version, license } = JSON.parse(readFileSync(join(here, dir, 'package.json'), 'utf8'));
    const file = readdirSync(join(here, dir)).find((f) => /^licen[cs]e/i.test(f));
    return { name, version, licence: license, text: file ? readFileSync(join(here, dir, file), 'utf8').trim() : '' };
  });
}
const packages = parts();
add('licences.txt', 'text/plain; charset=UTF-8', packages.map((p) => `${p.name} ${p.version} (${p.licence})\n\n${p.text}\n`)
  .join('\n' + '-'.repeat(72) + '\n\n'));

files.sort((a, b) => (a.path < b.path ? -1 : 1));
const packed = files.map((f) => ({ ...f, gzip: gzipSync(f.contents, { level: 9 }) }));
const initial = new Set(['', styles.main.slice(ROOT.length), ...first.map((n) => `assets/${n}`)]);
if (options.sizes) {
  for (const f of packed)
    console.log(`${f.gzip.length}\t${f.contents.length}\t${initial.has(f.path) ? 'first' : ''}\t${f.path}`);
}
if (options.dir) {
  mkdirSync(join(options.dir, 'assets'), { recursive: true });
  for (const f of packed) writeFileSync(join(options.dir, f.path || 'index.html'), f.contents);
}
if (options.out)
  writeFileSync(options.out, JSON.stringify({
    packages,
    files: packed.map((f) => ({
      path: f.path, type: f.type, policy: f.policy ?? null, hashed: !!f.hashed, first: initial.has(f.path),
      etag: `"${hash(f.contents, 'hex').slice(0, 24)}"`, length: f.contents.length, gzip: f.gzip.toString('base64'),
    })),
  }));
if (options.depfile)
  writeFileSync(options.depfile, `${relative('.', options.out)}: ` +
    [...inputs].map((f) => resolve(here, f).replaceAll(' ', '\\ ')).join(' ') + '\n');
