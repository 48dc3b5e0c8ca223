// SPDX-License-Identifier: Apache-2.0
// Tasks: somebody's lists and plans, what is in one of them, the task that is open.
import { useState } from 'preact/hooks';
import type { ViewProps } from '../../app/views';
import { get, address } from '../../api/client';
import type { Schemas } from '../../api/types';
import { go, href } from '../../app/router';
import { nameOf } from '../../app/state';
import { Await, useGet, useRows } from '../../app/use';
import { List } from '../../ui/list';
import { Empty, Failure } from '../../ui/errors';
import { JsonButtons } from '../../ui/json';
import { Mark, markClass, Since, visible } from '../../ui/marks';
import { briefOf, count, momentOf, zoneOf } from '../../ui/dates';
import { asChange, useClose, useMarksByName } from '../shared/use';
import { Acting, ActForm, isActing } from '../shared/acting';
import { act, look } from '../shared/native';
import { History } from '../shared/history';
import { Nobody } from '../shared/nobody';
import { Tabs } from '../shared/tabs';
import { htmlToText } from '../shared/text';
import { wordsOf, type Mark as MarkOf } from '../shared/changes';
import { text } from '../../strings';
import { words } from '../words';
import { addCall, ASSIGNED, bucketName, doneCall, entityName, findChosen, goneFrom, planTask, priorityOf, type Chosen, type Lists } from './shape';


type Task = Schemas['Task'];
type Own = ViewProps & { actor: string; all: Lists };
const TABS = ['task', 'history'] as const;

export default function Tasks(p: ViewProps) {
  if (p.actor === undefined) return <Nobody title={text.tasks} />;
  return <Person key={`${p.world} ${p.actor}`} {...p} actor={p.actor} />;
}

function Person(p: ViewProps & { actor: string }) {
  const { vendor, open } = p.route.query;
  const got = useGet('/worlds/{world}/tasks/{actor}/lists', { path: { world: p.place, actor: p.actor }, query: { vendor } }, { live: true });
  useClose(open);
  return (
    <div class={`full service${open ? '' : ' no-pane'}${isActing(p.actor) ? ' acting' : ''}`}>
      {got.error?.reason === 'tasksNotFound' ? <><h1 class="unseen">{text.tasks}</h1><Empty>{words.noTasks}</Empty></> : (
        <Await of={got}>{(d) => <Places {...p} all={d as unknown as Lists} />}</Await>
      )}
    </div>
  );
}

function Places(p: Own) {
  const { all } = p;
  const chosen = findChosen(all, p.route.rest[1], words.assigned);
  const link = (id: string, name: string, open: number, total: number) => (
    <li key={id}>
      <a class="side-link" aria-current={id === chosen?.id ? 'page' : undefined} href={href({ rest: [p.actor, id], query: { open: undefined, as: undefined } })}>
        <span class="side-name">{visible(name)}</span>
        {total > 0 && <span class="side-count"><strong>{count(open)}</strong><span class="unseen"> {words.openTasks}, </span> / {count(total)}</span>}
      </a>
    </li>
  );
  return (
    <>
      <nav class="service-side" aria-label={words.listsOfTasks}>
        {all.vendors.length > 1 && (
          <label class="vendor">{words.vendor}{' '}
            <select value={all.vendor} onChange={(e) => go({ rest: [p.actor], query: { vendor: e.currentTarget.value, open: undefined } })}>
              {all.vendors.map((v) => <option key={v} value={v}>{words.names[v] ?? v}</option>)}
            </select>
          </label>
        )}
        <ul class="side-list">{all.lists.map((l) => link(l.id, l.name, l.open, l.total))}</ul>
        {(all.plans.length > 0 || all.assigned > 0) && (
          <>
            <h2>{words.plans}</h2>
            <ul class="side-list">
              {link(ASSIGNED, words.assigned, all.assigned, all.assigned)}
              {all.plans.map((x) => link(x.id, x.name, x.open, x.total))}
            </ul>
          </>
        )}
      </nav>
      {chosen ? <Rows key={chosen.id} {...p} chosen={chosen} /> : <Empty>{words.noList(p.route.rest[1] ?? '')}</Empty>}
    </>
  );
}

function Rows(p: Own & { chosen: Chosen }) {
  const { chosen, all, place, actor } = p;
  const { query } = p.route;
  const path = { world: place, actor }, only = query.done === 'no' ? true : undefined;
  const rows = useRows<Task>(JSON.stringify([place, actor, chosen.id, query.vendor, only]), async (offset, limit, signal) =>
    get('/worlds/{world}/tasks/{actor}/tasks', { path, query: { ...chosen.query, vendor: query.vendor, open: only, offset, limit }, signal }), { live: true });
  const marks = useMarksByName();
  const zone = zoneOf(actor);
  const gone = goneFrom(marks.values(), chosen);
  const total = rows.total ?? 0;
  let at: number | undefined;
  for (let i = 0; query.open && at === undefined && i < Math.min(total, 4000); i++) if (rows.row(i)?.id === query.open) at = i;
  return (
    <>
      <section class={`service-list${query.open ? ' has-open' : ''}`} aria-label={visible(chosen.name)}>
        <header class="service-head">
          <h1>{visible(chosen.name)} <span class="quiet">{rows.total === undefined ? '' : count(total)}{chosen.plan?.team ? ` · ${visible(nameOf(chosen.plan.team))}` : ''}</span></h1>
          <span class="head-tools">
            <label><input type="checkbox" checked={!!only} onChange={(e) => go({ query: { done: e.currentTarget.checked ? 'no' : undefined } }, true)} /> {words.onlyOpen}</label>
            <JsonButtons target={address('/worlds/{world}/tasks/{actor}/tasks', { path, query: { ...chosen.query, vendor: query.vendor, open: only } })} />
            <Since /><Acting actor={actor} />
          </span>
        </header>
        {isActing(actor) && chosen.id !== ASSIGNED && <Add key={chosen.id} {...p} zone={zone} />}
        {gone.length > 0 && <ul class="gone-rows">{gone.map((g) => <li key={g.name}><s>{visible(g.title)}</s> <Mark of={asChange(g)} /></li>)}</ul>}
        {rows.error && <Failure error={rows.error} again={rows.again} />}
        <List id={`tasks-${chosen.id}`} label={visible(chosen.name)} total={total} row={44} columns={3} onShow={rows.show} open={at}
          onOpen={(i) => rows.row(i) && go({ query: { open: rows.row(i)!.id, as: undefined } })}
          rowClass={(i) => {
            const m = marks.get(entityName(rows.row(i)?.id ?? ''));
            return `${rows.row(i)?.status === 'completed' ? 'is-done ' : ''}${markClass(m && asChange(m))}`;
          }}
          empty={rows.total === 0 ? <Empty>{words.emptyList}</Empty> : rows.error ? '' : text.loading}>
          {(i) => {
            const t = rows.row(i);
            if (!t) return <div role="gridcell" class="row-wait" aria-label="…" />;
            return <TaskRow t={t} all={all} zone={zone} mark={marks.get(entityName(t.id))} />;
          }}
        </List>
      </section>
      {query.open && <TaskPane key={query.open} {...p} id={query.open} zone={zone} mark={marks.get(entityName(query.open))} />}
    </>
  );
}

function Add(p: Own & { chosen: Chosen; zone: string }) {
  const [title, setTitle] = useState(''), [due, setDue] = useState('');
  return (
    <ActForm label={words.addTask} button={words.add} done={words.taskAdded} ready={!!title.trim()} run={async () => {
      await act(p.world, p.actor, addCall(p.chosen, title.trim(), due, p.zone));
      setTitle('');
      setDue('');
    }}>
      <label>{words.addTask} <input type="text" value={title} onInput={(e) => setTitle(e.currentTarget.value)} /></label>
      <label>{words.dueOn} <input type="date" value={due} onInput={(e) => setDue(e.currentTarget.value)} /></label>
    </ActForm>
  );
}

function Done(p: Own & { t: Task }) {
  const { t } = p, done = t.status === 'completed';
  return (
    <ActForm label={words.state} button={done ? words.reopen : words.completeAs(nameOf(p.actor))} done={words.taskChanged} run={async () => {
      const version = t.plan ? (await look<{ '@odata.etag'?: string }>(p.place, p.actor, planTask(t.id)))['@odata.etag'] : undefined;
      await act(p.world, p.actor, doneCall(t, !done, version));
    }} />
  );
}

function TaskRow(p: { t: Task; all: Lists; zone: string; mark: MarkOf | undefined }) {
  const { t } = p;
  const about = [bucketName(p.all, t.plan, t.bucket), t.steps ? words.steps(t.done, t.steps) : '', t.people.map(nameOf).join(', '), t.recurrence ? words.recurs : '',
    t.notes ? words.hasNotes : '', t.links ? words.hasLinks(t.links) : ''].filter(Boolean).join(' · ');
  return (
    <>
      <div role="gridcell" class="task-state"><span aria-hidden="true">{t.status === 'completed' ? '✓' : t.status === 'in progress' ? '◐' : '○'}</span><span class="unseen">{t.status}</span></div>
      <div role="gridcell" class="grow two-lines">
        <span class="task-title">{visible(t.title)} {priorityOf(t.priority) !== 'medium' && <span class="chip">{words.priorities[priorityOf(t.priority)]}</span>} {p.mark && <Mark of={asChange(p.mark)} brief />}</span>
        <span class="quiet">{visible(about)}</span>
      </div>
      <div role="gridcell" class="file-when">{t.due && <time dateTime={t.due} title={momentOf(t.due, p.zone)}>{briefOf(t.due, p.zone)}</time>}</div>
    </>
  );
}

function TaskPane(p: Own & { id: string; zone: string; mark: MarkOf | undefined }) {
  const path = { world: p.place, actor: p.actor, task: p.id };
  const { query } = p.route;
  const got = useGet('/worlds/{world}/tasks/{actor}/tasks/{task}', { path, query: { vendor: query.vendor } }, { live: true });
  const tab = TABS.find((t) => t === query.as) ?? 'task';
  return (
    <section class="service-pane" aria-label={words.task}>
      <button type="button" class="plain-button pane-close" data-back onClick={() => go({ query: { open: undefined, as: undefined } })}>× <span>{words.close}</span></button>
      <Await of={got}>
        {(t) => (
          <>
            <h2>{visible(t.title)}</h2>
            {p.mark && <div class="mark-line"><Mark of={asChange(p.mark)} />{wordsOf(p.mark.change).map((w, i) => <span class="chip" key={i}>{visible(w)}</span>)}</div>}
            <Tabs id="task-as" label={words.task} tabs={TABS.map((id) => ({ id, title: id === 'task' ? words.task : words.history }))} chosen={tab}
              choose={(as) => go({ query: { as: as === 'task' ? undefined : as } }, true)}>
              {tab === 'task' && <About t={t} all={p.all} zone={p.zone} />}
              {tab === 'task' && isActing(p.actor) && <Done {...p} t={t} />}
              {tab === 'history' && <History place={p.place} name={entityName(t.id)} zone={p.zone} />}
            </Tabs>
            <p class="buttons"><JsonButtons target={address('/worlds/{world}/tasks/{actor}/tasks/{task}', { path, query: { vendor: query.vendor } })} /></p>
          </>
        )}
      </Await>
    </section>
  );
}

function About(p: { t: Task; all: Lists; zone: string }) {
  const { t, all, zone } = p;
  const time = (label: string, at: string | undefined) => at && <><dt>{label}</dt><dd><time dateTime={at}>{momentOf(at, zone)}</time></dd></>;
  const items = (t.items ?? []) as { title: string; done: boolean }[], links = (t.sources ?? []) as { title?: string; url?: string; app?: string }[];
  return (
    <>
      <dl class="facts">
        <dt>{words.state}</dt><dd>{t.status}{t.status === 'completed' ? '' : ` (${count(t.percent)} %)`}</dd>
        <dt>{words.priority}</dt><dd>{words.priorities[priorityOf(t.priority)]}</dd>
        {t.bucket && <><dt>{words.bucket}</dt><dd>{visible(bucketName(all, t.plan, t.bucket))}</dd></>}
        {t.people.length > 0 && <><dt>{words.doers}</dt><dd>{t.people.map(nameOf).map(visible).join(', ')}</dd></>}
        {time(words.begins, t.start)}{time(words.due, t.due)}{time(words.reminder, t.reminder)}{time(words.completed, t.completed)}
        {t.recurrence && <><dt>{words.recurs}</dt><dd>{visible(t.recurrence)}</dd></>}
        {(t.labels ?? []).length > 0 && <><dt>{words.labels}</dt><dd>{(t.labels ?? []).map((l) => <span class="chip" key={l}>{visible(l)}</span>)}</dd></>}
        {t.creator && <><dt>{words.madeBy}</dt><dd>{visible(nameOf(t.creator))}{t.created ? `, ${momentOf(t.created, zone)}` : ''}</dd></>}
      </dl>
      {t.text && <div class="message-text">{visible(t.html ? htmlToText(t.text) : t.text)}</div>}
      {items.length > 0 && (
        <>
          <h3>{words.stepsOf}</h3>
          <ul class="steps">{items.map((x, i) => <li key={i}><span aria-hidden="true">{x.done ? '✓' : '○'}</span> {x.done ? <s>{visible(x.title)}</s> : visible(x.title)}<span class="unseen"> {x.done ? words.stepDone : words.stepOpen}</span></li>)}</ul>
        </>
      )}
      {links.length > 0 && (
        <>
          <h3>{words.links}</h3>
          <ul>{links.map((x, i) => <li key={i}>{visible(x.title ?? x.url ?? '')} <span class="quiet">{visible([x.url, x.app].filter(Boolean).join(', '))}</span></li>)}</ul>
        </>
      )}
    </>
  );
}
