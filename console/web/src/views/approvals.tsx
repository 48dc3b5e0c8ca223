// SPDX-License-Identifier: Apache-2.0
// Calls that are held: what each would do, as a diff, and the decision, from the keyboard too.
import { useEffect, useState } from 'preact/hooks';
import { send } from '../api/client';
import type { Schemas } from '../api/types';
import { keep, kept } from '../app/kept';
import { bindView } from '../app/keys';
import { go, href } from '../app/router';
import { acted, nameOf, readOnly, type Change } from '../app/state';
import { Await, say, useGet } from '../app/use';
import type { ViewProps } from '../app/views';
import { Dialog } from '../ui/dialog';
import { List } from '../ui/list';
import { momentOf, timeOf } from '../ui/dates';
import { Plain, visible } from '../ui/marks';
import { ChangeList } from './journal-call';
import { text } from '../strings';

type Approval = Schemas['Approval'];
const words = {
  state: 'State', every: 'all', waiting: 'waiting', none: 'Nothing waits for a decision.', noneOther: 'There is no such call.', approve: 'Approve (a)', edit: 'Edit and approve (e)', reject: 'Reject (r)',
  escalate: 'Hand on', asGone: 'What would be sent', args: 'Exact arguments', would: 'If it is approved', wouldNothing: 'It would change nothing.', unknown: 'What it would do is not known.',
  by: 'Decided by', comment: 'Why', edits: 'Arguments to set: values by path, as JSON', done: (what: string) => `The call is ${what}.`, rule: 'Rule', because: 'Since', held: 'Held', expires: 'Expires',
  decided: 'Decided', send: 'Decide', to: 'To whom', edited: 'As the approver set them', method: 'Method', letter: 'The letter',
};
const STATES = ['held', 'approved', 'rejected', 'executed', 'expired'];
const WORD = { approve: 'approved', reject: 'rejected', edit: 'approved with other arguments', escalate: 'handed on' };
type Decision = keyof typeof WORD;

/** A letter among the arguments, as it would go out. */
function letterOf(of: Approval): string | undefined {
  const body = (of.arguments as { body?: { raw?: unknown; message?: { raw?: unknown } } })?.body;
  const raw = body?.raw ?? body?.message?.raw;
  if (typeof raw !== 'string') return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(raw.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function Deciding(p: { world: string; of: Approval; decision: Decision; close: () => void; done: () => void }) {
  const [by, setBy] = useState(kept('sosia.by'));
  const [comment, setComment] = useState('');
  const [to, setTo] = useState('');
  const [edits, setEdits] = useState(p.decision === 'edit' ? JSON.stringify(flat(p.of.arguments), null, 2) : '');
  const decide = async (e: Event) => {
    e.preventDefault();
    keep('sosia.by', by);
    try {
      const body: Schemas['Decide'] = { decision: p.decision };
      if (by) body.by = by;
      if (comment) body.comment = comment;
      if (p.decision === 'edit') body.arguments = JSON.parse(edits) as object;
      if (p.decision === 'escalate') body.to = to;
      await send('post', '/worlds/{world}/approvals/{action}', { path: { world: p.world, action: p.of.action }, body });
      acted.value++;
      say(words.done(WORD[p.decision]));
      p.close();
    } catch (error) {
      say((error as Error).message);
    }
    p.done();
  };
  return (
    <Dialog title={`${words[p.decision]}: ${p.of.method}`} close={p.close}>
      <form onSubmit={decide}>
        {p.decision === 'edit' && <label>{words.edits}<textarea value={edits} spellcheck={false} onInput={(e) => setEdits(e.currentTarget.value)} /></label>}
        {p.decision === 'escalate' && <p><label>{words.to} <input type="text" required value={to} onInput={(e) => setTo(e.currentTarget.value)} /></label></p>}
        <p><label>{words.by} <input type="text" value={by} onInput={(e) => setBy(e.currentTarget.value)} /></label></p>
        <p><label>{words.comment} <input type="text" autofocus={p.decision !== 'edit'} value={comment} onInput={(e) => setComment(e.currentTarget.value)} /></label></p>
        <p class="buttons"><button type="submit" class="act">{words.send}</button><button type="button" onClick={p.close}>{text.cancel}</button></p>
      </form>
    </Dialog>
  );
}

/** Arguments by path, as an edit takes them. */
function flat(of: unknown, path = '', out: Record<string, unknown> = {}): Record<string, unknown> {
  if (of && typeof of === 'object' && !Array.isArray(of))
    for (const [k, v] of Object.entries(of)) flat(v, path ? `${path}.${k}` : k, out);
  else if (path) out[path] = of;
  return out;
}

function Detail(p: ViewProps & { action: string; done: () => void }) {
  const got = useGet('/worlds/{world}/approvals/{action}', { path: { world: p.place, action: p.action } }, { live: true });
  const [deciding, decide] = useState<Decision | null>(null);
  const one = got.data?.approvals[0];
  const may = one?.state === 'held' && p.seq === undefined && !readOnly.value;
  useEffect(() => {
    if (!may) return;
    return bindView([
      { key: 'a', what: words.approve, run: () => decide('approve') }, { key: 'e', what: words.edit, run: () => decide('edit') }, { key: 'r', what: words.reject, run: () => decide('reject') },
    ]);
  }, [may, p.action]);
  return (
    <section class="detail" aria-label={p.action}>
      <Await of={got}>{(d) => {
        const a = d.approvals[0]!;
        const changes = (a.outcome as { changes?: Change[] } | undefined)?.changes;
        const letter = letterOf(a);
        return (
          <>
            {may && (
              <div class="buttons">
                <button type="button" class="act" onClick={() => decide('approve')}>{words.approve}</button>
                <button type="button" class="act" onClick={() => decide('edit')}>{words.edit}</button>
                <button type="button" class="act" onClick={() => decide('reject')}>{words.reject}</button>
                <button type="button" onClick={() => decide('escalate')}>{words.escalate}</button>
              </div>
            )}
            <h2>{a.method}</h2>
            <dl class="facts">
              <dt>{words.state}</dt><dd>{a.state}{a.asked ? ` (${a.asked})` : ''}</dd>
              <dt>{text.person}</dt><dd>{nameOf(a.actor)} {a.app ?? ''} {a.tool ?? ''}</dd>
              <dt>{words.rule}</dt><dd><a href={href({ view: 'policy', rest: [a.policy] })}>{[a.policy, a.version].filter(Boolean).join(' ')}</a>{a.rule ? `, ${a.rule}` : ''} {a.why ?? ''}</dd>
              <dt>{words.held}</dt><dd>{momentOf(a.held)}</dd>
              <dt>{words.expires}</dt><dd>{momentOf(a.expires)}</dd>
              {a.decided && <><dt>{words.decided}</dt><dd>{momentOf(a.decided)} {a.by ? `${a.by}: ` : ''}{visible(a.comment ?? '')}</dd></>}
            </dl>
            <h3>{words.would}</h3>
            {!changes ? <p class="quiet">{words.unknown}</p> : changes.length ? <ChangeList of={changes} /> : <p>{words.wouldNothing}</p>}
            {letter !== undefined && <><h3>{words.letter}</h3><Plain of={letter} /></>}
            {a.edits !== undefined && <><h3>{words.edited}</h3><Plain of={a.edits} /></>}
            <h3>{words.args}</h3>
            <Plain of={a.arguments} />
            {deciding && <Deciding world={p.world} of={a} decision={deciding} close={() => decide(null)} done={() => {
              got.again();
              p.done();
            }} />}
          </>
        );
      }}</Await>
    </section>
  );
}

export default function Approvals(p: ViewProps) {
  const state = p.route.query.state ?? 'held';
  const open = p.route.rest[0];
  const got = useGet('/worlds/{world}/approvals', { path: { world: p.place }, query: { state: (state === 'all' ? undefined : state) as never } }, { live: true });
  const list = got.data?.approvals ?? [];
  const at = list.findIndex((a) => a.action === open);
  return (
    <div class="full">
      <div class="bar">
        <h1>{text.approvals}</h1>
        <label>{words.state}{' '}
          <select value={state} onChange={(e) => go({ rest: [], query: { state: e.currentTarget.value === 'held' ? '' : e.currentTarget.value } }, true)}>
            <option value="all">{words.every}</option>{STATES.map((s) => <option key={s}>{s}</option>)}
          </select>
        </label>
      </div>
      <Await of={got}>{() => (
        <div class={open ? 'split two' : 'split'}>
          <List id="approvals" label={text.approvals} total={list.length} row={44} columns={2} open={at < 0 ? undefined : at}
            onOpen={(i) => go({ rest: [list[i]!.action] }, !!open)} empty={state === 'held' ? words.none : words.noneOther}>
            {(i) => {
              const a = list[i]!;
              return (
                <>
                  <span role="gridcell" class="call-time" title={momentOf(a.held)}>{timeOf(a.held)}</span>
                  <span role="gridcell" class="two-lines"><b>{a.method}</b><span class="quiet">{nameOf(a.actor)} · {a.policy}, {a.rule ?? a.why} · {a.state}</span></span>
                </>
              );
            }}
          </List>
          {open && <Detail key={open} {...p} action={open} done={got.again} />}
        </div>
      )}</Await>
    </div>
  );
}
