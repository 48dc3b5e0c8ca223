// SPDX-License-Identifier: Apache-2.0
// An entry of the journal as a row: when, who, what, what became of it and what it changed.
import type { Entry } from '../api/stream';
import type { JsonObject } from '../api/types';
import { nameOf } from '../app/state';
import { momentOf, timeOf, took } from './dates';
import { visible } from './marks';

export type Call = Entry;

const words = {
  control: 'done to the world', outcome: 'outcome of a delivery', session: 'session', resumed: 'goes on', denied: 'denied', held: 'held',
  tried: 'tried and undone', rule: 'rule', fault: 'fault', stop: 'stopped by a budget', new: 'new', changed: 'changed', gone: 'gone', console: 'console',
};

/** What an entry is, in one word or the method's id. */
export function whatOf(e: Call): string {
  if (e.method) return e.method;
  if (e.control) return `${words.control}: ${String(e.control.do ?? '')}`;
  if (e.outcome) return words.outcome;
  if (e.session) return words.session;
  return e.resumed ? words.resumed : '';
}
export const whoOf = (e: Call) => (e.actor ? nameOf(e.actor) : '');
export const statusOf = (e: Call): number | undefined => e.response?.status as number | undefined;

/** What a policy, a budget or a fault made of it, beyond letting it be. */
export function decisionOf(e: Call): string {
  if (e.fault) return `${words.fault} ${e.fault.kind ?? ''}`;
  if (e.stop) return words.stop;
  const g = e.guard;
  if (!g || g.decision === 'allow') return '';
  const word = ({ deny: words.denied, approve: words.held, dryRun: words.tried } as Record<string, string>)[g.decision as string] ?? String(g.decision ?? g.event ?? '');
  return `${word}${g.rule ? `, ${words.rule} ${g.rule}` : ''}`;
}
export function statusClass(e: Call): string {
  const s = statusOf(e) ?? 0;
  return e.guard?.decision === 'approve' ? 'status-held' : s >= 400 ? 'status-bad' : s ? 'status-good' : '';
}

/** "+2 ~1 −1", with words for readers of screens. */
export function Effect(p: { of: JsonObject | undefined }) {
  const { added = 0, changed = 0, removed = 0 } = (p.of ?? {}) as { added?: number; changed?: number; removed?: number };
  const part = (sign: string, n: number, word: string, kind: string) =>
    n ? <span class={`mark is-${kind}`} key={kind}>{sign}{n}<span class="unseen"> {word} </span></span> : null;
  return <>{part('+', added, words.new, 'added')}{part('~', changed, words.changed, 'changed')}{part('−', removed, words.gone, 'removed')}</>;
}

/** The target without what is before its path. */
export const targetOf = (e: Call) => (e.request ? `${e.request.verb ?? ''} ${e.request.target ?? ''}` : '');

export const CALL_COLUMNS = 7;
export function CallCells(p: { of: Call; zone?: string }) {
  const e = p.of;
  return (
    <>
      <span role="gridcell" class="number call-seq">{e.seq}</span>
      <span role="gridcell" class="call-time" title={momentOf(e.at, p.zone)}>{timeOf(e.at, p.zone)}</span>
      <span role="gridcell" class="call-who">{whoOf(e)}</span>
      <span role="gridcell" class="grow call-what">
        <b>{whatOf(e)}</b> <span class="quiet">{visible(targetOf(e))}</span>
      </span>
      <span role="gridcell" class="quiet call-decision">
        {decisionOf(e)}{e.labels?.via === 'console' && <span class="call-via"> {words.console}</span>}
      </span>
      <span role="gridcell" class={`number call-status ${statusClass(e)}`}>{statusOf(e) ?? ''}</span>
      <span role="gridcell" class="call-effect">{e.took_us !== undefined && <span class="quiet call-took">{took(e.took_us)} </span>}<Effect of={e.effect} /></span>
    </>
  );
}

/** A call as a line of a screen's own list. */
export function CallLine(p: { of: Call; href: string }) {
  const e = p.of;
  return (
    <li class="call-line">
      <a href={p.href}>{e.seq}</a> <time dateTime={e.at} title={momentOf(e.at)}>{timeOf(e.at)}</time> <span class="quiet">{whoOf(e)}</span> <b>{whatOf(e)}</b>{' '}
      <span class={statusClass(e)}>{statusOf(e) ?? ''}</span> <span class="quiet">{decisionOf(e)}</span> <Effect of={e.effect} />
    </li>
  );
}
