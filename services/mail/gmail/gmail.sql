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
