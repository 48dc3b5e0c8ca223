-- From "sosia 2": settings are tables of this dialect, UIDs are stored, and what the core read of the members that are kept in
-- extra has columns (read_extra of vendor.c).
alter table cal_setting rename to gcal_setting;
update cal_event set uid = substr(key, 1, length(key) -
    case when form <> 2 then 0 when original_day then 9 else 17 end) || '@google.com' where uid is null;
update cal_event set organizer_name = extra ->> '$.organizerName',
    extra = nullif(json_remove(extra, '$.organizerName'), '{}')
    where instr(extra, '"organizerName"') and json_valid(extra) and json_type(extra, '$.organizerName') = 'text';
update cal_event set conference = extra ->> '$.conferenceData.conferenceId'
    where instr(extra, '"conferenceId"') and json_valid(extra) and
    json_type(extra, '$.conferenceData.conferenceId') = 'text';
update cal_event set decline = case
        coalesce(extra ->> '$.outOfOfficeProperties.autoDeclineMode', extra ->> '$.focusTimeProperties.autoDeclineMode')
        when 'declineNone' then 0 when 'declineAllConflictingInvitations' then 2 else 1 end,
    decline_text = coalesce(extra ->> '$.outOfOfficeProperties.declineMessage',
        extra ->> '$.focusTimeProperties.declineMessage')
    where instr(extra, '"autoDeclineMode"') and json_valid(extra) and
    coalesce(extra ->> '$.outOfOfficeProperties.autoDeclineMode', extra ->> '$.focusTimeProperties.autoDeclineMode')
    is not null;
update cal_event set decline_text = null where decline = 0;
update cal_event set place = nullif(ltrim(
    case extra ->> '$.workingLocationProperties.type'
        when 'homeOffice' then char(10) || 'Home' when 'officeLocation' then char(10) || 'Office' else '' end ||
    coalesce(char(10) || (extra ->> '$.workingLocationProperties.officeLocation.buildingId'), '') ||
    coalesce(char(10) || (extra ->> '$.workingLocationProperties.officeLocation.deskId'), '') ||
    coalesce(char(10) || (extra ->> '$.workingLocationProperties.officeLocation.label'), '') ||
    coalesce(char(10) || (extra ->> '$.workingLocationProperties.customLocation.label'), ''), char(10)), '')
    where instr(extra, '"workingLocationProperties"') and json_valid(extra);
update cal_calendar set vendor = 'google', account = (select a.id from ident_account a where a.actor = owner and
    a.vendor = 'google' and a.services & 1 order by a.id limit 1);
alter table cal_listing rename to gcal_listing;
update cal_event set rights = rights | 1024 where organizer_name is not null or decline or place is not null or
    conference is not null;
update cal_event set rights = rights | 2048
    where substr(key || '_', 1, instr(uid, '@')) <> substr(uid, 1, instr(uid, '@') - 1) || '_';
