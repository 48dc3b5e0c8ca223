// SPDX-License-Identifier: Apache-2.0
// A list of rows of one height, of which only those in sight are there. It is a grid for the
// keyboard and for readers of screens: one row has the focus, and all are counted.
import { Component } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { visit } from '../app/router';

// Elements end at 33.5 million px (Firefox: about half): more rows than fit are shown by windows.
const MOST_PX = 16_000_000;
const AROUND = 6;

export interface ListProps {
  /** Names the list within its screen: its place is found again by Back */
  id: string;
  label: string;
  total: number;
  /** Height of a row in px */
  row: number;
  columns?: number;
  /** The cells of a row; undefined where it is not there yet. Elements with role="gridcell" */
  children: (i: number) => ComponentChildren;
  /** What is in sight (from, to); asks for what is missing */
  onShow?: (from: number, to: number) => void;
  onOpen?: (i: number) => void;
  /** Other keys on a row; true: it was taken */
  onKey?: (key: string, i: number) => boolean;
  /** The row whose details are open */
  open?: number | undefined;
  /** Classes of a row */
  rowClass?: (i: number) => string;
  /** What is shown where total is 0 */
  empty?: ComponentChildren;
  /** Stays at the first row while the person does not scroll: lists that grow at the top */
  stick?: boolean;
  /** How many rows came in front of the first one so far, in all: what is in sight stays */
  grown?: number;
}

const places = new Map<string, { top: number; at: number }>();

interface RowProps {
  i: number;
  top: number;
  height: number;
  open: boolean;
  stop: boolean;
  cells: (i: number) => ComponentChildren;
  classes: ((i: number) => string) | undefined;
  focused: (i: number) => void;
  clicked: (i: number, e: Event) => void;
}

/** Drawn again when something of it is another: while a list is scrolled its owner is not drawn, and what stays in sight stays as it is. */
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps, state: unknown) {
    const p = this.props;
    // signals that its cells read ask for it by another state
    return state !== this.state || next.i !== p.i || next.top !== p.top || next.height !== p.height || next.open !== p.open || next.stop !== p.stop || next.cells !== p.cells || next.classes !== p.classes;
  }
  render() {
    const p = this.props;
    return (
      <div
        role="row" aria-rowindex={p.i + 1} aria-selected={p.open} class={`row ${p.open ? 'open ' : ''}${p.classes?.(p.i) ?? ''}`} tabIndex={p.stop ? 0 : -1}
        style={{ top: `${p.top}px`, height: `${p.height}px` }} onFocus={() => this.props.focused(p.i)} onClick={(e) => this.props.clicked(p.i, e)}
      >
        {p.cells(p.i)}
      </div>
    );
  }
}

export function List(p: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const key = `${visit()}:${p.id}`;
  const [, draw] = useState(0);
  const state = useRef({ key: '', top: 0, height: 600, base: 0, at: 0, from: 0, placed: false }).current;
  if (state.key !== key) {
    const kept = places.get(key);
    state.key = key;
    state.top = kept?.top ?? 0;
    state.at = kept?.at ?? Math.max(0, p.open ?? 0);
    state.base = 0;
    state.placed = !!kept;
  }
  const most = Math.floor(MOST_PX / p.row);
  const windowed = Math.min(p.total, most);
  state.base = Math.max(0, Math.min(state.base, p.total - windowed));
  state.at = Math.max(0, Math.min(state.at, p.total - 1));
  const from = Math.max(0, state.base + Math.floor(state.top / p.row) - AROUND);
  const to = Math.min(p.total, state.base + Math.ceil((state.top + state.height) / p.row) + AROUND);
  state.from = from;
  // Tab leads to the row that had the focus last or, where that is not there, to the next one that is.
  const stop = Math.max(from, Math.min(state.at, to - 1));

  useLayoutEffect(() => {
    const el = box.current;
    if (!el) return;
    el.scrollTop = state.top;
    const seen = new ResizeObserver(() => {
      state.height = el.clientHeight;
      draw((n) => n + 1);
    });
    seen.observe(el);
    state.height = el.clientHeight || state.height;
    return () => seen.disconnect();
  }, [key, !p.total]);
  // An address may open a row that is far down: at first it is brought into sight.
  const open = p.open !== undefined && p.open >= 0 && p.open < p.total ? p.open : undefined;
  useLayoutEffect(() => {
    const el = box.current;
    if (!el || open === undefined || state.placed) return;
    state.placed = true;
    state.at = open;
    if (open < state.base || open >= state.base + windowed) state.base = Math.max(0, Math.min(open - Math.floor(most / 2), p.total - windowed));
    const top = (open - state.base) * p.row;
    if (top < state.top || top + p.row > state.top + state.height) el.scrollTop = Math.max(0, top - (state.height - p.row) / 2);
    state.top = el.scrollTop;
    draw((n) => n + 1);
  }, [key, open, !p.total]);
  useEffect(() => p.onShow?.(from, Math.max(to, from + 1)), [from, to, p.total, p.onShow && key]);
  const grown = useRef(p.grown ?? 0);
  useLayoutEffect(() => {
    const by = (p.grown ?? 0) - grown.current;
    grown.current = p.grown ?? 0;
    if (by <= 0) return;
    const focused = box.current?.contains(document.activeElement) && document.activeElement?.getAttribute('role') === 'row';
    if (state.at) {
      state.at += by;
      // the focus stays with its row, which is another element now
      if (focused) requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[aria-rowindex="${state.at + 1}"]`)?.focus({ preventScroll: true }));
    }
    if (p.stick && state.top < p.row) return;
    state.top += by * p.row;
    if (box.current) box.current.scrollTop = state.top;
    draw((n) => n + 1);
  }, [p.grown]);

  const scrolled = () => {
    state.top = box.current!.scrollTop;
    places.set(key, { top: state.top, at: state.at });
    // near an end of the window it moves by half
    if (windowed < p.total) {
      const at = state.top / p.row, half = Math.floor(most / 2);
      const step = at > most - 1000 && state.base + windowed < p.total ? half : at < 1000 && state.base > 0 ? -half : 0;
      if (step) {
        const base = Math.max(0, Math.min(state.base + step, p.total - windowed));
        box.current!.scrollTop = state.top -= (base - state.base) * p.row;
        state.base = base;
      }
    }
    // a few rows more are there than are in sight: nothing is drawn before other ones have to be
    const now = Math.max(0, state.base + Math.floor(state.top / p.row) - AROUND);
    if (now !== state.from) draw((n) => n + 1);
  };
  /** Brings a row into sight and gives it the focus. */
  const focus = (i: number) => {
    if (i < 0 || i >= p.total) return;
    state.at = i;
    if (i < state.base || i >= state.base + windowed) state.base = Math.max(0, Math.min(i - Math.floor(most / 2), p.total - windowed));
    const top = (i - state.base) * p.row, el = box.current!;
    if (top < el.scrollTop) el.scrollTop = top;
    else if (top + p.row > el.scrollTop + el.clientHeight) el.scrollTop = top + p.row - el.clientHeight;
    state.top = el.scrollTop;
    places.set(key, { top: state.top, at: i });
    draw((n) => n + 1);
    // at once where the row is there: the next key may come before it is drawn
    const row = () => el.querySelector<HTMLElement>(`[aria-rowindex="${i + 1}"]`);
    const there = row();
    if (there) there.focus({ preventScroll: true });
    else requestAnimationFrame(() => row()?.focus({ preventScroll: true }));
  };
  const keydown = (e: KeyboardEvent) => {
    if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(1, Math.floor(state.height / p.row) - 1);
    const moves: Record<string, number> = {
      ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page, Home: -p.total, End: p.total,
    };
    const move = moves[e.key];
    if (move !== undefined) focus(Math.max(0, Math.min(p.total - 1, state.at + move)));
    else if (e.key === 'Enter' && p.onOpen) p.onOpen(state.at);
    else if (!p.onKey?.(e.key, state.at)) return;
    e.preventDefault();
    e.stopPropagation();
  };
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    const move = (e: Event) => focus(Math.max(0, Math.min(p.total - 1, state.at + (e as CustomEvent<number>).detail)));
    el.addEventListener('sosia-move', move);
    return () => el.removeEventListener('sosia-move', move);
  });

  if (!p.total && p.empty) return <div class="list-empty">{p.empty}</div>;
  const focused = (i: number) => {
    state.at = i;
    state.placed = true;
  };
  const clicked = (i: number, e: Event) => {
    state.at = i;
    if (!(e.target as Element).closest('a,button,input,select')) p.onOpen?.(i);
  };
  const rows = [];
  for (let i = from; i < to; i++) {
    rows.push(
      <Row
        key={i} i={i} top={(i - state.base) * p.row} height={p.row} open={p.open === i} stop={i === stop} cells={p.children} classes={p.rowClass} focused={focused} clicked={clicked}
      />,
    );
  }
  return (
    <div
      class="list" ref={box} role="grid" aria-label={p.label} aria-rowcount={p.total} aria-colcount={p.columns}
      onScroll={scrolled} onKeyDown={keydown} data-list={p.id}
    >
      <div role="rowgroup" class="list-all" style={{ height: `${windowed * p.row}px` }}>{rows}</div>
    </div>
  );
}

/** Moves the focus of the screen's first list, wherever the focus is: j and k of the page. */
export function moveInList(by: number): boolean {
  const el = document.querySelector('main .list');
  el?.dispatchEvent(new CustomEvent('sosia-move', { detail: by }));
  return !!el;
}
