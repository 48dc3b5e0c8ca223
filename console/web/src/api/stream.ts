// SPDX-License-Identifier: Apache-2.0
// What happens in worlds, as it happens: one stream for all tabs. The tab that holds a lock reads
// it and tells the others; when it closes, the next one takes over. None reads while all are hidden.
import { signal } from '@preact/signals';
import { ROOT, request, session, Refused } from './client';
import type { Schemas } from './types';

export type Entry = Schemas['JournalEntry'];
/** Entries before those of the next piece, which are not sent; of which sort they are, as far as it is known. */
export interface Skipped { world: string; n: number; from: number; to: number; at?: string; reads?: number; writes?: number; refused?: number; held?: number; errors?: number }
export type Piece =
  | { event: 'open'; data: { worlds: Array<{ world: string; seq?: number; era?: number }> } }
  | { event: 'call'; data: { world: string; entries: Entry[] } }
  | { event: 'skipped'; data: Skipped }
  | { event: 'clock'; data: { world: string; now: string } }
  | { event: 'reset'; data: { world: string; seq: number; era: number } }
  | { event: 'dropped'; data: { world: string } };

type Listener = (piece: Piece) => void;
type Note = { kind: 'piece'; piece: Piece } | { kind: 'want'; worlds: string[] } | { kind: 'ask' } | { kind: 'state'; live: boolean };

/** Whether pieces arrive, in this tab or through another one. */
export const live = signal(false);

const LOCK = 'sosia.stream';
const MOST_WORLDS = 16;
/** Of a piece: more rows than this screen shows. Those before them are counted, and asked for where they are looked at. */
const mostEntries = () => Math.max(60, Math.min(200, Math.ceil(screen.height / 24)));
const listeners = new Set<Listener>();
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('sosia.events') : null;
/** Worlds that other tabs look at, by when they last said so. */
const wanted = new Map<string, number>();
let own: string[] = [];
let last = '';
let reader: AbortController | null = null;
let leading = false;

const MANY = 20, MANY_MS = 1000;
let many = -MANY_MS;
/** Whether many calls come: what is asked for then takes its time from theirs. */
export const manyCome = () => performance.now() - many < MANY_MS;

export function onPiece(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(piece: Piece) {
  if (piece.event === 'dropped') forget(piece.data.world);
  if (piece.event === 'skipped' || (piece.event === 'call' && piece.data.entries.length >= MANY)) many = performance.now();
  for (const l of listeners) l(piece);
}

/** A world that is gone is asked for no more: the stream of all tabs would be refused for it. */
function forget(gone: string) {
  own = own.filter((w) => w !== gone);
  wanted.delete(gone);
}

function tellAll(piece: Piece) {
  tell(piece);
  channel?.postMessage({ kind: 'piece', piece } satisfies Note);
}

/** The worlds (keys) that this tab looks at. */
export function follow(worlds: string[]) {
  if (worlds.join() === own.join()) return;
  own = worlds;
  channel?.postMessage({ kind: 'want', worlds: own } satisfies Note);
  restart();
}

function all(): string[] {
  const recent = Date.now() - 90000;
  const others = [...wanted].filter(([, at]) => at > recent).map(([w]) => w);
  return [...new Set([...own, ...others])].slice(0, MOST_WORLDS);
}

if (channel) {
  channel.onmessage = ({ data }: MessageEvent<Note>) => {
    if (data.kind === 'piece' && !leading) {
      live.value = true;
      tell(data.piece);
    }
    if (data.kind === 'state' && !leading) live.value = data.live;
    if (data.kind === 'ask') channel.postMessage({ kind: 'want', worlds: own } satisfies Note);
    if (data.kind === 'want' && leading) {
      const fresh = data.worlds.some((w) => !all().includes(w));
      for (const w of data.worlds) wanted.set(w, Date.now());
      if (fresh) restart();
      else channel.postMessage({ kind: 'state', live: live.value } satisfies Note);
    }
  };
  setInterval(() => {
    if (document.visibilityState === 'visible')
      channel.postMessage({ kind: 'want', worlds: own } satisfies Note);
  }, 30000);
}

function restart() {
  reader?.abort();
}

/** Takes pieces off a text of Server-Sent Events; gives back what is not whole yet. */
export function takePieces(buffer: string, take: (id: string, event: string, data: string) => void): string {
  const blocks = buffer.split('\n\n');
  const rest = blocks.pop() ?? '';
  for (const block of blocks) {
    let id = '', event = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const at = line.indexOf(':');
      const name = at < 0 ? line : line.slice(0, at);
      const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
      if (name === 'id') id = value;
      if (name === 'event') event = value;
      if (name === 'data') data.push(value);
    }
    if (data.length) take(id, event, data.join('\n'));
  }
  return rest;
}

function state(is: boolean) {
  live.value = is;
  channel?.postMessage({ kind: 'state', live: is } satisfies Note);
}

async function read(worlds: string[], abort: AbortController) {
  const headers: HeadersInit = last ? { 'Last-Event-ID': last } : {};
  const target = `${ROOT}/events?entries=${mostEntries()}&worlds=${worlds.map(encodeURIComponent).join(',')}`;
  const response = await request('GET', target, { headers, signal: abort.signal });
  const bytes = response.body!.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  state(true);
  for (;;) {
    const { done, value } = await bytes.read();
    if (done) return;
    buffer = takePieces(buffer + decoder.decode(value, { stream: true }), (id, event, data) => {
      if (id) last = id;
      tellAll({ event, data: JSON.parse(data) } as Piece);
    });
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Until the page is hidden or the session is over. */
async function lead() {
  leading = true;
  channel?.postMessage({ kind: 'ask' } satisfies Note);
  let wait = 500;
  while (session.value && document.visibilityState === 'visible') {
    const worlds = all();
    if (!worlds.length) {
      await pause(200);
      continue;
    }
    reader = new AbortController();
    try {
      await read(worlds, reader);
      wait = 500;
    } catch (e) {
      if (reader.signal.aborted) continue;
      state(false);
      if (e instanceof Refused && e.status === 400) last = '';
      if (e instanceof Refused && e.status === 404)
        for (const world of worlds.filter((w) => e.message.includes(w))) tellAll({ event: 'dropped', data: { world } });
      await pause(wait);
      wait = Math.min(wait * 2, 8000);
    }
  }
  reader = null;
  leading = false;
  state(false);
}

async function run() {
  for (;;) {
    if (!session.value || document.visibilityState !== 'visible') {
      await pause(300);
      continue;
    }
    if (navigator.locks) await navigator.locks.request(LOCK, lead).catch(() => pause(1000));
    else await lead();
  }
}

/** Once, when the page is there. */
export function startStream() {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') restart();
  });
  let was = session.value?.session;
  session.subscribe((s) => {
    // what it may see is the session's
    if (s?.session !== was) restart();
    was = s?.session;
  });
  void run();
}
