// SPDX-License-Identifier: Apache-2.0
// The channels that somebody has, of Slack and of Teams.
import { Refused } from '../../api/client';
import { look } from '../shared/native';
import { addressOf } from '../shared/use';
import { mayHave, vendorsOf } from '../shared/vendors';
import { slackChannels, slackNames, teamsChannels, teamsChats, type Channel } from './shape';

export interface Directory {
  channels: Channel[];
  names: Map<string, string>; // of Slack's members
}

const graph = '@graph.microsoft.com/v1.0';
type Json = Record<string, any>;

// Slack's lists come in pages; of very large workspaces so many are read.
async function slackPages(place: string, actor: string, method: string, member: string, most: number, signal: AbortSignal): Promise<Json[]> {
  const all: Json[] = [];
  for (let cursor = ''; all.length < most;) {
    const page: Json = await look(place, actor, `@slack.com/api/${method}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, signal);
    all.push(...((page[member] as Json[]) ?? []));
    cursor = String(page['response_metadata']?.next_cursor ?? '');
    if (!cursor) break;
  }
  return all;
}

async function slackOf(place: string, actor: string, signal: AbortSignal): Promise<Directory> {
  const [members, channels] = await Promise.all([
    slackPages(place, actor, 'users.list?limit=1000', 'members', 10_000, signal),
    slackPages(place, actor, 'conversations.list?limit=1000&types=public_channel,private_channel,mpim,im', 'channels', 5_000, signal),
  ]);
  const names = slackNames(members);
  return { channels: slackChannels(channels, names), names };
}

async function teamsOf(place: string, actor: string, signal: AbortSignal): Promise<Channel[]> {
  const [teams, chats] = await Promise.all([look(place, actor, `${graph}/me/joinedTeams`, signal), look(place, actor, `${graph}/me/chats?$expand=members`, signal)]);
  const lists = await Promise.all(((teams['value'] as Json[]) ?? []).slice(0, 50).map(async (t) =>
    teamsChannels(t, (await look(place, actor, `${graph}/teams/${encodeURIComponent(t['id'])}/channels`, signal))['value'] as Json[])));
  return [...lists.flat(), ...teamsChats((chats['value'] as Json[]) ?? [], addressOf(actor))];
}

// Teams is asked where somebody has an account with Microsoft. No list says who is a member of Slack's: who is none is refused there, which
// is no failure of the other.
export async function directory(place: string, actor: string, signal: AbortSignal): Promise<Directory | null> {
  const slackAsked = slackOf(place, actor, signal);
  const teamsAsked = vendorsOf(place, actor, signal).then((v) => (mayHave(v, 'microsoft') ? teamsOf(place, actor, signal) : Promise.reject(new Refused(404, 'noAccount', ''))));
  const [slack, teams] = await Promise.allSettled([slackAsked, teamsAsked]);
  if (signal.aborted) throw new DOMException('', 'AbortError');
  const channels = [...(slack.status === 'fulfilled' ? slack.value.channels : []), ...(teams.status === 'fulfilled' ? teams.value : [])];
  if (slack.status === 'rejected' && teams.status === 'rejected') {
    const unreachable = [slack.reason, teams.reason].find((e) => e?.status === 0 || e?.status === 401 || e?.reason === 'worldNotFound' || e?.reason === 'stepNotFound');
    if (unreachable) throw unreachable;
    return null;
  }
  if (!channels.length && slack.status === 'rejected') return null;
  return { channels, names: slack.status === 'fulfilled' ? slack.value.names : new Map() };
}
