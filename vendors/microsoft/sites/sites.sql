-- Sites of tenants: where they are, who may do what there, and the libraries that they have.

create table ms_site (
    id integer primary key,
    tenant integer not null references ms_tenant (id),
    parent integer references ms_site (id), -- of a subsite: the site that it is in
    team integer references ms_group (id) on delete set null, -- the group whose site it is
    channel text,                 -- the key of the private or shared channel whose files it has; null: of none
    key text not null unique check (key = lower(key)), -- GUID of the site collection, or of the subsite
    web text not null unique check (web = lower(web)), -- GUID of the web
    path text not null,           -- "/sites/finance"; "" of the root
    name text not null,           -- as people see it
    description text,
    everyone integer not null check (everyone between 0 and 3), -- enum site_role of all users of the tenant
    made_us integer not null,
    changed_us integer not null,
    unique (tenant, path)
) strict;
create index ms_site_parent on ms_site (parent) where parent is not null;
create index ms_site_team on ms_site (team) where team is not null;
create unique index ms_site_channel on ms_site (channel) where channel is not null;

-- Who may do what in a site: addresses of people and groups.
create table ms_site_member (
    id integer primary key,
    site integer not null references ms_site (id),
    who text not null,            -- lower case
    role integer not null check (role between 1 and 3),
    unique (site, who)
) strict;

-- Apps that may do something in one site, whatever they may elsewhere.
create table ms_site_app (
    id integer primary key,
    site integer not null references ms_site (id),
    key text not null unique,
    app integer not null references ident_app (id),
    role integer not null check (role between 1 and 3),
    unique (site, app)
) strict;

-- A library of documents is the drive of an account.
create table ms_library (
    id integer primary key,
    site integer not null references ms_site (id),
    account integer not null unique references ident_account (id),
    key text not null unique check (key = lower(key)), -- GUID of the list
    name text not null,           -- in its address: "Shared Documents"
    title text not null,          -- as people see it: "Documents"
    made_us integer not null,
    unique (site, name)
) strict;

-- Sites that users follow.
create table ms_site_follower (
    id integer primary key,
    site integer not null references ms_site (id),
    user integer not null references ms_user (id),
    unique (site, user)
) strict;
create index ms_site_follower_user on ms_site_follower (user);

-- Pages of sites.
create table ms_page (
    id integer primary key,
    site integer not null references ms_site (id),
    key text not null unique check (key = lower(key)), -- GUID
    name text not null,           -- "plan.aspx"
    title text not null,
    description text,
    layout text not null check (layout in ('article', 'home')),
    promotion text not null check (promotion in ('page', 'newsPost')),
    comments integer not null check (comments in (0, 1)),
    recommends integer not null check (recommends in (0, 1)),
    head text,                    -- JSON object: titleArea, as Graph has it
    canvas text,                  -- JSON object: canvasLayout, as Graph has it
    creator integer references ident_actor (id),
    modifier integer references ident_actor (id),
    made_us integer not null,
    changed_us integer not null,
    version integer not null,     -- rises with every change
    published integer not null,   -- how often
    draft integer not null,       -- changes since
    unique (site, name)
) strict;
