-- From "sosia 2": what the core had of Gmail's labels and settings, and the accounts that mailboxes belong to.
drop index gmail_label_name;
create table gmail_label (
    label integer primary key,
    mailbox integer not null,
    compared text not null,
    list_view integer not null,
    message_view integer not null,
    color text,
    background text
) strict;
insert into gmail_label
    select id, mailbox, lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(
        name, ' ', '-'), '&', '-'), '(', '-'), ')', '-'), '"', '-'), '|', '-'), '{', '-'), '}', '-'), '/', '-')),
        list_view, message_view, color, background
    from mail_folder where id & 16777215 >= 64 or color is not null or list_view <> 2 * hidden or message_view <> hidden;
alter table mail_folder drop column list_view;
alter table mail_folder drop column message_view;
alter table mail_folder drop column color;
alter table mail_folder drop column background;
alter table mail_setting rename to gmail_setting;
update mail_mailbox set vendor = 'google', account = (select min(a.id) from ident_account a
    where a.actor = mail_mailbox.actor and a.vendor = 'google' and a.services & 2);
