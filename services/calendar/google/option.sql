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

-- The calendars on a person's list.
create table gcal_listing (
    id integer primary key,
    actor integer not null references ident_actor (id),
    calendar integer not null,       -- negative: of public holidays, which have no rows (holiday.h)
    name text,                       -- instead of the calendar's own
    color text,                      -- a dialect's word; null: its default
    background text,                 -- "#rrggbb"
    foreground text,
    hidden integer not null default 0,
    selected integer not null default 0,
    reminders text,                  -- JSON array of {method, minutes}; null: none
    notices text,                    -- JSON array of {method, type}; null: none
    gone integer not null default 0, -- 1: taken off the list
    updated_us integer not null,
    change integer not null,
    unique (actor, calendar)
) strict;
create index gcal_listing_calendar on gcal_listing (calendar);
create index gcal_listing_change on gcal_listing (actor, change);
