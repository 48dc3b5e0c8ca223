// SPDX-License-Identifier: Apache-2.0
// Compiled, not run: what is right must compile, what is wrong must not.
import sosia, { Answer, Engine, RemoteWorld, SosiaError, World, WorldReceiver, connect, intercept } from 'sosia';
import { useWorld, withWorld } from 'sosia/node-test';
import { test as worldly, worldTest } from 'sosia/vitest';
import type { Agent } from 'node:http';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

const engine = new Engine({ dataDir: '/tmp/x', oauth: 'open' });
const world = engine.world({ fixture: 'small', now: new Date(), clock: 'step', stepMs: 5 });
same<typeof world, World>(true);
const answer = world.call({ url: '/x', method: 'POST', json: { a: 1 }, headers: { a: 'b', c: ['d', 'e'], f: undefined }, as: 'ada@small.example' });
same<typeof answer, Answer>(true);
same<typeof answer.body, Buffer>(true);
same<typeof world.agent, Agent>(true);
const later: Promise<Answer> = world.callAsync({ url: new URL('https://slack.com/api/auth.test') });
const changes: string[] = world.diff({ from: 'name', form: 'json' }).changes.map(c => c.change);
const token: string = world.asActor('ada@small.example').token;
world.advance({ hours: 1 }).now.toUpperCase();
world.advance(1000);
const got: Promise<Response> = world.fetch('https://slack.com/');
{ using fork = world.fork({ seed: 5n }); fork.reset({ to: world }).seed('sosia: 1'); }
const held = intercept(world.asActor('ada@small.example'), { allow: ['localhost'] });
held.restore();
const ran: Promise<number> = intercept.run(world, async () => 5);
const stop: () => void = world.onDelivery(delivery => ({ status: delivery.attempt > 1 ? 200 : 500 }));
async function deliver(): Promise<void> {
  for await (const delivery of world.deliveries()) delivery.respond({ status: 200 })?.getTime();
}
const receiver = new WorldReceiver(world, { appId: 'A0' });

const remote = connect('http://localhost:8787', 'key');
async function over(): Promise<void> {
  const there = await remote.world({ fixture: 'small' });
  same<typeof there, RemoteWorld>(true);
  const said: Answer = await there.asActor('ada@small.example').call({ url: '/x' });
  const text: string = await there.asActor('ada@small.example').token;
  // @ts-expect-error: a promise
  there.diff().changes;
  void [said, text];
}
// Code for both awaits what it is given.
async function both(w: World | RemoteWorld): Promise<number> { return (await w.call({ url: '/x' })).status; }

const hooked = useWorld({ actor: 'ada@small.example', intercept: true });
const fn: () => Promise<number> = withWorld(({ world: w, actor }) => w.key.length + actor.email.length);
worldly('x', ({ world: w }) => { w.call({ url: '/' }); });
worldTest({ fixture: 'office' })('y', ({ actor }) => { actor.call({ url: '/' }); });

try {
  engine.close();
} catch (error) {
  if (error instanceof SosiaError) {
    const reason: string | undefined = error.reason;
    void reason;
    if (error.code === 'NOT_FOUND') error.status.toFixed();
    // @ts-expect-error: not a code
    if (error.code === 'MISSING') error.status.toFixed();
  }
}

const large: Promise<number | undefined> = world.callAsync({ url: '/', body: new Blob(['x']), stream: true }).then(a => a.stream?.length);
async function* bytes() { yield new Uint8Array(1); }
void world.callAsync({ url: '/', body: bytes() });
// @ts-expect-error: pieces are bytes or texts
void world.callAsync({ url: '/', body: [1] });
// @ts-expect-error: a url is needed
world.call({ method: 'GET' });
// @ts-expect-error: not a clock
world.fork({ clock: 'quick' });
// @ts-expect-error: worlds come from engines
new World(engine, 1n);
// @ts-expect-error: not a unit
world.advance({ weeks: 1 });
// @ts-expect-error: headers are texts
world.call({ url: '/', headers: { a: {} } });
// @ts-expect-error: a world of a server is another class
world.diff({ from: {} as RemoteWorld });
// @ts-expect-error: not a list
intercept(world, { allow: 'localhost' });

void [sosia.Engine, large, later, changes, token, got, ran, stop, deliver, receiver, over, both, hooked, fn];
