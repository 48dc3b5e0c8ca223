// SPDX-License-Identifier: Apache-2.0
// A world at a glance: what changed and for whom, the last calls, what is due, what waits.
import { useState } from 'preact/hooks';
import { get, send } from '../api/client';
import { go, href } from '../app/router';
import { actorName, actors, changes, changesByName, changesError, loadWorld, nameOf, readOnly, world, type Change } from '../app/state';
import { fork } from '../app/timebar';
import { Await, say, useAsked, useGet } from '../app/use';
import { myZone } from './shared/time';
import type { ViewProps } from '../app/views';
import { loadSnapshots } from '../app/worlds';
import { CallLine, type Call } from '../ui/calls';
import { bytes, count, momentOf } from '../ui/dates';
import { Dialog } from '../ui/dialog';
import { copy } from '../ui/json';
import { Since, visible } from '../ui/marks';
import { plural, text } from '../strings';

const words = {
  note: 'Note', keepNote: 'Keep', noteKept: 'The note is kept.',
  from: 'from', changesSince: (n: number, from: string) => `${plural(n, 'change')} since ${from}`, equal: 'Nothing has changed since',
  nothing: 'There is no state to compare with.', waiting: (n: number) => `${plural(n, 'call')} ${n === 1 ? 'waits' : 'wait'} for approval`,
  who: 'Whose', lastCalls: 'Last calls', due: 'What is due next', allDue: (n: number) => `all ${count(n)}`, noCalls: 'No calls yet.', noDue: 'Nothing is due.',
  fork: 'Fork', snapshot: 'Snapshot', reset: 'Reset …', resetTitle: 'Back to', resetSure: 'All that was done since is gone, from the journal too.',
  start: 'what it was when it was made', doReset: 'Reset', snapshotName: 'Name of the snapshot',
  facts: 'The world', key: 'Key', url: 'URL', size: 'Size', own: 'of its own', shared: 'shared with others', expires: 'Expires', made: 'Made', used: 'Last used', calls: (n: number) => plural(n, 'call'), clock: 'Clock', journal: 'Journal', seed: 'Seed', people: 'People',
  outside: 'nobody’s',
};

/** How many changes each person has of each service, by the person's first one. */
function byPerson(list: Change[]): { people: string[]; services: string[]; n: Map<string, number> } {
  const people: string[] = [], services = new Set<string>(), n = new Map<string, number>();
  for (const c of list) {
    const who = c.person ?? '', what = c.service ?? c.entity;
    if (!people.includes(who)) people.push(who);
    services.add(what);
    n.set(`${who} ${what}`, (n.get(`${who} ${what}`) ?? 0) + 1);
  }
  return { people, services: [...services].sort(), n };
}

const MOST_PEOPLE = 12;
function Changes(p: ViewProps) {
  const found = changes.value;
  if (!p.since) return <p class="quiet">{words.nothing}</p>;
  if (!found) return <p class="quiet">{changesError.value ? changesError.value.message : text.loading}</p>;
  const all = [...changesByName.value.values()];
  if (!found.list.length) return <p>{words.equal} {found.from}.</p>;
  const { people, services, n } = byPerson(all);
  return (
    <table class="table">
      <thead><tr><th>{words.who}</th>{services.map((s) => <th class="number" key={s}>{s}</th>)}</tr></thead>
      <tbody>
        {people.slice(0, MOST_PEOPLE).map((who) => (
          <tr key={who}>
            <th scope="row"><a href={href({ view: 'diff', rest: [found.from], query: { actor: who } })}>{who ? nameOf(who) : words.outside}</a></th>
            {services.map((s) => <td class="number" key={s}>{n.get(`${who} ${s}`) ?? ''}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Reset(p: { world: string; close: () => void }) {
  const snapshots = useAsked(p.world, (abort) => get('/worlds', { query: { parent: world.value?.world, snapshots: true, limit: 200 }, signal: abort }));
  const [target, choose] = useState('');
  const reset = async () => {
    try {
      await send('post', '/worlds/{world}/reset', { path: { world: p.world }, body: target ? { to: target } : {} });
      await loadWorld();
    } catch (e) {
      say((e as Error).message);
    }
    p.close();
  };
  return (
    <Dialog title={words.reset} close={p.close}>
      <p>{words.resetSure}</p>
      <label>{words.resetTitle}{' '}
        <select value={target} onChange={(e) => choose(e.currentTarget.value)}>
          <option value="">{words.start}</option>
          {(snapshots.data?.worlds ?? []).map((s) => <option key={s.world} value={s.name ?? s.world}>{s.name ?? s.world}</option>)}
        </select>
      </label>
      <p class="buttons"><button type="button" class="act" onClick={reset}>{words.doReset}</button><button type="button" onClick={p.close}>{text.cancel}</button></p>
    </Dialog>
  );
}

function Doing(p: ViewProps) {
  const [resetting, reset] = useState(false);
  const snapshot = async () => {
    const name = prompt(words.snapshotName);
    if (name === null) return;
    try {
      const made = await send('post', '/worlds/{world}/snapshot', { path: { world: p.world }, body: name ? { name } : {} });
      await loadSnapshots();
      go({ query: { since: made.name ?? made.world } }, true);
    } catch (e) {
      say((e as Error).message);
    }
  };
  if (readOnly.value) return null;
  return (
    <>
      <button type="button" onClick={fork}>{words.fork}</button>
      {p.seq === undefined && !world.value?.snapshot && (
        <>
          <button type="button" onClick={snapshot}>{words.snapshot}</button>
          <button type="button" onClick={() => reset(true)}>{words.reset}</button>
        </>
      )}
      {resetting && <Reset world={p.world} close={() => reset(false)} />}
    </>
  );
}

/** What people say of the world: a field, where it can be changed. */
function Note(p: { world: string; note: string; may: boolean }) {
  const keep = async (note: string) => {
    try {
      await send('patch', '/worlds/{world}', { path: { world: p.world }, body: { note } });
      await loadWorld();
      say(words.noteKept);
    } catch (e) {
      say((e as Error).message);
    }
  };
  if (!p.may) return <>{visible(p.note)}</>;
  return (
    <form onSubmit={(e) => {
      e.preventDefault();
      void keep(String(new FormData(e.currentTarget).get('note') ?? '').trim());
    }}>
      <input type="text" name="note" key={p.note} defaultValue={p.note} maxLength={1000} size={24} aria-label={words.note} /> <button type="submit">{words.keepNote}</button>
    </form>
  );
}

function Facts(p: ViewProps) {
  const w = world.value!, may = !readOnly.value && p.seq === undefined;
  return (
    <dl class="facts">
      <dt>{words.key}</dt><dd>{w.world}</dd>
      <dt>{words.url}</dt><dd>{w.url} <button type="button" class="plain-button" onClick={() => copy(w.url)}>{text.copy}</button></dd>
      <dt>{words.clock}</dt><dd>{momentOf(w.now)}, {w.clock}{w.step_ms ? ` ${w.step_ms} ms` : ''}</dd>
      <dt>{words.size}</dt><dd>{bytes(w.size)} {words.own}, {bytes(w.base_size)} {words.shared}</dd>
      <dt>{words.journal}</dt><dd>{w.journal}</dd>
      <dt>{words.seed}</dt><dd>{w.seed}</dd>
      <dt>{words.people}</dt><dd>{actors.value ? count(actors.value.filter((a) => a.kind === 'person' && actorName(a)).length) : '…'}</dd>
      {w.made && <><dt>{words.made}</dt><dd>{momentOf(w.made, myZone())}</dd></>}
      {w.used && <><dt>{words.used}</dt><dd>{momentOf(w.used, myZone())}{w.calls !== undefined && `, ${words.calls(w.calls)}`}</dd></>}
      {(may || w.note) && <><dt>{words.note}</dt><dd><Note world={p.world} note={w.note ?? ''} may={may} /></dd></>}
      {w.expires && <><dt>{words.expires}</dt><dd>{momentOf(w.expires)}</dd></>}
    </dl>
  );
}

export default function Overview(p: ViewProps) {
  const calls = useGet('/worlds/{world}/journal', { path: { world: p.place }, query: { order: 'newest', limit: 10, bodies: false, effects: true, times: true } }, { live: true });
  const due = useGet('/worlds/{world}/due', { path: { world: p.place }, query: { limit: 5 } }, { live: true });
  const held = useGet('/worlds/{world}/approvals', { path: { world: p.place }, query: { state: 'held' } }, { live: true });
  const n = held.data?.approvals.length ?? 0;
  const found = changes.value;
  return (
    <div class="page">
      <div class="bar overview-bar">
        <h1>{p.place}</h1>
        {world.value?.parent_name && <span class="quiet">{words.from} <a href={href({ world: world.value.parent_name, rest: [] })}>{world.value.parent_name}</a></span>}
        {found && p.since && <a href={href({ view: 'diff', rest: [found.from] })}>{words.changesSince(found.total, found.from)}</a>}
        {n > 0 && <a href={href({ view: 'approvals', rest: [] })} class="status-held">{words.waiting(n)}</a>}
        <span class="space" />
        <Since />
      </div>
      <div class="buttons"><Doing {...p} /></div>
      <div class="overview">
        <div>
          <section class="card"><h2>{text.changesTitle}</h2><Changes {...p} /></section>
          <section class="card">
            <h2><a href={href({ view: 'journal', rest: [] })}>{words.lastCalls}</a></h2>
            <Await of={calls}>{(d) => d.entries.length ? (
              <ul class="call-lines">
                {d.entries.map((e) => <CallLine key={e.seq} of={e as Call} href={href({ view: 'journal', rest: [], seq: undefined, query: { open: String(e.seq) } })} />)}
              </ul>
            ) : <p class="quiet">{words.noCalls}</p>}</Await>
          </section>
        </div>
        <div>
          <section class="card"><h2>{words.facts}</h2><Facts {...p} /></section>
          <section class="card">
            <h2><a href={href({ view: 'clock', rest: [] })}>{words.due}</a></h2>
            <Await of={due}>{(d) => d.total ? (
              <ul class="call-lines">
                {d.due.map((x, i) => <li class="call-line" key={i}><time dateTime={String(x.at)}>{momentOf(String(x.at))}</time> {String(x.core)} <b>{String(x.kind)}</b></li>)}
                {d.total > 5 && <li><a href={href({ view: 'clock', rest: [] })}>{words.allDue(d.total)}</a></li>}
              </ul>
            ) : <p class="quiet">{words.noDue}</p>}</Await>
          </section>
        </div>
      </div>
    </div>
  );
}
