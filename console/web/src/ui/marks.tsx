// SPDX-License-Identifier: Apache-2.0
// What changed since a chosen state, in the views themselves: a sign and a word beside the colour.
import type { Change } from '../app/state';
import { changes, changesByName, nameOf, seq, world, worldName } from '../app/state';
import { snapshots } from '../app/worlds';
import { go, href, route } from '../app/router';
import { text } from '../strings';

export const SIGN: Record<string, string> = { added: '+', changed: '~', removed: '−' };
export const WORD: Record<string, string> = { added: text.added, changed: text.changed, removed: text.removed };

/** The change of a thing, by its name in diffs: markOf('message', person, id). Reads signals. */
export function changeOf(entity: string, person: string, id: string): Change | undefined {
  return changesByName.value.get(`${entity}/${person}/${id}`);
}
/** All changes of a kind of entity and a person: for ghosts of what is gone. */
export function changesOf(entity: string, person?: string): Change[] {
  return [...changesByName.value.values()].filter((c) => c.entity === entity && (!person || c.person === person));
}
/** A class for a row: "is-added", "is-changed", "is-removed", or ""; what the call of the step has changed flashes. */
export const markClass = (c: Change | undefined) =>
  c ? `is-${c.change}${c.seq !== undefined && c.seq === seq.value ? ' flash' : ''}` : '';

/** The sign with its word, and the call that made the change. */
export function Mark(p: { of: Change | undefined; brief?: boolean }) {
  const c = p.of;
  if (!c) return null;
  const by = c.seq === undefined ? '' : ` ${text.byCall(c.seq, c.actor ? nameOf(c.actor) : '')}`;
  return (
    <span class={`mark ${markClass(c)}`} title={`${WORD[c.change] ?? c.change}${by}`}>
      <span aria-hidden="true">{SIGN[c.change] ?? '?'}</span>
      <span class={p.brief ? 'unseen' : ''}>{WORD[c.change] ?? c.change}</span>
      {!p.brief && c.seq !== undefined && <CallLink seq={c.seq} />}
    </span>
  );
}

/** A link to a call in the journal. */
export function CallLink(p: { seq: number; children?: preact.ComponentChildren }) {
  return (
    <a href={href({ view: 'journal', seq: undefined, rest: [], query: { open: String(p.seq) } })}>
      {p.children ?? text.call(p.seq)}
    </a>
  );
}

/** What marks are since, with a field to choose another state. */
export function Since() {
  const at = changes.value?.from ?? route.value.query.since ?? '';
  return (
    <label class="since">
      {text.since}{' '}
      <input
        type="text" value={at} size={14} list="states-since" spellcheck={false}
        onChange={(e) => go({ query: { since: e.currentTarget.value.trim() } }, true)}
      />
      <datalist id="states-since">
        {world.value?.parent_name && <option value={world.value.parent_name} />}
        {snapshots.value.map((s) => <option key={s.name} value={s.name} />)}
        {worldName.value !== undefined && <option value={`${worldName.value}@0`} />}
      </datalist>
    </label>
  );
}

const plain = (v: unknown): string =>
  v === null || v === undefined ? '' : typeof v === 'string' ? v : JSON.stringify(v, null, 1);

/** Fields of a change, from and to; of what came or went its value. */
export function Fields(p: { of: Change }) {
  const { fields, value } = p.of;
  if (fields)
    return (
      <table class="fields">
        <thead><tr><th>{text.field}</th><th>{text.before}</th><th>{text.after}</th></tr></thead>
        <tbody>
          {Object.entries(fields as Record<string, { from?: unknown; to?: unknown }>).map(([name, f]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="was"><Plain of={f?.from} /></td>
              <td class="is"><Plain of={f?.to} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    );
  return value ? <Plain of={value} /> : null;
}

/** A value as text, of which the first 16 KiB are shown. */
export function Plain(p: { of: unknown }) {
  const all = plain(p.of);
  const most = 16384;
  return <pre class="plain">{visible(all.length > most ? all.slice(0, most) : all)}{all.length > most && <em> {text.leftOut(all.length - most)}</em>}</pre>;
}

/** Characters that turn the direction of others or are not seen, by their numbers. */
export function visible(s: string): string {
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  return s.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
