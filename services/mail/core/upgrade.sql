-- From "sosia 2": labels are folders, labels and keywords. How they are shown, settings and accounts are the step of the vendor.
alter table mail_mailbox rename column labels to folders;
alter table mail_mailbox add column vendor text not null default '';
alter table mail_mailbox add column account integer not null default 0;
alter table mail_label rename to mail_folder;
alter table mail_folder add column kind integer not null default 0;
alter table mail_folder add column hidden integer not null default 0;
update mail_folder set kind = iif(id & 16777215 < 5, 1, 2), hidden = (id & 16777215) in (3, 4) or (id & 16777215) > 6
    where id & 16777215 < 64;
alter table mail_labelled rename to mail_member;
alter table mail_member rename column label to folder;
alter table mail_message_label rename to mail_message_folder;
alter table mail_message_folder rename column label to folder;
alter table mail_thread_label rename to mail_thread_folder;
alter table mail_thread_folder rename column label to folder;
alter table mail_change rename column labels to folders;
