-- Push channels: who wants to be told of which changes, and where.

create table google_channel (
    id integer primary key,
    name text not null unique,    -- the client's id for it
    actor integer not null references actor (id),
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
