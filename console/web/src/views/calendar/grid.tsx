// SPDX-License-Identifier: Apache-2.0
// The grid of day, week and month: FullCalendar, given what there is to show and told what it is to do.
import { useEffect, useRef } from 'preact/hooks';
import { Calendar, type CalendarOptions, type EventInput } from 'fullcalendar';
import dayGrid from 'fullcalendar/daygrid';
import timeGrid from 'fullcalendar/timegrid';
import classic from 'fullcalendar/themes/classic';
import { dark } from '../../app/theme';
import { nameOf } from '../../app/state';
import { visible } from '../../ui/marks';
import { words } from '../words';
import type { Entry, Span } from './shape';

export interface GridProps {
  all: readonly Entry[];
  span: Span;
  date: string;
  zone: string;
  now: string; // of the world
  show: (entry: Entry) => void;
  many: boolean; // people
}

const VIEWS: Record<Span, string> = { day: 'timeGridDay', week: 'timeGridWeek', month: 'dayGridMonth', list: 'dayGridMonth' };
const SIGN = { new: '+ ', changed: '~ ', gone: '− ' } as const;

function inputOf(e: Entry, many: boolean): EventInput {
  const gone = e.change === 'gone';
  const who = many ? ` (${nameOf(e.actor)})` : '';
  return {
    id: e.key, start: e.start, end: e.end, allDay: e.all_day, interactive: true, extendedProps: { entry: e },
    title: `${e.change ? SIGN[e.change] : ''}${visible(e.title || words.untitled)}${who}${gone ? ` (${e.words})` : ''}`,
    color: gone ? 'var(--removed-ground)' : `var(--person-${e.person})`, contrastColor: gone ? 'var(--removed)' : 'var(--person-ink)',
    className: `meeting${e.change ? ` meeting-${e.change}` : ''}${e.me === 'declined' ? ' meeting-declined' : ''}${e.status === 'cancelled' ? ' meeting-declined' : ''}`,
  };
}

export default function Grid(p: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const made = useRef<Calendar>();
  const latest = useRef(p);
  latest.current = p;
  useEffect(() => {
    const options: CalendarOptions = {
      plugins: [dayGrid, timeGrid, classic], headerToolbar: false, height: '100%', firstDay: 1, nowIndicator: true, eventInteractive: true,
      scrollTime: '07:00', dayMaxEvents: true, timeZone: p.zone, now: p.now, initialView: VIEWS[p.span], initialDate: p.date, colorScheme: dark.value ? 'dark' : 'light',
      eventTimeFormat: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, slotHeaderFormat: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, slotDuration: '00:30', locale: navigator.language,
      eventClick: (info) => {
        info.jsEvent.preventDefault();
        latest.current.show(info.event.extendedProps['entry'] as Entry);
      },
    };
    const calendar = new Calendar(box.current!, options);
    made.current = calendar;
    calendar.render();
    return () => {
      calendar.destroy();
      made.current = undefined;
    };
  }, [p.zone]);
  useEffect(() => {
    const c = made.current!;
    c.setOption('now', p.now);
    if (c.view.type !== VIEWS[p.span]) c.changeView(VIEWS[p.span], p.date);
    else c.gotoDate(p.date);
  }, [p.span, p.date, p.now, p.zone]);
  useEffect(() => {
    const c = made.current!;
    c.batchRendering?.(() => {
      c.removeAllEventSources();
      c.addEventSource(p.all.map((e) => inputOf(e, p.many)));
    });
  }, [p.all, p.many, p.zone]);
  const isDark = dark.value;
  useEffect(() => {
    made.current?.setOption('colorScheme', isDark ? 'dark' : 'light');
  }, [isDark]);
  // What scrolls can be reached and moved by the keyboard.
  useEffect(() => {
    const mark = (): void => {
      for (const el of box.current?.querySelectorAll<HTMLElement>('*') ?? []) {
        const { overflowY } = getComputedStyle(el);
        if ((overflowY === 'auto' || overflowY === 'scroll') && el.scrollHeight > el.clientHeight + 1 && !el.hasAttribute('tabindex')) el.tabIndex = 0;
      }
      // Headers and days say what is seen of them; a day's label would hide its meetings from who hears it.
      for (const el of box.current?.querySelectorAll<HTMLElement>('[role=columnheader][aria-label], [role=gridcell][aria-label]') ?? []) {
        el.querySelector('[aria-hidden=true]')?.removeAttribute('aria-hidden');
        if (el.role === 'gridcell') el.removeAttribute('aria-label');
      }
      for (const el of box.current?.querySelectorAll<HTMLElement>('[role=rowheader][aria-label]') ?? []) if (!el.innerText.trim()) el.role = 'gridcell';
    };
    let frame = 0;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => (frame = requestAnimationFrame(mark)));
    };
    soon();
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('resize', soon);
    };
  }, [p.span, p.date, p.zone, p.all]);
  return <div class={`calendar-grid of-${p.span}`} ref={box} />;
}
