// SPDX-License-Identifier: Apache-2.0
// The frame around all screens.
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ROOT, reachable, request, session } from '../api/client';
import { views } from '../views';
import { moveInList } from '../ui/list';
import { Failure } from '../ui/errors';
import { JsonButtons, copy } from '../ui/json';
import { momentOf, zoneOf } from '../ui/dates';
import { Enter } from './enter';
import { bind, bindChord } from './keys';
import { helpOpen, Overlays, paletteOpen } from './palette';
import { PersonChooser } from './person';
import { go, href, route } from './router';
import { Sidebar, stepTo } from './sidebar';
import { actor, dropped, place, since, world, worldError, worldName } from './state';
import { StepBand, stepBy, TimeBar } from './timebar';
import { nextTheme } from './theme';
import { notice } from './use';
import type { View, ViewProps } from './views';
import { text } from '../strings';

/** A screen that fails leaves the others as they are. */
class Guard extends Component<{ name: string; children: ComponentChildren }, { error?: Error | undefined; name: string }> {
  override state = { error: undefined as Error | undefined, name: this.props.name };
  static override getDerivedStateFromProps(p: { name: string }, s: { name: string }) {
    return p.name === s.name ? null : { error: undefined, name: p.name };
  }
  override componentDidCatch(error: Error) {
    console.error(error);
    this.setState({ error });
  }
  render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div class="failure" role="alert">
        <p><strong>{text.failedView}</strong> <span class="words">{error.message}</span></p>
        <p><button type="button" onClick={() => this.setState({ error: undefined })}>{text.again}</button></p>
      </div>
    );
  }
}

const loaded = new Map<string, ComponentType<ViewProps>>();

function Screen(p: { view: View; props: ViewProps }) {
  const [, draw] = useState(0);
  const [failed, fail] = useState<Error | null>(null);
  const Found = loaded.get(p.view.name);
  useEffect(() => {
    if (Found) return;
    fail(null);
    p.view.load().then((m) => {
      loaded.set(p.view.name, m.default);
      draw((n) => n + 1);
    }, fail);
  }, [p.view.name]);
  if (failed) throw failed;
  if (!Found) return <p class="quiet" role="status">{text.loading}</p>;
  return <Found {...p.props} />;
}

function Header(p: { view: View | undefined; props: ViewProps }) {
  const w = world.value;
  const target = p.view?.json?.(p.props);
  return (
    <header class="top">
      <a class="brand" href={href({ world: undefined, view: 'worlds', rest: [] })}>sosia</a>
      {w && <a class="world" href={href({ view: 'overview', rest: [] })}>{w.snapshot && '◇ '}{worldName.value}</a>}
      {w && <PersonChooser />}
      <button type="button" class="find" onClick={() => (paletteOpen.value = true)} aria-keyshortcuts="Control+K">
        {text.palette} <kbd>Ctrl-K</kbd>
      </button>
      <span class="space" />
      {target && <JsonButtons target={target} />}
      <button type="button" onClick={copyLink} title="y">{text.copyLink}</button>
      {w && <WorldTime now={w.now} clock={w.clock} />}
      <button type="button" class="plain-button" onClick={() => (helpOpen.value = true)} aria-label={text.help}>?</button>
    </header>
  );
}

/** The world's time; of a clock that follows real time it goes on by itself. */
function WorldTime(p: { now: string; clock: string }) {
  const [, draw] = useState(0);
  const read = useMemo(() => performance.now(), [p.now]);
  useEffect(() => {
    if (p.clock !== 'real') return;
    const every = setInterval(() => draw((n) => n + 1), 10000);
    return () => clearInterval(every);
  }, [p.clock]);
  const now = p.clock === 'real' ? new Date(Date.parse(p.now) + performance.now() - read).toISOString() : p.now;
  return <time dateTime={now} class="clock" title={`${text.clock}: ${new Date().toString()}`}>{momentOf(now, zoneOf(actor.value))}, {p.clock}</time>;
}

const copyLink = () => copy(location.href, text.linkCopied);

/** While the server can't be reached the page asks whether it is there again. */
function Gone() {
  useEffect(() => {
    if (reachable.value) return;
    const again = setInterval(() => void request('GET', `${ROOT}/health`).catch(() => {}), 2000);
    return () => clearInterval(again);
  }, [reachable.value]);
  return reachable.value ? null : <div class="band warn" role="alert">{text.serverGone} {text.serverBack}</div>;
}

const insecure = location.protocol === 'http:' && !/^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(location.hostname);

export function Shell() {
  const at = route.value;
  const view = views.find((v) => v.name === at.view && (v.of === 'server') === (at.world === undefined));
  useEffect(() => {
    document.title = [view?.title, worldName.value, 'sosia'].filter(Boolean).join(' · ');
  }, [view, at.world]);
  const name = `${at.view}:${at.world}`;
  useEffect(() => {
    // the focus is not left on what is gone
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  }, [name]);
  if (!session.value) return <><Gone />{insecure && <div class="band warn">{text.insecure}</div>}<Enter /></>;
  const props: ViewProps = {
    world: at.world ?? '', place: at.world === undefined ? '' : place.value, seq: at.seq, actor: actor.value, since: since.value, route: at,
  };
  const ready = at.world === undefined || world.value;
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => {
        e.preventDefault();
        document.getElementById('main')?.focus();
      }}>{text.skip}</a>
      <Header view={view} props={props} />
      <Sidebar />
      <main id="main" tabIndex={-1} class={`view-${at.view}`}>
        <Gone />
        {insecure && <div class="band warn">{text.insecure}</div>}
        {dropped.value && at.world !== undefined && <div class="band warn" role="alert">{text.dropped}</div>}
        {worldError.value && at.world !== undefined && <>{!world.value && <h1 class="unseen">{at.world}</h1>}<Failure error={worldError.value} /></>}
        <StepBand />
        {!view ? <h1 class="empty">{text.noSuchPage}</h1> : ready ? <Guard name={name}><Screen key={at.world} view={view} props={props} /></Guard> : null}
      </main>
      {at.world !== undefined && world.value && !world.value.snapshot && <TimeBar />}
      <div class="notice" role="status" aria-live="polite">{notice.value}</div>
      <Overlays />
    </>
  );
}

export function bindAll() {
  bind('?', text.help, () => (helpOpen.value = true));
  bind('/', text.search, () => {
    const own = document.querySelector<HTMLInputElement>('main input[type=search]');
    if (own) own.focus();
    else paletteOpen.value = true;
  });
  bind('j', '↓', () => void moveInList(1));
  bind('k', '↑', () => void moveInList(-1));
  bind('[', text.stepBack, () => void stepBy(-1));
  bind(']', text.stepOn, () => void stepBy(1));
  bind('l', text.toNow, () => route.value.world !== undefined && go({ seq: undefined }));
  bind('t', text.theme, nextTheme);
  bind('y', text.copyLink, () => void copyLink());
  bind('Escape', text.close, () => {
    if (route.value.query.open) go({ query: { open: '', tab: '', as: '' } });
  });
  for (const v of views)
    if (v.key) bindChord(v.key, v.title, () => (v.of === 'server' || route.value.world !== undefined) && go(stepTo(v.name)));
}
