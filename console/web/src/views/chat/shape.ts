// SPDX-License-Identifier: Apache-2.0
// Chat: channels, messages and threads of Slack and of Teams in one shape.
import { htmlToText, textToHtml, unescapeHtml } from '../shared/text';
import type { NativeCall } from '../mail/shape';

export type Service = 'slack' | 'teams';

export interface Channel {
  key: string; // in addresses: the channel's id; of Teams' channels "TEAM/CHANNEL"
  id: string;
  service: Service;
  team?: string; // of Teams: whose channel it is
  name: string;
  group: string; // the heading that it stands under
  kind: 'channel' | 'private' | 'direct';
  member: boolean;
  topic?: string;
  archived?: boolean;
}
export interface Reaction {
  name: string;
  count: number;
  by: string[];
}
export interface ChatFile {
  name: string;
  size?: number;
  text?: string;
}
export interface ChatMessage {
  id: string; // in the vendor's terms
  ts: string; // as diffs name it
  at: string;
  from: string;
  bot: boolean;
  text: string;
  note?: string; // what the service says of it: joined, deleted, edited
  replies: number;
  thread?: string; // of an answer: the id of what it answers
  reactions: Reaction[];
  files: ChatFile[];
}

type Json = Record<string, unknown>;
const str = (v: unknown): string | undefined => (typeof v === 'string' ? v : undefined);
const obj = (v: unknown): Json => (typeof v === 'object' && v !== null ? (v as Json) : {});
const list = (v: unknown): Json[] => (Array.isArray(v) ? (v as Json[]) : []);

/* ---- Slack ---- */

/** Names of a workspace's members by their ids. */
export function slackNames(members: readonly Json[]): Map<string, string> {
  return new Map(members.map((m) => {
    const p = obj(m['profile']);
    return [String(m['id']), str(p['real_name']) || str(m['real_name']) || str(p['display_name']) || str(m['name']) || String(m['id'])];
  }));
}

export function slackChannels(channels: readonly Json[], names: ReadonlyMap<string, string>): Channel[] {
  return channels.map((c): Channel => {
    const direct = c['is_im'] === true || c['is_mpim'] === true;
    const id = String(c['id']);
    const user = str(c['user']);
    return {
      key: id, id, service: 'slack', group: direct ? 'Direct messages' : 'Channels', kind: direct ? 'direct' : c['is_private'] ? 'private' : 'channel',
      name: user ? (names.get(user) ?? user) : str(c['name']) ?? id,
      member: c['is_im'] === true || c['is_member'] === true,
      topic: str(obj(c['topic'])['value']) || str(obj(c['purpose'])['value']) || undefined,
      archived: c['is_archived'] === true,
    };
  });
}

/** Slack's own marks in text: <@U1>, <#C1|name>, <url|words>, &lt; as what a person reads. */
export function slackText(text: string, names: ReadonlyMap<string, string>): string {
  return unescapeHtml(
    text.replace(/<([^<>]*)>/g, (_, inner: string) => {
      const bar = inner.indexOf('|');
      const target = bar < 0 ? inner : inner.slice(0, bar), words = bar < 0 ? '' : inner.slice(bar + 1);
      if (target[0] === '@') return `@${words || names.get(target.slice(1)) || target.slice(1)}`;
      if (target[0] === '#') return `#${words || target.slice(1)}`;
      if (target[0] === '!') return words || `@${target.slice(1).replace(/^subteam\^/, '')}`;
      const place = target.replace(/^mailto:/, '');
      return words && words !== place ? `${words} (${place})` : place;
    }),
  );
}

// What a message shows whose text is in its blocks and attachments alone.
function slackBody(m: Json, names: ReadonlyMap<string, string>): string {
  const text = str(m['text']);
  if (text) return slackText(text, names);
  const found: string[] = [];
  const gather = (v: unknown, depth: number): void => {
    if (depth > 6) return;
    if (Array.isArray(v)) v.forEach((x) => gather(x, depth + 1));
    else if (v && typeof v === 'object') {
      const o = v as Json;
      if (typeof o['text'] === 'string') found.push(slackText(o['text'], names));
      else if (typeof o['fallback'] === 'string') found.push(slackText(o['fallback'], names));
      else for (const k of ['text', 'title', 'fields', 'elements']) gather(o[k], depth + 1);
    }
  };
  gather(m['blocks'], 0);
  gather(m['attachments'], 0);
  return found.join('\n');
}

export function slackMessages(messages: readonly Json[], names: ReadonlyMap<string, string>): ChatMessage[] {
  return messages.map((m): ChatMessage => {
    const ts = String(m['ts']), thread = str(m['thread_ts']), user = str(m['user']);
    return {
      id: ts, ts, at: new Date(Math.round(Number(ts) * 1000)).toISOString(),
      from: str(m['username']) || (user && names.get(user)) || str(obj(m['bot_profile'])['name']) || user || 'Slack',
      bot: 'bot_id' in m, text: slackBody(m, names),
      note: m['edited'] ? 'edited' : str(m['subtype'])?.replaceAll('_', ' '),
      replies: Number(m['reply_count'] ?? 0), thread: thread && thread !== ts ? thread : undefined,
      reactions: list(m['reactions']).map((r) => ({
        name: `:${String(r['name'])}:`, count: Number(r['count'] ?? 0),
        by: (Array.isArray(r['users']) ? r['users'] : []).map((u) => names.get(String(u)) ?? String(u)),
      })),
      files: list(m['files']).map((f) => ({
        name: str(f['title']) || str(f['name']) || 'file', size: typeof f['size'] === 'number' ? f['size'] : undefined, text: str(f['preview']),
      })),
    };
  });
}

/* ---- Teams ---- */

export const teamsChannels = (team: Json, channels: readonly Json[]): Channel[] =>
  channels.map((c) => ({
    key: `${String(team['id'])}/${String(c['id'])}`, id: String(c['id']), team: String(team['id']), service: 'teams' as const,
    name: str(c['displayName']) ?? String(c['id']), group: str(team['displayName']) ?? 'Team',
    kind: c['membershipType'] === 'private' ? 'private' as const : 'channel' as const, member: true, topic: str(c['description']) || undefined,
  }));

/** Chats; one without a topic is called by who else is in it. */
export const teamsChats = (chats: readonly Json[], me: string): Channel[] =>
  chats.map((c) => {
    const others = list(c['members']).filter((m) => str(m['email'])?.toLowerCase() !== me.toLowerCase()).map((m) => str(m['displayName']) ?? '');
    return {
      key: String(c['id']), id: String(c['id']), service: 'teams' as const, group: 'Chats', kind: 'direct' as const, member: true,
      name: str(c['topic']) || others.filter(Boolean).join(', ') || 'Chat',
    };
  });

// Teams numbers messages by milliseconds, the chat's core by seconds with six places.
const coreTs = (id: string): string => (/^\d{4,17}$/.test(id) ? `${id.slice(0, -3)}.${id.slice(-3)}000` : id);

export function teamsMessages(messages: readonly Json[]): ChatMessage[] {
  return messages.map((m): ChatMessage => {
    const from = obj(m['from']), body = obj(m['body']);
    const who = obj(from['user'] ?? from['application'] ?? from['device']);
    const reactions = new Map<string, Reaction>();
    for (const r of list(m['reactions'])) {
      const name = str(r['reactionType']) ?? '';
      const one = reactions.get(name) ?? { name, count: 0, by: [] };
      one.count++;
      one.by.push(str(obj(obj(r['user'])['user'])['displayName']) ?? '');
      reactions.set(name, one);
    }
    const content = str(body['content']) ?? '';
    const kind = str(obj(m['eventDetail'])['@odata.type']);
    return {
      id: String(m['id']), ts: coreTs(String(m['id'])), at: String(m['createdDateTime']),
      from: str(who['displayName']) ?? (m['messageType'] === 'message' ? '' : 'Teams'), bot: !!from['application'],
      text: [str(m['subject']), body['contentType'] === 'html' ? htmlToText(content) : content].filter(Boolean).join('\n'),
      note: m['deletedDateTime'] ? 'deleted' : kind ? kind.replace(/^#microsoft\.graph\./, '').replace(/EventMessageDetail$/, '').replace(/([A-Z])/g, ' $1').toLowerCase() : m['lastEditedDateTime'] ? 'edited' : undefined,
      replies: list(m['replies']).length, thread: str(m['replyToId']) || undefined, reactions: [...reactions.values()],
      files: list(m['attachments']).filter((a) => str(a['name'])).map((a) => ({ name: str(a['name'])! })),
    };
  });
}

/* ---- both ---- */

export const bySection = (channels: readonly Channel[]): [string, Channel[]][] => {
  const groups = new Map<string, Channel[]>();
  for (const c of channels) (groups.get(c.group) ?? groups.set(c.group, []).get(c.group)!).push(c);
  for (const g of groups.values()) g.sort((a, b) => Number(b.member) - Number(a.member) || a.name.localeCompare(b.name));
  return [...groups];
};

const graph = '@graph.microsoft.com/v1.0';
const teamsBase = (c: Channel): string =>
  c.team ? `${graph}/teams/${encodeURIComponent(c.team)}/channels/${encodeURIComponent(c.id)}` : `${graph}/chats/${encodeURIComponent(c.id)}`;

/** Where messages of a channel are (newest first), or the answers of one (oldest first). */
export function messagesPath(c: Channel, thread?: string, cursor?: string): string {
  if (c.service === 'slack')
    return `@slack.com/api/conversations.${thread ? 'replies' : 'history'}?channel=${encodeURIComponent(c.id)}` +
      (thread ? `&ts=${encodeURIComponent(thread)}` : '') + `&limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
  if (cursor) return cursor;
  if (thread) return `${teamsBase(c)}/messages/${encodeURIComponent(thread)}/replies?$top=50`;
  return `${teamsBase(c)}/messages?$top=50${c.team ? '&$expand=replies' : ''}`;
}

/** The call that posts: into the channel, or as an answer. */
export function postCall(c: Channel, text: string, thread?: string): NativeCall {
  if (c.service === 'slack')
    return { verb: 'POST', path: '@slack.com/api/chat.postMessage', body: { channel: c.id, text, ...(thread ? { thread_ts: thread } : {}) } };
  return {
    verb: 'POST', path: `${teamsBase(c)}/messages${thread && c.team ? `/${encodeURIComponent(thread)}/replies` : ''}`,
    body: { body: { contentType: 'html', content: textToHtml(text) } },
  };
}

/** The path behind the world's address in a link of an answer (@odata.nextLink). */
export function nativeOf(link: string): string {
  const at = /^https?:\/\/([^/]+)(\/w\/[^/]+)?\/(.*)$/.exec(link);
  if (!at) return link;
  return at[2] ? at[3]! : `@${at[1]}/${at[3]}`;
}

/** The name of a message in diffs and histories. */
export const entityName = (c: Channel, m: ChatMessage): string => `chatMessage/${c.id}/${m.ts}`;
