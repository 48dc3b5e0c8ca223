// SPDX-License-Identifier: Apache-2.0
// What all screens share: the world, its people, where its journal is, and what changed since when.
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { get, reachable, Refused, session } from '../api/client';
import { follow, onPiece, type Entry, type Skipped } from '../api/stream';
import type { Schemas } from '../api/types';
import { route } from './router';
import { Turns } from './turns';
import { keep, kept } from './kept';

export type World = Schemas['World'];
export type Actor = Schemas['Actor'];
export type Change = Schemas['Change'];

// ---- the world of the address ----

export const worldName = computed(() => route.value.world);
export const seq = computed(() => route.value.seq);
/** What paths of the control interface take as {world}: with the step, if there is one. */
export const place = computed(() => placeOf(worldName.value ?? '', seq.value));
export const placeOf = (world: string, at?: number) => (at === undefined ? world : `${world}@${at}`);

export const world = signal<World | null>(null);
/** Its key, which changes with the world alone: the row above has the clock. */
export const worldKey = computed(() => world.value?.world);
export const worldError = signal<Refused | null>(null);
/** The world was dropped while it was shown. */
export const dropped = signal(false);
/** Its last entry of the journal; undefined: not known yet. */
export const head = signal<number | undefined>(undefined);
/** Goes up, at most three times a second, and once where more calls come than are sent, when a call of the world's may have changed something, or it was reset. */
export const written = signal(0);
/** Goes up when the person has done something by the page: what is shown is asked for at once. */
export const acted = signal(0);
/** Goes up when the world was reset: its journal is another one from some entry on. */
export const resets = signal(0);
/** Goes up when the server can be reached again: all is asked anew. */
export const regained = signal(0);
export interface Arrival { entries: Entry[]; skipped?: Skipped | undefined }
/** The last entries that came, oldest first, and what was left out before them: for screens that show them as they come. */
export const arrivals = signal<Arrival & { n: number }>({ n: 0, entries: [] });

let pending: ReturnType<typeof setTimeout> | undefined;
function changed(often = false) {
  pending ??= setTimeout(() => {
    pending = undefined;
    written.value++;
  }, often ? 1000 : 330);
}

/** Whether a call may have changed something. */
export const mayWrite = (e: Entry) => (e.risk !== undefined && e.risk !== 'read') || !!e.fired || !!e.control || !e.method;

/** Whether what was left out may have changed something: where that is not known, it may. */
const mayHaveWritten = (s: Skipped | undefined) => !!s && (s.writes === undefined || s.writes > 0 || (s.reads ?? 0) < s.n);

/** What was left out before the entries that come next. */
let left: Skipped | undefined;

/** How often the world was reset, as the stream has said last; undefined: not known yet. */
let era: number | undefined;

function opened(own: { seq?: number; era?: number }) {
  if (own.seq === undefined) return;
  const known = era;
  era = own.era;
  batch(() => {
    if (known !== undefined && own.era !== known) resets.value++;
    // not all that happened while nobody looked is an entry
    if (head.value !== undefined) changed();
    head.value = own.seq;
  });
}

onPiece((p) => {
  const key = world.value?.world;
  if (p.event === 'open') {
    const own = p.data.worlds.find((w) => w.world === key);
    if (own) opened(own);
    return;
  }
  if (!key || p.data.world !== key) return;
  if (p.event === 'call') {
    const entries = p.data.entries, skipped = left;
    left = undefined;
    batch(() => {
      head.value = Math.max(head.value ?? 0, entries.at(-1)?.seq ?? 0);
      arrivals.value = { n: arrivals.value.n + 1, entries, skipped };
    });
    if (mayHaveWritten(skipped) || entries.some(mayWrite)) changed(!!skipped);
  } else if (p.event === 'skipped') {
    // the stream may have ended before what the last one was of
    if (mayHaveWritten(left)) changed(true);
    left = p.data;
  } else if (p.event === 'clock') {
    // a call that moves it says by itself whether it may have changed more, and so does whoever sets it
    if (world.value) world.value = { ...world.value, now: p.data.now };
    if (world.value?.journal === 'none') changed();
  } else if (p.event === 'reset') {
    era = p.data.era;
    left = undefined;
    batch(() => {
      head.value = p.data.seq;
      resets.value++;
      written.value++;
    });
  } else if (p.event === 'dropped') {
    dropped.value = true;
  }
});

/** A world by its key, which may be gone. */
export async function findWorld(key: string, abort?: AbortSignal): Promise<Schemas['World'] | undefined> {
  const { worlds } = await get('/worlds', { query: { q: key, limit: 2 }, ...(abort ? { signal: abort } : {}) });
  return worlds.find((w) => w.world === key);
}

/** Another world than the one that was shown, or none: nothing of that one is left. */
function leaveWorld() {
  era = left = undefined;
  head.value = undefined;
  actors.value = null;
  changes.value = null;
}

/** The address at which world was read. */
let loadedName: string | undefined;

/** Reads the world of the address again. */
export async function loadWorld() {
  const name = worldName.value;
  if (!name || !session.value) {
    batch(() => {
      world.value = null;
      worldError.value = null;
    });
    return;
  }
  try {
    const w = await get('/worlds/{world}', { path: { world: name } });
    if (name !== worldName.value) return;
    batch(() => {
      if (w.world !== world.value?.world) leaveWorld();
      loadedName = name;
      world.value = w;
      worldError.value = null;
      dropped.value = false;
    });
  } catch (e) {
    if (name !== worldName.value || !(e instanceof Refused)) return;
    batch(() => {
      if (name !== loadedName) {
        leaveWorld();
        world.value = null;
      }
      worldError.value = e;
    });
  }
}

// ---- people ----

/** All who are in the world, in its order; null: not loaded yet. */
export const actors = signal<Actor[] | null>(null);
const CHOSEN = 'sosia.person';
const chosen = signal(kept(CHOSEN));

export const actorName = (a: Actor) => a.email ?? a.handle ?? String(a.id);
/** Views of a person have the person as the first segment; others show the one chosen last. */
export const actor = computed(() => {
  const all = actors.value;
  const inAddress = PERSONAL.has(route.value.view) ? route.value.rest[0] : undefined;
  if (inAddress) return inAddress;
  if (!all?.length) return undefined;
  return actorName(all.find((a) => actorName(a) === chosen.value) ?? all.find((a) => a.kind === 'person') ?? all[0]!);
});
export function choose(name: string) {
  chosen.value = name;
  keep(CHOSEN, name);
}
/** Names of views of a person; app/views.ts fills it. */
export const PERSONAL = new Set<string>();

/** Why they could not be loaded. */
export const actorsError = signal<Refused | undefined>(undefined);
const actorsRound = signal(0);
export const askActors = () => void actorsRound.value++;

async function loadActors(name: string) {
  const all: Actor[] = [];
  actorsError.value = undefined;
  for (;;) {
    const last = all.at(-1)?.id;
    const { actors: page } = await get('/worlds/{world}/actors', { path: { world: name }, query: { limit: 1000, after: last } });
    all.push(...page);
    if (page.length < 1000 || all.length >= 20000) break;
  }
  if (name === worldName.value) actors.value = all;
}

const byAddress = computed(() => new Map((actors.value ?? []).map((a) => [actorName(a), a] as const)));
/** Somebody by the address or the handle that the page has for them. */
export const actorOf = (address: string | undefined): Actor | undefined => (address === undefined ? undefined : byAddress.value.get(address));
/** The first person. */
export const firstPerson = computed(() => actors.value?.find((a) => a.kind === 'person'));
/** A person's name, where there is one. */
export const nameOf = (address: string) => actorOf(address)?.name ?? address;

// ---- changes ----

/** What marks are since: of the address, else what the world was made from. */
export const since = computed(() => route.value.query.since ?? world.value?.parent_name);
/** The changes from there to what is shown; null: not loaded, or there is nothing to compare with. */
export const changes = signal<{ from: string; to: string; list: Change[]; total: number } | null>(null);
/** Of more changes the first ones are marked, and listed: the server has the others. */
export const MOST_CHANGES = 5000;
export const changesError = signal<Refused | null>(null);

const flat = (list: Change[]): Change[] => list.flatMap((c) => [c, ...flat(c.consequences ?? [])]);
/** All of them, what follows from others too, by their names ("event/ada@x.example/ID"). */
export const changesByName = computed(() =>
  new Map(flat(changes.value?.list ?? []).filter((c) => c.name).map((c) => [c.name!, c] as const)));
export const changesCount = computed(() => changes.value?.total);

const comparing = new Turns();
export function loadChanges() {
  const from = since.value, now = place.value;
  if (!from || !world.value || !session.value) {
    comparing.stop();
    changes.value = null;
    return;
  }
  comparing.ask(`${from}:${now}:${session.value.session}:${acted.value}`, async (signal) => {
    try {
      const d = await get('/diff', { query: { from, to: now, causes: true, limit: MOST_CHANGES }, signal });
      if (signal.aborted) return;
      batch(() => {
        changes.value = { from, to: now, list: d.changes, total: d.total ?? d.changes.length };
        changesError.value = null;
      });
    } catch (e) {
      if (e instanceof Refused && !signal.aborted)
        batch(() => {
          changes.value = null;
          changesError.value = e;
        });
    }
  });
}

/** How many calls wait for a decision in what is shown; undefined: not known. */
export const heldCount = signal<number | undefined>(undefined);
const counting = new Turns();
function loadHeld() {
  const name = place.value;
  if (!worldName.value || !world.value || !session.value) {
    counting.stop();
    heldCount.value = undefined;
    return;
  }
  counting.ask(`${name}:${session.value.session}:${acted.value}`, async (signal) => {
    const n = await get('/worlds/{world}/approvals', { path: { world: name }, query: { state: 'held' }, signal }).then((d) => d.approvals.length, () => undefined);
    if (!signal.aborted) heldCount.value = n;
  });
}

/** Whether the person only looks: by the session, or since the state is not now. */
export const readOnly = computed(() => !!session.value?.read_only);

export function startState() {
  let was = true;
  reachable.subscribe((is) => {
    // what failed meanwhile is asked again
    if (is && !was) {
      void loadWorld();
      regained.value++;
      written.value++;
    }
    was = is;
  });
  effect(() => {
    void worldName.value;
    void session.value;
    untracked(loadWorld);
  });
  effect(() => {
    const key = worldKey.value;
    follow(key && session.value ? [key] : []);
  });
  effect(() => {
    const name = worldKey.value && worldName.value;
    void actorsRound.value;
    void regained.value;
    if (name && actors.value === null)
      loadActors(name).catch((e: unknown) => {
        if (name === worldName.value) actorsError.value = e instanceof Refused ? e : new Refused(0, '', String(e));
      });
  });
  effect(() => {
    void since.value;
    void place.value;
    void worldKey.value;
    void session.value;
    if (seq.value === undefined) void (written.value + acted.value);
    untracked(loadChanges);
  });
  effect(() => {
    void place.value;
    void worldKey.value;
    void session.value;
    if (seq.value === undefined) void (written.value + acted.value);
    untracked(loadHeld);
  });
}
