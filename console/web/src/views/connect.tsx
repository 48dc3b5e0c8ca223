// SPDX-License-Identifier: Apache-2.0
// What a program needs to work in this world as somebody: a token, and the lines around it. The token
// is masked, and in no address.
import { useState } from 'preact/hooks';
import { get, send } from '../api/client';
import { actorName, actors, nameOf, readOnly, world } from '../app/state';
import { say } from '../app/use';
import type { ViewProps } from '../app/views';
import { copy } from '../ui/json';
import { text } from '../strings';

const words = {
  who: (name: string) => `As ${name}`, chooser: 'Another person is chosen at the top of the page.', scopes: 'Scopes, with spaces; without any: everything', life: 'Good for', lives: { '0': 'ever', '3600': 'an hour', '86400': 'a day' },
  make: 'Make a token', made: (name: string) => `A token of ${name} is made.`, shown: 'Show', masked: 'Hide', environment: 'Environment', curl: 'curl', google: 'Google, Node', python: 'Google, Python',
  slack: 'Slack, Node', graph: 'Microsoft Graph, Node', mcp: 'Model Context Protocol', run: 'A program whose hosts are built in, with a server of its own', noToken: 'Snippets name $TOKEN until one is made.', readOnly: 'This session only looks: it can’t make tokens.',
  kinds: { slack: 'Slack user token', microsoft: 'Microsoft token', google_authorized_user: 'Google: file of an authorized user', google_service_account: 'Google: file of a service account' },
  credentials: 'Credentials that vendors’ programs want', get: 'Copy', copied: (name: string) => `${name} is copied.`, warning: 'Who has the token acts as this person, in this world alone.',
};
type Kind = keyof typeof words.kinds;

const maskOf = (token: string) => token.slice(0, 6) + '•'.repeat(18);

function snippets(url: string): Array<[string, string]> {
  return [
    [words.curl, `curl -H "Authorization: Bearer $TOKEN" \\\n  ${url}/calendar/v3/users/me/calendarList`],
    [words.google, `const auth = new google.auth.OAuth2();\nauth.setCredentials({access_token: process.env.TOKEN});\nconst calendar = google.calendar({version: 'v3', rootUrl: '${url}/', auth});`],
    [words.python, `service = build("calendar", "v3", http=authorized_http,\n    discoveryServiceUrl="${url}/discovery/v1/apis/{api}/{apiVersion}/rest")`],
    [words.slack, `new WebClient(process.env.TOKEN, {slackApiUrl: '${url}/api/'})`],
    [words.graph, `Client.init({baseUrl: '${url}/', customHosts: new Set(['${new URL(url).hostname}']),\n             authProvider: (done) => done(null, process.env.TOKEN)})`],
    [words.mcp, JSON.stringify({ mcpServers: { work: { type: 'http', url: `${url}/mcp`, headers: { Authorization: 'Bearer $TOKEN' } } } }, null, 2)],
    [words.run, 'sosia run --fixture office -- node agent.mjs'],
  ];
}

export default function Connect(p: ViewProps) {
  const [token, setToken] = useState<string | null>(null);
  const [shown, show] = useState(false);
  const [owner, own] = useState('');
  const w = world.value!;
  const person = p.actor;
  if (!person || !actors.value?.some((a) => actorName(a) === person)) return <div class="page"><h1>{text.connect}</h1><p class="quiet">{actors.value ? text.noPeople : text.loading}</p></div>;
  const mine = owner === person ? token : null;
  const make = async (e: Event) => {
    e.preventDefault();
    const f = new FormData(e.currentTarget as HTMLFormElement);
    const scopes = String(f.get('scopes') ?? '').trim();
    try {
      const made = await send('post', '/worlds/{world}/tokens', {
        path: { world: p.world }, body: { actor: person, ttl_seconds: Number(f.get('life')), ...(scopes ? { scopes } : {}) },
      });
      setToken(made.token);
      own(person);
      say(words.made(nameOf(person)));
    } catch (error) {
      say((error as Error).message);
    }
  };
  const credentials = async (kind: Kind) => {
    try {
      const got: unknown = await get('/worlds/{world}/credentials', { path: { world: p.world }, query: { actor: person, kind } });
      const { token: plain } = got as { token?: string };
      await copy(kind.startsWith('google') || !plain ? JSON.stringify(got, null, 2) : plain, words.copied(words.kinds[kind]));
    } catch (error) {
      say((error as Error).message);
    }
  };
  const environment = (value: string) => `export TOKEN=${value}\nexport SOSIA_URL=${location.origin} SOSIA_WORLD=${p.world}`;
  return (
    <div class="page">
      <h1>{text.connect}</h1>
      <p><b>{words.who(nameOf(person))}</b> <span class="quiet">{person}. {words.chooser}</span></p>
      {readOnly.value ? <p class="quiet">{words.readOnly}</p> : (
        <form class="buttons" onSubmit={make}>
          <label>{words.scopes} <input type="text" name="scopes" size={28} spellcheck={false} /></label>
          <label>{words.life}{' '}
            <select name="life">{Object.entries(words.lives).map(([s, name]) => <option key={s} value={s}>{name}</option>)}</select>
          </label>
          <button type="submit" class="main-button">{words.make}</button>
        </form>
      )}
      <section class="card">
        <h2>{words.environment}</h2>
        <pre class="box">{environment(mine ? (shown ? mine : maskOf(mine)) : '…')}</pre>
        <p class="buttons">
          {mine ? (
            <>
              <button type="button" onClick={() => copy(environment(mine))}>{text.copy}</button>
              <button type="button" onClick={() => show(!shown)}>{shown ? words.masked : words.shown}</button>
              <span class="quiet">{words.warning}</span>
            </>
          ) : <span class="quiet">{words.noToken}</span>}
        </p>
      </section>
      {snippets(w.url).map(([name, code]) => (
        <section key={name}>
          <h2>{name}</h2>
          <pre class="box">{code}</pre>
          <p class="buttons"><button type="button" onClick={() => copy(code)}>{text.copy}<span class="unseen"> {name}</span></button></p>
        </section>
      ))}
      {!readOnly.value && (
        <>
          <h2>{words.credentials}</h2>
          <p class="buttons">{(Object.keys(words.kinds) as Kind[]).map((k) => <button type="button" key={k} onClick={() => credentials(k)}>{words.get}: {words.kinds[k]}</button>)}</p>
        </>
      )}
    </div>
  );
}
