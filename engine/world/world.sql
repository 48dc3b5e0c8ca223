-- The tables that every world has, whatever services are in it: what is due, what would have left it.

create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

create table id_stream (
    kind text primary key,
    n integer not null
) strict, without rowid;

-- Bytes of any length, which cores refer to by id (blob.h).
create table blob (
    id integer primary key check (id between 1 and 34359738367),
    length integer not null,      -- of one that is still being written: at its last suspension
    refs integer not null,        -- rows that name it
    sha256 blob,                  -- null: it is still being written
    md5 blob,                     -- null: was never asked for
    sha1 blob, quickxor blob, crc32c blob -- the same
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
    kind text not null,           -- of the core's own kinds
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
