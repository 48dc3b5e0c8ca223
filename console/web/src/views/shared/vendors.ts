// SPDX-License-Identifier: Apache-2.0
// With whom somebody has accounts, so that screens ask nobody who would refuse.
import { get } from '../../api/client';

/** As far as mail and calendars say; empty: somebody has neither. */
export async function vendorsOf(place: string, actor: string, signal: AbortSignal): Promise<Set<string>> {
  const path = { world: place, actor };
  const said = await Promise.allSettled([get('/worlds/{world}/mail/{actor}/folders', { path, signal }), get('/worlds/{world}/calendar/{actor}/calendars', { path, signal })]);
  return new Set(said.flatMap((s) => (s.status === 'fulfilled' ? s.value.vendors : [])));
}

/** May somebody with these have an account with a vendor? Who has neither mail nor calendars may have any. */
export const mayHave = (vendors: ReadonlySet<string>, vendor: string): boolean => !vendors.size || vendors.has(vendor);
