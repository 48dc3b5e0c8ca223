// SPDX-License-Identifier: Apache-2.0
// Channels, messages and threads, of Slack and of Teams.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewProps } from '../../app/views';
import { go, href } from '../../app/router';
import { Await, useAsked } from '../../app/use';
import { Empty, Failure } from '../../ui/errors';
import { Mark, markClass, Since, visible } from '../../ui/marks';
import { JsonButtons } from '../../ui/json';
import { dayOf, momentOf, timeOf, zoneOf, bytes } from '../../ui/dates';
import { act, look, lookTarget } from '../shared/native';
import { Acting, ActForm, isActing } from '../shared/acting';
import { asChange, useClose, useMarksByName } from '../shared/use';
import { dayName } from '../shared/time';
import { History } from '../shared/history';
import type { Mark as MarkOf } from '../shared/changes';
import { Nobody } from '../shared/nobody';
import { text } from '../../strings';
import { words } from '../words';
import { directory, type Directory } from './directory';
import {
  bySection, entityName, messagesPath, nativeOf, postCall, slackMessages, teamsMessages,
  type Channel, type ChatMessage,
} from './shape';


type Json = Record<string, any>;

export default function Chat(p: ViewProps) {
  if (p.actor === undefined) return <Nobody title={text.chat} />;
  return <Channels key={`${p.world} ${p.actor}`} {...p} actor={p.actor} />;
}

function Channels(p: ViewProps & { actor: string }) {
  const got = useAsked<Directory | null>(JSON.stringify([p.place, p.actor]), (signal) => directory(p.place, p.actor, signal), { live: true });
  const { query, rest } = p.route;
  useClose(query.open ?? query.thread, () => go({ query: { open: undefined, thread: undefined } }));
  const pane = query.open !== undefined || query.thread !== undefined;
  return (
    <div class={`full service${pane ? '' : ' no-pane'}${isActing(p.actor) ? ' acting' : ''}`}>
      <Await of={got}>
        {(d) => {
          if (!d) return <Empty>{words.noChat}</Empty>;
          const key = rest.slice(1).join('/');
          const chosen = d.channels.find((c) => c.key === key || c.id === key || c.name === key) ?? (key ? undefined : d.channels.find((c) => c.member) ?? d.channels[0]);
          return (
            <>
              <nav class="service-side" aria-label={words.channels}>
                {bySection(d.channels).map(([group, channels]) => (
                  <section key={group}>
                    <h2>{visible(group)}</h2>
                    <ul class="side-list">
                      {channels.map((c) => (
                        <li key={c.key}>
                          <a class={`side-link${c.member ? '' : ' is-other'}`} aria-current={c === chosen ? 'page' : undefined}
                            href={href({ rest: [p.actor, ...c.key.split('/')], query: { open: undefined, thread: undefined } })}>
                            <span class="side-name"><span aria-hidden="true">{{ channel: '# ', private: '∗ ', direct: '' }[c.kind]}</span>{visible(c.name)}</span>
                            {!c.member && <span class="side-count">{c.archived ? words.archived : words.notMember}</span>}
                          </a>
                        </li>
                      ))}
                    </ul>
                  </section>
                ))}
              </nav>
              {chosen ? <Messages key={chosen.key} p={p} channel={chosen} names={d.names} /> : <Empty>{d.channels.length ? words.chooseChannel : words.noChannel}</Empty>}
            </>
          );
        }}
      </Await>
    </div>
  );
}

interface Page {
  messages: ChatMessage[]; // oldest first
  more?: string; // the cursor of earlier ones
  target: string;
}

async function read(place: string, actor: string, c: Channel, names: ReadonlyMap<string, string>, thread: string | undefined, cursor: string | undefined, signal?: AbortSignal): Promise<Page> {
  const path = messagesPath(c, thread, cursor);
  const answer = await look<Json>(place, actor, path, signal);
  const target = lookTarget(place, actor, path);
  if (c.service === 'slack') {
    const messages = slackMessages((answer['messages'] as Json[]) ?? [], names);
    return { messages: thread ? messages : messages.reverse(), more: String(answer['response_metadata']?.next_cursor ?? '') || undefined, target };
  }
  const messages = teamsMessages((answer['value'] as Json[]) ?? []);
  const next = answer['@odata.nextLink'];
  return { messages: messages.sort((a, b) => (a.at < b.at ? -1 : 1)), more: next ? nativeOf(String(next)) : undefined, target };
}

function Messages(props: { p: ViewProps & { actor: string }; channel: Channel; names: Map<string, string> }) {
  const { p, channel, names } = props;
  const { query } = p.route;
  const got = useAsked<Page>(JSON.stringify([p.place, p.actor, channel.key]), (signal) => read(p.place, p.actor, channel, names, undefined, undefined, signal), { live: true });
  const [earlier, setEarlier] = useState<Page[]>([]);
  const [error, setError] = useState<any>(null);
  const box = useRef<HTMLDivElement>(null);
  const marks = useMarksByName();
  const first = earlier[0] ?? got.data;
  const all = useMemo(() => {
    const seen = new Set<string>();
    return [...earlier.flatMap((e) => e.messages), ...(got.data?.messages ?? [])].filter((m) => !seen.has(m.id) && seen.add(m.id));
  }, [earlier, got.data]);
  const last = all.at(-1)?.id;
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    const shown = el.querySelector('.is-open');
    if (shown) el.scrollTop += shown.getBoundingClientRect().top - el.getBoundingClientRect().top - el.clientHeight / 3;
    else el.scrollTop = el.scrollHeight;
  }, [last]);
  const gone = useMemo(() => [...marks.values()].filter((m) => m.kind === 'gone' && m.change.entity === 'chatMessage' && m.name.startsWith(`chatMessage/${channel.id}/`)), [marks, channel.id]);
  const zone = zoneOf(p.actor);
  const loadEarlier = async (): Promise<void> => {
    try {
      const page = await read(p.place, p.actor, channel, names, undefined, first!.more);
      setEarlier((e) => [page, ...e]);
      setError(null);
    } catch (e) {
      setError(e);
    }
  };
  return (
    <>
      <section class={`service-list${query.open || query.thread ? ' has-open' : ''}`} aria-label={visible(channel.name)}>
        <header class="service-head">
          <h1>{channel.kind === 'direct' ? '' : '#'}{visible(channel.name)} <span class="quiet">{visible(channel.topic ?? '')}</span></h1>
          <span class="head-tools">{got.data && <JsonButtons target={got.data.target} />}<Since /><Acting actor={p.actor} /></span>
        </header>
        <div class="chat-messages" ref={box} tabIndex={0} role="region" aria-label={words.messages}>
          {first?.more && <p class="buttons"><button type="button" onClick={loadEarlier}>{words.earlierMessages}</button></p>}
          {error && <Failure error={error} />}
          <Await of={got}>
            {() => (all.length ? <Log all={all} zone={zone} channel={channel} marks={marks} open={query.open ?? query.thread} /> : <Empty>{words.emptyChannel}</Empty>)}
          </Await>
          {gone.length > 0 && (
            <ul class="gone-rows">
              {gone.map((g) => <li key={g.name}><s>{visible(g.title)}</s> <Mark of={asChange(g)} /></li>)}
            </ul>
          )}
        </div>
        {isActing(p.actor) && <Post p={p} channel={channel} />}
      </section>
      {(query.thread !== undefined || query.open !== undefined) && (
        <Beside key={`${query.thread} ${query.open}`} p={p} channel={channel} names={names} zone={zone} marks={marks} message={all.find((m) => m.id === (query.open ?? query.thread))} />
      )}
    </>
  );
}

function Log(p: { all: readonly ChatMessage[]; zone: string; channel: Channel; marks: ReadonlyMap<string, MarkOf>; open?: string | undefined; inThread?: boolean }) {
  let day = '';
  return (
    <ol class="chat-log">
      {p.all.map((m) => {
        const own = dayOf(m.at, p.zone);
        const head = own !== day;
        day = own;
        return (
          <li key={m.id}>
            {head && <h2 class="chat-day">{dayName(own)}</h2>}
            <Message m={m} {...p} />
          </li>
        );
      })}
    </ol>
  );
}

function Message(p: { m: ChatMessage; zone: string; channel: Channel; marks: ReadonlyMap<string, MarkOf>; open?: string | undefined; inThread?: boolean }) {
  const { m } = p;
  const mark = p.marks.get(entityName(p.channel, m));
  return (
    <article class={`chat-message ${p.open === m.id ? 'is-open ' : ''}${markClass(mark && asChange(mark))}`}>
      <div class="chat-head">
        <strong>{visible(m.from)}</strong>
        {m.bot && <span class="chip">{words.bot}</span>}
        <a class="quiet" href={href({ query: { open: m.id } })}><time dateTime={m.at} title={momentOf(m.at, p.zone)}>{timeOf(m.at, p.zone).slice(0, 5)}</time><span class="unseen"> {words.details}</span></a>
        {m.note && <span class="quiet">({m.note})</span>}
        {mark && <Mark of={asChange(mark)} />}
      </div>
      <div class="chat-text">{visible(m.text.slice(0, 40_000))}</div>
      {m.files.map((f, i) => (
        <div class="chat-file" key={i}>
          {visible(f.name)} {f.size !== undefined && <span class="quiet">{bytes(f.size)}</span>}
          {f.text && <pre>{visible(f.text.slice(0, 4000))}</pre>}
        </div>
      ))}
      {(m.reactions.length > 0 || (m.replies > 0 && !p.inThread)) && (
        <div class="chat-foot">
          {m.reactions.map((r) => <span class="reaction" key={r.name} title={r.by.join(', ')}>{visible(r.name)} {r.count}<span class="unseen"> {r.by.join(', ')}</span></span>)}
          {m.replies > 0 && !p.inThread && <a href={href({ query: { thread: m.id, open: undefined } })}>{words.replies(m.replies)}</a>}
        </div>
      )}
    </article>
  );
}

// A thread, or one message with its history.
function Beside(props: { p: ViewProps & { actor: string }; channel: Channel; names: Map<string, string>; zone: string; marks: ReadonlyMap<string, MarkOf>; message: ChatMessage | undefined }) {
  const { p, channel, names, zone, marks } = props;
  const { thread, open } = p.route.query;
  // A message that is older than those that were read comes with its thread.
  const from = thread ?? (props.message || channel.service !== 'slack' ? undefined : open);
  const got = useAsked<Page>(JSON.stringify([p.place, p.actor, channel.key, from]), (signal) => read(p.place, p.actor, channel, names, from, undefined, signal), { live: true, skip: !from });
  const message = props.message ?? got.data?.messages.find((m) => m.id === open);
  return (
    <section class="service-pane" aria-label={thread ? words.thread : words.details}>
      <button type="button" class="plain-button pane-close" data-back onClick={() => go({ query: { open: undefined, thread: undefined } })}>× <span>{words.close}</span></button>
      <h2>{thread ? words.thread : words.details}</h2>
      {thread ? (
        <>
          <Await of={got}>
            {(page) => {
              const all = message && !page.messages.some((m) => m.id === message.id) ? [message, ...page.messages] : page.messages;
              return <><Log all={all} zone={zone} channel={channel} marks={marks} inThread /><p class="buttons"><JsonButtons target={page.target} /></p></>;
            }}
          </Await>
          {isActing(p.actor) && <Post p={p} channel={channel} thread={thread} />}
        </>
      ) : message ? (
        <>
          <Message m={message} zone={zone} channel={channel} marks={marks} />
          {message.replies > 0 && <p><a href={href({ query: { thread: message.id, open: undefined } })}>{words.replies(message.replies)}</a></p>}
          <h3>{words.history}</h3>
          <History place={p.place} name={entityName(channel, message)} zone={zone} />
          {isActing(p.actor) && (channel.service === 'slack' || channel.team) && <Post p={p} channel={channel} thread={message.thread ?? message.id} />}
        </>
      ) : null}
    </section>
  );
}

function Post(props: { p: ViewProps & { actor: string }; channel: Channel; thread?: string }) {
  const { p, channel, thread } = props;
  const [text, setText] = useState('');
  const label = thread ? words.answerIn : words.postIn(channel.name);
  return (
    <ActForm label={label} button={words.post} done={words.posted} ready={!!text.trim()} run={async () => {
      await act(p.world, p.actor, postCall(channel, text, thread));
      setText('');
    }}>
      <label>{label} <textarea rows={2} value={text} onInput={(e) => setText(e.currentTarget.value)} /></label>
    </ActForm>
  );
}
