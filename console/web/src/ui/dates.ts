// SPDX-License-Identifier: Apache-2.0
// Dates in the browser's language, with their zone named. Times of a world are the world's own.
import { actor, actors, actorName, world } from '../app/state';

const made = new Map<string, Intl.DateTimeFormat>();
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  let f = made.get(key);
  if (!f) {
    try {
      f = new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone });
    } catch {
      f = new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' });
    }
    made.set(key, f);
  }
  return f;
}

/** The zone of somebody in the world; UTC where nobody is known. */
export function zoneOf(person: string | undefined): string {
  const all = actors.value;
  const own = all?.find((a) => actorName(a) === person) ?? all?.find((a) => a.kind === 'person');
  return own?.zone || 'UTC';
}

/** The zone that times have where nobody's is meant: that of who is looked at. */
export const shownZone = () => zoneOf(actor.value);

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };

/** "10:02:11" */
export const timeOf = (at: string, zone = shownZone()) => formatter(zone, CLOCK).format(new Date(at));
/** "Tue 24 Nov 2026, 10:02" with or without the zone's name */
export function momentOf(at: string, zone = shownZone(), named = true): string {
  return formatter(zone, {
    weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit',
    hourCycle: 'h23', ...(named ? { timeZoneName: 'short' } : {}),
  }).format(new Date(at));
}
/** As lists of mail have it: the time of the world's today, else the day. */
export function briefOf(at: string, zone = shownZone()): string {
  const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
  const when = new Date(at), now = new Date(world.value?.now ?? at);
  const one = formatter(zone, { ...day, year: 'numeric' });
  if (one.format(when) === one.format(now)) return formatter(zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(when);
  return formatter(zone, when.getUTCFullYear() === now.getUTCFullYear() ? day : { ...day, year: 'numeric' }).format(when);
}
/** "2026-11-24", the day that it is in a zone */
export function dayOf(at: string, zone = shownZone()): string {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
      .formatToParts(new Date(at)).map((p) => [p.type, p.value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

export const count = (n: number) => new Intl.NumberFormat().format(n);
export function bytes(n: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  let i = 0;
  while (n >= 1000 && i < 3) {
    n /= 1000;
    i++;
  }
  return new Intl.NumberFormat(undefined, { style: 'unit', unit: units[i]!, unitDisplay: 'short', maximumFractionDigits: 1 }).format(n);
}
/** Microseconds as "2.1 ms" */
export const took = (us: number) => `${new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(us / 1000)} ms`;
