// SPDX-License-Identifier: Apache-2.0
// The world's workspace: its tree, and a file of it as text.
import { useMemo } from 'preact/hooks';
import type { ViewProps } from '../../app/views';
import { go } from '../../app/router';
import { Await, useAsked } from '../../app/use';
import { address, get, request } from '../../api/client';
import { save } from '../../ui/save';
import { List } from '../../ui/list';
import { Empty } from '../../ui/errors';
import { Mark, markClass, Since, visible } from '../../ui/marks';
import { bytes as sizeOf, momentOf } from '../../ui/dates';
import { firstBytes } from '../shared/native';
import { asChange, useClose, useMarksByName } from '../shared/use';
import { History } from '../shared/history';
import { Tabs } from '../shared/tabs';
import { Icon } from '../shared/icon';
import { words } from '../words';
import { above, asText, dump, entityName, nameOf, parentOf, treeRows, type Node } from './shape';


const MOST = 256 << 10;
const TABS = ['preview', 'history'] as const;

export default function Workspace(p: ViewProps) {
  const { query } = p.route;
  const path = p.route.rest.join('/');
  // The directories that are open: those above what is chosen, and those of the address.
  const open = useMemo(() => new Set([...above(path), ...(query.dirs ?? '').split('|').filter(Boolean)]), [path, query.dirs]);
  const wanted = ['', ...[...open].sort()];
  const got = useAsked<Map<string, Node[]>>(JSON.stringify([p.place, wanted]), async (signal) => {
    const lists = await Promise.all(wanted.map((directory) =>
      get('/worlds/{world}/workspace', { path: { world: p.place }, query: { path: directory || undefined }, signal }).then((d) => d.entries as unknown as Node[], (e) => {
        if (directory) return []; // it is gone by now
        throw e;
      })));
    return new Map(wanted.map((directory, i) => [directory, lists[i]!]));
  }, { live: true });
  const rows = useMemo(() => (got.data ? treeRows(got.data, open) : []), [got.data, open]);
  const marks = useMarksByName();
  const chosen = rows.find((r) => r.path === path);
  useClose(path || undefined, () => go({ rest: [], query: { as: undefined } }));
  const toggle = (directory: string, on: boolean): void => {
    const dirs = new Set(open);
    if (on) dirs.add(directory);
    else for (const d of dirs) if (d === directory || d.startsWith(`${directory}/`)) dirs.delete(d);
    const inside = !on && path.startsWith(`${directory}/`);
    go({ rest: inside ? [] : p.route.rest, query: { dirs: [...dirs].filter((d) => inside || !above(path).includes(d)).join('|') || undefined } }, true);
  };
  const show = (i: number): void => {
    const r = rows[i];
    if (!r) return;
    if (r.kind === 'directory') toggle(r.path, !r.open);
    else go({ rest: r.path.split('/'), query: { dirs: [...open].join('|') || undefined } });
  };
  const gone = [...marks.values()].filter((m) => m.kind === 'gone' && m.change.entity === 'workspaceFile');
  return (
    <div class="full">
      <div class="bar"><h1>{words.tree}</h1><span class="space" /><Since /></div>
      {gone.length > 0 && <ul class="gone-rows">{gone.slice(0, 50).map((g) => <li key={g.name}><s>{visible(String(g.change.key?.['path'] ?? g.title))}</s> <Mark of={asChange(g)} /></li>)}</ul>}
      <div class={`split${path ? ' two' : ''}`}>
        <Await of={got}>
          {() => (
            <List id="workspace" label={words.tree} total={rows.length} row={30} columns={3} onOpen={show} open={chosen && rows.indexOf(chosen)}
              onKey={(key, i) => {
                const r = rows[i];
                if (r?.kind !== 'directory' || (key !== 'ArrowRight' && key !== 'ArrowLeft') || r.open === (key === 'ArrowRight')) return false;
                toggle(r.path, !r.open);
                return true;
              }}
              rowClass={(i) => {
                const m = marks.get(entityName(rows[i]?.path ?? ''));
                return markClass(m && asChange(m));
              }}
              empty={<Empty>{words.emptyWorkspace} <code>{words.putHint} {p.world}</code></Empty>}>
              {(i) => {
                const r = rows[i]!;
                const m = marks.get(entityName(r.path));
                return (
                  <>
                    <div role="gridcell" class="grow file-name" style={{ paddingInlineStart: `${Math.min(r.depth, 20) * 1.1}rem` }}>
                      <Icon name={r.kind === 'directory' ? (r.open ? 'open' : 'closed') : r.kind === 'link' ? 'link' : 'file'} />
                      <span class="side-name">{visible(r.name)}</span>
                      {r.kind === 'directory' && <span class="unseen">{r.open ? words.opened : words.closed}</span>}
                      {r.target !== undefined && <span class="quiet">→ {visible(r.target)}</span>}
                      {m && <Mark of={asChange(m)} brief />}
                    </div>
                    <div role="gridcell" class="file-when"><time dateTime={r.modified} title={momentOf(r.modified)}>{momentOf(r.modified, undefined, false).replace(/^\S+ /, '')}</time></div>
                    <div role="gridcell" class="file-size">{r.kind === 'file' ? sizeOf(r.size) : ''}</div>
                  </>
                );
              }}
            </List>
          )}
        </Await>
        {path && <FileOf key={path} p={p} path={path} node={chosen} />}
      </div>
    </div>
  );
}

function FileOf(props: { p: ViewProps; path: string; node: Node | undefined }) {
  const { p, path, node } = props;
  const marks = useMarksByName();
  const mark = marks.get(entityName(path));
  const target = address('/worlds/{world}/workspace/content', { path: { world: p.place }, query: { path } });
  const tab = TABS.find((t) => t === p.route.query.as) ?? 'preview';
  const isFile = !node || node.kind === 'file';
  const got = useAsked(JSON.stringify([target]), async (signal) => firstBytes(await request('GET', target, { signal }), MOST), { live: true, skip: !isFile });
  return (
    <section class="detail" aria-label={words.details}>
      <button type="button" class="plain-button pane-close" data-back onClick={() => go({ rest: [], query: { as: undefined } })}>× <span>{words.close}</span></button>
      <h2>{visible(nameOf(path))}</h2>
      <dl class="facts">
        {parentOf(path) && <><dt>{words.where}</dt><dd>{visible(parentOf(path))}</dd></>}
        {node && <><dt>{words.mode}</dt><dd>{node.mode}</dd><dt>{words.modified}</dt><dd><time dateTime={node.modified}>{momentOf(node.modified)}</time></dd></>}
        {node?.target !== undefined && <><dt>{words.kind}</dt><dd>{words.link(visible(node.target))}</dd></>}
      </dl>
      {mark && <p class="mark-line"><Mark of={asChange(mark)} /></p>}
      <Tabs id="node-as" label={words.details} tabs={TABS.map((t) => ({ id: t, title: words[t] }))} chosen={tab} choose={(as) => go({ query: { as: as === 'preview' ? undefined : as } }, true)}>
        {tab === 'history' ? <History place={p.place} name={entityName(path)} /> : isFile && (
          <Await of={got}>
            {({ bytes, total }) => {
              const text = asText(bytes);
              return (
                <>
                  <p class="quiet">{words.bytesOf(bytes.length, total)}</p>
                  <pre class="preview-text">{text === null ? dump(bytes) : visible(text)}</pre>
                </>
              );
            }}
          </Await>
        )}
      </Tabs>
      {isFile && <p class="buttons"><button type="button" onClick={() => void save(target, nameOf(path))}>{words.asFile}</button></p>}
    </section>
  );
}
