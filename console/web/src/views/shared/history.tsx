// SPDX-License-Identifier: Apache-2.0
// The history of one thing: the calls that touched it, with what each changed.
import { Await, useGet } from '../../app/use';
import { nameOf } from '../../app/state';
import { CallLink, SIGN, WORD } from '../../ui/marks';
import { momentOf } from '../../ui/dates';
import { Empty } from '../../ui/errors';
import { wordsOf, type Change } from './changes';
import { words } from '../words';
import { visible } from '../../ui/marks';

interface Call {
  seq: number;
  at: string;
  actor?: string;
  method?: string;
  change?: Change;
}

/** name: as diffs have it ("event/ada@x.example/e1"). */
export function History(p: { place: string; name: string; zone?: string }) {
  const got = useGet('/worlds/{world}/history', { path: { world: p.place }, query: { name: p.name, limit: 50 } }, { live: true });
  return (
    <Await of={got}>
      {(answer) => {
        const calls = ((answer as unknown as { calls?: Call[] }).calls ?? []);
        if (!calls.length) return <Empty>{words.noHistory}</Empty>;
        return (
          <ol class="history" aria-label={words.historyOf}>
            {calls.map((c) => (
              <li key={c.seq}>
                <span class="history-head">
                  <CallLink seq={c.seq} /> <span>{c.method}</span>
                  <span class="quiet">{c.actor ? nameOf(c.actor) : ''} <time dateTime={c.at}>{momentOf(c.at, p.zone)}</time></span>
                </span>
                {c.change && (
                  <span class={`history-what is-${c.change.change}`}>
                    <span aria-hidden="true">{SIGN[c.change.change]}</span> {WORD[c.change.change]}
                    {wordsOf(c.change).map((w, i) => <span class="history-field" key={i}>{visible(w)}</span>)}
                  </span>
                )}
              </li>
            ))}
          </ol>
        );
      }}
    </Await>
  );
}
