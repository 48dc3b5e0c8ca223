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
