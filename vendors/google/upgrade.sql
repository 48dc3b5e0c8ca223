-- From "sosia 2": everybody with an address had what an account has now, listed or not (bits of enum account_service).
create temp table step_services (kind text primary key, services integer not null);
insert into step_services values ('person', 1 | 2 | 4), ('service', 1 | 4), ('resource', 1);
update ident_account set services = coalesce((select s.services from ident_actor a join step_services s using (kind)
    where a.id = actor), 0) where vendor = 'google';
insert into ident_account (actor, vendor, service, tenant, services, listed)
    select a.id, 'google', '', '', s.services, 0 from ident_actor a join step_services s using (kind)
    where a.email is not null and not exists (select 1 from ident_account c where c.actor = a.id and c.vendor = 'google')
    order by a.id;
update ident_account set made = services where vendor = 'google';
drop table step_services;
