-- What Slack alone has was the chat core's in format 2. Indexes, constraints and references follow from the new tables.
alter table chat_profile_field rename to slack_profile_field;
alter table chat_app rename to slack_app;
alter table chat_install rename to slack_install;
alter table chat_grant rename to slack_grant;
alter table chat_star rename to slack_star;
alter table chat_bookmark rename to slack_bookmark;
alter table chat_reminder rename to slack_reminder;
alter table chat_scheduled rename to slack_scheduled;
alter table chat_file rename to slack_file;
alter table chat_share rename to slack_share;
alter table chat_group rename to slack_group;
alter table chat_group_user rename to slack_group_user;
alter table chat_quiet rename to slack_quiet;
alter table chat_emoji rename to slack_emoji;
alter table chat_canvas rename to slack_canvas;
alter table chat_access rename to slack_access;
alter table chat_list rename to slack_list;
alter table chat_list_item rename to slack_list_item;
alter table chat_export rename to slack_export;
alter table chat_invite rename to slack_invite;
alter table chat_call rename to slack_call;
alter table chat_assist rename to slack_assist;
alter table chat_agent_channel rename to slack_agent_channel;
alter table chat_agent rename to slack_agent;
alter table chat_agent_view rename to slack_agent_view;
alter table chat_agent_command rename to slack_agent_command;
alter table chat_login rename to slack_login;
alter table chat_app_log rename to slack_app_log;
alter table chat_webhook rename to slack_webhook;
alter table chat_subscription rename to slack_subscription;
alter table chat_endpoint rename to slack_endpoint;
alter table chat_event rename to slack_event;
alter table chat_event_app rename to slack_event_app;
alter table chat_action rename to slack_action;
alter table chat_news rename to slack_news;
alter table chat_ticket rename to slack_ticket;
alter table chat_socket rename to slack_socket;
alter table chat_rtm rename to slack_rtm;
alter table chat_rtm_watch rename to slack_rtm_watch;
alter table chat_notified rename to slack_notified;
alter table chat_responder rename to slack_responder;
alter table chat_respond rename to slack_respond;
alter table chat_view rename to slack_view;
alter table chat_trigger rename to slack_trigger;
alter table chat_dialog rename to slack_dialog;
alter table chat_execution rename to slack_execution;
alter table chat_pane rename to slack_pane;
alter table chat_ephemeral rename to slack_ephemeral;
alter table chat_answer rename to slack_answer;
alter table chat_act rename to slack_act;
alter table chat_datum rename to slack_datum;
alter table chat_flow_trigger rename to slack_flow_trigger;
alter table chat_featured rename to slack_featured;
alter table chat_distribution rename to slack_distribution;
alter table chat_external rename to slack_external;
update due set core = 'chat.slack' where core = 'chat';
-- Texts that can be found are in the index without the escapes of the stored text.
update chat_message set plain = replace(replace(replace(text, '&lt;', '<'), '&gt;', '>'), '&amp;', '&')
    where place is not null and (instr(text, '&lt;') or instr(text, '&gt;') or instr(text, '&amp;'));
-- Of an actor's accounts in a workspace the first one has the chat service.
update ident_account set services = 8, made = 8 where vendor = 'slack' and service = '' and not exists
    (select 1 from ident_account o where o.actor = ident_account.actor and o.vendor = 'slack' and o.service = '' and
     o.tenant = ident_account.tenant and o.id < ident_account.id);
