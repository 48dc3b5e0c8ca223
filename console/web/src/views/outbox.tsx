// SPDX-License-Identifier: Apache-2.0
// What left the world: letters to outside, notifications with their attempts.
import { useEffect } from 'preact/hooks';
import { address, get, send } from '../api/client';
import type { JsonObject, Schemas } from '../api/types';
import { go } from '../app/router';
import { useCursor } from '../app/cursor';
import { readOnly, written } from '../app/state';
import { say, useGet } from '../app/use';
import type { ViewProps } from '../app/views';
import { Failure } from '../ui/errors';
import { List } from '../ui/list';
import { momentOf, timeOf } from '../ui/dates';
import { JsonButtons } from '../ui/json';
import { Plain, visible } from '../ui/marks';
import { text, plural } from '../strings';

type Entry = Schemas['OutboxEntry'];
const words = {
  none: 'Nothing has left this world.', noneOther: 'Nothing that left this world has these words.', find: 'Find', n: (k: number, more: boolean) => `${plural(k, 'entry', 'entries')}${more ? ' and more' : ''}`,
  from: 'From', to: 'To', at: 'At', kind: 'Kind', payload: 'What is sent', delivery: 'Delivery', letter: 'The letter', fails: 'Say that it failed (503)', works: 'Say that it arrived (200)',
};
const PAGE = 200, ENOUGH = 100;

/** A letter's own text, which the payload has by base64. */
function letterOf(payload: JsonObject): string | undefined {
  if (typeof payload.raw !== 'string') return undefined;
  try {
    const bytes = Uint8Array.from(atob(payload.raw.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return new TextDecoder('utf-8').decode(bytes);
  } catch {
    return undefined;
  }
}
const titleOf = (e: Entry) => String(e.payload.subject ?? e.payload.type ?? e.payload.event ?? '');
const stateOf = (e: Entry) => (e.delivery ? String(e.delivery.state ?? '') : '');

function Detail(p: ViewProps & { of: Entry; again: () => void }) {
  const e = p.of, letter = letterOf(e.payload);
  const say_ = async (status: number) => {
    try {
      const attempts = e.delivery?.attempts;
      const attempt = Number(Array.isArray(attempts) ? attempts.length : attempts ?? 0) + 1;
      await send('post', '/worlds/{world}/outbox/{entry}/outcome', { path: { world: p.world, entry: e.id as never }, body: { attempt, status } });
      p.again();
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <section class="detail" aria-label={titleOf(e)}>
      <div class="buttons">
        {e.delivery && e.delivery.state === 'waiting' && p.seq === undefined && !readOnly.value && (
          <><button type="button" onClick={() => say_(200)}>{words.works}</button><button type="button" onClick={() => say_(503)}>{words.fails}</button></>
        )}
        <JsonButtons target={address('/worlds/{world}/outbox', { path: { world: p.place }, query: { after: e.id - 1, limit: 1 } })} />
        <span class="space" />
        <button type="button" class="plain-button" aria-label={text.close} onClick={() => go({ query: { open: '' } })}>×</button>
      </div>
      <h2>{visible(titleOf(e)) || e.kind}</h2>
      <dl class="facts">
        <dt>{words.kind}</dt><dd>{e.kind}</dd><dt>{words.at}</dt><dd>{momentOf(e.at)}</dd>
        <dt>{words.from}</dt><dd>{visible(e.from)}</dd><dt>{words.to}</dt><dd>{visible(e.to)}</dd>
      </dl>
      {e.delivery && <><h3>{words.delivery}</h3><Plain of={e.delivery} /></>}
      {letter !== undefined ? <><h3>{words.letter}</h3><Plain of={letter} /></> : <><h3>{words.payload}</h3><Plain of={e.payload} /></>}
    </section>
  );
}

export default function Outbox(p: ViewProps) {
  const { q, open } = p.route.query;
  const got = useCursor<Entry>(`${p.place}:${p.seq === undefined ? written.value : 0}`, async (last, abort) => {
    const { entries } = await get('/worlds/{world}/outbox', { path: { world: p.place }, query: { order: 'newest', limit: PAGE, before: last?.id }, signal: abort });
    return { rows: entries, more: entries.length === PAGE };
  }, (e) => e.id);
  const all = got.rows;
  const lower = (q ?? '').toLowerCase();
  const found = all.filter((e) => !lower || `${e.kind} ${e.from} ${e.to} ${titleOf(e)} ${stateOf(e)}`.toLowerCase().includes(lower));
  const at = open === undefined ? -1 : found.findIndex((e) => String(e.id) === open);
  // The pages of a search are read until something is found; an address may be of what no page has yet.
  useEffect(() => {
    if (lower && got.more && found.length < ENOUGH) got.show(0, all.length);
  }, [lower, all.length, got.more]);
  const known = open !== undefined && all.some((e) => String(e.id) === open);
  const one = useGet('/worlds/{world}/outbox', { path: { world: p.place }, query: { order: 'newest', before: Number(open) + 1, limit: 1 } },
    { live: true, skip: !/^\d{1,15}$/.test(open ?? '') || known });
  const shown = open === undefined ? undefined : all.find((e) => String(e.id) === open) ?? one.data?.entries.find((e) => String(e.id) === open);
  return (
    <div class="full">
      <div class="bar">
        <h1>{text.outbox}</h1>
        <span class="quiet">{words.n(found.length, !!got.more)}</span>
        <input type="search" placeholder={words.find} aria-label={words.find} value={q ?? ''} onInput={(e) => go({ query: { q: e.currentTarget.value } }, true)} />
      </div>
      {got.error && <Failure error={got.error} again={got.again} />}
        <div class={shown ? 'split two' : 'split'}>
          <List id="outbox" label={text.outbox} total={found.length} row={30} columns={5} open={at < 0 ? undefined : at} empty={!got.ready || (lower && got.more) ? text.loading : lower ? words.noneOther : words.none} onShow={got.show}
            onOpen={(i) => go({ query: { open: String(found[i]!.id) } }, open !== undefined)}>
            {(i) => {
              const e = found[i]!;
              return (
                <>
                  <span role="gridcell" class="call-time" title={momentOf(e.at)}>{timeOf(e.at)}</span>
                  <span role="gridcell" class="diff-entity">{e.kind}</span>
                  <span role="gridcell" class="grow">{visible(e.from)} → {visible(e.to)} <b>{visible(titleOf(e))}</b></span>
                  <span role="gridcell" class="quiet">{stateOf(e)}</span>
                </>
              );
            }}
          </List>
          {shown && <Detail key={open} {...p} of={shown} again={() => {
            got.again();
            if (!known) one.again();
          }} />}
        </div>
    </div>
  );
}
