// SPDX-License-Identifier: Apache-2.0
// Types of sosia for Node. Times are RFC 3339 texts down to a microsecond where they come from an engine; lengths of time are
// milliseconds unless a name says otherwise.
/// <reference types="node" />
import type { Agent } from 'node:http';

export type Code = 'NOT_MODIFIED' | 'INVALID' | 'UNAUTHENTICATED' | 'FORBIDDEN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'GONE' | 'PRECONDITION'
  | 'TOO_LARGE' | 'MEDIA_TYPE' | 'LIMIT' | 'INTERNAL' | 'FULL' | 'NO_MEMORY' | 'IO' | 'INTERRUPTED' | 'HANDLE';

/** What an engine refuses, or a server's control interface. */
export class SosiaError extends Error {
  constructor(message: string, code?: Code, reason?: string, where?: string, line?: number, status?: number);
  /** What a caller can do */
  readonly code: Code;
  /** A word for programs */
  readonly reason: string | undefined;
  /** The parameter, member or header at fault */
  readonly where: string | undefined;
  /** In a document, from 1 */
  readonly line: number | undefined;
  /** The HTTP status that it maps to */
  readonly status: number;
}

/** A connection that intercept() does not let out. */
export class RefusedError extends Error {
  readonly code: 'ERR_SOSIA_REFUSED';
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type Time = Date | string;
/** Milliseconds, or a sum of parts. */
export type Duration = number | { days?: number; hours?: number; minutes?: number; seconds?: number; ms?: number; us?: number };
export type ClockMode = 'frozen' | 'step' | 'real';
export type JournalMode = 'writes' | 'none' | 'all';
/** A document as an object, or as JSON or YAML. */
export type Document = object | string | Uint8Array;
type HeaderValue = string | number | boolean | bigint;
export type HeadersLike = Record<string, HeaderValue | readonly HeaderValue[] | null | undefined> | Iterable<readonly [string, string]> | readonly string[];

export interface CallRequest {
  /** GET without it */
  method?: string;
  /** A path and query, or a whole url, whose host decides whose API it is */
  url: string | URL;
  headers?: HeadersLike;
  /** What comes in pieces (a file's stream, a Blob, any iterable of bytes) wants callAsync() */
  body?: string | ArrayBufferView | ArrayBuffer | SharedArrayBuffer | Blob | AsyncIterable<string | Uint8Array> | Iterable<Uint8Array> | null;
  /** Of callAsync(): a body of more than 64 KiB comes by the answer's stream */
  stream?: boolean;
  /** In the place of body */
  json?: unknown;
  /** With a token of this address */
  as?: string;
  /** What absolute urls in the answer begin with; the vendor's own without it */
  baseUrl?: string;
}

/** A body that comes in pieces: of an answer that goes on, of a large file. */
export class Stream implements AsyncIterable<Buffer> {
  private constructor();
  /** In bytes; undefined where it goes on */
  readonly length: number | undefined;
  /** The next bytes; undefined: it has ended */
  read(): Promise<Buffer | undefined>;
  close(): void;
  readable(): ReadableStream<Uint8Array>;
  [Symbol.asyncIterator](): AsyncIterator<Buffer>;
}

/** What came of a call; decoded when it is asked for. */
export class Answer {
  private constructor();
  readonly status: number;
  /** A status from 200 to 299 */
  readonly ok: boolean;
  /** By names in lower case */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: [string, string][];
  /** Why it is refused, where the service's own words don't say */
  readonly why: string | undefined;
  /** A copy of the bytes */
  readonly body: Buffer;
  readonly length: number;
  readonly stream: Stream | undefined;
  text(): string;
  json<T = any>(): T;
}

export type FileFormat = 'mbox' | 'maildir' | 'eml' | 'ics' | 'vcf' | 'csv' | 'drive' | 'workspace' | 'takeout' | 'slack' | (string & {});
export type FileNoun = 'people' | 'messages' | 'events' | 'files' | 'folders' | 'links' | 'channels' | 'skipped';
export interface FileOptions {
  /** Whose mail, calendar or drive it is: an address */
  person?: string;
  /** Of a person with accounts of several */
  vendor?: string;
  /** A label or folder, a calendar's id, a folder's, a directory */
  place?: string;
}

export interface WorldInfo {
  world: string;
  name: string | null;
  snapshot: boolean;
  parent: string | null;
  now: string;
  clock: ClockMode;
  step_ms?: number;
  journal: JournalMode;
  evaluation: boolean;
  seed: number | bigint;
  size: number;
  base_size: number;
  expires: string | null;
  expires_by?: 'real' | 'world';
}
export interface Clock { now: string; clock: ClockMode; step_ms?: number }
export interface ActorInfo { id: number; email?: string; handle?: string; kind: string; name: string; zone?: string }
export interface Change { entity: string; change: 'added' | 'changed' | 'removed'; name?: string; title?: string; service?: string; person?: string; consequences?: Change[]; [member: string]: unknown }
export interface Diff { changes: Change[]; [member: string]: unknown }
export interface Grade { passed: boolean; reward: number; reason?: string; failures: unknown[]; parts?: unknown; unexpected?: unknown[]; diff?: Diff; [member: string]: unknown }
export interface JournalEntry { seq: number; at: string; actor?: string; method?: string; risk?: string; request?: { verb: string; target: string; [member: string]: unknown }; response?: { status: number; why?: string; [member: string]: unknown }; [member: string]: unknown }
export interface Journal { entries: JournalEntry[]; next?: number }
export interface JournalInfo { entries: number; [member: string]: unknown }
export interface OutboxEntry { id: number; at: string; kind: string; from?: string; to: string; payload: Record<string, unknown>; delivery?: { state: string; attempts: number; status?: number; error?: string } }
export interface Task { id: string; name?: string; difficulty?: string; prompt?: string; actor?: string; [member: string]: unknown }
export interface ReplayReport<W> { equal: boolean; ran: number; differences: unknown[]; world?: W; [member: string]: unknown }

export interface ForkOptions {
  name?: string;
  seed?: number | bigint;
  now?: Time;
  clock?: ClockMode;
  stepMs?: number;
  journal?: JournalMode;
  evaluation?: boolean;
  /** What the parent has not delivered yet: drop it (the default), or deliver it for the fork too */
  deliveries?: 'drop' | 'inherit';
  /** With the state after this entry of the journal */
  step?: number;
}
export interface WorldOptions<W> {
  /** A name, or the path of a document */
  fixture?: string;
  document?: Document;
  documentName?: string;
  /** A world or snapshot, by itself, its key or name */
  from?: W | string;
  name?: string;
  seed?: number | bigint;
  now?: Time;
  clock?: ClockMode;
  stepMs?: number;
  journal?: JournalMode;
  evaluation?: boolean;
  /** Whether the vendors' rate limits hold */
  rates?: boolean;
  ttlSeconds?: number;
}
export interface EngineOptions {
  /** Where worlds survive the process; without it they are in memory */
  dataDir?: string;
  maxWorlds?: number;
  maxWorldSize?: number;
  maxSize?: number;
  spoolDir?: string;
  spoolOver?: number;
  oauth?: 'world' | 'listed' | 'open' | 'never-open';
  worldSecret?: string;
  randomSecrets?: boolean;
  evaluation?: boolean;
  mcpFixture?: boolean;
}
export interface TokenOptions { scopes?: string | string[]; ttlSeconds?: number; value?: string; app?: string; kind?: 'user' | 'bot' | 'app'; prefix?: string }
export interface JournalQuery { after?: number; limit?: number; bodies?: boolean; method?: string; actor?: string; text?: string; failed?: boolean; label?: string }
export interface JournalExportOptions { format?: 'jsonl' | 'har' | 'otlp' | 'atif' | 'run'; after?: number; to?: number; secrets?: boolean }
export interface JournalKeepOptions { mode?: JournalMode; keep?: 'redacted' | 'full' | 'hashes'; steps?: number; stepBytes?: number; bytes?: number }
export interface ReplayOptions { from?: number; to?: number; first?: boolean; keep?: boolean; name?: string; edits?: string | unknown[]; journal?: string | Uint8Array; journalName?: string }
export interface DiffOptions<W> { from?: W | string; form?: 'json' | 'patch' | 'tables'; all?: boolean }
export interface GradeOptions<W> { task?: string; from?: W | string; answer?: string; judgements?: Record<string, boolean | number>; diff?: boolean }

/** How programs reach a world, or somebody in it. */
export interface Reachable {
  /** Answered here, whatever the host */
  readonly fetch: typeof globalThis.fetch;
  /** For undici and the global fetch: fetch(url, {dispatcher}) */
  readonly dispatcher: any;
  /** For node:http and node:https */
  readonly agent: Agent;
  /** For axios.create({adapter}) */
  readonly axiosAdapter: (config: any) => Promise<any>;
}

/** Somebody in a world: its calls and clients with a token of theirs. */
export class Actor<W extends World | RemoteWorld = World> implements Reachable {
  private constructor();
  readonly world: W;
  readonly email: string;
  readonly token: W extends World ? string : Promise<string>;
  readonly headers: { authorization: string };
  readonly fetch: typeof globalThis.fetch;
  readonly dispatcher: any;
  readonly agent: Agent;
  readonly axiosAdapter: (config: any) => Promise<any>;
  call(request: Omit<CallRequest, 'as'>): W extends World ? Answer : Promise<Answer>;
  callAsync(request: Omit<CallRequest, 'as'>): Promise<Answer>;
}

/** What a world sends to a receiver, in one attempt. */
export class Delivery {
  private constructor();
  readonly id: number;
  readonly at: string;
  readonly kind: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly payload: Record<string, unknown>;
  /** From 1 */
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  text(): string;
  json<T = any>(): T;
  request(): Request;
  /** Gives when the vendor tries again, by the world's clock; null: not */
  respond(answer?: DeliveryAnswer): Date | null;
  fail(error: string | Error, reason?: 'timeout' | 'connect' | 'tls' | 'redirects'): Date | null;
}
export interface DeliveryAnswer { status?: number; headers?: HeadersLike; body?: string | Uint8Array }

/** WebSockets of a world in this process */
export class Sockets {
  private constructor();
  readonly world: World;
  readonly port: number;
  /** ws://127.0.0.1:PORT; behind it goes /@HOST and a path of that host */
  readonly url: string;
  /** Ends its connections with 1001 */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A world in this process. */
export class World implements Reachable {
  private constructor();
  readonly engine: Engine;
  /** As in urls: 16 hexadecimal digits */
  readonly key: string;
  readonly name: string | null;
  readonly now: Date;
  readonly fetch: typeof globalThis.fetch;
  readonly dispatcher: any;
  readonly agent: Agent;
  readonly axiosAdapter: (config: any) => Promise<any>;
  /** Makes a call on this thread */
  call(request: CallRequest): Answer;
  /** Where something else keeps the world, or the answer waits for the disk, in another thread */
  callAsync(request: CallRequest): Promise<Answer>;
  /** Ends what promises have under way: they fail with INTERRUPTED. Gives how many */
  interrupt(): number;
  info(): WorldInfo;
  fork(options?: ForkOptions): World;
  /** With the state after an entry of the journal */
  step(entry: number, options?: Omit<ForkOptions, 'step'>): World;
  snapshot(name?: string): World;
  reset(options?: { to?: World | string; step?: number }): this;
  drop(): void;
  [Symbol.dispose](): void;
  seed(document: Document, options?: { name?: string }): this;
  dump(): any;
  dumpText(): string;
  hash(): string;
  diff(options?: DiffOptions<World>): Diff;
  grade(suite: Suite | Document, options?: GradeOptions<World>): Grade;
  export(path: string, options?: { secrets?: boolean }): void;
  /** What another program's file holds (docs/import.md), all of it or nothing */
  importFile(data: string | Uint8Array, format: FileFormat, options?: FileOptions & { name?: string }): Record<FileNoun, number>;
  exportFile(format: FileFormat, options?: FileOptions): Buffer;
  rename(name: string | null): void;
  ttl(seconds: number, options?: { by?: 'real' | 'world' }): void;
  rates(on: boolean): void;
  clock(): Clock;
  setClock(options: { now?: Time; clock?: ClockMode; stepMs?: number }): Clock;
  advance(by: Duration): Clock;
  actors(options?: { after?: number; limit?: number }): ActorInfo[];
  token(actor: string, options?: TokenOptions): string;
  revoke(token: string): void;
  asActor(email: string, options?: TokenOptions): Actor<World>;
  credential(kind: 'google_service_account' | 'google_authorized_user' | 'slack' | 'microsoft' | (string & {}), actor: string, baseUrl?: string): any;
  act(actor: string, service: string, doing: object): Promise<any>;
  journal(query?: JournalQuery): Journal;
  journalInfo(): JournalInfo;
  changes(entry: number): Diff;
  journalExport(options?: JournalExportOptions): string;
  journalKeep(options: JournalKeepOptions): void;
  replay(options?: ReplayOptions): ReplayReport<World>;
  outbox(options?: { after?: number; limit?: number }): OutboxEntry[];
  /** A port of loopback for its WebSockets: until it is closed the addresses that answers give out (Slack's
   *  apps.connections.open, rtm.connect) lead to it */
  sockets(): Promise<Sockets>;
  /** As they fall due */
  deliveries(options?: { signal?: AbortSignal }): AsyncGenerator<Delivery, void, void>;
  /** What fn gives is the receiver's answer. Gives a function that ends it */
  onDelivery(fn: (delivery: Delivery) => DeliveryAnswer | Response | void | Promise<DeliveryAnswer | Response | void>,
    options?: { onError?: (error: unknown) => void; wanted?: (delivery: Delivery) => boolean }): () => void;
}

/** Tasks to grade by. */
export class Suite {
  constructor(document: Document, name?: string);
  readonly tasks: Task[];
}

/** An engine in this process. */
export class Engine {
  constructor(options?: EngineOptions);
  readonly closed: boolean;
  /** Calls of other threads must be over: settled() */
  close(): void;
  settled(): Promise<void>;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
  info(): { worlds: number; size: number; durable: boolean; failedWrites: number; lastFailure: string };
  hosts(): readonly string[];
  world(options?: WorldOptions<World>): World;
  find(keyOrName: string): World;
  worlds(): World[];
  import(file: string, options?: { name?: string; secrets?: boolean }): World;
  suite(document: Suite | Document, name?: string): Suite;
  /** The world of requests that name none */
  setDefault(world: World): void;
  sweep(): number;
}

/** A world of a server: World, with promises. */
export class RemoteWorld implements Reachable {
  private constructor();
  readonly engine: RemoteEngine;
  readonly key: string;
  readonly fetch: typeof globalThis.fetch;
  readonly dispatcher: any;
  readonly agent: Agent;
  readonly axiosAdapter: (config: any) => Promise<any>;
  call(request: CallRequest): Promise<Answer>;
  callAsync(request: CallRequest): Promise<Answer>;
  info(): Promise<WorldInfo>;
  fork(options?: ForkOptions): Promise<RemoteWorld>;
  step(entry: number, options?: Omit<ForkOptions, 'step'>): Promise<RemoteWorld>;
  snapshot(name: string): Promise<RemoteWorld>;
  reset(options?: { to?: RemoteWorld | string; step?: number }): Promise<this>;
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  seed(document: Document, options?: { name?: string }): Promise<this>;
  dump(): Promise<any>;
  dumpText(): Promise<string>;
  hash(): Promise<string>;
  diff(options?: DiffOptions<RemoteWorld>): Promise<Diff>;
  grade(suite: { document: Document } | Document, options?: GradeOptions<RemoteWorld>): Promise<Grade>;
  export(path: string, options?: { secrets?: boolean }): Promise<void>;
  importFile(data: string | Uint8Array, format: FileFormat, options?: FileOptions & { name?: string }): Promise<Record<FileNoun, number>>;
  exportFile(format: FileFormat, options?: FileOptions): Promise<Buffer>;
  ttl(seconds: number, options?: { by?: 'real' | 'world' }): Promise<void>;
  rates(on: boolean): Promise<void>;
  clock(): Promise<Clock>;
  setClock(options: { now?: Time; clock?: ClockMode; stepMs?: number }): Promise<Clock>;
  advance(by: Duration): Promise<Clock>;
  actors(options?: { after?: number; limit?: number }): Promise<ActorInfo[]>;
  token(actor: string, options?: TokenOptions): Promise<string>;
  revoke(token: string): Promise<void>;
  asActor(email: string, options?: TokenOptions): Actor<RemoteWorld>;
  credential(kind: string, actor: string): Promise<any>;
  act(actor: string, service: string, doing: object): Promise<any>;
  journal(query?: JournalQuery): Promise<Journal>;
  journalInfo(): Promise<JournalInfo>;
  changes(entry: number): Promise<Diff>;
  journalExport(options?: JournalExportOptions): Promise<string>;
  journalKeep(options: JournalKeepOptions): Promise<void>;
  replay(options?: ReplayOptions): Promise<ReplayReport<RemoteWorld>>;
  outbox(options?: { after?: number; limit?: number }): Promise<OutboxEntry[]>;
}

/** The engine of a server: Engine, with promises. */
export class RemoteEngine {
  private constructor();
  readonly url: string;
  hosts(): Promise<readonly string[]>;
  world(options?: WorldOptions<RemoteWorld>): Promise<RemoteWorld>;
  find(keyOrName: string): Promise<RemoteWorld>;
  worlds(): Promise<RemoteWorld[]>;
  import(file: string, options?: { name?: string; secrets?: boolean }): Promise<RemoteWorld>;
  suite(document: Document): { document: Document };
  info(): Promise<any>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The server at url with its control key; without them those of SOSIA_URL and SOSIA_CONTROL_KEY. */
export function connect(url?: string, key?: string): RemoteEngine;

export interface InterceptOptions {
  /** Hosts that connections may go to: NAME or *.NAME, with :PORT or not; localhost is all of loopback */
  allow?: string[];
  /** More hosts that the world answers for */
  hosts?: string[];
}
export interface Interception { restore(): void; [Symbol.dispose](): void }

/** Whatever this program asks the vendors' hosts the world answers; other connections are refused. */
export function intercept(world: Reachable, options?: InterceptOptions): Interception;
export namespace intercept {
  /** While fn runs, and for what it awaits alone */
  function run<T>(world: Reachable, fn: () => T | Promise<T>, options?: InterceptOptions): Promise<T>;
}

/** A receiver of @slack/bolt without a port: new App({receiver}). */
export class WorldReceiver {
  constructor(world: World, options?: { appId?: string });
  init(app: any): void;
  start(): Promise<void>;
  /** Waits for those under way */
  stop(): Promise<void>;
}

export function versions(): { sosia: string; tzdata: string };
