// SPDX-License-Identifier: Apache-2.0
// Long lists whose pages come one behind the other: the next one is asked for as the list comes near its end.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Refused } from '../api/client';

export interface Cursor<T> {
  rows: T[];
  /** There are, or may be, more */
  more: boolean;
  /** The first page is there */
  ready: boolean;
  error: Refused | undefined;
  /** Of a list: asks for the next page near the end */
  show: (from: number, to: number) => void;
  again: () => void;
}

const NEAR = 60;

/** ask: a page behind the last row, or behind what the page before gave as its next, and whether there are more. key: all that the list depends on. */
export function useCursor<T>(key: string, ask: (last: T | undefined, abort: AbortSignal, next: string | undefined) => Promise<{ rows: T[]; more: boolean; next?: string | undefined }>,
  id?: (row: T) => unknown,
): Cursor<T> {
  const [, draw] = useState(0);
  const [round, setRound] = useState(0);
  const held = useMemo(() => ({
    rows: [] as T[], more: true, ready: false, busy: false, next: undefined as string | undefined, error: undefined as Refused | undefined, abort: new AbortController(),
  }), [key, round]);
  const before = useRef(held);
  // rows behind the first page are those of before, where the page meets them: who reads there stays there
  const keepTail = () => {
    const last = held.rows.at(-1), old = before.current;
    const at = last === undefined || old === held ? -1 : old.rows.findIndex((r) => id!(r) === id!(last));
    if (at < 0) return;
    held.rows.push(...old.rows.slice(at + 1));
    held.more = old.more;
    held.next = old.next;
  };
  const next = async () => {
    if (held.busy || !held.more) return;
    held.busy = true;
    try {
      const page = await ask(held.rows.at(-1), held.abort.signal, held.next);
      held.next = page.next;
      held.rows.push(...page.rows);
      held.more = page.more && page.rows.length > 0;
      held.error = undefined;
      if (!held.ready && id) keepTail();
      held.ready = true;
    } catch (e) {
      if (held.abort.signal.aborted) return;
      held.error = e instanceof Refused ? e : new Refused(0, '', String(e));
      held.more = false;
    }
    held.busy = false;
    draw((n) => n + 1);
  };
  useEffect(() => {
    void next();
    return () => held.abort.abort();
  }, [held]);
  // what was there stays until the first page is
  if (held.ready || held.error) before.current = held;
  const shown = held.ready || held.error ? held : before.current;
  return {
    rows: shown.rows, more: shown.more, ready: shown.ready, error: shown.error,
    show: (_, to) => {
      if (to > held.rows.length - NEAR) void next();
    },
    again: () => setRound((r) => r + 1),
  };
}
