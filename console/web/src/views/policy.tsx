// SPDX-License-Identifier: Apache-2.0
// Policies with what each has decided, budgets with what is used of them.
import { useState } from 'preact/hooks';
import { get, send } from '../api/client';
import type { JsonObject } from '../api/types';
import { go, href } from '../app/router';
import { readOnly } from '../app/state';
import { Await, useAsked, useGet } from '../app/use';
import type { ViewProps } from '../app/views';
import { decisionOf, whatOf, whoOf, type Call } from '../ui/calls';
import { timeOf } from '../ui/dates';
import { DocumentForm } from '../ui/document';
import { CallLink, Plain } from '../ui/marks';
import { text, plural } from '../strings';

const words = {
  policies: 'Policies', none: 'No policy: all calls may be made.', rules: (n: number) => plural(n, 'rule'), broken: 'It can’t be read:', document: 'The policy', add: 'Add a policy …', budgets: 'Budgets',
  noBudgets: 'No budgets.', setBudgets: 'Set budgets …', decided: 'What was decided', noDecisions: 'Nothing was denied, held or tried in the last calls.', workflow: 'workflow', budgetDocument: 'Budgets',
  hits: 'Calls', rule: 'Rule', decision: 'Decision', last: 'Last',
};
const EMPTY = 'policy: 1\nname: assistant\nrules:\n  - id: no-delete\n    effect: deny\n    call: {risk: destructive}\n';
const EMPTY_BUDGETS = 'budgets: 1\nlimits:\n  - {name: the run, calls: 100}\n';

interface Hits { key: string; decision: string; rule: string; n: number; last: Call }

/** The last calls that a policy or a budget had more to say of than that they may be. */
/** JSON that came in one line is read by lines. */
function laidOut(document: string): string {
  if (document.trim().includes('\n')) return document;
  try {
    return JSON.stringify(JSON.parse(document), null, 2);
  } catch {
    return document;
  }
}

function Decided(p: ViewProps) {
  const got = useAsked(p.place, async (abort) => {
    const path = { world: p.place };
    const lists = await Promise.all((['deny', 'approve', 'dryRun', 'stop'] as const).map((decision) =>
      get('/worlds/{world}/journal', { path, query: { decision, order: 'newest', limit: 250, bodies: false }, signal: abort })));
    const hits = new Map<string, Hits>();
    const calls = lists.flatMap((l) => l.entries as Call[]).sort((a, b) => b.seq - a.seq);
    for (const e of calls) {
      const rule = String(e.guard?.rule ?? e.stop?.budget ?? ''), decision = e.stop ? 'stop' : String(e.guard?.decision ?? '');
      const key = `${e.guard?.policy ?? ''} ${rule} ${decision}`;
      const one = hits.get(key);
      if (one) one.n++;
      else hits.set(key, { key, decision, rule, n: 1, last: e });
    }
    return { hits: [...hits.values()], calls: calls.slice(0, 30) };
  }, { live: true });
  return (
    <Await of={got}>{(d) => !d.calls.length ? <p class="quiet">{words.noDecisions}</p> : (
      <>
        <table class="table">
          <thead><tr><th>{words.rule}</th><th>{words.decision}</th><th class="number">{words.hits}</th><th>{words.last}</th></tr></thead>
          <tbody>{d.hits.map((h) => (
            <tr key={h.key}><th scope="row">{h.rule}</th><td>{h.decision}</td><td class="number">{h.n}</td><td><CallLink seq={h.last.seq} /> {whatOf(h.last)}</td></tr>
          ))}</tbody>
        </table>
        <ul class="call-lines">
          {d.calls.map((e) => (
            <li class="call-line" key={e.seq}>
              <a href={href({ view: 'journal', rest: [], seq: undefined, query: { open: String(e.seq), tab: 'why' } })}>{text.call(e.seq)}</a> {timeOf(e.at)} <span class="quiet">{whoOf(e)}</span> <b>{whatOf(e)}</b> {decisionOf(e)}
            </li>
          ))}
        </ul>
      </>
    )}</Await>
  );
}

function OnePolicy(p: ViewProps & { name: string; done: () => void }) {
  const got = useGet('/worlds/{world}/policies/{policy}', { path: { world: p.place, policy: p.name } });
  return (
    <Await of={got}>{(d) => {
      const one = d.policies[0]!;
      if (readOnly.value || p.seq !== undefined) return <Plain of={laidOut(one.document ?? '')} />;
      return (
        <DocumentForm key={one.hash} label={`${words.document} ${one.name}`} value={laidOut(one.document ?? '')}
          save={(document) => send('post', '/worlds/{world}/policies', { path: { world: p.world }, body: document })}
          remove={() => send('delete', '/worlds/{world}/policies/{policy}', { path: { world: p.world, policy: p.name } })}
          done={() => {
            p.done();
            go({ rest: [] }, true);
          }} />
      );
    }}</Await>
  );
}

function Used(p: { of: JsonObject[] }) {
  const names = [...new Set(p.of.flatMap((u) => Object.keys(u)))];
  return (
    <table class="table">
      <thead><tr>{names.map((n) => <th key={n}>{n}</th>)}</tr></thead>
      <tbody>{p.of.map((u, i) => <tr key={i}>{names.map((n) => <td key={n}>{u[n] === undefined ? '' : typeof u[n] === 'object' ? JSON.stringify(u[n]) : String(u[n])}</td>)}</tr>)}</tbody>
    </table>
  );
}

export default function Policy(p: ViewProps) {
  const list = useGet('/worlds/{world}/policies', { path: { world: p.place } }, { live: true });
  const trouble = useGet('/worlds/{world}/faults', { path: { world: p.place } }, { live: true });
  const [adding, add] = useState(false);
  const [budgeting, budget] = useState(false);
  const open = p.route.rest[0];
  return (
    <div class="page">
      <h1>{text.policy}</h1>
      <h2>{words.policies}</h2>
      <Await of={list}>{(d) => (
        <>
          {!d.policies.length && <p class="quiet">{words.none}</p>}
          <ul class="call-lines">
            {d.policies.map((x) => (
              <li class="call-line" key={x.name}>
                <a href={href({ rest: open === x.name ? [] : [x.name] })} aria-expanded={open === x.name}>{x.name}</a> {x.version} <span class="quiet">{words.rules(x.rules ?? 0)} {x.workflow ? `${words.workflow} ${x.workflow}` : ''} {x.hash?.slice(0, 12)}</span>
                {x.broken && <span class="status-bad"> {words.broken} {x.broken}</span>}
                {open === x.name && <OnePolicy {...p} name={x.name} done={list.again} />}
              </li>
            ))}
          </ul>
        </>
      )}</Await>
      {!readOnly.value && p.seq === undefined && (adding ? (
        <DocumentForm label={words.document} value={EMPTY} save={(document) => send('post', '/worlds/{world}/policies', { path: { world: p.world }, body: document })}
          done={() => {
            add(false);
            list.again();
          }} />
      ) : <p><button type="button" onClick={() => add(true)}>{words.add}</button></p>)}
      <h2>{words.budgets}</h2>
      <Await of={trouble}>{(d) => (
        <>
          {p.seq !== undefined && d.budgets ? <Plain of={d.budgets} /> : d.used?.length ? <Used of={d.used} /> : <p class="quiet">{words.noBudgets}</p>}
          {!readOnly.value && p.seq === undefined && (budgeting ? (
            <DocumentForm label={words.budgetDocument} value={d.budgets ? JSON.stringify(d.budgets, null, 2) : EMPTY_BUDGETS}
              save={(document) => send('put', '/worlds/{world}/budgets', { path: { world: p.world }, body: document })}
              remove={d.budgets && (() => send('delete', '/worlds/{world}/budgets', { path: { world: p.world } }))}
              done={() => {
                budget(false);
                trouble.again();
              }} />
          ) : <p><button type="button" onClick={() => budget(true)}>{words.setBudgets}</button></p>)}
        </>
      )}</Await>
      <h2>{words.decided}</h2>
      <Decided {...p} />
    </div>
  );
}
