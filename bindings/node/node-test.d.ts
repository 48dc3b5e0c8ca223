// SPDX-License-Identifier: Apache-2.0
import type { Actor, ClockMode, Document, Engine, InterceptOptions, Time, World } from './index.js';

export interface HarnessOptions {
  /** A name, or the path of a document; small without it */
  fixture?: string;
  document?: Document;
  documentName?: string;
  now?: Time;
  clock?: ClockMode;
  stepMs?: number;
  seed?: number;
  rates?: boolean;
  /** An address: `actor` is that one */
  actor?: string;
  /** Whether intercept() holds while the test runs */
  intercept?: boolean | InterceptOptions;
}
export interface Context { readonly world: World; readonly actor: Actor; readonly engine: Engine }

/** A function for test(): fn gets a fresh world. An error shows what changed in it, and the last calls. */
export function withWorld<T, A extends unknown[]>(fn: (context: Context, ...args: A) => T | Promise<T>, options?: HarnessOptions): (...args: A) => Promise<T>;
/** The same by the runner's hooks: the world of the test that runs. */
export function useWorld(options?: HarnessOptions): Context;
