-- Push channels: who wants to be notified of which changes, and where.

create table google_channel (
    id integer primary key,
    name text not null unique,    -- the client's id for it
    actor integer not null references ident_actor (id),
    kind text not null,           -- what is watched: kind and id of tx_changed()
    ref integer not null,
    resource text not null,       -- the same as clients see it
    uri text not null,
    address text not null,
    token text,
    expires_us integer not null,
    number integer not null       -- of the last message
) strict;
create index google_channel_of on google_channel (kind, ref);

-- Resumable uploads: what was said when they began, what has come so far, and what was answered at the end.

create table google_upload (
    id integer primary key,
    key text not null unique,     -- upload_id
    actor integer not null references ident_actor (id),
    app integer references ident_app (id), -- whose token began it; null: no app's
    scopes text not null,         -- of the method, those that the actor's token had
    path text not null,           -- raw, as it was begun
    query text not null,          -- the same, without credentials
    metadata text not null,       -- JSON; '' for none
    type text,                    -- of the media; null: not said
    total integer,                -- bytes; null: not said
    blob integer,                 -- what has come: not finished (engine/blob/blob.h); null: nothing yet
    size integer not null,        -- bytes of it
    expires_us integer not null,
    status integer,               -- of the answer; null: not finished
    answer blob
) strict;

-- Pub/Sub: topics that APIs publish to, and where subscriptions push what they get.

create table pubsub_topic (
    id integer primary key,
    name text not null unique,    -- "projects/P/topics/T"
    closed integer not null       -- 1: nobody gave the APIs the right to publish to it
) strict;

create table pubsub_subscription (
    id integer primary key,
    topic integer not null references pubsub_topic (id),
    name text not null unique,    -- "projects/P/subscriptions/S"
    endpoint text not null        -- URL that messages are pushed to
) strict;
create index pubsub_subscription_of on pubsub_subscription (topic, name);
