// SPDX-License-Identifier: Apache-2.0
// Acting as a person: off until it is switched on, coloured while it is on, and never where the
// state is one of the past.
import { effect, signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { nameOf, readOnly, seq, world, worldName } from '../../app/state';
import { route } from '../../app/router';
import { Refused } from '../../api/client';
import { Failure } from '../../ui/errors';
import { say } from '../../app/use';
import { words } from '../words';

/** Who is acted as; it ends with another person, world or state. */
const as = signal<string | null>(null);
const key = (actor: string): string => `${worldName.value ?? ''} ${actor}`;

export const canAct = (): boolean => seq.value === undefined && !readOnly.value && !world.value?.snapshot;
export const isActing = (actor: string): boolean => canAct() && as.value === key(actor);

effect(() => {
  // Another person's or world's screen: only look.
  const now = route.value;
  if (as.value !== null && (now.world === undefined || as.value !== `${now.world} ${now.rest[0] ?? ''}`)) as.value = null;
});

/** The switch, and while it is on a band that says so. */
export function Acting(p: { actor: string }) {
  const on = isActing(p.actor);
  if (!on)
    return (
      <button type="button" class="act-switch" disabled={!canAct()} title={canAct() ? undefined : words.cannotAct} aria-pressed="false"
        onClick={() => (as.value = key(p.actor))}>
        {words.actAs(nameOf(p.actor))}
      </button>
    );
  return (
    <span class="act-band" role="status">
      <span>{words.acting(nameOf(p.actor))}</span>
      <button type="button" class="act-switch" aria-pressed="true" onClick={() => (as.value = null)}>{words.stopActing}</button>
    </span>
  );
}

/** A form of an act: what it does runs once at a time, a refusal is shown in the server's words. */
export function ActForm(p: { label: string; button: string; done: string; run: () => Promise<unknown>; children?: ComponentChildren; ready?: boolean }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Refused | null>(null);
  const go = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await p.run();
      say(p.done);
    } catch (e) {
      setError(e instanceof Refused ? e : new Refused(0, '', (e as Error).message));
    }
    setBusy(false);
  };
  return (
    <form class="act-form" aria-label={p.label} onSubmit={(e) => {
      e.preventDefault();
      if (!busy) void go();
    }}>
      {p.children}
      {error && <Failure error={error} />}
      <button type="submit" disabled={busy || p.ready === false}>{busy ? words.sending : p.button}</button>
    </form>
  );
}
