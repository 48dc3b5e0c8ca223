-- The tables that every world has, whatever services are in it: what is due, what would have left it.

create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

create table id_stream (
    kind text primary key,
    n integer not null
) strict, without rowid;

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
