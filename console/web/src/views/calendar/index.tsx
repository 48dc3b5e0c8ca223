// SPDX-License-Identifier: Apache-2.0
// Calendars of one person or several: by day, week and month in a grid, and as a list in markup of
// our own, which says the same to everybody.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ComponentType } from 'preact';
import type { ViewProps } from '../../app/views';
import { go, href } from '../../app/router';
import { Await, useAsked, type Got } from '../../app/use';
import { actorName, actors, nameOf, world as worldOf } from '../../app/state';
import { get, Refused } from '../../api/client';
import { Empty } from '../../ui/errors';
import { Mark, Since, visible } from '../../ui/marks';
import { loadStyle } from '../../ui/style';
import { zoneOf } from '../../ui/dates';
import { bindView } from '../../app/keys';
import { Acting, isActing } from '../shared/acting';
import { asChange, useClose, useMarksByName } from '../shared/use';
import { clockTime, dateIn, dayName, isZone, myZone } from '../shared/time';
import { Nobody } from '../shared/nobody';
import { words } from '../words';
import type { GridProps } from './grid';
import { EventPane } from './event';
import { days, entries, instants, SPANS, stretch, turn, type Calendar, type Entry, type Instance, type Person, type Span } from './shape';


export default function CalendarView(p: ViewProps) {
  if (p.actor === undefined || !worldOf.value) return <Nobody title={words.calendar} />;
  return <Calendars key={`${p.world} ${p.actor}`} {...p} actor={p.actor} />;
}

interface Loaded {
  people: Person[];
  vendors: Record<string, string>; // of each person
  more: boolean;
}

// What is in people's calendars, now and in the state that is compared with.
async function load(place: string, since: string | undefined, people: readonly string[], between: { from: string; to: string }, vendor: string | undefined, signal: AbortSignal): Promise<Loaded> {
  const of = async (actor: string, first: boolean): Promise<{ person: Person; vendor: string; more: boolean }> => {
    const query = { vendor: first ? vendor : undefined };
    const events = (at: string) => get('/worlds/{world}/calendar/{actor}/events', { path: { world: at, actor }, query: { ...query, ...between }, signal });
    const [calendars, now, before] = await Promise.all([
      get('/worlds/{world}/calendar/{actor}/calendars', { path: { world: place, actor }, query, signal }),
      events(place),
      since ? events(since).catch((e: unknown) => {
        if (e instanceof Refused && e.status) return undefined; // not there at that time, or the state is not kept
        throw e;
      }) : undefined,
    ]);
    return {
      vendor: calendars.vendor ?? 'google', more: now.more,
      person: { actor, calendars: calendars.calendars as Calendar[], now: now.rows as Instance[], before: before?.rows as Instance[] | undefined },
    };
  };
  const all = await Promise.all(people.map((actor, i) => of(actor, i === 0).catch((e: unknown) => {
    if (i > 0 && e instanceof Refused && e.reason === 'calendarNotFound') return { person: { actor, calendars: [], now: [] } as Person, vendor: '', more: false };
    throw e;
  })));
  return { people: all.map((a) => a.person), vendors: Object.fromEntries(all.map((a) => [a.person.actor, a.vendor])), more: all.some((a) => a.more) };
}

/** The zone of the address: a word for whose, or a name; else the person's. */
function useZone(actor: string, word: string | undefined): { zone: string; world: string | undefined } {
  const [ofWorld, setOfWorld] = useState<string>();
  const id = worldOf.value?.world;
  useEffect(() => {
    if (!id) return;
    const abort = new AbortController();
    // The world's own zone is at the head of its document; no section of it is asked for.
    get('/worlds/{world}/dump', { path: { world: id }, query: { sections: 'groups' }, signal: abort.signal })
      .then((d) => setOfWorld(String((d as { zone?: unknown }).zone ?? '') || undefined), () => {});
    return () => abort.abort();
  }, [id]);
  const person = zoneOf(actor);
  const zone = word === 'UTC' ? 'UTC' : word === 'mine' ? myZone() : word === 'world' ? ofWorld : isZone(word) ? word : person;
  return { zone: isZone(zone) ? zone : isZone(person) ? person : 'UTC', world: ofWorld };
}

function Calendars(p: ViewProps & { actor: string }) {
  const { query, rest } = p.route;
  const span: Span = SPANS.find((s) => s === rest[1]) ?? 'week';
  const { zone, world: worldZone } = useZone(p.actor, query.zone);
  const today = dateIn(worldOf.value!.now, zone);
  const date = /^\d{4}-\d\d-\d\d$/.test(rest[2] ?? '') && !Number.isNaN(Date.parse(`${rest[2]}T00:00:00Z`)) ? rest[2]! : today;
  const people = useMemo(() => [p.actor, ...(query.with ?? '').split(',').filter((w) => w && w !== p.actor)].slice(0, 6), [p.actor, query.with]);
  const between = instants(span, date, zone);
  const got = useAsked<Loaded>(JSON.stringify([p.place, p.since, people, between, query.vendor]), (signal) => load(p.place, p.since, people, between, query.vendor, signal), { live: true });
  const at = (s: Span, d: string) => ({ rest: [p.actor, s, d] });
  useClose(query.open, () => go({ query: { open: undefined } }));
  useEffect(() => bindView([
    { key: 'n', what: words.later, run: () => go(at(span, turn(span, date, 1))) },
    { key: 'p', what: words.earlier, run: () => go(at(span, turn(span, date, -1))) },
  ]), [span, date, p.actor]);
  const none = got.error?.reason === 'calendarNotFound';
  // it comes while the events are asked for; a failure is said where it is shown
  useEffect(() => void (span !== 'list' && loadGrid().catch(() => {})), [span]);
  return (
    <div class={`full service-full${isActing(p.actor) ? ' acting' : ''}`}>
      <div class="bar">
        <h1>{titleOf(span, date)}</h1>
        <span class="buttons tight">
          <a class="button" href={href(at(span, turn(span, date, -1)))}><span aria-hidden="true">‹</span><span class="unseen">{words.earlier}</span></a>
          <a class="button" href={href(at(span, today))}>{words.today}</a>
          <a class="button" href={href(at(span, turn(span, date, 1)))}><span aria-hidden="true">›</span><span class="unseen">{words.later}</span></a>
        </span>
        <nav class="buttons tight" aria-label={words.calendar}>
          {SPANS.map((s) => <a key={s} class="button" aria-current={s === span ? 'page' : undefined} href={href(at(s, date))}>{words[s]}</a>)}
        </nav>
        <ZoneChooser actor={p.actor} chosen={query.zone ?? ''} zone={zone} world={worldZone} />
        <span class="space" />
        <Since /><Acting actor={p.actor} />
      </div>
      <People people={people} />
      {none ? <Empty>{words.noCalendar}</Empty> : <Await of={got}>{(loaded) => <Shown p={p} got={got} loaded={loaded} span={span} date={date} zone={zone} />}</Await>}
    </div>
  );
}

const titleOf = (span: Span, date: string): string => {
  if (span === 'day') return dayName(date);
  const { from } = stretch(span, date);
  const format = (d: string, o: Intl.DateTimeFormatOptions): string => new Intl.DateTimeFormat(undefined, { ...o, timeZone: 'UTC' }).format(new Date(`${d}T00:00:00Z`));
  if (span === 'month') return format(date, { month: 'long', year: 'numeric' });
  const { to } = stretch(span, date);
  return new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).formatRange(new Date(`${from}T00:00:00Z`), new Date(Date.parse(`${to}T00:00:00Z`) - 86400000));
};

function ZoneChooser(p: { actor: string; chosen: string; zone: string; world: string | undefined }) {
  const own = isZone(p.chosen) && p.chosen !== 'UTC' ? p.chosen : '';
  return (
    <label>{words.zone}{' '}
      <select value={p.chosen} onChange={(e) => go({ query: { zone: e.currentTarget.value || undefined } }, true)}>
        <option value="">{words.zonePerson(zoneOf(p.actor))}</option>
        {p.world && <option value="world">{words.zoneWorld(p.world)}</option>}
        <option value="mine">{words.zoneMine(myZone())}</option>
        <option value="UTC">UTC</option>
        {own && <option value={own}>{own}</option>}
      </select>
    </label>
  );
}

function People(p: { people: readonly string[] }) {
  const others = p.people.slice(1);
  const set = (list: readonly string[]): void => go({ query: { with: list.join(',') || undefined } }, true);
  return (
    <div class="people-line">
      <span class="unseen">{words.people}: </span>
      {p.people.map((a, i) => (
        <span class={`person-chip person-${i}`} key={a}>
          <span class="person-dot" aria-hidden="true" />{nameOf(a)}
          {i > 0 && <button type="button" class="plain-button" aria-label={words.removePerson(nameOf(a))} onClick={() => set(others.filter((o) => o !== a))}>×</button>}
        </span>
      ))}
      {p.people.length < 6 && (
        <label class="add-person"><span class="unseen">{words.addPerson}</span>
          <select value="" onChange={(e) => {
            if (e.currentTarget.value) set([...others, e.currentTarget.value]);
          }}>
            <option value="">+ {words.addPerson}</option>
            {(actors.value ?? []).filter((a) => a.email && !p.people.includes(actorName(a))).slice(0, 500).map((a) => <option key={a.id} value={actorName(a)}>{a.name}</option>)}
          </select>
        </label>
      )}
    </div>
  );
}

function Shown(props: { p: ViewProps & { actor: string }; got: Got<Loaded>; loaded: Loaded; span: Span; date: string; zone: string }) {
  const { p, loaded, span, date, zone } = props;
  const marks = useMarksByName();
  const all = useMemo(() => entries(loaded.people, marks), [loaded, marks]);
  const open = p.route.query.open;
  const chosen = open ? all.find((e) => e.key === open) ?? all.find((e) => e.id === open && e.change !== 'gone') ?? all.find((e) => e.id === open || e.series === open) : undefined;
  const { from, to } = stretch(span, date);
  const show = (e: Entry): void => go({ query: { open: e.key } });
  return (
    <div class={`split calendar-split${chosen ? ' two' : ''}`}>
      <div class="calendar-main">
        {loaded.more && <p class="note">{words.moreEvents}</p>}
        {span === 'list' ? <ListOf all={all} from={from} to={to} zone={zone} people={loaded.people.length} open={chosen?.key} />
          : <LazyGrid all={all} span={span} date={date} zone={zone} now={worldOf.value!.now} show={show} many={loaded.people.length > 1} />}
      </div>
      {chosen && <EventPane key={chosen.key} place={p.place} world={p.world} entry={chosen} zone={zone} vendor={loaded.vendors[chosen.actor] ?? 'google'} actor={p.actor} />}
    </div>
  );
}

function ListOf(p: { all: Entry[]; from: string; to: string; zone: string; people: number; open: string | undefined }) {
  const found = days(p.all, p.from, p.to, p.zone);
  if (!found.length) return <Empty>{words.noEvents}</Empty>;
  return (
    <div class="agenda">
      {found.map((d) => (
        <section key={d.date} aria-labelledby={`day-${d.date}`}>
          <h2 id={`day-${d.date}`}>{dayName(d.date)}</h2>
          <ul>
            {d.entries.map((e) => (
              <li key={e.key}>
                <a class={`agenda-row person-${e.person}${e.change ? ` is-${{ new: 'added', changed: 'changed', gone: 'removed' }[e.change]}` : ''}`} href={href({ query: { open: e.key } })} aria-current={e.key === p.open ? 'true' : undefined}>
                  <span class="agenda-time">{e.all_day ? words.allDay : `${clockTime(e.start, p.zone)} – ${clockTime(e.end, p.zone)}`}</span>
                  <span class="person-dot" aria-hidden="true" />
                  <span class="agenda-title">{e.change === 'gone' ? <s>{visible(e.title || words.untitled)}</s> : visible(e.title || words.untitled)}</span>
                  {p.people > 1 && <span class="quiet">{nameOf(e.actor)}</span>}
                  {e.me && <span class="quiet">{words.answers[e.me] ?? e.me}</span>}
                  {e.guests > 1 && <span class="quiet">{words.guests(e.guests)}</span>}
                  {e.change && <ChangeMark entry={e} />}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** The sign and the word of what became of an entry, also where no mark of a call is known. */
export function ChangeMark(p: { entry: Entry }) {
  const { change, words: how, mark } = p.entry;
  const as = { new: 'added', changed: 'changed', gone: 'removed' } as const;
  return <><Mark of={mark ? { ...asChange(mark), change: as[change!] } : { change: as[change!] } as never} brief /><span class="quiet">{how}</span></>;
}

/* ---- the grid, a chunk of its own ---- */

let Grid: ComponentType<GridProps> | undefined;
const loadGrid = () => Promise.all([import('./grid'), loadStyle('calendar')]);

function LazyGrid(p: GridProps) {
  const [, draw] = useState(0);
  const [failed, fail] = useState<Error | null>(null);
  useEffect(() => {
    if (Grid) return;
    loadGrid().then(([m]) => {
      Grid = m.default;
      draw((n) => n + 1);
    }, fail);
  }, []);
  if (failed) throw failed;
  return Grid ? <Grid {...p} /> : <p class="quiet" role="status">…</p>;
}
