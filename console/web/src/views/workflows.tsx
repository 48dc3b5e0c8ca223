// SPDX-License-Identifier: Apache-2.0
// Workflows: the checklist by which each may be promoted, its figures and runs, and what has become worse since.
import type { JsonObject, Schemas } from '../api/types';
import { address } from '../api/client';
import { go } from '../app/router';
import { Await, useGet } from '../app/use';
import type { ViewProps } from '../app/views';
import { momentOf } from '../ui/dates';
import { Empty } from '../ui/errors';
import { JsonButtons } from '../ui/json';
import { List } from '../ui/list';
import { Plain, visible } from '../ui/marks';
import { number, plural, text } from '../strings';

type Workflow = Schemas['Workflow'];
const words = {
  n: (k: number) => plural(k, 'piece', 'pieces') + ' of evidence', none: 'The folder has no evidence of a workflow yet: sosia workflow check FILE --output DIR/NAME.json', version: 'Version', driver: 'Who acted', promoted: 'what was promoted',
  may: 'may be promoted', not: 'may not be promoted', checklist: 'Checklist', holds: 'holds', fails: 'does not hold', of: (a: number, b: number) => `${number(a)} of ${number(b)} runs`, figures: 'Figures', runs: 'Runs', hashes: 'Hashes of documents',
  since: (id: string) => `Since it was promoted (${id})`, same: 'Nothing has become worse.', worse: 'Has become worse', other: 'Is another', calls: 'calls', stopped: 'Stopped', unchanged: 'nothing changed', run: 'Run', item: 'Item', how: 'How', to: 'to',
};
const list = (v: JsonObject | undefined, name: string) => (Array.isArray(v?.[name]) ? v[name] : []) as JsonObject[];
const str = (v: unknown) => (v === undefined || v === null ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v));
const wordOf = (w: { passed: boolean }) => (w.passed ? words.may : words.not);
const classOf = (passed: boolean) => (passed ? 'status-good' : 'status-bad');
/** {"item": NAME, "how": WHY}: what it is about is the member that is not "how". */
const aboutOf = (r: JsonObject) => Object.entries(r).filter(([k]) => k !== 'how').map(([k, v]) => `${k} ${str(v)}`).join(', ');

function Checklist(p: { of: JsonObject[] }) {
  return (
    <ul class="checklist">{p.of.map((c, i) => (
      <li key={i} class={classOf(c.passed === true)}>
        <span aria-hidden="true">{c.passed === true ? '✓' : '✗'}</span> <b>{visible(str(c.item))}</b> <span class="unseen">{c.passed === true ? words.holds : words.fails}</span>
        <span class="quiet">{c.runs === undefined ? '' : ` ${words.of(Number(c.passed_runs ?? 0), Number(c.runs))}`}{c.to === undefined ? '' : ` ${words.to} ${visible(str(c.to))}`}{c.why === undefined ? '' : ` ${visible(str(c.why))}`}</span>
        {list(c, 'failed').length > 0 && <ul>{list(c, 'failed').map((f, k) => <li key={k}>{visible(str(f))}</li>)}</ul>}
      </li>
    ))}</ul>
  );
}

function RunRows(p: { of: JsonObject[] }) {
  return (
    <table class="table">
      <thead><tr><th>{words.run}</th><th class="number">{words.calls}</th><th>{words.stopped}</th></tr></thead>
      <tbody>{p.of.map((r, i) => (
        <tr key={i}>
          <th scope="row" class={classOf(r.passed === true)}>
            <span aria-hidden="true">{r.passed === true ? '✓' : '✗'}</span> {visible(str(r.run))}
            <span class="unseen">{r.passed === true ? words.holds : words.fails}</span>{r.why === undefined ? '' : <div class="quiet">{visible(str(r.why))}</div>}
          </th>
          <td class="number">{number(Number(r.calls ?? 0))}</td>
          <td>{list(r, 'stopped').map((s, k) => <div key={k}>{visible(`${str(s.method)}: ${[s.decision, s.rule ?? s.reason].filter(Boolean).map(str).join(', ')}`)}</div>)}{r.unchanged === true && <span class="quiet">{words.unchanged}</span>}</td>
        </tr>
      ))}</tbody>
    </table>
  );
}

function One(p: { id: string }) {
  const path = { workflow: p.id };
  const got = useGet('/workflows/{workflow}', { path });
  return (
    <section class="detail" aria-label={p.id} tabIndex={0}>
      <Await of={got}>{(w) => {
        const e = w.evidence as JsonObject | undefined, worse = list(w.comparison as JsonObject | undefined, 'regressions'), others = list(w.comparison as JsonObject | undefined, 'differences');
        return (
          <>
            <div class="buttons"><JsonButtons target={address('/workflows/{workflow}', { path })} /></div>
            <h2>{visible(w.workflow)}</h2>
            <p class={classOf(w.passed)}><b>{wordOf(w)}</b></p>
            <dl class="facts"><dt>{words.version}</dt><dd>{visible(w.version ?? '')}</dd><dt>{words.driver}</dt><dd>{visible(w.driver ?? '')}</dd></dl>
            <h3>{words.checklist}</h3>
            <Checklist of={list(e, 'checklist')} />
            {w.against !== undefined && (
              <>
                <h3>{words.since(visible(w.against))}</h3>
                {worse.length ? <ul>{worse.map((r, i) => <li key={i} class="status-bad">{visible(aboutOf(r))}: {visible(str(r.how))}</li>)}</ul> : <p class="status-good">{words.same}</p>}
                {others.length > 0 && <p class="quiet">{words.other}: {visible(others.map(str).join(', '))}</p>}
              </>
            )}
            <h3>{words.figures}</h3>
            <dl class="facts">{Object.entries((e?.figures ?? {}) as JsonObject).map(([k, v]) => [<dt key={k}>{visible(k.replace(/_/g, ' '))}</dt>, <dd key={`${k} `}>{visible(str(v))}</dd>])}</dl>
            <h3>{words.runs}</h3>
            <RunRows of={list(e, 'runs')} />
            <details><summary>{words.hashes}</summary><Plain of={e?.hashes ?? {}} /></details>
          </>
        );
      }}</Await>
    </section>
  );
}

export default function Workflows(p: ViewProps) {
  const got = useGet('/workflows');
  const shown = p.route.query.open;
  return (
    <div class="full">
      <div class="bar">
        <h1>{text.workflows}</h1>
        {got.data && <span class="quiet">{words.n(got.data.workflows.length)}</span>}
        {shown && <button type="button" onClick={() => go({ query: { open: '' } })}>{text.close}</button>}
      </div>
      <div class={shown ? 'split two' : 'split'}>
        <Await of={got}>{(d) => (
          <List id="workflows" label={text.workflows} total={d.workflows.length} row={44} columns={3} empty={<Empty>{words.none}</Empty>}
            open={shown ? d.workflows.findIndex((w) => w.id === shown) : undefined} onOpen={(i) => go({ query: { open: d.workflows[i]!.id } }, !!shown)}>
            {(i) => <Row w={d.workflows[i]!} />}
          </List>
        )}</Await>
        {shown && <One key={shown} id={shown} />}
      </div>
    </div>
  );
}

function Row(p: { w: Workflow }) {
  const { w } = p;
  return (
    <>
      <span role="gridcell" class="two-lines grow"><b>{visible(w.workflow)}</b><span class="quiet">{visible(w.id)}{w.promoted ? ` · ${words.promoted}` : ''} · {momentOf(w.at, 'UTC')}</span></span>
      <span role="gridcell" class="quiet">{visible(w.version ?? '')}</span>
      <span role="gridcell" class={classOf(w.passed)}>{wordOf(w)}</span>
    </>
  );
}
