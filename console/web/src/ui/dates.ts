// SPDX-License-Identifier: Apache-2.0
// Dates in the browser's language, with their zone named. Times of a world are the world's own.
import { actor, actorOf, firstPerson, world } from '../app/state';

// By the options' own identity: rows of lists ask for these as they are scrolled by.
const made = new Map<Intl.DateTimeFormatOptions, Map<string, Intl.DateTimeFormat>>();
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  let zones = made.get(options);
  if (!zones) made.set(options, (zones = new Map()));
  let f = zones.get(zone);
  if (!f) {
    try {
      f = new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone });
    } catch {
      f = new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' });
    }
    zones.set(zone, f);
  }
  return f;
}

/** The zone of somebody in the world; UTC where nobody is known. */
export function zoneOf(person: string | undefined): string {
  return (actorOf(person) ?? firstPerson.value)?.zone || 'UTC';
}

/** The zone that times have where nobody's is meant: that of who is looked at. */
export const shownZone = () => zoneOf(actor.value);

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };

/** "10:02:11" */
export const timeOf = (at: string, zone = shownZone()) => formatter(zone, CLOCK).format(new Date(at));
const MOMENT: Intl.DateTimeFormatOptions = {
  weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23',
};
const NAMED: Intl.DateTimeFormatOptions = { ...MOMENT, timeZoneName: 'short' };
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const WHOLE_DAY: Intl.DateTimeFormatOptions = { ...DAY, year: 'numeric' };
const MINUTES: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

/** "Tue 24 Nov 2026, 10:02" with or without the zone's name */
export const momentOf = (at: string, zone = shownZone(), named = true): string => formatter(zone, named ? NAMED : MOMENT).format(new Date(at));
/** As lists of mail have it: the time of today, by the world's clock where no other is given, else the day. */
export function briefOf(at: string, zone = shownZone(), today = world.value?.now): string {
  const when = new Date(at), now = new Date(today ?? at);
  const one = formatter(zone, WHOLE_DAY);
  if (one.format(when) === one.format(now)) return formatter(zone, MINUTES).format(when);
  return formatter(zone, when.getUTCFullYear() === now.getUTCFullYear() ? DAY : WHOLE_DAY).format(when);
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
  return new Intl.NumberFormat(undefined, { style: 'unit', unit: units[i]!, unitDisplay: i ? 'short' : 'long', maximumFractionDigits: 1 }).format(n);
}
/** Microseconds as "2.1 ms" */
export const took = (us: number) => `${new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(us / 1000)} ms`;
