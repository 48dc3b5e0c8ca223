// SPDX-License-Identifier: Apache-2.0
// The world's clock, moved by hand, and what falls due by it.
import { useState } from 'preact/hooks';
import { send } from '../api/client';
import { loadWorld, readOnly } from '../app/state';
import { Await, say, useGet } from '../app/use';
import type { ViewProps } from '../app/views';
import { count, momentOf, zoneOf } from '../ui/dates';
import { text } from '../strings';

const words = {
  mode: 'How it goes', modes: { real: 'as real time does', step: 'a step with each call', frozen: 'not at all' }, step: 'milliseconds a call', set: 'Set',
  minute: '+1 minute', hour: '+1 hour', day: '+1 day', next: 'To the next thing that is due', due: 'What is due', of: (n: number, all: number) => `${count(n)} of ${count(all)}`,
  when: 'When', what: 'What', whose: 'Of', none: 'Nothing is due.', notNow: 'The clock is set in the world as it is now.', more: 'Show more', real: 'real time',
};
const MOVES = [['minute', 60], ['hour', 3600], ['day', 86400]] as const;

export default function Clock(p: ViewProps) {
  const [limit, setLimit] = useState(100);
  const clock = useGet('/worlds/{world}/clock', { path: { world: p.place } }, { live: true });
  const due = useGet('/worlds/{world}/due', { path: { world: p.place }, query: { limit } }, { live: true });
  const zone = zoneOf(p.actor);
  const may = p.seq === undefined && !readOnly.value;
  const doing = async (act: () => Promise<unknown>) => {
    try {
      await act();
    } catch (e) {
      say((e as Error).message);
    }
    clock.again();
    due.again();
    void loadWorld();
  };
  const path = { world: p.world };
  const advance = (seconds: number) => doing(() => send('post', '/worlds/{world}/clock/advance', { path, body: { seconds } }));
  const next = due.data?.due[0]?.at as string | undefined;
  return (
    <div class="page">
      <h1>{text.clock}</h1>
      <Await of={clock}>{(c) => (
        <>
          <p class="big-clock"><time dateTime={c.now}>{momentOf(c.now, zone)}</time></p>
          <p class="quiet"><code>{c.now}</code> · {words.real}: {momentOf(new Date().toISOString(), Intl.DateTimeFormat().resolvedOptions().timeZone)}</p>
          {may ? (
            <>
              <p class="buttons">
                {MOVES.map(([name, s]) => <button type="button" key={name} onClick={() => advance(s)}>{words[name]}</button>)}
                <button type="button" disabled={!next} onClick={() => advance(Math.max(0, Math.ceil((Date.parse(next!) - Date.parse(c.now)) / 1000)))}>{words.next}</button>
              </p>
              <form class="buttons" onSubmit={(e) => {
                e.preventDefault();
                const f = new FormData(e.currentTarget);
                const mode = f.get('mode') as 'real' | 'step' | 'frozen';
                void doing(() => send('put', '/worlds/{world}/clock', { path, body: { clock: mode, ...(mode === 'step' ? { step_ms: Number(f.get('step')) } : {}) } }));
              }}>
                <label>{words.mode}{' '}
                  <select name="mode" key={c.clock} defaultValue={c.clock}>
                    {(['real', 'step', 'frozen'] as const).map((m) => <option key={m} value={m} selected={m === c.clock}>{m}: {words.modes[m]}</option>)}
                  </select>
                </label>
                <label><input name="step" type="number" min="0" step="any" defaultValue={String(c.step_ms ?? 1000)} size={6} /> {words.step}</label>
                <button type="submit">{words.set}</button>
              </form>
            </>
          ) : p.seq !== undefined && <p class="quiet">{words.notNow}</p>}
        </>
      )}</Await>
      <h2>{words.due}</h2>
      <Await of={due}>{(d) => !d.total ? <p class="quiet">{words.none}</p> : (
        <>
          <table class="table">
            <thead><tr><th>{words.when}</th><th>{words.whose}</th><th>{words.what}</th></tr></thead>
            <tbody>{d.due.map((x, i) => <tr key={i}><td><time dateTime={String(x.at)}>{momentOf(String(x.at), zone)}</time></td><td>{String(x.core)}</td><td>{String(x.kind)}</td></tr>)}</tbody>
          </table>
          {d.total > d.due.length && <p class="buttons"><span class="quiet">{words.of(d.due.length, d.total)}</span>
            {limit < 1000 && <button type="button" onClick={() => setLimit(1000)}>{words.more}</button>}</p>}
        </>
      )}</Await>
    </div>
  );
}
