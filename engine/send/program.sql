create table program (
    id integer primary key, -- of one that is to run, or runs
    text blob not null,     -- its handler's own
    held integer not null default 0 check (held in (0, 1))
) strict;
