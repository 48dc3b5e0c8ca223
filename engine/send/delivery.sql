create table delivery (
    id integer primary key,   -- the entry of the outbox
    kind text not null,
    ref integer not null,     -- the kind's own
    state integer not null check (state between 1 and 4),
    attempts integer not null check (attempts >= 0), -- that have an outcome
    status integer,           -- of the last one; 0: no response came; null: none made
    error text,               -- why none came
    reason text,              -- why another attempt was made, in a word
    since_us integer not null, -- when the attempt began that is made or was made last
    until_us integer          -- of a frame: when that one's time is over; null: it has none
) strict;
create index delivery_open on delivery (id) where state < 3;
create index delivery_until on delivery (until_us) where until_us is not null;
