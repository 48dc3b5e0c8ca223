// SPDX-License-Identifier: Apache-2.0
// Screens of what services have: of a person (mail, calendar, drive, chat), and the world's workspace.
import type { View, ViewProps } from '../app/views';
import { address } from '../api/client';
import { text } from '../strings';

const of = (p: ViewProps): { world: string; actor: string } => ({ world: p.place, actor: p.actor ?? '' });

export const services: View[] = [
  { name: 'mail', title: text.mail, of: 'person', key: 'm', load: () => import('./mail'), json: (p) => p.actor && mailAddress(p) },
  { name: 'calendar', title: text.calendar, of: 'person', key: 'c', load: () => import('./calendar'), json: (p) => p.actor && address('/worlds/{world}/calendar/{actor}/calendars', { path: of(p), query: { vendor: p.route.query.vendor } }) },
  { name: 'chat', title: text.chat, of: 'person', key: 't', load: () => import('./chat') },
  { name: 'drive', title: text.drive, of: 'person', key: 'd', load: () => import('./drive') },
  { name: 'tasks', title: text.tasks, of: 'person', key: 'b', load: () => import('./tasks'), json: (p) => p.actor && address('/worlds/{world}/tasks/{actor}/lists', { path: of(p), query: { vendor: p.route.query.vendor } }) },
  { name: 'workspace', title: text.workspace, of: 'world', key: 'f', load: () => import('./files'),
    json: (p) => address('/worlds/{world}/workspace', { path: { world: p.place }, query: { recursive: true } }) },
];

function mailAddress(p: ViewProps): string {
  const { vendor, open } = p.route.query;
  return open ? address('/worlds/{world}/mail/{actor}/messages/{message}', { path: { ...of(p), message: open }, query: { vendor } })
    : address('/worlds/{world}/mail/{actor}/folders', { path: of(p), query: { vendor } });
}
