-- From "sosia 2": an account says which services the actor has there. Its vendor's step fills that in.
alter table ident_account rename to ident_account_2;
create table ident_account (
    id integer primary key,
    actor integer not null,
    vendor text not null,
    service text not null,
    tenant text not null,
    name text,
    services integer not null default 0,
    listed integer not null default 1,
    made integer not null default 0,
    prime integer not null default 0
) strict;
insert into ident_account (id, actor, vendor, service, tenant, name)
    select id, actor, vendor, service, tenant, name from ident_account_2;
drop table ident_account_2;
