// SPDX-License-Identifier: Apache-2.0
// Rows of a journal, newest first. Without filters an entry's place follows from its number, so that
// any part of a million is one request away; with filters pages come one behind the other.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { get, Refused } from '../api/client';
import { onPiece } from '../api/stream';
import { head, mayWrite, world, written } from '../app/state';
import type { Call } from '../ui/calls';

export type Risk = 'read' | 'draft' | 'write' | 'external' | 'destructive';
export interface Filters { actor?: string; method?: string; status?: string; decision?: string; text?: string; risk?: Risk | undefined; label?: string }
export interface JournalRows {
  total: number;
  row: (i: number) => Call | undefined;
  indexOf: (seq: number) => number;
  seqAt: (i: number) => number | undefined;
  show: (from: number, to: number) => void;
  grown: number;
  more: boolean;
  error: Refused | undefined;
  again: () => void;
}

const PAGE = 200;
const MOST_PAGES = 30;
const asRefused = (e: unknown) => (e instanceof Refused ? e : new Refused(0, '', String(e)));

/** All entries from first to last. live: last grows with what comes. */
class Plain {
  pages = new Map<number, Call[]>();
  asked = new Set<number>();
  error: Refused | undefined;
  grown = 0;
  constructor(readonly place: string, readonly first: number, public last: number, readonly abort: AbortController, readonly draw: () => void) {}

  at(seq: number): Call | undefined {
    return this.pages.get(Math.floor((seq - 1) / PAGE))?.[(seq - 1) % PAGE];
  }
  put(e: Call) {
    const k = Math.floor((e.seq - 1) / PAGE);
    let page = this.pages.get(k);
    if (!page) this.pages.set(k, (page = []));
    page[(e.seq - 1) % PAGE] = e;
  }
  async ask(after: number, limit = PAGE) {
    try {
      const d = await get('/worlds/{world}/journal', {
        path: { world: this.place }, query: { after, limit, bodies: false, effects: true }, signal: this.abort.signal,
      });
      for (const e of d.entries) this.put(e as Call);
      this.error = undefined;
      for (const old of this.pages.keys()) {
        if (this.pages.size <= MOST_PAGES) break;
        this.pages.delete(old);
        this.asked.delete(old);
      }
    } catch (e) {
      if (this.abort.signal.aborted) return;
      this.asked.delete(Math.floor(after / PAGE));
      this.error = asRefused(e);
    }
    this.draw();
  }
  show(newest: number, oldest: number) {
    for (let k = Math.floor((Math.max(oldest, 1) - 1) / PAGE); k <= Math.floor((Math.max(newest, 1) - 1) / PAGE); k++) {
      if (this.asked.has(k)) continue;
      this.asked.add(k);
      void this.ask(k * PAGE);
    }
  }
  arrive(entries: Call[], last: number) {
    for (const e of entries) {
      this.put(e);
      this.asked.add(Math.floor((e.seq - 1) / PAGE));
    }
    if (last > this.last) {
      this.grown += last - this.last;
      this.last = last;
    }
    this.draw();
  }
  /** What calls that came live have changed is not in what came. */
  effects() {
    for (let seq = this.last; seq > this.last - PAGE && seq >= this.first; seq--) {
      const e = this.at(seq);
      if (!e || (mayWrite(e) && e.method && !e.effect && e.state && !(e as { looked?: boolean }).looked)) {
        const after = Math.max(this.first - 1, this.last - PAGE);
        for (let s = after + 1; s <= this.last; s++) {
          const x = this.at(s);
          if (x) (x as { looked?: boolean }).looked = true;
        }
        void this.ask(after, this.last - after);
        return;
      }
    }
  }
}

/** Entries that filters leave. */
class Filtered {
  rows: Call[] = [];
  next: number | undefined;
  more = true;
  busy = false;
  looking: 'no' | 'yes' | 'again' = 'no'; // for newer ones
  error: Refused | undefined;
  grown = 0;
  constructor(readonly place: string, readonly filters: Filters, readonly abort: AbortController, readonly draw: () => void) {}

  async older() {
    if (this.busy || !this.more) return;
    this.busy = true;
    try {
      const d = await get('/worlds/{world}/journal', {
        path: { world: this.place },
        query: { ...this.filters, order: 'newest', limit: PAGE, bodies: false, effects: true, before: this.next }, signal: this.abort.signal,
      });
      this.rows.push(...(d.entries as Call[]));
      this.next = d.next;
      this.more = d.next !== undefined;
      this.error = undefined;
    } catch (e) {
      if (this.abort.signal.aborted) return;
      this.error = asRefused(e);
      this.more = false;
    }
    this.busy = false;
    this.draw();
  }
  /** Looks for what came meanwhile: one request after the other, however often it is asked to. */
  async newer() {
    if (this.looking !== 'no') {
      this.looking = 'again';
      return;
    }
    do {
      this.looking = 'yes';
      if (await this.lookFor()) this.looking = 'again';
    } while ((this.looking as string) === 'again' && !this.abort.signal.aborted);
    this.looking = 'no';
  }
  /** Whether there may be more. */
  private async lookFor(): Promise<boolean> {
    const after = this.rows[0]?.seq;
    if (after === undefined) {
      if (!this.busy) {
        this.more = true;
        await this.older();
      }
      return false;
    }
    try {
      const d = await get('/worlds/{world}/journal', {
        path: { world: this.place }, query: { ...this.filters, after, limit: PAGE, bodies: false, effects: true }, signal: this.abort.signal,
      });
      const fresh = (d.entries as Call[]).reverse();
      if (!fresh.length) return false;
      this.rows.unshift(...fresh);
      this.grown += fresh.length;
      this.draw();
      return fresh.length === PAGE;
    } catch {
      return false; // it comes with the next call
    }
  }
}

export function useJournal(place: string, live: boolean, bounds: { first: number; last: number } | undefined, filters: Filters): JournalRows {
  const [, setDrawn] = useState(0);
  const [round, setRound] = useState(0);
  const filtered = Object.values(filters).some(Boolean);
  const held = useMemo(() => {
    const abort = new AbortController();
    const draw = () => setDrawn((n) => n + 1);
    return filtered ? new Filtered(place, filters, abort, draw)
      : bounds ? new Plain(place, bounds.first, bounds.last, abort, draw) : null;
  }, [place, JSON.stringify(filters), bounds?.first, live ? 0 : bounds?.last, round]);
  useEffect(() => () => held?.abort.abort(), [held]);
  useEffect(() => {
    if (held instanceof Filtered) void held.older();
    if (held instanceof Plain && live && head.value !== undefined) held.arrive([], head.value);
  }, [held]);
  useEffect(() => {
    if (!live) return;
    return onPiece((p) => {
      const key = world.value?.world;
      if (p.event === 'open' || p.data.world !== key) return;
      if (p.event === 'reset') setRound((r) => r + 1);
      if (held instanceof Filtered && (p.event === 'call' || p.event === 'skipped')) void held.newer();
      if (held instanceof Plain && p.event === 'call') held.arrive(p.data.entries as Call[], p.data.entries.at(-1)?.seq ?? 0);
      if (held instanceof Plain && p.event === 'skipped') held.arrive([], held.last + p.data.n);
    });
  }, [held, live]);
  useEffect(() => {
    if (live && held instanceof Filtered) void held.newer();
    if (live && held instanceof Plain) {
      if (head.value !== undefined && head.value > held.last) held.arrive([], head.value);
      held.effects();
    }
  }, [written.value]);
  const again = () => setRound((r) => r + 1);
  if (!held)
    return { total: 0, row: () => undefined, indexOf: () => -1, seqAt: () => undefined, show: () => {}, grown: 0, more: true, error: undefined, again };
  if (held instanceof Filtered)
    return {
      total: held.rows.length, row: (i) => held.rows[i], indexOf: (seq) => held.rows.findIndex((e) => e.seq === seq),
      seqAt: (i) => held.rows[i]?.seq, grown: held.grown, more: held.more, error: held.error, again,
      show: (_, to) => {
        if (to > held.rows.length - PAGE / 2) void held.older();
      },
    };
  return {
    total: Math.max(0, held.last - held.first + 1), row: (i) => held.at(held.last - i), indexOf: (seq) => held.last - seq,
    seqAt: (i) => held.last - i, grown: held.grown, more: false, error: held.error, again,
    show: (from, to) => held.show(held.last - from, Math.max(held.first, held.last - to + 1)),
  };
}
