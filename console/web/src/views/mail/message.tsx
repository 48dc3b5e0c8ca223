// SPDX-License-Identifier: Apache-2.0
// One message: as its HTML in the frame that cleans it, as text, as it was sent, in the vendor's own
// words, and its history. What it says is text everywhere but in that frame.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { go } from '../../app/router';
import { Await, useAsked, useGet } from '../../app/use';
import { address, request } from '../../api/client';
import { save } from '../../ui/save';
import { Mark, visible } from '../../ui/marks';
import { JsonButtons } from '../../ui/json';
import { bytes as sizeOf, momentOf } from '../../ui/dates';
import { MailHtml } from '../../frame/mail';
import { Empty } from '../../ui/errors';
import { act, look, lookTarget, useLook } from '../shared/native';
import { ActForm, isActing } from '../shared/acting';
import { addressOf, asChange } from '../shared/use';
import { History } from '../shared/history';
import { Tabs } from '../shared/tabs';
import { htmlToText } from '../shared/text';
import { wordsOf, type Mark as MarkOf } from '../shared/changes';
import { words } from '../words';
import {
  apiPath, attachments, entityName, folderTitle, fromBase64, replyCall, replyTo, sourcePath, type Folder, type FullMessage, type Part,
} from './shape';

export interface PaneProps {
  place: string;
  world: string;
  actor: string;
  vendor: string; // whose mailbox it is
  chosen: string | undefined; // of the address
  id: string;
  as: string | undefined;
  mark: MarkOf | undefined;
  folders: readonly Folder[];
  zone: string;
}

const TABS = ['message', 'text', 'source', 'api', 'history'] as const;
type Tab = (typeof TABS)[number];
const HTML_FIRST = 1_000_000; // characters; beyond it the text comes first
const TEXT_MOST = 400_000;

export function MessagePane(p: PaneProps) {
  const got = useGet('/worlds/{world}/mail/{actor}/messages/{message}', { path: { world: p.place, actor: p.actor, message: p.id }, query: { vendor: p.chosen } }, { live: true });
  const asked = p.as === 'html' ? 'message' : p.as;
  const tab: Tab = TABS.find((t) => t === asked) ?? 'message';
  return (
    <section class="service-pane" aria-label={words.tabs.message}>
      <button type="button" class="plain-button pane-close" data-back onClick={() => go({ query: { open: undefined, as: undefined } })}>× <span>{words.close}</span></button>
      <Await of={got}>
        {(answer) => {
          const m = answer as unknown as FullMessage;
          return (
            <>
              <Head m={m} p={p} />
              <Tabs id="mail-as" label={words.tabs.message!} tabs={TABS.map((id) => ({ id, title: words.tabs[id]! }))} chosen={tab}
                choose={(as) => go({ query: { as: as === 'message' ? undefined : as } }, true)}>
                {tab === 'message' && <Body m={m} p={p} />}
                {tab === 'text' && <TextOf m={m} />}
                {tab === 'source' && <Source m={m} p={p} />}
                {tab === 'api' && <Api m={m} p={p} />}
                {tab === 'history' && <History place={p.place} name={entityName(addressOf(p.actor), m.id)} zone={p.zone} />}
              </Tabs>
              {tab === 'api' && <p class="buttons"><JsonButtons target={lookTarget(p.place, p.actor, apiPath(p.vendor, m))} /></p>}
              {isActing(p.actor) && <ReplyForm m={m} p={p} />}
            </>
          );
        }}
      </Await>
    </section>
  );
}

function Head(props: { m: FullMessage; p: PaneProps }) {
  const { m, p } = props;
  const names = m.folders.map((id) => p.folders.find((f) => f.id === id)).filter((f): f is Folder => !!f);
  const mark = p.mark;
  return (
    <header class="message-head">
      <h2>{visible(m.subject || words.noSubject)}</h2>
      <dl class="facts">
        <dt>{words.from}</dt><dd>{visible(m.from ?? '')}</dd>
        <dt>{words.to}</dt><dd>{visible(m.to ?? '')}</dd>
        <dt>{words.when}</dt><dd><time dateTime={m.at}>{momentOf(m.at, p.zone)}</time></dd>
        <dt>{words.inFolders}</dt><dd>{names.map((f) => <span class="chip" key={f.id}>{visible(folderTitle(f))}</span>)}</dd>
      </dl>
      {mark && (
        <div class="mark-line">
          <Mark of={asChange(mark)} />
          {wordsOf(mark.change).map((w, i) => <span class="chip" key={i}>{visible(w)}</span>)}
        </div>
      )}
    </header>
  );
}

function Body(props: { m: FullMessage; p: PaneProps }) {
  const { m, p } = props;
  const [whole, setWhole] = useState(false);
  const [about, setAbout] = useState<{ notLoaded: number }>({ notLoaded: 0 });
  const [link, setLink] = useState('');
  const images = useImages(m, p);
  const large = (m.html?.length ?? 0) > HTML_FIRST && !whole;
  return (
    <>
      {!m.html || large ? (
        <>
          {large && <p class="note">{words.large(sizeOf(m.html!.length))} <button type="button" onClick={() => setWhole(true)}>{words.showHtml}</button></p>}
          <TextOf m={m} />
        </>
      ) : (
        <>
          <MailHtml html={m.html} title={m.subject || words.noSubject} images={images} onShown={setAbout} onLink={setLink}
            onEscape={() => document.getElementById('mail-as-message')?.focus()} />
          <div role="status">
            {about.notLoaded > 0 && <p class="note">{words.notLoaded(about.notLoaded)}</p>}
            {link && <p class="note">{words.linkTo(visible(link).slice(0, 2000))}</p>}
          </div>
        </>
      )}
      <FilesOf m={m} p={p} />
    </>
  );
}

// Pictures of the message's own parts, which its HTML names by their content ids.
function useImages(m: FullMessage, p: PaneProps): Record<string, string> | undefined {
  const wanted = useMemo(() => (m.html ? m.parts.filter((x) => x.cid && /^image\/(png|jpeg|gif|webp)$/i.test(x.type) && x.size < 4_000_000).slice(0, 40) : []), [m.id, m.html]);
  const [images, setImages] = useState<Record<string, string>>();
  useEffect(() => {
    if (!wanted.length) return;
    const abort = new AbortController();
    void Promise.all(wanted.map(async (part) => [part.cid!.replace(/^<|>$/g, ''), await dataOf(part, m, p, abort.signal)] as const))
      .then((all) => setImages(Object.fromEntries(all)), () => {});
    return () => abort.abort();
  }, [wanted]);
  return images;
}

const partTarget = (part: Part, m: FullMessage, p: PaneProps): string =>
  address('/worlds/{world}/mail/{actor}/messages/{message}/parts/{part}', { path: { world: p.place, actor: p.actor, message: m.id, part: part.n }, query: { vendor: p.chosen } });

async function dataOf(part: Part, m: FullMessage, p: PaneProps, signal: AbortSignal): Promise<string> {
  const bytes = new Uint8Array(await (await request('GET', partTarget(part, m, p), { signal })).arrayBuffer());
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return `data:${part.type.toLowerCase()};base64,${btoa(text)}`;
}

function TextOf(props: { m: FullMessage }) {
  const { m } = props;
  const text = useMemo(() => (m.text ?? (m.html ? htmlToText(m.html) : '')).replace(/\r\n/g, '\n'), [m.text, m.html]);
  if (!text.trim()) return <Empty>{words.noText}</Empty>;
  return (
    <>
      <div class="message-text">{visible(text.slice(0, TEXT_MOST))}</div>
      {text.length > TEXT_MOST && <p class="note">{words.tooLong(TEXT_MOST)}</p>}
    </>
  );
}

function FilesOf(props: { m: FullMessage; p: PaneProps }) {
  const files = attachments(props.m);
  if (!files.length) return null;
  return (
    <section class="files" aria-label={words.files}>
      <h3>{words.files}</h3>
      <ul>
        {files.map((f) => (
          <li key={f.n}>
            <button type="button" onClick={() => void save(partTarget(f, props.m, props.p), (f.name ?? `part-${f.n}`).replace(/[/\\\u0000-\u001f\u202a-\u202e\u2066-\u2069]/g, '_'))}>
              {visible(f.name ?? f.type)}
            </button>{' '}
            <span class="quiet">{visible(f.type)}, {sizeOf(f.size)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The message's id in the vendor's terms. */
async function nativeId(p: PaneProps, m: FullMessage, signal?: AbortSignal): Promise<string> {
  if (p.vendor !== 'microsoft') return m.id;
  const found = await look<{ value: { id: string }[] }>(p.place, p.actor, apiPath(p.vendor, m), signal);
  return found.value[0]?.id ?? '';
}

function Source(props: { m: FullMessage; p: PaneProps }) {
  const { m, p } = props;
  const got = useAsked<string>(JSON.stringify([p.place, m.id]), async (signal) => {
    const path = sourcePath(p.vendor, await nativeId(p, m, signal));
    if (p.vendor === 'microsoft') return (await request('GET', lookTarget(p.place, p.actor, path), { signal })).text();
    const { raw } = await look<{ raw: string }>(p.place, p.actor, path, signal);
    return new TextDecoder().decode(fromBase64(raw));
  });
  return (
    <Await of={got}>
      {(text) => (
        <>
          <pre class="plain source">{visible(text.replace(/\r\n/g, '\n').slice(0, TEXT_MOST))}</pre>
          {text.length > TEXT_MOST && <p class="note">{words.tooLong(TEXT_MOST)}</p>}
        </>
      )}
    </Await>
  );
}

function Api(props: { m: FullMessage; p: PaneProps }) {
  const { m, p } = props;
  const got = useLook<Record<string, unknown>>(p.place, p.actor, apiPath(p.vendor, m));
  return <Await of={got}>{(answer) => <pre class="plain source">{visible(JSON.stringify(answer, null, 2)).slice(0, TEXT_MOST)}</pre>}</Await>;
}

function ReplyForm(props: { m: FullMessage; p: PaneProps }) {
  const { m, p } = props;
  const start = useMemo(() => replyTo(m), [m.id]);
  const [to, setTo] = useState(start.to);
  const [subject, setSubject] = useState(start.subject);
  const [text, setText] = useState('');
  return (
    <ActForm label={words.reply} button={words.send} done={words.sent} ready={!!text.trim() && !!to.trim()} run={async () => {
      await act(p.world, p.actor, replyCall(p.vendor, m, await nativeId(p, m), { to, subject, text }));
      setText('');
    }}>
      <h3>{words.reply}</h3>
      <label>{words.to} <input type="text" value={to} onInput={(e) => setTo(e.currentTarget.value)} autocomplete="off" /></label>
      <label>{words.subject} <input type="text" value={subject} onInput={(e) => setSubject(e.currentTarget.value)} autocomplete="off" /></label>
      <label>{words.yourAnswer} <textarea rows={5} value={text} onInput={(e) => setText(e.currentTarget.value)} /></label>
    </ActForm>
  );
}
