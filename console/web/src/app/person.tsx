// SPDX-License-Identifier: Apache-2.0
// Who is looked at: a list of all people of the world, found by name or address.
import { useState } from 'preact/hooks';
import { List } from '../ui/list';
import { Dialog } from '../ui/dialog';
import { go, route } from './router';
import { actor, actorName, actors, choose, nameOf, PERSONAL, type Actor } from './state';
import { text } from '../strings';

export const matches = (a: Actor, words: string) =>
  words.toLowerCase().split(/\s+/).every((w) => `${a.name} ${a.email ?? ''} ${a.handle ?? ''}`.toLowerCase().includes(w));

export function openPerson(name: string) {
  choose(name);
  if (PERSONAL.has(route.value.view)) go({ rest: [name], query: {} });
}

export function PersonChooser() {
  const [open, setOpen] = useState(false);
  const [words, setWords] = useState('');
  const all = actors.value;
  if (!all) return null;
  if (!all.length) return <span class="quiet">{text.noPeople}</span>;
  const found = words ? all.filter((a) => matches(a, words)) : all;
  const take = (i: number) => {
    const a = found[i];
    if (!a) return;
    setOpen(false);
    openPerson(actorName(a));
  };
  return (
    <>
      <button type="button" class="chooser" aria-haspopup="dialog" onClick={() => setOpen(true)} title={actor.value}>
        <span class="unseen">{text.person}: </span>{actor.value ? nameOf(actor.value) : text.choosePerson} ▾
      </button>
      {open && (
        <Dialog title={text.choosePerson} close={() => setOpen(false)}>
          <input
            type="text" autofocus placeholder={text.filterPeople} aria-label={text.filterPeople} value={words}
            onInput={(e) => setWords(e.currentTarget.value)} onKeyDown={(e) => e.key === 'Enter' && take(0)}
          />
          <div class="chooser-list">
            <List id="people" label={text.person} total={found.length} row={40} onOpen={take} empty={text.nothingFound}>
              {(i) => {
                const a = found[i]!;
                return (
                  <div role="gridcell" class="two-lines">
                    <span>{a.name} {a.kind !== 'person' && <em class="quiet">{a.kind}</em>}</span>
                    <span class="quiet">{actorName(a)}</span>
                  </div>
                );
              }}
            </List>
          </div>
        </Dialog>
      )}
    </>
  );
}
