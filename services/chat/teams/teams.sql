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

-- Makings, copies and archivings of teams: done as soon as they are asked for.
create table teams_operation (
    id integer primary key,
    team integer not null references chat_team (id),
    key text not null,
    kind integer not null check (kind between 0 and 6),
    at_us integer not null,
    target text,                       -- key of the team that came of it; null: it is the team
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

-- Online meetings: each has a chat, whose members are who was asked to come.
create table teams_meeting (
    id integer primary key,
    channel integer not null unique references chat_channel (id),
    user integer not null references chat_user (id),       -- who organizes it
    subject text,                      -- null: none
    start_us integer not null,
    end_us integer not null,
    created_us integer not null,
    external text,                     -- the id that a program knows it by; null: none
    number text not null,              -- that people type to join
    passcode text not null,
    url text not null,
    settings text,                     -- JSON: what was said of it; null: as usual
    event text,                        -- the id of its event; null: it came without one
    unique (user, external)
) strict;
create index teams_meeting_url on teams_meeting (url);
create index teams_meeting_number on teams_meeting (number);

-- What was said in them.
create table teams_transcript (
    id integer primary key,
    channel integer not null references chat_channel (id),
    key text not null,
    start_us integer not null,
    end_us integer not null,
    content text not null,             -- WebVTT
    unique (channel, key)
) strict;

-- The pictures and sound of them, and who was there.
create table teams_recording (
    id integer primary key,
    channel integer not null references chat_channel (id),
    key text not null,
    start_us integer not null,
    end_us integer not null,
    content text not null,             -- base64 of the video; '': there is nothing in it
    unique (channel, key)
) strict;

create table teams_attendance (
    id integer primary key,
    channel integer not null references chat_channel (id),
    key text not null,
    start_us integer not null,
    end_us integer not null,
    people text not null,              -- JSON: [{email, name, role, stays: [{from, to}]}]
    unique (channel, key)
) strict;

-- Names for some of a team's members, and what channels and chats have as tabs.
create table teams_tag (
    id integer primary key,
    team integer not null references chat_team (id),
    key text not null,
    name text not null,
    description text not null,
    members text not null,             -- JSON: object ids; who has left the team is passed over
    unique (team, key)
) strict;

create table teams_tab (
    id integer primary key,
    channel integer not null references chat_channel (id),
    key text not null,
    name text not null,
    app text not null,                 -- the id of the Teams app that shows it
    configuration text,                -- JSON; null: none
    unique (channel, key)
) strict;

-- Teams apps that are installed: in a team, a chat or for a user.
create table teams_installed (
    id integer primary key,
    team integer references chat_team (id),
    channel integer references chat_channel (id),
    user integer references chat_user (id),
    app text not null,                 -- its id
    check ((team is not null) + (channel is not null) + (user is not null) = 1)
) strict;
create unique index teams_installed_at on teams_installed (coalesce(team, 0), coalesce(channel, 0), coalesce(user, 0), app);

-- What programs have put into people's feeds of activity.
create table teams_activity (
    id integer primary key,
    key text not null unique,          -- a GUID
    user integer not null references chat_user (id),       -- whose feed
    sender integer references chat_user (id),              -- null: an app alone
    kind text not null,                -- the app's type of activity
    topic text not null,               -- JSON
    preview text,
    parameters text,                   -- JSON; null: none
    at_us integer not null
) strict;
create index teams_activity_user on teams_activity (user, at_us);
