-- What Drive keeps besides items: what people ask of each other, keys of organisations, work that takes a while.

-- Somebody asks for access.
create table gdrive_proposal (
    id integer primary key,
    item integer not null references drive_item (id),
    key text not null,
    requester integer not null references ident_actor (id),
    recipient text not null,      -- address that shall have it
    message text,
    roles text not null,          -- JSON array
    created_us integer not null,
    unique (item, key)
) strict;

create table gdrive_approval (
    id integer primary key,
    item integer not null references drive_item (id),
    key text not null,
    initiator integer not null references ident_actor (id),
    status integer not null check (status between 0 and 3), -- in progress, approved, cancelled, declined
    message text,
    created_us integer not null,
    modified_us integer not null,
    completed_us integer,
    due_us integer,
    locks integer not null check (locks in (0, 1)),
    unique (item, key)
) strict;

create table gdrive_reviewer (
    approval integer not null references gdrive_approval (id),
    place integer not null,
    email text not null,
    response integer not null check (response between 0 and 2), -- none, approved, declined
    primary key (approval, place)
) strict, without rowid;

-- Where an organisation has the keys of what its people encrypt themselves.
create table gdrive_key_service (
    id integer primary key,
    domain text not null unique,
    number integer not null,
    name text not null,
    url text not null
) strict;

-- Who administers all shared drives.
create table gdrive_admin (
    actor integer primary key references ident_actor (id)
) strict;

-- Work that takes a while: downloads that are prepared.
create table gdrive_operation (
    id integer primary key,
    key text not null unique,
    actor integer not null references ident_actor (id),
    item integer not null,
    revision text,
    mime text,
    created_us integer not null,
    expires_us integer not null
) strict;
