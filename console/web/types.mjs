// SPDX-License-Identifier: Apache-2.0
// Makes src/api/types.ts of the control interface's own OpenAPI document.
// usage: sosia routes --openapi sosia.control | node types.mjs [--check]
//   --check writes nothing, and fails when the file is not what the document says
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const target = join(dirname(fileURLToPath(import.meta.url)), 'src/api/types.ts');
const document = JSON.parse(readFileSync(0, 'utf8'));

const named = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const last = (ref) => ref.split('/').pop();

function scalar(type) {
  return { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[type] ?? 'any';
}
function object(s, indent) {
  const inner = indent + '  ';
  const members = Object.entries(s.properties ?? {}).map(([name, member]) =>
    (member.description ? `${inner}/** ${member.description.replaceAll('*/', '* /')} */\n` : '') +
    `${inner}${named(name)}${(s.required ?? []).includes(name) ? '' : '?'}: ${type(member, inner)};\n`);
  if (!members.length)
    return s.additionalProperties && s.additionalProperties !== true
      ? `Record<string, ${type(s.additionalProperties, indent)}>` : 'JsonObject';
  return `{\n${members.join('')}${indent}}`;
}
function type(s, indent = '') {
  if (!s) return 'any';
  if (s.$ref) return `Schemas['${last(s.$ref)}']`;
  if (s.enum) return s.enum.map((v) => JSON.stringify(v)).join(' | ');
  const choice = s.oneOf ?? s.anyOf;
  if (choice) return choice.map((c) => type(c, indent)).join(' | ');
  if (Array.isArray(s.type)) return s.type.map((t) => type({ ...s, type: t }, indent)).join(' | ');
  if (s.type === 'array') return `Array<${type(s.items, indent)}>`;
  if (s.type === 'object' || s.properties) return object(s, indent);
  return scalar(s.type);
}

function parameters(list, place) {
  const members = list.filter((p) => p.in === place).map((p) =>
    `${named(p.name)}${p.required ? '' : '?'}: ${type(p.schema)}`);
  return members.length ? `{ ${members.join('; ')} }` : 'None';
}
function content(part) {
  const kinds = Object.entries(part?.content ?? {});
  if (!kinds.length) return 'undefined';
  const json = kinds.filter(([mime]) => mime === 'application/json').map(([, c]) => type(c.schema));
  return json.join(' | ') || 'unknown';
}

const out = ['// Made by types.mjs of the OpenAPI document of the control interface. Not written by hand.\n',
  '/* eslint-disable */\n',
  'export type JsonObject = { [name: string]: any };\nexport type None = { [name: string]: never };\n\n',
  'export interface Schemas {\n'];
for (const [name, schema] of Object.entries(document.components.schemas))
  out.push(`  ${named(name)}: ${type(schema, '  ')};\n`);
out.push('}\n\nexport interface Paths {\n');
for (const [path, verbs] of Object.entries(document.paths)) {
  out.push(`  ${JSON.stringify(path)}: {\n`);
  for (const [verb, operation] of Object.entries(verbs)) {
    const list = operation.parameters ?? [];
    const good = Object.keys(operation.responses).find((k) => k.startsWith('2'));
    out.push(`    ${verb}: { path: ${parameters(list, 'path')}; query: ${parameters(list, 'query')}; ` +
      `body: ${content(operation.requestBody)}; answer: ${content(operation.responses[good])} };\n`);
  }
  out.push('  };\n');
}
out.push('}\n');

const text = out.join('');
if (!process.argv.includes('--check')) {
  writeFileSync(target, text);
} else if (readFileSync(target, 'utf8') !== text) {
  console.error('console/web/src/api/types.ts is not what the OpenAPI document says: sosia routes --openapi sosia.control | node console/web/types.mjs');
  process.exit(1);
}
