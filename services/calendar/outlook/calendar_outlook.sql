-- What Outlook keeps of calendars beside the core: groups of a person's calendars, attachments of events.

create table ocal_group (
    id integer primary key,
    key text not null unique,        -- by which calendars name it
    account integer not null references ident_account (id),
    name text not null,
    change integer not null          -- of the change key
) strict;
create index ocal_group_account on ocal_group (account);

create table ocal_attachment (
    id integer primary key,
    event integer not null references cal_event (id), -- the organizer's: guests' copies have the same
    kind integer not null,           -- 0 file, 1 item, 2 reference
    name text not null,
    type text,                       -- of its content
    is_inline integer not null,
    content_id text,
    size integer not null,           -- bytes
    content text not null,           -- base64 of a file, a JSON object of another
    updated_us integer not null
) strict;
create index ocal_attachment_event on ocal_attachment (event);

-- Rooms of people of kind resource, and lists of rooms.
create table ocal_place (
    id integer primary key,
    key text not null unique,        -- a GUID
    email text not null unique,      -- lower case; its domain is the tenant's
    name text not null,
    kind integer not null,           -- 0 room, 1 list of rooms
    list integer references ocal_place (id), -- that a room is in
    details text                     -- JSON object with Graph's names; null: nothing
) strict;
create index ocal_place_list on ocal_place (list) where list is not null;
