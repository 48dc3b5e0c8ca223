-- Mailboxes: messages as they came, their parts, threads, folders, drafts, the index of their words, the feed of changes.
--
-- The bytes of a message are its head (the header block with the empty line that ends it), which is each copy's own, and
-- behind it a content, which all copies share. Times are seconds since 1970 unless they say otherwise.

create table mail_mailbox (
    id integer primary key check (id between 1 and 65535),
    actor integer not null references ident_actor (id),
    vendor text not null,                -- of its account; whose policy it follows (vendor.h)
    account integer not null references ident_account (id),
    folders integer not null default 0,   -- the number of the last folder of its own that was made
    messages integer not null default 0,
    threads integer not null default 0,
    change integer not null default 1,   -- the newest change in it
    floor integer not null default 1,    -- the feed knows what came after this change
    unique (actor, vendor, account),
    unique (account)
) strict;

-- Folders, labels and keywords. id: mailbox << 24 | place. Places 0 to 63 are those of folder.h, the folder N of the mailbox's
-- own is at 64 + N.
create table mail_folder (
    id integer primary key,
    mailbox integer not null references mail_mailbox (id),
    parent integer not null default 0,   -- the folder that it is in; 0: the top
    name text not null,
    fold text not null,                  -- the name as names are compared
    kind integer not null default 0,     -- enum mail_folder_kind
    hidden integer not null default 0,
    messages integer not null default 0,
    unread integer not null default 0,
    threads integer not null default 0,
    unread_threads integer not null default 0,
    unique (mailbox, parent, fold)
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
    flags integer not null,              -- bits of places, and FLAG_OWN_FOLDERS
    has integer not null,                -- bits: what search.h asks for
    at integer not null,                 -- when it came
    size integer not null,               -- of all its bytes
    change integer not null,             -- the newest of it
    content integer not null references mail_content (id),
    message_id integer,                  -- hash of its Message-ID; null: none
    folder integer not null default 0,   -- of an exclusive vendor the one that it is in
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

-- Which messages have a folder, roles included: newest first is this index backwards.
create table mail_member (
    folder integer not null,
    message integer not null,
    primary key (folder, message)
) strict, without rowid;

-- The folders of its own that a message has.
create table mail_message_folder (
    message integer not null,
    folder integer not null,
    primary key (message, folder)
) strict, without rowid;

-- How many messages of a thread have a folder, for the counters of folder.
create table mail_thread_folder (
    thread integer not null,
    folder integer not null,
    messages integer not null,
    unread integer not null,
    primary key (thread, folder)
) strict, without rowid;

create table mail_draft (
    id integer primary key,
    key integer not null,                -- what programs know it by
    mailbox integer not null references mail_mailbox (id),
    message integer not null unique references mail_message (id),
    unique (key, mailbox)
) strict;

-- What a message says of itself besides, where it is not the usual: importance, a flag with dates, what a reader's program
-- makes of it.
create table mail_property (
    message integer primary key references mail_message (id),
    importance integer not null,         -- -1 low, 0, 1 high
    flag integer not null,               -- enum mail_flag
    flag_from_us integer,                -- the flag's start; null: none
    flag_due_us integer,
    flag_done_us integer,
    inference integer not null,          -- enum mail_inference
    receipts integer not null            -- bits of RECEIPT_*: what its sender asks for
) strict;
create index mail_property_importance on mail_property (importance, message) where importance <> 0;
create index mail_property_flag on mail_property (flag, message) where flag <> 0;
create index mail_property_inference on mail_property (inference, message) where inference <> 0;

-- id: mailbox << 47 | number of the change.
create table mail_change (
    id integer primary key,
    at integer not null,                 -- when
    kind integer not null check (kind between 1 and 6), -- enum mail_change_kind
    message integer not null,            -- key
    thread integer not null,             -- key
    flags integer not null,              -- of the message, after the change; 1 << 20: the next row is of the same record
    own text,                            -- places of its own folders, after the change; null: none
    folders text,                        -- places of folders added or removed
    folder_before integer not null default 0, -- place + 1 of the folder of an exclusive vendor's message, before the change
    folder integer not null default 0    -- the same after it; 0: none
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


-- Who has had an automatic answer.
create table mail_answered (
    mailbox integer not null references mail_mailbox (id),
    email text not null,
    at_us integer not null,
    primary key (mailbox, email)
) strict, without rowid;
