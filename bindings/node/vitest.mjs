// SPDX-License-Identifier: Apache-2.0
// For Vitest: test.extend() with a world, and what the others have.
import { afterEach, beforeEach, test as base } from 'vitest';
import harness from './lib/harness.cjs';

export const { withWorld } = harness;
export const useWorld = options => harness.useWorld({ beforeEach, afterEach }, options);

/** test() whose tests ask for `world`, `actor` or `engine`; options as those of withWorld(). */
export function worldTest(options = {}) {
  return base.extend({
    // Vitest reads the names of what a fixture needs from its parameter.
    _sosia: async ({ onTestFailed }, use) => {
      const { context, end } = harness.begin(options);
      onTestFailed?.(({ task }) => { for (const error of task.result?.errors ?? []) error.message += `\n${harness.report(context.world)}`; });
      try {
        await use(context);
      } finally {
        end();
      }
    },
    world: async ({ _sosia }, use) => { await use(_sosia.world); },
    actor: async ({ _sosia }, use) => { await use(_sosia.actor); },
    engine: async ({ _sosia }, use) => { await use(_sosia.engine); },
  });
}

export const test = worldTest();
