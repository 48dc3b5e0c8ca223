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
    setting text not null          -- JSON: preferences of the whole workspace
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

-- Custom fields of profiles.
create table chat_profile_field (
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
create table chat_app (
    id integer primary key,
    app integer not null unique references ident_app (id),
    key text not null unique,
    description text not null,
    verification text not null,                    -- token in payloads
    manifest text,                                 -- JSON as last set; null: none
    setting text not null,                         -- JSON: addresses for events, commands, interactivity (chat.h)
    owner integer references chat_user (id),       -- who keeps it; null: everybody may
    icon text,                                     -- URL; null: the default picture
    distributed integer not null check (distributed in (0, 1)), -- to other workspaces than its owner's
    deleted integer not null check (deleted in (0, 1))
) strict;

create table chat_install (
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
create index chat_install_user on chat_install (user) where user is not null;

-- What new access tokens of an installation are made with, once each: of its bot, or of a person who agreed.
create table chat_grant (
    id integer primary key,
    token text not null unique,
    install integer not null references chat_install (id),
    user integer not null references chat_user (id),
    scopes text,                                   -- of a person, with commas; null: the installation's
    access text not null,                          -- the access token that came with it
    before text,                                   -- the one before that; null: none
    expires_s integer not null,                    -- 0: never
    unique (install, user)
) strict;

-- kind 0 public, 1 private, 2 direct (two people, or one with himself), 3 direct of a group.
create table chat_channel (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    key text not null,
    kind integer not null check (kind between 0 and 3),
    name text,                                     -- null: a direct one has none
    pair text,                                     -- of direct ones: who is in it, as sorted rowids; null: no direct one
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
    unique (workspace, key)
) strict;
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
    text text not null,
    blocks text,                                   -- JSON; null: none
    attachments text,                              -- JSON; null: none
    metadata text,                                 -- JSON; null: none
    extra text,                                    -- JSON object of other members; null: none
    client text,                                   -- the id that a client gave it
    flags integer not null,                        -- enum chat_message_flag
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
    pinned_s integer not null
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

create table chat_reaction (
    id integer primary key,
    message integer,                               -- either this
    file integer references chat_file (id),        -- or this
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

create table chat_star (
    id integer primary key,
    user integer not null references chat_user (id),
    channel integer references chat_channel (id),  -- one of these three
    message integer,
    file integer references chat_file (id),
    at_s integer not null
) strict;
create unique index chat_star_of on chat_star (user, coalesce(message, 0), coalesce(file, 0), coalesce(channel, 0));
create index chat_star_message on chat_star (message) where message is not null;

create table chat_bookmark (
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
create index chat_bookmark_channel on chat_bookmark (channel, rank, id);

create table chat_reminder (
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
create index chat_reminder_user on chat_reminder (user, id);
create index chat_reminder_creator on chat_reminder (creator, id);

create table chat_scheduled (
    id integer primary key,
    key text not null unique,
    channel integer not null references chat_channel (id),
    user integer not null references chat_user (id),
    app integer references ident_app (id),
    at_s integer not null,
    created_s integer not null,
    message text not null                          -- JSON: what is posted then
) strict;
create index chat_scheduled_channel on chat_scheduled (channel, at_s, id);
create index chat_scheduled_user on chat_scheduled (user, at_s, id);

-- state 0: an address to upload to was given, 1: the bytes are there, 2: it is shared or kept, 3: deleted.
create table chat_file (
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
create index chat_file_list on chat_file (workspace, created_s, id);
create index chat_file_user on chat_file (user, created_s, id);
create unique index chat_file_external on chat_file (workspace, external_id) where external_id is not null;

create table chat_share (
    id integer primary key,
    file integer not null references chat_file (id),
    channel integer not null references chat_channel (id),
    message integer not null,                      -- 0: it is to be had there without a message
    at_s integer not null,
    unique (file, channel, message)
) strict;
create index chat_share_channel on chat_share (channel, file);

create table chat_group (
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
create index chat_group_workspace on chat_group (workspace, id);

create table chat_group_user (
    id integer primary key,
    member_of integer not null references chat_group (id),
    user integer not null references chat_user (id),
    unique (member_of, user)
) strict;

create table chat_quiet (
    user integer primary key references chat_user (id),
    enabled integer not null check (enabled in (0, 1)),
    from_minute integer not null,                  -- of the person's day
    to_minute integer not null,
    snooze_s integer not null,                     -- until then; 0: no
    snoozing_forever integer not null check (snoozing_forever in (0, 1)),
    skipped_s integer not null default 0           -- the stretch that ends then was ended early; 0: none
) strict;

create table chat_emoji (
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
create table chat_canvas (
    file integer primary key references chat_file (id),
    channel integer references chat_channel (id),  -- whose tab it is; null: nobody's
    main integer not null check (main in (0, 1)),  -- the one of its channel, not a further tab
    content text not null                          -- JSON: sections
) strict;
create index chat_canvas_channel on chat_canvas (channel, main, file) where channel is not null;

create table chat_access (
    id integer primary key,
    file integer not null references chat_file (id),
    channel integer references chat_channel (id),  -- either
    user integer references chat_user (id),        -- or
    level text not null check (level in ('read', 'write', 'owner'))
) strict;
create unique index chat_access_file on chat_access (file, coalesce(channel, 0), coalesce(user, 0));

create table chat_list (
    file integer primary key references chat_file (id),
    description text,                              -- JSON: blocks; null: none
    columns text not null,                         -- JSON: [{id, key, name, type, primary, options}]
    subtask text not null,                         -- id of the column of items below others
    todo integer not null check (todo in (0, 1))
) strict;

create table chat_list_item (
    id integer primary key,
    list integer not null references chat_list (file),
    key text not null unique,
    parent integer references chat_list_item (id),
    place integer not null,
    fields text not null,                          -- JSON: [{column, values}]
    state integer not null check (state between 0 and 2), -- 1: archived, 2: deleted
    created_s integer not null,
    created_by integer references chat_user (id),
    updated_s integer not null,
    updated_by integer references chat_user (id)
) strict;
create unique index chat_list_item_list on chat_list_item (list, place);
create index chat_list_item_parent on chat_list_item (parent) where parent is not null;

-- Lists as CSV, some time after somebody wanted it.
create table chat_export (
    id integer primary key,
    key text not null unique,
    list integer not null references chat_list (file),
    at_us integer not null,
    archived integer not null check (archived in (0, 1))
) strict;
create index chat_export_list on chat_export (list, id);

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

-- Invitations of other workspaces into a channel, and what people want to be sent.
create table chat_invite (
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
create index chat_invite_channel on chat_invite (channel, id);
create index chat_invite_team on chat_invite (team, id) where team is not null;

-- Calls of apps' own services.
create table chat_call (
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
create unique index chat_call_external on chat_call (workspace, coalesce(app, 0), external_id);

-- What an assistant shows in a thread, or (message 0) in a channel.
create table chat_assist (
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
create unique index chat_assist_thread on chat_assist (channel, message, coalesce(app, 0));

-- Channels in which people work with agents on one thing. about and resource are what an agent says of its work; their
-- channels have properties, if only an empty object.
create table chat_agent_channel (
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
create unique index chat_agent_channel_session on chat_agent_channel (workspace, app, session) where session is not null;

create table chat_agent (
    id integer primary key,
    channel integer not null references chat_agent_channel (channel),
    user integer not null references chat_user (id),
    unique (channel, user)
) strict;

-- What an agent shows beside the messages, each in a tab.
create table chat_agent_view (
    id integer primary key,
    key text not null unique,
    channel integer not null references chat_agent_channel (channel),
    user integer not null references chat_user (id), -- whose it is
    name text,                                     -- the agent's own; null: none
    type text not null check (type in ('page', 'diff', 'blocks', 'document', 'link')),
    label text not null,
    file integer references chat_file (id),        -- null: a link has none
    version integer not null check (version > 0),
    added_s integer not null,
    detail text                                    -- JSON object: what else was said of it; null: nothing
) strict;
create unique index chat_agent_view_name on chat_agent_view (channel, name) where name is not null;
create index chat_agent_view_channel on chat_agent_view (channel, id);
create index chat_agent_view_file on chat_agent_view (file) where file is not null;

-- Commands that hold in one channel.
create table chat_agent_command (
    id integer primary key,
    channel integer not null references chat_agent_channel (channel),
    user integer not null references chat_user (id), -- the agent
    place integer not null,
    name text not null,
    description text not null,
    hint text,                                     -- null: none
    escapes integer not null check (escapes in (0, 1)), -- people and channels are sent as references
    unique (channel, user, name)
) strict;

create table chat_login (
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
create index chat_login_last on chat_login (workspace, last_s, id);

create table chat_app_log (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    user integer not null references chat_user (id),
    app integer not null references ident_app (id),
    at_s integer not null,
    change text not null check (change in ('added', 'removed', 'enabled', 'disabled', 'updated')),
    scopes text,
    reason text
) strict;
create index chat_app_log_at on chat_app_log (workspace, at_s, id);

create table chat_webhook (
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
create table chat_subscription (
    id integer primary key,
    app integer not null references ident_app (id),
    kind text not null,                            -- name of the event
    person integer not null check (person in (0, 1)), -- for people who agreed, not for the bot
    unique (app, kind, person)
) strict;

create table chat_endpoint (
    app integer primary key references ident_app (id),
    url text,                                      -- null: none was verified
    enabled integer not null check (enabled in (0, 1)),
    sent integer not null,
    failed integer not null,
    hour_s integer not null                        -- in which these were counted
) strict;

-- Words of messages and files, for search: see corpus.c. No texts are kept.
create virtual table chat_index using fts5 (
    body, file, extra,
    content = '', columnsize = 0,
    tokenize = "ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
