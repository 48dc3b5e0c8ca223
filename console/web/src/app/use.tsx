// SPDX-License-Identifier: Apache-2.0
// What a view asks of the control interface: it stays while the next answer comes, and comes again
// when the world has changed.
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { get, Refused, type Answer, type PathOf, type Parts } from '../api/client';
import { acted, regained, seq, written } from './state';
import { Turns } from './turns';
import { Failure } from '../ui/errors';
import { text } from '../strings';

export interface Got<T> {
  data: T | undefined;
  error: Refused | undefined;
  loading: boolean;
  again: () => void;
}

export interface Freshness {
  /** Ask again when a call may have changed the world. Not where a step is shown: that stays as it is. */
  live?: boolean;
  /** Do not ask (a part is not known yet). */
  skip?: boolean;
}

/** Asks again by itself when its parts change. The last answer of the same path stays until the next one or a refusal comes. */
export function useGet<P extends PathOf<'get'>>(path: P, parts: Parts<P> = {}, how: Freshness = {}): Got<Answer<P>> {
  const key = JSON.stringify([path, parts]);
  return useAsked<Answer<P>>(key, (abort) => get(path, { ...parts, signal: abort }), how);
}

/** The same for what is more than one request. key: all that it depends on. */
export function useAsked<T>(key: string, ask: (abort: AbortSignal) => Promise<T>, how: Freshness = {}): Got<T> {
  const [state, set] = useState<{ key: string; data?: T | undefined; error?: Refused | undefined; loading: boolean }>({ key, loading: !how.skip });
  const [round, setRound] = useState(0);
  const live = how.live && seq.value === undefined;
  const tick = live ? written.value : 0, own = live ? acted.value : 0;
  const turns = useMemo(() => new Turns(), []);
  useEffect(() => () => turns.stop(), [turns]);
  useEffect(() => {
    if (how.skip) {
      turns.stop();
      return;
    }
    set((s) => ({ ...s, loading: true }));
    turns.ask(`${regained.value}:${round}:${own}:${key}`, async (abort) => {
      try {
        const data = await ask(abort);
        if (!abort.aborted) set({ key, data, loading: false });
      } catch (e) {
        const error = e instanceof Refused ? e : new Refused(0, '', String(e));
        // what is there of another key is not shown beside the refusal of this one
        if (!abort.aborted) set((s) => ({ key, data: s.key === key ? s.data : undefined, error, loading: false }));
      }
    });
  }, [key, tick, round, own, how.skip, regained.value]);
  const same = state.key === key;
  return {
    data: same || !how.skip ? state.data : undefined, error: same ? state.error : undefined, loading: !how.skip && (state.loading || !same), again: () => setRound((r) => r + 1),
  };
}

/** What is there of an answer, or why not. */
export function Await<T>(props: { of: Got<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, loading, again } = props.of;
  return (
    <>
      {error && <Failure error={error} again={again} />}
      {data !== undefined ? props.children(data) : loading && !error ? <p class="quiet" role="status">{text.loading}</p> : null}
    </>
  );
}

// ---- windows of long lists ----

export interface Rows<T> {
  /** How many there are in all; undefined: not known yet */
  total: number | undefined;
  /** The row, or undefined where it is not there yet */
  row: (i: number) => T | undefined;
  /** What the list shows: asks for what is missing there */
  show: (from: number, to: number) => void;
  error: Refused | undefined;
  again: () => void;
}

const PAGE = 200;
const MOST_PAGES = 12;

/** Rows by offset: pages of 200 as the list comes to them; old ones are forgotten. atLeast: the total is what that page
 * knows, and others may know of more. */
export function useRows<T>(
  key: string,
  ask: (offset: number, limit: number, abort: AbortSignal) => Promise<{ total: number; rows: T[]; atLeast?: boolean }>,
  how: Freshness = {},
): Rows<T> {
  const [, draw] = useState(0);
  const held = useMemo(() => ({
    pages: new Map<number, T[]>(), asked: new Set<number>(), total: undefined as number | undefined,
    error: undefined as Refused | undefined, from: 0, to: 1, abort: new AbortController(),
  }), [key]);
  const fn = useRef(ask);
  fn.current = ask;
  const fetchPage = async (page: number) => {
    if (held.asked.has(page)) return;
    held.asked.add(page);
    try {
      const got = await fn.current(page * PAGE, PAGE, held.abort.signal);
      held.pages.delete(page);
      held.pages.set(page, got.rows);
      held.total = got.atLeast ? Math.max(held.total ?? 0, got.total) : got.total;
      held.error = undefined;
      for (const old of held.pages.keys()) {
        if (held.pages.size <= MOST_PAGES) break;
        held.pages.delete(old);
        held.asked.delete(old);
      }
    } catch (e) {
      held.asked.delete(page);
      if (held.abort.signal.aborted) return;
      held.error = e instanceof Refused ? e : new Refused(0, '', String(e));
    }
    draw((n) => n + 1);
  };
  const show = (from: number, to: number) => {
    held.from = from;
    held.to = to;
    for (let p = Math.floor(from / PAGE); p <= Math.floor(Math.max(from, to - 1) / PAGE); p++) void fetchPage(p);
  };
  const again = () => {
    held.asked.clear();
    show(held.from, held.to);
  };
  const tick = how.live && seq.value === undefined ? written.value + acted.value : 0;
  const before = useRef(tick);
  useEffect(() => {
    if (how.skip) return;
    if (before.current !== tick) again();
    else show(held.from, held.to);
    before.current = tick;
  }, [key, tick, how.skip]);
  useEffect(() => () => held.abort.abort(), [held]);
  return {
    total: held.total, error: held.error, again, show,
    row: (i) => held.pages.get(Math.floor(i / PAGE))?.[i % PAGE],
  };
}

/** Changes of the signal are told to those who look at it; for what is short and goes by itself. */
export const notice = signal('');
let fading: ReturnType<typeof setTimeout> | undefined;
export function say(what: string) {
  notice.value = what;
  clearTimeout(fading);
  fading = setTimeout(() => (notice.value = ''), 6000);
}
