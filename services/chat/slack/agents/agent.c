/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of agents, their views and commands. */
#include "services/chat/slack/agents/agent.h"
#include "services/chat/core/ask.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/files/list.h"

const char *const chat_agent_statuses[] = {"active", "processing", "suspended", "closed", NULL};
const char *const chat_agent_view_types[] = {"page", "diff", "blocks", "document", "link", NULL};

/* ---- channels ---- */

int chat_agent_channel_get(struct tx *tx, int64_t channel, struct chat_agent_channel *ret)
{
    return stored_get(tx, &slack_agent_stored, channel, ret);
}

int chat_agent_channel_find(struct tx *tx, int64_t workspace, int64_t app, const char *session,
                            struct chat_agent_channel *ret)
{
    static struct sql_text q =
        SQL_TEXT("where workspace = :workspace and app = :app and session = :session");
    return STORED_ONE(tx, &slack_agent_stored, &q, ret, workspace, app, session);
}

int chat_agent_channel_add(struct tx *tx, struct chat_channel *ch,
                           const struct chat_agent_channel *a)
{
    struct chat_agent_channel row = *a;
    row.channel = ch->id;
    row.workspace = ch->workspace;
    if (!ch->properties) {
        ch->properties = "{}";
        if (chat_channel_set_properties(tx, ch->id, ch->properties) < 0)
            return -1;
    }
    return stored_add(tx, &slack_agent_stored, &row);
}

int chat_agent_channel_save(struct tx *tx, const struct chat_agent_channel *a)
{
    static const char *const changed[] = {"properties", NULL};
    if (stored_save(tx, &slack_agent_stored, a->channel, a) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_CHANNEL, OP_CHANGED, a->workspace, a->channel, changed, NULL);
    return 0;
}

/* ---- agents ---- */

int chat_is_agent(struct tx *tx, int64_t channel, int64_t user)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from slack_agent where channel = :channel and user = :user");
    int64_t one;
    return TX_INT(tx, &q, &one, channel, user);
}

int chat_agent_add(struct tx *tx, int64_t channel, int64_t user)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_agent (channel, user) values (:channel, :user)");
    return TX_RUN(tx, &q, channel, user);
}

int chat_agents(struct tx *tx, int64_t channel, int (*fn)(void *arg, int64_t user), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select user from slack_agent where channel = :channel order by id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, channel);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        int rc = fn(arg, sqlite3_column_int64(st, 0));
        if (rc) {
            sql_done(st);
            return rc < 0 ? -1 : 0;
        }
    }
    return r;
}

/* ---- views ---- */

int chat_agent_view_find(struct tx *tx, int64_t channel, const char *key, const char *name,
                         struct chat_agent_view *ret)
{
    static struct sql_text by_key = SQL_TEXT("where channel = :channel and key = :key");
    static struct sql_text by_name = SQL_TEXT("where channel = :channel and name = :name");
    return key ? STORED_ONE(tx, &slack_agent_view_stored, &by_key, ret, channel, key)
               : STORED_ONE(tx, &slack_agent_view_stored, &by_name, ret, channel, name);
}

int chat_agent_view_only(struct tx *tx, int64_t channel, enum chat_agent_view_type type,
                         struct chat_agent_view *ret)
{
    static struct sql_text q =
        SQL_TEXT("where channel = :channel and name is null and type = :type order by id limit 1");
    return STORED_ONE(tx, &slack_agent_view_stored, &q, ret, channel, chat_agent_view_types[type]);
}

int chat_agent_views(struct tx *tx, int64_t channel,
                     int (*fn)(void *arg, const struct chat_agent_view *v), void *arg)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel order by id");
    struct chat_agent_view v;
    sqlite3_stmt *st = STORED_QUERY(tx, &slack_agent_view_stored, &q, channel);
    int r;
    while ((r = stored_next(tx, &slack_agent_view_stored, st, &v)) == 1) {
        int rc = fn(arg, &v);
        if (rc) {
            sql_done(st);
            return rc < 0 ? -1 : 0;
        }
    }
    return r;
}

int chat_agent_view_count(struct tx *tx, int64_t channel, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from slack_agent_view where channel = :channel");
    return TX_INT(tx, &q, ret, channel) < 0 ? -1 : 0;
}

int chat_agent_view_shows(struct tx *tx, int64_t channel, int64_t file)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from slack_agent_view where file = :file and channel = :channel limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, file, channel);
}

int chat_agent_view_add(struct tx *tx, struct chat_agent_view *v)
{
    if (!v->key && !(v->key = chat_long_key(tx, "Ct")))
        return -1;
    return stored_new(tx, &slack_agent_view_stored, v);
}

int chat_agent_view_save(struct tx *tx, const struct chat_agent_view *v)
{
    return stored_save(tx, &slack_agent_view_stored, v->id, v);
}

int chat_agent_view_remove(struct tx *tx, const struct chat_agent_view *v)
{
    static struct sql_text q = SQL_TEXT("delete from slack_agent_view where id = :id");
    return TX_RUN(tx, &q, v->id);
}

/* ---- commands ---- */

int chat_agent_commands_others(struct tx *tx, int64_t channel, int64_t user, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from slack_agent_command where channel = "
                                        ":channel and user <> :user");
    return TX_INT(tx, &q, ret, channel, user) < 0 ? -1 : 0;
}

int chat_agent_commands_set(struct tx *tx, int64_t channel, int64_t user,
                            struct chat_agent_command *all, size_t n)
{
    static struct sql_text clear =
        SQL_TEXT("delete from slack_agent_command where channel = :channel and user = :user");
    if (TX_RUN(tx, &clear, channel, user) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        all[i].channel = channel;
        all[i].user = user;
        all[i].place = (int64_t)i;
        if (stored_add(tx, &slack_command_stored, &all[i]) < 0)
            return -1;
    }
    return 0;
}

int chat_agent_command_find(struct tx *tx, int64_t channel, const char *name,
                            struct chat_agent_command *ret)
{
    static struct sql_text q =
        SQL_TEXT("where channel = :channel and name = :name order by user limit 1");
    return STORED_ONE(tx, &slack_command_stored, &q, ret, channel, name);
}
