-- How this world's Google Calendar does what of the service is only reported (option.c): what differs from the default.
create table calendar_google_option (
    id integer primary key,
    name text not null unique,
    value integer not null           -- a number, or which of the option's words
) strict;

-- What people have set; only that is stored.
create table gcal_setting (
    id integer primary key,
    actor integer not null references ident_actor (id),
    name text not null,
    value text not null,
    updated_us integer not null,
    change integer not null,
    unique (actor, name)
) strict;
