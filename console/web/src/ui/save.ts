// SPDX-License-Identifier: Apache-2.0
// Answers as files of the person's.
import { download } from '../api/client';
import { say } from '../app/use';

/** Saves what an address answers; a refusal is said. */
export async function save(target: string, name: string): Promise<void> {
  try {
    await download(target, name);
  } catch (e) {
    say((e as Error).message);
  }
}
