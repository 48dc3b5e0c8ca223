-- What goes to apps.

-- An event and what it says to those who are told of it: one row, however many these are.
create table chat_event (
    id integer primary key,
    key text not null unique,
    at_us integer not null,
    workspace integer not null references chat_workspace (id),
    channel integer references chat_channel (id),     -- null: of none
    type text not null,
    body text not null                                -- JSON: the inner object
) strict;

-- That an app is told of an event; for what sees it. An entry of the outbox refers to this.
create table chat_event_app (
    id integer primary key,
    event integer not null references chat_event (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id)
) strict;
create index chat_event_app_event on chat_event_app (event, app);

-- What a person did, on its way to an app. An entry of the outbox refers to this.
create table chat_action (
    id integer primary key,
    app integer not null references ident_app (id),
    kind integer not null check (kind between 0 and 2),
    answers integer not null check (answers in (0, 1)),
    ref integer not null,
    payload text not null
) strict;
