-- The tables that every world has, whatever services are in it: what is due, what would have left it.

create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

create table id_stream (
    kind text primary key,
    n integer not null
) strict, without rowid;

-- Bytes of any length, which cores refer to by id (blob.h).
create table blob (
    id integer primary key check (id between 1 and 34359738367),
    length integer not null,      -- of one that is still being written: at its last suspension
    refs integer not null,        -- rows that name it
    sha256 blob,                  -- null: it is still being written
    md5 blob,                     -- null: was never asked for
    sha1 blob
) strict;
create unique index blob_content on blob (sha256, length);

-- id: blob << 28 | number. 65536 bytes each, the last one of a blob what is left.
create table chunk (
    id integer primary key,
    data blob not null
) strict;

create table due (
    id integer primary key,
    at_us integer not null,
    core text not null,
    kind text not null,
    ref integer not null
) strict;
create index due_at on due (at_us, id);
create index due_ref on due (core, kind, ref);

create table outbox (
    id integer primary key,
    at_us integer not null,
    kind text not null,
    sender text not null,
    recipients text not null,
    payload text not null
) strict;
-- Who there is in a world: organisations, people and other actors, groups, apps, accounts, tokens.

create table ident_org (
    id integer primary key,
    domain text not null unique,
    name text not null
) strict;

create table ident_actor (
    id integer primary key,
    handle text not null unique check (handle <> ''), -- what documents call it: its address, if it was given no other name
    email text unique,            -- lower case; null: it has none
    kind text not null check (kind in ('person', 'bot', 'app', 'service', 'resource')),
    name text not null,
    zone text not null,           -- IANA name
    locale text not null,
    org integer references ident_org (id),
    hours text                    -- working hours, as in the seed document (JSON)
) strict;

create table ident_alias (
    id integer primary key,
    email text not null unique,
    actor integer not null references ident_actor (id)
) strict;
create index ident_alias_actor on ident_alias (actor);

create table ident_group (
    id integer primary key,
    email text not null unique,
    name text not null
) strict;

create table ident_member (
    id integer primary key,
    member_of integer not null references ident_group (id),
    email text not null,
    unique (member_of, email)
) strict;

-- Programs. What they sign in with is the client id; the rest as far as a vendor's apps have it.
create table ident_app (
    id integer primary key,
    client_id text not null unique,
    secret text,                  -- null: none is asked for
    name text not null,
    kind text not null check (kind in ('web', 'installed', 'device', 'any')), -- any: any secret, redirect address and flow
    redirects text not null,      -- JSON array
    automatic integer references ident_actor (id), -- who consents without being asked
    vendor text,                  -- whose apps it is one of; null: nobody said
    bot integer references ident_actor (id),       -- that acts for it
    signing_secret text,          -- of what is sent to it
    section text not null,        -- of seed documents that it is written in
    proven integer not null check (proven in (0, 1)), -- who agrees proves who he is
    registered_us integer         -- when it registered, while nobody has agreed yet; null: others
) strict;
create index ident_app_registered on ident_app (registered_us) where registered_us is not null;

-- Under what ids a vendor knows an actor: subject; team and user id; tenant and object id.
create table ident_account (
    id integer primary key,
    actor integer not null references ident_actor (id),
    vendor text not null,
    service text not null,        -- '': all of the vendor's
    tenant text not null,         -- '': the vendor has none
    name text not null,           -- the id
    unique (vendor, tenant, name, service)
) strict;
create index ident_account_actor on ident_account (actor, vendor);

-- An actor that proves with a key who it is (RFC 7523).
create table ident_service (
    id integer primary key,
    actor integer not null unique references ident_actor (id),
    client_id text not null unique,
    key_id text,                  -- null: of the key that is made for it
    public_key text,              -- PEM; null: made for it when it is first needed
    delegation text               -- scopes for which it may act for people of its organisation; null: none
) strict;

-- Tokens that are fixed, too long to be signed, or issued by OAuth; and what was revoked of those that are not here.
create table ident_token (
    id integer primary key,
    value text not null unique,
    actor integer not null references ident_actor (id),
    app integer references ident_app (id),
    service integer references ident_service (id), -- issued to it; null: to no service account
    account integer references ident_account (id),
    grant_id integer,             -- the refresh token that it was made from; null: none
    kind integer not null check (kind in (1, 2, 4)), -- enum token_kind
    scopes text,                  -- null: everything
    expires_us integer,           -- null: never
    seeded integer not null       -- is in dumps
) strict;
create index ident_token_grant on ident_token (grant_id) where grant_id is not null;
create index ident_token_app on ident_token (app, actor) where app is not null;

create table ident_revoked (
    nonce integer primary key,
    at_us integer not null
) strict;

-- What a person has agreed to, for each app.
create table ident_consent (
    id integer primary key,
    app integer not null references ident_app (id),
    actor integer not null references ident_actor (id),
    scopes text not null,
    unique (app, actor)
) strict;

-- Refresh tokens.
create table ident_grant (
    id integer primary key,
    token text not null unique,   -- one that was not issued here: its hash
    app integer not null references ident_app (id),
    actor integer not null references ident_actor (id),
    scopes text not null
) strict;
create index ident_grant_of on ident_grant (actor, app);

create table ident_code (
    id integer primary key,
    code text not null unique,
    app integer not null references ident_app (id),
    actor integer not null references ident_actor (id),
    scopes text not null,
    redirect text not null,
    challenge text,
    plain integer not null,       -- the challenge is the verifier itself
    nonce text,
    offline integer not null,     -- a refresh token was asked for
    expires_us integer not null,
    used_token text               -- the access token it was exchanged for
) strict;

-- With what a person proves once who he is to the page on which he agrees.
create table ident_link (
    id integer primary key,
    secret text not null unique,
    actor integer not null references ident_actor (id),
    expires_us integer not null
) strict;
create index ident_link_of on ident_link (actor);

create table ident_device (
    id integer primary key,
    code text not null unique,
    user_code text not null unique,
    app integer not null references ident_app (id),
    scopes text not null,
    actor integer references ident_actor (id), -- who agreed
    denied integer not null,
    polled_us integer,
    expires_us integer not null
) strict;

-- Whether programs may sign in that the world does not know, and as whom.
create table ident_setting (
    id integer primary key check (id = 1),
    oauth text not null check (oauth in ('open', 'listed')),
    oauth_actor integer references ident_actor (id) -- null: the first person
) strict;
-- Push channels: who wants to be notified of which changes, and where.

create table google_channel (
    id integer primary key,
    name text not null unique,    -- the client's id for it
    actor integer not null references ident_actor (id),
    kind text not null,           -- what is watched: kind and id of tx_changed()
    ref integer not null,
    resource text not null,       -- the same as clients see it
    uri text not null,
    address text not null,
    token text,
    expires_us integer not null,
    number integer not null       -- of the last message
) strict;
create index google_channel_of on google_channel (kind, ref);

-- Resumable uploads: what was said when they began, what has come so far, and what was answered at the end.

create table google_upload (
    id integer primary key,
    key text not null unique,     -- upload_id
    actor integer not null references ident_actor (id),
    app integer references ident_app (id), -- whose token began it; null: no app's
    scopes text not null,         -- of the method, those that the actor's token had
    path text not null,           -- raw, as it was begun
    query text not null,          -- the same, without credentials
    metadata text not null,       -- JSON; '' for none
    type text,                    -- of the media; null: not said
    total integer,                -- bytes; null: not said
    blob integer,                 -- what has come: not finished (engine/blob/blob.h); null: nothing yet
    size integer not null,        -- bytes of it
    expires_us integer not null,
    status integer,               -- of the answer; null: not finished
    answer blob
) strict;

-- Pub/Sub: topics that APIs publish to, and where subscriptions push what they get.

create table pubsub_topic (
    id integer primary key,
    name text not null unique,    -- "projects/P/topics/T"
    closed integer not null       -- 1: nobody gave the APIs the right to publish to it
) strict;

create table pubsub_subscription (
    id integer primary key,
    topic integer not null references pubsub_topic (id),
    name text not null unique,    -- "projects/P/subscriptions/S"
    endpoint text not null        -- URL that messages are pushed to
) strict;
create index pubsub_subscription_of on pubsub_subscription (topic, name);
-- Calendars, who may see them, who has them on a list, and what is in them.
--
-- Times are microseconds since 1970. A timed event is at instants; an all-day event at the midnights of its dates as
-- if in UTC, whatever zone it is looked at in. Roles: 0 none, 1 free/busy, 2 read, 3 write, 4 own. Numbers named "change"
-- come from one rising counter of the world: what is newer has the higher one.

create table cal_calendar (
    id integer primary key,
    key text not null unique,        -- what it is known by; of a primary calendar its owner's address
    owner integer not null references ident_actor (id),
    main integer not null,           -- 1: the owner's primary calendar
    summary text not null,
    description text,
    location text,
    zone text not null,              -- IANA name
    app integer,                     -- ident_app that made it, -1: one without an app; null: no program
    extra text,                      -- JSON object: what dialects keep with it
    gone integer not null default 0, -- 1: deleted; kept for those who had it on their lists
    created_us integer not null,
    updated_us integer not null,     -- of these properties, not of the events
    change integer not null,
    newest integer not null default 0, -- the newest change of an event in it
    newest_us integer not null default 0 -- when that was
) strict;
create index cal_calendar_owner on cal_calendar (owner);

-- Rules of access. The owner has all rights without one.
create table cal_access (
    id integer primary key,
    calendar integer not null references cal_calendar (id),
    kind integer not null,           -- 1 person, 2 group, 3 domain, 4 everybody
    who text not null,               -- address or domain; '' for everybody
    role integer not null,           -- 0: removed
    updated_us integer not null,
    change integer not null,
    unique (calendar, kind, who)
) strict;
create index cal_access_change on cal_access (calendar, change);

-- The calendars on a person's list.
create table cal_listing (
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
create index cal_listing_calendar on cal_listing (calendar);
create index cal_listing_change on cal_listing (actor, change);

create table cal_setting (
    id integer primary key,
    actor integer not null references ident_actor (id),
    name text not null,
    value text not null,
    updated_us integer not null,
    change integer not null,
    unique (actor, name)
) strict;

create table cal_event (
    id integer primary key,
    calendar integer not null references cal_calendar (id),
    key text not null,               -- the same in all copies
    uid text,                        -- of iCalendar; null: KEY@google.com
    form integer not null,           -- 0 single, 1 series, 2 instance of a series that differs from it
    span integer not null,           -- class of length, see list.c; +64 when cancelled
    start_us integer not null,       -- of a series: of its first instance
    end_us integer not null,         -- of a series: of its last instance; the highest number when it has none
    len_us integer not null,         -- of one instance
    all_day integer not null,
    zone text,                       -- of the start; null: the calendar's
    end_zone text,                   -- null: as the start
    status integer not null,         -- 0 confirmed, 1 tentative, 2 cancelled
    kind integer not null,           -- 0 default, 1 out of office, 2 focus time, 3 working location, 4 birthday, 5 from mail
    visibility integer not null,     -- 0 default, 1 public, 2 private, 3 confidential
    free integer not null,           -- 1: does not block time
    rights integer not null,         -- bits: what guests may do and the like, see event.h
    response integer not null,       -- of the calendar's person: 0 no guest, 1 none yet, 2 declined, 3 tentative, 4 accepted
    removed integer not null,        -- 1: a copy that its person took away
    sequence integer not null,
    created_us integer not null,
    updated_us integer not null,     -- equal in a series and all its instances
    change integer not null,
    origin integer references cal_event (id), -- a guest's copy: the organizer's event
    master integer references cal_event (id), -- an instance: its series in this calendar, if it has it
    original_us integer,             -- an instance: when it would have started
    original_day integer,            -- an instance: 1 if that is a date
    n_attendees integer not null,
    n_instances integer not null,    -- a series: its rows with form 2
    creator text,                    -- address; null: the calendar's key
    organizer text,                  -- address; null: the calendar's key
    summary text,
    description text,
    location text,
    color text,                      -- a dialect's word; null: the calendar's
    reminders text,                  -- JSON array of {method, minutes}; null: the calendar's default
    recurrence text,                 -- lines of RRULE, RDATE, EXDATE, EXRULE
    own_props text,                  -- JSON object of texts, of this copy
    props text,                      -- JSON object of texts, of all copies
    extra text,                      -- JSON object: what dialects keep with it, of all copies
    -- The copies of an event lie together here and in cal_event_change: an invitation of many people writes few pages.
    unique (key, calendar)
) strict;
create index cal_event_time on cal_event (calendar, span, start_us, end_us);
create index cal_event_change on cal_event (change, calendar);
-- In the order of lists; what is behind the key lets a list pass over what is not in its stretch of time.
create index cal_event_update on cal_event (calendar, updated_us, key, span, start_us, end_us);
create index cal_event_origin on cal_event (origin) where origin is not null;
create index cal_event_master on cal_event (master, original_us) where master is not null;
create index cal_event_away on cal_event (calendar, end_us) where kind in (1, 2);
create index cal_event_conference on cal_event (case when json_valid(extra) then
    json_extract(extra, '$.conferenceData.conferenceId') end) where instr(extra, '"conferenceId"');
create index cal_event_uid on cal_event (uid) where uid is not null;

-- Guests. Those of a copy are its origin's.
create table cal_attendee (
    id integer primary key,
    event integer not null references cal_event (id),
    email text not null,             -- lower case
    name text,
    response integer not null,       -- 1 none yet, 2 declined, 3 tentative, 4 accepted
    optional integer not null,
    resource integer not null,
    guests integer not null,         -- how many more this one brings
    comment text
) strict;
create index cal_attendee_event on cal_attendee (event);

-- Who can have a calendar has one.
create trigger cal_of_actor after insert on ident_actor
when new.kind in ('person', 'resource', 'service') and new.email is not null
begin
    insert into cal_calendar (key, owner, main, summary, zone, created_us, updated_us, change)
    values (new.email, new.id, 1, case new.kind when 'resource' then new.name else new.email end, new.zone,
            strftime('%s', 'now') * 1000000, strftime('%s', 'now') * 1000000, 0);
    insert into cal_listing (actor, calendar, selected, reminders, notices, updated_us, change)
    values (new.id, last_insert_rowid(), 1, '[{"method":"popup","minutes":10}]',
            '[{"type":"eventCreation","method":"email"},{"type":"eventChange","method":"email"},' ||
            '{"type":"eventCancellation","method":"email"},{"type":"eventResponse","method":"email"}]',
            strftime('%s', 'now') * 1000000, 0);
end;
-- How this world's Google Calendar does what of the service is only reported (option.c): what differs from the default.
create table calendar_google_option (
    id integer primary key,
    name text not null unique,
    value integer not null           -- a number, or which of the option's words
) strict;
-- Files without a vendor: items in trees, who may do what with them, their content, and what changed when.

-- What is needed on the way up a tree comes first, so that a walk reads the beginnings of rows only. Nothing that follows
-- from an item's place is kept in it: a folder moves, and goes to the trash, without its descendants being touched.
create table drive_item (
    id integer primary key,
    parent integer,               -- the folder it is in; null: a top, or an item that is in no folder
    owner integer references ident_actor (id), -- null: in a shared drive
    drive integer,                -- top of the shared drive it is in (its own id for the top); null: in none
    flags integer not null,       -- enum drive_flag
    form integer not null check (form between 0 and 3), -- enum drive_form
    top integer not null check (top between 0 and 3),   -- enum drive_top
    space integer not null,       -- 0: the drive; else the app (ident_app) in whose folder for its own data it is, -1: of no app
    key text not null unique,
    name text not null,
    mime text not null,           -- a media type, or a word without a slash for our own kinds: folder, shortcut, document
    size integer,                 -- bytes; null: it has none
    created_us integer not null,
    modified_us integer not null,
    modifier integer,             -- an actor; null: nobody known
    version integer not null,     -- rises with every change
    blob integer,                 -- its content (engine/blob/blob.h); null: none
    head integer,                 -- drive_revision that is its content; null: none
    md5 text, sha1 text, sha256 text,
    target integer,               -- of a shortcut: drive_item, which may be gone
    target_key text, target_mime text,
    trashed_us integer, trasher integer, -- of an item that is itself in the trash
    description text,
    original text,                -- name of the file that was uploaded
    extension text,               -- whole, "tar.gz"
    color text,                   -- of a folder
    resource_key text,
    restrictions text,            -- content restrictions, JSON array
    download_rules text,          -- JSON object: who may not download
    media text,                   -- what is known of a picture or a film, JSON object
    index_text text,              -- text for search that the writer gave
    thumbnail integer, thumbnail_mime text, -- blob that the writer gave
    creator_app integer,          -- ident_app that made it; null: none
    extra text,                   -- JSON object of what nothing here looks at
    host integer,                 -- owner of the folder it is in, who is not its own; null: it has the same, or none
    folded text not null          -- its name without case and accents, for orders by it
) strict;
create index drive_item_child on drive_item (parent, modified_us desc, id);
create index drive_item_owner on drive_item (owner, modified_us desc, id, parent);
create index drive_item_owner_name on drive_item (owner, folded, modified_us desc, id, parent);
create index drive_item_drive_name on drive_item (drive, folded, modified_us desc, id, parent) where drive is not null;
create index drive_item_owner_type on drive_item (owner, mime collate nocase, modified_us desc, id, parent);
create index drive_item_child_type on drive_item (parent, mime collate nocase, modified_us desc, id);
create index drive_item_name on drive_item (name collate nocase, parent);
create index drive_item_drive on drive_item (drive, modified_us desc, id, parent) where drive is not null;
create index drive_item_host on drive_item (host) where host is not null;
create index drive_item_hosted on drive_item (owner) where host is not null;
create index drive_item_granted on drive_item (owner, drive) where flags & 4;
create index drive_item_target on drive_item (target_key) where target_key is not null;
create index drive_item_trash on drive_item (owner, drive) where flags & 1;
create index drive_item_top on drive_item (owner, top, space) where top > 0;

-- What was deleted and has rows yet, as has what is below it; they go a number at a time. None of
-- them is seen.
create table drive_gone (
    item integer primary key references drive_item (id) -- in no folder
) strict;

-- What an item is to one person. Everybody has a row for each item that they made, so that what lists ask for has
-- indexes of its own, with all that is asked: SQLite prefers the key to others.
create table drive_mine (
    item integer not null references drive_item (id),
    actor integer not null references ident_actor (id),
    starred integer not null check (starred in (0, 1)),
    hidden integer not null check (hidden in (0, 1)),   -- a shared drive that is not shown
    viewed_us integer,            -- null: never
    modified_us integer,          -- when they changed it last; null: never, or they were the last who did
    shared_us integer,            -- when it came to be shared with them; null: it was not, or they took it off their list
    sharer integer,               -- an actor
    guest integer,                -- 1: of an item that is not their own; null: of one that is
    primary key (actor, item)
) strict, without rowid;
create index drive_mine_item on drive_mine (item);
create index drive_mine_guest on drive_mine (actor, guest, viewed_us, shared_us) where guest = 1;
create index drive_mine_starred on drive_mine (actor, starred) where starred = 1;
create index drive_mine_shared on drive_mine (actor, shared_us) where shared_us is not null;

-- What is granted at an item; what is below it has it too. A member of a shared drive has a grant at its top.
create table drive_grant (
    id integer primary key,
    item integer not null references drive_item (id),
    kind integer not null check (kind between 1 and 4), -- enum drive_grantee
    who text not null,            -- address or domain, lower case; '' of anyone
    role integer not null check (role between 0 and 7), -- enum drive_role; 0: nothing, in spite of what is above
    lowers integer not null check (lowers in (0, 1)),   -- it counts in place of what comes from above, not beside it
    discoverable integer not null check (discoverable in (0, 1)),
    view text,                    -- null: the item itself; else of that view only
    pending integer not null check (pending in (0, 1)), -- is to own it
    expires_us integer,
    created_us integer not null,
    unique (item, kind, who)
) strict;
create index drive_grant_who on drive_grant (kind, who, item);

-- Shared drives, beside the item that is their top.
create table drive_drive (
    item integer primary key references drive_item (id),
    request text,                 -- what it was asked for with
    creator integer references ident_actor (id),
    org integer references ident_org (id),
    admin_managed integer not null,
    copy_writers integer not null,     -- readers may not copy, print or download
    domain_only integer not null,      -- people of the organisation only
    members_only integer not null,     -- members only
    folders_organizer integer not null, -- only organizers share folders
    download integer not null default 0 check (download between 0 and 3), -- who may not download: 1 readers, 2 writers
    theme text, color text,
    background text               -- JSON object: picture and where it is cut
) strict;
create index drive_drive_request on drive_drive (creator, request) where request is not null;

-- Who administers all of them.
create table drive_admin (
    actor integer primary key references ident_actor (id)
) strict;

-- Properties: app 0 is everybody's, others are seen by the app alone.
create table drive_property (
    item integer not null references drive_item (id),
    app integer not null,
    name text not null,
    value text not null,
    primary key (item, app, name)
) strict, without rowid;
create index drive_property_name on drive_property (name, value, app, item);

create table drive_revision (
    id integer primary key,
    item integer not null references drive_item (id),
    key text not null,
    blob integer,                 -- null: a document's, whose content is in drive_document
    mime text not null,
    size integer,
    md5 text, sha1 text, sha256 text,
    modified_us integer not null,
    modifier integer,
    original text,
    keep integer not null check (keep in (0, 1)),
    published integer not null check (published in (0, 1)),
    publish_auto integer not null check (publish_auto in (0, 1)),
    publish_outside integer not null check (publish_outside in (0, 1)),
    unique (item, key)
) strict;
create index drive_revision_of on drive_revision (item, id);

-- The content of documents of our own kinds, a row for each revision.
create table drive_document (
    revision integer primary key references drive_revision (id),
    item integer not null references drive_item (id),
    content integer not null      -- blob: the document's model, JSON
) strict;
create index drive_document_of on drive_document (item);

create table drive_comment (
    id integer primary key,
    item integer not null references drive_item (id),
    key text not null,
    author integer not null references ident_actor (id),
    content text,                 -- null: it was deleted
    quoted text, quoted_mime text,
    anchor text,
    created_us integer not null,
    modified_us integer not null,
    deleted integer not null check (deleted in (0, 1)),
    resolved integer not null check (resolved between 0 and 2), -- 2: was, and was opened again
    assignee text, mentioned text, -- address; JSON array of addresses
    unique (item, key)
) strict;
create index drive_comment_of on drive_comment (item, modified_us desc, id);

create table drive_reply (
    id integer primary key,
    comment integer not null references drive_comment (id),
    key text not null,
    author integer not null references ident_actor (id),
    content text,
    action integer not null check (action between 0 and 2), -- 1 resolve, 2 reopen
    created_us integer not null,
    modified_us integer not null,
    deleted integer not null check (deleted in (0, 1)),
    assignee text, mentioned text,
    unique (comment, key)
) strict;

-- Somebody asks for access.
create table drive_proposal (
    id integer primary key,
    item integer not null references drive_item (id),
    key text not null,
    requester integer not null references ident_actor (id),
    recipient text not null,      -- address that shall have it
    message text,
    roles text not null,          -- JSON array
    created_us integer not null,
    unique (item, key)
) strict;

create table drive_approval (
    id integer primary key,
    item integer not null references drive_item (id),
    key text not null,
    initiator integer not null references ident_actor (id),
    status integer not null check (status between 0 and 3), -- in progress, approved, cancelled, declined
    message text,
    created_us integer not null,
    modified_us integer not null,
    completed_us integer,
    due_us integer,
    locks integer not null check (locks in (0, 1)),
    unique (item, key)
) strict;

create table drive_reviewer (
    approval integer not null references drive_approval (id),
    place integer not null,
    email text not null,
    response integer not null check (response between 0 and 2), -- none, approved, declined
    primary key (approval, place)
) strict, without rowid;

-- Labels, and what they say of an item.
create table drive_label (
    id integer primary key,
    key text not null unique,
    revision text not null,
    name text not null,
    definition text not null      -- JSON: fields with types and choices
) strict;

create table drive_labelled (
    item integer not null references drive_item (id),
    label integer not null references drive_label (id),
    content text not null,        -- JSON: fields with values
    primary key (item, label)
) strict, without rowid;
create index drive_labelled_by on drive_labelled (label, item);

-- Where an organisation has the keys of what its people encrypt themselves.
create table drive_key_service (
    id integer primary key,
    domain text not null unique,
    number integer not null,
    name text not null,
    url text not null
) strict;

-- What changed: each item once, with the number of its last change; and what somebody does not see any more.
create table drive_change (
    number integer primary key,
    item integer not null,        -- rowid of what may be gone
    key text not null,
    drive integer,                -- top of the shared drive
    is_drive integer not null check (is_drive in (0, 1)), -- of the shared drive itself
    removed integer not null check (removed in (0, 1)),
    seen_by text,                 -- who saw what is removed, or whom alone it is for: JSON array of "kind who"
    space integer not null,
    time_us integer not null
) strict;
create index drive_change_item on drive_change (item, removed);
create index drive_change_drive on drive_change (drive, number) where drive is not null;

-- Work that takes a while: downloads that are prepared.
create table drive_operation (
    id integer primary key,
    key text not null unique,
    actor integer not null references ident_actor (id),
    item integer not null,
    revision text,
    mime text,
    created_us integer not null,
    expires_us integer not null
) strict;

-- What items are found by: the text that the index has of each, and which content it was made of.
create table drive_words (
    item integer primary key,
    name text not null,
    description text,
    body text,                    -- of the content, cut, and of what the writer gave
    given text,                   -- drive_item.index_text
    head integer not null         -- drive_revision; 0: none
) strict;
create virtual table drive_index using fts5 (name, body, content = '', columnsize = 0,
    tokenize = "ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\]^_`{|}~'");
-- Mailboxes: messages as they came, their parts, threads, labels, drafts, the index of their words, the feed of changes.
--
-- The bytes of a message are its head (the header block with the empty line that ends it), which is each copy's own, and
-- behind it a content, which all copies share. Times are seconds since 1970 unless they say otherwise.

create table mail_mailbox (
    id integer primary key check (id between 1 and 65535),
    actor integer not null unique references ident_actor (id),
    labels integer not null default 0,   -- the number of the last label of its own that was made
    messages integer not null default 0,
    threads integer not null default 0,
    change integer not null default 1,   -- the newest change in it
    floor integer not null default 1     -- the feed knows what came after this change
) strict;

-- id: mailbox << 24 | place. Places 0 to 63 are the roles of label.h, the label N of the mailbox's own is at 64 + N.
create table mail_label (
    id integer primary key,
    mailbox integer not null references mail_mailbox (id),
    name text not null,                  -- of a role: its word in seed documents
    fold text not null,                  -- the name as names are compared
    list_view integer not null default 0,    -- 0 shown in lists of labels, 1 if it has unread messages, 2 hidden
    message_view integer not null default 0, -- 0 shown with messages, 1 hidden
    color text,                          -- "#rrggbb", of the text; null: none
    background text,
    messages integer not null default 0,
    unread integer not null default 0,
    threads integer not null default 0,
    unread_threads integer not null default 0,
    unique (mailbox, fold)
) strict;

-- What follows the head of a message, byte for byte. The bodies of large parts are blobs, which contents share, and "own"
-- is the rest.
create table mail_content (
    id integer primary key,
    hash integer not null,               -- XXH3 of the bytes
    size integer not null,               -- of the bytes
    refs integer not null,               -- messages
    snippet text not null,               -- the beginning of the text
    tree blob not null,                  -- its parts: mime.h
    own blob not null
) strict;
create index mail_content_hash on mail_content (hash);

-- id: mailbox << 47 | seconds of `at` << 14 | number within the second, which goes on in the next second when it is full.
create table mail_message (
    id integer primary key,
    key integer not null,                -- what programs know it by; milliseconds << 20 | random bits
    mailbox integer not null references mail_mailbox (id),
    thread integer not null references mail_thread (id),
    thread_key integer not null,
    flags integer not null,              -- bits of roles, and FLAG_OWN_LABELS
    has integer not null,                -- bits: what search.h asks for
    at integer not null,                 -- when it came
    size integer not null,               -- of all its bytes
    change integer not null,             -- the newest of it
    content integer not null references mail_content (id),
    message_id integer,                  -- hash of its Message-ID; null: none
    unique (key, mailbox)
) strict;
create index mail_message_thread on mail_message (thread, id);
create index mail_message_message_id on mail_message (message_id, mailbox) where message_id is not null;
create index mail_message_content on mail_message (content);

create table mail_message_head (
    id integer primary key references mail_message (id),
    head blob not null
) strict;

create table mail_thread (
    id integer primary key,
    key integer not null,                -- of the message that began it
    mailbox integer not null references mail_mailbox (id),
    subject integer not null,            -- hash of the subject without "Re:" and the like
    newest integer not null,             -- message
    messages integer not null,
    change integer not null,             -- the newest of its messages
    unique (key, mailbox)
) strict;
create index mail_thread_subject on mail_thread (mailbox, subject, newest);

-- Which messages have a label, roles included: newest first is this index backwards.
create table mail_labelled (
    label integer not null,
    message integer not null,
    primary key (label, message)
) strict, without rowid;

-- The labels of its own that a message has.
create table mail_message_label (
    message integer not null,
    label integer not null,
    primary key (message, label)
) strict, without rowid;

-- How many messages of a thread have a label, for the counters of label.
create table mail_thread_label (
    thread integer not null,
    label integer not null,
    messages integer not null,
    unread integer not null,
    primary key (thread, label)
) strict, without rowid;

create table mail_draft (
    id integer primary key,
    key integer not null,                -- what programs know it by
    mailbox integer not null references mail_mailbox (id),
    message integer not null unique references mail_message (id),
    unique (key, mailbox)
) strict;

-- id: mailbox << 47 | number of the change.
create table mail_change (
    id integer primary key,
    at integer not null,                 -- when
    kind integer not null check (kind between 1 and 4), -- enum mail_change_kind
    message integer not null,            -- key
    thread integer not null,             -- key
    flags integer not null,              -- of the message, after the change; 1 << 20: the next row is of the same record
    own text,                            -- places of its own labels, after the change; null: none
    labels text                          -- places of labels added or removed
) strict;

-- Words of messages, as words.h makes them of texts; the rowid is the message's. It keeps no texts: a message is taken
-- out with the words that it was put in with. "extra" has what words without a field do not find, each with a mark in
-- front (search.c).
create virtual table mail_index using fts5 (
    sender, recipient, cc, bcc, subject, body, file, extra,
    content = '', columnsize = 0, tokenize = "ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

-- Words that nearly all messages of a mailbox have, and the messages that lack them (engine/search/common.c).
create table mail_common (
    id integer primary key,
    mailbox integer not null,            -- key
    word text not null,
    unique (mailbox, word)
) strict;

create table mail_lacking (
    common integer not null,
    message integer not null,
    primary key (common, message)
) strict, without rowid;

-- People have mailboxes.
create trigger mail_mailbox_of_actor after insert on ident_actor
when new.kind = 'person' and new.email is not null
begin
    insert into mail_mailbox (actor) values (new.id);
    insert into mail_label (id, mailbox, name, fold, list_view, message_view)
    select m.id << 24 | r.key, m.id, r.value, lower(r.value), (r.key in (3, 4) or r.key > 6) * 2, r.key in (3, 4) or r.key > 6
    from mail_mailbox m, json_each('["INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "UNREAD", "STARRED", "IMPORTANT", "CHAT",
        "CATEGORY_PERSONAL", "CATEGORY_SOCIAL", "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_FORUMS"]') r
    where m.actor = new.id;
end;

-- What people have set for their mailboxes, and what acts for them: setting.h.
create table mail_setting (
    id integer primary key,
    mailbox integer not null references mail_mailbox (id),
    kind text not null,
    key text not null,                   -- '' where there is one of a kind
    value text not null,                 -- JSON object
    unique (mailbox, kind, key)
) strict;

-- Who has had an automatic answer.
create table mail_answered (
    mailbox integer not null references mail_mailbox (id),
    email text not null,
    at_us integer not null,
    primary key (mailbox, email)
) strict, without rowid;
-- What Gmail keeps besides mailboxes.

-- Names of labels as Gmail compares them: labels.c asks in the same words.
create index gmail_label_name on mail_label (mailbox, lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    name, ' ', '-'), '&', '-'), '(', '-'), ')', '-'), '"', '-'), '|', '-'), '{', '-'), '}', '-'), '/', '-')));

-- Push notifications: where the owner of a mailbox wants to be notified of its changes. One a mailbox.

create table gmail_watch (
    mailbox integer primary key references mail_mailbox (id),
    topic text not null,             -- of Pub/Sub
    labels text not null,            -- ids of labels with spaces between them; '': all changes are notified
    exclude integer not null,        -- 1: changes of messages with one of the labels are not notified, 0: only those
    expires_us integer not null,
    notified integer not null,       -- the newest change that was notified
    notified_us integer not null     -- when
) strict;
-- People who answer mail by themselves: rules, and answers that are under way.
create table mail_responder (
    id integer primary key,
    key text not null unique,
    mailbox integer not null references mail_mailbox (id),
    rule text not null,                                -- JSON: what it answers
    acts text not null,                                -- JSON: what it does then
    delay_s integer not null,
    times integer not null,                            -- how often yet
    refused text                                       -- why its last act was refused; null: it was not
) strict;
create index mail_responder_mailbox on mail_responder (mailbox, id);

create table mail_respond (
    id integer primary key,
    responder integer not null references mail_responder (id),
    acts text not null,                                -- JSON: letters that are to be sent, and waits
    step integer not null,
    at_us integer not null
) strict;
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
-- What goes to apps.

-- An event and what it says to those who are notified of it: one row, however many these are.
create table chat_event (
    id integer primary key,
    key text not null unique,
    at_us integer not null,
    workspace integer not null references chat_workspace (id),
    channel integer references chat_channel (id),     -- null: of none
    type text not null,
    body text not null                                -- JSON: the inner object
) strict;

-- That an app is notified of an event; for what sees it. An entry of the outbox refers to this.
create table chat_event_app (
    id integer primary key,
    event integer not null references chat_event (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id)
) strict;

-- What a person did, on its way to an app. An entry of the outbox refers to this.
create table chat_action (
    id integer primary key,
    app integer not null references ident_app (id),
    kind integer not null check (kind between 0 and 2),
    answers integer not null check (answers in (0, 1)),
    ref integer not null,
    payload text not null
) strict;

-- What calls raised, until those who subscribe are notified. Numbers grow for ever: a fork notifies of none that it has from its
-- parent.
create table chat_news (
    id integer primary key,
    at_us integer not null,
    kind text not null,
    operation integer not null check (operation between 0 and 2),
    scope integer not null,
    entity integer not null,
    actor integer not null,
    app integer not null,
    members text not null,
    user integer not null,
    by integer not null,
    name text,
    message text                                      -- JSON: a message as it was; null: none
) strict;
create index chat_subscription_kind on chat_subscription (kind, person, app);

-- Addresses of WebSockets that were given out and not used yet.
create table chat_ticket (
    id integer primary key,
    key text not null unique,
    app integer references ident_app (id),            -- one of the two
    user integer references chat_user (id),
    until_us integer not null,
    debug integer not null check (debug in (0, 1)),
    batch integer not null check (batch in (0, 1))    -- presence of several people in a frame
) strict;
create index chat_ticket_until on chat_ticket (until_us);

-- WebSockets of apps, by the numbers of their sessions. A fork has rows of some that are open elsewhere alone.
create table chat_socket (
    number integer primary key,
    app integer not null references ident_app (id)
) strict;
create index chat_socket_app on chat_socket (app);

-- WebSockets of people, who are notified of what they may see.
create table chat_rtm (
    number integer primary key,
    user integer not null references chat_user (id),
    key text not null unique,
    batch integer not null check (batch in (0, 1))
) strict;
create index chat_rtm_user on chat_rtm (user);

-- Whose presence one of them has asked for.
create table chat_rtm_watch (
    user integer not null references chat_user (id),
    number integer not null references chat_rtm (number),
    primary key (user, number)
) strict, without rowid;
create index chat_rtm_watch_number on chat_rtm_watch (number);

-- How many events went to an app in an hour.
create table chat_notified (
    app integer not null references ident_app (id),
    workspace integer not null references chat_workspace (id),
    hour_s integer not null,                          -- in which these were counted
    n integer not null,
    minute_s integer not null,                        -- in which it was last notified that there are too many; 0: never
    primary key (app, workspace)
) strict, without rowid;
-- What people do with apps beside writing, and what only one of them sees.

-- Views of apps: in a window (a stack: place from 1), on an app's own page (place 0).
create table chat_view (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    place integer not null,
    external_id text,
    hash text not null,
    body text not null,                            -- JSON as given, with ids filled in
    state text not null,                           -- JSON: values by block and action
    unique (app, user, place)
) strict;
create unique index chat_view_external on chat_view (app, external_id) where external_id is not null;

-- What a person did that an app may answer with a view, for seconds, once.
create table chat_trigger (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    view integer,                                  -- in which it was done; null: none. It may be closed since
    channel integer references chat_channel (id),  -- in which; null: none
    created_us integer not null,
    used integer not null check (used in (0, 1))
) strict;
create index chat_trigger_created on chat_trigger (created_us);

-- Forms of the older kind, of which somebody sees one at a time.
create table chat_dialog (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null unique references chat_user (id),
    channel integer references chat_channel (id),  -- from which it was opened; null: from none
    body text not null                             -- JSON as given
) strict;

-- Functions of apps that somebody ran as steps of workflows.
create table chat_execution (
    id integer primary key,
    key text not null unique,
    workflow text not null,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id), -- who ran it
    function text not null,
    state integer not null,                        -- running, completed, failed
    inputs text not null,                          -- JSON
    outputs text,                                  -- JSON; null: none
    error text,
    created_us integer not null,
    ended_us integer not null                      -- 0: it is running
) strict;
create index chat_execution_workflow on chat_execution (workflow);

-- What somebody asked an app to show beside a conversation, of a thing of another system.
create table chat_pane (
    id integer primary key,
    key text not null unique,                      -- the trigger by which the app answers
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    part integer not null,                         -- details, comments, a comment that he wrote or deleted
    url text not null,
    ref text not null,                             -- JSON: what it is called in its system, an object with an id
    asked text not null,                           -- JSON: which page, which comment
    content text,                                  -- JSON: what the app answered; null: nothing yet
    unique (user, part)
) strict;

-- Only a person sees these; never in a history.
create table chat_ephemeral (
    id integer primary key,
    channel integer not null references chat_channel (id),
    user integer not null references chat_user (id),
    ts_us integer not null,
    sender integer references chat_user (id),
    app integer references ident_app (id),
    thread_us integer not null,                    -- ts of the thread; 0: none
    message text not null,                         -- JSON: text, blocks, attachments
    unique (channel, user, ts_us)
) strict;

-- Addresses at which an app may answer what a person did.
create table chat_answer (
    id integer primary key,
    key text not null unique,
    command integer not null check (command in (0, 1)), -- it answers a command
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    channel integer not null references chat_channel (id),
    message_us integer not null,                   -- ts of the message that was acted on; 0: none
    ephemeral_us integer not null,                 -- the same, ts of one that only the person sees; 0: none
    thread_us integer not null,
    uses integer not null,
    created_us integer not null
) strict;
create index chat_answer_created on chat_answer (created_us);

-- What a person did and an app was notified of, until its answer is there.
create table chat_act (
    id integer primary key,
    kind text not null,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    channel integer,                               -- in which; null: in none
    view integer,                                  -- or dialog; null: in none. It may be closed since
    answer integer,                                -- the address that the app was given; null: none
    name text,                                     -- of a command
    waits integer not null check (waits in (0, 1)), -- a call waits for what comes of it
    result text,                                   -- JSON: what the person sees; null: not there yet
    created_us integer not null
) strict;
create index chat_act_created on chat_act (created_us);
-- What apps keep at the vendor's own platform, and what people set there: items of datastores, triggers of workflows,
-- who may use functions, tokens of other systems.

-- Items of an app's datastores, by their primary keys.
create table chat_datum (
    id integer primary key,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    store text not null,
    key text not null,
    item text not null,                            -- JSON object, as put
    unique (workspace, app, store, key)
) strict;

-- What starts a workflow of an app, and who may.
create table chat_flow_trigger (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    title text not null,
    workflow text not null,                        -- callback_id of the app's workflow
    permission text not null check (permission in ('everyone', 'app_collaborators', 'named_entities')),
    entities text not null                         -- JSON: {users, channels, teams}, lists of ids; of named_entities
) strict;

-- Triggers that a channel shows, in their order.
create table chat_featured (
    id integer primary key,
    channel integer not null references chat_channel (id),
    "trigger" integer not null references chat_flow_trigger (id),
    place integer not null,
    unique (channel, "trigger")
) strict;

-- Who may use a function of an app in workflows; without a row it is the app's collaborators.
create table chat_distribution (
    id integer primary key,
    app integer not null references ident_app (id),
    function text not null,
    permission text not null check (permission in ('everyone', 'app_collaborators', 'named_entities')),
    entities text not null,                        -- JSON: {users, teams}, lists of ids; of named_entities
    unique (app, function)
) strict;

-- Tokens of other systems that people gave to an app.
create table chat_external (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    app integer not null references ident_app (id),
    user integer not null references chat_user (id),
    provider text not null,
    token text not null,
    refresh text,                                  -- null: it can't be renewed
    expires_s integer not null,                    -- 0: never
    extras text                                    -- JSON object: what else came with it; null: nothing
) strict;
create index chat_external_app on chat_external (app, provider);
-- People who answer by themselves: rules, and answers that are under way.
create table chat_responder (
    id integer primary key,
    key text not null unique,
    workspace integer not null references chat_workspace (id),
    user integer not null references chat_user (id),   -- as whom
    rule text not null,                                -- JSON: what it answers
    acts text not null,                                -- JSON: what it does then
    delay_s integer not null,
    times integer not null,                            -- how often yet
    refused text                                       -- why its last act was refused; null: it was not
) strict;
create index chat_responder_workspace on chat_responder (workspace, id);

create table chat_respond (
    id integer primary key,
    responder integer not null references chat_responder (id),
    acts text not null,                                -- JSON: what is to be done, filled in
    step integer not null,
    at_us integer not null
) strict;

create table delivery (
    id integer primary key,   -- the entry of the outbox
    kind text not null,
    ref integer not null,     -- the kind's own
    state integer not null check (state between 1 and 4),
    attempts integer not null check (attempts >= 0), -- that have an outcome
    status integer,           -- of the last one; 0: no response came; null: none made
    error text,               -- why none came
    reason text,              -- why another attempt was made, in a word
    since_us integer not null, -- when the attempt began that is made or was made last
    until_us integer          -- of a frame: when that one's time is over; null: it has none
) strict;
create index delivery_open on delivery (id) where state < 3;
create index delivery_until on delivery (until_us) where until_us is not null;
