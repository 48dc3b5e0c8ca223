// SPDX-License-Identifier: Apache-2.0
// Each call as it happens, and what became of it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, send } from '../api/client';
import { go } from '../app/router';
import { actorName, actors, arrivals, head, readOnly, resets } from '../app/state';
import { say, useAsked } from '../app/use';
import type { ViewProps } from '../app/views';
import { CALL_COLUMNS, CallCells } from '../ui/calls';
import { shownZone } from '../ui/dates';
import { Failure } from '../ui/errors';
import { List } from '../ui/list';
import { text, plural } from '../strings';
import { CallDetail } from './journal-call';
import { useJournal, type Filters, type Risk } from './journal-rows';

const words = {
  zone: (zone: string) => `times of ${zone}`, calls: (n: number, more: boolean) => `${plural(n, 'call')}${more ? ' and more' : ''}`, actor: 'Whose', method: 'Method', status: 'Status', decision: 'Decision',
  find: 'In requests and answers', reads: 'Reads', clear: 'Clear', none: 'No call is like that.', nothing: 'No calls yet. The page Connect has what an agent needs to make one.',
  noReads: 'Calls that read are not kept in this world’s journal.', keepReads: 'Keep them from now on', fresh: (n: number) => `${plural(n, 'new call')}`,
};
const DECISIONS = ['allow', 'deny', 'approve', 'dryRun', 'executed', 'fault', 'stop'];

/** Told to readers of screens at most every five seconds. */
function Summary() {
  const [said, set] = useState('');
  const n = useRef(0);
  useEffect(() => {
    n.current += arrivals.value.entries.length + (arrivals.value.skipped?.n ?? 0);
  }, [arrivals.value.n]);
  useEffect(() => {
    n.current = 0;
    const every = setInterval(() => {
      if (n.current) set(words.fresh(n.current));
      n.current = 0;
    }, 5000);
    return () => clearInterval(every);
  }, []);
  return <div class="unseen" role="status" aria-live="polite">{said}</div>;
}

/** A field whose value is in the address. */
function Field(p: { name: string; label: string; value: string | undefined; list?: string; size?: number }) {
  return (
    <label>{p.label}{' '}
      <input type="text" size={p.size ?? 12} value={p.value ?? ''} list={p.list} spellcheck={false}
        onChange={(e) => go({ query: { [p.name]: e.currentTarget.value.trim() } }, true)} />
    </label>
  );
}

export default function Journal(p: ViewProps) {
  const { query } = p.route;
  const info = useAsked(`${p.world}:${resets.value}`, (signal) => get('/worlds/{world}/journal/info', { path: { world: p.world }, query: { head: false }, signal }));
  const live = p.seq === undefined;
  const bounds = info.data && { first: Math.max(1, info.data.first), last: p.seq ?? head.value ?? info.data.entries };
  const filters: Filters = {
    actor: query.actor, method: query.method, status: query.status, decision: query.decision, text: query.q, label: query.label,
    risk: (query.risk as Risk | undefined) ?? (query.reads === 'no' ? 'draft' : undefined),
  };
  const rows = useJournal(p.place, live, bounds, filters);
  const filtered = Object.values(filters).some(Boolean);
  const open = query.open ? Number(query.open) : undefined;
  const found = open === undefined ? undefined : rows.indexOf(open);
  const show = (i: number) => {
    const seq = rows.seqAt(i);
    if (seq !== undefined) go({ query: { open: String(seq) } }, open !== undefined);
  };
  const keepReads = async () => {
    try {
      await send('put', '/worlds/{world}/journal', { path: { world: p.world }, body: { mode: 'all' } });
      info.again();
    } catch (e) {
      say((e as Error).message);
    }
  };
  return (
    <div class="full">
      <div class="bar">
        <h1>{text.journal}</h1>
        <span class="quiet">{words.calls(rows.total, rows.more && filtered)} · {words.zone(shownZone())}</span>
        <Field name="actor" label={words.actor} value={query.actor} list="journal-people" size={16} />
        <Field name="method" label={words.method} value={query.method} size={16} />
        <Field name="status" label={words.status} value={query.status} size={4} />
        <label>{words.decision}{' '}
          <select value={query.decision ?? ''} onChange={(e) => go({ query: { decision: e.currentTarget.value } }, true)}>
            <option value=""></option>{DECISIONS.map((d) => <option key={d}>{d}</option>)}
          </select>
        </label>
        <label class="check"><input type="checkbox" checked={query.reads !== 'no'}
          onChange={(e) => go({ query: { reads: e.currentTarget.checked ? '' : 'no' } }, true)} /> {words.reads}</label>
        <input type="search" placeholder={words.find} aria-label={words.find} value={query.q ?? ''}
          onChange={(e) => go({ query: { q: e.currentTarget.value } }, true)} />
        {filtered && <button type="button" onClick={() => go({ query: { actor: '', method: '', status: '', decision: '', q: '', label: '', risk: '', reads: '' } }, true)}>{words.clear}</button>}
        <datalist id="journal-people">{(actors.value ?? []).slice(0, 200).map((a) => <option key={a.id} value={actorName(a)}>{a.name}</option>)}</datalist>
      </div>
      {info.data?.mode === 'writes' && (
        <div class="bar quiet">{words.noReads} {!readOnly.value && <button type="button" onClick={keepReads}>{words.keepReads}</button>}</div>
      )}
      {(info.error ?? rows.error) && <Failure error={(info.error ?? rows.error)!} again={rows.again} />}
      <Summary />
      <div class={open === undefined ? 'split' : 'split two'}>
        <List id="journal" label={text.journal} total={rows.total} row={28} columns={CALL_COLUMNS} onShow={rows.show} onOpen={show}
          open={found} stick grown={rows.grown} rowClass={(i) => (rows.row(i)?.labels?.via === 'console' ? 'by-console' : '')}
          empty={info.data ? (filtered ? words.none : words.nothing) : text.loading}>
          {(i) => {
            const e = rows.row(i);
            return e ? <CallCells of={e} /> : <span role="gridcell" class="quiet">{rows.seqAt(i)} …</span>;
          }}
        </List>
        {open !== undefined && <CallDetail key={`${resets.value}:${open}`} {...p} open={open} last={bounds?.last ?? open} />}
      </div>
    </div>
  );
}
