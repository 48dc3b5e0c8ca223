-- Subscriptions: who is notified of which changes, and where.

create table graph_subscription (
    id integer primary key,
    key text not null unique,        -- the GUID that programs know
    actor integer not null references ident_actor (id),
    app integer references ident_app (id), -- that made it; null: no app's
    app_only integer not null,       -- 1: the app itself made it
    resource text not null,          -- as it was said
    changes integer not null,        -- bits of enum event_operation
    url text not null,
    lifecycle_url text,
    state text,                      -- clientState
    tls text not null,               -- latestSupportedTlsVersion
    certificate text,                -- base64; null: without resource data
    certificate_id text,
    expires_us integer not null,
    kind text not null,              -- the feed's events
    scope integer not null,
    part text not null,
    path text not null,
    tenant text not null,
    immutable integer not null,
    position integer not null,       -- of the feed, up to which it was notified
    missed integer not null          -- 1: notifications were given up, which was said
) strict;
create index graph_subscription_of on graph_subscription (kind, scope);
