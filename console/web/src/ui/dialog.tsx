// SPDX-License-Identifier: Apache-2.0
// A dialog over the page; Escape and the button close it, and the focus goes back.
import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { text } from '../strings';

export function Dialog(p: { title: string; close: () => void; children: ComponentChildren; wide?: boolean }) {
  const own = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    own.current!.showModal();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog
      ref={own} class={p.wide ? 'wide' : ''} aria-label={p.title}
      onCancel={(e) => {
        e.preventDefault();
        p.close();
      }}
      onClick={(e) => e.target === own.current && p.close()}
    >
      <header>
        <h2>{p.title}</h2>
        <button type="button" class="plain-button" aria-label={text.close} onClick={p.close}>×</button>
      </header>
      {p.children}
    </dialog>
  );
}
