// SPDX-License-Identifier: Apache-2.0
// All worlds: found by name, or the children of one, 200 at a time; two selected are compared.
import { useState } from 'preact/hooks';
import { get, send } from '../api/client';
import { go, href } from '../app/router';
import type { World } from '../app/state';
import { readOnly } from '../app/state';
import { useCursor } from '../app/cursor';
import { say } from '../app/use';
import { myZone } from './shared/time';
import type { ViewProps } from '../app/views';
import { Failure } from '../ui/errors';
import { List } from '../ui/list';
import { briefOf, bytes, momentOf } from '../ui/dates';
import { visible } from '../ui/marks';
import { text, number, plural } from '../strings';

const PAGE = 200;
const words = {
  find: 'Name or key', of: 'made from', every: 'all worlds', compare: 'Compare', selected: 'selected',
  none: 'There is no world yet. Two commands make one:', select: (n: string) => `Select ${n} to compare`,
  children: (n: number) => `${number(n)} made from it`, calls: (n: number) => plural(n, 'call'), made: 'made', used: 'last used', snapshot: 'snapshot', drop: 'Drop',
  sure: (n: string) => `Drop ${n}? Its state and its journal are gone then.`,
};

const nameOf = (w: World) => w.name ?? w.world;

/** A real time, in the zone of who looks. */
const Ago = (p: { at: string }) => <time dateTime={p.at} title={momentOf(p.at, myZone())}>{briefOf(p.at, myZone(), new Date().toISOString())}</time>;

export default function Worlds(p: ViewProps) {
  const { parent, q } = p.route.query;
  const got = useCursor<World>(`${parent}:${q}`, async (_, abort, next) => {
    const d = await get('/worlds', { query: { limit: PAGE, parent, q, after: next, children: true }, signal: abort });
    return { rows: d.worlds, more: !!d.next, next: d.next ?? undefined };
  });
  const [chosen, choose] = useState<string[]>([]);
  const list = got.rows;
  const toggle = (w: World) =>
    choose((c) => (c.includes(nameOf(w)) ? c.filter((x) => x !== nameOf(w)) : [...c.slice(-1), nameOf(w)]));
  const drop = async (w: World) => {
    if (!confirm(words.sure(nameOf(w)))) return;
    try {
      await send('delete', '/worlds/{world}', { path: { world: w.world } });
    } catch (e) {
      say((e as Error).message);
    }
    got.again();
  };
  return (
    <div class="full">
      <div class="bar">
        <h1>{text.worlds}</h1>
        <span class="quiet">{number(list.length)}{got.more ? ' +' : ''}</span>
        <input type="search" aria-label={words.find} placeholder={words.find} value={q ?? ''}
          onInput={(e) => go({ query: { q: e.currentTarget.value } }, true)} />
        {parent && <span>{words.of} <a href={href({ world: parent, view: 'overview', rest: [] })}>{parent}</a>{' '}
          <a href={href({ query: { parent: '' } })}>{words.every}</a></span>}
        <span class="space" />
        <button type="button" disabled={chosen.length !== 2}
          onClick={() => go({ world: chosen[1], view: 'diff', rest: [chosen[0]!], query: {} })}>
          {words.compare} ({chosen.length} {words.selected})
        </button>
      </div>
      {got.error && <Failure error={got.error} again={got.again} />}
      <div class="split">
        <List id="worlds" label={text.worlds} total={list.length} row={50} columns={4} onShow={got.show}
          onOpen={(i) => list[i] && go({ world: nameOf(list[i]), view: 'overview', rest: [] })}
          onKey={(key, i) => key === ' ' && !!list[i] && (toggle(list[i]), true)}
          empty={got.ready && !q && !parent ? (
            <><p>{words.none}</p><pre class="box">{'sosia world create --fixture office --name office\nsosia fork office --name try-1'}</pre></>
          ) : got.ready ? text.nothingFound : text.loading}>
          {(i) => {
            const w = list[i]!;
            return (
              <>
                <span role="gridcell"><input type="checkbox" tabIndex={-1} checked={chosen.includes(nameOf(w))}
                  aria-label={words.select(nameOf(w))} onChange={() => toggle(w)} /></span>
                <span role="gridcell" class="grow two-lines">
                  <span>
                    <span aria-hidden="true">{w.snapshot ? '◇' : '●'}</span>{' '}
                    <a href={href({ world: nameOf(w), view: 'overview', rest: [] })} tabIndex={-1}>{nameOf(w)}</a>{' '}
                    {w.snapshot && <span class="quiet">{words.snapshot}</span>}{w.note && <span class="quiet"> {visible(w.note)}</span>}
                  </span>
                  <span class="quiet world-about">
                    {w.parent_name && <>{words.of} {w.parent_name} · </>}
                    {!!w.children && <><a href={href({ query: { parent: nameOf(w) } })} tabIndex={-1}>{words.children(w.children)}</a> · </>}
                    {!w.snapshot && w.calls !== undefined && <>{words.calls(w.calls)} · </>}{w.used && <>{words.used} <Ago at={w.used} /> · </>}{w.made && <>{words.made} <Ago at={w.made} /> · </>}{bytes(w.size)}
                  </span>
                </span>
                <span role="gridcell" class="quiet world-now">{momentOf(w.now)}, {w.clock}</span>
                {!readOnly.value && <span role="gridcell"><button type="button" tabIndex={-1} onClick={() => drop(w)}>{words.drop}</button></span>}
              </>
            );
          }}
        </List>
      </div>
    </div>
  );
}
