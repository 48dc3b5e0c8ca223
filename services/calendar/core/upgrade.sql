-- From "sosia 2": what an event's time is has more words than free or not, whose numbers stay.
alter table cal_event rename column free to busy;
alter table cal_event add column organizer_name text;
alter table cal_event add column decline integer not null default 0;
alter table cal_event add column decline_text text;
alter table cal_event add column place text;
alter table cal_event add column conference text;
alter table cal_calendar add column account integer;
alter table cal_calendar add column vendor text;
alter table cal_attendee add column answered_us integer not null default 0;
alter table cal_attendee add column proposed_us integer not null default 0;
alter table cal_attendee add column proposed_end_us integer not null default 0;
