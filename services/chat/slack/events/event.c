/* SPDX-License-Identifier: Apache-2.0 */
/* One event that is sent: who is notified, and its text. */
#include "identity/sql.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/events/news.h"
#include "services/chat/slack/events/socket.h"
#include "engine/text/civil.h"

/* ---- who is notified ---- */

/* Is one of the scopes (separated by spaces) in the list (by commas)? */
static bool is_granted(const char *list, const char *scopes)
{
    if (!list || !*scopes)
        return true;
    while (*scopes) {
        size_t n = strcspn(scopes, " ");
        for (const char *p = list; *p;) {
            size_t k = strcspn(p, ", ");
            if (k == n && memcmp(p, scopes, n) == 0)
                return true;
            p += k + strspn(p + k, ", ");
        }
        scopes += n + strspn(scopes + n, " ");
    }
    return false;
}

struct subscriber {
    int64_t app, user;
    bool lesser; /* gets the lesser text */
};

/* In the arena, so that no statement is open while they are notified. */
struct subscribers {
    struct subscriber *list;
    size_t n, room;
};

/* May it be said to somebody? What is said of a file is for those who may see it. 1, 0, -1. */
static int may_know(struct sl_notice *t, int64_t user)
{
    struct chat_user u;
    int r = t->file ? chat_user_get(t->tx, user, &u) : 1;
    return r == 1 && t->file ? chat_can_see_file(t->tx, t->file, &u) : r;
}

static int collect(struct sl_notice *t, sqlite3_stmt *st, const char *scopes, struct subscribers *s)
{
    struct tx *tx = t->tx;
    int r = st ? 1 : -1, may;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        const char *granted = (const char *)sqlite3_column_text(st, 2);
        struct subscriber one = {.app = sqlite3_column_int64(st, 0),
                                 .user = sqlite3_column_int64(st, 1),
                                 .lesser = t->needs && !is_granted(granted, t->needs)};
        bool known = false;
        for (size_t i = 0; i < s->n && !known; i++)
            known = s->list[i].app == one.app;
        if (known || !is_granted(granted, scopes) || !(may = may_know(t, one.user)))
            continue;
        if (may < 0) {
            sql_done(st);
            return -1;
        }
        s->list = arena_grow(tx->arena, s->list, s->n, &s->room, sizeof *s->list);
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        s->list[s->n++] = one;
    }
    return r;
}

/* The workspaces that have the channel. An app that is installed in several of them gets an event
 * once, for one that the channel is shared with. */
#define HAVE_IT "select :workspace union all " CHAT_SQL_SHARED_WITH(":channel")

/* Bots that are in the channel, or in the workspace where there is none. */
static sqlite3_stmt *bots(struct sl_notice *t, const char *kind, int64_t channel)
{
    static struct sql_text q =
        SQL_TEXT("select s.app, i.user, i.scopes from slack_subscription s "
                 "join slack_install i on i.app = s.app and i.workspace in (" HAVE_IT
                 ") where s.kind = :kind and s.person = 0 and not i.deleted and i.user is not null "
                 "and (:channel = 0 or " CHAT_SQL_IS_MEMBER(
                     ":channel", "i.user") ") order by s.app, i.workspace = :workspace, i.id");
    return TX_QUERY(t->tx, &q, t->workspace, channel, kind);
}

/* People who agreed to an app: who installed it, and those with a token of its own. The plus keeps
 * SQLite from looking at everybody in the workspace instead. */
static sqlite3_stmt *people(struct sl_notice *t, const char *kind, int64_t channel, int64_t user)
{
    static struct sql_text q = SQL_TEXT(
        "select s.app, u.id, i.user_scopes from slack_subscription s "
        "join slack_install i on i.app = s.app and i.workspace in (" HAVE_IT
        ") join " CHAT_SQL_USERS
        " u on u.id in (select i.installer union all select o.id from " IDENT_SQL_USER_TOKENS
        " k join " CHAT_SQL_USERS
        " o on o.actor = k.actor where k.app = i.app union all select g.user from slack_grant g "
        "where g.install = i.id) and +u.workspace = i.workspace and not u.bot and not u.deleted "
        "where s.kind = :kind and s.person = 1 and not i.deleted and (i.user_scopes is null or "
        "i.user_scopes <> '') and (:channel = 0 or " CHAT_SQL_IS_MEMBER(
            ":channel", "u.id") ") and (:user = 0 or u.id = :user) order by s.app, i.workspace = "
                                ":workspace, u.id");
    return TX_QUERY(t->tx, &q, t->workspace, channel, kind, user);
}

static int push_all(struct sl_notice *t, const char *type, const char *event,
                    const struct subscribers *s)
{
    struct sl_event e = {
        .workspace = t->source, .channel = t->channel.id, .type = type, .event = event};
    struct sl_event lesser = e;
    lesser.event = t->lesser;
    for (size_t i = 0; i < s->n; i++)
        if (sl_push_event(t->tx, s->list[i].lesser ? &lesser : &e, s->list[i].app,
                          s->list[i].user) < 0)
            return -1;
    return 0;
}

bool sl_has_member(const struct sl_notice *t, const char *name)
{
    return strstr(t->news->members, arena_printf(t->tx->arena, ",%s,", name)) != NULL;
}

int sl_event_to(struct sl_notice *t, const char *type, const char *kind, enum sl_audience to,
                int64_t user, const char *event)
{
    const char *scopes;
    struct subscribers s = {0};
    int64_t channel = to == SL_TO_MEMBERS ? t->channel.id : 0;
    if (!event)
        return sosia_fail_memory(t->tx->err);
    if (!sl_event_scopes(kind, &scopes))
        scopes = "";
    if (to != SL_TO_PERSON && collect(t, bots(t, kind, channel), scopes, &s) < 0)
        return -1;
    if (t->also && collect(t, bots(t, t->also, channel), "", &s) < 0)
        return -1;
    if (collect(t, people(t, kind, channel, to == SL_TO_PERSON ? user : 0), scopes, &s) < 0)
        return -1;
    int64_t only = to == SL_TO_PERSON ? user : 0;
    return push_all(t, type, event, &s) < 0
               ? -1
               : sl_rtm_send(t->tx,
                             &(struct sl_rtm_to){.workspace = t->workspace,
                                                 .channel = channel,
                                                 .only = only,
                                                 .file = t->file},
                             t->other ? t->other : event);
}

int sl_event_to_app(struct sl_notice *t, const char *type, const char *kind, int64_t app,
                    const char *event)
{
    static struct sql_text q = SQL_TEXT(
        "select ifnull(user, installer) from slack_install where app = :app and workspace in "
        "(" HAVE_IT ") and (not deleted or :channel = 0) order by workspace = :workspace limit 1");
    struct subscribers s = {.list = &(struct subscriber){.app = app}, .n = 1};
    int r = sl_subscribed(t->tx, app, kind, false);
    if (r == 1)
        r = TX_INT(t->tx, &q, &s.list[0].user, app, t->workspace, t->channel.id);
    if (r != 1 || !s.list[0].user)
        return r < 0 ? -1 : 0;
    return event ? push_all(t, type, event, &s) : sosia_fail_memory(t->tx->err);
}

/* ---- rendering ---- */

const char *sl_event_ts(struct sl_notice *t)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, t->news->at_us / US_PER_SECOND * US_PER_SECOND +
                         (t->news->at_us % US_PER_SECOND + t->news->number) % US_PER_SECOND);
    return arena_strdup(t->tx->arena, ts);
}

void sl_event_open(struct sl_notice *t, const char *type)
{
    buf_clear(&t->out);
    json_init(&t->writer, &t->out, false, NULL);
    json_obj(&t->writer, NULL);
    json_str(&t->writer, "type", type);
}

const char *sl_event_close(struct sl_notice *t)
{
    json_str(&t->writer, "event_ts", sl_event_ts(t));
    json_end(&t->writer);
    return buf_failed(&t->out) || arena_failed(t->tx->arena)
               ? NULL
               : arena_memdup(t->tx->arena, buf_str(&t->out), t->out.len);
}
