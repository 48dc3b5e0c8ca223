// SPDX-License-Identifier: Apache-2.0
// Files of Google Drive and OneDrive in one shape: folders, versions, who may see a file, its text.
import type { NativeCall } from '../mail/shape';
import { nativeOf } from '../chat/shape';

export type Service = 'google' | 'microsoft';

export interface Item {
  id: string;
  name: string;
  folder: boolean;
  type: string; // media type
  size?: number;
  modified?: string;
  by?: string;
  shared?: boolean;
  starred?: boolean;
  parent?: string;
  drive?: string; // the shared drive that it is in
  link?: string; // of OneDrive: where its bytes are
}
export interface Version {
  id: string;
  at?: string;
  by?: string;
  size?: number;
}
export interface Access {
  who: string;
  role: string;
  how?: string; // inherited, by a link, until when
}

type Json = Record<string, unknown>;
const str = (v: unknown): string | undefined => (typeof v === 'string' && v ? v : undefined);
const num = (v: unknown): number | undefined => (v === undefined || v === null || Number.isNaN(Number(v)) ? undefined : Number(v));
const obj = (v: unknown): Json => (typeof v === 'object' && v !== null ? (v as Json) : {});
const list = (v: unknown): Json[] => (Array.isArray(v) ? (v as Json[]) : []);

/* ---- Google Drive ---- */

export const GOOGLE_FIELDS = 'id,name,mimeType,size,modifiedTime,lastModifyingUser(displayName,emailAddress),shared,starred,parents,driveId,trashed';
const drive = '@www.googleapis.com/drive/v3';

export const googleItem = (f: Json): Item => ({
  id: String(f['id']), name: str(f['name']) ?? '(no name)', folder: f['mimeType'] === 'application/vnd.google-apps.folder',
  type: str(f['mimeType']) ?? '', size: num(f['size']), modified: str(f['modifiedTime']),
  by: str(obj(f['lastModifyingUser'])['displayName']) ?? str(obj(f['lastModifyingUser'])['emailAddress']),
  shared: f['shared'] === true, starred: f['starred'] === true,
  parent: Array.isArray(f['parents']) ? str(f['parents'][0]) : undefined, drive: str(f['driveId']),
});

/** Places that a drive begins at, besides the shared drives. */
export const GOOGLE_PLACES: readonly { id: string; name: string; q: string }[] = [
  { id: 'root', name: 'My Drive', q: "'root' in parents and trashed = false" },
  { id: 'shared', name: 'Shared with me', q: 'sharedWithMe = true and trashed = false' },
  { id: 'starred', name: 'Starred', q: 'starred = true and trashed = false' },
  { id: 'trash', name: 'Trash', q: 'trashed = true' },
];

export function googleListPath(place: string, page?: string): string {
  const q = GOOGLE_PLACES.find((p) => p.id === place)?.q ?? `'${place.replace(/[\\']/g, '\\$&')}' in parents and trashed = false`;
  return `${drive}/files?q=${encodeURIComponent(q)}&pageSize=200&orderBy=folder,name_natural&corpora=allDrives&includeItemsFromAllDrives=true&supportsAllDrives=true` +
    `&fields=${encodeURIComponent(`nextPageToken,files(${GOOGLE_FIELDS})`)}${page ? `&pageToken=${encodeURIComponent(page)}` : ''}`;
}
export const googleGetPath = (id: string): string =>
  `${drive}/files/${encodeURIComponent(id)}?supportsAllDrives=true&fields=${encodeURIComponent(GOOGLE_FIELDS)}`;
export const googleDrivesPath = `${drive}/drives?pageSize=100`;
export const googleVersionsPath = (id: string): string =>
  `${drive}/files/${encodeURIComponent(id)}/revisions?fields=${encodeURIComponent('revisions(id,modifiedTime,size,lastModifyingUser(displayName))')}`;
export const googleAccessPath = (id: string): string =>
  `${drive}/files/${encodeURIComponent(id)}/permissions?supportsAllDrives=true&fields=${encodeURIComponent('permissions(id,type,role,emailAddress,displayName,domain,expirationTime,permissionDetails(inherited),allowFileDiscovery)')}`;

export const googleVersions = (answer: Json): Version[] =>
  list(answer['revisions']).map((r) => ({
    id: String(r['id']), at: str(r['modifiedTime']), size: num(r['size']), by: str(obj(r['lastModifyingUser'])['displayName']),
  })).reverse();

export const googleAccess = (answer: Json): Access[] =>
  list(answer['permissions']).map((p) => {
    const type = str(p['type']);
    const details = list(p['permissionDetails']);
    const notes = [
      details.length > 0 && details.every((d) => d['inherited'] === true) ? 'from its folder' : undefined,
      str(p['expirationTime']) ? `until ${str(p['expirationTime'])}` : undefined,
    ].filter(Boolean);
    return {
      who: type === 'anyone' ? (p['allowFileDiscovery'] ? 'Anyone who searches' : 'Anyone with the link')
        : type === 'domain' ? `All of ${str(p['domain']) ?? 'a domain'}` : str(p['emailAddress']) ?? str(p['displayName']) ?? String(p['id']),
      role: str(p['role']) ?? '', how: notes.join(', ') || undefined,
    };
  });

/* ---- OneDrive ---- */

const graph = '@graph.microsoft.com/v1.0';

export const microsoftItem = (f: Json): Item => ({
  id: String(f['id']), name: str(f['name']) ?? '(no name)', folder: 'folder' in f, type: str(obj(f['file'])['mimeType']) ?? '',
  size: num(f['size']), modified: str(f['lastModifiedDateTime']), by: str(obj(obj(f['lastModifiedBy'])['user'])['displayName']),
  shared: 'shared' in f, parent: str(obj(f['parentReference'])['id']),
  link: str(f['@microsoft.graph.downloadUrl']),
});
const itemPath = (id: string): string => (id === 'root' ? `${graph}/me/drive/root` : `${graph}/me/drive/items/${encodeURIComponent(id)}`);
export const microsoftListPath = (place: string): string => `${itemPath(place)}/children?$top=200&$orderby=name`;
export const microsoftGetPath = itemPath;
export const microsoftVersionsPath = (id: string): string => `${itemPath(id)}/versions`;
export const microsoftAccessPath = (id: string): string => `${itemPath(id)}/permissions`;

export const microsoftVersions = (answer: Json): Version[] =>
  list(answer['value']).map((v) => ({
    id: String(v['id']), at: str(v['lastModifiedDateTime']), size: num(v['size']), by: str(obj(obj(v['lastModifiedBy'])['user'])['displayName']),
  }));

export const microsoftAccess = (answer: Json): Access[] =>
  list(answer['value']).map((p) => {
    const link = obj(p['link']);
    const people = [obj(p['grantedToV2']), ...list(p['grantedToIdentitiesV2'])]
      .map((g) => obj(g['user'] ?? g['group'] ?? g['siteUser'])).map((u) => str(u['email']) ?? str(u['displayName'])).filter(Boolean);
    const notes = [
      'inheritedFrom' in p ? 'from its folder' : undefined, str(p['expirationDateTime']) ? `until ${str(p['expirationDateTime'])}` : undefined,
      str(link['scope']) ? 'by a link' : undefined,
    ].filter(Boolean);
    return {
      who: people.length ? people.join(', ') : link['scope'] === 'anonymous' ? 'Anyone with the link' : link['scope'] === 'organization' ? 'All of the organization' : String(p['id']),
      role: (Array.isArray(p['roles']) ? p['roles'] : []).map(String).join(', ') || str(link['type']) || '', how: notes.join(', ') || undefined,
    };
  });

/* ---- previews ---- */

export type Preview =
  | { kind: 'text'; path: string; as: string } // text that the service gives
  | { kind: 'image'; path: string }
  | { kind: 'office'; path: string } // an archive whose XML has the text
  | { kind: 'none' };

const EXPORTS: Record<string, string> = {
  document: 'text/plain', spreadsheet: 'text/csv', presentation: 'text/plain',
};
const TEXTS = /^(text\/|application\/(json|xml|x?yaml|x-yaml|javascript|x-sh|sql|toml|csv|rtf|x-ndjson|ics)\b|[^;]*\+(xml|json)\b)/;
const TEXT_NAMES = /\.(txt|md|csv|tsv|json|ya?ml|xml|html?|ics|log|ini|toml|py|js|ts|c|h|sh|sql|eml|vcf)$/i;
const OFFICE = /\.(docx|xlsx|pptx)$|officedocument/i;

export const contentPath = (service: Service, item: Item): string =>
  service === 'google' ? `${drive}/files/${encodeURIComponent(item.id)}?alt=media&supportsAllDrives=true` : nativeOf(item.link ?? '');

/** How a file can be shown. Images whose formats may hold scripts are not pictures here. */
export function previewOf(service: Service, item: Item): Preview {
  if (item.folder) return { kind: 'none' };
  const apps = /^application\/vnd\.google-apps\.(\w+)/.exec(item.type)?.[1];
  if (apps) {
    const as = EXPORTS[apps];
    return as ? { kind: 'text', as, path: `${drive}/files/${encodeURIComponent(item.id)}/export?mimeType=${encodeURIComponent(as)}` } : { kind: 'none' };
  }
  const path = contentPath(service, item);
  if (!path) return { kind: 'none' };
  if (/^image\/(png|jpeg|gif|webp)$/.test(item.type)) return { kind: 'image', path };
  if (OFFICE.test(item.type) || OFFICE.test(item.name)) return { kind: 'office', path };
  if (TEXTS.test(item.type) || TEXT_NAMES.test(item.name)) return { kind: 'text', as: item.type || 'text/plain', path };
  return { kind: 'none' };
}

/** A type in one word or two. */
export function typeName(item: Item): string {
  if (item.folder) return 'Folder';
  const apps = /^application\/vnd\.google-apps\.(\w+)/.exec(item.type)?.[1];
  if (apps) return apps[0]!.toUpperCase() + apps.slice(1);
  const ending = /\.([a-z0-9]{1,5})$/i.exec(item.name)?.[1];
  return ending ? ending.toUpperCase() : item.type || 'File';
}

/* ---- uploading ---- */

/** The call that puts a file's bytes into a folder; of Google its name follows by a second call. */
export const uploadCall = (service: Service, folder: string, name: string): NativeCall =>
  service === 'google'
    ? { verb: 'POST', path: '@www.googleapis.com/upload/drive/v3/files?uploadType=multipart&supportsAllDrives=true' }
    : { verb: 'PUT', path: `${folder === 'root' ? `${graph}/me/drive/root` : `${graph}/me/drive/items/${encodeURIComponent(folder)}`}:/${encodeURIComponent(name)}:/content` };

/** The body of Google's upload in two parts: what it is called and where it goes, then its bytes. */
export async function multipart(folder: string, name: string, type: string, bytes: Uint8Array): Promise<{ type: string; body: Uint8Array<ArrayBuffer> }> {
  const head = new TextEncoder().encode(JSON.stringify({ name, parents: [folder === '' ? 'root' : folder] }));
  // A boundary that is in neither part: made of their digest, so that the same upload is the same bytes.
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource));
  const boundary = `sosia-${[...digest.slice(0, 12)].map((b) => b.toString(16).padStart(2, '0')).join('')}`;
  const t = new TextEncoder();
  const parts = [
    t.encode(`--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n`), head,
    t.encode(`\r\n--${boundary}\r\nContent-Type: ${type.replace(/[\r\n]/g, '') || 'application/octet-stream'}\r\n\r\n`), bytes, t.encode(`\r\n--${boundary}--\r\n`),
  ];
  const body = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    body.set(p, at);
    at += p.length;
  }
  return { type: `multipart/related; boundary=${boundary}`, body };
}

/** The name of a file in diffs and histories. */
export const entityName = (id: string): string => `file/${id}`;
