-- What people do with apps beside writing, and what only one of them sees.

-- Views of apps: in a window (a stack: place from 1), on an app's own page (place 0).
create table slack_view (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    place integer not null,
    external_id text,
    hash text not null,
    body text not null,                            -- JSON as given, with ids filled in
    state text not null,                           -- JSON: values by block and action
    unique (app, user, place)
) strict;
create unique index slack_view_external on slack_view (app, external_id) where external_id is not null;

-- What a person did that an app may answer with a view, for seconds, once.
create table slack_trigger (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    view integer,                                  -- in which it was done; null: none. It may be closed since
    channel integer references chat_channel (id),  -- in which; null: none
    created_us integer not null,
    used integer not null check (used in (0, 1))
) strict;
create index slack_trigger_created on slack_trigger (created_us);

-- Forms of the older kind, of which somebody sees one at a time.
create table slack_dialog (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null unique references chat_user (id),
    channel integer references chat_channel (id),  -- from which it was opened; null: from none
    body text not null                             -- JSON as given
) strict;

-- Functions of apps that somebody ran as steps of workflows.
create table slack_execution (
    id integer primary key,
    key text not null unique,
    workflow text not null,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id), -- who ran it
    function text not null,
    state integer not null,                        -- running, completed, failed
    inputs text not null,                          -- JSON
    outputs text,                                  -- JSON; null: none
    error text,
    created_us integer not null,
    ended_us integer not null                      -- 0: it is running
) strict;
create index slack_execution_workflow on slack_execution (workflow);

-- What somebody asked an app to show beside a conversation, of a thing of another system.
create table slack_pane (
    id integer primary key,
    key text not null unique,                      -- the trigger by which the app answers
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    part integer not null,                         -- details, comments, a comment that he wrote or deleted
    url text not null,
    ref text not null,                             -- JSON: what it is called in its system, an object with an id
    asked text not null,                           -- JSON: which page, which comment
    content text,                                  -- JSON: what the app answered; null: nothing yet
    unique (user, part)
) strict;

-- Only a person sees these; never in a history.
create table slack_ephemeral (
    id integer primary key,
    channel integer not null references chat_channel (id),
    user integer not null references chat_user (id),
    ts_us integer not null,
    sender integer references chat_user (id),
    app integer references ident_app (id),
    thread_us integer not null,                    -- ts of the thread; 0: none
    message text not null,                         -- JSON: text, blocks, attachments
    unique (channel, user, ts_us)
) strict;

-- Addresses at which an app may answer what a person did.
create table slack_answer (
    id integer primary key,
    key text not null unique,
    command integer not null check (command in (0, 1)), -- it answers a command
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    channel integer not null references chat_channel (id),
    message_us integer not null,                   -- ts of the message that was acted on; 0: none
    ephemeral_us integer not null,                 -- the same, ts of one that only the person sees; 0: none
    thread_us integer not null,
    uses integer not null,
    created_us integer not null
) strict;
create index slack_answer_created on slack_answer (created_us);

-- What a person did and an app was notified of, until its answer is there.
create table slack_act (
    id integer primary key,
    kind text not null,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    channel integer,                               -- in which; null: in none
    view integer,                                  -- or dialog; null: in none. It may be closed since
    answer integer,                                -- the address that the app was given; null: none
    name text,                                     -- of a command
    waits integer not null check (waits in (0, 1)), -- a call waits for what comes of it
    result text,                                   -- JSON: what the person sees; null: not there yet
    created_us integer not null
) strict;
create index slack_act_created on slack_act (created_us);
