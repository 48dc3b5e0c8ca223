-- Google OAuth: who may ask for tokens, and what was granted. Access tokens themselves are in the table token.

create table oauth_client (
    id integer primary key,
    client_id text not null unique,
    secret text,                  -- null: none is asked for
    name text not null,
    kind text not null check (kind in ('web', 'installed', 'tv')),
    redirects text not null,      -- JSON array
    automatic integer references actor (id) -- who consents without being asked
) strict;

-- What a person has agreed to, for each client.
create table oauth_consent (
    id integer primary key,
    client integer not null references oauth_client (id),
    actor integer not null references actor (id),
    scopes text not null,
    unique (client, actor)
) strict;

-- Refresh tokens.
create table oauth_grant (
    id integer primary key,
    token text not null unique,
    client integer not null references oauth_client (id),
    actor integer not null references actor (id),
    scopes text not null
) strict;
create index oauth_grant_of on oauth_grant (actor, client);

-- What access tokens that OAuth issued were made from; gone with them.
create table oauth_access (
    id integer primary key,
    token text not null unique,
    client_id text not null,      -- of a client or a service account
    grant_id integer,             -- null: from no refresh token
    scopes text not null
) strict;
create index oauth_access_of on oauth_access (grant_id);

create table oauth_code (
    id integer primary key,
    code text not null unique,
    client integer not null references oauth_client (id),
    actor integer not null references actor (id),
    scopes text not null,
    redirect text not null,
    challenge text,
    plain integer not null,       -- the challenge is the verifier itself
    nonce text,
    offline integer not null,     -- a refresh token was asked for
    expires_us integer not null,
    used_token text               -- the access token it was exchanged for
) strict;

create table oauth_device (
    id integer primary key,
    code text not null unique,
    user_code text not null unique,
    client integer not null references oauth_client (id),
    scopes text not null,
    actor integer references actor (id), -- who agreed
    denied integer not null,
    polled_us integer,
    expires_us integer not null
) strict;

create table service_account (
    id integer primary key,
    actor integer not null unique references actor (id),
    client_id text not null unique,
    key_id text,                  -- null: of the key that is made for it
    public_key text,              -- PEM; null: made for it when it is first needed
    delegation text               -- scopes for which it may act for people of its organisation; null: none
) strict;
