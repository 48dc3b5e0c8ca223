-- From "sosia 2": accounts have services, and an id only if a vendor gave one. Vendors' cores say which services.
create table ident_account_now (
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
);
insert into ident_account_now (id, actor, vendor, service, tenant, name)
select id, actor, vendor, service, tenant, name from ident_account;
drop table ident_account;
alter table ident_account_now rename to ident_account;
create index ident_account_actor on ident_account (actor, vendor); -- the steps of the vendors look for the accounts of an actor
