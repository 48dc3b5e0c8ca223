-- Tasks: lists of one's own and plans of groups, what is in them, and who shall do it.

create table task_list (
    id integer primary key,
    account integer not null references ident_account (id),
    key text not null unique,
    name text not null,
    kind integer not null check (kind between 0 and 2), -- enum task_list_kind
    made_us integer not null,
    kept text,                    -- JSON: what programs keep with it, objects by their names; null: nothing
    change integer not null,      -- number of its last change
    made integer not null         -- number of the change that made it
) strict;
create unique index task_list_kind on task_list (account, kind) where kind <> 0;
create index task_list_account on task_list (account, change);
create index task_list_own on task_list (account); -- in the order in which they came

create table task_plan (
    id integer primary key,
    key text not null unique,
    team integer not null references ident_group (id) on delete cascade,
    title text not null,
    creator integer references ident_actor (id), -- null: not known
    app text,                     -- client id of the app through which it was made; null: none
    made_us integer not null,
    labels text,                  -- JSON: names of labels by their numbers; null: none
    shared text,                  -- JSON: people it is shared with, by the vendor's ids; null: none
    version integer not null,
    detail_version integer not null -- of labels and of people
) strict;
create index task_plan_team on task_plan (team);

create table task_bucket (
    id integer primary key,
    key text not null unique,
    plan integer not null references task_plan (id) on delete cascade,
    name text not null,
    place text not null,          -- its order among those of the plan
    version integer not null
) strict;
create index task_bucket_plan on task_bucket (plan, place);

create table task_task (
    id integer primary key,
    key text not null unique,
    list integer references task_list (id),      -- null: it is in a plan
    plan integer references task_plan (id) on delete cascade,
    bucket integer references task_bucket (id) on delete cascade, -- null: in none
    title text not null,
    notes text not null,
    notes_type integer not null check (notes_type between 0 and 1), -- text, html
    notes_us integer,             -- when notes were changed; null: never
    status integer not null check (status between 0 and 4),         -- enum task_status
    percent integer not null check (percent between 0 and 100),
    priority integer not null check (priority between 0 and 10),    -- 0 the most urgent
    start_us integer,
    due_us integer,
    reminder_us integer,
    reminds integer not null check (reminds in (0, 1)),
    completed_us integer,
    completer integer references ident_actor (id),
    recurrence text,              -- "RRULE:..."; null: it is done once
    recurs_us integer,            -- where the rule begins
    zone text,                    -- in which it recurs; null: UTC
    labels text,                  -- JSON: texts
    kept text,                    -- JSON: what programs keep with it, as of a list; null: nothing
    preview integer not null check (preview between 0 and 4),       -- enum task_preview
    thread text,                  -- a conversation about it
    place text not null,          -- its order in the plan
    own_place text,               -- among what its people have to do; null: not said
    creator integer references ident_actor (id),
    app text,
    made_us integer not null,
    changed_us integer not null,
    change integer not null,
    made integer not null,
    version integer not null,
    detail_version integer not null, -- of notes, items, links
    check ((list is null) <> (plan is null))
) strict;
create index task_task_list on task_task (list) where list is not null;
create index task_task_change on task_task (list, change) where list is not null;
create index task_task_plan on task_task (plan, place) where plan is not null;
create index task_task_planned on task_task (plan) where plan is not null; -- in the order in which they came
create index task_task_bucket on task_task (bucket) where bucket is not null;

-- Steps of a task.
create table task_item (
    id integer primary key,
    task integer not null references task_task (id) on delete cascade,
    key text not null,
    title text not null,
    done_us integer,              -- null: it is not done
    place text not null,
    made_us integer not null,
    changed_us integer not null,
    changer integer references ident_actor (id),
    unique (task, key)
) strict;

-- What a task came from, or needs.
create table task_link (
    id integer primary key,
    task integer not null references task_task (id) on delete cascade,
    key text not null,
    url text,
    title text,
    app text,                     -- the program that has it, as people read it
    external text,                -- its id there
    kind text,
    place text not null,
    changed_us integer not null,
    changer integer references ident_actor (id),
    unique (task, key)
) strict;

-- Files that hang on it.
create table task_file (
    id integer primary key,
    task integer not null references task_task (id) on delete cascade,
    key text not null,
    name text not null,
    type text not null,
    content text not null,        -- base64
    size integer not null,        -- of what it is, in bytes
    changed_us integer not null,
    unique (task, key)
) strict;

-- Who shall do it.
create table task_assignment (
    id integer primary key,
    task integer not null references task_task (id) on delete cascade,
    actor integer not null references ident_actor (id),
    assigner integer references ident_actor (id),
    app text,
    at_us integer not null,
    place text not null,          -- of the person among the task's
    board text,                   -- of the task on a board by people; null: not said
    unique (task, actor)
) strict;
create index task_assignment_actor on task_assignment (actor, task);

-- Where a task is on a board, if somebody put it there.
create table task_board (
    id integer primary key,
    task integer not null references task_task (id) on delete cascade,
    kind integer not null check (kind between 0 and 2), -- enum task_board_kind
    place text not null,
    version integer not null,
    unique (task, kind)
) strict;

-- Lists and tasks that were deleted, for those who keep up with changes.
create table task_gone (
    id integer primary key,
    account integer not null references ident_account (id),
    list integer not null,        -- of a task; 0: it was a list
    key text not null,
    made integer not null,
    change integer not null
) strict;
create index task_gone_change on task_gone (account, list, change);
