-- Workspaces with their members, channels and messages. Keys are the ids that people and programs see: a letter for the
-- kind and ten digits or capitals. Times are microseconds since 1970 (_us) or seconds (_s).

create table chat_workspace (
    id integer primary key,
    key text not null unique,
    domain text not null unique,
    name text not null,
    email_domain text not null,
    plan text not null check (plan in ('free', 'standard', 'plus')),
    created_s integer not null,
    setting text not null,         -- JSON: preferences of the whole workspace
    vendor text not null default ''                -- whose rules hold in it; '': the engine's first vendor's
) strict;

-- A person, an app's bot, or the workspace's own helper in one workspace.
create table chat_user (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    key text not null,
    actor integer references ident_actor (id),     -- null: the workspace's own helper
    name text not null,                            -- lower case, without whitespace
    real_name text not null,
    display_name text not null,
    title text not null,
    phone text not null,
    pronouns text not null,
    email text,                                    -- null: none
    zone text not null,
    locale text not null,
    role text not null check (role in ('owner', 'coowner', 'admin', 'member', 'guest', 'channel_guest')), -- owner: the first one
    bot integer not null check (bot in (0, 1)),
    deleted integer not null check (deleted in (0, 1)),
    status_text text not null,
    status_emoji text not null,
    status_expires_s integer not null,             -- 0: never
    presence text not null check (presence in ('auto', 'away')),
    active integer not null check (active in (0, 1)),
    color text not null,
    photo integer,                                 -- blob; null: the default picture
    fields text,                                   -- JSON: values of custom fields; null: none
    updated_s integer not null,
    unique (workspace, key)
) strict;
create index chat_user_actor on chat_user (actor) where actor is not null;
create index chat_user_name on chat_user (workspace, name);
create index chat_user_email on chat_user (workspace, email) where email is not null;

-- Teams, of vendors whose channels belong to such.
create table chat_team (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    key text not null,
    name text not null,
    description text not null,
    archived integer not null check (archived in (0, 1)),
    created_s integer not null,
    properties text,                               -- JSON, the vendor's; null: none
    unique (workspace, key)
) strict;

create table chat_team_member (
    id integer primary key,
    team integer not null references chat_team (id),
    user integer not null references chat_user (id),
    part integer not null check (part between 0 and 2), -- enum chat_part
    unique (team, user)
) strict;
create index chat_team_member_user on chat_team_member (user, team);

-- kind 0 public, 1 private, 2 direct (two people, or one with himself), 3 direct of a group.
create table chat_channel (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    key text not null,
    kind integer not null check (kind between 0 and 3),
    name text,                                     -- null: a direct one has none
    pair text,                                     -- of direct ones: who is in it, as sorted rowids; null: no direct one, or one of several of a group
    creator integer references chat_user (id),
    created_s integer not null,
    updated_us integer not null,
    topic text not null,
    topic_by integer references chat_user (id),
    topic_s integer not null,
    purpose text not null,
    purpose_by integer references chat_user (id),
    purpose_s integer not null,
    archived integer not null check (archived in (0, 1)),
    general integer not null check (general in (0, 1)),   -- everybody is in it
    posting text not null check (posting in ('all', 'read_only', 'thread_only', 'no_threads')),
    previous_names text not null,                  -- JSON, newest first
    properties text,                               -- JSON; null: none
    members integer not null,                      -- how many there are
    pins integer not null,
    last_us integer not null,                      -- ts of its newest message; 0: none
    team integer references chat_team (id),        -- whose it is; null: the workspace's
    unique (workspace, key)
) strict;
create index chat_channel_team on chat_channel (team, key) where team is not null;
create index chat_channel_name on chat_channel (workspace, name) where name is not null;
create unique index chat_channel_pair on chat_channel (workspace, pair) where pair is not null;

create table chat_member (
    id integer primary key,
    channel integer not null references chat_channel (id),
    user integer not null references chat_user (id),
    read_us integer not null,                      -- read up to there; 0: nothing
    joined_s integer not null,
    open integer not null check (open in (0, 1)),  -- shown in the list of direct ones
    muted integer not null check (muted in (0, 1)),
    part integer not null default 0 check (part between 0 and 2), -- enum chat_part
    unique (channel, user)
) strict;
create index chat_member_user on chat_member (user, channel);

-- id: channel << 43 | second << 10 | number within the second, so that a channel's messages are together in their order.
create table chat_message (
    id integer primary key,
    ts_us integer not null,
    place integer unique,                          -- its key in the search index; null: it is not in there
    user integer references chat_user (id),
    app integer references ident_app (id),         -- through which app; null: none
    subtype text,
    text text not null,                            -- in the vendor's format
    blocks text,                                   -- this and the next four are the vendor's. JSON; null: none
    attachments text,                              -- JSON; null: none
    metadata text,                                 -- JSON; null: none
    extra text,                                    -- JSON object of other members; null: none
    client text,                                   -- the id that a client gave it
    flags integer not null,                        -- enum chat_message_flag, and above these seven bits enum chat_importance
    edited_us integer not null,                    -- 0: never
    editor integer references chat_user (id),
    thread integer,                                -- id of the first message of the thread it is in; null: in none
    replies integer not null,                      -- of a first message
    repliers text,                                 -- JSON, keys of who replied first; null: nobody
    n_repliers integer not null,
    latest_us integer not null,                    -- ts of the last reply
    reactions text,                                -- JSON as [{name, users, count}]; null: none
    files text,                                    -- JSON, keys; null: none
    pinned_by integer references chat_user (id),   -- null: it is not pinned
    pinned_s integer not null,
    plain text,                                    -- as a person reads it, for search; null: the text is that
    format text,                                   -- how the text is written; null: as the vendor usually does
    subject text                                   -- null: none
) strict;
create index chat_message_thread on chat_message (thread, id) where thread is not null;
create index chat_message_client on chat_message (client) where client is not null;

-- Who follows a thread, and who has written in it.
create table chat_follower (
    id integer primary key,
    message integer not null,                      -- the first of the thread
    user integer not null references chat_user (id),
    replies integer not null,
    read_us integer not null,
    follows integer not null check (follows in (0, 1)),
    unique (message, user)
) strict;

-- Who is mentioned in a message, and which files of a drive go with it, of vendors that keep these apart.
create table chat_mention (
    id integer primary key,
    message integer not null,
    place integer not null,                        -- from 0
    kind integer not null check (kind between 0 and 3), -- enum chat_mentioned
    ref integer not null,                          -- of the user, channel or team; 0 of all
    text text not null,
    unique (message, place)
) strict;
create index chat_mention_user on chat_mention (ref, message) where kind = 0;

create table chat_drive_file (
    id integer primary key,
    message integer not null,
    place integer not null,
    file text not null,                            -- its id in the drive
    name text not null,                            -- as it was then
    type text not null,
    unique (message, place)
) strict;

create table chat_reaction (
    id integer primary key,
    message integer,                               -- either this
    file integer,                                  -- or this: a file of the vendor's
    name text not null,
    user integer not null references chat_user (id),
    at_s integer not null
) strict;
create unique index chat_reaction_message on chat_reaction (message, name, user) where message is not null;
create unique index chat_reaction_file on chat_reaction (file, name, user) where file is not null;
create index chat_reaction_user on chat_reaction (user, id);

create table chat_pin (
    id integer primary key,
    channel integer not null references chat_channel (id),
    message integer not null unique,
    user integer not null references chat_user (id),
    at_s integer not null
) strict;
create index chat_pin_channel on chat_pin (channel, id);

-- Workspaces that have another one's channel, too.
create table chat_connect (
    id integer primary key,
    channel integer not null references chat_channel (id),
    workspace integer not null references chat_workspace (id),
    limited integer not null check (limited in (0, 1)), -- its people may not invite
    since_s integer not null,
    unique (channel, workspace)
) strict;
create index chat_connect_workspace on chat_connect (workspace, channel);

-- Words of messages and files, for search: see corpus.c. No texts are kept.
create virtual table chat_index using fts5 (
    body, file, extra,
    content = '', columnsize = 0,
    tokenize = "ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
