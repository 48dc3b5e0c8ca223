-- A tree of files that belongs to a world. Paths are bytes, without a slash in front; every node's parent has a row, and
-- the root has none.
create table workspace_node (
    id integer primary key,
    path blob not null unique check (length(path) between 1 and 4095),
    kind integer not null check (kind between 0 and 2), -- enum workspace_kind
    mode integer not null check (mode between 0 and 511),
    mtime_ns integer not null,
    size integer not null check (size >= 0), -- bytes of a file; of others 0
    blob integer,                 -- content of a file (engine/blob/blob.h); null: it is empty, or small
    data blob check (length(data) between 1 and 512), -- content of a file of at most so many bytes; null: it is empty, or in a blob
    target blob,                  -- of a link
    digest integer not null default 0 -- of the content: worlds that have other bytes under one number have other rows
) strict;

-- How much there is, so that a limit needs no count of it, and how much there may be.
create table workspace_use (
    id integer primary key check (id = 1),
    nodes integer not null,
    bytes integer not null,
    most_nodes integer not null default 200000 check (most_nodes between 1 and 200000),
    most_bytes integer not null default 536870912 check (most_bytes between 1 and 536870912),
    most_file integer not null default 67108864 check (most_file between 1 and 67108864) -- bytes of one
) strict;

-- How programs run: one row, if anything is not as usual.
create table workspace_setting (
    id integer primary key check (id = 1),
    value text not null -- the section "programs" of documents, as JSON
) strict;

create table workspace_process (
    id integer primary key check (id = 1) -- it is there if processes that go on were ever started
) strict;

-- What follows from files, so that it has changes of its own: the graph of the memory's file, and the references of
-- repositories. Made again when such a file changes.
create table workspace_memory (
    id integer primary key,
    owner blob not null,          -- always empty
    name text not null,           -- an entity's name, or a relation's ends and type in a list, as JSON
    value text not null,          -- its members, as JSON
    unique (owner, name)
) strict;

create table workspace_ref (
    id integer primary key,
    owner blob not null,          -- path of the repository's working tree
    name text not null,           -- "HEAD", "refs/heads/main"
    value text not null,          -- its members, as JSON
    unique (owner, name)
) strict;
