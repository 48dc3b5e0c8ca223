-- What Gmail keeps besides mailboxes.

-- How labels are shown: each of an owner's own, and those of the system that are not as they were made.
create table gmail_label (
    label integer primary key,           -- the core's folder
    mailbox integer not null,
    compared text not null,              -- its name as Gmail compares names
    list_view integer not null default 0,    -- 0 shown in lists of labels, 1 if it has unread messages, 2 hidden
    message_view integer not null default 0, -- 0 shown with messages, 1 hidden
    color text,                          -- "#rrggbb", of the text; null: none
    background text
) strict;
create index gmail_label_compared on gmail_label (mailbox, compared);

-- What people have set for their mailboxes, and what acts for them: settings/setting.h.
create table gmail_setting (
    id integer primary key,
    mailbox integer not null references mail_mailbox (id),
    kind text not null,
    key text not null,                   -- '' where there is one of a kind
    value text not null,                 -- JSON object
    unique (mailbox, kind, key)
) strict;

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
