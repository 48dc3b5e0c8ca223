-- Labels, and what they say of an item.
create table gdrive_label (
    id integer primary key,
    key text not null unique,
    revision text not null,
    name text not null,
    definition text not null      -- JSON: fields with types and choices
) strict;

create table gdrive_labelled (
    item integer not null references drive_item (id),
    label integer not null references gdrive_label (id),
    content text not null,        -- JSON: fields with values
    primary key (item, label)
) strict, without rowid;
create index drive_labelled_by on gdrive_labelled (label, item);
