// SPDX-License-Identifier: Apache-2.0
// A mailbox: folders, the messages of one, the message that is open.
import { useEffect, useMemo } from 'preact/hooks';
import type { ViewProps } from '../../app/views';
import { go, href } from '../../app/router';
import { Await, useGet, useRows } from '../../app/use';
import { get } from '../../api/client';
import { List } from '../../ui/list';
import { Empty, Failure } from '../../ui/errors';
import { Mark, markClass, Since, visible } from '../../ui/marks';
import { briefOf, count, momentOf, zoneOf } from '../../ui/dates';
import { Acting, isActing } from '../shared/acting';
import { addressOf, asChange, useClose, useMarks } from '../shared/use';
import { splitAddress } from '../shared/text';
import { Icon } from '../shared/icon';
import { Nobody } from '../shared/nobody';
import { text } from '../../strings';
import { words } from '../words';
import { MessagePane } from './message';
import { findFolder, folderMarks, folderRows, folderTitle, type Folder, type GoneRow, type Message } from './shape';


const ROW = 52;

export default function Mail(p: ViewProps) {
  const actor = p.actor;
  if (actor === undefined) return <Nobody title={text.mail} />;
  return <Mailbox key={`${p.world} ${actor}`} {...p} actor={actor} />;
}

function Mailbox(p: ViewProps & { actor: string }) {
  const { vendor } = p.route.query;
  const folders = useGet('/worlds/{world}/mail/{actor}/folders', { path: { world: p.place, actor: p.actor }, query: { vendor } }, { live: true });
  const none = folders.error?.reason === 'mailboxNotFound';
  useClose(p.route.query.open);
  return (
    <div class={`full service mail-view${p.route.query.open ? '' : ' no-pane'}${isActing(p.actor) ? ' acting' : ''}`}>
      {none ? <><h1 class="unseen">{text.mail}</h1><Empty>{words.noMailbox}</Empty></> : (
        <Await of={folders}>
          {(answer) => <Folders {...p} folders={answer.folders as Folder[]} vendor={answer.vendor ?? 'google'} vendors={answer.vendors ?? []} />}
        </Await>
      )}
    </div>
  );
}

type Own = ViewProps & { actor: string; folders: Folder[]; vendor: string; vendors: string[] };

function Folders(p: Own) {
  const { query, rest } = p.route;
  const folder = findFolder(p.folders, rest[1]);
  const rows = folderRows(p.folders, folder?.id ?? null, query.folders === 'all');
  return (
    <>
      <nav class="service-side" aria-label={words.folders}>
        {p.vendors.length > 1 && (
          <label class="vendor">{words.vendor}{' '}
            <select value={p.vendor} onChange={(e) => go({ rest: [p.actor], query: { vendor: e.currentTarget.value, open: undefined } })}>
              {p.vendors.map((v) => <option key={v} value={v}>{words.names[v] ?? v}</option>)}
            </select>
          </label>
        )}
        <ul class="side-list">
          {rows.map((f) => (
            <li key={f.id}>
              <a class="side-link" style={{ paddingInlineStart: `${0.6 + f.depth * 0.9}rem` }} aria-current={f.id === folder?.id ? 'page' : undefined}
                href={href({ rest: [p.actor, f.kind === 'label' || /[^\w .-]/.test(f.name) ? f.id : f.name], query: { open: undefined, as: undefined, q: undefined } })}>
                <span class="side-name">{visible(folderTitle(f))}</span>
                {f.unread > 0 && f.kind !== 'keyword' ? <span class="side-count"><strong>{count(f.unread)}</strong><span class="unseen"> {words.unread}, </span> / {count(f.total)}</span>
                  : f.total > 0 && <span class="side-count">{count(f.total)}</span>}
              </a>
            </li>
          ))}
        </ul>
        <button type="button" class="plain-button side-more" onClick={() => go({ query: { folders: query.folders === 'all' ? undefined : 'all' } }, true)}>
          {query.folders === 'all' ? words.fewerFolders : words.allFolders}
        </button>
      </nav>
      {folder ? <Messages {...p} key={folder.id} folder={folder} /> : <Empty>{words.noFolder(rest[1] ?? '')}</Empty>}
    </>
  );
}

function Messages(p: Own & { folder: Folder }) {
  const { folder, place, actor } = p;
  const { query } = p.route;
  const zone = zoneOf(actor);
  const rows = useRows<Message>(JSON.stringify([place, actor, query.vendor, folder.id, query.q]), async (offset, limit, signal) => {
    const found = await get('/worlds/{world}/mail/{actor}/messages', { path: { world: place, actor }, query: { vendor: query.vendor, folder: folder.id, q: query.q, offset, limit }, signal });
    return { total: found.total, rows: found.rows as Message[], atLeast: !!query.q && found.next !== undefined };
  }, { live: true });
  const marks = useMarks();
  const mailbox = addressOf(actor);
  const found = useMemo(() => folderMarks(marks, mailbox, folder), [marks, mailbox, folder.name]);
  const total = rows.total ?? (query.q ? 0 : folder.total);
  const open = query.open;
  const openRow = useOpenRow(open, total, rows.row);
  useEffect(() => { document.title = `${folderTitle(folder)} · ${actor}`; }, [folder.name, actor]);
  return (
    <>
      <section class={`service-list${open ? ' has-open' : ''}`} aria-label={words.messages}>
        <header class="service-head">
          <h1>{visible(folderTitle(folder))} <span class="quiet">{count(total)}</span></h1>
          <span class="head-tools">
            <input type="search" class="mail-find" placeholder={words.findMail} aria-label={words.findMail} value={query.q ?? ''}
              onChange={(e) => go({ query: { q: e.currentTarget.value.trim() || undefined } }, true)} />
            <Since /> <Acting actor={actor} /></span>
        </header>
        {rows.error && <Failure error={rows.error} again={rows.again} />}
        {found.gone.length > 0 && <Gone rows={found.gone} since={p.since ?? ''} />}
        <List id={`mail-${folder.id}-${query.q ?? ''}`} label={`${words.messages}: ${folderTitle(folder)}`} total={total} row={ROW} columns={3} open={openRow}
          onShow={rows.show} onOpen={(i) => {
            const id = rows.row(i)?.id;
            if (id) go({ query: { open: id } });
          }}
          rowClass={(i) => {
            const m = rows.row(i);
            return m ? `${m.unread ? 'is-unread ' : ''}${markClass(found.byId.get(m.id) && asChange(found.byId.get(m.id)!))}` : '';
          }}
          empty={<Empty>{query.q ? words.nothingFound(query.q) : words.emptyFolder}</Empty>}>
          {(i) => {
            const m = rows.row(i);
            if (!m) return <div role="gridcell" class="row-wait" aria-label="…" />;
            const mark = found.byId.get(m.id);
            const outgoing = folder.kind === 'folder' && /^(sent|draft|outbox)/i.test(folder.name);
            return (
              <>
                <div role="gridcell" class="mail-who">
                  {m.unread && <span class="dot" aria-hidden="true" />}{m.unread && <span class="unseen">{words.unread}: </span>}
                  {visible(splitAddress((outgoing ? m.to : m.from) ?? '').name)}
                </div>
                <div role="gridcell" class="mail-what">
                  <span class="mail-subject">{visible(m.subject || words.noSubject)}</span>
                  <span class="mail-snippet">{visible(m.snippet ?? '')}</span>
                </div>
                <div role="gridcell" class="mail-when">
                  <time dateTime={m.at} title={momentOf(m.at, zone)}>{briefOf(m.at, zone)}</time>
                  <span class="mail-flags">
                    {m.files && <span title={words.hasFiles}><Icon name="clip" /><span class="unseen">{words.hasFiles}</span></span>}
                    {mark && <Mark of={asChange(mark)} brief />}
                  </span>
                </div>
              </>
            );
          }}
        </List>
      </section>
      {open && <MessagePane key={open} place={place} world={p.world} actor={actor} vendor={p.vendor} chosen={query.vendor} id={open} as={query.as} mark={found.byId.get(open)} folders={p.folders} zone={zone} />}
    </>
  );
}

// The place of the open message among the rows that are there.
function useOpenRow(open: string | undefined, total: number, row: (i: number) => Message | undefined): number | undefined {
  if (!open) return undefined;
  for (let i = 0; i < Math.min(total, 4000); i++) if (row(i)?.id === open) return i;
  return undefined;
}

function Gone(p: { rows: GoneRow[]; since: string }) {
  return (
    <details class="gone-rows">
      <summary>{words.goneFrom(p.rows.length, p.since)}</summary>
      <ul>
        {p.rows.slice(0, 200).map((g) => (
          <li key={g.id}>
            <s>{visible(g.mark.title)}</s> <Mark of={asChange(g.mark)} brief />{' '}
            {g.to && g.mark.kind !== 'gone'
              ? <a href={href({ query: { open: g.id } })}>{words.nowIn(g.to)}</a> : <span class="quiet">{words.removed}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}
