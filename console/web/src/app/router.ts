// SPDX-License-Identifier: Apache-2.0
// Addresses: every view has one, time included. Opening pushes an entry of the history, filters
// replace it, and Back finds scroll and focus again (ui/list.tsx).
//
//   /_sosia/ui/worlds?q=&parent=            screens of the server
//   /_sosia/ui/w/{world}[@{seq}]/VIEW/...   screens of a world; without VIEW the overview
import { signal } from '@preact/signals';

export const BASE = '/_sosia/ui/';

export interface Route {
  /** The first segment of a screen: 'mail', 'journal'; 'overview' of a world without one */
  view: string;
  /** A world's name or key; without it the screen is the server's */
  world?: string | undefined;
  /** The state behind this entry of the journal; without it, now */
  seq?: number | undefined;
  /** Segments behind the view, decoded */
  rest: string[];
  query: Record<string, string>;
}

const decode = (s: string) => {
  try {
    return decodeURIComponent(s);
  } catch {
    return s;
  }
};
const encode = (s: string) => encodeURIComponent(s).replaceAll('%40', '@').replaceAll('%3A', ':');

export function parse(path: string, search: string): Route {
  const segments = (path.startsWith(BASE) ? path.slice(BASE.length) : '').split('/').filter(Boolean).map(decode);
  const query: Record<string, string> = {};
  for (const [k, v] of new URLSearchParams(search)) query[k] = v;
  if (segments[0] !== 'w' || !segments[1])
    return { view: segments[0] ?? 'worlds', rest: segments.slice(1), query };
  const [, world, seq] = /^(.*?)(?:@(\d+))?$/.exec(segments[1])!;
  return {
    world, view: segments[2] ?? 'overview', rest: segments.slice(3), query,
    seq: seq === undefined ? undefined : Number(seq),
  };
}

export function format(r: Route): string {
  const place = r.world === undefined ? [] : ['w', r.world + (r.seq === undefined ? '' : `@${r.seq}`)];
  const view = r.world !== undefined && r.view === 'overview' && !r.rest.length ? [] : [r.view];
  const query = Object.entries(r.query).filter(([, v]) => v !== '');
  return BASE + [...place, ...view, ...r.rest].map(encode).join('/') +
    (query.length ? '?' + query.map(([k, v]) => `${encode(k)}=${encode(v)}`).join('&') : '');
}

export const route = signal<Route>(parse(location.pathname, location.search));

/** A change of an address; members that are not given stay, '' in the query takes one away. */
export interface Step {
  view?: string;
  world?: string | undefined;
  seq?: number | undefined;
  rest?: string[];
  query?: Record<string, string | undefined>;
}

/** The address that a step leads to. Another view has a query of its own, but for what marks are since. */
export function to(step: Step, from: Route = route.value): Route {
  const same = (step.view ?? from.view) === from.view && (!('world' in step) || step.world === from.world);
  const kept: Record<string, string> = same ? { ...from.query } : {};
  if (!same && from.query.since && !('world' in step)) kept.since = from.query.since;
  for (const [k, v] of Object.entries(step.query ?? {}))
    if (v === undefined || v === '') delete kept[k];
    else kept[k] = v;
  return {
    view: step.view ?? from.view,
    world: 'world' in step ? step.world : from.world,
    seq: 'seq' in step ? step.seq : 'world' in step ? undefined : from.seq,
    rest: step.rest ?? (same ? from.rest : []),
    query: kept,
  };
}

export const href = (step: Step) => format(to(step));

let visits = (history.state as { visit?: number } | null)?.visit ?? 0;
/** Names this entry of the history: what lists keep their place by. */
export const visit = () => String((history.state as { visit?: number } | null)?.visit ?? 0);

/** Opens an address: a new entry of the history, or with replace the same. */
export function go(step: Step | string, replace = false) {
  const target = typeof step === 'string' ? step : href(step);
  if (replace) history.replaceState(history.state, '', target);
  else history.pushState({ visit: ++visits }, '', target);
  read();
}

function read() {
  route.value = parse(location.pathname, location.search);
}

/** Once: Back and Forward, and links within the page. */
export function startRouter() {
  history.scrollRestoration = 'manual';
  if (!history.state) history.replaceState({ visit: 0 }, '');
  addEventListener('popstate', read);
  addEventListener('click', (e) => {
    const a = (e.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null;
    if (!a || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    if (a.origin !== location.origin || !a.pathname.startsWith(BASE) || a.target || a.hasAttribute('download')) return;
    if (a.pathname === BASE + 'licences.txt') return;
    e.preventDefault();
    go(a.pathname + a.search);
  });
}
