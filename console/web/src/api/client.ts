// SPDX-License-Identifier: Apache-2.0
// The control interface, typed by its own OpenAPI document. The session goes along in a header.
import { signal } from '@preact/signals';
import type { Paths } from './types';
import { text } from '../strings';

export const ROOT = '/_sosia/v1';
const STORED = 'sosia.session';

export interface Session {
  session: string;
  expires: string;
  read_only: boolean;
}

/** What the server has refused, in its own words; status 0: it can't be reached. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

function stored(): Session | null {
  try {
    const s = JSON.parse(localStorage.getItem(STORED) ?? 'null') as Session | null;
    return s && Date.parse(s.expires) > Date.now() ? s : null;
  } catch {
    return null;
  }
}

export const session = signal<Session | null>(stored());
/** Why there is no session: '' at first, else what the server has said. */
export const sessionNote = signal('');
/** Whether the last request reached the server. */
export const reachable = signal(true);

export function keepSession(s: Session | null, note = '') {
  try {
    if (s) localStorage.setItem(STORED, JSON.stringify(s));
    else localStorage.removeItem(STORED);
  } catch {
    // it lasts as long as this page
  }
  session.value = s;
  sessionNote.value = note;
}

/** Another page of this origin got in, or out. */
addEventListener('storage', (e) => {
  if (e.key === STORED) session.value = stored();
});

// ---- addresses ----

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type PathOf<V extends Verb> = { [P in keyof Paths]: Paths[P] extends Record<V, unknown> ? P : never }[keyof Paths];
type Op<P extends keyof Paths, V extends Verb> = Paths[P] extends Record<V, infer O> ? O : never;
type Member<O, K extends string> = O extends Record<K, infer T> ? T : never;
export type Answer<P extends keyof Paths, V extends Verb = 'get'> = Member<Op<P, V>, 'answer'>;
export type Parts<P extends keyof Paths, V extends Verb = 'get'> = {
  path?: Member<Op<P, V>, 'path'>;
  query?: { [K in keyof Member<Op<P, V>, 'query'>]?: Member<Op<P, V>, 'query'>[K] | undefined };
};
type Body<P extends keyof Paths, V extends Verb> = Member<Op<P, V>, 'body'>;

const segment = (s: string) => encodeURIComponent(s).replaceAll('%40', '@').replaceAll('%3A', ':');

/** The address of an operation; the member "path" of look and act keeps its slashes and query. */
export function address<P extends keyof Paths>(path: P, parts: { path?: object; query?: object } = {}): string {
  const values = (parts.path ?? {}) as Record<string, string | number>;
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'path' ? String(values[name]).replace(/^\/+/, '') : segment(String(values[name] ?? '')));
  const query = Object.entries(parts.query ?? {})
    .filter(([, v]) => v !== undefined && v !== '' && v !== null)
    .map(([k, v]) => `${k}=${encodeURIComponent(String(v)).replaceAll('%40', '@').replaceAll('%3A', ':')}`);
  return ROOT + target + (query.length ? (target.includes('?') ? '&' : '?') + query.join('&') : '');
}

/** What a person pastes into a shell; the key stays a name there. */
export function curl(target: string, verb = 'GET', body?: { type: string | undefined; text: string }): string {
  const quote = (s: string) => `'${s.replaceAll("'", "'\\''")}'`;
  const lines = ['curl -H "Authorization: Bearer $SOSIA_CONTROL_KEY"'];
  if (verb !== 'GET') lines[0] += ` -X ${verb}`;
  if (body) lines.push(`-H ${quote(`Content-Type:${body.type ? ` ${body.type}` : ''}`)} --data-raw ${quote(body.text)}`);
  lines.push(quote(location.origin + target));
  return lines.join(' \\\n  ');
}

// ---- requests ----

const OF_VENDOR = /^\/worlds\/[^/]+\/(look|act)\//;
const OWN_REASONS = ['sessionOver', 'unauthenticated'];

/** Whether the control interface itself refuses the session: what look and act answer is a vendor's word to a person of the world. */
export const endsSession = (target: string, refusal: Refused) =>
  refusal.status === 401 && target.startsWith(ROOT) && !OF_VENDOR.test(target.slice(ROOT.length)) && OWN_REASONS.includes(refusal.reason);

const costs = new WeakMap<AbortSignal, number>();
/** What answers to requests with this signal have cost the server so far, in ms of its processors. */
export const costOf = (signal: AbortSignal): number => costs.get(signal) ?? 0;
const CHEAP_MS = 0.3; // of what it does at once and does not measure

/** Sends a request below ROOT or to any address of this origin; refusals are thrown. */
export async function request(verb: string, target: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const sent = session.value?.session;
  if (sent) headers.set('Authorization', `Bearer ${sent}`);
  let response: Response;
  try {
    response = await fetch(target, { ...init, method: verb.toUpperCase(), headers, credentials: 'omit' });
  } catch (e) {
    if ((e as Error).name === 'AbortError') throw e;
    reachable.value = false;
    throw new Refused(0, 'unreachable', text.serverGone);
  }
  reachable.value = true;
  if (init.signal) costs.set(init.signal, costOf(init.signal) + Number(/dur=([\d.]+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1] ?? CHEAP_MS));
  if (response.ok) return response;
  const refusal = await refusalOf(response);
  if (sent && sent === session.value?.session && endsSession(target, refusal))
    keepSession(null, refusal.message);
  throw refusal;
}

async function refusalOf(response: Response): Promise<Refused> {
  const said = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(said) as { error: { reason?: string; message?: string; field?: string } };
    return new Refused(response.status, error.reason ?? '', error.message ?? said, error.field);
  } catch {
    return new Refused(response.status, '', said.slice(0, 400) || `${response.status} ${response.statusText}`);
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

export async function get<P extends PathOf<'get'>>(
  path: P, parts: Parts<P> & { signal?: AbortSignal } = {},
): Promise<Answer<P>> {
  return answerOf(await request('GET', address(path, parts as { path?: object; query?: object }), parts.signal ? { signal: parts.signal } : {}));
}

/** A request that may change something. body: an object goes as JSON, a string as YAML. */
export async function send<V extends Exclude<Verb, 'get'>, P extends PathOf<V>>(
  verb: V, path: P, parts: Parts<P, V> & { body?: Body<P, V> | string | object } = {},
): Promise<Answer<P, V>> {
  const { body } = parts;
  const init: RequestInit = body === undefined ? {} : {
    headers: { 'Content-Type': typeof body === 'string' ? 'application/yaml' : 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
  return answerOf(await request(verb, address(path, parts as { path?: object; query?: object }), init));
}

/** Bytes as a file of the person's, since an address of its own would have no session. */
export async function download(target: string, name: string) {
  const url = URL.createObjectURL(await (await request('GET', target)).blob());
  const a = document.createElement('a');
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

// ---- getting in ----

/** Exchanges a code of a link, or the control key. */
export async function enter(by: { code: string } | { key: string; read_only?: boolean }) {
  keepSession(await send('post', '/console/sessions', { body: by }));
}

/** The code of "#code=", which is taken out of the address before anything else is done. */
export function codeOfAddress(): string | null {
  const code = /^#code=(.*)$/s.exec(location.hash)?.[1]?.slice(0, 200) ?? null;
  if (code !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
