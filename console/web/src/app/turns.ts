// SPDX-License-Identifier: Apache-2.0
// One request at a time for what is shown. What is under way is let finish where the same is asked for
// again, and asked once more behind it: an answer that takes longer than changes are apart comes too.
type Job = (abort: AbortSignal) => Promise<void>;

export class Turns {
  private key = '';
  private own: AbortController | undefined;
  private next: Job | undefined;

  /** Does the job, which throws nothing. What is under way for another key is given up. */
  ask(key: string, job: Job) {
    if (this.own && this.key === key) {
      this.next = job;
      return;
    }
    this.stop();
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
      await job(own.signal);
      if (this.own !== own) return;
      job = this.next;
      this.next = undefined;
    }
    this.own = undefined;
  }
}
