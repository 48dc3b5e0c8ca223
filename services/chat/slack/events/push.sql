-- What goes to apps.

-- An event and what it says to those who are notified of it: one row, however many these are.
create table slack_event (
    id integer primary key,
    key text not null unique,
    at_us integer not null,
    workspace integer not null references chat_workspace (id),
    channel integer references chat_channel (id),     -- null: of none
    type text not null,
    body text not null                                -- JSON: the inner object
) strict;

-- That an app is notified of an event; for what sees it. An entry of the outbox refers to this.
create table slack_event_app (
    id integer primary key,
    event integer not null references slack_event (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id)
) strict;

-- What a person did, on its way to an app. An entry of the outbox refers to this.
create table slack_action (
    id integer primary key,
    app integer not null references ident_app (id),
    kind integer not null check (kind between 0 and 2),
    answers integer not null check (answers in (0, 1)),
    ref integer not null,
    payload text not null
) strict;

-- What calls raised, until those who subscribe are notified. Numbers grow for ever: a fork notifies of none that it has from its
-- parent.
create table slack_news (
    id integer primary key,
    at_us integer not null,
    kind text not null,
    operation integer not null check (operation between 0 and 2),
    scope integer not null,
    entity integer not null,
    actor integer not null,
    app integer not null,
    members text not null,
    user integer not null,
    by integer not null,
    name text,
    message text                                      -- JSON: a message as it was; null: none
) strict;
create index slack_subscription_kind on slack_subscription (kind, person, app);

-- Addresses of WebSockets that were given out and not used yet.
create table slack_ticket (
    id integer primary key,
    key text not null unique,
    app integer references ident_app (id),            -- one of the two
    user integer references chat_user (id),
    until_us integer not null,
    debug integer not null check (debug in (0, 1)),
    batch integer not null check (batch in (0, 1))    -- presence of several people in a frame
) strict;
create index slack_ticket_until on slack_ticket (until_us);

-- WebSockets of apps, by the numbers of their sessions. A fork has rows of some that are open elsewhere alone.
create table slack_socket (
    number integer primary key,
    app integer not null references ident_app (id)
) strict;
create index slack_socket_app on slack_socket (app);

-- WebSockets of people, who are notified of what they may see.
create table slack_rtm (
    number integer primary key,
    user integer not null references chat_user (id),
    key text not null unique,
    batch integer not null check (batch in (0, 1))
) strict;
create index slack_rtm_user on slack_rtm (user);

-- Whose presence one of them has asked for.
create table slack_rtm_watch (
    user integer not null references chat_user (id),
    number integer not null references slack_rtm (number),
    primary key (user, number)
) strict, without rowid;
create index slack_rtm_watch_number on slack_rtm_watch (number);

-- How many events went to an app in an hour.
create table slack_notified (
    app integer not null references ident_app (id),
    workspace integer not null references chat_workspace (id),
    hour_s integer not null,                          -- in which these were counted
    n integer not null,
    minute_s integer not null,                        -- in which it was last notified that there are too many; 0: never
    primary key (app, workspace)
) strict, without rowid;
