// SPDX-License-Identifier: Apache-2.0
// Snapshots made of the world that is shown: states to compare with, marks in the time bar.
import { signal } from '@preact/signals';
import { get } from '../api/client';
import { world } from './state';

/** Of the world of the address, with the time of the world that each was made at. */
export const snapshots = signal<Array<{ name: string; now: string }>>([]);

export async function loadSnapshots() {
  const w = world.value;
  if (!w) return;
  try {
    const { worlds } = await get('/worlds', { query: { parent: w.world, limit: 200, snapshots: true } });
    if (world.value?.world !== w.world) return;
    snapshots.value = worlds.map((s) => ({ name: s.name ?? s.world, now: s.now }));
  } catch {
    snapshots.value = [];
  }
}
