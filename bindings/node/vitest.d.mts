// SPDX-License-Identifier: Apache-2.0
import type { TestAPI } from 'vitest';
import type { Context, HarnessOptions } from './node-test.mjs';

export * from './node-test.mjs';
/** test() whose tests ask for world, actor or engine. */
export function worldTest(options?: HarnessOptions): TestAPI<Context>;
export const test: TestAPI<Context>;
