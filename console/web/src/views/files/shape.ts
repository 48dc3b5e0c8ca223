// SPDX-License-Identifier: Apache-2.0
// The workspace's tree as rows, and files as text where they are text.
import { namePart } from '../shared/text';

export interface Node {
  path: string;
  kind: string; // file, directory, link
  mode: string;
  size: number;
  modified: string;
  target?: string;
}
export interface TreeRow extends Node {
  name: string;
  depth: number;
  open: boolean;
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const parentOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

/** The directories above a path, the outermost first. */
export function above(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

/** The rows of the directories that are open, each below its own; directories come first. */
export function treeRows(children: ReadonlyMap<string, readonly Node[]>, open: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (directory: string, depth: number): void => {
    const nodes = [...(children.get(directory) ?? [])].sort((a, b) =>
      Number(b.kind === 'directory') - Number(a.kind === 'directory') || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    for (const node of nodes) {
      const isOpen = node.kind === 'directory' && open.has(node.path);
      rows.push({ ...node, name: nameOf(node.path), depth, open: isOpen });
      if (isOpen && depth < 128) add(node.path, depth + 1);
    }
  };
  add('', 0);
  return rows;
}

/** Bytes as text; null where they are none (a zero byte, or what is not UTF-8). */
export function asText(bytes: Uint8Array): string | null {
  if (bytes.subarray(0, 8192).includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The first bytes in rows of sixteen: where, as numbers, as letters. */
export function dump(bytes: Uint8Array, most = 512): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, most); at += 16) {
    const row = [...bytes.subarray(at, Math.min(at + 16, most))];
    const hex = row.map((b) => b.toString(16).padStart(2, '0')).join(' ');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${row.map((b) => (b > 31 && b < 127 ? String.fromCharCode(b) : '.')).join('')}`);
  }
  return lines.join('\n');
}

/** The name of a file in diffs and histories. */
export const entityName = (path: string): string => `workspaceFile/${namePart(path)}`;
