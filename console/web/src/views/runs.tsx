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

type Run = Schemas['Run'];
const words = {
  n: (k: number) => plural(k, 'run'), none: 'The folder has no run yet.', passed: 'passed', failed: 'failed', open: 'not judged', select: (id: string) => `Select ${id} to compare`, compare: 'Side by side', selected: 'selected',
  reward: 'Reward', calls: 'Calls', prompt: 'Prompt', output: 'What the agent said', complaint: 'What went wrong', parts: 'Parts of the verdict', failures: 'Failures', unexpected: 'Unexpected changes', changes: 'Changes',
  report: 'Report as a file', task: 'Task', suite: 'Suite', runs: 'Runs', rate: 'Passed', mean: 'Mean reward', summary: 'By task', none_changed: 'Nothing changed.', verdict: 'The verdict as it is',
};
const MOST = 2000, PAGE = 200;

const wordOf = (r: Run) => (r.passed === undefined ? words.open : r.passed ? words.passed : words.failed);
const classOf = (r: Run) => (r.passed === undefined ? 'quiet' : r.passed ? 'status-good' : 'status-bad');
const percent = (x: number) => new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 }).format(x);

/** How the newest runs of each task went. */
function Summary() {
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
  const rows = useMemo(() => {
    const by = new Map<string, { suite: string; task: string; n: number; judged: number; passed: number; reward: number }>();
    for (const r of runs) {
      const key = `${r.suite ?? ''} ${r.task ?? ''}`;
      const one = by.get(key) ?? { suite: r.suite ?? '', task: r.task ?? '', n: 0, judged: 0, passed: 0, reward: 0 };
      one.n++;
      if (r.passed !== undefined) {
        one.judged++;
        one.passed += Number(r.passed);
        one.reward += r.reward ?? 0;
      }
      by.set(key, one);
    }
    return [...by.values()];
  }, [runs]);
  if (!rows.length) return null;
  return (
    <details class="bar-details">
      <summary>{words.summary}</summary>
      <table class="table">
        <thead><tr><th>{words.suite}</th><th>{words.task}</th><th class="number">{words.runs}</th><th class="number">{words.rate}</th><th class="number">{words.mean}</th></tr></thead>
        <tbody>{rows.map((r) => (
          <tr key={`${r.suite} ${r.task}`}>
            <td>{visible(r.suite)}</td><th scope="row">{visible(r.task)}</th><td class="number">{number(r.n)}</td>
            <td class="number">{r.judged ? percent(r.passed / r.judged) : ''}</td><td class="number">{r.judged ? number(Math.round((r.reward / r.judged) * 1000) / 1000) : ''}</td>
          </tr>
        ))}</tbody>
      </table>
    </details>
  );
}

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
              <dt>{words.calls}</dt><dd>{r.entries === undefined ? '' : number(r.entries)}</dd>
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
      <Summary />
      {rows.error && <Failure error={rows.error} again={rows.again} />}
      <div class={shown.length === 2 ? 'split three' : shown.length ? 'split two' : 'split'}>
        <List id="runs" label={text.runs} total={rows.total ?? 0} row={44} columns={4} onShow={rows.show} empty={rows.total === 0 ? words.none : rows.error ? '' : text.loading}
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
