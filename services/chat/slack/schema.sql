-- What only Slack has, beside the tables of the chat core: apps and their installations, files, canvases and lists, what
-- people keep for themselves, agents. Keys and times are as there.


-- Custom fields of profiles.
create table slack_profile_field (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    key text not null,
    place integer not null,
    label text not null,
    hint text not null,
    type text not null,
    options text,                                  -- JSON; null: none
    hidden integer not null check (hidden in (0, 1)),
    unique (workspace, key)
) strict;

-- What an app is beside what identity knows of it, and where it is installed.
create table slack_app (
    id integer primary key,
    app integer not null unique references ident_app (id),
    key text not null unique,
    description text not null,
    verification text not null,                    -- token in payloads
    manifest text,                                 -- JSON as last set; null: none
    setting text not null,                         -- JSON: addresses for events, commands, interactivity (app.h)
    owner integer references chat_user (id),       -- who keeps it; null: everybody may
    icon text,                                     -- URL; null: the default picture
    distributed integer not null check (distributed in (0, 1)), -- to other workspaces than its owner's
    deleted integer not null check (deleted in (0, 1))
) strict;

create table slack_install (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer references chat_user (id),        -- its bot; null: it has none
    key text not null,                             -- of the bot as a sender
    scopes text,                                   -- of the bot; null: everything
    user_scopes text,                              -- of people; null: everything
    installer integer references chat_user (id),
    installed_s integer not null,
    deleted integer not null check (deleted in (0, 1)),
    unique (workspace, app),
    unique (workspace, key)
) strict;
create index slack_install_user on slack_install (user) where user is not null;

-- What new access tokens of an installation are made with, once each: of its bot, or of a person who agreed.
create table slack_grant (
    id integer primary key,
    token text not null unique,
    install integer not null references slack_install (id),
    user integer not null references chat_user (id),
    scopes text,                                   -- of a person, with commas; null: the installation's
    access text not null,                          -- the access token that came with it
    before text,                                   -- the one before that; null: none
    expires_s integer not null,                    -- 0: never
    unique (install, user)
) strict;

create table slack_star (
    id integer primary key,
    user integer not null references chat_user (id),
    channel integer references chat_channel (id),  -- one of these three
    message integer,
    file integer references slack_file (id),
    at_s integer not null
) strict;
create unique index slack_star_of on slack_star (user, coalesce(message, 0), coalesce(file, 0), coalesce(channel, 0));
create index slack_star_message on slack_star (message) where message is not null;

create table slack_bookmark (
    id integer primary key,
    key text not null unique,
    channel integer not null references chat_channel (id),
    title text not null,
    link text,
    emoji text,
    type text not null,
    entity text,
    rank text not null,
    parent text,
    created_s integer not null,
    updated_s integer not null,
    updated_by integer references chat_user (id),
    app integer references ident_app (id)
) strict;
create index slack_bookmark_channel on slack_bookmark (channel, rank, id);

create table slack_reminder (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    creator integer not null references chat_user (id),
    user integer not null references chat_user (id),
    text text not null,
    at_s integer not null,
    recurrence text,                               -- JSON; null: it comes once
    complete_s integer not null,                   -- 0: it is not done
    channel integer references chat_channel (id)
) strict;
create index slack_reminder_user on slack_reminder (user, id);
create index slack_reminder_creator on slack_reminder (creator, id);

create table slack_scheduled (
    id integer primary key,
    key text not null unique,
    channel integer not null references chat_channel (id),
    user integer not null references chat_user (id),
    app integer references ident_app (id),
    at_s integer not null,
    created_s integer not null,
    message text not null                          -- JSON: what is posted then
) strict;
create index slack_scheduled_channel on slack_scheduled (channel, at_s, id);
create index slack_scheduled_user on slack_scheduled (user, at_s, id);

-- state 0: an address to upload to was given, 1: the bytes are there, 2: it is shared or kept, 3: deleted.
create table slack_file (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    user integer not null references chat_user (id),
    app integer references ident_app (id),
    state integer not null check (state between 0 and 3),
    mode text not null check (mode in ('hosted', 'snippet', 'external', 'document', 'list')),
    name text not null,
    title text not null,
    mimetype text not null,
    filetype text not null,
    size integer not null,
    blob integer,                                  -- null: no bytes, or outside
    upload text unique,                            -- secret of the upload's address
    public_secret text,                            -- of the public address; null: it was never public
    is_public integer not null check (is_public in (0, 1)),
    external_id text,
    external_url text,
    alt_text text,
    snippet text,                                  -- what is shown of a text
    lines integer not null check (lines >= 0),     -- of a text; 0: it is none
    width integer not null check (width between 0 and 65535),   -- of a picture, in pixels; 0: it is none
    height integer not null check (height between 0 and 65535),
    frames integer not null check (frames >= 0),
    dense integer not null check (dense in (0, 1)),
    properties text,                               -- JSON; null: none
    editor integer references chat_user (id),      -- who changed it last; null: nobody
    place integer unique,                          -- its key in the search index
    created_s integer not null,
    updated_s integer not null
) strict;
create index slack_file_list on slack_file (workspace, created_s, id);
create index slack_file_user on slack_file (user, created_s, id);
create unique index slack_file_external on slack_file (workspace, external_id) where external_id is not null;

create table slack_share (
    id integer primary key,
    file integer not null references slack_file (id),
    channel integer not null references chat_channel (id),
    message integer not null,                      -- 0: it is to be had there without a message
    at_s integer not null,
    unique (file, channel, message)
) strict;
create index slack_share_channel on slack_share (channel, file);

create table slack_group (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    name text not null,
    handle text not null,
    description text not null,
    external integer not null check (external in (0, 1)),
    created_s integer not null,
    updated_s integer not null,
    deleted_s integer not null,                    -- 0: it is in use
    created_by integer references chat_user (id),
    updated_by integer references chat_user (id),
    deleted_by integer references chat_user (id),
    channels text not null,                        -- JSON: keys that its people are put into
    setting text                                   -- JSON; null: none
) strict;
create index slack_group_workspace on slack_group (workspace, id);

create table slack_group_user (
    id integer primary key,
    member_of integer not null references slack_group (id),
    user integer not null references chat_user (id),
    unique (member_of, user)
) strict;

create table slack_quiet (
    user integer primary key references chat_user (id),
    enabled integer not null check (enabled in (0, 1)),
    from_minute integer not null,                  -- of the person's day
    to_minute integer not null,
    snooze_s integer not null,                     -- until then; 0: no
    snoozing_forever integer not null check (snoozing_forever in (0, 1)),
    skipped_s integer not null default 0           -- the stretch that ends then was ended early; 0: none
) strict;

create table slack_emoji (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    name text not null,
    url text,                                      -- one of the two
    alias text,
    user integer references chat_user (id),
    created_s integer not null,
    unique (workspace, name)
) strict;

-- Documents and lists are files; what they hold and who may do what.
create table slack_canvas (
    file integer primary key references slack_file (id),
    channel integer references chat_channel (id),  -- whose tab it is; null: nobody's
    main integer not null check (main in (0, 1)),  -- the one of its channel, not a further tab
    content text not null                          -- JSON: sections
) strict;
create index slack_canvas_channel on slack_canvas (channel, main, file) where channel is not null;

create table slack_access (
    id integer primary key,
    file integer not null references slack_file (id),
    channel integer references chat_channel (id),  -- either
    user integer references chat_user (id),        -- or
    level text not null check (level in ('read', 'write', 'owner'))
) strict;
create unique index slack_access_file on slack_access (file, coalesce(channel, 0), coalesce(user, 0));

create table slack_list (
    file integer primary key references slack_file (id),
    description text,                              -- JSON: blocks; null: none
    columns text not null,                         -- JSON: [{id, key, name, type, primary, options}]
    subtask text not null,                         -- id of the column of items below others
    todo integer not null check (todo in (0, 1))
) strict;

create table slack_list_item (
    id integer primary key,
    list integer not null references slack_list (file),
    key text not null unique,
    parent integer references slack_list_item (id),
    place integer not null,
    fields text not null,                          -- JSON: [{column, values}]
    state integer not null check (state between 0 and 2), -- 1: archived, 2: deleted
    created_s integer not null,
    created_by integer references chat_user (id),
    updated_s integer not null,
    updated_by integer references chat_user (id)
) strict;
create unique index slack_list_item_list on slack_list_item (list, place);
create index slack_list_item_parent on slack_list_item (parent) where parent is not null;

-- Lists as CSV, some time after somebody wanted it.
create table slack_export (
    id integer primary key,
    key text not null unique,
    list integer not null references slack_list (file),
    at_us integer not null,
    archived integer not null check (archived in (0, 1))
) strict;
create index slack_export_list on slack_export (list, id);

-- Invitations of other workspaces into a channel, and what people want to be sent.
create table slack_invite (
    id integer primary key,
    key text not null unique,
    channel integer not null references chat_channel (id),
    inviter integer not null references chat_user (id),
    request integer not null check (request in (0, 1)),
    email text,
    user integer references chat_user (id),
    team integer references chat_workspace (id),   -- that may take it, or has
    state integer not null check (state between 0 and 4), -- open, accepted, approved, declined, revoked
    limited integer not null check (limited in (0, 1)),
    host_agrees integer not null check (host_agrees in (0, 1)),
    guest_agrees integer not null check (guest_agrees in (0, 1)),
    name text,
    created_s integer not null,
    updated_s integer not null,
    expires_s integer not null
) strict;
create index slack_invite_channel on slack_invite (channel, id);
create index slack_invite_team on slack_invite (team, id) where team is not null;

-- Calls of apps' own services.
create table slack_call (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer references ident_app (id),
    external_id text not null,
    display_id text,
    join_url text not null,
    desktop_url text,
    title text,
    creator integer references chat_user (id),
    started_s integer not null,
    ended_s integer not null,                      -- 0: it goes on
    people text not null                           -- JSON: [{user} or {external, name, image}]
) strict;
create unique index slack_call_external on slack_call (workspace, coalesce(app, 0), external_id);

-- What an assistant shows in a thread, or (message 0) in a channel.
create table slack_assist (
    id integer primary key,
    channel integer not null references chat_channel (id),
    message integer not null,
    app integer references ident_app (id),
    status text not null,
    status_us integer not null,                    -- 0: there is no status
    loading text,                                  -- JSON; null: none
    prompts text,                                  -- JSON; null: none
    prompts_title text
) strict;
create unique index slack_assist_thread on slack_assist (channel, message, coalesce(app, 0));

-- Channels in which people work with agents on one thing. about and resource are what an agent says of its work; their
-- channels have properties, if only an empty object.
create table slack_agent_channel (
    channel integer primary key references chat_channel (id),
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id), -- that made it
    session text,                                  -- the app's own name for it; null: none
    title text not null,
    status text not null check (status in ('active', 'processing', 'suspended', 'closed')),
    origin integer references chat_channel (id),   -- where it began; null: nowhere
    origin_us integer not null,                    -- ts of the message there; 0: none
    about text not null,                           -- JSON object
    resource text                                  -- JSON object; null: none
) strict;
create unique index slack_agent_channel_session on slack_agent_channel (workspace, app, session) where session is not null;

create table slack_agent (
    id integer primary key,
    channel integer not null references slack_agent_channel (channel),
    user integer not null references chat_user (id),
    unique (channel, user)
) strict;

-- What an agent shows beside the messages, each in a tab.
create table slack_agent_view (
    id integer primary key,
    key text not null unique,
    channel integer not null references slack_agent_channel (channel),
    user integer not null references chat_user (id), -- whose it is
    name text,                                     -- the agent's own; null: none
    type text not null check (type in ('page', 'diff', 'blocks', 'document', 'link')),
    label text not null,
    file integer references slack_file (id),        -- null: a link has none
    version integer not null check (version > 0),
    added_s integer not null,
    detail text                                    -- JSON object: what else was said of it; null: nothing
) strict;
create unique index slack_agent_view_name on slack_agent_view (channel, name) where name is not null;
create index slack_agent_view_channel on slack_agent_view (channel, id);
create index slack_agent_view_file on slack_agent_view (file) where file is not null;

-- Commands that hold in one channel.
create table slack_agent_command (
    id integer primary key,
    channel integer not null references slack_agent_channel (channel),
    user integer not null references chat_user (id), -- the agent
    place integer not null,
    name text not null,
    description text not null,
    hint text,                                     -- null: none
    escapes integer not null check (escapes in (0, 1)), -- people and channels are sent as references
    unique (channel, user, name)
) strict;

create table slack_login (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    user integer not null references chat_user (id),
    first_s integer not null,
    last_s integer not null,
    count integer not null check (count > 0),
    ip text not null,
    agent text not null,
    isp text,
    country text,
    region text
) strict;
create index slack_login_last on slack_login (workspace, last_s, id);

create table slack_app_log (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    user integer not null references chat_user (id),
    app integer not null references ident_app (id),
    at_s integer not null,
    change text not null check (change in ('added', 'removed', 'enabled', 'disabled', 'updated')),
    scopes text,
    reason text
) strict;
create index slack_app_log_at on slack_app_log (workspace, at_s, id);

create table slack_webhook (
    id integer primary key,
    key text not null unique,
    secret text not null,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    channel integer not null references chat_channel (id),
    user integer not null references chat_user (id),
    created_s integer not null,
    deleted integer not null check (deleted in (0, 1))
) strict;

-- What apps subscribe to, and how their deliveries go.
create table slack_subscription (
    id integer primary key,
    app integer not null references ident_app (id),
    kind text not null,                            -- name of the event
    person integer not null check (person in (0, 1)), -- for people who agreed, not for the bot
    unique (app, kind, person)
) strict;

create table slack_endpoint (
    app integer primary key references ident_app (id),
    url text,                                      -- null: none was verified
    enabled integer not null check (enabled in (0, 1)),
    sent integer not null,
    failed integer not null,
    hour_s integer not null                        -- in which these were counted
) strict;
