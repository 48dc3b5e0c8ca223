// SPDX-License-Identifier: Apache-2.0
// Trouble that the world gives: rules with how often each matched and happened, and what was made of it.
import { useState } from 'preact/hooks';
import { send } from '../api/client';
import { readOnly } from '../app/state';
import { Await, useGet } from '../app/use';
import type { ViewProps } from '../app/views';
import { DocumentForm } from '../ui/document';
import { CallLink, Plain } from '../ui/marks';
import { number, text, plural } from '../strings';

const words = {
  none: 'No faults: all calls are served as they should be.', name: 'Rule', fault: 'Fault', matched: 'Matched', injected: 'Happened', set: 'Set rules …', document: 'Rules, as JSON or YAML', broken: 'They can’t be read:',
  report: 'What was made of them', happened: (n: number) => plural(n, 'fault'), again: (n: number) => `${plural(n, 'call')} made again behind one`, unsafe: (n: number) => `${n} made again though it may have been done`,
  twice: (n: number) => `${n} done twice`, call: 'Call', who: 'Whose', method: 'Method', made: 'Made again', wait: 'Retry-After', honoured: 'honoured', not_honoured: 'not honoured', not_known: 'not known', rules: 'The document',
};
const EMPTY = 'faults: 1\nrules:\n  - name: busy\n    fault: server-error\n    status: 503\n    chance: 0.1\n';

function Report(p: ViewProps) {
  const got = useGet('/worlds/{world}/faults/report', { path: { world: p.place } }, { live: true });
  return (
    <Await of={got}>{(d) => (
      <>
        <p>{words.happened(d.injected)} · {words.again(d.made_again)} · {words.unsafe(d.made_again_unsafely)} · {words.twice(d.done_twice)}</p>
        <p class="quiet">{words.wait}: {(['honoured', 'not_honoured', 'not_known'] as const).map((k) => `${words[k]} ${d.retry_after[k] ?? 0}`).join(', ')}</p>
        {d.faults.length > 0 && (
          <table class="table">
            <thead><tr><th>{words.call}</th><th>{words.who}</th><th>{words.method}</th><th>{words.fault}</th><th>{words.name}</th><th>{words.made}</th></tr></thead>
            <tbody>{d.faults.slice(0, 500).map((f, i) => (
              <tr key={i}>
                <td><CallLink seq={Number(f.seq)} /></td><td>{String(f.actor ?? '')}</td><td>{String(f.method ?? '')}</td><td>{String(f.fault ?? '')}</td><td>{String(f.rule ?? '')}</td>
                <td>{f.again !== undefined ? (typeof f.again === 'number' ? <CallLink seq={f.again} /> : JSON.stringify(f.again)) : ''}</td>
              </tr>
            ))}</tbody>
          </table>
        )}
      </>
    )}</Await>
  );
}

export default function Faults(p: ViewProps) {
  const got = useGet('/worlds/{world}/faults', { path: { world: p.place } }, { live: true });
  const [setting, set] = useState(false);
  return (
    <div class="page">
      <h1>{text.faults}</h1>
      <Await of={got}>{(d) => (
        <>
          {d.broken && <p class="status-bad">{words.broken} {d.broken}</p>}
          {d.rules?.length ? (
            <table class="table">
              <thead><tr><th>{words.name}</th><th>{words.fault}</th><th class="number">{words.matched}</th><th class="number">{words.injected}</th></tr></thead>
              <tbody>{d.rules.map((r, i) => (
                <tr key={i}><th scope="row">{String(r.name ?? i + 1)}</th><td>{String(r.fault ?? '')}</td><td class="number">{number(Number(r.matched ?? 0))}</td><td class="number">{number(Number(r.injected ?? 0))}</td></tr>
              ))}</tbody>
            </table>
          ) : <p class="quiet">{words.none}</p>}
          {d.faults && <details><summary>{words.rules}</summary><Plain of={d.faults} /></details>}
          {!readOnly.value && p.seq === undefined && (setting ? (
            <DocumentForm label={words.document} value={d.faults ? JSON.stringify(d.faults, null, 2) : EMPTY}
              save={(document) => send('put', '/worlds/{world}/faults', { path: { world: p.world }, body: document })}
              remove={d.faults && (() => send('delete', '/worlds/{world}/faults', { path: { world: p.world } }))}
              done={() => {
                set(false);
                got.again();
              }} />
          ) : <p><button type="button" onClick={() => set(true)}>{words.set}</button></p>)}
        </>
      )}</Await>
      <h2>{words.report}</h2>
      <Report {...p} />
    </div>
  );
}
