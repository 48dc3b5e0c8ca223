// SPDX-License-Identifier: Apache-2.0
// What the tests share. `sosia` is the package as its users import it; the vendors' SDKs are those of conformance/clients.
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
export const sosia = require('../index.cjs');
const clients = createRequire(new URL('../../../conformance/clients/package.json', import.meta.url));

/** A package of conformance/clients. */
export const sdk = async name => await import(pathToFileURL(clients.resolve(name)));
export const clientRequire = clients;

export const ADA = 'ada@small.example';
export const BO = 'bo@small.example';

const engine = new sosia.Engine({ worldSecret: 'tests' });
after(async () => {
  await engine.settled();
  engine.close();
});

/** A fresh fork of the fixture "small". */
export const small = () => engine.world({ fixture: 'small' });
export { engine };

/** A server of its own; gives {url, key, stop}. */
export async function serve(...options) {
  const child = spawn(process.env.SOSIA_BIN, ['serve', '--port', '0', '--json', '--clock', 'frozen', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, control_key: key } = JSON.parse(line);
  return { url, key, stop: async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  } };
}

export const event = (summary, hour = 10) => ({
  summary, start: { dateTime: `2026-11-25T${hour}:00:00Z` }, end: { dateTime: `2026-11-25T${hour + 1}:00:00Z` },
});
export const EVENTS = 'https://www.googleapis.com/calendar/v3/calendars/primary/events';

export const slackWorld = {
  sosia: 1, time: '2026-11-23T09:00:00Z',
  people: [{ email: 'ada@acme.example', name: 'Ada Conti' }, { email: 'deploy@acme.example', name: 'Deploy', kind: 'bot' }],
  apps: [{ client_id: '1.2', client_secret: 'hush', signing_secret: 's1gn', name: 'Deployer', vendor: 'slack', bot: 'deploy@acme.example' }],
  workspaces: [{
    id: 'T0ACME', domain: 'acme', name: 'Acme',
    apps: [{ client_id: '1.2', id: 'A0DEPLOY', bot: 'B0DEPLOY', settings: {
      events_url: 'https://bot.example/slack/events', bot_events: ['app_mention'],
      commands: [{ command: '/deploy', url: 'https://bot.example/slack/events' }],
    } }],
    members: [{ actor: 'ada@acme.example', id: 'U0ADA' }, { actor: 'deploy@acme.example', id: 'U0DEPLOY' }],
  }],
  channels: [{ id: 'C0DEV', name: 'dev', creator: 'ada@acme.example', members: ['ada@acme.example', 'deploy@acme.example'] }],
};
export { test };
