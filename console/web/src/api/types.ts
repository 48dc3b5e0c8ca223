// Made by types.mjs of the OpenAPI document of the control interface. Not written by hand.
/* eslint-disable */
export type JsonObject = { [name: string]: any };
export type None = { [name: string]: never };

export interface Schemas {
  Act: {
    /** Handle or e-mail address of who does it */
    actor: string;
    /** Whose client: that of a service which has acts */
    service: string;
    /** What is done, in the service's terms: an object with one act */
    do: JsonObject;
  };
  Acted: {
    /** And what the person sees, in the service's terms */
    ok?: boolean;
  };
  Actor: {
    id: number;
    /** Its name, where that is not the email */
    handle?: string;
    /** Absent where it has none */
    email?: string;
    /** person, bot, app, service or resource */
    kind: string;
    name: string;
    zone: string;
  };
  Actors: {
    actors: Array<Schemas['Actor']>;
  };
  AdvanceClock: {
    seconds?: number;
    /** Microseconds */
    us?: number;
  };
  Approval: {
    action: string;
    /** drafted, held, approved, rejected, executed, or expired */
    state: string;
    /** Who asks */
    actor: string;
    /** Through which app */
    app?: string;
    method: string;
    /** Of a model's */
    tool?: string;
    policy: string;
    version?: string;
    /** Of the policy */
    hash: string;
    rule?: string;
    why?: string;
    held: string;
    expires: string;
    decided?: string;
    by?: string;
    comment?: string;
    executed?: string;
    /** What is asked for */
    arguments: any;
    /** What the approver has set */
    edits?: any;
    /** Who has to decide, after an escalation */
    asked?: string;
    /** What it would do, of one that is asked for */
    outcome?: any;
    /** And what its program has asked of services, each with method, target and status */
    calls?: any;
  };
  Approvals: {
    approvals: Array<Schemas['Approval']>;
  };
  CalendarEvents: {
    /** {"id", "series", "calendar", "title", "start", "end", "zone", "all_day", "status", "me", "guests"}: by calendar and start; times are instants, those of all-day events dates */
    rows: Array<JsonObject>;
    /** Of a calendar there are more than 2500 */
    more: boolean;
  };
  CalendarList: {
    /** Whose service they are of */
    vendor?: string;
    /** With whom the person has some */
    vendors: Array<string>;
    /** {"id", "key", "name", "zone", "main"} */
    calendars: Array<JsonObject>;
  };
  Change: {
    entity: string;
    /** added, removed or changed */
    change: string;
    /** The same in every diff: "event/ada@acme.example/e1" */
    name?: string;
    service?: string;
    /** Whose it is; absent: nobody's */
    person?: string;
    /** A summary, a subject, a name: for people */
    title?: string;
    key: JsonObject;
    /** Of what changed: {"from", "to"} by dotted path; of lists "removed" and "added" too */
    fields?: JsonObject;
    /** What was added or removed */
    value?: JsonObject;
    /** What follows from it: guests' copies, mail of invitations, recipients' copies */
    consequences?: Array<Schemas['Change']>;
    /** With causes: the last call that had to do with it, as an entry of the journal */
    seq?: number;
    /** Who made that call */
    actor?: string;
    /** And of which method it was */
    method?: string;
  };
  Clock: {
    now: string;
    clock: "frozen" | "step" | "real";
    /** Of a stepping clock */
    step_ms?: number;
  };
  ConsentLink: {
    /** Good once, to prove to a program's page of consent who it is */
    link: string;
    world: string;
    actor: string;
    expires: string;
  };
  ConsoleCode: {
    code: string;
    /** With the code in its fragment */
    url: string;
    expires: string;
  };
  ConsoleSession: {
    /** Authorization: Bearer SESSION */
    session: string;
    expires: string;
    read_only: boolean;
  };
  CreateWorld: {
    /** The name of a fixture that the server has */
    fixture?: string;
    /** Key or name of a snapshot or a world to start from */
    from?: string;
    /** A seed document: an object, or a string of JSON or YAML */
    seed_document?: string | JsonObject;
    /** What messages call the document */
    document_name?: string;
    /** Unique among worlds */
    name?: string;
    /** Without it: as in the world it starts from, else the server's default */
    clock?: "frozen" | "step" | "real";
    /** What each call moves a stepping clock by; down to a microsecond */
    step_ms?: number;
    /** The time it starts at */
    now?: string;
    /** Of its ids */
    seed?: number;
    /** Which calls the journal keeps */
    journal?: "writes" | "none" | "all";
    /** Somebody is judged in it: no receivers, no registration, closed sign-in, all calls in the journal; for good */
    evaluation?: boolean;
    /** Dropped after this much real time; 0: never */
    ttl_seconds?: number;
    /** Whether the vendors' documented rate limits hold */
    rates?: boolean;
    /** Names and shapes of the tools that models see */
    tools?: "common" | "native" | "hosted" | "reference" | "community" | "workspace" | "softeria" | "agent365";
  };
  Decide: {
    /** edit approves it with other arguments */
    decision: "approve" | "reject" | "edit" | "escalate";
    /** Of edit: what they are set to, values by path ("body.summary") */
    arguments?: JsonObject | string;
    /** Of escalate: who is to decide, a name or a class of the policy's approvers */
    to?: string;
    /** Who decides, for the journal */
    by?: string;
    /** Why */
    comment?: string;
  };
  DerivedPolicy: {
    /** The document */
    policy: string;
    methods: Array<string>;
    /** held (of tokens with scopes), used, unused: lists */
    scopes: any;
  };
  Diff: {
    changes: Array<Schemas['Change']>;
    /** Where a part is asked for: how many changes there are of those that are */
    total?: number;
    /** The offset to go on with */
    next?: number;
  };
  DropWorlds: {
    /** Keys or names, up to 1000 */
    worlds: string | Array<string>;
  };
  Due: {
    now: string;
    /** {"at", "core", "kind"}: what it is to the service that waits for it */
    due: Array<JsonObject>;
    total: number;
  };
  Error: {
    error: Schemas['Fault'];
  };
  Explore: {
    /** Kinds, with commas between */
    faults?: string;
    /** Faults in a run */
    depth?: number;
    /** At once */
    threads?: number;
    /** The first entry */
    from?: number;
    /** The last one */
    to?: number;
    /** What each run is judged by; without it none is */
    suite?: string | JsonObject;
    /** What messages call the suite, until it says its own name */
    suite_name?: string;
    /** Which of the suite's tasks; without it the only one */
    task?: string;
    /** What was said at the end of the run */
    answer?: string;
  };
  Explored: {
    /** Runs in which something happened twice or not at all, which end ungraded, or whose verdict is another */
    findings: Array<JsonObject>;
    /** Of the run as it was: task, whether it is passed, and how many others are not so */
    verdict?: JsonObject;
    /** Entries of the run */
    calls: number;
    /** Runs */
    branches: number;
    /** Runs in which something happened twice */
    twice: number;
    /** Runs in which something did not happen */
    not_at_all: number;
    /** Runs in which a later call was refused that was not before */
    refused_later: number;
    /** Runs that could not go on to the end */
    ungraded: number;
  };
  Fault: {
    /** The status */
    code: number;
    /** A word for programs */
    reason: string;
    message: string;
    /** In the body or document at fault */
    line?: number;
    /** The parameter or member at fault */
    field?: string;
  };
  ForkWorld: {
    /** Unique among worlds; for a single fork */
    name?: string;
    /** Of its ids; without it the parent's */
    seed?: number;
    /** Its time; without it the parent's */
    now?: string;
    /** How many forks; the response is the first one with the keys of all */
    count?: number;
    /** E-mail addresses of those who get a token for each fork; without it the first one in the world who can call; an empty list: nobody */
    actors?: string | Array<string>;
    /** What the parent has not delivered yet: drop (the default) or inherit, to deliver it for the fork too */
    deliveries?: "drop" | "inherit";
    /** Somebody is judged in it: no receivers, no registration, closed sign-in, all calls in the journal; without it as the parent */
    evaluation?: boolean;
    /** With the state after this entry of the journal; without it the present one */
    step?: number;
    /** Which calls its journal keeps; without it those that the parent's keeps, or all where the suite asks for calls that only read */
    journal?: "writes" | "none" | "all";
    /** What is to be judged in it: the journal must keep what that asks for */
    suite?: string | JsonObject;
    /** What messages call the suite, until it says its own name */
    suite_name?: string;
    /** Which of the suite's tasks; without it all of them */
    task?: string;
  };
  Forks: {
    /** Their keys */
    worlds: Array<string>;
    /** Of each fork, for each of its actors */
    tokens: Array<Schemas['Token']>;
  };
  Found: {
    hits: Array<Schemas['Hit']>;
    /** Services of which there are, or may be, more */
    full: Array<string>;
  };
  GradeWorlds: {
    /** A suite: an object, or a string of JSON or YAML */
    suite: string | JsonObject;
    /** What messages call it, until it says its own name */
    suite_name?: string;
    /** Its id; without it the only one of the suite */
    task?: string;
    /** Key or name of the state before; without it what each world resets to */
    from?: string;
    /** With the diff of each world */
    diff?: boolean;
    /** What the agent said at the end; of a single world */
    answer?: string;
    /** The same of each world, in their order: a list of strings, null where nothing was said */
    answers?: any;
    /** What others made of it, by the name that a "judge" of the task has: an object of true, false or numbers from 0 to 1; of several worlds a list of such objects, null where there are none */
    judgements?: any;
    /** What is done with the worlds when all of them are graded: keep (the default), reset or drop them */
    then?: "keep" | "reset" | "drop";
    /** Key or name of a world or snapshot that is forked once for each graded world, before these are reset or dropped */
    fork?: string;
    /** E-mail addresses of those who get a token for each fork; without it the first one in the world who can call; an empty list: nobody */
    actors?: string | Array<string>;
    /** Keys or names, up to 1000 */
    worlds: string | Array<string>;
  };
  Grades: {
    /** One a world: passed, reason, reward, score, failures, parts, unexpected, unexpected_calls, versions */
    results: Array<any>;
    /** One a world, if asked for */
    diffs?: Array<any>;
    /** What fork has made */
    forks?: Schemas['Forks'];
  };
  Hash: {
    /** Of the dump without its lines "time" and "seed": equal for equal state */
    sha256: string;
  };
  Health: {
    status: string;
    version: string;
    tzdata: string;
  };
  Hit: {
    /** The core that has it: mail, calendar, drive, chat, tasks, identity */
    service: string;
    entity: string;
    /** As in diffs and histories */
    name: string;
    key: JsonObject;
    /** In lists of the core */
    id?: string;
    /** Whose it is, or who wrote it */
    actor?: string;
    /** Of the account that has it */
    vendor?: string;
    title?: string;
    snippet?: string;
    /** The calendar's or the channel's id */
    place?: string;
    at?: string;
    /** Of what lasts whole days: its first one */
    day?: string;
  };
  History: {
    /** {"seq", "at", "actor", "method", "change"}: what the call changed of it is as in a diff */
    calls: Array<JsonObject>;
    /** To go on before; absent when that was all that is kept */
    next?: number;
  };
  IssueToken: {
    /** Handle or e-mail address of somebody in the world */
    actor: string;
    /** Separated by spaces or commas. Without it: everything */
    scopes?: string | Array<string>;
    /** By the world's clock; 0: it never expires */
    ttl_seconds?: number;
    /** A fixed token, stored in the world; without it one that the server signs */
    value?: string;
    /** Client id of an app of the world that the token is for */
    app?: string;
    kind?: "user" | "bot" | "app";
    /** Of a signed token, as a vendor's programs expect it; ends with neither a letter nor a digit */
    prefix?: string;
  };
  Journal: {
    entries: Array<Schemas['JournalEntry']>;
    /** To go on behind; absent when that was all */
    next?: number;
  };
  JournalEntry: {
    seq: number;
    at: string;
    /** Handle of whom the credential stood for */
    actor?: string;
    /** The credential, where it is not the person's for everything: {"kind", ...} */
    as?: JsonObject;
    /** The vendor's id of the method */
    method?: string;
    /** Of a call that may write: by its arguments, where they decide */
    risk?: "read" | "draft" | "write" | "external" | "destructive";
    /** With effects, of a call that wrote: {"added", "changed", "removed"} */
    effect?: JsonObject;
    /** How long the engine took, where the world's clock is real */
    took_us?: number;
    /** Of a call: {"verb", "target", ...} */
    request?: JsonObject;
    /** Of a call: {"status", ...}, with "why" it was refused */
    response?: JsonObject;
    /** Of a call that waited for a receiver: "id" of the outbox's entry */
    suspended?: number;
    /** Of its second half: what came back */
    resumed?: JsonObject;
    /** What came of a delivery */
    outcome?: JsonObject;
    /** A frame of a session, its beginning or end */
    session?: JsonObject;
    /** Of what was done to the world itself */
    control?: JsonObject;
    /** What policies made of it: {"decision", "policy", "rule", ...} */
    guard?: JsonObject;
    /** The trouble that it was given: {"kind", ...} */
    fault?: JsonObject;
    /** The budget that stopped it */
    stop?: JsonObject;
    /** What the agent said of the call */
    labels?: JsonObject;
    /** Which numbers of the streams of ids it took */
    ids?: JsonObject;
    /** The same of what fell due before it */
    fired?: JsonObject;
    /** A hash of the pages that were changed */
    state?: string;
  };
  JournalFile: JsonObject;
  JournalInfo: {
    /** Number of the last one */
    entries: number;
    /** Number of the first that is left */
    first: number;
    /** Number of the last entry before the world's own */
    start: number;
    mode: "writes" | "none" | "all";
    keep: "redacted" | "full" | "hashes";
    /** States that are kept: {"most", "kept", "first", "bytes", "most_bytes"} */
    steps: JsonObject;
    /** Of its own entries */
    bytes: number;
    /** That they may have; absent without a bound */
    most_bytes?: number;
    /** Calls of nobody, which have no entry: {"calls", "last"} */
    refused: JsonObject;
    /** SHA-256 of the chain; absent with head=false */
    head?: string;
    /** {"engine", "tzdata"} */
    versions: JsonObject;
  };
  JournalStrip: {
    /** {"from", "to", "at", "reads", "writes", "refused", "held", "errors"}: the entries that each is of, the time of its first, and how many calls of which sort there are */
    buckets: Array<JsonObject>;
  };
  Limits: {
    /** How many there are */
    worlds: number;
    /** What they hold of their own */
    bytes: number;
    max_worlds: number | null;
    max_bytes: number | null;
    max_world_bytes: number | null;
  };
  MadeCalls: {
    /** One a call, in their order: status, headers, and text, or base64 where it is not UTF-8, or length alone of what is too long. None of calls that were not made because there are 16 MiB already */
    responses: Array<any>;
  };
  MailFolders: {
    /** Whose service they are of */
    vendor?: string;
    /** With whom the person has some */
    vendors: Array<string>;
    /** {"id", "name", "kind", "total", "unread", "parent", "hidden"}; kind: folder, label or keyword */
    folders: Array<JsonObject>;
  };
  MailMessage: {
    id: string;
    thread: string;
    at: string;
    from?: string;
    to?: string;
    subject?: string;
    snippet?: string;
    /** Their ids */
    folders: Array<string>;
    unread: boolean;
    /** It has some */
    files: boolean;
    size: number;
    /** {"name", "value"}, decoded; not in lists */
    headers?: Array<JsonObject>;
    /** At most 1 MiB; of a message that is HTML alone what that says */
    text?: string;
    /** As it is: it may hold anything */
    html?: string;
    /** {"n", "type", "name", "size", "cid"} */
    parts?: Array<JsonObject>;
  };
  MailMessages: {
    /** Of the folder; with q, how many are known so far */
    total: number;
    rows: Array<Schemas['MailMessage']>;
    /** The offset to go on with; absent: that was all */
    next?: number;
  };
  MakeCalls: {
    /** A list of up to 100 objects: method, target (path and query), and where they are wanted token, headers, and body (any JSON) or text, with its media type as type */
    calls: any;
    /** Of whom makes those calls that have none of their own */
    token?: string;
  };
  MakeCode: {
    /** The session may only read */
    read_only?: boolean;
  };
  MakeConsentLink: {
    /** Handle or e-mail address of a person of the world */
    actor: string;
    /** By the world's clock; an hour without it */
    ttl_seconds?: number;
  };
  MakeSession: {
    code?: string;
    /** The control key, without a code */
    key?: string;
    /** It may only read, as it may in any case where its code says so */
    read_only?: boolean;
  };
  Outbox: {
    entries: Array<Schemas['OutboxEntry']>;
  };
  OutboxEntry: {
    id: number;
    at: string;
    /** mail, pubsub, webhook or session */
    kind: string;
    /** Who sends it: an address, a vendor */
    from: string;
    /** Where it goes: an address, a URL */
    to: string;
    /** What is sent */
    payload: JsonObject;
    /** Of an entry that goes to a receiver: {"state", "attempts", ...} */
    delivery?: JsonObject;
  };
  Outcome: {
    /** When the next attempt is due, by the world's clock; null: there is none */
    again: string | null;
  };
  Policies: {
    policies: Array<Schemas['Policy']>;
  };
  Policy: {
    name: string;
    /** As the document says it */
    version?: string;
    /** SHA-256 of the document */
    hash?: string;
    workflow?: string;
    tenant?: string;
    /** How many it has */
    rules?: number;
    /** Why it can't be read: until it is replaced nobody's calls are served */
    broken?: string;
    /** The document itself, of one that is asked for */
    document?: string;
  };
  Replay: {
    /** All ran as it is recorded, without edits */
    equal: boolean;
    /** {"seq", "what", "recorded", "came"} */
    differences: Array<JsonObject>;
    /** The entries behind this one */
    from: number;
    /** Why nothing ran, though there are entries */
    why?: string;
    /** Entries up to this one are gone, as the journal keeps so many bytes */
    gone?: number;
    /** Up to this one */
    to: number;
    /** Entries that ran */
    ran: number;
    /** Entries that can't be run, whose state was taken as it is kept */
    taken: number;
    /** Entries that edits left out, or made impossible */
    left_out: number;
    /** Entries that ran otherwise, also those that the list has no room for */
    different: number;
    /** Number of the entry at which it ended, since no state of then is kept */
    stopped?: number;
    /** Of a file: whether the hashes of what was written are the same too */
    pages?: boolean;
    /** Key of the world that was kept */
    world?: string;
  };
  ReplayJournal: {
    /** The entries behind this one; without it those of the world's own */
    from?: number;
    /** Up to this one */
    to?: number;
    /** Stops at the first difference */
    first?: boolean;
    /** What is otherwise this time: a list, as text (docs/replay.md) */
    edits?: string;
    /** The end becomes a world */
    keep?: boolean;
    /** Of that world */
    name?: string;
    /** An exported journal (jsonl), whose entries run on the state that the world resets to; without it the world's own */
    journal?: string;
    /** What messages call that file */
    journal_name?: string;
  };
  ReportWorld: {
    /** A suite: an object, or a string of JSON or YAML */
    suite: string | JsonObject;
    /** What messages call it, until it says its own name */
    suite_name?: string;
    /** Its id; without it the only one of the suite */
    task?: string;
    /** Key or name of the state before; without it what the world resets to */
    from?: string;
    /** What the agent said at the end */
    answer?: string;
    /** What others made of it, by the name that a "judge" of the task has: an object of true, false or numbers from 0 to 1 */
    judgements?: any;
  };
  ResetWorld: {
    /** To the state after this entry of the journal, in the place of `to` */
    step?: number;
    /** Key or name of a snapshot or world; without it the state at its creation */
    to?: string;
  };
  ResetWorlds: {
    /** Keys or names, up to 1000 */
    worlds: string | Array<string>;
    /** Key or name of a snapshot or world; without it the state at their creation */
    to?: string;
  };
  RevokeToken: {
    token: string;
  };
  Run: {
    id: string;
    at: string;
    suite?: string;
    task?: string;
    passed?: boolean;
    reward?: number;
    /** Of the agent, as the loop has it; this and what follows as far as the loop has written it */
    version?: string;
    calls?: number;
    refused?: number;
    /** US dollars */
    cost?: number;
    tokens?: number;
    seconds?: number;
    /** Of failures */
    kinds?: Array<string>;
    /** Of its journal */
    entries?: number;
    /** The task, with what the world was made of */
    of?: JsonObject;
    verdict?: JsonObject;
    diff?: JsonObject;
    output?: string;
    complaint?: string;
  };
  Runs: {
    total: number;
    /** Without their contents */
    runs: Array<Schemas['Run']>;
    /** The offset to go on with */
    next?: number;
  };
  SeedDocument: {
    /** Version of the format */
    sosia: number;
    time: string;
  };
  SetClock: {
    /** Sets the time; what would have been due in between is not fired */
    now?: string;
    clock?: "frozen" | "step" | "real";
    /** What each call moves a stepping clock by; down to a microsecond */
    step_ms?: number;
  };
  SetJournal: {
    /** Which calls */
    mode?: "writes" | "none" | "all";
    /** What of each */
    keep?: "redacted" | "full" | "hashes";
    /** How many states, the latest ones; 1000 without it */
    steps?: number;
    /** What they may hold, in whole MiB; 64 MiB without it */
    step_bytes?: number;
    /** What the entries may have, in whole MiB, 0 without bound; 64 MiB without it */
    bytes?: number;
  };
  SetOutcome: {
    /** From 1 */
    attempt: number;
    /** Of the receiver's response; without it none came */
    status?: number;
    /** Why no response came; either this or status */
    error?: string;
    /** Of the response's body */
    content_type?: string;
    /** Of the response */
    body?: string;
  };
  SetTools: {
    /** Names and shapes of the tools that models see */
    tools: "common" | "native" | "hosted" | "reference" | "community" | "workspace" | "softeria" | "agent365";
  };
  SetRates: {
    /** Whether the vendors' documented rate limits hold, by the world's clock */
    on: boolean;
  };
  SetTimeToLive: {
    /** From now; 0: never */
    seconds: number;
    /** Real time (the default) or the world's clock */
    by?: "real" | "world";
  };
  Simulation: {
    calls: number;
    allowed: number;
    denied: number;
    held: number;
    /** By dryRun */
    tried: number;
    /** What was not just allowed: seq, actor, method, target, decision, rule, why */
    decisions: Array<any>;
  };
  SnapshotWorld: {
    /** Unique among worlds */
    name?: string;
  };
  Task: {
    id: string;
    list?: string;
    /** In the place of a list */
    plan?: string;
    bucket?: string;
    title: string;
    status: "open" | "in progress" | "completed" | "waiting" | "deferred";
    percent: number;
    /** 0 is the most urgent */
    priority: number;
    start?: string;
    due?: string;
    reminder?: string;
    completed?: string;
    /** "RRULE:..." */
    recurrence?: string;
    /** It has some */
    notes: boolean;
    steps: number;
    /** Of its steps */
    done: number;
    links: number;
    /** Who shall do it; in lists the first eleven */
    people: Array<string>;
    /** Its notes; this and what follows in one alone */
    text?: string;
    /** They are HTML, as it is */
    html?: boolean;
    labels?: Array<string>;
    creator?: string;
    created?: string;
    changed?: string;
    /** Steps: {"title", "done"} */
    items?: Array<JsonObject>;
    /** Links: {"title", "url", "app"} */
    sources?: Array<JsonObject>;
  };
  TaskLists: {
    /** Whose service they are of */
    vendor: string;
    /** With whom the person has some */
    vendors: Array<string>;
    /** {"id", "name", "kind", "total", "open"}; kind: own, usual (the one that everybody has) or flagged */
    lists: Array<JsonObject>;
    /** {"id", "name", "team", "total", "open", "buckets": [{"id", "name"}]}: of groups that the person is in, or with something to do for the person */
    plans: Array<JsonObject>;
    /** How much the person has to do in plans */
    assigned: number;
  };
  Tasks: {
    total: number;
    /** Without their contents */
    rows: Array<Schemas['Task']>;
    /** The offset to go on with */
    next?: number;
  };
  Token: {
    token: string;
    world: string;
    actor: string;
  };
  Transferred: {
    /** How many came */
    people: number;
    messages: number;
    events: number;
    files: number;
    folders: number;
    links: number;
    channels: number;
    /** What is there already, or has no place in a world */
    skipped: number;
  };
  Trouble: {
    /** Why a document can't be read any more */
    broken?: string;
    /** The document (docs/faults.md) */
    faults?: JsonObject;
    /** Of that document */
    hash?: string;
    /** {"name", "fault", "matched", "injected"} */
    rules?: Array<JsonObject>;
    /** The document of budgets */
    budgets?: JsonObject;
    /** Of each limit what is used up, by whoever has used the most */
    used?: Array<JsonObject>;
  };
  TroubleReport: {
    /** Each with the call that was made again */
    faults: Array<JsonObject>;
    /** How many */
    injected: number;
    /** Calls that were made again behind a fault */
    made_again: number;
    /** {"honoured", "not_honoured", "not_known"}: of those that had one */
    retry_after: JsonObject;
    /** Of calls that write and can't be made twice, behind a fault that leaves open whether they were done */
    made_again_unsafely: number;
    /** Of those, what was done before and again */
    done_twice: number;
  };
  UpdateWorld: {
    /** Unique among worlds; empty: none */
    name?: string;
    /** Not part of the state: no fork, dump, diff or hash has it, and a reset leaves it; empty: none */
    note?: string;
  };
  Workflow: {
    id: string;
    at: string;
    /** It is what the workflow was promoted by */
    promoted: boolean;
    workflow: string;
    version?: string;
    /** Who acted: reference, command, recorded */
    driver?: string;
    /** All of its checklist holds */
    passed: boolean;
    figures?: JsonObject;
    /** As `sosia workflow check --json` prints it: checklist, runs, hashes */
    evidence?: JsonObject;
    /** The "id" of what it was promoted by, where that is another */
    against?: string;
    /** Something has become worse since */
    worse?: boolean;
    /** "regressions" and "differences" */
    comparison?: JsonObject;
  };
  Workflows: {
    /** Without their contents */
    workflows: Array<Schemas['Workflow']>;
  };
  WorkspaceImported: {
    /** How many came */
    files: number;
    directories: number;
    links: number;
    /** Devices, pipes and sockets, which are not kept */
    skipped: number;
  };
  WorkspaceList: {
    /** Below /data; empty: all of it */
    path: string;
    entries: Array<Schemas['WorkspaceNode']>;
  };
  WorkspaceNode: {
    /** Below /data */
    path: string;
    kind: "file" | "directory" | "link";
    /** Octal digits */
    mode: string;
    size: number;
    modified: string;
    /** Of a link */
    target?: string;
  };
  World: {
    /** Its key, as in URLs */
    world: string;
    name: string | null;
    /** Nobody can write it */
    snapshot: boolean;
    /** Where programs find its services */
    url: string;
    /** Key of what it was made from or reset to */
    parent: string | null;
    now: string;
    clock: "frozen" | "step" | "real";
    /** Of a stepping clock */
    step_ms?: number;
    journal: "writes" | "none" | "all";
    /** Somebody is judged in it */
    evaluation: boolean;
    seed: number;
    /** Bytes of its own */
    size: number;
    /** Bytes of the whole world, shared ones included */
    base_size: number;
    expires: string | null;
    expires_by?: "real" | "world";
    /** The parent's name, or its key where it has none; absent: it is gone */
    parent_name?: string;
    /** When, in real time */
    made?: string;
    /** When its last call was put down, in real time; absent: none since the server began */
    used?: string;
    /** Entries of its journal, without those that it goes on from; absent: the world is on disk alone for now */
    calls?: number;
    /** How many worlds were made from it, where that was asked for */
    children?: number;
    /** What people say of it; absent: nothing */
    note?: string;
    /** After a fork with a count: the keys of all forks */
    worlds?: Array<string>;
    /** After a fork: of each fork, for each of its actors */
    tokens?: Array<Schemas['Token']>;
  };
  Worlds: {
    worlds: Array<Schemas['World']>;
    /** What to give as "after" for the next page; null: this is the last one */
    next: string | null;
  };
}

export interface Paths {
  "/worlds": {
    post: { path: None; query: None; body: Schemas['CreateWorld']; answer: Schemas['World'] };
    get: { path: None; query: { limit?: number; after?: string; parent?: string; q?: string; snapshots?: boolean; children?: boolean }; body: undefined; answer: Schemas['Worlds'] };
  };
  "/worlds/import": {
    post: { path: None; query: { name?: string; secrets?: boolean }; body: unknown; answer: Schemas['World'] };
  };
  "/worlds/grade": {
    post: { path: None; query: None; body: Schemas['GradeWorlds']; answer: Schemas['Grades'] };
  };
  "/worlds/reset": {
    post: { path: None; query: None; body: Schemas['ResetWorlds']; answer: undefined };
  };
  "/worlds/drop": {
    post: { path: None; query: None; body: Schemas['DropWorlds']; answer: undefined };
  };
  "/worlds/{world}": {
    get: { path: { world: string }; query: None; body: undefined; answer: Schemas['World'] };
    patch: { path: { world: string }; query: None; body: Schemas['UpdateWorld']; answer: Schemas['World'] };
    delete: { path: { world: string }; query: None; body: undefined; answer: undefined };
  };
  "/worlds/{world}/fork": {
    post: { path: { world: string }; query: None; body: Schemas['ForkWorld']; answer: Schemas['World'] };
  };
  "/worlds/{world}/reset": {
    post: { path: { world: string }; query: None; body: Schemas['ResetWorld']; answer: Schemas['World'] };
  };
  "/worlds/{world}/snapshot": {
    post: { path: { world: string }; query: None; body: Schemas['SnapshotWorld']; answer: Schemas['World'] };
  };
  "/worlds/{world}/ttl": {
    put: { path: { world: string }; query: None; body: Schemas['SetTimeToLive']; answer: Schemas['World'] };
  };
  "/worlds/{world}/rates": {
    put: { path: { world: string }; query: None; body: Schemas['SetRates']; answer: Schemas['World'] };
  };
  "/worlds/{world}/faults": {
    get: { path: { world: string }; query: None; body: undefined; answer: Schemas['Trouble'] };
    put: { path: { world: string }; query: { document_name?: string }; body: any; answer: Schemas['Trouble'] };
    delete: { path: { world: string }; query: None; body: undefined; answer: Schemas['Trouble'] };
  };
  "/worlds/{world}/faults/report": {
    get: { path: { world: string }; query: None; body: undefined; answer: Schemas['TroubleReport'] };
  };
  "/worlds/{world}/budgets": {
    put: { path: { world: string }; query: { document_name?: string }; body: any; answer: Schemas['Trouble'] };
    delete: { path: { world: string }; query: None; body: undefined; answer: Schemas['Trouble'] };
  };
  "/worlds/{world}/explore": {
    post: { path: { world: string }; query: None; body: Schemas['Explore']; answer: Schemas['Explored'] };
  };
  "/worlds/{world}/tools": {
    put: { path: { world: string }; query: None; body: Schemas['SetTools']; answer: Schemas['World'] };
  };
  "/worlds/{world}/seed": {
    post: { path: { world: string }; query: { document_name?: string }; body: any; answer: Schemas['World'] };
  };
  "/worlds/{world}/dump": {
    get: { path: { world: string }; query: { sections?: string; person?: string; text?: string; guard?: boolean }; body: undefined; answer: Schemas['SeedDocument'] };
  };
  "/worlds/{world}/hash": {
    get: { path: { world: string }; query: None; body: undefined; answer: Schemas['Hash'] };
  };
  "/worlds/{world}/export": {
    get: { path: { world: string }; query: { secrets?: boolean }; body: undefined; answer: unknown };
  };
  "/worlds/{world}/workspace": {
    get: { path: { world: string }; query: { path?: string; recursive?: boolean }; body: undefined; answer: Schemas['WorkspaceList'] };
  };
  "/worlds/{world}/workspace/content": {
    get: { path: { world: string }; query: { path?: string }; body: undefined; answer: unknown };
    put: { path: { world: string }; query: { path?: string }; body: unknown; answer: Schemas['WorkspaceImported'] };
  };
  "/worlds/{world}/transfer": {
    post: { path: { world: string }; query: { format: string; person?: string; vendor?: string; place?: string; name?: string }; body: unknown; answer: Schemas['Transferred'] };
    get: { path: { world: string }; query: { format: string; person?: string; vendor?: string; place?: string }; body: undefined; answer: unknown };
  };
  "/diff": {
    get: { path: None; query: { from?: string; to: string; form?: "json" | "patch" | "seed" | "tables" | "across"; all?: boolean; causes?: boolean; person?: string; entity?: string; offset?: number; limit?: number; summary?: boolean }; body: undefined; answer: Schemas['Diff'] };
  };
  "/worlds/{world}/clock": {
    get: { path: { world: string }; query: None; body: undefined; answer: Schemas['Clock'] };
    put: { path: { world: string }; query: None; body: Schemas['SetClock']; answer: Schemas['Clock'] };
  };
  "/worlds/{world}/clock/advance": {
    post: { path: { world: string }; query: None; body: Schemas['AdvanceClock']; answer: Schemas['Clock'] };
  };
  "/worlds/{world}/tokens": {
    post: { path: { world: string }; query: None; body: Schemas['IssueToken']; answer: Schemas['Token'] };
  };
  "/worlds/{world}/consents": {
    post: { path: { world: string }; query: None; body: Schemas['MakeConsentLink']; answer: Schemas['ConsentLink'] };
  };
  "/worlds/{world}/credentials": {
    get: { path: { world: string }; query: { actor: string; kind: string }; body: undefined; answer: any };
  };
  "/worlds/{world}/tokens/revoke": {
    post: { path: { world: string }; query: None; body: Schemas['RevokeToken']; answer: undefined };
  };
  "/worlds/{world}/journal": {
    put: { path: { world: string }; query: None; body: Schemas['SetJournal']; answer: Schemas['JournalInfo'] };
    get: { path: { world: string }; query: { after?: number; before?: number; limit?: number; order?: "oldest" | "newest"; bodies?: boolean; method?: string; actor?: string; text?: string; failed?: boolean; label?: string; status?: string; decision?: string; times?: boolean; effects?: boolean; risk?: "read" | "draft" | "write" | "external" | "destructive" }; body: undefined; answer: Schemas['Journal'] };
  };
  "/worlds/{world}/journal/info": {
    get: { path: { world: string }; query: { head?: boolean }; body: undefined; answer: Schemas['JournalInfo'] };
  };
  "/worlds/{world}/journal/export": {
    get: { path: { world: string }; query: { format?: "jsonl" | "har" | "otlp" | "atif" | "run"; after?: number; to?: number; secrets?: boolean }; body: undefined; answer: Schemas['JournalFile'] };
  };
  "/worlds/{world}/journal/replay": {
    post: { path: { world: string }; query: None; body: Schemas['ReplayJournal']; answer: Schemas['Replay'] };
  };
  "/worlds/{world}/journal/{seq}": {
    get: { path: { world: string; seq: number }; query: { times?: boolean }; body: undefined; answer: Schemas['JournalEntry'] };
  };
  "/worlds/{world}/journal/{seq}/changes": {
    get: { path: { world: string; seq: number }; query: None; body: undefined; answer: Schemas['Diff'] };
  };
  "/worlds/{world}/outbox": {
    get: { path: { world: string }; query: { after?: number; before?: number; order?: "oldest" | "newest"; limit?: number }; body: undefined; answer: Schemas['Outbox'] };
  };
  "/worlds/{world}/outbox/{entry}/outcome": {
    post: { path: { world: string; entry: number }; query: None; body: Schemas['SetOutcome']; answer: Schemas['Outcome'] };
  };
  "/worlds/{world}/actors": {
    get: { path: { world: string }; query: { after?: number; limit?: number }; body: undefined; answer: Schemas['Actors'] };
  };
  "/worlds/{world}/act": {
    post: { path: { world: string }; query: None; body: Schemas['Act']; answer: Schemas['Acted'] };
  };
  "/worlds/{world}/calls": {
    post: { path: { world: string }; query: None; body: Schemas['MakeCalls']; answer: Schemas['MadeCalls'] };
  };
  "/limits": {
    get: { path: None; query: None; body: undefined; answer: Schemas['Limits'] };
  };
  "/health": {
    get: { path: None; query: None; body: undefined; answer: Schemas['Health'] };
  };
  "/metrics": {
    get: { path: None; query: None; body: undefined; answer: unknown };
  };
  "/openapi.json": {
    get: { path: None; query: None; body: undefined; answer: any };
  };
  "/worlds/{world}/policies": {
    get: { path: { world: string }; query: None; body: undefined; answer: Schemas['Policies'] };
    post: { path: { world: string }; query: { document_name?: string }; body: any; answer: Schemas['Policy'] };
  };
  "/worlds/{world}/policies/simulate": {
    post: { path: { world: string }; query: { document_name?: string }; body: any; answer: Schemas['Simulation'] };
  };
  "/worlds/{world}/policies/derive": {
    post: { path: { world: string }; query: None; body: undefined; answer: Schemas['DerivedPolicy'] };
  };
  "/worlds/{world}/policies/{policy}": {
    get: { path: { world: string; policy: string }; query: None; body: undefined; answer: Schemas['Policies'] };
    delete: { path: { world: string; policy: string }; query: None; body: undefined; answer: undefined };
  };
  "/worlds/{world}/approvals": {
    get: { path: { world: string }; query: { state?: "drafted" | "held" | "approved" | "rejected" | "executed" }; body: undefined; answer: Schemas['Approvals'] };
  };
  "/worlds/{world}/approvals/{action}": {
    get: { path: { world: string; action: string }; query: None; body: undefined; answer: Schemas['Approvals'] };
    post: { path: { world: string; action: string }; query: None; body: Schemas['Decide']; answer: Schemas['Approvals'] };
  };
  "/worlds/{world}/report": {
    get: { path: { world: string }; query: { from?: string }; body: undefined; answer: unknown };
    post: { path: { world: string }; query: None; body: Schemas['ReportWorld']; answer: unknown };
  };
  "/worlds/{world}/look/{actor}/{path}": {
    get: { path: { world: string; actor: string; path: string }; query: None; body: undefined; answer: unknown };
    post: { path: { world: string; actor: string; path: string }; query: None; body: undefined; answer: unknown };
  };
  "/worlds/{world}/act/{actor}/{path}": {
    post: { path: { world: string; actor: string; path: string }; query: None; body: undefined; answer: unknown };
    put: { path: { world: string; actor: string; path: string }; query: None; body: undefined; answer: unknown };
    patch: { path: { world: string; actor: string; path: string }; query: None; body: undefined; answer: unknown };
    delete: { path: { world: string; actor: string; path: string }; query: None; body: undefined; answer: unknown };
  };
  "/worlds/{world}/journal/strip": {
    get: { path: { world: string }; query: { after?: number; to?: number; buckets?: number }; body: undefined; answer: Schemas['JournalStrip'] };
  };
  "/worlds/{world}/history": {
    get: { path: { world: string }; query: { name: string; before?: number; limit?: number }; body: undefined; answer: Schemas['History'] };
  };
  "/worlds/{world}/due": {
    get: { path: { world: string }; query: { limit?: number }; body: undefined; answer: Schemas['Due'] };
  };
  "/events": {
    get: { path: None; query: { worlds: string; entries?: number }; body: undefined; answer: unknown };
  };
  "/worlds/{world}/mail/{actor}/folders": {
    get: { path: { world: string; actor: string }; query: { vendor?: string }; body: undefined; answer: Schemas['MailFolders'] };
  };
  "/worlds/{world}/mail/{actor}/messages": {
    get: { path: { world: string; actor: string }; query: { vendor?: string; folder: string; q?: string; offset?: number; limit?: number }; body: undefined; answer: Schemas['MailMessages'] };
  };
  "/worlds/{world}/mail/{actor}/messages/{message}": {
    get: { path: { world: string; actor: string; message: string }; query: { vendor?: string }; body: undefined; answer: Schemas['MailMessage'] };
  };
  "/worlds/{world}/mail/{actor}/messages/{message}/parts/{part}": {
    get: { path: { world: string; actor: string; message: string; part: number }; query: { vendor?: string }; body: undefined; answer: unknown };
  };
  "/worlds/{world}/calendar/{actor}/calendars": {
    get: { path: { world: string; actor: string }; query: { vendor?: string }; body: undefined; answer: Schemas['CalendarList'] };
  };
  "/worlds/{world}/calendar/{actor}/events": {
    get: { path: { world: string; actor: string }; query: { vendor?: string; from: string; to: string; calendar?: string }; body: undefined; answer: Schemas['CalendarEvents'] };
  };
  "/worlds/{world}/tasks/{actor}/lists": {
    get: { path: { world: string; actor: string }; query: { vendor?: string }; body: undefined; answer: Schemas['TaskLists'] };
  };
  "/worlds/{world}/tasks/{actor}/tasks": {
    get: { path: { world: string; actor: string }; query: { vendor?: string; list?: string; plan?: string; open?: boolean; offset?: number; limit?: number }; body: undefined; answer: Schemas['Tasks'] };
  };
  "/worlds/{world}/tasks/{actor}/tasks/{task}": {
    get: { path: { world: string; actor: string; task: string }; query: { vendor?: string }; body: undefined; answer: Schemas['Task'] };
  };
  "/worlds/{world}/search": {
    get: { path: { world: string }; query: { q: string; service?: "identity" | "calendar" | "mail" | "chat" | "drive" | "tasks"; limit?: number }; body: undefined; answer: Schemas['Found'] };
  };
  "/runs": {
    get: { path: None; query: { offset?: number; limit?: number }; body: undefined; answer: Schemas['Runs'] };
  };
  "/runs/{run}": {
    get: { path: { run: string }; query: None; body: undefined; answer: Schemas['Run'] };
  };
  "/runs/{run}/report": {
    get: { path: { run: string }; query: None; body: undefined; answer: unknown };
  };
  "/workflows": {
    get: { path: None; query: None; body: undefined; answer: Schemas['Workflows'] };
  };
  "/workflows/{workflow}": {
    get: { path: { workflow: string }; query: None; body: undefined; answer: Schemas['Workflow'] };
  };
  "/console/codes": {
    post: { path: None; query: None; body: Schemas['MakeCode']; answer: Schemas['ConsoleCode'] };
  };
  "/console/sessions": {
    post: { path: None; query: None; body: Schemas['MakeSession']; answer: Schemas['ConsoleSession'] };
  };
}
