-- The tables that every world has: who is in it, what is due, what would have left it.

create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

create table id_stream (
    kind text primary key,
    n integer not null
) strict, without rowid;

create table org (
    id integer primary key,
    domain text not null unique,
    name text not null
) strict;

create table actor (
    id integer primary key,
    email text not null unique,   -- lower case
    kind text not null check (kind in ('person', 'bot', 'app', 'service', 'resource')),
    name text not null,
    zone text not null,           -- IANA name
    locale text not null,
    org integer references org (id),
    hours text                    -- working hours, as in the seed document (JSON)
) strict;

create table alias (
    id integer primary key,
    email text not null unique,
    actor integer not null references actor (id)
) strict;
create index alias_actor on alias (actor);

create table team (
    id integer primary key,
    email text not null unique,
    name text not null
) strict;

create table team_member (
    id integer primary key,
    team integer not null references team (id),
    email text not null,
    unique (team, email)
) strict;

-- Tokens that are fixed or too long to be signed, and what was revoked of the signed ones.
create table token (
    value text primary key,
    actor integer not null references actor (id),
    scopes text,                  -- null: everything
    expires_us integer,           -- null: never
    seeded integer not null       -- stands in dumps
) strict, without rowid;

create table token_revoked (
    nonce integer primary key,
    at_us integer not null
) strict;

-- Bytes of any length, which cores refer to by id (blob.h).
create table blob (
    id integer primary key check (id between 1 and 34359738367),
    length integer not null,      -- of one that is still being written: at its last suspension
    refs integer not null,        -- rows that name it
    sha256 blob,                  -- null: it is still being written
    md5 blob,                     -- null: was never asked for
    sha1 blob
) strict;
create unique index blob_content on blob (sha256, length);

-- id: blob << 28 | number. 65536 bytes each, the last one of a blob what is left.
create table chunk (
    id integer primary key,
    data blob not null
) strict;

create table due (
    id integer primary key,
    at_us integer not null,
    core text not null,
    kind text not null,
    ref integer not null
) strict;
create index due_at on due (at_us, id);
create index due_ref on due (core, kind, ref);

create table outbox (
    id integer primary key,
    at_us integer not null,
    kind text not null,
    sender text not null,
    recipients text not null,
    payload text not null
) strict;
