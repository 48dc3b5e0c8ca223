-- What OneDrive keeps of items beside what the core has.

-- Of items that another person has made than whose drive they are in.
create table onedrive_item (
    item integer primary key references drive_item (id),
    creator integer not null references ident_actor (id)
) strict;
