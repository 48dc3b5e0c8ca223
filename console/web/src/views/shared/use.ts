// SPDX-License-Identifier: Apache-2.0
// What screens of a person share: marks since the chosen state, the person's address, the keys of a pane.
import { useEffect, useMemo } from 'preact/hooks';
import { actors, actorName, changes } from '../../app/state';
import { bindView } from '../../app/keys';
import { go } from '../../app/router';
import { byName, flatten, type Change, type Mark } from './changes';
import { words } from '../words';

/** All marks since the chosen state. */
export function useMarks(): readonly Mark[] {
  const list = changes.value?.list as readonly unknown[] | undefined;
  return useMemo(() => (list ? flatten(list as readonly Change[]) : []), [list]);
}
export function useMarksByName(): ReadonlyMap<string, Mark> {
  const marks = useMarks();
  return useMemo(() => byName(marks), [marks]);
}

/** As what ui/marks.tsx shows of it: with the call of what it follows from. */
export const asChange = (mark: Mark): any => ({ ...mark.change, seq: mark.seq, actor: mark.actor, method: mark.method });

/** The e-mail address of who is named by a handle or an address. */
export function addressOf(actor: string): string {
  return actors.value?.find((a) => actorName(a) === actor || a.handle === actor)?.email ?? actor;
}

/** Escape closes what is open and brings the focus back to its row. */
export function useClose(open: string | undefined, close = () => go({ query: { open: undefined, as: undefined } })): void {
  useEffect(() => {
    if (open === undefined) return;
    return bindView([{ key: 'Escape', what: words.close, run: () => {
      close();
      requestAnimationFrame(() => document.querySelector<HTMLElement>('main .list [tabindex="0"], main [data-back]')?.focus());
    } }]);
  }, [open]);
}
