// SPDX-License-Identifier: Apache-2.0
// Mail: what the screens show, made of the rows of the control interface and of the diff's marks.
import { brief, type Mark } from '../shared/changes';
import { base64, splitAddress, textToHtml } from '../shared/text';

export interface Folder {
  id: string;
  name: string;
  kind: string; // folder, label, keyword
  total: number;
  unread: number;
  parent?: string;
  hidden?: boolean;
}
export interface Message {
  id: string;
  thread: string;
  at: string;
  from?: string;
  to?: string;
  subject?: string;
  snippet?: string;
  folders: string[];
  unread: boolean;
  files: boolean;
  size: number;
}
export interface Header {
  name: string;
  value?: string;
}
export interface Part {
  n: number;
  type: string;
  name?: string;
  size: number;
  cid?: string;
}
export interface FullMessage extends Message {
  headers: Header[];
  text?: string;
  html?: string;
  parts: Part[];
}

export interface FolderRow extends Folder {
  depth: number;
}

/** Folders as they are shown: the chosen one and what is not hidden (with all: everything), below its parent. */
export function folderRows(folders: readonly Folder[], chosen: string | null, all = false): FolderRow[] {
  const ids = new Set(folders.map((f) => f.id));
  const rows: FolderRow[] = [];
  const add = (parent: string | undefined, depth: number): void => {
    for (const f of folders) {
      const above = f.parent !== undefined && ids.has(f.parent) ? f.parent : undefined;
      if (above !== parent) continue;
      if (all || !f.hidden || f.id === chosen || (f.kind !== 'keyword' && f.total > 0)) rows.push({ ...f, depth });
      if (depth < 40) add(f.id, depth + 1);
    }
  };
  add(undefined, 0);
  return rows;
}

/** The folder of an address: by id, by name whatever its case; without one the first, which is the inbox. */
export function findFolder(folders: readonly Folder[], word: string | undefined): Folder | undefined {
  if (!word) return folders[0];
  const low = word.toLowerCase();
  return folders.find((f) => f.id === word) ?? folders.find((f) => f.name.toLowerCase() === low);
}

/** A vendor's constants (INBOX, CATEGORY_UPDATES) as words; names that people gave stay. */
export function folderTitle(f: Pick<Folder, 'name' | 'kind'>): string {
  if (f.kind === 'label' || !/^[A-Z][A-Z_]+$/.test(f.name)) return f.name;
  const word = f.name.replace(/^CATEGORY_/, '').replaceAll('_', ' ').toLowerCase();
  return word[0]!.toUpperCase() + word.slice(1);
}

/** The mark of a message by its entity's name in diffs. */
export const entityName = (mailbox: string, id: string): string => `message/${mailbox}/${id}`;

export interface FolderMarks {
  byId: Map<string, Mark>;
  gone: GoneRow[];
}
export interface GoneRow {
  id: string;
  mark: Mark;
  from?: string;
  to: string; // the folders it is in now; empty: it is in none, because it was removed
}

/** What changed in a mailbox: marks of the messages that are there, and those that left this folder. */
export function folderMarks(marks: readonly Mark[], mailbox: string, folder: Folder | undefined): FolderMarks {
  const byId = new Map<string, Mark>();
  const gone: GoneRow[] = [];
  const low = mailbox.toLowerCase();
  for (const mark of marks) {
    const key = mark.change.key ?? {};
    if (mark.change.entity !== 'message' || String(key['mailbox'] ?? '').toLowerCase() !== low) continue;
    const id = String(key['id'] ?? '');
    byId.set(id, mark);
    if (folder && left(mark, folder.name))
      gone.push({ id, mark, from: sender(mark), to: places(mark.change.fields?.['labels']?.to ?? mark.change.fields?.['folder']?.to) });
  }
  return { byId, gone };
}

const sender = (mark: Mark): string | undefined => {
  const from = mark.change.value?.['from'];
  return typeof from === 'string' ? from : undefined;
};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);
const places = (value: unknown): string => listOf(value).map(brief).join(', ');

// Whether a message was in a folder before and is not now.
function left(mark: Mark, folder: string): boolean {
  const within = (value: unknown): boolean => listOf(value).some((v) => v === folder);
  if (mark.kind === 'new') return false;
  if (mark.kind === 'gone') return within(mark.change.value?.['labels']) || within(mark.change.value?.['folder']);
  return ['labels', 'folder', 'keywords'].some((name) => {
    const f = mark.change.fields?.[name];
    return !!f && within(f.from) && !within(f.to);
  });
}

/** The files among the parts: all that has a name, or that is no text of the message itself. */
export const attachments = (message: FullMessage): Part[] =>
  message.parts.filter((p) => p.name !== undefined || !/^(text\/(plain|html)|multipart\/|message\/rfc822$)/i.test(p.type));

/** The invitation in it, as iCalendar. */
export const invitation = (message: FullMessage): Part | undefined =>
  message.parts.find((p) => /^(text\/calendar|application\/ics)/i.test(p.type));

export const headerOf = (message: Pick<FullMessage, 'headers'>, name: string): string | undefined =>
  message.headers.find((h) => h.name.toLowerCase() === name.toLowerCase())?.value;

/* ---- answering ---- */

export interface Reply {
  to: string;
  subject: string;
  text: string;
}

/** An answer's beginning: to whom, the subject, what is quoted. */
export function replyTo(message: FullMessage): Reply {
  const subject = message.subject ?? '';
  return {
    to: headerOf(message, 'Reply-To') ?? headerOf(message, 'From') ?? message.from ?? '',
    subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`.trim(),
    text: '',
  };
}

/** What follows an answer's own text. */
export function quoted(message: FullMessage): string {
  const text = (message.text ?? '').replace(/\r\n/g, '\n').trimEnd();
  const from = splitAddress(message.from ?? '').name;
  return text ? `\n\n${from} wrote:\n${text.split('\n').map((line) => `> ${line}`).join('\n')}\n` : '';
}

// A field's value on one line; beyond ASCII as an encoded word of RFC 2047.
function fieldValue(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ').trim();
  return /^[\x20-\x7e]*$/.test(line) ? line : `=?UTF-8?B?${base64(line)}?=`;
}
function addressValue(text: string): string {
  return text.split(',').filter((a) => a.trim()).map((one) => {
    const { name, address } = splitAddress(one);
    return name === address ? address.replace(/[\r\n]/g, '') : `${/^[\w .-]+$/.test(name) ? name : fieldValue(name).startsWith('=?') ? fieldValue(name) : `"${name.replace(/["\\\r\n]/g, '')}"`} <${address.replace(/[\r\n]/g, '')}>`;
  }).join(', ');
}

/** An answer as a message of RFC 5322, for services that take one whole. */
export function replyMime(message: FullMessage, reply: Reply): string {
  const id = headerOf(message, 'Message-ID');
  const references = [headerOf(message, 'References'), id].filter(Boolean).join(' ');
  const body = base64(`${reply.text}${quoted(message)}`.replace(/\r?\n/g, '\r\n')).replace(/.{76}/g, '$&\r\n');
  const fields = [
    `To: ${addressValue(reply.to)}`, `Subject: ${fieldValue(reply.subject)}`,
    ...(id ? [`In-Reply-To: ${id}`, `References: ${references}`] : []),
    'MIME-Version: 1.0', 'Content-Type: text/plain; charset=UTF-8', 'Content-Transfer-Encoding: base64',
  ];
  return `${fields.join('\r\n')}\r\n\r\n${body}\r\n`;
}

/** A call of a vendor's method: what `act` and `look` are given behind the person. */
export interface NativeCall {
  verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The call that sends an answer: `native` is the message's id in the vendor's terms. */
export function replyCall(vendor: string, message: FullMessage, native: string, reply: Reply): NativeCall {
  if (vendor === 'microsoft')
    return {
      verb: 'POST', path: `@graph.microsoft.com/v1.0/me/messages/${encodeURIComponent(native)}/reply`,
      body: {
        message: {
          subject: reply.subject,
          toRecipients: reply.to.split(',').filter((a) => a.trim()).map((a) => ({ emailAddress: { address: splitAddress(a).address } })),
        },
        comment: textToHtml(reply.text),
      },
    };
  return {
    verb: 'POST', path: '@gmail.googleapis.com/gmail/v1/users/me/messages/send',
    body: { raw: base64(replyMime(message, reply), true), threadId: message.thread },
  };
}

/** Where the vendor's own view of a message is; Graph's ids are not the core's, so that one is asked for by its Message-ID. */
export function apiPath(vendor: string, message: Pick<FullMessage, 'id' | 'headers'>): string {
  if (vendor !== 'microsoft') return `@gmail.googleapis.com/gmail/v1/users/me/messages/${message.id}`;
  const id = (headerOf(message, 'Message-ID') ?? '').replaceAll("'", "''");
  return `@graph.microsoft.com/v1.0/me/messages?$filter=${encodeURIComponent(`internetMessageId eq '${id}'`)}`;
}

/** The path of a message as it was sent (RFC 5322), in the vendor's terms. */
export const sourcePath = (vendor: string, native: string): string =>
  vendor === 'microsoft'
    ? `@graph.microsoft.com/v1.0/me/messages/${encodeURIComponent(native)}/$value`
    : `@gmail.googleapis.com/gmail/v1/users/me/messages/${native}?format=raw`;

/** Base64 with the letters of URLs (or the others) as bytes. */
export function fromBase64(text: string): Uint8Array {
  const packed = atob(text.replaceAll('-', '+').replaceAll('_', '/').replace(/\s/g, ''));
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  return bytes;
}
