-- The data directory's database. Numbers without a sign (ids, seeds, masks) are kept as the signed number of the same bits.
-- sum: row_sum(kind, column, ...) of durable_sum.c, of the row's table and all its other columns in their order.

create table meta (
    key text primary key,
    value any not null,
    sum integer not null default 0
) strict, without rowid;

-- Images that worlds share, in parts of 256 KB.
create table base (
    id integer primary key,
    pages integer not null,
    sum integer not null default 0
) strict;
create table base_part (
    base integer not null,
    part integer not null,
    data blob not null,
    sum integer not null default 0,
    unique (base, part)
) strict;

-- Pages that are not a base's, and the map of them: data is shorter than a page where what is free in it is left out; children are the ids of pages (level 0) or of nodes of the level below.
create table page (
    id integer primary key,
    data blob not null,
    sum integer not null default 0
) strict;
create table node (
    id integer primary key,
    level integer not null,
    mask integer not null,
    children blob not null,
    sum integer not null default 0
) strict;

create table world (
    id integer primary key,
    name text,
    flags integer not null,       -- enum world_flags; << 32 and << 48: the bounds of steps and journal
    parent integer not null,
    created_us integer not null,
    expires_us integer,
    expires_by_clock integer not null,
    seed integer not null,
    clock_us integer not null,
    clock_step_us integer not null,
    base integer not null,
    root integer,                 -- null: no page of its own
    pages integer not null,
    private integer not null,
    start_seed integer not null,  -- what a reset goes back to
    start_clock_us integer not null,
    start_clock_step_us integer not null,
    start_base integer not null,
    start_root integer,
    start_pages integer not null,
    start_private integer not null,
    next_due_us integer not null,
    secret blob not null,         -- what ids that open something come from (struct world_secret)
    secret_of integer not null,
    beside integer not null,      -- bytes of its journal
    pending integer not null,     -- 1: its outbox may have something to deliver
    note text,                    -- what a caller of the engine's keeps with it
    sum integer not null default 0
) strict;

-- Entries of a world's journal that were written together: each a length of four bytes and its text. Ids: the world's place
-- (its id's lower 24 bits) << 39, and a number in their order.
create table journal (
    id integer primary key,
    world integer not null,
    entries blob not null,
    sum integer not null default 0
) strict;
