-- Tables of the last release that were the core's.
alter table drive_proposal rename to gdrive_proposal;
alter table drive_approval rename to gdrive_approval;
alter table drive_reviewer rename to gdrive_reviewer;
alter table drive_label rename to gdrive_label;
alter table drive_labelled rename to gdrive_labelled;
alter table drive_key_service rename to gdrive_key_service;
alter table drive_admin rename to gdrive_admin;
alter table drive_operation rename to gdrive_operation;
