// SPDX-License-Identifier: Apache-2.0
// Sums of attempts, by task and by version, without a page.
import type { Schemas } from '../api/types';

export type Run = Schemas['Run'];

export interface Sums {
  runs: number;
  judged: number;
  passed: number;
  /** Of those that are judged */
  reward: number;
  /** How many say how many calls they made, and those */
  counted: number;
  calls: number;
  priced: number;
  cost: number;
  kinds: Map<string, number>;
}

const none = (): Sums => ({ runs: 0, judged: 0, passed: 0, reward: 0, counted: 0, calls: 0, priced: 0, cost: 0, kinds: new Map() });

export function sumsOf(runs: readonly Run[]): Sums {
  const s = none();
  for (const r of runs) {
    s.runs++;
    if (r.passed !== undefined) {
      s.judged++;
      s.passed += Number(r.passed);
      s.reward += r.reward ?? 0;
    }
    if (r.calls !== undefined) {
      s.counted++;
      s.calls += r.calls;
    }
    if (r.cost !== undefined) {
      s.priced++;
      s.cost += r.cost;
    }
    for (const k of r.kinds ?? []) s.kinds.set(k, (s.kinds.get(k) ?? 0) + 1);
  }
  return s;
}

const share = (of: number, all: number): number | undefined => (all ? of / all : undefined);
export const accuracy = (s: Sums) => share(s.passed, s.judged);
export const meanReward = (s: Sums) => share(s.reward, s.judged);
export const meanCalls = (s: Sums) => share(s.calls, s.counted);
export const meanCost = (s: Sums) => share(s.cost, s.priced);

/** The versions that there are, each once; '' where none is said. */
export const versionsOf = (runs: readonly Run[]): string[] => [...new Set(runs.map((r) => r.version ?? ''))].sort();

export interface TaskSums {
  suite: string;
  task: string;
  /** One for each version that is asked for */
  of: Sums[];
}

/** By task, in the order in which they are met; versions undefined: all together. The last one is of all tasks. */
export function byTask(runs: readonly Run[], versions: readonly string[] | undefined): TaskSums[] {
  const groups = new Map<string, Run[]>();
  const kept = versions ? runs.filter((r) => versions.includes(r.version ?? '')) : runs;
  for (const r of kept) {
    const key = JSON.stringify([r.suite ?? '', r.task ?? '']);
    groups.set(key, [...(groups.get(key) ?? []), r]);
  }
  const of = (some: readonly Run[]) => (versions ? versions.map((v) => sumsOf(some.filter((r) => (r.version ?? '') === v))) : [sumsOf(some)]);
  const rows = [...groups].map(([key, some]) => {
    const [suite, task] = JSON.parse(key) as [string, string];
    return { suite, task, of: of(some) };
  });
  return rows.length > 1 ? [...rows, { suite: '', task: '', of: of(kept) }] : rows;
}
