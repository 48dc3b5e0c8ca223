// SPDX-License-Identifier: Apache-2.0
// A small workspace with an app that listens by Socket Mode.
export const acme = {
  sosia: 1,
  time: '2026-02-15T20:00:00Z',
  people: [
    { email: 'ada@acme.example', name: 'Ada Conti' },
    { email: 'deploy@acme.example', name: 'Deploy', kind: 'bot' },
  ],
  apps: [{ client_id: '1.2', client_secret: 'hush', name: 'Deployer', vendor: 'slack', bot: 'deploy@acme.example' }],
  workspaces: [{
    id: 'T0ACME', domain: 'acme', name: 'Acme', apps: [{ client_id: '1.2', id: 'A0DEPLOY', bot: 'B0DEPLOY' }],
    members: [{ actor: 'ada@acme.example', id: 'U0ADA' }, { actor: 'deploy@acme.example', id: 'U0DEPLOY' }],
  }],
  chatApps: [{ client_id: '1.2', settings: { socket_mode: true, bot_events: ['message.channels', 'app_mention'], commands: [{ command: '/deploy' }] } }],
  channels: [{ id: 'C0DEV', name: 'dev', creator: 'U0ADA', members: ['U0ADA', 'U0DEPLOY'] }],
};
