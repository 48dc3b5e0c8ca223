// SPDX-License-Identifier: Apache-2.0
// Tabs by the pattern of ARIA: one stop of the Tab key, arrows move between them.
import type { ComponentChildren } from 'preact';

export function Tabs<T extends string>(p: { id: string; label: string; tabs: readonly { id: T; title: string }[]; chosen: T; choose: (id: T) => void; children: ComponentChildren }) {
  const move = (e: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    const at = p.tabs.findIndex((t) => t.id === p.chosen);
    const next = e.key === 'Home' ? p.tabs[0] : e.key === 'End' ? p.tabs.at(-1) : by ? p.tabs[(at + by + p.tabs.length) % p.tabs.length] : undefined;
    if (!next) return;
    e.preventDefault();
    p.choose(next.id);
    document.getElementById(`${p.id}-${next.id}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={p.label} class="tabs" onKeyDown={move}>
        {p.tabs.map((t) => (
          <button key={t.id} type="button" role="tab" id={`${p.id}-${t.id}`} aria-selected={t.id === p.chosen} aria-controls={`${p.id}-panel`}
            tabIndex={t.id === p.chosen ? 0 : -1} onClick={() => p.choose(t.id)}>{t.title}</button>
        ))}
      </div>
      <div role="tabpanel" id={`${p.id}-panel`} aria-labelledby={`${p.id}-${p.chosen}`} class="tab-panel" tabIndex={0}>{p.children}</div>
    </>
  );
}
