-- How messages read, which dialects fill.
alter table chat_message add column plain text;
