// SPDX-License-Identifier: Apache-2.0
// One request at a time for what is shown. What is under way is let finish where the same is asked for
// again, and asked once more behind it: an answer that takes longer than changes are apart comes too.
// What takes long is asked for less often, so that the server has its time for the calls that are looked at.
import { costOf } from '../api/client';
import { manyCome } from '../api/stream';

type Job = (abort: AbortSignal) => Promise<void>;

// A pause is so many times as long as the answer took; while many calls come so many times as long as it was
// worked on, for each of those that ask by turns, so that all of them together take a four-hundredth of a
// processor: a hundredth of what the calls take that the server can answer meanwhile.
const SHARE = 30, SHARE_OF_ALL = 400;
const MOST_PAUSE_MS = 3000, MOST_PAUSE_OF_ALL_MS = 60000;
const STEP_MS = 250; // how often it is looked whether calls still come
const AWAY_MS = 10000; // who has not asked for so long, and does not wait, is not counted
export const realTime = { now: () => performance.now(), pause: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)), many: manyCome };
const asking = new Map<Turns, number>();

/** How many ask. */
function countOf(now: number): number {
  for (const [one, at] of asking) if (at < now - AWAY_MS) asking.delete(one);
  return asking.size;
}

export class Turns {
  private key = '';
  /** When the last answer was there, how long it took, and how long it was worked on as far as that is known. */
  private end = -Infinity;
  private took = 0;
  private cost = 0;
  private own: AbortController | undefined;
  private next: Job | undefined;
  /** least: ms between two of them at least. signal: of the job's requests, if it is not the one that it gets; with it all ends. */
  constructor(private readonly time = realTime, private readonly least = 0, private readonly signal?: AbortSignal) {
    signal?.addEventListener('abort', () => this.stop());
  }

  /** Does the job, which throws nothing. What is under way for another key is given up. */
  ask(key: string, job: Job) {
    if (this.own && this.key === key) {
      this.next = job;
      return;
    }
    this.stop();
    if (this.key !== key) this.end = -Infinity;
    this.key = key;
    void this.work(job);
  }

  stop() {
    asking.delete(this);
    this.own?.abort();
    this.own = this.next = undefined;
  }

  /** How long it is until the same is asked for again. */
  private left(): number {
    const now = this.time.now();
    asking.set(this, now);
    const pause = this.time.many() ? Math.min(MOST_PAUSE_OF_ALL_MS, SHARE_OF_ALL * countOf(now) * this.cost) : Math.min(MOST_PAUSE_MS, SHARE * this.took);
    return this.end + Math.max(this.least, pause) - now;
  }

  private async work(first: Job) {
    const own = (this.own = new AbortController());
    for (let job: Job | undefined = first; job; ) {
      for (let wait; this.own === own && (wait = this.left()) > 0; ) await this.time.pause(this.time.many() ? Math.min(wait, STEP_MS) : wait);
      if (this.own !== own) return;
      job = this.next ?? job;
      this.next = undefined;
      const begun = this.time.now(), signal = this.signal ?? own.signal, before = costOf(signal);
      await job(own.signal);
      if (this.own !== own) return;
      this.end = this.time.now();
      this.took = this.end - begun;
      this.cost = costOf(signal) - before || this.took;
      job = this.next;
      this.next = undefined;
    }
    this.own = undefined;
  }
}
