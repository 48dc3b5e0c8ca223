-- What a directory of Microsoft's knows: tenants, users, groups, and apps as tenants have them.

create table ms_tenant (
    id integer primary key,
    guid text not null unique check (guid = lower(guid)),
    domain text not null unique,  -- the default one
    initial text not null unique, -- "acme.onmicrosoft.com"
    name text not null,
    country text,                 -- two letters
    consumer integer not null check (consumer in (0, 1)),
    listed integer not null check (listed in (0, 1)) -- 0: it came with a user of its domain
) strict;

-- A user of a tenant: what an account of Microsoft's is in the directory.
create table ms_user (
    id integer primary key,
    account integer not null unique references ident_account (id),
    actor integer not null references ident_actor (id),
    tenant integer not null references ms_tenant (id),
    oid text not null unique check (oid = lower(oid)),
    upn text not null unique,     -- lower case
    mail text,                    -- null: no mailbox here
    name text,                    -- null: the actor's
    given text,
    surname text,
    job text,
    department text,
    office text,
    company text,
    employee text,
    mobile text,
    phones text not null,         -- JSON array
    language text,
    usage text,                   -- two letters
    street text,
    city text,
    state text,
    postal text,
    country text,
    password text,                -- with which a program may sign in; null: none
    licenses text not null,       -- JSON array of the names of products
    manager integer references ms_user (id),
    guest integer not null check (guest in (0, 1)),
    enabled integer not null check (enabled in (0, 1)),
    admin integer not null check (admin in (0, 1)), -- may agree for all of the tenant
    listed integer not null check (listed in (0, 1)), -- 0: it came with the account
    deleted integer not null check (deleted in (0, 1)),
    change integer not null,      -- number of its last change
    made_us integer not null,
    sessions_us integer           -- since when sessions are good; null: since it was made
) strict;
create index ms_user_tenant on ms_user (tenant, upn);
create index ms_user_actor on ms_user (actor);
create index ms_user_change on ms_user (tenant, change);
create index ms_user_manager on ms_user (manager) where manager is not null;

-- A group of addresses (ident_group) as a tenant has it.
create table ms_group (
    id integer primary key,
    addresses integer not null unique references ident_group (id),
    tenant integer not null references ms_tenant (id),
    oid text not null unique check (oid = lower(oid)),
    description text,
    visibility text check (visibility in ('Public', 'Private', 'HiddenMembership')),
    unified integer not null check (unified in (0, 1)),   -- a group of Microsoft 365
    security integer not null check (security in (0, 1)),
    mail integer not null check (mail in (0, 1)),
    listed integer not null check (listed in (0, 1)), -- 0: it came with the group of addresses
    change integer not null,
    made_us integer not null,
    nickname text,                -- null: what is in front of its address's "@"
    classification text,
    language text,                -- that it prefers
    theme text,
    outsiders integer not null default 0 check (outsiders in (0, 1)),   -- others than the tenant may write to it
    subscribes integer not null default 0 check (subscribes in (0, 1)), -- new members get its mail
    unlisted integer not null default 0 check (unlisted in (0, 1)),     -- not in address lists
    unshown integer not null default 0 check (unshown in (0, 1))        -- not in clients of mail
) strict;
create index ms_group_tenant on ms_group (tenant);
create index ms_group_change on ms_group (tenant, change);
create index ms_group_nickname on ms_group (nickname collate nocase) where nickname is not null;

create table ms_owner (
    id integer primary key,
    team integer not null references ms_group (id),
    user integer not null references ms_user (id),
    unique (team, user)
) strict;

-- What was deleted, for those who ask what has changed.
create table ms_gone (
    id integer primary key,
    tenant integer not null references ms_tenant (id),
    kind text not null check (kind in ('user', 'group')),
    oid text not null,
    change integer not null
) strict;
create index ms_gone_change on ms_gone (tenant, kind, change);

-- The picture of a user, a group or a contact.
create table ms_photo (
    id integer primary key,
    user integer unique references ms_user (id),
    team integer unique references ms_group (id),
    contact integer unique references ms_contact (id),
    blob integer not null,
    type text not null check (type in ('image/gif', 'image/jpeg', 'image/png')),
    width integer not null check (width between 1 and 65536),
    height integer not null check (height between 1 and 65536),
    check ((user is not null) + (team is not null) + (contact is not null) = 1)
) strict;

-- An app as a tenant has it: its service principal, with what was agreed to for all of the tenant.
create table ms_app (
    id integer primary key,
    app integer not null references ident_app (id),
    tenant integer not null references ms_tenant (id),
    oid text not null unique check (oid = lower(oid)),
    delegated text not null,      -- scopes that every user has agreed to
    application text not null,    -- permissions of the app itself
    unique (app, tenant)
) strict;

-- How an app is registered, beside its secret.
create table ms_registration (
    id integer primary key,
    app integer not null unique references ident_app (id),
    keys text not null,           -- JSON array of certificates in base64
    id_tokens integer not null check (id_tokens in (0, 1)),
    access_tokens integer not null check (access_tokens in (0, 1))
) strict;

-- As which of several users a person has signed in: of a code, a refresh token, a device.
create table ms_signed_in (
    id integer primary key,
    kind text not null check (kind in ('code', 'device', 'grant')),
    ref integer not null,         -- rowid of what it is of
    account integer not null references ident_account (id),
    unique (kind, ref)
) strict;

-- People whom somebody has written down, and the folders in which they are.
create table ms_contact_folder (
    id integer primary key,
    account integer not null references ident_account (id),
    parent integer references ms_contact_folder (id), -- null: the one that everybody has
    key text not null unique,
    name text not null,
    change integer not null default 0, -- number of its last change
    made integer not null default 0    -- number of the change that made it
) strict;
create index ms_contact_folder_change on ms_contact_folder (account, change);
create index ms_contact_folder_account on ms_contact_folder (account, parent);
create index ms_contact_folder_parent on ms_contact_folder (parent) where parent is not null;

create table ms_contact (
    id integer primary key,
    account integer not null references ident_account (id),
    folder integer references ms_contact_folder (id), -- null: the one that everybody has
    key text not null unique,
    data text not null,           -- JSON: its members as Graph has them
    change integer not null,
    made_us integer not null,
    changed_us integer not null,
    made integer not null default 0 -- number of the change that made it
) strict;
create index ms_contact_account on ms_contact (account, folder);
create index ms_contact_change on ms_contact (account, change);

-- Contacts that were deleted, for those who are notified of it.
create table ms_contact_gone (
    id integer primary key,
    account integer not null references ident_account (id),
    folder integer not null,      -- its rowid; 0: the one that everybody has
    key text not null,
    made integer not null,
    change integer not null
) strict;
create index ms_contact_gone_change on ms_contact_gone (account, change);

-- The same of folders.
create table ms_contact_folder_gone (
    id integer primary key,
    account integer not null references ident_account (id),
    parent integer not null,      -- its rowid; 0: the one that everybody has
    key text not null,
    made integer not null,
    change integer not null
) strict;
create index ms_contact_folder_gone_change on ms_contact_folder_gone (account, change);
