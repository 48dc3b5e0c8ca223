// SPDX-License-Identifier: Apache-2.0
'use strict';
// A receiver of @slack/bolt without a port: what a world sends to an app comes to it, and its acknowledgement is the answer.

const PATIENCE = 3000; // that an app has, in milliseconds

/** What Bolt makes of a request's body. */
function bodyOf(delivery) {
  const type = Object.entries(delivery.headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!type.includes('application/x-www-form-urlencoded')) return delivery.json();
  const form = Object.fromEntries(new URLSearchParams(delivery.text()));
  return typeof form.payload === 'string' ? JSON.parse(form.payload) : form;
}

function headerOf(delivery, wanted) {
  return Object.entries(delivery.headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

class WorldReceiver {
  /** appId: of deliveries to this app alone (A0...); without it those to any. */
  constructor(world, { appId } = {}) {
    this.world = world;
    this.appId = appId;
    this.app = undefined;
    this._stop = undefined;
    this._under = new Set();
  }

  init(app) { this.app = app; }

  async start() {
    if (!this.app) throw new Error('the receiver has no app: give it to new App({receiver})');
    this._stop ??= this.world.onDelivery(delivery => this._take(delivery), { wanted: delivery => this._wants(delivery) });
  }

  /** Waits for those under way. */
  async stop() {
    this._stop?.();
    this._stop = undefined;
    await Promise.allSettled(this._under);
  }

  _wants(delivery) {
    return delivery.kind === 'webhook' && headerOf(delivery, 'x-slack-signature') !== undefined && (this.appId === undefined || delivery.from === this.appId);
  }

  _take(delivery) {
    const done = this._process(delivery);
    this._under.add(done);
    return done.finally(() => this._under.delete(done));
  }

  async _process(delivery) {
    const body = bodyOf(delivery);
    if (body.type === 'url_verification') return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ challenge: body.challenge }) };
    if (body.ssl_check) return { status: 200 };
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        delivery.fail('the app did not acknowledge in 3 s', 'timeout');
        resolve();
      }, PATIENCE);
      const answer = (with_) => {
        clearTimeout(timer);
        resolve(with_);
      };
      this.app.processEvent({
        body,
        retryNum: Number(headerOf(delivery, 'x-slack-retry-num')) || undefined,
        retryReason: headerOf(delivery, 'x-slack-retry-reason'),
        customProperties: { delivery },
        ack: async (response) => {
          if (response === undefined || response === '') answer({ status: 200 });
          else if (typeof response === 'string') answer({ status: 200, headers: { 'Content-Type': 'text/plain' }, body: response });
          else answer({ status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(response) });
        },
      }).catch(() => answer({ status: 500 }));
    });
  }
}

module.exports = { WorldReceiver };
