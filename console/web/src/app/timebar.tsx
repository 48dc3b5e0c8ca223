// SPDX-License-Identifier: Apache-2.0
// The time bar: the calls of a world as a histogram. Dragging it puts a step into the address.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, send } from '../api/client';
import { statusOf, type Call } from '../ui/calls';
import { loadSnapshots, snapshots } from './worlds';
import { go } from './router';
import { arrivals, head, mayWrite, type Arrival, nameOf, readOnly, resets, seq, world, worldName } from './state';
import { say, useAsked, useGet } from './use';
import { text } from '../strings';
import { momentOf, timeOf } from '../ui/dates';

interface Bucket { from: number; to: number; at: string; reads: number; writes: number; refused: number; held: number; errors: number }
const BUCKETS = 240;

/** The next call that wrote, from a step on; the first in the other direction. */
async function nextWrite(from: number, direction: 1 | -1): Promise<number | undefined> {
  const path = { world: worldName.value! };
  const query = direction > 0
    ? { after: from, limit: 1, risk: 'draft', bodies: false } as const
    : { before: from, limit: 1, risk: 'draft', order: 'newest', bodies: false } as const;
  const { entries } = await get('/worlds/{world}/journal', { path, query });
  return entries.find(mayWrite)?.seq ?? entries[0]?.seq;
}

/** [ and ]: to the state behind the call that wrote before, or next; behind the last one it is now. */
export async function stepBy(direction: 1 | -1) {
  if (!worldName.value) return;
  const now = seq.value === undefined;
  if (direction > 0 && now) return;
  try {
    // what is behind the last call that wrote is the same as now: each step shows another state
    const from = now ? await nextWrite((head.value ?? 0) + 1, -1) : seq.value!;
    if (from === undefined) return;
    const found = await nextWrite(from, direction);
    if (direction < 0) go({ seq: found ?? 0 }, !now);
    else go({ seq: found !== undefined && (await nextWrite(found, 1)) !== undefined ? found : undefined }, true);
  } catch (e) {
    say((e as Error).message);
  }
}

/** Forks the world as it is shown, and opens the fork. */
export async function fork() {
  if (!worldName.value) return;
  try {
    const made = await send('post', '/worlds/{world}/fork', {
      path: { world: worldName.value }, body: seq.value === undefined ? {} : { step: seq.value },
    });
    const key = made.worlds?.[0] ?? made.world;
    say(text.forked(made.name ?? key));
    go({ world: made.name ?? key, view: 'overview', rest: [] });
  } catch (e) {
    say((e as Error).message);
  }
}

/** How many of its entries are calls that read or wrote: buckets are not all as wide as each other. */
const shareOf = (b: Bucket, n: number) => n / (b.to - b.from + 1);

function Bars(p: { buckets: Bucket[]; first: number; last: number; at: number; marks: Array<{ seq: number; name: string }> }) {
  const span = Math.max(1, p.last - p.first + 1), width = 1000, height = 28;
  const most = Math.max(...p.buckets.map((b) => shareOf(b, b.reads + b.writes)));
  const x = (k: number) => ((k - p.first) / span) * width;
  // four paths however many buckets there are: what is drawn anew at each piece is to cost little
  const reads = [], writes = [], held = [], refused = [];
  for (const b of p.buckets) {
    const left = x(b.from), wide = Math.max(1.2, x(b.to + 1) - left - 0.6);
    const tall = (n: number) => (n ? Math.max(3, (shareOf(b, n) / most) * (height - 8)) : 0);
    const box = (top: number, bottom: number) => `M${left.toFixed(1)} ${top.toFixed(1)}h${wide.toFixed(1)}V${bottom.toFixed(1)}h-${wide.toFixed(1)}z`;
    const low = tall(b.writes), high = tall(b.reads), bottom = height - low;
    if (low) writes.push(box(bottom, height));
    if (high) reads.push(box(Math.max(8, bottom - high), bottom));
    // refused, held and failed are among those that read and wrote: a stripe above
    if (b.held) held.push(box(0, 6));
    else if (b.errors + b.refused) refused.push(box(0, 6));
  }
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="bar-writes" d={writes.join('')} />
      <path class="bar-reads" d={reads.join('')} />
      <path class="bar-held" d={held.join('')} />
      <path class="bar-refused" d={refused.join('')} />
      {p.marks.map((m) => <rect key={m.name} class="bar-snapshot" x={x(m.seq)} width={2} y={0} height={height}><title>{m.name}</title></rect>)}
      <rect class="bar-rest" x={x(p.at + 1)} width={Math.max(0, width - x(p.at + 1))} y={0} height={height} />
      <rect class="bar-now" x={Math.min(width - 3, Math.max(0, x(p.at + 1) - 1.5))} width={3} y={0} height={height} />
    </svg>
  );
}

const RECENT = 50; // pieces
const GAP_MS = 1000; // how often at most what did not come is asked for

/** The histogram: asked for once, and gone on with by what comes, of which what was left out is asked for; all of it again when the
 * journal went back. */
function useStrip(name: string | undefined, key: string | undefined): Bucket[] {
  const [, draw] = useState(0);
  const [round, setRound] = useState(0);
  const held = useRef<Bucket[]>([]);
  // what came while the histogram was asked for
  const recent = useRef<Arrival[]>([]);
  const gap = useRef<ReturnType<typeof setTimeout>>();
  const ask = (after: number | undefined, buckets: number, to?: number, signal?: AbortSignal) =>
    get('/worlds/{world}/journal/strip', { path: { world: name! }, query: { after, to, buckets }, ...(signal ? { signal } : {}) }).then((d) => d.buckets as unknown as Bucket[]);
  const strip = useAsked<Bucket[]>(`${key}:${resets.value}:${round}`, async (abort) => (name && key ? ask(undefined, BUCKETS, undefined, abort) : []));
  const last = () => held.current.at(-1)?.to ?? 0;
  const isBehind = () => head.value !== undefined && head.value > last();
  const fill = () => {
    gap.current ??= setTimeout(async () => {
      const was = held.current, from = last();
      const width = widthOf(was);
      // up to the end of a piece: what came since goes on from there
      const more = await ask(from, Math.min(BUCKETS, Math.ceil(((head.value ?? from) - from) / width) || 1), head.value).catch(() => []);
      gap.current = undefined;
      // another journal by now, or one that was read anew
      if (held.current !== was || !more.length) return;
      held.current = recent.current.reduce(takeIn, halved([...was, ...more]));
      draw((n) => n + 1);
      if (isBehind()) fill();
    }, GAP_MS);
  };
  useEffect(() => () => {
    clearTimeout(gap.current);
    gap.current = undefined;
    recent.current = [];
  }, [key, resets.value]);
  useEffect(() => {
    held.current = recent.current.reduce(takeIn, strip.data ?? []);
    draw((n) => n + 1);
  }, [strip.data]);
  useEffect(() => {
    recent.current = [...recent.current, arrivals.value].slice(-RECENT);
    if (!strip.data || gap.current || !arrivals.value.entries.length) return;
    held.current = takeIn(held.current, arrivals.value);
    draw((n) => n + 1);
  }, [arrivals.value.n]);
  useEffect(() => {
    if (!strip.data || head.value === undefined || !held.current.length) return;
    if (head.value < last()) {
      recent.current = [];
      setRound((r) => r + 1);
    } else if (isBehind()) {
      fill();
    }
  }, [head.value, strip.data]);
  return held.current;
}

/** Of the next bucket, such that there are as many as there is room for: one of what was left out may be much wider. */
const widthOf = (buckets: Bucket[]) => Math.max(1, Math.ceil(((buckets.at(-1)?.to ?? 0) - (buckets[0]?.from ?? 1) + 1) / (2 * BUCKETS)));

/** Puts what came behind the last bucket, unless something is missing between; pairs of buckets become one when there are too many. */
export function takeIn(buckets: Bucket[], { entries, skipped }: Arrival): Bucket[] {
  const out = buckets.slice(), end = buckets.at(-1)?.to;
  const begin = skipped?.from ?? entries[0]?.seq ?? 0;
  if (end !== undefined && begin > end + 1) return buckets;
  if (skipped && skipped.to > (end ?? 0)) {
    const { from, to, at, reads, writes = 0, refused = 0, held = 0, errors = 0 } = skipped;
    if (reads === undefined || (end !== undefined && from <= end)) return buckets;
    out.push({ from, to, at: at ?? buckets.at(-1)?.at ?? '', reads, writes, refused, held, errors });
  }
  const width = widthOf(out);
  for (const e of entries as Call[]) {
    let last = out.at(-1);
    if (last && e.seq <= last.to) continue;
    if (!last || last.to - last.from + 1 >= width) out.push((last = { from: e.seq, to: e.seq, at: e.at, reads: 0, writes: 0, refused: 0, held: 0, errors: 0 }));
    else out[out.length - 1] = last = { ...last, to: e.seq };
    if (!e.request) continue;
    const status = statusOf(e) ?? 0, holds = e.guard?.decision === 'approve' && status >= 400;
    last[e.risk === undefined ? 'reads' : 'writes']++;
    if (holds) last.held++;
    else if (status >= 500) last.errors++;
    else if (status >= 400) last.refused++;
  }
  return halved(out);
}

/** Pairs become one until there are not too many. */
function halved(buckets: Bucket[]): Bucket[] {
  if (buckets.length <= 2 * BUCKETS) return buckets;
  const half: Bucket[] = [];
  for (let i = 0; i < buckets.length; i += 2) {
    const a = buckets[i]!, b = buckets[i + 1];
    half.push(b ? { from: a.from, to: b.to, at: a.at, reads: a.reads + b.reads, writes: a.writes + b.writes, refused: a.refused + b.refused, held: a.held + b.held, errors: a.errors + b.errors } : a);
  }
  return halved(half);
}

export function TimeBar() {
  const name = worldName.value;
  const key = world.value?.world;
  const buckets = useStrip(name, key);
  useEffect(() => {
    void loadSnapshots();
  }, [key]);
  const first = buckets[0]?.from ?? 1, last = Math.max(head.value ?? 0, buckets.at(-1)?.to ?? 0);
  const [dragged, show] = useState<number | undefined>(undefined);
  const held = useRef<number | undefined>(undefined);
  const drag = (to: number | undefined) => {
    held.current = to;
    show(to);
  };
  const at = dragged ?? seq.value ?? last;
  const shownAt = buckets.findLast?.((b) => b.from <= at)?.at;
  const box = useRef<HTMLDivElement>(null);
  const seqOf = (e: PointerEvent) => {
    const r = box.current!.getBoundingClientRect();
    const part = Math.max(0, Math.min(1, (e.clientX - r.left) / r.width));
    return Math.max(first - 1, Math.min(last, first - 1 + Math.round(part * (last - first + 1))));
  };
  // a snapshot stands behind the last call before its time, which a clock that stands still does not say
  const marks = world.value?.clock === 'frozen' ? [] : snapshots.value.map((s) => ({
    name: s.name, seq: (buckets.find((b) => Date.parse(b.at) > Date.parse(s.now))?.from ?? last + 1),
  }));
  const set = (to: number) => go({ seq: to >= last ? undefined : to }, seq.value !== undefined);
  if (!name) return null;
  return (
    <footer class="timebar" aria-label={text.timeBar}>
      <button type="button" onClick={() => stepBy(-1)} title={`${text.stepBack} ([)`} aria-label={text.stepBack}>‹</button>
      <button type="button" onClick={() => stepBy(1)} title={`${text.stepOn} (])`} aria-label={text.stepOn} disabled={seq.value === undefined}>›</button>
      <button type="button" class="to-now" onClick={() => go({ seq: undefined })} aria-pressed={seq.value === undefined} title={`${text.toNow} (l)`}>
        {text.now}
      </button>
      <div
        class="strip" ref={box} role="slider" tabIndex={0} aria-label={text.timeBar}
        aria-valuemin={first - 1} aria-valuemax={last} aria-valuenow={at}
        aria-valuetext={last ? text.callOf(at, last) : text.noCalls}
        onPointerDown={(e) => {
          if (!last) return;
          box.current!.setPointerCapture(e.pointerId);
          drag(seqOf(e));
        }}
        onPointerMove={(e) => held.current !== undefined && drag(seqOf(e))}
        onPointerUp={() => {
          if (held.current !== undefined) set(held.current);
          drag(undefined);
        }}
        onPointerCancel={() => drag(undefined)}
        onKeyDown={(e) => {
          const by: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -last, End: last };
          const move = by[e.key];
          if (move === undefined || !last) return;
          e.preventDefault();
          set(Math.max(first - 1, Math.min(last, at + move)));
        }}
      >
        <Bars buckets={buckets} first={first} last={last} at={at} marks={marks} />
      </div>
      <span class="strip-text">
        {last ? (at < 1 ? text.firstCall : text.callOf(at, last)) : text.noCalls}
        {shownAt && <time dateTime={shownAt} title={momentOf(shownAt)}> {timeOf(shownAt)}</time>}
      </span>
    </footer>
  );
}

/** Above the screen while a step is looked at. */
export function StepBand() {
  const at = seq.value;
  const entry = useGet('/worlds/{world}/journal/{seq}', { path: { world: worldName.value ?? '', seq: at ?? 0 } as never }, { skip: !at || !worldName.value });
  if (at === undefined || !worldName.value) return null;
  const e = entry.data;
  return (
    <div class="band" role="status">
      <span>{at ? text.youLookAt(at) : text.firstCall}</span>
      {e && at === e.seq && <span class="quiet"><time dateTime={e.at}>{momentOf(e.at)}</time> {e.method ?? ''} {e.actor ? nameOf(e.actor) : ''}</span>}
      <button type="button" onClick={() => go({ seq: undefined })}>{text.toNow}</button>
      {!readOnly.value && <button type="button" onClick={fork}>{text.forkHere}</button>}
    </div>
  );
}
