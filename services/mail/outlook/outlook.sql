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
