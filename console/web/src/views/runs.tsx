// SPDX-License-Identifier: Apache-2.0
// Runs that loops have kept: how each went, and two of them side by side.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { address, get } from '../api/client';
import type { JsonObject, Schemas } from '../api/types';
import { go } from '../app/router';
import type { Change } from '../app/state';
import { Await, useGet, useRows } from '../app/use';
import type { ViewProps } from '../app/views';
import { Failure } from '../ui/errors';
import { List } from '../ui/list';
import { save } from '../ui/save';
import { momentOf } from '../ui/dates';
import { Plain, visible } from '../ui/marks';
import { number, plural, text } from '../strings';
import { ChangeList } from './journal-call';
import { accuracy, byTask, meanCalls, meanCost, meanReward, versionsOf, type Run, type Sums } from './runs-shape';

const words = {
  n: (k: number) => plural(k, 'run'), none: 'The folder has no run yet.', passed: 'passed', failed: 'failed', open: 'not judged', select: (id: string) => `Select ${id} to compare`, compare: 'Side by side', selected: 'selected',
  reward: 'Reward', calls: 'Calls', prompt: 'Prompt', output: 'What the agent said', complaint: 'What went wrong', parts: 'Parts of the verdict', failures: 'Failures', unexpected: 'Unexpected changes', changes: 'Changes',
  report: 'Report as a file', task: 'Task', suite: 'Suite', runs: 'Runs', rate: 'Passed', mean: 'Mean reward', summary: 'By task', cost: 'Mean cost, $', kinds: 'Kinds of failures', version: 'Version', against: 'beside', all: 'all together', nothing: 'no other', unnamed: '(none)',
  together: 'all of them', better: 'Passed more', refused: 'Refused', tokens: 'Tokens', seconds: 'Seconds', spent: 'Cost, $', none_changed: 'Nothing changed.', verdict: 'The verdict as it is',
};
const MOST = 2000, PAGE = 200;

const wordOf = (r: Run) => (r.passed === undefined ? words.open : r.passed ? words.passed : words.failed);
const classOf = (r: Run) => (r.passed === undefined ? 'quiet' : r.passed ? 'status-good' : 'status-bad');
const percent = (x: number) => new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 }).format(x);

/** All runs, the newest ones at most. */
function useAll(): Run[] {
  const [runs, set] = useState<Run[]>([]);
  useEffect(() => {
    const all = async () => {
      const found: Run[] = [];
      for (let offset: number | undefined = 0; offset !== undefined && found.length < MOST;) {
        const d: Schemas['Runs'] = await get('/runs', { query: { limit: PAGE, offset } });
        found.push(...d.runs);
        offset = d.next;
      }
      set(found);
    };
    all().catch(() => {}); // the list says why
  }, []);
  return runs;
}

const rounded = (x: number | undefined, digits = 3) => (x === undefined ? '' : new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(x));
const FIGURES: [string, (s: Sums) => string][] = [
  [words.runs, (s) => (s.runs ? number(s.runs) : '')], [words.rate, (s) => (accuracy(s) === undefined ? '' : percent(accuracy(s)!))], [words.mean, (s) => rounded(meanReward(s))],
  [words.calls, (s) => rounded(meanCalls(s), 1)], [words.cost, (s) => rounded(meanCost(s), 4)],
];
const kindsOf = (s: Sums) => [...s.kinds].sort((a, b) => b[1] - a[1]).map(([k, n]) => `${k} ${number(n)}`).join(', ');

/** How the runs of each task went; of two versions that are chosen, side by side. */
function Summary(p: { version: string | undefined; against: string | undefined }) {
  const runs = useAll();
  const versions = useMemo(() => versionsOf(runs), [runs]);
  const chosen = p.version === undefined ? undefined : [p.version, ...(p.against === undefined || p.against === p.version ? [] : [p.against])];
  const rows = useMemo(() => byTask(runs, chosen), [runs, p.version, p.against]);
  if (!runs.length) return null;
  const choice = (label: string, value: string | undefined, empty: string, member: 'version' | 'against') => (
    <label>{label}{' '}
      <select value={value === undefined ? '' : `=${value}`} onChange={(e) => go({ query: { [member]: e.currentTarget.value } }, true)}>
        <option value="">{empty}</option>{versions.map((v) => <option key={v} value={`=${v}`}>{v ? visible(v) : words.unnamed}</option>)}
      </select>
    </label>
  );
  const two = chosen?.length === 2;
  return (
    <details class="bar-details" open={chosen !== undefined}>
      <summary>{words.summary}</summary>
      {(versions.length > 1 || chosen) && <div class="buttons">{choice(words.version, p.version, words.all, 'version')}{p.version !== undefined && choice(words.against, p.against, words.nothing, 'against')}</div>}
      <div>
        <table class="table">
          <thead>
            {two && <tr><td /><td />{chosen.map((v) => <th key={v} colSpan={FIGURES.length + 1} scope="colgroup">{v ? visible(v) : words.unnamed}</th>)}<td /></tr>}
            <tr><th>{words.suite}</th><th>{words.task}</th>{(chosen ?? ['']).map((v) => [...FIGURES.map(([name]) => <th key={v + name} class="number">{name}</th>), <th key={`${v} kinds`}>{words.kinds}</th>])}{two && <th class="number">{words.better}</th>}</tr>
          </thead>
          <tbody>{rows.map((r) => {
            const by = two ? difference(r.of[0]!, r.of[1]!) : undefined;
            return (
              <tr key={`${r.suite} ${r.task}`}>
                <td>{visible(r.suite)}</td><th scope="row">{r.task ? visible(r.task) : words.together}</th>
                {r.of.map((s, i) => [...FIGURES.map(([name, of]) => <td key={`${i}${name}`} class="number">{of(s)}</td>), <td key={`${i} kinds`}>{visible(kindsOf(s))}</td>])}
                {two && <td class={`number ${by === undefined || !by ? '' : by > 0 ? 'status-good' : 'status-bad'}`}>{by === undefined ? '' : `${by > 0 ? '+' : ''}${percent(by)}`}</td>}
              </tr>
            );
          })}</tbody>
        </table>
      </div>
    </details>
  );
}

/** By how much more of the second one's runs have passed. */
const difference = (a: Sums, b: Sums) => (accuracy(a) === undefined || accuracy(b) === undefined ? undefined : accuracy(b)! - accuracy(a)!);

function Parts(p: { of: JsonObject }) {
  const parts = (p.of.parts ?? []) as JsonObject[], failures = (p.of.failures ?? []) as unknown[], unexpected = (p.of.unexpected ?? []) as Change[];
  return (
    <>
      {failures.length > 0 && <><h3>{words.failures}</h3><ul>{failures.map((f, i) => <li key={i}><Plain of={f} /></li>)}</ul></>}
      {unexpected.length > 0 && <><h3>{words.unexpected}</h3><ChangeList of={unexpected} /></>}
      {parts.length > 0 && <><h3>{words.parts}</h3><ul>{parts.map((x, i) => <li key={i}><Plain of={x} /></li>)}</ul></>}
      <details><summary>{words.verdict}</summary><Plain of={p.of} /></details>
    </>
  );
}

function One(p: { id: string }) {
  const got = useGet('/runs/{run}', { path: { run: p.id } });
  const report = () => save(address('/runs/{run}/report', { path: { run: p.id } }), `${p.id}.html`);
  return (
    <section class="detail" aria-label={p.id}>
      <Await of={got}>{(r) => {
        const of = r.of as { prompt?: unknown } | undefined, changes = (r.diff as { changes?: Change[] } | undefined)?.changes;
        return (
          <>
            <div class="buttons"><button type="button" onClick={report}>{words.report}</button></div>
            <h2>{visible(r.id)}</h2>
            <dl class="facts">
              <dt>{words.suite}</dt><dd>{visible(r.suite ?? '')}</dd><dt>{words.task}</dt><dd>{visible(r.task ?? '')}</dd>
              <dt>{words.rate}</dt><dd class={classOf(r)}>{wordOf(r)}</dd><dt>{words.reward}</dt><dd>{r.reward ?? ''}</dd>
              {r.version && <><dt>{words.version}</dt><dd>{visible(r.version)}</dd></>}
              <dt>{words.calls}</dt><dd>{number(r.calls ?? r.entries ?? 0)}{r.refused ? <span class="status-bad"> ({words.refused} {number(r.refused)})</span> : ''}</dd>
              {r.cost !== undefined && <><dt>{words.spent}</dt><dd>{rounded(r.cost, 6)}</dd></>}
              {r.tokens !== undefined && <><dt>{words.tokens}</dt><dd>{number(r.tokens)}</dd></>}
              {r.seconds !== undefined && <><dt>{words.seconds}</dt><dd>{rounded(r.seconds)}</dd></>}
              {(r.kinds ?? []).length > 0 && <><dt>{words.kinds}</dt><dd>{visible(r.kinds!.join(', '))}</dd></>}
            </dl>
            {of?.prompt !== undefined && <><h3>{words.prompt}</h3><Plain of={of.prompt} /></>}
            {r.output && <><h3>{words.output}</h3><Plain of={r.output} /></>}
            {r.complaint && <><h3>{words.complaint}</h3><Plain of={r.complaint} /></>}
            {r.verdict && <Parts of={r.verdict} />}
            {changes && <><h3>{words.changes}</h3>{changes.length ? <ChangeList of={changes} /> : <p class="quiet">{words.none_changed}</p>}</>}
          </>
        );
      }}</Await>
    </section>
  );
}

/** A version of the address, which may be empty: with a sign in front. */
const choiceOf = (given: string | undefined) => (given?.startsWith('=') ? given.slice(1) : undefined);

export default function Runs(p: ViewProps) {
  const rows = useRows<Run>('runs', async (offset, limit, signal) => {
    const d = await get('/runs', { query: { offset, limit }, signal });
    return { total: d.total, rows: d.runs };
  });
  const shown = (p.route.query.open ?? '').split('|').filter(Boolean).slice(0, 2);
  const [chosen, choose] = useState<string[]>([]);
  const toggle = (id: string) => choose((c) => (c.includes(id) ? c.filter((x) => x !== id) : [...c.slice(-1), id]));
  return (
    <div class="full">
      <div class="bar">
        <h1>{text.runs}</h1>
        {rows.total !== undefined && <span class="quiet">{words.n(rows.total)}</span>}
        <button type="button" disabled={chosen.length !== 2} onClick={() => go({ query: { open: chosen.join('|') } })}>{words.compare} ({chosen.length} {words.selected})</button>
        {shown.length > 0 && <button type="button" onClick={() => go({ query: { open: '' } })}>{text.close}</button>}
      </div>
      <Summary version={choiceOf(p.route.query.version)} against={choiceOf(p.route.query.against)} />
      {rows.error && <Failure error={rows.error} again={rows.again} />}
      <div class={shown.length === 2 ? 'split three' : shown.length ? 'split two' : 'split'}>
        <List id="runs" label={text.runs} total={rows.total ?? 0} row={44} columns={5} onShow={rows.show} empty={rows.total === 0 ? words.none : rows.error ? '' : text.loading}
          onOpen={(i) => rows.row(i) && go({ query: { open: rows.row(i)!.id } }, shown.length > 0)}
          onKey={(key, i) => key === ' ' && !!rows.row(i) && (toggle(rows.row(i)!.id), true)}>
          {(i) => {
            const r = rows.row(i);
            if (!r) return <span role="gridcell" class="quiet">…</span>;
            return (
              <>
                <span role="gridcell"><input type="checkbox" tabIndex={-1} checked={chosen.includes(r.id)} aria-label={words.select(r.id)} onChange={() => toggle(r.id)} /></span>
                <span role="gridcell" class="two-lines"><b>{visible(r.id)}</b><span class="quiet">{momentOf(r.at, 'UTC')}</span></span>
                <span role="gridcell" class={classOf(r)}>{wordOf(r)}</span>
                <span role="gridcell" class="quiet">{visible(r.version ?? '')}</span>
                <span role="gridcell" class="number">{r.reward ?? ''}</span>
              </>
            );
          }}
        </List>
        {shown.map((id) => <One key={id} id={id} />)}
      </div>
    </div>
  );
}
