-- How this world's Google Calendar does what of the service is only reported (option.c): what differs from the default.
create table calendar_google_option (
    id integer primary key,
    name text not null unique,
    value integer not null           -- a number, or which of the option's words
) strict;
