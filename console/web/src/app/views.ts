// SPDX-License-Identifier: Apache-2.0
// What a screen says of itself. The list of all is views/index.ts.
import type { ComponentType } from 'preact';
import type { Route } from './router';

export interface ViewProps {
  /** Name or key of the world; '' on screens of the server */
  world: string;
  /** The world, or WORLD@SEQ: what paths of the control interface take as {world} */
  place: string;
  /** The step that is looked at; undefined: now */
  seq: number | undefined;
  /** Of a screen of a person, that of the address; else the one chosen last. Undefined while people are loaded */
  actor: string | undefined;
  /** The state that marks are since */
  since: string | undefined;
  route: Route;
}

export interface View {
  /** The first segment of its address */
  name: string;
  title: string;
  /** server: not of a world. person: WORLD/VIEW/PERSON/... world: all others */
  of: 'server' | 'person' | 'world';
  /** g and this key go there */
  key?: string;
  /** Not in the sidebar */
  hidden?: boolean;
  /** A number beside its name, where it is known (read from signals) */
  count?: () => number | undefined;
  /** The address of what is shown, for "JSON" and "copy as curl" */
  json?: (p: ViewProps) => string | undefined;
  /** A chunk of its own */
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}
