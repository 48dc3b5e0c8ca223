-- Calendars, who may see them, who has them on a list, and what is in them.
--
-- Times are microseconds since 1970. A timed event is at instants; an all-day event at the midnights of its dates as
-- if in UTC, whatever zone it is looked at in. Roles: 0 none, 1 free/busy, 2 read, 3 write, 4 own. Numbers named "change"
-- come from one rising counter of the world: what is newer has the higher one.

create table cal_calendar (
    id integer primary key,
    key text not null unique,        -- what it is known by
    owner integer references ident_actor (id), -- null: it is a group's, whose address is its key
    main integer not null,           -- 1: the account's primary calendar
    summary text not null,
    description text,
    location text,
    zone text not null,              -- IANA name
    app integer,                     -- ident_app that made it, -1: one without an app; null: no program
    extra text,                      -- JSON object: what dialects keep with it
    gone integer not null default 0, -- 1: deleted; kept for those who had it on their lists
    created_us integer not null,
    updated_us integer not null,     -- of these properties, not of the events
    change integer not null,
    newest integer not null default 0, -- the newest change of an event in it
    newest_us integer not null default 0, -- when that was
    account integer references ident_account (id), -- whose it is; null: the owner's with the first vendor
    vendor text,                     -- of the account; null: the first one that has calendars
    address text                     -- by which guests and organizers know it; null: its key
) strict;
create index cal_calendar_owner on cal_calendar (owner);
-- Whether there are calendars of other vendors than the first one.
create index cal_calendar_vendor on cal_calendar (vendor) where vendor is not null;

-- Rules of access. The owner has all rights without one.
create table cal_access (
    id integer primary key,
    calendar integer not null references cal_calendar (id),
    kind integer not null,           -- 1 person, 2 group, 3 domain, 4 everybody
    who text not null,               -- address or domain; '' for everybody
    role integer not null,           -- 0: removed
    updated_us integer not null,
    change integer not null,
    beyond integer not null default 0, -- bits of enum cal_beyond
    unique (calendar, kind, who)
) strict;
create index cal_access_change on cal_access (calendar, change);

create table cal_event (
    id integer primary key,
    calendar integer not null references cal_calendar (id),
    key text not null,               -- the same in all copies
    uid text,                        -- of iCalendar, always there: its own or the one that the calendar's vendor makes
    form integer not null,           -- 0 single, 1 series, 2 instance of a series that differs from it
    span integer not null,           -- class of length, see list.c; +64 when cancelled
    start_us integer not null,       -- of a series: of its first instance
    end_us integer not null,         -- of a series: of its last instance; the highest number when it has none
    len_us integer not null,         -- of one instance
    all_day integer not null,
    zone text,                       -- of the start; null: the calendar's
    end_zone text,                   -- null: as the start
    status integer not null,         -- 0 confirmed, 1 tentative, 2 cancelled
    kind integer not null,           -- 0 default, 1 out of office, 2 focus time, 3 working location, 4 birthday, 5 from mail
    visibility integer not null,     -- 0 default, 1 public, 2 private, 3 confidential, 4 personal
    busy integer not null,           -- 0 busy, 1 free, 2 tentative, 3 away, 4 working elsewhere, 5 unknown
    rights integer not null,         -- bits: what guests may do and the like, see event.h; 1024: some of the columns behind extra is set;
                                     -- 2048: the UID is not the key, '@' and a domain
    response integer not null,       -- of the calendar's person: 0 no guest, 1 none yet, 2 declined, 3 tentative, 4 accepted
    removed integer not null,        -- 1: a copy that its person took away
    sequence integer not null,
    created_us integer not null,
    updated_us integer not null,     -- equal in a series and all its instances
    change integer not null,
    origin integer references cal_event (id), -- a guest's copy: the organizer's event
    master integer references cal_event (id), -- an instance: its series in this calendar, if it has it
    original_us integer,             -- an instance: when it would have started
    original_day integer,            -- an instance: 1 if that is a date
    n_attendees integer not null,
    n_instances integer not null,    -- a series: its rows with form 2
    creator text,                    -- address; null: the calendar's key
    organizer text,                  -- address; null: the calendar's key
    summary text,
    description text,
    location text,
    color text,                      -- a dialect's word; null: the calendar's
    reminders text,                  -- JSON array of {method, minutes}; null: the calendar's default
    recurrence text,                 -- lines of RRULE, RDATE, EXDATE, EXRULE
    own_props text,                  -- JSON object of texts, of this copy
    props text,                      -- JSON object of texts, of all copies
    extra text,                      -- JSON object: what dialects keep with it, of all copies; they alone read it
    organizer_name text,             -- as an invitation from elsewhere has it
    importance integer not null default 0, -- 0 normal, 1 low, 2 high
    decline integer not null default 0, -- of an absence: which invitations it declines: 0 none, 1 new ones, 2 all
    decline_text text,               -- the comment of what it declines
    place text,                      -- of a place of work: its names, for searches
    conference text,                 -- the key of the meeting on the network
    categories text,                 -- JSON array of strings, of this copy
    reminder_on integer not null default 0, -- one reminder, of vendors that have one, of this copy
    reminder_minutes integer not null default 0,
    -- The copies of an event lie together here and in cal_event_change: an invitation of many people writes few pages.
    unique (key, calendar)
) strict;
create index cal_event_time on cal_event (calendar, span, start_us, end_us);
create index cal_event_change on cal_event (change, calendar);
-- In the order of lists; what is behind the key lets a list pass over what is not in its stretch of time.
create index cal_event_update on cal_event (calendar, updated_us, key, span, start_us, end_us);
create index cal_event_origin on cal_event (origin) where origin is not null;
create index cal_event_master on cal_event (master, original_us) where master is not null;
create index cal_event_away on cal_event (calendar, end_us) where kind in (1, 2);
create index cal_event_conference on cal_event (conference) where conference is not null;
-- A UID that is its event's or series' key, '@' and a domain is found by the key.
create index cal_event_uid on cal_event (uid) where rights & 2048;

-- Guests. Those of a copy are its origin's.
create table cal_attendee (
    id integer primary key,
    event integer not null references cal_event (id),
    email text not null,             -- lower case
    name text,
    response integer not null,       -- 1 none yet, 2 declined, 3 tentative, 4 accepted
    optional integer not null,
    resource integer not null,
    guests integer not null,         -- how many more this one brings
    comment text,
    answered_us integer not null default 0, -- when the response came; 0: none did
    proposed_us integer not null default 0, -- another time that the guest proposes; 0: none
    proposed_end_us integer not null default 0
) strict;
create index cal_attendee_event on cal_attendee (event);
