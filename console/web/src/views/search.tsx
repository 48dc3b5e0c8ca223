// SPDX-License-Identifier: Apache-2.0
// What has some words, whoever's it is and whatever service has it.
import { go, href } from '../app/router';
import { actor, changesByName, nameOf } from '../app/state';
import { Await, useGet } from '../app/use';
import type { ViewProps } from '../app/views';
import type { Schemas } from '../api/types';
import { Empty } from '../ui/errors';
import { List } from '../ui/list';
import { briefOf, dayOf, momentOf, zoneOf } from '../ui/dates';
import { Mark, visible } from '../ui/marks';
import { number, text } from '../strings';

type Hit = Schemas['Hit'];
const words = {
  find: 'Words to find', between: 'Direct message', service: 'Service', every: 'all', hint: 'Mail, chat and files that have all of the words ("in quotes": next to each other), events, tasks and people the text as it is.',
  none: (q: string) => `Nothing has “${q}”.`, full: (services: string) => `There is more in ${services}: choose one service, or more words.`, hits: (n: number) => `${number(n)} found`,
};
const SERVICES = ['identity', 'mail', 'calendar', 'chat', 'drive', 'tasks'];

/** Where the thing is in its own screen: its person's, or, where it is nobody's, that of who is looked at. */
function placeOf(h: Hit): string {
  const person = h.actor ?? actor.value ?? '', rest = (...more: string[]) => [person, ...more].filter(Boolean);
  if (!person) return href({ view: 'search' });
  const query = { open: h.id, vendor: h.vendor };
  const day = h.day ?? (h.at && dayOf(h.at, zoneOf(person)));
  switch (h.service) {
    case 'mail': return href({ view: 'mail', rest: rest(), query });
    case 'calendar': return href({ view: 'calendar', rest: rest('week', ...(day ? [day] : [])), query });
    case 'chat': return href({ view: 'chat', rest: rest(...(h.place ?? '').split('/')) });
    case 'tasks': return href({ view: 'tasks', rest: rest(...(h.place ? [h.place] : [])), query });
    case 'drive': return href({ view: 'drive', rest: rest(), query });
    default: return href({ view: 'mail', rest: rest() });
  }
}

export default function Search(p: ViewProps) {
  const { q, service } = p.route.query;
  const asked = (q ?? '').trim();
  const got = useGet('/worlds/{world}/search', { path: { world: p.place }, query: { q: asked, service: (service || undefined) as never, limit: service ? 200 : 50 } }, { live: true, skip: !asked });
  return (
    <div class="full">
      <div class="bar">
        <h1>{text.search}</h1>
        <form role="search" onSubmit={(e) => {
          e.preventDefault();
          go({ query: { q: String(new FormData(e.currentTarget).get('q') ?? '') } }, true);
        }}>
          <input type="search" name="q" key={q} defaultValue={q ?? ''} autofocus={!asked} maxLength={400} size={36} aria-label={words.find} placeholder={words.find}
            onChange={(e) => go({ query: { q: e.currentTarget.value } }, true)} />
        </form>
        <label>{words.service}{' '}
          <select value={service ?? ''} onChange={(e) => go({ query: { service: e.currentTarget.value } }, true)}>
            <option value="">{words.every}</option>{SERVICES.map((s) => <option key={s}>{s}</option>)}
          </select>
        </label>
        {asked && got.data && <span class="quiet">{words.hits(got.data.hits.length)}</span>}
      </div>
      {!asked ? <Empty>{words.hint}</Empty> : (
        <Await of={got}>{(d) => (
          <>
            {d.full.length > 0 && <p class="bar quiet">{words.full(d.full.join(', '))}</p>}
            <div class="split">
              <List id="found" label={text.search} total={d.hits.length} row={44} columns={4} empty={words.none(asked)}
                onOpen={(i) => go(placeOf(d.hits[i]!))}>
                {(i) => {
                  const h = d.hits[i]!;
                  return (
                    <>
                      <span role="gridcell" class="diff-entity">{h.service} {!['message', 'chatMessage', 'event', 'task'].includes(h.entity) && h.service !== 'identity' && <span class="quiet">{h.entity}</span>}</span>
                      <span role="gridcell" class="two-lines">
                        <a href={placeOf(h)} tabIndex={-1}>{visible(h.title ?? (h.service === 'chat' ? words.between : h.name))}</a>
                        <span class="quiet">{visible((h.snippet ?? '').replace(/\s+/g, ' ').slice(0, 300))}</span>
                      </span>
                      <span role="gridcell"><Mark of={changesByName.value.get(h.name)} brief /></span>
                      <span role="gridcell" class="quiet diff-who">{h.actor ? nameOf(h.actor) : ''}</span>
                      <span role="gridcell" class="quiet call-time" title={h.day ?? (h.at && momentOf(h.at))}>{h.day ?? (h.at ? briefOf(h.at) : '')}</span>
                    </>
                  );
                }}
              </List>
            </div>
          </>
        )}</Await>
      )}
    </div>
  );
}
