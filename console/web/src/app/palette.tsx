// SPDX-License-Identifier: Apache-2.0
// The palette (Ctrl-K): a screen, a world, a person, a call; and help (?).
import { signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { get } from '../api/client';
import { views } from '../views';
import { Dialog } from '../ui/dialog';
import { allKeys, keysOn, switchKeys } from './keys';
import { matches, openPerson } from './person';
import { go } from './router';
import { stepTo } from './sidebar';
import { actorName, actors, worldName, type World } from './state';
import { text } from '../strings';

export const paletteOpen = signal(false);
export const helpOpen = signal(false);

interface Item { name: string; kind: string; run: () => void }
const MOST = 12;

function found(words: string, worlds: World[]): Item[] {
  const items: Item[] = [];
  const lower = words.toLowerCase().trim();
  const number = /^(?:call\s*)?@?(\d+)$/.exec(lower)?.[1];
  if (number && worldName.value !== undefined) {
    items.push({ name: text.call(Number(number)), kind: text.journal, run: () => go({ view: 'journal', rest: [], query: { open: number } }) });
    items.push({ name: `@${number}`, kind: text.timeBar, run: () => go({ seq: Number(number) }) });
  }
  for (const v of views)
    if (!v.hidden && (v.of === 'server' || worldName.value !== undefined) && v.title.toLowerCase().includes(lower))
      items.push({ name: v.title, kind: text.screens, run: () => go(stepTo(v.name)) });
  for (const w of worlds)
    items.push({ name: w.name ?? w.world, kind: text.worlds, run: () => go({ world: w.name ?? w.world, view: 'overview', rest: [] }) });
  if (lower)
    for (const a of (actors.value ?? []).filter((x) => matches(x, lower)).slice(0, MOST))
      items.push({ name: a.name, kind: actorName(a), run: () => openPerson(actorName(a)) });
  if (lower && worldName.value !== undefined && views.some((v) => v.name === 'search'))
    items.push({ name: words, kind: text.search, run: () => go({ view: 'search', rest: [], query: { q: words } }) });
  return items.slice(0, 2 * MOST);
}

function Palette() {
  const [words, setWords] = useState('');
  const [worlds, setWorlds] = useState<World[]>([]);
  const [at, setAt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const soon = setTimeout(() => {
      get('/worlds', { query: { limit: MOST, q: words || undefined }, signal: abort.signal }).then((d) => setWorlds(d.worlds)).catch(() => {});
    }, 120);
    return () => {
      clearTimeout(soon);
      abort.abort();
    };
  }, [words]);
  const items = useMemo(() => found(words, worlds), [words, worlds, actors.value]);
  const close = () => (paletteOpen.value = false);
  const take = (i: number) => {
    close();
    items[i]?.run();
  };
  const here = Math.min(at, items.length - 1);
  return (
    <Dialog title={text.palette} close={close}>
      <input
        type="text" role="combobox" autofocus aria-expanded="true" aria-controls="palette-list" aria-label={text.palette}
        aria-activedescendant={items.length ? `palette-${here}` : undefined} placeholder={text.paletteHint} value={words}
        onInput={(e) => {
          setWords(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          const move = { ArrowDown: 1, ArrowUp: -1 }[e.key];
          if (move) setAt((here + move + items.length) % Math.max(1, items.length));
          else if (e.key === 'Enter') take(here);
          else return;
          e.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label={text.palette} class="palette">
        {items.map((x, i) => (
          <li key={i} id={`palette-${i}`} role="option" aria-selected={i === here} onClick={() => take(i)}>
            <span>{x.name}</span><span class="quiet">{x.kind}</span>
          </li>
        ))}
        {!items.length && <li role="option" aria-selected="false">{text.nothingFound}</li>}
      </ul>
    </Dialog>
  );
}

function Help() {
  return (
    <Dialog title={text.help} close={() => (helpOpen.value = false)}>
      <table class="keys">
        <tbody>
          <tr><th scope="row"><kbd>Ctrl-K</kbd></th><td>{text.palette}</td></tr>
          {allKeys().map((k) => <tr key={k.key}><th scope="row"><kbd>{k.key}</kbd></th><td>{k.what}</td></tr>)}
        </tbody>
      </table>
      <p><label><input type="checkbox" checked={keysOn.value} onChange={switchKeys} /> {text.keysOn}</label></p>
    </Dialog>
  );
}

export function Overlays() {
  return <>{paletteOpen.value && <Palette />}{helpOpen.value && <Help />}</>;
}
