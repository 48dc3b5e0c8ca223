// SPDX-License-Identifier: Apache-2.0
// What changed since a chosen state, by person, each with the call that made it and what followed.
import { useMemo } from 'preact/hooks';
import { address } from '../api/client';
import { go, href } from '../app/router';
import { MOST_CHANGES, nameOf, world, type Change } from '../app/state';
import { Await, useAsked, useGet } from '../app/use';
import { get } from '../api/client';
import type { ViewProps } from '../app/views';
import { loadSnapshots, snapshots } from '../app/worlds';
import { Empty } from '../ui/errors';
import { List } from '../ui/list';
import { save } from '../ui/save';
import { CallLink, Fields, Mark, markClass, SIGN, visible } from '../ui/marks';
import { ChangeList } from './journal-call';
import { number, text, plural } from '../strings';
import { useEffect } from 'preact/hooks';
import { momentOf } from '../ui/dates';

const words = {
  since: 'Since', entity: 'What', whose: 'Whose', every: 'all', equal: (hash: string) => `Nothing differs: equal, hash ${hash}.`,
  choose: 'Choose a state to compare with: a snapshot, another world, or a step (office@12).', count: (n: number) => plural(n, 'change'), follow: (n: number) => `${n} more followed`,
  noise: 'With what follows', history: 'Calls that touched it', noHistory: 'No call of those whose states are kept touched it.', report: 'Report as a file', none: 'No change is like that.',
  nobody: 'nobody’s', parent: 'what it was made from', followed: 'What followed from it', first: (n: number) => `the first ${number(n)} are here`,
};

interface Row { change: Change; deep: number }

/** Changes by person, those that follow from others behind them where they are wanted. */
/** What has no title is called by its name, without what sort of thing it is. */
function titleOf(c: Change): string {
  if (c.title) return c.title;
  const name = (c.name ?? '').replace(`${c.entity}/`, '');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function rowsOf(list: Change[], actor: string | undefined, entity: string | undefined, all: boolean): Row[] {
  const rows: Row[] = [];
  const add = (c: Change, deep: number) => {
    if ((!actor || c.person === actor) && (!entity || c.entity === entity)) rows.push({ change: c, deep });
    if (all || actor) for (const f of c.consequences ?? []) add(f, deep + 1);
  };
  for (const c of list) add(c, 0);
  if (!all) rows.sort((a, b) => (a.change.person ?? '').localeCompare(b.change.person ?? '') || (a.change.service ?? '').localeCompare(b.change.service ?? ''));
  return rows;
}

function ValueOf(p: { of: Change }) {
  const c = p.of;
  const f = Object.entries((c.fields ?? {}) as Record<string, { from?: unknown; to?: unknown }>)[0];
  if (!f) return null;
  const brief = (v: unknown) => visible((typeof v === 'string' ? v : JSON.stringify(v) ?? '').slice(0, 60));
  return <span class="quiet">{f[0]} {brief(f[1]?.from)} → {brief(f[1]?.to)}</span>;
}

function History(p: { place: string; name: string }) {
  const got = useGet('/worlds/{world}/history', { path: { world: p.place }, query: { name: p.name, limit: 20 } });
  return (
    <Await of={got}>{(d) => d.calls.length ? (
      <ul class="call-lines">
        {d.calls.map((c, i) => <li class="call-line" key={i}><CallLink seq={Number(c.seq)} /> {String(c.method ?? '')} <span class="quiet">{c.actor ? nameOf(String(c.actor)) : ''}</span></li>)}
      </ul>
    ) : <p class="quiet">{words.noHistory}</p>}</Await>
  );
}

/** Where a thing stands in its own screen. */
function screenOf(c: Change): string | undefined {
  if (!c.person || c.change === 'removed') return undefined;
  const id = (c.key as { id?: unknown }).id;
  if (c.entity === 'message' && id) return href({ view: 'mail', rest: [c.person], query: { open: String(id) } });
  const start = (c.value as { start?: { dateTime?: string; date?: string } } | undefined)?.start;
  const day = (start?.dateTime ?? start?.date ?? '').slice(0, 10);
  if (c.entity === 'event' && day) return href({ view: 'calendar', rest: [c.person, 'week', day], query: { open: String(id) } });
  return undefined;
}

function Detail(p: { place: string; of: Change }) {
  const c = p.of, screen = screenOf(c);
  return (
    <section class="detail" aria-label={c.title ?? c.name ?? c.entity}>
      <div class="buttons">
        {screen && <a href={screen}>{c.service ?? c.entity}</a>}
        <span class="space" />
        <button type="button" class="plain-button" aria-label={text.close} onClick={() => go({ query: { open: '' } })}>×</button>
      </div>
      <h2>{c.entity}: {visible(titleOf(c))}</h2>
      <p><Mark of={c} /> {c.seq !== undefined && c.actor && <span class="quiet">{nameOf(c.actor)}</span>} <code>{c.method}</code></p>
      <p class="quiet words">{visible(c.name ?? '')}</p>
      <Fields of={c} />
      {c.consequences?.length ? <><h3>{words.followed}</h3><ChangeList of={c.consequences} /></> : null}
      {c.name && <><h3>{words.history}</h3><History place={p.place} name={c.name} /></>}
    </section>
  );
}

function Chooser(p: ViewProps & { from: string | undefined }) {
  useEffect(() => void loadSnapshots(), [world.value?.world]);
  const choose = (state: string) => state && go({ view: 'diff', rest: [state], query: {} }, true);
  return (
    <label>{words.since}{' '}
      <input type="text" list="states" value={p.from ?? ''} spellcheck={false} onChange={(e) => choose(e.currentTarget.value.trim())} />
      <datalist id="states">
        {world.value?.parent_name && <option value={world.value.parent_name}>{words.parent}</option>}
        {snapshots.value.map((s) => <option key={s.name} value={s.name}>{momentOf(s.now)}</option>)}
        <option value={`${p.world}@0`} />
      </datalist>
    </label>
  );
}

function Equal(p: ViewProps) {
  const got = useGet('/worlds/{world}/hash', { path: { world: p.place } });
  return <Empty><Await of={got}>{(d) => words.equal(d.sha256.slice(0, 12))}</Await></Empty>;
}

const report = (p: ViewProps, from: string) => save(address('/worlds/{world}/report', { path: { world: p.place }, query: { from } }), `${p.place}.html`);

export default function Diff(p: ViewProps) {
  const from = p.route.rest[0] ?? p.since;
  const { actor, entity, open, noise } = p.route.query;
  const asked = { from: from!, to: p.place, causes: true, limit: MOST_CHANGES };
  const got = useAsked(`${from}:${p.place}`, (abort) => get('/diff', { query: asked, signal: abort }), { live: true, skip: !from });
  // of more than are loaded the server says which are asked for
  const part = useAsked(JSON.stringify([from, p.place, actor, entity]), (abort) => get('/diff', { query: { ...asked, person: actor, entity }, signal: abort }),
    { live: true, skip: !from || !got.data?.next || !(actor || entity) });
  const whole = part.data ?? got.data, list = whole?.changes ?? [];
  const rows = useMemo(() => rowsOf(list, actor, entity, noise === 'yes'), [list, actor, entity, noise]);
  const all = useMemo(() => rowsOf(list, undefined, undefined, true).map((r) => r.change), [list]);
  const people = useMemo(() => [...new Set(all.map((c) => c.person ?? ''))].filter(Boolean), [all]);
  const entities = useMemo(() => [...new Set(all.map((c) => c.entity))].sort(), [all]);
  const opened = open === undefined ? undefined : all.find((c) => c.name === open);
  const at = rows.findIndex((r) => r.change === opened);
  if (!from) return <div class="page"><h1>{text.changesTitle}</h1><p>{words.choose}</p><Chooser {...p} from={from} /></div>;
  return (
    <div class="full">
      <div class="bar">
        <h1>{from} → {p.place}</h1>
        <span class="quiet">{words.count(whole?.total ?? list.length)}{whole?.next ? `, ${words.first(list.length)}` : ''}{all.length > list.length ? `, ${words.follow(all.length - list.length)}` : ''}</span>
        <Chooser {...p} from={from} />
        <label>{words.whose}{' '}
          <select value={actor ?? ''} onChange={(e) => go({ query: { actor: e.currentTarget.value } }, true)}>
            <option value="">{words.every}</option>{people.map((x) => <option key={x} value={x}>{nameOf(x)}</option>)}
          </select>
        </label>
        <label>{words.entity}{' '}
          <select value={entity ?? ''} onChange={(e) => go({ query: { entity: e.currentTarget.value } }, true)}>
            <option value="">{words.every}</option>{entities.map((x) => <option key={x}>{x}</option>)}
          </select>
        </label>
        <label class="check"><input type="checkbox" checked={noise === 'yes'} onChange={(e) => go({ query: { noise: e.currentTarget.checked ? 'yes' : '' } }, true)} /> {words.noise}</label>
        <span class="space" />
        {p.seq === undefined && <button type="button" onClick={() => report(p, from)}>{words.report}</button>}
      </div>
      <Await of={got}>{(d) => !d.changes.length ? <Equal {...p} /> : (
        <div class={opened ? 'split two' : 'split'}>
          <List id="changes" label={text.changesTitle} total={rows.length} row={30} columns={5} open={at < 0 ? undefined : at}
            onOpen={(i) => go({ query: { open: rows[i]?.change.name } }, !!opened)} rowClass={(i) => markClass(rows[i]?.change)} empty={words.none}>
            {(i) => {
              const { change: c, deep } = rows[i]!;
              return (
                <>
                  <span role="gridcell" class={`mark is-${c.change}`}><span aria-hidden="true">{deep ? '↳' : ''}{SIGN[c.change] ?? '?'}</span><span class="unseen">{c.change}</span></span>
                  <span role="gridcell" class="diff-entity">{c.entity}</span>
                  <span role="gridcell" class="grow">{visible(titleOf(c))} <ValueOf of={c} /></span>
                  <span role="gridcell" class="quiet diff-who">{c.person ? nameOf(c.person) : words.nobody}</span>
                  <span role="gridcell" class="diff-call">{c.seq !== undefined && <CallLink seq={c.seq} />}</span>
                </>
              );
            }}
          </List>
          {opened && <Detail key={opened.name} place={p.place} of={opened} />}
        </div>
      )}</Await>
    </div>
  );
}
