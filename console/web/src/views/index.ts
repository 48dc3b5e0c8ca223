// SPDX-License-Identifier: Apache-2.0
// All screens, in the order of the sidebar. Each is a chunk of its own.
import { address } from '../api/client';
import { changesCount } from '../app/state';
import type { View } from '../app/views';
import { text } from '../strings';
import { services } from './services';

const of = (path: Parameters<typeof address>[0]): View['json'] => (p) => address(path, { path: { world: p.place } });

export const views: View[] = [
  { name: 'worlds', title: text.worlds, of: 'server', key: 'w', load: () => import('./worlds'),
    json: (p) => address('/worlds', { query: { limit: 200, parent: p.route.query.parent, q: p.route.query.q } }) },
  { name: 'overview', title: text.overview, of: 'world', key: 'o', load: () => import('./overview'), json: of('/worlds/{world}') },
  ...services,
];
void changesCount;
