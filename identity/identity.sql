-- Who there is in a world: organisations, people and other actors, groups, apps, accounts, tokens.

create table ident_org (
    id integer primary key,
    domain text not null unique,
    name text not null
) strict;

create table ident_actor (
    id integer primary key,
    handle text not null unique check (handle <> ''), -- what documents call it: its address, if it was given no other name
    email text unique,            -- lower case; null: it has none
    kind text not null check (kind in ('person', 'bot', 'app', 'service', 'resource')),
    name text not null,
    zone text not null,           -- IANA name
    locale text not null,
    org integer references ident_org (id),
    hours text                    -- working hours, as in the seed document (JSON)
) strict;

create table ident_alias (
    id integer primary key,
    email text not null unique,
    actor integer not null references ident_actor (id)
) strict;
create index ident_alias_actor on ident_alias (actor);

create table ident_group (
    id integer primary key,
    email text not null unique,
    name text not null
) strict;

create table ident_member (
    id integer primary key,
    member_of integer not null references ident_group (id),
    email text not null,
    unique (member_of, email)
) strict;

-- Programs. What they sign in with is the client id; the rest as far as a vendor's apps have it.
create table ident_app (
    id integer primary key,
    client_id text not null unique,
    secret text,                  -- null: none is asked for
    name text not null,
    kind text not null check (kind in ('web', 'installed', 'device', 'any')), -- any: any secret, redirect address and flow
    redirects text not null,      -- JSON array
    automatic integer references ident_actor (id), -- who consents without being asked
    vendor text,                  -- whose apps it is one of; null: nobody said
    bot integer references ident_actor (id),       -- that acts for it
    signing_secret text,          -- of what is sent to it
    section text not null,        -- of seed documents that it is written in
    proven integer not null check (proven in (0, 1)), -- who agrees proves who he is
    registered_us integer         -- when it registered, while nobody has agreed yet; null: others
) strict;
create index ident_app_registered on ident_app (registered_us) where registered_us is not null;

-- Accounts of actors with vendors: the ids under which a vendor knows them, and the services that they have there.
create table ident_account (
    id integer primary key,
    actor integer not null references ident_actor (id),
    vendor text not null,
    service text not null,        -- the id is for this one alone; '': for all of the vendor's
    tenant text not null,         -- '': the vendor has none
    name text,                    -- the vendor's id; null: the dialect makes one of the address
    services integer not null,    -- bits: enum account_service
    listed integer not null check (listed in (0, 1)), -- 0: it came with the actor, no document says so
    made integer not null,        -- those of the services that have what a new account gets
    prime integer not null check (prime in (0, 1)),   -- 1: the actor's address leads to its mailbox, whatever ident_routing says
    unique (vendor, tenant, name, service)
) strict;
create index ident_account_actor on ident_account (actor, vendor);

-- Whose mailbox, calendar and drive the addresses of a domain mean, where a person has several.
create table ident_routing (
    domain text primary key,
    vendor text not null
) strict, without rowid;

-- Domains whose people see when those of another domain are busy, at another vendor.
create table ident_freebusy (
    domain text not null,         -- it shows
    seen_by text not null,        -- to people with such addresses
    primary key (domain, seen_by)
) strict, without rowid;

-- An actor that proves with a key who it is (RFC 7523).
create table ident_service (
    id integer primary key,
    actor integer not null unique references ident_actor (id),
    client_id text not null unique,
    key_id text,                  -- null: of the key that is made for it
    public_key text,              -- PEM; null: made for it when it is first needed
    delegation text               -- scopes for which it may act for people of its organisation; null: none
) strict;

-- Tokens that are fixed, too long to be signed, or issued by OAuth; and what was revoked of those that are not here.
create table ident_token (
    id integer primary key,
    value text not null unique,
    actor integer not null references ident_actor (id),
    app integer references ident_app (id),
    service integer references ident_service (id), -- issued to it; null: to no service account
    account integer references ident_account (id),
    grant_id integer,             -- the refresh token that it was made from; null: none
    kind integer not null check (kind in (1, 2, 4)), -- enum token_kind
    scopes text,                  -- null: everything
    expires_us integer,           -- null: never
    seeded integer not null       -- is in dumps
) strict;
create index ident_token_grant on ident_token (grant_id) where grant_id is not null;
create index ident_token_app on ident_token (app, actor) where app is not null;

create table ident_revoked (
    nonce integer primary key,
    at_us integer not null
) strict;

-- What a person has agreed to, for each app.
create table ident_consent (
    id integer primary key,
    app integer not null references ident_app (id),
    actor integer not null references ident_actor (id),
    scopes text not null,
    unique (app, actor)
) strict;

-- Refresh tokens.
create table ident_grant (
    id integer primary key,
    token text not null unique,   -- one that was not issued here: its hash
    app integer not null references ident_app (id),
    actor integer not null references ident_actor (id),
    scopes text not null,
    made_us integer,              -- when it was issued; null: not known
    ended_us integer              -- when its vendor ended it; null: it is good
) strict;
create index ident_grant_of on ident_grant (actor, app);

create table ident_code (
    id integer primary key,
    code text not null unique,
    app integer not null references ident_app (id),
    actor integer not null references ident_actor (id),
    scopes text not null,
    redirect text not null,
    challenge text,
    plain integer not null,       -- the challenge is the verifier itself
    nonce text,
    offline integer not null,     -- a refresh token was asked for
    expires_us integer not null,
    used_token text,              -- the access token it was exchanged for
    ended_us integer              -- when its vendor ended it; null: it is good
) strict;

-- With what a person proves once who he is to the page on which he agrees.
create table ident_link (
    id integer primary key,
    secret text not null unique,
    actor integer not null references ident_actor (id),
    expires_us integer not null
) strict;
create index ident_link_of on ident_link (actor);

create table ident_device (
    id integer primary key,
    code text not null unique,
    user_code text not null unique,
    app integer not null references ident_app (id),
    scopes text not null,
    actor integer references ident_actor (id), -- who agreed
    denied integer not null,
    polled_us integer,
    expires_us integer not null
) strict;

-- Whether programs may sign in that the world does not know, and as whom.
create table ident_setting (
    id integer primary key check (id = 1),
    oauth text not null check (oauth in ('open', 'listed')),
    oauth_actor integer references ident_actor (id) -- null: the first person
) strict;
