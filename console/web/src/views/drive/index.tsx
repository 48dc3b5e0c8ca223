// SPDX-License-Identifier: Apache-2.0
// Files of a drive: folders, one file with its text, its versions and who may see it.
import { useState } from 'preact/hooks';
import type { ViewProps } from '../../app/views';
import { go, href } from '../../app/router';
import { Await, useAsked, type Got } from '../../app/use';
import { Refused } from '../../api/client';
import { List } from '../../ui/list';
import { Empty } from '../../ui/errors';
import { Mark, markClass, Since, visible } from '../../ui/marks';
import { JsonButtons } from '../../ui/json';
import { briefOf, bytes, count, momentOf, zoneOf } from '../../ui/dates';
import { act, look, lookTarget } from '../shared/native';
import { Acting, ActForm, isActing } from '../shared/acting';
import { asChange, useClose, useMarksByName } from '../shared/use';
import { mayHave, vendorsOf } from '../shared/vendors';
import { nativeOf } from '../chat/shape';
import { Icon } from '../shared/icon';
import { Nobody } from '../shared/nobody';
import { text } from '../../strings';
import { words } from '../words';
import { FilePane } from './file';
import {
  entityName, GOOGLE_PLACES, googleDrivesPath, googleGetPath, googleItem, googleListPath, microsoftGetPath, microsoftItem, microsoftListPath, multipart,
  typeName, uploadCall, type Item, type Service,
} from './shape';

type Json = Record<string, any>;

interface Place {
  id: string;
  name: string;
}
interface Drives {
  services: Service[];
  places: Place[]; // of Google
}

/** Which drives somebody has: who has no account with one of the two is not asked there, or refused. */
async function drivesOf(place: string, actor: string, signal: AbortSignal): Promise<Drives | null> {
  const vendors = await vendorsOf(place, actor, signal);
  const asked = (vendor: Service, path: string): Promise<Json> =>
    mayHave(vendors, vendor) ? look(place, actor, path, signal) : Promise.reject(new Refused(404, 'noAccount', ''));
  const [google, microsoft] = await Promise.allSettled([asked('google', googleDrivesPath), asked('microsoft', microsoftGetPath('root'))]);
  if (signal.aborted) throw new DOMException('', 'AbortError');
  const services: Service[] = [];
  if (google.status === 'fulfilled') services.push('google');
  if (microsoft.status === 'fulfilled') services.push('microsoft');
  if (!services.length) {
    const e = (google as PromiseRejectedResult).reason as Refused;
    if (e.status === 0 || e.reason === 'worldNotFound' || e.reason === 'stepNotFound') throw e;
    return null;
  }
  return { services, places: google.status === 'fulfilled' ? (((google.value as Json)['drives'] as Json[]) ?? []).map((d) => ({ id: String(d['id']), name: String(d['name']) })) : [] };
}

interface Listing {
  items: Item[];
  folder?: Item; // that is listed, where it is one of somebody's
  target: string;
  more: boolean;
}

const MOST = 5000;

async function list(place: string, actor: string, service: Service, folder: string, signal: AbortSignal): Promise<Listing> {
  const first = service === 'google' ? googleListPath(folder) : microsoftListPath(folder);
  const special = folder === 'root' || GOOGLE_PLACES.some((p) => p.id === folder);
  const above = special ? undefined : look<Json>(place, actor, service === 'google' ? googleGetPath(folder) : microsoftGetPath(folder), signal)
    .then(service === 'google' ? googleItem : microsoftItem, () => undefined);
  const items: Item[] = [];
  let path: string | undefined = first;
  while (path && items.length < MOST) {
    const page: Json = await look(place, actor, path, signal);
    items.push(...(((service === 'google' ? page['files'] : page['value']) as Json[]) ?? []).map(service === 'google' ? googleItem : microsoftItem));
    const next: unknown = page['nextPageToken'] ?? page['@odata.nextLink'];
    path = typeof next !== 'string' ? undefined : service === 'google' ? googleListPath(folder, next) : nativeOf(next);
  }
  return { items, folder: await above, target: lookTarget(place, actor, first), more: path !== undefined };
}

export default function Drive(p: ViewProps) {
  if (p.actor === undefined) return <Nobody title={text.drive} />;
  return <Files key={`${p.world} ${p.actor}`} {...p} actor={p.actor} />;
}

function Files(p: ViewProps & { actor: string }) {
  const { query } = p.route;
  const got = useAsked<Drives | null>(JSON.stringify([p.place, p.actor]), (signal) => drivesOf(p.place, p.actor, signal));
  useClose(query.open, () => go({ query: { open: undefined, as: undefined } }));
  return (
    <div class={`full service${query.open ? '' : ' no-pane'}${isActing(p.actor) ? ' acting' : ''}`}>
      <Await of={got}>{(d) => (d ? <Places p={p} drives={d} /> : <Empty>{words.noDrive}</Empty>)}</Await>
    </div>
  );
}

function Places(props: { p: ViewProps & { actor: string }; drives: Drives }) {
  const { p, drives } = props;
  const { query, rest } = p.route;
  const service: Service = drives.services.find((s) => s === query.vendor) ?? drives.services[0]!;
  const folder = rest[1] ?? 'root';
  const places: Place[] = service === 'google' ? [...GOOGLE_PLACES.map(({ id, name }) => ({ id, name })), ...drives.places] : [{ id: 'root', name: 'OneDrive' }];
  return (
    <>
      <nav class="service-side" aria-label={words.places}>
        {drives.services.length > 1 && (
          <label class="vendor">{words.vendor}{' '}
            <select value={service} onChange={(e) => go({ rest: [p.actor], query: { vendor: e.currentTarget.value, open: undefined } })}>
              {drives.services.map((s) => <option key={s} value={s}>{words.names[s]}</option>)}
            </select>
          </label>
        )}
        <ul class="side-list">
          {places.map((x) => (
            <li key={x.id}><a class="side-link" aria-current={x.id === folder ? 'page' : undefined} href={href({ rest: [p.actor, x.id], query: { open: undefined, as: undefined } })}><span class="side-name">{visible(x.name)}</span></a></li>
          ))}
        </ul>
      </nav>
      <Folder key={`${service} ${folder}`} p={p} service={service} folder={folder} places={places} />
    </>
  );
}

function Folder(props: { p: ViewProps & { actor: string }; service: Service; folder: string; places: Place[] }) {
  const { p, service, folder, places } = props;
  const { query } = p.route;
  const got: Got<Listing> = useAsked<Listing>(JSON.stringify([p.place, p.actor, service, folder]), (signal) => list(p.place, p.actor, service, folder, signal), { live: true });
  const marks = useMarksByName();
  const zone = zoneOf(p.actor);
  const items = got.data?.items ?? [];
  const gone = [...marks.values()].filter((m) => m.kind === 'gone' && m.change.entity === 'file' && fileParents(m.change.value).includes(folder));
  const open = (i: number): void => {
    const item = items[i];
    if (!item) return;
    if (item.folder) go({ rest: [p.actor, item.id], query: { open: undefined, as: undefined } });
    else go({ query: { open: item.id } });
  };
  const at = query.open ? items.findIndex((i) => i.id === query.open) : -1;
  const name = places.find((x) => x.id === folder)?.name ?? got.data?.folder?.name ?? '…';
  const parent = got.data?.folder?.parent;
  return (
    <>
      <section class={`service-list${query.open ? ' has-open' : ''}`} aria-label={visible(name)}>
        <header class="service-head">
          <h1 class="crumbs">
            {parent && <a class="button" href={href({ rest: [p.actor, parent], query: { open: undefined } })}>↑ <span class="unseen">{words.up}</span></a>}
            {visible(name)} <span class="quiet">{got.data ? count(items.length) : ''}</span>
          </h1>
          <span class="head-tools">{got.data && <JsonButtons target={got.data.target} />}<Since /><Acting actor={p.actor} /></span>
        </header>
        {gone.length > 0 && <ul class="gone-rows">{gone.map((g) => <li key={g.name}><s>{visible(g.title)}</s> <Mark of={asChange(g)} /></li>)}</ul>}
        <Await of={got}>
          {() => (
            <List id={`drive-${service}-${folder}`} label={visible(name)} total={items.length} row={36} columns={4} onOpen={open} open={at < 0 ? undefined : at}
              rowClass={(i) => {
                const m = marks.get(entityName(items[i]?.id ?? ''));
                return markClass(m && asChange(m));
              }}
              empty={<Empty>{words.emptyFolderOfFiles}</Empty>}>
              {(i) => {
                const item = items[i]!;
                const mark = marks.get(entityName(item.id));
                return (
                  <>
                    <div role="gridcell" class="grow file-name">
                      <Icon name={item.folder ? 'folder' : 'file'} />
                      <span class="unseen">{typeName(item)}: </span><span class="side-name">{visible(item.name)}</span>
                      {item.starred && <span title={words.starred}>★<span class="unseen"> {words.starred}</span></span>}
                      {item.shared && <span class="chip">{words.shared}</span>}
                      {mark && <Mark of={asChange(mark)} brief />}
                    </div>
                    <div role="gridcell" class="file-by">{visible(item.by ?? '')}</div>
                    <div role="gridcell" class="file-when">{item.modified && <time dateTime={item.modified} title={momentOf(item.modified, zone)}>{briefOf(item.modified, zone)}</time>}</div>
                    <div role="gridcell" class="file-size">{item.size !== undefined && !item.folder ? bytes(item.size) : ''}</div>
                  </>
                );
              }}
            </List>
          )}
        </Await>
        {isActing(p.actor) && (service === 'microsoft' || !['shared', 'starred', 'trash'].includes(folder)) && <Upload p={p} service={service} folder={folder} />}
      </section>
      {query.open && <FilePane key={query.open} p={p} service={service} id={query.open} zone={zone} mark={marks.get(entityName(query.open))} />}
    </>
  );
}

const fileParents = (value: Record<string, unknown> | undefined): string[] => {
  const reference = value?.['parentReference'] as Record<string, unknown> | undefined; // as Graph has it
  const parents = value?.['parents'] ?? value?.['parent'] ?? reference?.['id'];
  return (Array.isArray(parents) ? parents : [parents]).filter((x): x is string => typeof x === 'string');
};

function Upload(props: { p: ViewProps & { actor: string }; service: Service; folder: string }) {
  const { p, service, folder } = props;
  const [file, setFile] = useState<File | null>(null);
  return (
    <ActForm label={words.upload} button={words.upload} done={words.uploaded(file?.name ?? '')} ready={!!file} run={async () => {
      const bytesOf = new Uint8Array(await file!.arrayBuffer());
      const content = service === 'google' ? await multipart(folder, file!.name, file!.type, bytesOf) : { type: file!.type || 'application/octet-stream', body: bytesOf };
      await act(p.world, p.actor, uploadCall(service, folder, file!.name), content);
    }}>
      <label>{words.file} <input type="file" onChange={(e) => setFile(e.currentTarget.files?.[0] ?? null)} /></label>
    </ActForm>
  );
}
