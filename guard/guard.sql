-- Rules on calls of the world: what neither dump nor diff shows.

create table guard_policy (
    id integer primary key,
    name text not null unique,
    document text not null,       -- as it was given
    hash text not null,           -- SHA-256 of it
    set_us integer not null
) strict;

-- Of the limits of a policy, by their place in it: how many calls since when.
create table guard_count (
    id integer primary key,
    policy text not null,
    place integer not null,
    used integer not null check (used >= 0),
    since_us integer not null,
    unique (policy, place)
) strict;

-- Calls that wait for a decision, or had one.
create table guard_action (
    id integer primary key,
    name text not null unique,
    state text not null check (state in ('drafted', 'held', 'approved', 'rejected', 'executed')),
    digest text not null,         -- SHA-256 of caller, method and canonical arguments
    actor text not null,          -- handle
    app text not null,            -- client id; '': none
    method text not null,
    tool text,                    -- of a model's; null: by none
    arguments text not null,      -- canonical (JSON)
    edits text,                   -- arguments that the approver has set (JSON)
    policy text not null,
    version text not null,
    hash text not null,
    rule text,
    why text,
    outcome text not null,        -- the diff of its run (JSON)
    outcome_hash text not null,
    shape text not null,          -- hash of the outcome without its values
    held_us integer not null,
    expires_us integer not null,
    decided_us integer,
    decided_by text,
    via text,                     -- how it was asked: 'elicitation', 'client'; null: by none of these
    comment text,
    executed_us integer,
    status integer,               -- of the answer
    type text,
    answer text,                  -- null: it was not kept
    asked text,                   -- who has to decide; null: anybody
    request text,                 -- of a draft: what commits it (JSON); null: it is none
    token text,                   -- SHA-256 of the token that it was asked with; null: not known
    content text not null,        -- SHA-256 of what it brings beside its arguments; '': nothing
    program integer,              -- that has run for it; null: none has
    ran blob,                     -- what came of it, to be applied; null: it is over, or not kept
    calls text                    -- that it has made beside the world (JSON); null: none
) strict;
create index guard_action_digest on guard_action (digest, id);

-- Of runs under a policy that asks where values come from: outsiders' values that they have read.
create table guard_read (
    id integer primary key,
    run integer not null,
    source text not null,         -- the row; '': of any
    author text not null,
    method text not null,         -- of the call that has read it
    at_us integer not null,
    everything integer not null check (everything in (0, 1)),
    marked blob not null          -- hashes of the values, 8 bytes each
) strict;

-- Rows that have outsiders' values from calls of such runs, and by copies.
create table guard_mark (
    id integer primary key,
    entity text not null,
    row integer not null,
    source text not null,         -- the row that they are from
    author text not null,
    marked blob not null          -- as above
) strict;
create index guard_mark_row on guard_mark (entity, row);
