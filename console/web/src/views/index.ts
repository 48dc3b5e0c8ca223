// SPDX-License-Identifier: Apache-2.0
// All screens, in the order of the sidebar. Each is a chunk of its own.
import type { View } from '../app/views';
import { changesCount } from '../app/state';
import { address } from '../api/client';
import { text } from '../strings';

export const views: View[] = [
  { name: 'worlds', title: text.worlds, of: 'server', key: 'w', load: () => import('./worlds'),
    json: (p) => address('/worlds', { query: { parent: p.route.query.parent, q: p.route.query.q } }) },
  { name: 'overview', title: text.overview, of: 'world', key: 'o', load: () => import('./overview'),
    json: (p) => address('/worlds/{world}', { path: { world: p.world } }) },
];
void changesCount;
