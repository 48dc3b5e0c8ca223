-- What Teams keeps besides what the chat core has.

-- Messages as deltas and lists by their last change see them.
create table teams_change (
    message integer primary key references chat_message (id),
    channel integer not null references chat_channel (id),
    number integer not null unique,
    made integer not null,             -- the number that it came with
    modified_us integer not null
) strict;
create index teams_change_channel on teams_change (channel, number);
create index teams_change_modified on teams_change (channel, modified_us, message);

-- Pictures in messages.
create table teams_hosted (
    id integer primary key,
    message integer not null references chat_message (id),
    key text not null,
    type text not null,
    blob integer not null,
    unique (message, key)
) strict;

-- Makings and archivings of teams: done as soon as they are asked for.
create table teams_operation (
    id integer primary key,
    team integer not null references chat_team (id),
    key text not null,
    kind integer not null check (kind between 0 and 2),
    at_us integer not null,
    unique (team, key)
) strict;

-- What people say of their being there.
create table teams_presence (
    user integer primary key references chat_user (id),
    preferred text,                    -- "Busy/InACall"; null: none
    preferred_until_us integer not null,
    session text,                      -- the same of a session of a program
    session_until_us integer not null,
    status text,                       -- JSON: the status message; null: none
    status_us integer not null
) strict;
