// SPDX-License-Identifier: Apache-2.0
// One event beside the calendar: what the service answers of it, its history, and an answer to it.
import { go } from '../../app/router';
import { Await, useAsked } from '../../app/use';
import { nameOf } from '../../app/state';
import { Empty } from '../../ui/errors';
import { Fields, Mark, visible } from '../../ui/marks';
import { JsonButtons } from '../../ui/json';
import { momentOf } from '../../ui/dates';
import { act, look, lookTarget } from '../shared/native';
import { ActForm, isActing } from '../shared/acting';
import { asChange } from '../shared/use';
import { History } from '../shared/history';
import { htmlToText } from '../shared/text';
import { clockTime, dayName } from '../shared/time';
import { words } from '../words';
import { ChangeMark } from './index';
import { answerGoogle, answerMicrosoft, entityName, findMicrosoft, type Answer, type Entry } from './shape';

interface Guest {
  who: string;
  answer: string;
  self?: boolean;
}
interface Detail {
  path: string;
  native: Record<string, any>;
  where?: string;
  organizer?: string;
  text?: string;
  guests: Guest[];
}

const GRAPH_ANSWERS: Record<string, string> = { accepted: 'accepted', declined: 'declined', tentativelyAccepted: 'tentative', organizer: 'accepted', notResponded: 'none', none: 'none' };

async function detail(place: string, e: Entry, vendor: string, signal: AbortSignal): Promise<Detail | undefined> {
  if (vendor !== 'microsoft') {
    const path = `@www.googleapis.com/calendar/v3/calendars/${encodeURIComponent(e.calendarKey)}/events/${encodeURIComponent(e.id)}`;
    const n = await look(place, e.actor, path, signal);
    const guests = (n['attendees'] as { email?: string; displayName?: string; responseStatus?: string; self?: boolean }[] | undefined) ?? [];
    return {
      path, native: n, where: n['location'], organizer: n['organizer']?.displayName ?? n['organizer']?.email, text: n['description'] && htmlToText(String(n['description'])),
      guests: guests.map((g) => ({ who: g.displayName ?? g.email ?? '', answer: g.responseStatus === 'needsAction' ? 'none' : g.responseStatus ?? 'none', self: g.self })),
    };
  }
  const start = e.all_day ? `${e.start.slice(0, 10)}T00:00:00Z` : new Date(e.start).toISOString();
  const end = e.all_day ? `${e.end.slice(0, 10)}T00:00:00Z` : new Date(Math.max(Date.parse(e.end), Date.parse(e.start) + 1000)).toISOString();
  const found = await look<{ value: Record<string, any>[] }>(place, e.actor, `@graph.microsoft.com/v1.0/me/calendarView?startDateTime=${start}&endDateTime=${end}&$top=200`, signal);
  const id = findMicrosoft(found.value, e);
  const n = found.value.find((v) => v['id'] === id);
  if (!n) return undefined;
  return {
    path: `@graph.microsoft.com/v1.0/me/events/${encodeURIComponent(id!)}`, native: n, where: n['location']?.displayName || undefined,
    organizer: n['organizer']?.emailAddress?.name ?? n['organizer']?.emailAddress?.address,
    text: n['body']?.content ? (n['body'].contentType === 'html' ? htmlToText(n['body'].content) : n['body'].content) : undefined,
    guests: ((n['attendees'] as any[]) ?? []).map((g) => ({
      who: g.emailAddress?.name ?? g.emailAddress?.address ?? '', answer: GRAPH_ANSWERS[g.status?.response] ?? 'none',
    })),
  };
}

const whenOf = (e: Entry, zone: string): string => {
  if (e.all_day) return `${dayName(e.start.slice(0, 10))}, ${words.allDay}`;
  return `${momentOf(e.start, zone, false)} – ${clockTime(e.end, zone)} (${zone})`;
};

export function EventPane(p: { place: string; world: string; entry: Entry; zone: string; vendor: string; actor: string }) {
  const { entry: e } = p;
  const gone = e.change === 'gone';
  const got = useAsked<Detail | null>(JSON.stringify([p.place, e.key, e.start, gone]), async (signal) => (await detail(p.place, e, p.vendor, signal)) ?? null, { live: true, skip: gone });
  const mark = e.mark;
  return (
    <section class="detail" aria-label={words.details}>
      <button type="button" class="plain-button pane-close" data-back onClick={() => go({ query: { open: undefined } })}>× <span>{words.close}</span></button>
      <h2>{gone ? <s>{visible(e.title || words.untitled)}</s> : visible(e.title || words.untitled)}</h2>
      {e.change && <p class="mark-line"><ChangeMark entry={e} /></p>}
      <dl class="facts">
        <dt>{words.when}</dt><dd><time dateTime={e.start}>{whenOf(e, p.zone)}</time></dd>
        <dt>{words.calendar}</dt><dd>{nameOf(e.actor)}{e.calendarName && e.calendarName !== e.actor ? `, ${visible(e.calendarName)}` : ''}</dd>
        {e.status !== 'confirmed' && <><dt>{words.status}</dt><dd>{e.status}</dd></>}
        {e.me && <><dt>{words.answer}</dt><dd>{words.answers[e.me] ?? e.me}</dd></>}
        {e.series && <><dt>{words.series}</dt><dd><code>{visible(e.series)}</code></dd></>}
      </dl>
      {mark && <div class="mark-fields"><Mark of={asChange(mark)} />{mark.change.fields && <Fields of={asChange(mark)} />}</div>}
      {!gone && <Await of={got}>{(d) => (d ? <Details d={d} p={p} /> : null)}</Await>}
      <h3>{words.history}</h3>
      <History place={p.place} name={mark?.name ?? entityName(e.calendarKey, e.series ?? e.id)} zone={p.zone} />
    </section>
  );
}

function Details(props: { d: Detail; p: { place: string; world: string; entry: Entry; vendor: string; actor: string } }) {
  const { d, p } = props;
  const e = p.entry;
  const answer = (a: Answer) => async (): Promise<void> => {
    if (p.vendor === 'microsoft') await act(p.world, e.actor, answerMicrosoft(String(d.native['id']), a));
    else await act(p.world, e.actor, answerGoogle(e.calendarKey, d.native as { id: string }, a));
  };
  const invited = p.vendor === 'microsoft' ? d.native['isOrganizer'] === false : d.guests.some((g) => g.self);
  return (
    <>
      <dl class="facts">
        {d.where && <><dt>{words.where}</dt><dd>{visible(d.where)}</dd></>}
        {d.organizer && <><dt>{words.organizer}</dt><dd>{visible(d.organizer)}</dd></>}
      </dl>
      {d.text && <div class="message-text">{visible(d.text.slice(0, 100_000))}</div>}
      {d.guests.length > 0 && (
        <>
          <h3>{words.guestList}</h3>
          <ul class="guests">
            {d.guests.slice(0, 500).map((g, i) => <li key={i}><span class={`answer answer-${g.answer}`} aria-hidden="true">{{ accepted: '✓', declined: '✗', tentative: '?' }[g.answer] ?? '·'}</span> {visible(g.who)} <span class="quiet">{words.answers[g.answer] ?? g.answer}</span></li>)}
          </ul>
        </>
      )}
      {isActing(p.actor) && e.actor === p.actor && (
        invited ? (
          <div class="buttons">
            <ActForm label={words.accept} button={words.accept} done={words.answered} run={answer('accepted')} />
            <ActForm label={words.maybe} button={words.maybe} done={words.answered} run={answer('tentative')} />
            <ActForm label={words.decline} button={words.decline} done={words.answered} run={answer('declined')} />
          </div>
        ) : <Empty>{words.notInvited}</Empty>
      )}
      <p class="buttons"><JsonButtons target={lookTarget(p.place, e.actor, d.path)} /></p>
    </>
  );
}
