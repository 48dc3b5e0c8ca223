// SPDX-License-Identifier: Apache-2.0
// Times of a world in a zone that is named, in the browser's language.

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions, language?: string): Intl.DateTimeFormat {
  const key = `${language}|${zone}|${JSON.stringify(options)}`;
  let f = formats.get(key);
  if (!f) {
    f = new Intl.DateTimeFormat(language, { ...options, timeZone: zone });
    formats.set(key, f);
  }
  return f;
}

/** Whether the browser knows a zone by this name. */
export function isZone(zone: string | null | undefined): zone is string {
  if (!zone) return false;
  try {
    new Intl.DateTimeFormat(undefined, { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The browser's own zone. */
export const myZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The date (`2026-11-23`) that an instant has in a zone. */
export function dateIn(at: string | number, zone: string): string {
  const parts = format(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }, 'en-CA').formatToParts(new Date(at));
  const part = (type: string): string => parts.find((p) => p.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/** Hours and minutes of an instant. */
export const clockTime = (at: string, zone: string, language?: string): string =>
  format(zone, { hour: '2-digit', minute: '2-digit' }, language).format(new Date(at));

/** A day, as a heading: "Monday, 23 November 2026". */
export const dayName = (date: string, language?: string): string =>
  format('UTC', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, language).format(new Date(`${date}T00:00:00Z`));

/** For rows of lists: the time of this day, else the date, of other years with the year. */
export function listTime(at: string, now: string, zone: string, language?: string): string {
  const day = dateIn(at, zone), today = dateIn(now, zone);
  if (day === today) return clockTime(at, zone, language);
  const year: Intl.DateTimeFormatOptions = day.slice(0, 4) === today.slice(0, 4) ? {} : { year: 'numeric' };
  return format(zone, { day: 'numeric', month: 'short', ...year }, language).format(new Date(at));
}

/** The whole of it, with the zone's name. */
export const fullTime = (at: string, zone: string, language?: string): string =>
  format(zone, {
    weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short',
  }, language).format(new Date(at));

/** A date so many days later. */
export function addDays(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** The first day of a date's week (Monday) or month. */
export function startOf(unit: 'week' | 'month', date: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  if (unit === 'month') return date.slice(0, 8) + '01';
  return addDays(date, -((at.getUTCDay() + 6) % 7));
}

/** How far a zone is ahead of UTC at an instant, in minutes. */
export function offsetAt(at: number, zone: string): number {
  const parts = format(zone, {
    year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23',
  }, 'en-US').formatToParts(new Date(at));
  const part = (type: string): number => Number(parts.find((p) => p.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return Math.round((local - Math.floor(at / 1000) * 1000) / 60000);
}

/** The instant at which a date begins in a zone. */
export function midnight(date: string, zone: string): string {
  const utc = Date.parse(`${date}T00:00:00Z`);
  let at = utc - offsetAt(utc, zone) * 60000;
  at = utc - offsetAt(at, zone) * 60000; // the zone may have changed its clocks between the two
  return new Date(at).toISOString();
}
