// SPDX-License-Identifier: Apache-2.0
// All screens, in the order of the sidebar. Each is a chunk of its own.
import { address } from '../api/client';
import { changesCount, heldCount } from '../app/state';
import type { View } from '../app/views';
import { text } from '../strings';
import { services } from './services';

const of = (path: Parameters<typeof address>[0]): View['json'] => (p) => address(path, { path: { world: p.place } });

export const views: View[] = [
  { name: 'worlds', title: text.worlds, of: 'server', key: 'w', load: () => import('./worlds'),
    json: (p) => address('/worlds', { query: { limit: 200, parent: p.route.query.parent, q: p.route.query.q } }) },
  { name: 'runs', title: text.runs, of: 'server', key: 'r', load: () => import('./runs'), json: () => address('/runs', { query: { limit: 200 } }) },
  { name: 'workflows', title: text.workflows, of: 'server', key: 'v', load: () => import('./workflows'), json: () => address('/workflows') },
  { name: 'overview', title: text.overview, of: 'world', key: 'o', load: () => import('./overview'), json: of('/worlds/{world}') },
  ...services,
  { name: 'journal', title: text.journal, of: 'world', key: 'j', load: () => import('./journal'),
    json: (p) => address('/worlds/{world}/journal', { path: { world: p.place }, query: {
      order: 'newest', effects: true, bodies: false, actor: p.route.query.actor, method: p.route.query.method, status: p.route.query.status,
      decision: p.route.query.decision as never, text: p.route.query.q } }) },
  { name: 'diff', title: text.changesTitle, of: 'world', key: 'e', count: () => changesCount.value, load: () => import('./diff'),
    json: (p) => {
      const from = p.route.rest[0] ?? p.since;
      return from && address('/diff', { query: { from, to: p.place, causes: true } });
    } },
  { name: 'approvals', title: text.approvals, of: 'world', key: 'a', count: () => heldCount.value, load: () => import('./approvals'), json: of('/worlds/{world}/approvals') },
  { name: 'outbox', title: text.outbox, of: 'world', key: 'x', load: () => import('./outbox'), json: of('/worlds/{world}/outbox') },
  { name: 'clock', title: text.clock, of: 'world', key: 'k', load: () => import('./clock'), json: of('/worlds/{world}/due') },
  { name: 'policy', title: text.policy, of: 'world', key: 'p', load: () => import('./policy'), json: of('/worlds/{world}/policies') },
  { name: 'faults', title: text.faults, of: 'world', key: 'u', load: () => import('./faults'), json: of('/worlds/{world}/faults') },
  { name: 'search', title: text.search, of: 'world', key: 's', load: () => import('./search'),
    json: (p) => p.route.query.q && address('/worlds/{world}/search', { path: { world: p.place }, query: { q: p.route.query.q } }) },
  { name: 'connect', title: text.connect, of: 'world', key: 'n', load: () => import('./connect') },
];
