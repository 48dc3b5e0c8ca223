// SPDX-License-Identifier: Apache-2.0
// The sidebar: the worlds around this one, and its screens.
import { get, keepSession } from '../api/client';
import { views } from '../views';
import { go, href, route } from './router';
import { actor, findWorld, dropped, readOnly, world, worldName, type World } from './state';
import { useAsked } from './use';
import { snapshots } from './worlds';
import { theme, nextTheme } from './theme';
import { keysOn, switchKeys } from './keys';
import { live } from '../api/stream';
import { Failure } from '../ui/errors';
import { text, number } from '../strings';

const SHOWN = 8;

/** The line of parents of the world that is shown, the world, and its newest children. */
function Tree() {
  const w = world.value;
  const tree = useAsked(`${w?.world}:${w?.parent}:${route.value.view}:${snapshots.value.length}`, async (abort) => {
    if (!w) return { line: [], children: [], more: false };
    const line: World[] = [];
    let parent = w.parent;
    for (let i = 0; parent && i < 3; i++) {
      const one = await findWorld(parent, abort);
      if (!one) break;
      line.unshift(one);
      parent = one.parent;
    }
    const { worlds, next } = await get('/worlds', { query: { parent: w.world, limit: SHOWN }, signal: abort });
    return { line, children: worlds, more: !!next };
  }, { skip: !w });
  const one = (x: { world: string; name: string | null; snapshot: boolean }, deep: number, current = false) => (
    <li key={x.world} class={`deep-${Math.min(deep, 4)}`}>
      <a href={href({ world: x.name ?? x.world, view: 'overview', rest: [] })} aria-current={current ? 'true' : undefined} title={x.world}>
        <span aria-hidden="true">{x.snapshot ? '◇' : '●'}</span>
        {x.snapshot && <span class="unseen">snapshot </span>} {x.name ?? x.world}
      </a>
    </li>
  );
  return (
    <nav aria-label={text.worlds} class="tree">
      <a class="all-worlds" href="/_sosia/ui/worlds" aria-current={route.value.view === 'worlds' ? 'page' : undefined}>{text.worlds}</a>
      {w && (
        <ul>
          {(tree.data?.line ?? []).map((x, i) => one(x, i))}
          {one(w, tree.data?.line.length ?? 0, true)}
          {(tree.data?.children ?? []).map((x) => one(x, (tree.data?.line.length ?? 0) + 1))}
          {tree.data?.more && <li><a href={href({ world: undefined, view: 'worlds', rest: [], query: { parent: w.name ?? w.world } })}>{text.more} …</a></li>}
        </ul>
      )}
      {tree.error && <Failure error={tree.error} />}
    </nav>
  );
}

/** The step to a view: a person's has the person in it. */
export function stepTo(name: string) {
  const v = views.find((x) => x.name === name)!;
  if (v.of === 'server') return { world: undefined, seq: undefined, view: name, rest: [] };
  return { view: name, rest: v.of === 'person' && actor.value ? [actor.value] : [] };
}

export function Sidebar() {
  const at = route.value;
  const shown = (of: string) => views.filter((v) => v.of === of && !v.hidden);
  const more = shown('server').filter((v) => v.name !== 'worlds');
  const link = (v: (typeof views)[number]) => {
    const n = v.count?.();
    return (
      <li key={v.name}>
        <a href={href(stepTo(v.name))} aria-current={at.view === v.name ? 'page' : undefined} aria-keyshortcuts={v.key ? `g ${v.key}` : undefined}>
          {v.title}{n ? <span class="n">{number(n)}</span> : null}
        </a>
      </li>
    );
  };
  return (
    <aside class="sidebar" aria-label={text.sidebar}>
      <Tree />
      {worldName.value !== undefined && (
        <nav aria-label={text.screens} class="screens">
          <ul>{shown('person').map(link)}</ul>
          <ul>{shown('world').map(link)}</ul>
        </nav>
      )}
      {more.length > 0 && <nav aria-label={text.more} class="screens"><ul>{more.map(link)}</ul></nav>}
      <section class="foot" aria-label={text.thisPage}>
        <p class="quiet">
          {worldName.value !== undefined && <><span class={live.value ? 'live-dot on' : 'live-dot'} aria-hidden="true" /> {live.value ? text.livePage : text.notLive}</>}
          {readOnly.value && <> · {text.readOnly}</>}
          {dropped.value && <> · {text.removed}</>}
        </p>
        <button type="button" class="plain-button" onClick={nextTheme} title={text.theme}>◐ {text.themes[theme.value] ?? theme.value}</button>
        <button type="button" class="plain-button" aria-pressed={keysOn.value} onClick={switchKeys}>{keysOn.value ? text.keysOn : text.keysOff}</button>
        <a href="/_sosia/ui/licences.txt">{text.licences}</a>
        <button type="button" class="plain-button" onClick={() => {
          keepSession(null);
          go('/_sosia/ui/');
        }}>{text.signOut}</button>
      </section>
    </aside>
  );
}
