-- Attachments that come in pieces, behind a URL of their own.

create table graph_upload (
    id integer primary key,
    key text not null unique,        -- the session's, in its URL
    secret text not null,            -- the URL's authtoken
    kind text not null,              -- what gets it: "Messages" (struct graph_attach)
    account integer not null references ident_account (id),
    owner integer not null,          -- the thing that gets it, a number of the dialect's
    thing text not null,             -- its id, as the URL has it
    name text not null,
    type text,                       -- media type; null: not said
    content_id text,
    inline integer not null,
    total integer not null,          -- bytes that were announced
    size integer not null,           -- bytes that have come
    blob integer,                    -- with them, not finished; null: nothing yet
    expires_us integer not null
) strict;
create index graph_upload_account on graph_upload (account);
