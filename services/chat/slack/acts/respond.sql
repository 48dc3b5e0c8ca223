-- People who answer by themselves: rules, and answers that are under way.
create table slack_responder (
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
create index slack_responder_workspace on slack_responder (workspace, id);

create table slack_respond (
    id integer primary key,
    responder integer not null references slack_responder (id),
    acts text not null,                                -- JSON: what is to be done, filled in
    step integer not null,
    at_us integer not null
) strict;
