-- What OneDrive keeps of items beside what the core has.

-- Of items that another person has made than whose drive they are in.
create table onedrive_item (
    item integer primary key references drive_item (id),
    creator integer not null references ident_actor (id)
) strict;

-- Files that somebody has checked out.
create table onedrive_checkout (
    item integer primary key references drive_item (id),
    who integer not null references ident_actor (id),
    head integer not null default 0 -- drive_revision that was its content then; 0: not known
) strict;

-- What single apps may do with an item and what is below it.
create table onedrive_app (
    id integer primary key,
    item integer not null references drive_item (id),
    app integer not null references ident_app (id),
    role integer not null check (role between 1 and 2), -- 1 read, 2 write
    unique (item, app)
) strict;

-- Tables of workbooks: ranges of a sheet with a name, from 0 on, both ends included.
create table onedrive_table (
    id integer primary key,
    item integer not null references drive_item (id),
    number integer not null,
    name text not null collate nocase,
    sheet text not null,
    top integer not null, "left" integer not null, bottom integer not null, "right" integer not null,
    heads integer not null check (heads in (0, 1)),
    unique (item, number),
    unique (item, name)
) strict;

-- Files that come in ranges: where they are to be, and what has come.
create table onedrive_upload (
    id integer primary key,
    key text not null unique,
    secret text not null,         -- opens it
    account integer not null references ident_account (id), -- whose drive
    item integer,                 -- gets new content; null: a new one
    folder integer,               -- of a new one
    name text,                    -- the same
    conflict integer not null,    -- enum drive_conflict
    actor integer not null references ident_actor (id), -- whose request it was
    app integer,                  -- ident_app; null: none
    description text,
    made_us integer, changed_us integer, -- times that the program gave
    deferred integer not null,    -- 1: it is complete when that is asked for
    total integer not null,       -- bytes; -1: not known yet
    size integer not null,        -- that have come
    blob integer,                 -- null: none has
    expires_us integer not null,
    new_key text                  -- the id that a new one gets
) strict;
