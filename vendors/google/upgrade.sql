-- From "sosia 2": an actor with an address had what a new account gets. Bits: 1 calendar, 2 mail, 4 drive.
update ident_account
set services = coalesce((select case a.kind when 'person' then 7 when 'service' then 5 when 'resource' then 1 else 0 end
                         from ident_actor a where a.id = actor and a.email is not null), 0)
where vendor = 'google' and service = '' and not exists
    (select 1 from ident_account o where o.actor = ident_account.actor and o.vendor = 'google' and o.service = '' and
     o.id < ident_account.id);
update ident_account set made = services where vendor = 'google';
insert into ident_account (actor, vendor, service, tenant, services, listed, made)
select id, 'google', '', '', s, 0, s
from (select id, case kind when 'person' then 7 when 'service' then 5 else 1 end as s from ident_actor a
      where email is not null and kind in ('person', 'service', 'resource') and not exists
          (select 1 from ident_account o where o.actor = a.id and o.vendor = 'google' and o.service = '')
      order by id);
