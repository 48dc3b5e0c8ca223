// SPDX-License-Identifier: Apache-2.0
// Rows of a journal, newest first. Without filters an entry's place follows from its number, so that
// any part of a million is one request away; with filters pages come one behind the other.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get, Refused } from '../api/client';
import { onPiece } from '../api/stream';
import { realTime, Turns } from '../app/turns';
import { head, mayWrite, resets, world, written } from '../app/state';
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

const AGAIN_MS = 330;
const SOON_MS = 1000;
/** Of newer ones that filters leave: as many as are in sight where the first row is. */
const SOME = 60;

const pageOf = (seq: number) => Math.floor((seq - 1) / PAGE);

/** All entries from first to last. live: last grows with what comes. */
export class Plain {
  pages = new Map<number, Call[]>();
  /** Up to which entry a page was read: what came behind it came by itself, or is missing. */
  known = new Map<number, number>();
  /** Pages that are asked for. */
  busy = new Set<number>();
  /** Pages with entries that came live, without what they have changed. */
  bare = new Set<number>();
  /** Entries that were asked for: of one that has no effect here there is none. */
  private told = new WeakSet<Call>();
  /** Those of them that are asked for again behind the answer that is under way. */
  private stale = new Set<number>();
  error: Refused | undefined;
  grown = 0;
  /** The pages in sight, and the entries. */
  private from = 0;
  private to = 0;
  private oldest = 0;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private newest = 0;
  constructor(readonly place: string, readonly first: number, public last: number, readonly abort: AbortController, readonly draw: () => void) {
    this.from = this.to = pageOf(Math.max(1, last));
    this.turns = new Turns(realTime, 0, abort.signal);
  }

  at(seq: number): Call | undefined {
    return this.pages.get(pageOf(seq))?.[(seq - 1) % PAGE];
  }
  /** Whether it came live, without what it has changed. */
  private isBare = (e: Call | undefined) => !!e && mayWrite(e) && !!e.method && !e.effect && !!e.state && !this.told.has(e);
  private put(e: Call) {
    const k = pageOf(e.seq);
    let page = this.pages.get(k);
    if (!page) this.pages.set(k, (page = []));
    page[(e.seq - 1) % PAGE] = e;
  }
  /** Whether an entry of the page that is in sight is neither read nor came. */
  private lacks(k: number): boolean {
    const last = Math.min(this.last, this.newest, (k + 1) * PAGE);
    for (let seq = Math.max(this.first, this.oldest, (this.known.get(k) ?? k * PAGE) + 1); seq <= last; seq++)
      if (!this.at(seq)) return true;
    return false;
  }
  /** What of the page is in sight: from behind the first number up to the second one. */
  private sight = (k: number) => [Math.max(k * PAGE, this.oldest - 1), Math.min((k + 1) * PAGE, this.newest, this.last)] as const;
  /** The first of the page in sight that came live, without what it has changed; 0: there is none. */
  private bareInSight(k: number): number {
    const [after, to] = this.sight(k);
    for (let seq = after + 1; seq <= to; seq++) if (this.isBare(this.at(seq))) return seq;
    return 0;
  }
  /** What of a page was not read; seen: only what of it is in sight, from the first on that came live. */
  private async ask(k: number, seen = false) {
    if (this.busy.has(k)) return;
    const after = seen ? this.bareInSight(k) - 1 : this.known.get(k) ?? k * PAGE;
    const to = seen ? this.sight(k)[1] : (k + 1) * PAGE;
    if (after < 0 || to <= after) return;
    this.busy.add(k);
    this.bare.delete(k);
    const last = Math.min(this.last, to);
    try {
      const d = await get('/worlds/{world}/journal', {
        path: { world: this.place }, query: { after, limit: to - after, bodies: false, effects: true, times: true }, signal: this.abort.signal,
      });
      for (const e of d.entries as Call[]) {
        this.told.add(e);
        this.put(e);
      }
      // an answer ends before where its entries are long
      if (!seen) this.known.set(k, d.next ?? Math.max(last, d.entries.at(-1)?.seq ?? 0));
      this.error = undefined;
    } catch (e) {
      if (this.abort.signal.aborted) return;
      this.error = asRefused(e);
    }
    this.busy.delete(k);
    if (this.pages.get(k)?.some(this.isBare)) this.bare.add(k);
    this.forget();
    this.draw();
    // what came meanwhile is not in the answer
    const stale = this.stale.delete(k);
    if (this.error || !this.inSight(k)) return;
    if (this.lacks(k)) void this.ask(k);
    else if (stale && this.bareInSight(k)) void this.ask(k, true);
  }
  private inSight = (k: number) => k >= this.from && k <= this.to;
  /** Of too many pages those that are farthest from what is in sight are dropped. */
  private forget() {
    const far = (k: number) => Math.max(this.from - k, k - this.to);
    while (this.pages.size > MOST_PAGES) this.drop([...this.pages.keys()].reduce((a, b) => (far(b) > far(a) ? b : a)));
  }
  private drop(k: number) {
    this.pages.delete(k);
    this.known.delete(k);
    this.bare.delete(k);
  }
  show(newest: number, oldest: number) {
    this.oldest = Math.max(oldest, 1);
    this.newest = Math.max(newest, 1);
    this.from = pageOf(this.oldest);
    this.to = pageOf(this.newest);
    for (let k = this.from; k <= this.to; k++) {
      if (this.lacks(k)) void this.ask(k);
      else if (this.bare.has(k)) this.soon ??= setTimeout(() => this.effectsByTurns(), SOON_MS);
    }
  }
  arrive(entries: Call[], last: number) {
    for (const e of entries) {
      this.put(e);
      if (this.isBare(e)) this.bare.add(pageOf(e.seq));
    }
    if (last > this.last) {
      this.grown += last - this.last;
      this.last = last;
    }
    this.forget();
    this.draw();
  }
  /** What calls that came live have changed is not in what came: it is asked for where they are in sight, else when they are. */
  async effects() {
    clearTimeout(this.soon);
    this.soon = undefined;
    if (this.abort.signal.aborted) return;
    const asked = [];
    for (const k of [...this.bare]) {
      if (this.busy.has(k)) this.stale.add(k);
      else if (!this.inSight(k)) this.drop(k);
      else if (this.bareInSight(k)) asked.push(this.ask(k, true));
    }
    await Promise.all(asked);
  }
  private readonly turns: Turns;
  /** The same, in its turn. */
  effectsByTurns() {
    this.turns.ask('', () => this.effects());
  }
}

/** Entries that filters leave. */
export class Filtered {
  rows: Call[] = [];
  next: number | undefined;
  more = true;
  busy = false;
  /** Up to which entry all was looked through, and which one is the last. */
  private looked: number | undefined;
  private last = head.value ?? 0;
  private reading: Promise<void> = Promise.resolve();
  /** The first row in sight, and the one behind the last. */
  private from = 0;
  private to = 0;
  private readonly turns: Turns;
  error: Refused | undefined;
  grown = 0;
  constructor(readonly place: string, readonly filters: Filters, readonly abort: AbortController, readonly draw: () => void, time = realTime) {
    this.turns = new Turns(time, AGAIN_MS, abort.signal);
  }

  /** The next page, of the newest ones first; until it is there. */
  older(): Promise<void> {
    if (!this.busy && this.more) this.reading = this.readOlder();
    return this.reading;
  }
  private async readOlder() {
    this.busy = true;
    this.looked ??= this.last;
    try {
      const d = await get('/worlds/{world}/journal', {
        path: { world: this.place },
        query: { ...this.filters, order: 'newest', limit: PAGE, bodies: false, effects: true, times: true, before: this.next }, signal: this.abort.signal,
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
  newer(last = 0) {
    this.last = Math.max(this.last, last);
    this.turns.ask('', async () => {
      if (await this.lookFor()) this.newer();
    });
  }
  /** Whether there may be more. */
  private async lookFor(): Promise<boolean> {
    if (this.abort.signal.aborted) return false;
    if (this.looked === undefined) void this.older();
    await this.reading; // what comes meanwhile may be in its answer
    const after = Math.max(this.looked ?? 0, this.rows[0]?.seq ?? 0), last = this.last;
    if (last <= after) return false;
    const ask = (query: { order?: 'newest'; limit: number }) => get('/worlds/{world}/journal', {
      path: { world: this.place }, query: { ...this.filters, ...query, after, bodies: false, effects: true, times: true }, signal: this.abort.signal,
    });
    try {
      // where the first row is in sight the newest ones are shown; those before them are asked for as all older ones are
      const newest = this.from === 0 && !this.busy ? await ask({ order: 'newest', limit: SOME }) : undefined;
      await this.reading; // of older ones, which it goes on with
      if (newest?.next !== undefined && newest.entries.length >= SOME) {
        this.rows = [];
        this.next = newest.next;
        this.more = true;
        this.take(newest.entries as Call[], last);
        return false;
      }
      if (newest && newest.next === undefined) {
        this.take(newest.entries as Call[], last);
        return false;
      }
      const d = await ask({ limit: PAGE });
      this.take((d.entries as Call[]).reverse(), last, d.next);
      return d.next !== undefined;
    } catch {
      return false; // it comes with the next call
    }
  }
  /** Newer ones, the newest first. next: up to there all was looked through; else up to last. */
  private take(fresh: Call[], last: number, next?: number) {
    this.looked = next ?? Math.max(last, this.looked ?? 0, fresh[0]?.seq ?? 0);
    if (!fresh.length) return;
    this.rows.unshift(...fresh);
    this.grown += fresh.length;
    this.forget();
    this.draw();
  }
  /** Of too many rows the oldest are dropped, behind those in sight. */
  private forget() {
    const most = Math.max(MOST_PAGES * PAGE, this.to + 2 * PAGE);
    if (this.busy || this.rows.length <= most) return;
    this.rows.length = most;
    this.next = this.rows[most - 1]!.seq;
    this.more = true;
  }
  show(from: number, to: number) {
    this.from = from;
    this.to = to;
    if (to > this.rows.length - Math.min(PAGE / 2, this.rows.length / 4)) void this.older();
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
  }, [place, JSON.stringify(filters), bounds?.first, live ? resets.value : bounds?.last, round]);
  const shown = useRef({ from: 0, to: 1 });
  const show = (rows: Plain) => rows.show(rows.last - shown.current.from, Math.max(rows.first, rows.last - shown.current.to + 1));
  useEffect(() => () => held?.abort.abort(), [held]);
  useEffect(() => {
    if (held instanceof Filtered) void held.older();
    if (!(held instanceof Plain)) return;
    if (live && head.value !== undefined) held.arrive([], head.value);
    show(held);
  }, [held]);
  useEffect(() => {
    if (!live) return;
    return onPiece((p) => {
      const key = world.value?.world;
      if (p.event === 'open' || p.data.world !== key) return;
      if (held instanceof Filtered && p.event === 'call') held.newer(p.data.entries.at(-1)?.seq);
      if (held instanceof Plain && p.event === 'call') held.arrive(p.data.entries as Call[], p.data.entries.at(-1)?.seq ?? 0);
    });
  }, [held, live]);
  useEffect(() => {
    if (live && held instanceof Filtered) held.newer(head.value);
    if (live && held instanceof Plain) {
      if (head.value !== undefined && head.value > held.last) held.arrive([], head.value);
      held.effectsByTurns();
    }
  }, [written.value]);
  const again = () => setRound((r) => r + 1);
  if (!held)
    return { total: 0, row: () => undefined, indexOf: () => -1, seqAt: () => undefined, show: () => {}, grown: 0, more: true, error: undefined, again };
  if (held instanceof Filtered)
    return {
      total: held.rows.length, row: (i) => held.rows[i], indexOf: (seq) => held.rows.findIndex((e) => e.seq === seq),
      seqAt: (i) => held.rows[i]?.seq, grown: held.grown, more: held.more, error: held.error, again,
      show: (from, to) => held.show(from, to),
    };
  return {
    total: Math.max(0, held.last - held.first + 1), row: (i) => held.at(held.last - i), indexOf: (seq) => held.last - seq,
    seqAt: (i) => held.last - i, grown: held.grown, more: false, error: held.error, again,
    show: (from, to) => {
      shown.current = { from, to };
      show(held);
    },
  };
}
