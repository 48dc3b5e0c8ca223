// SPDX-License-Identifier: Apache-2.0
// What is shown of lists, plans and tasks, without a page.
import type { Mark } from '../shared/changes';
import type { NativeCall } from '../mail/shape';

export interface TaskList {
  id: string;
  name: string;
  kind: 'own' | 'usual' | 'flagged';
  total: number;
  open: number;
}
export interface Plan {
  id: string;
  name: string;
  team?: string;
  total: number;
  open: number;
  buckets: { id: string; name: string }[];
}
export interface Lists {
  vendor?: string | undefined;
  vendors: string[];
  lists: TaskList[];
  plans: Plan[];
  assigned: number;
}

/** Of the address: what somebody shall do in plans. */
export const ASSIGNED = 'assigned';

export interface Chosen {
  id: string;
  name: string;
  list?: TaskList;
  plan?: Plan;
  /** As the row of tasks takes it */
  query: { list?: string; plan?: string };
}

/** The list, the plan or what is assigned, by the address; without one the first list with something to do, else the first. */
export function findChosen(all: Lists, id: string | undefined, assigned: string): Chosen | undefined {
  if (id === ASSIGNED) return { id, name: assigned, query: {} };
  const list = id === undefined ? (all.lists.find((l) => l.open) ?? all.lists[0]) : all.lists.find((l) => l.id === id);
  if (list) return { id: list.id, name: list.name, list, query: { list: list.id } };
  const plan = all.plans.find((p) => p.id === id);
  return plan && { id: plan.id, name: plan.name, plan, query: { plan: plan.id } };
}

export const bucketName = (all: Lists, plan: string | undefined, bucket: string | undefined): string =>
  all.plans.find((p) => p.id === plan)?.buckets.find((b) => b.id === bucket)?.name ?? '';

/** As diffs name a task. */
export const entityName = (id: string): string => `task/${id}`;

/** Tasks that are gone from a list or a plan. */
export const goneFrom = (marks: Iterable<Mark>, of: Chosen): Mark[] =>
  [...marks].filter((m) => m.kind === 'gone' && m.change.entity === 'task' && !!(of.list ?? of.plan)
    && (of.plan ? m.change.value?.['plan'] === of.plan.id : [of.list!.id, of.list!.name].includes(String(m.change.value?.['list'] ?? ''))));

/** How urgent: the words that both services have. */
export const priorityOf = (n: number): 'urgent' | 'important' | 'medium' | 'low' => (n <= 1 ? 'urgent' : n <= 4 ? 'important' : n <= 7 ? 'medium' : 'low');

/* ---- what somebody does, in the vendor's terms ---- */

const GRAPH = '@graph.microsoft.com/v1.0';
const id = (key: string): string => encodeURIComponent(key);

/** Where a task of a plan is: a change of it has to name the version that it was read at. */
export const planTask = (key: string): string => `${GRAPH}/planner/tasks/${id(key)}`;

/** A task is done, or to be done again. version: of a plan's. */
export const doneCall = (t: { id: string; list?: string; plan?: string }, done: boolean, version?: string): NativeCall =>
  t.plan ? { verb: 'PATCH', path: planTask(t.id), body: { percentComplete: done ? 100 : 0 }, headers: { 'If-Match': version ?? '*' } }
    : { verb: 'PATCH', path: `${GRAPH}/me/todo/lists/${id(t.list ?? '')}/tasks/${id(t.id)}`, body: { status: done ? 'completed' : 'notStarted' } };

/** A new one, for the end of a day or without; of a plan in its first bucket. */
export function addCall(of: Chosen, title: string, due: string, zone: string): NativeCall {
  if (of.plan) {
    const bucket = of.plan.buckets[0];
    return {
      verb: 'POST', path: `${GRAPH}/planner/tasks`,
      body: { planId: of.plan.id, title, ...(bucket ? { bucketId: bucket.id } : {}), ...(due ? { dueDateTime: `${due}T12:00:00Z` } : {}) },
    };
  }
  return {
    verb: 'POST', path: `${GRAPH}/me/todo/lists/${id(of.list?.id ?? '')}/tasks`,
    body: { title, ...(due ? { dueDateTime: { dateTime: `${due}T12:00:00`, timeZone: zone } } : {}) },
  };
}
