/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of imported worlds must keep to besides their tables' constraints. */
#include "services/chat/core/impl.h"
#include "services/chat/core/vendor.h"

#define NO_SECOND(column)  column " not between 0 and 8589934591"
#define NO_INSTANT(column) column " not between 0 and 8589934591000000"
#define NO_JSON(column, type)                                                                      \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> '" type "' else 1 end"

const struct core_rule chat_rules[] = {
    {"chat_workspace", "id not between 1 and 1023"},
    {"chat_workspace", "length(key) not between 2 and 40"},
    {"chat_workspace", NO_SECOND("created_s")},
    {"chat_workspace", NO_JSON("setting", "object")},
    {"chat_user", "length(key) not between 2 and 40"},
    {"chat_user", NO_JSON("fields", "object")},
    {"chat_user", NO_SECOND("updated_s")},
    {"chat_user", NO_SECOND("status_expires_s")},
    {"chat_team", "length(key) not between 2 and 40"},
    {"chat_team", NO_SECOND("created_s")},
    {"chat_team", NO_JSON("properties", "object")},
    {"chat_team_member", "(select t.workspace from chat_team t where t.id = team) <> (select "
                         "u.workspace from chat_user u where u.id = user)"},
    {"chat_channel", "team is not null and workspace <> (select t.workspace from chat_team t where "
                     "t.id = team)"},
    {"chat_mention", "not exists (select 1 from chat_message m where m.id = message)"},
    {"chat_mention",
     "not case kind when 0 then exists (select 1 from chat_user u where u.id = ref) "
     "when 1 then exists (select 1 from chat_channel c where c.id = ref) when 2 "
     "then exists (select 1 from chat_team t where t.id = ref) else ref = 0 end"},
    {"chat_drive_file", "not exists (select 1 from chat_message m where m.id = message)"},
    {"chat_channel", "id not between 1 and 1048575"},
    {"chat_channel", "length(key) not between 2 and 120"},
    {"chat_channel", "(name is null) and kind < 2"},
    {"chat_channel", "(pair is null) <> (kind < 2) and not (pair is null and kind = 3)"},
    {"chat_channel", NO_SECOND("created_s")},
    {"chat_channel", NO_SECOND("topic_s")},
    {"chat_channel", NO_SECOND("purpose_s")},
    {"chat_channel", NO_INSTANT("updated_us")},
    {"chat_channel", NO_INSTANT("last_us")},
    {"chat_channel", NO_JSON("previous_names", "array")},
    {"chat_channel", NO_JSON("properties", "object")},
    {"chat_channel", "members <> (select count(*) from chat_member m where m.channel = "
                     "chat_channel.id)"},
    {"chat_channel", "pins <> (select count(*) from chat_pin p where p.channel = chat_channel.id)"},
    {"chat_member", NO_INSTANT("read_us")},
    {"chat_member", NO_SECOND("joined_s")},
    {"chat_message", NO_INSTANT("ts_us")},
    {"chat_message", "(id >> 10) & 8589934591 <> ts_us / 1000000"},
    {"chat_message",
     "not exists (select 1 from chat_channel c where c.id = chat_message.id >> 43)"},
    {"chat_message", "place is not null and place >> 53 <> (select c.workspace from chat_channel c "
                     "where c.id = chat_message.id >> 43)"},
    {"chat_message", "flags not between 0 and 383"},
    {"chat_message", "thread is not null and (thread >> 43 <> id >> 43 or thread > id)"},
    {"chat_message", NO_INSTANT("edited_us")},
    {"chat_message", NO_INSTANT("latest_us")},
    {"chat_message", NO_SECOND("pinned_s")},
    {"chat_message", NO_JSON("blocks", "array")},
    {"chat_message", NO_JSON("attachments", "array")},
    {"chat_message", NO_JSON("metadata", "object")},
    {"chat_message", NO_JSON("extra", "object")},
    {"chat_message", NO_JSON("repliers", "array")},
    {"chat_message", NO_JSON("reactions", "array")},
    {"chat_message", NO_JSON("files", "array")},
    {"chat_reaction", "(message is null) = (file is null)"},
    {"chat_reaction", "message is not null and not exists (select 1 from chat_message m where "
                      "m.id = message)"},
    {"chat_reaction", NO_SECOND("at_s")},
    {"chat_pin", "message >> 43 <> channel"},
    {"chat_pin", "not exists (select 1 from chat_message m where m.id = message)"},
    {"chat_follower", NO_INSTANT("read_us")},
    {"chat_follower", "replies < 0"},
    {"chat_pin", NO_SECOND("at_s")},
    {"chat_connect", "(select c.workspace from chat_channel c where c.id = channel) = workspace"},
    {"chat_connect", "(select c.kind from chat_channel c where c.id = channel) > 1"},
    {"chat_connect", NO_SECOND("since_s")},
    {"chat_user",
     "photo is not null and not exists (select 1 from blob b where b.id = chat_user.photo)"},
    {NULL, NULL},
};

int chat_check(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select distinct vendor from chat_workspace");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        if (!chat_vendor_named(tx, name)) {
            tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                    "a workspace's vendor must be one that the engine has, not \"%.40s\"", name);
            sql_done(st);
            return -1;
        }
    }
    return r;
}
