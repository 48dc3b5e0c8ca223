// SPDX-License-Identifier: Apache-2.0
// Calendars: instances of several people in one zone, what of them changed since a state, days of the list.
import { addDays, dateIn, midnight, startOf } from '../shared/time';
import type { Mark } from '../shared/changes';
import type { NativeCall } from '../mail/shape';
import { namePart } from '../shared/text';

export interface Calendar {
  id: string;
  key: string;
  name: string;
  zone?: string;
  main?: boolean;
}
export interface Instance {
  id: string;
  series?: string;
  calendar: string;
  title?: string;
  start: string; // an instant, of all-day events a date
  end: string;
  zone?: string;
  all_day: boolean;
  status: string;
  me?: string;
  guests: number;
}

/** A person whose calendars are shown, and what is in them. */
export interface Person {
  actor: string;
  calendars: readonly Calendar[];
  now: readonly Instance[];
  before?: readonly Instance[]; // in the state that is compared with
}

export interface Entry extends Instance {
  key: string; // unique among all that is shown
  actor: string;
  calendarName: string;
  calendarKey: string;
  person: number; // which of the people; its colour
  change?: 'new' | 'changed' | 'gone';
  words?: string; // of a change: how
  mark?: Mark;
}

export type Span = 'day' | 'week' | 'month' | 'list';
export const SPANS: readonly Span[] = ['day', 'week', 'month', 'list'];

/** The dates that a view shows: from its first day until the day behind its last. */
export function stretch(span: Span, date: string): { from: string; to: string } {
  if (span === 'day') return { from: date, to: addDays(date, 1) };
  if (span === 'month') {
    const from = startOf('week', startOf('month', date));
    return { from, to: addDays(from, 42) };
  }
  const from = startOf('week', date);
  return { from, to: addDays(from, span === 'list' ? 14 : 7) };
}

/** The date that Earlier (-1) and Later (1) lead to. */
export function turn(span: Span, date: string, by: 1 | -1): string {
  if (span !== 'month') return addDays(date, by * (span === 'day' ? 1 : span === 'week' ? 7 : 14));
  const at = new Date(`${startOf('month', date)}T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + by);
  return at.toISOString().slice(0, 10);
}

/** The name that an event has in diffs and histories; an instance that was not changed alone has its series'. */
export const entityName = (calendarKey: string, id: string): string => `event/${namePart(calendarKey)}/${namePart(id)}`;

const WATCHED: readonly (keyof Instance)[] = ['start', 'end', 'title', 'status', 'me', 'guests', 'all_day'];

function differences(a: Instance, b: Instance): string[] {
  return WATCHED.filter((k) => a[k] !== b[k]).map((k) => (k === 'all_day' ? 'all day' : k === 'me' ? 'answer' : k));
}

/** All entries of the people: what is there, and ghosts of what was there in the state that is compared with. */
export function entries(people: readonly Person[], marks: ReadonlyMap<string, Mark>): Entry[] {
  const all: Entry[] = [];
  people.forEach((p, person) => {
    const calendars = new Map(p.calendars.map((c) => [c.id, c]));
    const make = (i: Instance): Entry => {
      const c = calendars.get(i.calendar);
      const key = c?.key ?? p.actor;
      return {
        ...i, key: `${p.actor}/${i.calendar}/${i.id}`, actor: p.actor, calendarName: c?.name ?? '', calendarKey: key, person,
        mark: marks.get(entityName(key, i.id)) ?? (i.series ? marks.get(entityName(key, i.series)) : undefined),
      };
    };
    const before = p.before && new Map(p.before.map((i) => [`${i.calendar}/${i.id}`, i]));
    for (const i of p.now) {
      const entry = make(i);
      const was = before?.get(`${i.calendar}/${i.id}`);
      before?.delete(`${i.calendar}/${i.id}`);
      if (before && !was) {
        // It may have come from outside of the dates that are shown: then its mark says changed.
        entry.change = entry.mark?.kind === 'changed' ? 'changed' : 'new';
        entry.words = entry.change === 'changed' ? 'moved here' : 'new';
      } else if (was) {
        const d = differences(was, i);
        if (d.length) {
          entry.change = 'changed';
          entry.words = d.join(', ');
        }
        if (was.start !== i.start || was.end !== i.end) all.push(ghost(make(was), 'moved'));
      }
      all.push(entry);
    }
    for (const was of before?.values() ?? []) {
      const entry = make(was);
      all.push(ghost(entry, entry.mark?.kind === 'changed' ? 'moved' : 'gone'));
    }
  });
  return all.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.key < b.key ? -1 : 1));
}

const ghost = (entry: Entry, words: string): Entry => ({ ...entry, key: `${entry.key}/was`, change: 'gone', words });

export interface Day {
  date: string;
  entries: Entry[];
}

/** Days of the list with what they have, in a zone; a day without anything is left out. */
export function days(all: readonly Entry[], from: string, to: string, zone: string): Day[] {
  const found = new Map<string, Entry[]>();
  for (const e of all) {
    const first = e.all_day ? e.start.slice(0, 10) : dateIn(e.start, zone);
    // What ends at midnight does not reach the day that begins then.
    const last = e.all_day ? addDays(e.end.slice(0, 10), -1) : dateIn(Math.max(Date.parse(e.start), Date.parse(e.end) - 1), zone);
    for (let day = first < from ? from : first; day <= last && day < to; day = addDays(day, 1)) {
      const list = found.get(day);
      if (list) list.push(e);
      else found.set(day, [e]);
    }
    if (last < first && first >= from && first < to) (found.get(first) ?? found.set(first, []).get(first)!).push(e);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([date, list]) => ({
    date, entries: list.sort((a, b) => Number(b.all_day) - Number(a.all_day)),
  }));
}

/** The instants between which a calendar is asked for what it has. */
export const instants = (span: Span, date: string, zone: string): { from: string; to: string } => {
  const { from, to } = stretch(span, date);
  return { from: midnight(from, zone), to: midnight(to, zone) };
};

/* ---- answering an invitation ---- */

export type Answer = 'accepted' | 'tentative' | 'declined';

/** The call of Google's that says whether somebody comes: `event` is what events.get answered. */
export function answerGoogle(calendar: string, event: { id: string; attendees?: Record<string, unknown>[] }, answer: Answer): NativeCall {
  return {
    verb: 'PATCH',
    path: `@www.googleapis.com/calendar/v3/calendars/${encodeURIComponent(calendar)}/events/${encodeURIComponent(event.id)}?sendUpdates=all`,
    body: { attendees: (event.attendees ?? []).map((a) => (a['self'] ? { ...a, responseStatus: answer } : a)) },
  };
}

const WORDS: Record<Answer, string> = { accepted: 'accept', tentative: 'tentativelyAccept', declined: 'decline' };

/** The same of Microsoft's. */
export const answerMicrosoft = (id: string, answer: Answer): NativeCall => ({
  verb: 'POST', path: `@graph.microsoft.com/v1.0/me/events/${encodeURIComponent(id)}/${WORDS[answer]}`, body: { sendResponse: true },
});

/** Which of the events that Graph has in a stretch of time is an entry. */
export function findMicrosoft(events: readonly Record<string, unknown>[], entry: Entry): string | undefined {
  const start = (e: Record<string, unknown>): string => String((e['start'] as { dateTime?: unknown } | undefined)?.dateTime ?? '');
  const same = events.filter((e) => (e['subject'] ?? '') === (entry.title ?? '') &&
    (entry.all_day ? start(e).slice(0, 10) === entry.start.slice(0, 10) : Date.parse(`${start(e).slice(0, 19)}Z`) === Date.parse(entry.start)));
  return same.length === 1 ? String(same[0]!['id']) : undefined;
}
