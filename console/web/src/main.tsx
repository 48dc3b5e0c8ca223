// SPDX-License-Identifier: Apache-2.0
import { render } from 'preact';
import { codeOfAddress, enter, get, keepSession, session, sessionNote, Refused } from './api/client';
import { startStream } from './api/stream';
import { startKeys } from './app/keys';
import { paletteOpen } from './app/palette';
import { BASE, go, route, startRouter } from './app/router';
import { bindAll, Shell } from './app/shell';
import { PERSONAL, startState } from './app/state';
import { startTheme } from './app/theme';
import { views } from './views';

/** At "/": the world that was served first, if there is but one that is no snapshot; else all. */
async function home() {
  try {
    const { worlds } = await get('/worlds', { query: { limit: 2, snapshots: false } });
    if (location.pathname !== '/' && location.pathname !== BASE) return;
    const one = worlds.length === 1 ? worlds[0]! : undefined;
    go(one ? { world: one.name ?? one.world, view: 'overview', rest: [] } : { world: undefined, view: 'worlds', rest: [] }, true);
  } catch {
    // the frame says why
  }
}

async function start() {
  const code = codeOfAddress();
  startTheme();
  for (const v of views) if (v.of === 'person') PERSONAL.add(v.name);
  // the screen of the address comes while the world is asked for
  if (session.value) views.find((v) => v.name === route.value.view)?.load().catch(() => {});
  if (code)
    try {
      await enter({ code });
    } catch (e) {
      // a session that is there already is as good
      if (!session.value) keepSession(null, (e as Refused).message);
    }
  bindAll();
  startRouter();
  startKeys(() => (paletteOpen.value = true));
  startState();
  startStream();
  session.subscribe((s) => {
    if (s && (location.pathname === '/' || location.pathname === BASE)) void home();
    if (s) sessionNote.value = '';
  });
  void route.value;
  render(<Shell />, document.getElementById('app')!);
}

void start();
