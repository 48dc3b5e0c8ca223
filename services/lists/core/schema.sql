-- Lists without a vendor: columns of values of one kind, items with their values, and what changed when.

create table lists_list (
    id integer primary key,
    place text not null,          -- what has it: the vendor's key
    key text not null unique,
    name text not null,           -- in its address
    title text not null,
    description text,
    template text not null,       -- what it is for: the vendor's word
    hidden integer not null check (hidden in (0, 1)),
    creator integer references ident_actor (id),
    created_us integer not null,
    modified_us integer not null,
    version integer not null,     -- rises when the list itself changes
    next_number integer not null, -- of the next item
    unique (place, name)
) strict;

create table lists_column (
    id integer primary key,
    list integer not null references lists_list (id),
    key text not null unique,
    name text not null,           -- of the value in an item
    title text not null,
    description text,
    kind text not null check (kind in ('text', 'note', 'number', 'currency', 'boolean', 'time', 'choice', 'choices', 'lookup', 'person', 'link', 'computed')),
    required integer not null check (required in (0, 1)),
    indexed integer not null check (indexed in (0, 1)),
    single integer not null check (single in (0, 1)), -- no two items have the same value
    hidden integer not null check (hidden in (0, 1)),
    multiple integer not null check (multiple in (0, 1)), -- a list of lookups or people
    free integer not null check (free in (0, 1)),     -- choices: other texts will do too
    least text, most text,        -- JSON numbers
    length integer not null,      -- characters of a text; 0: any number
    choices text,                 -- JSON array of texts
    target text,                  -- the key of the list that a lookup is into
    usual text,                   -- what a new item has without a word
    extra text,                   -- JSON object of what nothing here looks at
    unique (list, name)
) strict;

create table lists_item (
    id integer primary key,
    list integer not null references lists_list (id),
    number integer not null,
    key text not null unique,
    "values" text not null,       -- JSON object by the names of columns
    creator integer references ident_actor (id),
    modifier integer references ident_actor (id),
    created_us integer not null,
    modified_us integer not null,
    version integer not null,
    change integer not null,      -- number of its last change
    unique (list, number)
) strict;
create index lists_item_change on lists_item (list, change);

-- What items had before.
create table lists_version (
    id integer primary key,
    item integer not null references lists_item (id),
    number integer not null,
    "values" text not null,
    modifier integer references ident_actor (id),
    modified_us integer not null,
    unique (item, number)
) strict;

-- Items that were deleted, for those who ask what has changed.
create table lists_gone (
    id integer primary key,
    list integer not null references lists_list (id),
    number integer not null,
    key text not null,
    change integer not null
) strict;
create index lists_gone_change on lists_gone (list, change);
