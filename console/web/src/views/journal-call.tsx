// SPDX-License-Identifier: Apache-2.0
// One entry of the journal: what was asked, what was answered, what it changed, and why.
import { address, curl, send } from '../api/client';
import type { JsonObject } from '../api/types';
import { go, href } from '../app/router';
import { nameOf, readOnly, type Change } from '../app/state';
import { Await, say, useGet } from '../app/use';
import type { ViewProps } from '../app/views';
import { decisionOf, statusClass, statusOf, targetOf, whatOf, whoOf, type Call } from '../ui/calls';
import { momentOf, took } from '../ui/dates';
import { copy, JsonButtons } from '../ui/json';
import { Fields, Mark, Plain, visible } from '../ui/marks';
import { text, plural } from '../strings';

const words = {
  request: 'Request', response: 'Response', changes: 'Changes', why: 'Why', newer: 'Next call', older: 'Call before', stateBefore: (n: number) => `State @${n}`,
  forkBefore: 'Fork before', rerun: 'Copy the call as curl', headers: 'Header fields', body: 'Body', noBody: 'No body, or it was not kept.', nothing: 'It changed nothing.',
  follows: (n: number) => `${plural(n, 'thing')} followed from it`, decision: 'Decision', policy: 'Policy', rule: 'Rule', because: 'Why', risk: 'Risk', reaches: 'Reaches', fault: 'Fault',
  stop: 'Stopped', labels: 'Labels', as: 'Credential', fired: 'Fell due before it', ids: 'Ids that it took', hash: 'Hash of its pages', action: 'Held as', whole: 'All of the entry',
  allowed: 'allowed: no policy, budget or fault had a say', said: 'The server’s reason', control: 'Done to the world', outcome: 'What came of it',
};
const TABS = ['request', 'response', 'changes', 'why'] as const;

/** A body as it is read best: JSON with its lines. */
function pretty(body: unknown): string {
  if (typeof body !== 'string') return body === undefined ? '' : JSON.stringify(body, null, 2);
  try {
    return /^\s*[[{]/.test(body) ? JSON.stringify(JSON.parse(body), null, 2) : body;
  } catch {
    return body;
  }
}

function Message(p: { of: JsonObject | undefined; first: string }) {
  const m = p.of;
  if (!m) return <p class="quiet">{words.noBody}</p>;
  const headers = Object.entries((m.headers ?? {}) as Record<string, unknown>);
  const body = pretty(m.body ?? m.body_base64);
  return (
    <>
      <pre class="box">{visible(p.first)}</pre>
      {headers.length > 0 && (
        <dl class="facts">{headers.map(([k, v]) => [<dt key={k}>{visible(k)}</dt>, <dd key={`${k}=`}>{visible(String(v))}</dd>])}</dl>
      )}
      {body ? <Plain of={body} /> : <p class="quiet">{words.noBody}</p>}
    </>
  );
}

/** Changes with what followed from each. */
export function ChangeList(p: { of: Change[] }) {
  return (
    <ul class="change-list">
      {p.of.map((c, i) => (
        <li key={c.name ?? i}>
          <Mark of={{ ...c, seq: undefined as never }} /> <b>{c.entity}</b> {visible(c.title ?? '')} <span class="quiet">{c.person ? nameOf(c.person) : ''} {visible(c.name ?? '')}</span>
          <details open={c.change === 'changed'}><summary>{text.field}</summary><Fields of={c} /></details>
          {c.consequences?.length ? <details><summary>{words.follows(c.consequences.length)}</summary><ChangeList of={c.consequences} /></details> : null}
        </li>
      ))}
    </ul>
  );
}

function Changed(p: ViewProps & { open: number }) {
  const got = useGet('/worlds/{world}/journal/{seq}/changes', { path: { world: p.world, seq: p.open as never } });
  return <Await of={got}>{(d) => d.changes.length ? <ChangeList of={d.changes} /> : <p>{words.nothing}</p>}</Await>;
}

function Why(p: { of: Call }) {
  const e = p.of, g = e.guard;
  const rows: Array<[string, unknown]> = [
    [words.risk, e.risk], [words.decision, g?.decision], [words.policy, g && `${g.policy ?? ''} ${g.version ?? ''}`], [words.rule, g?.rule], [words.because, g?.why],
    [words.action, g?.action], [words.reaches, g?.reaches], [words.fault, e.fault], [words.stop, e.stop], [words.said, e.response?.why], [words.labels, e.labels],
    [words.as, e.as], [words.control, e.control], [words.outcome, e.outcome], [words.fired, e.fired], [words.ids, e.ids && Object.keys(e.ids).length ? e.ids : undefined], [words.hash, e.state],
  ];
  return (
    <>
      {!g && !e.fault && !e.stop && e.method && <p>{words.allowed}</p>}
      <dl class="facts">{rows.filter(([, v]) => v !== undefined && v !== '').map(([k, v]) => [<dt key={k}>{k}</dt>, <dd key={`${k}=`}><Plain of={v} /></dd>])}</dl>
    </>
  );
}

/** The same call again, as the person, by the control interface. */
function callAsCurl(p: ViewProps, e: Call): string | undefined {
  if (!e.request?.target || !e.actor) return undefined;
  const verb = String(e.request.verb ?? 'GET');
  const target = address(verb === 'GET' ? '/worlds/{world}/look/{actor}/{path}' : '/worlds/{world}/act/{actor}/{path}',
    { path: { world: p.world, actor: e.actor, path: String(e.request.target) } });
  const { body, headers } = e.request as { body?: unknown; headers?: Record<string, unknown> };
  if (body === undefined) return curl(target, verb);
  if (typeof body !== 'string') return undefined; // bytes, or of what was not kept its length alone
  const type = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return curl(target, verb, { type: typeof type === 'string' ? type : undefined, text: body });
}

export function CallDetail(p: ViewProps & { open: number; last: number }) {
  const got = useGet('/worlds/{world}/journal/{seq}', { path: { world: p.world, seq: p.open as never }, query: { times: true } });
  const tab = TABS.find((t) => t === p.route.query.tab) ?? 'request';
  const move = (by: number) => {
    const to = p.open + by;
    if (to >= 1 && to <= p.last) go({ query: { open: String(to) } }, true);
  };
  const forkBefore = async () => {
    try {
      const made = await send('post', '/worlds/{world}/fork', { path: { world: p.world }, body: { step: p.open - 1 } });
      go({ world: made.name ?? made.worlds?.[0] ?? made.world, view: 'overview', rest: [] });
    } catch (e) {
      say((e as Error).message);
    }
  };
  return (
    <section class="detail" aria-label={text.call(p.open)}>
      <Await of={got}>{(data) => {
        const e = data as Call;
        const again = callAsCurl(p, e);
        return (
          <>
            <div class="buttons">
              <button type="button" aria-label={words.older} title={words.older} onClick={() => move(-1)}>‹</button>
              <button type="button" aria-label={words.newer} title={words.newer} onClick={() => move(1)}>›</button>
              {again && <button type="button" onClick={() => copy(again)}>{words.rerun}</button>}
              <button type="button" onClick={() => go({ seq: p.open - 1 })}>{words.stateBefore(p.open - 1)}</button>
              <button type="button" onClick={() => go({ seq: p.open })}>{words.stateBefore(p.open)}</button>
              {!readOnly.value && <button type="button" onClick={forkBefore}>{words.forkBefore}</button>}
              <JsonButtons target={address('/worlds/{world}/journal/{seq}', { path: { world: p.world, seq: p.open } })} />
              <span class="space" />
              <button type="button" class="plain-button" aria-label={text.close} onClick={() => go({ query: { open: '', tab: '' } })}>×</button>
            </div>
            <h2>{text.call(e.seq)}: {whatOf(e)}</h2>
            <p class="quiet">
              {momentOf(e.at)} · {whoOf(e)} · <span class={statusClass(e)}>{statusOf(e) ?? ''}</span> {decisionOf(e)} {e.took_us !== undefined && took(e.took_us)}
            </p>
            <div class="tabs" role="tablist">
              {TABS.map((t) => (
                <button key={t} type="button" role="tab" aria-selected={t === tab} onClick={() => go({ query: { tab: t === 'request' ? '' : t } }, true)}>{words[t]}</button>
              ))}
            </div>
            <div role="tabpanel">
              {tab === 'request' && (e.request ? <Message of={e.request} first={targetOf(e)} /> : <Plain of={e} />)}
              {tab === 'response' && <Message of={e.response} first={String(statusOf(e) ?? '')} />}
              {tab === 'changes' && <Changed {...p} />}
              {tab === 'why' && <Why of={e} />}
            </div>
            <p><a href={href({ query: { open: '', actor: e.actor ?? '' } })}>{whoOf(e)}</a> {e.method && <a href={href({ query: { open: '', method: e.method } })}>{e.method}</a>}</p>
          </>
        );
      }}</Await>
    </section>
  );
}
