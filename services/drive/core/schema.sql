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
create index drive_item_child_name on drive_item (parent, folded, modified_us desc, id);
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

-- Whose account a folder at the top is of. One that is not here is that of the account to which its owner's address
-- leads.
create table drive_top (
    item integer primary key references drive_item (id),
    account integer not null references ident_account (id)
) strict;

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

-- Links with a token: whoever may open one has what it gives, at the item and below it.
create table drive_link (
    id integer primary key,
    item integer not null references drive_item (id),
    token text not null unique,
    scope integer not null check (scope between 1 and 3), -- enum drive_link_scope
    type integer not null check (type between 1 and 3),   -- enum drive_link_type
    no_download integer not null check (no_download in (0, 1)),
    password text,                -- "salt:hash"; null: none is asked for
    expires_us integer,
    creator integer references ident_actor (id),
    created_us integer not null
) strict;
create index drive_link_of on drive_link (item);

-- Whom a link for users is for, addresses of people and groups; of others who has opened it for good.
create table drive_link_user (
    link integer not null references drive_link (id),
    who text not null,
    primary key (link, who)
) strict, without rowid;
create index drive_link_user_who on drive_link_user (who);

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
    time_us integer not null,
    form integer not null default 0 check (form between 0 and 3) -- enum drive_form
) strict;
create index drive_change_item on drive_change (item, removed);
create index drive_change_drive on drive_change (drive, number) where drive is not null;

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
