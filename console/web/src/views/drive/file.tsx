// SPDX-License-Identifier: Apache-2.0
// One file beside its folder: what it says as text, its versions, who may see it, its history.
import { useEffect, useState } from 'preact/hooks';
import type { ViewProps } from '../../app/views';
import { go, href } from '../../app/router';
import { Await, useAsked } from '../../app/use';
import { request } from '../../api/client';
import { save } from '../../ui/save';
import { Empty } from '../../ui/errors';
import { Mark, visible } from '../../ui/marks';
import { JsonButtons } from '../../ui/json';
import { bytes as sizeOf, momentOf } from '../../ui/dates';
import { look, lookBytes, lookTarget, useLook } from '../shared/native';
import { asChange } from '../shared/use';
import { History } from '../shared/history';
import { Tabs } from '../shared/tabs';
import { wordsOf, type Mark as MarkOf } from '../shared/changes';
import { asText } from '../files/shape';
import { words } from '../words';
import {
  contentPath, entityName, googleAccess, googleAccessPath, googleGetPath, googleItem, googleVersions, googleVersionsPath, microsoftAccess, microsoftAccessPath,
  microsoftGetPath, microsoftItem, microsoftVersions, microsoftVersionsPath, previewOf, typeName, type Access, type Item, type Service, type Version,
} from './shape';

const TABS = ['preview', 'versions', 'access', 'history'] as const;
const MOST = 256 << 10; // bytes of a preview as text
const OFFICE_MOST = 16 << 20;

export function FilePane(props: { p: ViewProps & { actor: string }; service: Service; id: string; zone: string; mark: MarkOf | undefined }) {
  const { p, service, id, zone, mark } = props;
  const path = service === 'google' ? googleGetPath(id) : microsoftGetPath(id);
  const got = useAsked<Item>(JSON.stringify([p.place, p.actor, service, id]), async (signal) =>
    (service === 'google' ? googleItem : microsoftItem)(await look(p.place, p.actor, path, signal)), { live: true });
  const tab = TABS.find((t) => t === p.route.query.as) ?? 'preview';
  return (
    <section class="service-pane" aria-label={words.details}>
      <button type="button" class="plain-button pane-close" data-back onClick={() => go({ query: { open: undefined, as: undefined } })}>× <span>{words.close}</span></button>
      <Await of={got}>
        {(item) => (
          <>
            <h2>{visible(item.name)}</h2>
            <dl class="facts">
              <dt>{words.kind}</dt><dd>{typeName(item)} <span class="quiet">{visible(item.type)}</span></dd>
              {item.modified && <><dt>{words.modified}</dt><dd><time dateTime={item.modified}>{momentOf(item.modified, zone)}</time>{item.by ? `, ${visible(item.by)}` : ''}</dd></>}
              {item.size !== undefined && <><dt>{words.size}</dt><dd>{sizeOf(item.size)}</dd></>}
            </dl>
            {mark && <div class="mark-line"><Mark of={asChange(mark)} />{wordsOf(mark.change).map((w, i) => <span class="chip" key={i}>{visible(w)}</span>)}</div>}
            <Tabs id="file-as" label={words.details} tabs={TABS.map((t) => ({ id: t, title: words[t] }))} chosen={tab} choose={(as) => go({ query: { as: as === 'preview' ? undefined : as } }, true)}>
              {tab === 'preview' && <Preview p={p} service={service} item={item} />}
              {tab === 'versions' && <Versions p={p} service={service} id={id} zone={zone} />}
              {tab === 'access' && <Accesses p={p} service={service} id={id} />}
              {tab === 'history' && <History place={p.place} name={entityName(id)} zone={zone} />}
            </Tabs>
            <p class="buttons"><JsonButtons target={lookTarget(p.place, p.actor, path)} /></p>
          </>
        )}
      </Await>
    </section>
  );
}

function Preview(props: { p: ViewProps & { actor: string }; service: Service; item: Item }) {
  const { p, service, item } = props;
  const how = previewOf(service, item);
  const content = contentPath(service, item);
  const file = content && !item.type.startsWith('application/vnd.google-apps') && (
    <p class="buttons"><button type="button" onClick={() => void save(lookTarget(p.place, p.actor, content), item.name.replace(/[/\\\u0000-\u001f\u202a-\u202e\u2066-\u2069]/g, '_'))}>{words.asFile}</button></p>
  );
  if (item.folder) return <p><a href={href({ rest: [p.actor, item.id], query: { open: undefined } })}>{visible(item.name)}</a></p>;
  return (
    <>
      {how.kind === 'none' && <Empty>{words.noPreview}</Empty>}
      {how.kind === 'image' && <Picture place={p.place} actor={p.actor} path={how.path} name={item.name} type={item.type} />}
      {(how.kind === 'text' || how.kind === 'office') && <TextPreview key={`${p.place} ${how.path}`} p={p} path={how.path} office={how.kind === 'office'} as={how.kind === 'text' ? how.as : ''} />}
      {file}
    </>
  );
}

function TextPreview(props: { p: ViewProps & { actor: string }; path: string; office: boolean; as: string }) {
  const { p, path, office, as } = props;
  const got = useAsked<{ text: string | null; cut: number }>(JSON.stringify([p.place, p.actor, path]), async (signal) => {
    const { bytes, total } = await lookBytes(p.place, p.actor, path, office ? OFFICE_MOST : MOST, signal);
    if (!office) return { text: cutText(bytes, total), cut: total > bytes.length ? bytes.length : 0 };
    const { officeText } = await import('./office');
    return { text: await officeText(bytes), cut: 0 };
  }, { live: true });
  return (
    <Await of={got}>
      {({ text, cut }) => {
        if (text === null) return <Empty>{words.noPreview}</Empty>;
        return (
          <>
            {/^text\/(csv|tab-separated-values)/.test(as) ? <Sheet text={text} /> : <pre class="preview-text">{visible(text.slice(0, MOST))}</pre>}
            {(cut > 0 || text.length > MOST) && <p class="note">{words.tooLong(Math.min(cut || MOST, MOST))}</p>}
          </>
        );
      }}
    </Await>
  );
}

// The last character may be cut in two by the bound.
const cutText = (bytes: Uint8Array, total: number): string | null => {
  if (total <= bytes.length) return asText(bytes);
  for (let less = 0; less < 4; less++) {
    const text = asText(bytes.subarray(0, bytes.length - less));
    if (text !== null) return text;
  }
  return null;
};

/** Rows of comma separated values (RFC 4180), the first 200. */
export function csvRows(text: string, most = 200): string[][] {
  const rows: string[][] = [];
  let row: string[] = [], field = '', quoted = false;
  for (let i = 0; i < text.length && rows.length < most; i++) {
    const c = text[i]!;
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (c === '"' && field === '') quoted = true;
    else if (c === ',') {
      row.push(field);
      field = '';
    } else if (c === '\n') {
      rows.push([...row, field.replace(/\r$/, '')]);
      row = [];
      field = '';
    } else field += c;
  }
  if ((field || row.length) && rows.length < most) rows.push([...row, field]);
  return rows;
}

function Sheet(p: { text: string }) {
  const rows = csvRows(p.text);
  return (
    <div class="preview-table" tabIndex={0} role="region" aria-label={words.preview}>
      <table>
        <tbody>{rows.map((r, i) => <tr key={i}>{r.slice(0, 60).map((c, k) => <td key={k}>{visible(c.slice(0, 500))}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

function Picture(p: { place: string; actor: string; path: string; name: string; type: string }) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const abort = new AbortController();
    let made = '';
    request('GET', lookTarget(p.place, p.actor, p.path), { signal: abort.signal }).then((r) => r.arrayBuffer()).then((b) => {
      made = URL.createObjectURL(new Blob([b], { type: p.type })); // a picture, whatever the answer says that it is
      setUrl(made);
    }, () => {});
    return () => {
      abort.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [p.place, p.actor, p.path]);
  return url ? <img class="preview-image" src={url} alt={visible(p.name)} /> : <p class="quiet" role="status">…</p>;
}

function Versions(props: { p: ViewProps & { actor: string }; service: Service; id: string; zone: string }) {
  const { p, service, id, zone } = props;
  const got = useLook(p.place, p.actor, service === 'google' ? googleVersionsPath(id) : microsoftVersionsPath(id), { live: true });
  return (
    <Await of={got}>
      {(answer) => {
        const all: Version[] = (service === 'google' ? googleVersions : microsoftVersions)(answer);
        if (!all.length) return <Empty>{words.noVersions}</Empty>;
        return (
          <table class="table">
            <thead><tr><th scope="col">{words.modified}</th><th scope="col">{words.by}</th><th scope="col" class="number">{words.size}</th></tr></thead>
            <tbody>
              {all.map((v) => <tr key={v.id}><td>{v.at ? <time dateTime={v.at}>{momentOf(v.at, zone)}</time> : visible(v.id)}</td><td>{visible(v.by ?? '')}</td><td class="number">{v.size === undefined ? '' : sizeOf(v.size)}</td></tr>)}
            </tbody>
          </table>
        );
      }}
    </Await>
  );
}

function Accesses(props: { p: ViewProps & { actor: string }; service: Service; id: string }) {
  const { p, service, id } = props;
  const got = useLook(p.place, p.actor, service === 'google' ? googleAccessPath(id) : microsoftAccessPath(id), { live: true });
  return (
    <Await of={got}>
      {(answer) => {
        const all: Access[] = (service === 'google' ? googleAccess : microsoftAccess)(answer);
        return (
          <table class="table">
            <thead><tr><th scope="col">{words.who}</th><th scope="col">{words.role}</th><th scope="col">{words.how}</th></tr></thead>
            <tbody>{all.map((a, i) => <tr key={i}><td>{visible(a.who)}</td><td>{visible(a.role)}</td><td>{visible(a.how ?? '')}</td></tr>)}</tbody>
          </table>
        );
      }}
    </Await>
  );
}
