// SPDX-License-Identifier: Apache-2.0
/** A tenant with two users, an app with a secret and permissions of its own, and one that runs on people's machines. */
export const port = {
  sosia: 1,
  organizations: [{ domain: 'port.example', name: 'Port' }],
  people: [{ email: 'ada@port.example', name: 'Ada Love' }, { email: 'bob@port.example', name: 'Bob Stone' }],
  accounts: [{ actor: 'ada@port.example', vendor: 'microsoft' }, { actor: 'bob@port.example', vendor: 'microsoft' }],
  apps: [
    { client_id: '11111111-0000-4000-8000-000000000001', client_secret: 's1', name: 'Web', kind: 'web', vendor: 'microsoft',
      redirect_uris: ['https://app.example/cb'] },
    { client_id: '11111111-0000-4000-8000-000000000002', name: 'Desk', kind: 'installed', vendor: 'microsoft' },
  ],
  microsoftTenants: [{ domain: 'port.example', id: '7c0f0000-0000-4000-8000-000000000001', name: 'Port' }],
  microsoftUsers: [{ actor: 'ada@port.example', password: 'hush' }],
  microsoftApps: [
    { app: '11111111-0000-4000-8000-000000000001', tenant: 'port.example',
      application: 'User.Read.All Organization.Read.All' },
  ],
};
