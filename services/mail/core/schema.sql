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
