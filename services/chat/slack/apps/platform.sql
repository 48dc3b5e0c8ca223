-- What apps keep at the vendor's own platform, and what people set there: items of datastores, triggers of workflows,
-- who may use functions, tokens of other systems.

-- Items of an app's datastores, by their primary keys.
create table slack_datum (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    store text not null,
    key text not null,
    item text not null,                            -- JSON object, as put
    unique (workspace, app, store, key)
) strict;

-- What starts a workflow of an app, and who may.
create table slack_flow_trigger (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    title text not null,
    workflow text not null,                        -- callback_id of the app's workflow
    permission text not null check (permission in ('everyone', 'app_collaborators', 'named_entities')),
    entities text not null                         -- JSON: {users, channels, teams}, lists of ids; of named_entities
) strict;

-- Triggers that a channel shows, in their order.
create table slack_featured (
    id integer primary key,
    channel integer not null references chat_channel (id),
    "trigger" integer not null references slack_flow_trigger (id),
    place integer not null,
    unique (channel, "trigger")
) strict;

-- Who may use a function of an app in workflows; without a row it is the app's collaborators.
create table slack_distribution (
    id integer primary key,
    app integer not null references ident_app (id),
    function text not null,
    permission text not null check (permission in ('everyone', 'app_collaborators', 'named_entities')),
    entities text not null,                        -- JSON: {users, teams}, lists of ids; of named_entities
    unique (app, function)
) strict;

-- Tokens of other systems that people gave to an app.
create table slack_external (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    provider text not null,
    token text not null,
    refresh text,                                  -- null: it can't be renewed
    expires_s integer not null,                    -- 0: never
    extras text                                    -- JSON object: what else came with it; null: nothing
) strict;
create index slack_external_app on slack_external (app, provider);
