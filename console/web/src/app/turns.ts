// SPDX-License-Identifier: Apache-2.0
// One request at a time for what is shown. What is under way is let finish where the same is asked for
// again, and asked once more behind it: an answer that takes longer than changes are apart comes too.
// What takes long is asked for less often, so that the server has its time for the calls that are looked at.
type Job = (abort: AbortSignal) => Promise<void>;

const SHARE = 30; // a pause is so many times as long as the answer took, at most
const MOST_PAUSE_MS = 3000;
const realTime = { now: () => performance.now(), pause: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) };

export class Turns {
  private key = '';
  /** Before this time the same is not asked for again. */
  private free = 0;
  private own: AbortController | undefined;
  private next: Job | undefined;
  constructor(private readonly time = realTime) {}

  /** Does the job, which throws nothing. What is under way for another key is given up. */
  ask(key: string, job: Job) {
    if (this.own && this.key === key) {
      this.next = job;
      return;
    }
    this.stop();
    if (this.key !== key) this.free = 0;
    this.key = key;
    void this.work(job);
  }

  stop() {
    this.own?.abort();
    this.own = this.next = undefined;
  }

  private async work(first: Job) {
    const own = (this.own = new AbortController());
    for (let job: Job | undefined = first; job; ) {
      const wait = this.free - this.time.now();
      if (wait > 0) await this.time.pause(wait);
      if (this.own !== own) return;
      job = this.next ?? job;
      this.next = undefined;
      const begun = this.time.now();
      await job(own.signal);
      if (this.own !== own) return;
      const now = this.time.now();
      this.free = now + Math.min(MOST_PAUSE_MS, SHARE * (now - begun));
      job = this.next;
      this.next = undefined;
    }
    this.own = undefined;
  }
}
