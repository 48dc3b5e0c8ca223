// SPDX-License-Identifier: Apache-2.0
// Methods of services by their own words: what they answer to somebody (look), what somebody does (act).
import { address, Refused, request } from '../../api/client';
import { acted } from '../../app/state';
import { useAsked, type Freshness, type Got } from '../../app/use';
import type { NativeCall } from '../mail/shape';

export const lookTarget = (place: string, actor: string, path: string): string =>
  address('/worlds/{world}/look/{actor}/{path}', { path: { world: place, actor, path } });

/** What a method answers, as JSON. A refusal in a body that says ok: false is thrown too. */
export async function look<T = Record<string, any>>(place: string, actor: string, path: string, signal?: AbortSignal): Promise<T> {
  const answer = await (await request('GET', lookTarget(place, actor, path), signal ? { signal } : {})).json();
  return accepted(answer) as T;
}

/** The bytes that a method answers, as far as `most`; `total` says how many there are. */
export async function lookBytes(place: string, actor: string, path: string, most: number, signal?: AbortSignal): Promise<{ bytes: Uint8Array; total: number }> {
  return firstBytes(await request('GET', lookTarget(place, actor, path), signal ? { signal } : {}), most);
}

/** The first bytes of an answer; the rest of it is not waited for. */
export async function firstBytes(response: Response, most: number): Promise<{ bytes: Uint8Array; total: number }> {
  const said = Number(response.headers.get('Content-Length') ?? 0);
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  let n = 0;
  while (reader && n < most) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    n += value.length;
  }
  if (n >= most) await reader?.cancel();
  const bytes = new Uint8Array(Math.min(n, most));
  let at = 0;
  for (const piece of pieces) {
    const fits = piece.subarray(0, bytes.length - at);
    bytes.set(fits, at);
    at += fits.length;
  }
  return { bytes, total: Math.max(said, n) };
}

/** Looks, and again when the world has changed. */
export function useLook<T = Record<string, any>>(place: string, actor: string, path: string | undefined, how: Freshness = {}): Got<T> {
  return useAsked<T>(JSON.stringify([place, actor, path]), (abort) => look<T>(place, actor, path!, abort), { ...how, skip: how.skip || path === undefined });
}

/** A call that somebody makes. Its answer as JSON, or nothing. */
export async function act<T = Record<string, any>>(
  world: string, actor: string, call: NativeCall, content?: { type: string; body: BodyInit },
): Promise<T | undefined> {
  const target = address('/worlds/{world}/act/{actor}/{path}', { path: { world, actor, path: call.path } });
  const init: RequestInit = content ? { headers: { ...call.headers, 'Content-Type': content.type }, body: content.body }
    : call.body === undefined ? { headers: call.headers ?? {} }
    : { headers: { ...call.headers, 'Content-Type': 'application/json' }, body: JSON.stringify(call.body) };
  const text = await (await request(call.verb, target, init)).text();
  const answer = text ? (accepted(JSON.parse(text)) as T) : undefined;
  acted.value++;
  return answer;
}

function accepted(answer: unknown): unknown {
  const said = answer as { ok?: boolean; error?: unknown } | null;
  if (said && said.ok === false) throw new Refused(200, String(said.error ?? 'refused'), String(said.error ?? ''));
  return answer;
}
