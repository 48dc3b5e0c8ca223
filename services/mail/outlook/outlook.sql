-- What Outlook keeps of messages and mailboxes besides what the core has.

-- Messages that were changed or sent, as their change keys and dates say it.
create table outlook_item (
    message integer primary key references mail_message (id),
    version integer not null,            -- how often it was changed: the end of its change key
    modified_us integer not null,        -- when it was changed last
    was integer                          -- key of the draft that it was before it was sent; null: none
) strict;
create index outlook_item_was on outlook_item (was) where was is not null;

-- Open extensions, extended properties, mentions: what clients lay beside a message.
create table outlook_extra (
    id integer primary key,
    message integer not null references mail_message (id),
    kind text not null,                  -- extension, single, multi, mention
    name text not null,
    value text not null,                 -- JSON object
    unique (message, kind, name)
) strict;

-- Settings, rules, categories, overrides, search folders, attachments that are on their way.
create table outlook_setting (
    id integer primary key,
    mailbox integer not null references mail_mailbox (id),
    kind text not null,
    key text not null,                   -- '' where there is one of a kind
    value text not null,                 -- JSON object
    unique (mailbox, kind, key)
) strict;

-- Messages about meetings: what their iCalendar objects say (vendors/microsoft/meeting.h).
create table outlook_meeting (
    message integer primary key references mail_message (id),
    mailbox integer not null references mail_mailbox (id),
    uid text not null,
    kind integer not null,               -- enum graph_meeting_kind
    original_us integer,                 -- of one instance of a series; null: of all of it
    original_day integer not null,       -- 1: that is a day
    sequence integer not null,
    start_us integer,                    -- null: it does not say when
    end_us integer,
    all_day integer not null,
    zone text,
    recurrence text,
    location text,
    asks integer not null,               -- 1: an answer is asked for
    proposals integer not null,          -- 1: guests may propose another time, 0: not; -1: not known
    proposed_us integer,                 -- that an answer proposes; null: none
    proposed_end_us integer
) strict;
create index outlook_meeting_uid on outlook_meeting (mailbox, uid);

-- Folders that were made, changed or deleted, in the order of their last change: for deltas.
create table outlook_folder (
    id integer primary key,              -- of mail_folder, which may be gone
    mailbox integer not null references mail_mailbox (id),
    number integer not null,             -- rises in the mailbox
    gone integer not null                -- 1: it was deleted
) strict;
create index outlook_folder_number on outlook_folder (mailbox, number);

-- Conversations of groups: threads, each of posts, which are the messages that came to the group's address.
create table outlook_thread (
    id integer primary key,
    team text not null,                  -- the group's address
    key integer not null unique,         -- its number in ids
    conversation integer not null,       -- key of the thread that began it
    topic text not null,
    locked integer not null,             -- 1: nothing can be posted
    newest_us integer not null           -- when its last post came
) strict;
create index outlook_thread_team on outlook_thread (team, newest_us, id);
create index outlook_thread_conversation on outlook_thread (team, conversation, newest_us, id);

create table outlook_post (
    id integer primary key,
    thread integer not null references outlook_thread (id),
    key integer not null unique,         -- its number in ids
    message_id text,                     -- in brackets; null: it has none
    came_us integer not null,
    sender text,                         -- name or address of whom it is from; null: of nobody
    files integer not null,              -- 1: it has attachments
    raw integer not null                 -- blob of it as it came: head and content
) strict;
create index outlook_post_thread on outlook_post (thread, id);
create index outlook_post_message_id on outlook_post (message_id) where message_id is not null;

-- Conversations as those see them who watch a group's: with the number of their last change.
create table outlook_conversation (
    key integer primary key,             -- of the thread that began it
    team text not null,                  -- the group's address
    change integer not null,
    made integer not null,               -- the number of the change that made it
    gone integer not null                -- 1: it was deleted
) strict;
create index outlook_conversation_change on outlook_conversation (team, change);
