-- The web of a world: pages by address, and what was sent to them.

create table web_page (
    id integer primary key,
    url text not null unique,     -- host and path, without the scheme
    status integer not null check (status between 200 and 599),
    type text not null,           -- media type
    text text not null,
    location text,                -- where it leads, with a status of 3xx
    takes integer not null check (takes in (0, 1)) -- forms
) strict;

create table web_form (
    id integer primary key,
    key text not null unique,
    actor integer not null references ident_actor (id),
    at_us integer not null,
    url text not null,            -- as of a page
    type text not null,
    text text not null
) strict;
create index web_form_actor on web_form (actor);
