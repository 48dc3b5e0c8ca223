// SPDX-License-Identifier: Apache-2.0
// Screens of what services have: of a person (mail, calendar, drive, chat), and the world's workspace.
import type { View, ViewProps } from '../app/views';
import { address } from '../api/client';
import { loadStyle } from '../ui/style';
import { text } from '../strings';

const of = (p: ViewProps): { world: string; actor: string } => ({ world: p.place, actor: p.actor ?? '' });

/** Not drawn before its style is there: a list that is as high as its rows would ask for all of them. */
const styled = <M>(load: () => Promise<M>) => () => Promise.all([load(), loadStyle('services')]).then(([m]) => m);

export const services: View[] = [
  { name: 'mail', title: text.mail, of: 'person', key: 'm', load: styled(() => import('./mail')), json: (p) => p.actor && mailAddress(p) },
  { name: 'calendar', title: text.calendar, of: 'person', key: 'c', load: styled(() => import('./calendar')), json: (p) => p.actor && address('/worlds/{world}/calendar/{actor}/calendars', { path: of(p), query: { vendor: p.route.query.vendor } }) },
  { name: 'chat', title: text.chat, of: 'person', key: 't', load: styled(() => import('./chat')) },
  { name: 'drive', title: text.drive, of: 'person', key: 'd', load: styled(() => import('./drive')) },
  { name: 'tasks', title: text.tasks, of: 'person', key: 'b', load: styled(() => import('./tasks')), json: (p) => p.actor && address('/worlds/{world}/tasks/{actor}/lists', { path: of(p), query: { vendor: p.route.query.vendor } }) },
  { name: 'workspace', title: text.workspace, of: 'world', key: 'f', load: styled(() => import('./files')),
    json: (p) => address('/worlds/{world}/workspace', { path: { world: p.place }, query: { recursive: true } }) },
];

function mailAddress(p: ViewProps): string {
  const { vendor, open } = p.route.query;
  return open ? address('/worlds/{world}/mail/{actor}/messages/{message}', { path: { ...of(p), message: open }, query: { vendor } })
    : address('/worlds/{world}/mail/{actor}/folders', { path: of(p), query: { vendor } });
}
