// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accuracy, byTask, meanCalls, meanCost, meanReward, sumsOf, versionsOf, type Run } from '../src/views/runs-shape';

const run = (task: string, version: string | undefined, more: Partial<Run> = {}): Run => ({ id: `${version}.${task}`, at: '2026-01-01T00:00:00Z', suite: 's', task, ...(version === undefined ? {} : { version }), ...more });

test('sums leave out what is not said', () => {
  const s = sumsOf([run('a', 'v1', { passed: true, reward: 1, calls: 4, cost: 0.5, kinds: [] }), run('a', 'v1', { passed: false, reward: 0.5, calls: 2, kinds: ['goal', 'refused'] }), run('a', 'v1', { kinds: ['goal'] })]);
  assert.deepEqual([accuracy(s), meanReward(s), meanCalls(s), meanCost(s), s.runs], [0.5, 0.75, 3, 0.5, 3]);
  assert.deepEqual([...s.kinds], [['goal', 2], ['refused', 1]]);
  const none = sumsOf([]);
  assert.deepEqual([accuracy(none), meanReward(none), meanCalls(none), meanCost(none)], [undefined, undefined, undefined, undefined]);
});

test('tasks of two versions stand side by side, and all of them at the end', () => {
  const runs = [run('a', 'v1', { passed: false, reward: 0 }), run('a', 'v2', { passed: true, reward: 1 }), run('b', 'v1', { passed: true, reward: 1 }), run('a', 'v3', { passed: true, reward: 1 }), run('c', undefined)];
  assert.deepEqual(versionsOf(runs), ['', 'v1', 'v2', 'v3']);
  const rows = byTask(runs, ['v1', 'v2']);
  assert.deepEqual(rows.map((r) => [r.task, ...r.of.map(accuracy)]), [['a', 0, 1], ['b', 1, undefined], ['', 0.5, 1]]);
  assert.deepEqual(byTask(runs, undefined).map((r) => [r.task, r.of.map((s) => s.runs)]), [['a', [3]], ['b', [1]], ['c', [1]], ['', [5]]]);
  assert.deepEqual(byTask(runs, ['']).map((r) => r.task), ['c']); // one task alone has no sum of all
  assert.deepEqual(byTask([run('x|y', 'v', { suite: 's' }), run('y', 'v', { suite: 's|x' })], undefined).length, 3); // names of any signs
});
