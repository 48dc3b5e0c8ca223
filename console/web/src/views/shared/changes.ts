// SPDX-License-Identifier: Apache-2.0
// What changed since a state, as `GET diff` says it, made ready for the marks that stand in lists.

/** A change as the control interface's diff gives it; what follows from it lies within it. */
export interface Change {
  entity: string;
  change: 'added' | 'changed' | 'removed';
  name: string;
  service: string;
  person?: string | null;
  title?: string | null;
  key?: Record<string, unknown>;
  value?: Record<string, unknown>;
  fields?: Record<string, FieldChange>;
  consequences?: Change[];
  seq?: number;
  actor?: string;
  method?: string;
}
export interface FieldChange {
  from?: unknown;
  to?: unknown;
  added?: unknown[];
  removed?: unknown[];
}

/** One mark: what became of a thing, by which call, and in a few words how. */
export interface Mark {
  kind: 'new' | 'changed' | 'gone';
  name: string;
  title: string;
  seq?: number;
  actor?: string;
  method?: string;
  follows: boolean; // it follows from another change and was not asked for itself
  words: string[];
  change: Change;
}

const KINDS = { added: 'new', changed: 'changed', removed: 'gone' } as const;
const SIGNS = { new: '+', changed: '~', gone: '-' } as const;

/** The sign that stands beside the colour and the word. */
export const signOf = (mark: Pick<Mark, 'kind'>): string => SIGNS[mark.kind];

/** All changes, those that follow from others too, which have the call of the one they follow from. */
export function flatten(changes: readonly Change[]): Mark[] {
  const marks: Mark[] = [];
  const add = (change: Change, above: Change | undefined, depth: number): void => {
    const cause = change.seq === undefined && above ? { ...change, seq: above.seq, actor: above.actor, method: above.method } : change;
    marks.push({
      kind: KINDS[change.change], name: change.name, title: change.title ?? change.name, seq: cause.seq,
      actor: cause.actor, method: cause.method, follows: depth > 0, words: wordsOf(change), change,
    });
    for (const c of change.consequences ?? []) add(c, cause, depth + 1);
  };
  for (const c of changes) add(c, undefined, 0);
  return marks;
}

/** Marks by the name of what they are about; of two with one name the last. */
export function byName(marks: readonly Mark[]): Map<string, Mark> {
  return new Map(marks.map((m) => [m.name, m]));
}

/** What changed of a thing: `labels + STARRED - UNREAD`, `start 12:30 -> 13:30`. */
export function wordsOf(change: Change): string[] {
  return Object.entries(change.fields ?? {}).map(([field, f]) => {
    if (f.added || f.removed) {
      const list = (sign: string, values: unknown[] | undefined): string =>
        (values ?? []).map((v) => ` ${sign} ${brief(v)}`).join('');
      return field + list('+', f.added) + list('-', f.removed);
    }
    if (f.from === undefined || f.from === null) return `${field}: ${brief(f.to)}`;
    if (f.to === undefined || f.to === null) return `${field}: ${brief(f.from)} removed`;
    return `${field}: ${brief(f.from)} → ${brief(f.to)}`;
  });
}

/** A value in at most 80 characters. */
export function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const signs = [...text.slice(0, 200)];
  return signs.length > 80 || text.length > 200 ? signs.slice(0, 79).join('') + '…' : text;
}

/** "3 new, 1 changed, 2 gone"; empty without any. */
export function summary(marks: readonly Mark[]): string {
  const count = (kind: Mark['kind']): string => {
    const n = marks.filter((m) => m.kind === kind).length;
    return n ? `${n} ${kind}` : '';
  };
  return [count('new'), count('changed'), count('gone')].filter(Boolean).join(', ');
}
