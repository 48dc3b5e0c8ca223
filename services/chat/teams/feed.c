/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a channel or a chat as what subscriptions watch. Both have the same events, and each
 * its own scopes. */
#include "engine/world/event.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/subscription.h"

/* ---- what is watched ---- */

/* "teams/T/channels/C/messages", "chats/C/messages": the id of the channel, and of the team (NULL:
 * of a chat). */
static bool read_resource(struct arena *a, const char *at, const char **ret_team,
                          const char **ret_channel)
{
    *ret_team = NULL;
    at += *at == '/';
    if (graph_resource_word(&at, "chats")) {
        *ret_channel = graph_resource_key(a, &at);
    } else if (graph_resource_word(&at, "teams")) {
        *ret_team = graph_resource_key(a, &at);
        if (!*ret_team || !graph_resource_word(&at, "channels"))
            return false;
        *ret_channel = graph_resource_key(a, &at);
    } else {
        return false;
    }
    return *ret_channel && graph_resource_word(&at, "messages") && !*at;
}

/* May the watcher read the channel: 1, 0, -1. */
static int may_read(struct tx *tx, const struct graph_watcher *who, const struct chat_channel *ch)
{
    struct chat_user u;
    struct chat_member m;
    if (who->app_only)
        return 1;
    int r = chat_user_of(tx, who->actor.id, ch->workspace, &u);
    if (r != 1)
        return r;
    return ch->team ? chat_can_see(tx, ch, &u) : chat_member_of(tx, ch->id, u.id, &m);
}

static int no_place(struct tx *tx)
{
    return tx_fail(tx, SOSIA_E_NOT_FOUND, "NotFound", NULL, "NotFound");
}

/* The channel with that key, of the caller's tenant; of any where a document has the subscription.
 * 1, 0, -1. */
static int find_channel(struct tx *tx, const struct graph_watcher *who, const char *key,
                        struct chat_workspace *w, struct chat_channel *ch)
{
    struct ms_tenant tenant = {.id = 0};
    int r = who->call ? graph_caller_tenant(who->call, &tenant.id) : 1;
    if (r == 1 && who->call)
        r = ms_tenant_get(tx, tenant.id, &tenant);
    if (r != 1)
        return r;
    *w = (struct chat_workspace){.id = 0};
    while ((r = chat_workspace_first(tx, w->id, w)) == 1)
        if (strcmp(w->vendor, "microsoft") == 0 &&
            (!who->call || strcmp(w->key, tenant.guid) == 0) &&
            (r = chat_channel_find(tx, w->id, key, ch)))
            break;
    return r;
}

/* The key of who watches a chat, whose history has a begin; "": sees all of it. NULL: failed. */
static const char *watcher_key(struct tx *tx, const struct graph_watcher *who,
                               const struct chat_channel *ch)
{
    struct chat_user u;
    if (who->app_only || ch->team)
        return "";
    return chat_user_of(tx, who->actor.id, ch->workspace, &u) == 1 ? u.key : NULL;
}

static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret, bool chats)
{
    const char *team_key, *key, *part;
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_team t;
    if (!read_resource(tx->arena, resource, &team_key, &key) || chats != !team_key)
        return 0;
    int r = find_channel(tx, who, key, &w, &ch);
    if (r == 1)
        r = (ch.team != 0) == (team_key != NULL) && !teams_is_deleted(&ch);
    if (r == 1 && team_key) {
        r = chat_team_get(tx, ch.team, &t);
        r = r == 1 ? strcmp(t.key, team_key) == 0 : r;
    }
    if (r != 1)
        return r < 0 ? -1 : no_place(tx);
    if ((r = may_read(tx, who, &ch)) != 1)
        return r < 0 ? -1 : tx_fail(tx, SOSIA_E_FORBIDDEN, "Forbidden", NULL, "Forbidden");
    if (!(part = watcher_key(tx, who, &ch)))
        return -1;
    *ret = (struct graph_watch){
        .scope = ch.id,
        .part = part,
        .path = team_key
                    ? arena_printf(tx->arena, "teams('%s')/channels('%s')/messages", t.key, ch.key)
                    : arena_printf(tx->arena, "chats('%s')/messages", ch.key),
        .tenant = w.key};
    return 1;
}

static int channel_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                        struct graph_watch *ret)
{
    return feed_open(tx, who, resource, ret, false);
}

static int chat_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    return feed_open(tx, who, resource, ret, true);
}

static int feed_may(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w)
{
    struct chat_channel ch;
    int r = graph_watcher_there(tx, who);
    if (r == 1)
        r = chat_channel_get(tx, w->scope, &ch);
    return r == 1 ? may_read(tx, who, &ch) : r;
}

/* ---- changes ---- */

static int feed_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select ifnull(max(number), 0) from teams_change where channel = :channel");
    return TX_INT(tx, &q, ret, w->scope) < 0 ? -1 : 0;
}

static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    static struct sql_text q =
        SQL_TEXT("select message, number, made from teams_change where channel = :channel and "
                 "number > :after order by number");
    const struct chat_user watcher = {.key = w->part};
    struct chat_channel ch;
    if (*w->part && chat_channel_get(tx, w->scope, &ch) != 1)
        return -1;
    const int64_t oldest = *w->part ? teams_history(tx->arena, &ch, &watcher) : 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, w->scope, after);
    int r = st ? 1 : -1;
    *ret_last = after;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        struct chat_message m;
        const int64_t made = sqlite3_column_int64(st, 2);
        *ret_last = sqlite3_column_int64(st, 1);
        if (chat_message_get(tx, sqlite3_column_int64(st, 0), &m) != 1) {
            sql_done(st);
            return -1;
        }
        if (m.ts_us < oldest)
            continue;
        const bool gone = m.extra && strstr(m.extra, "\"deletedDateTime\"");
        struct graph_change change = {
            .operation = gone           ? OP_REMOVED
                         : made > after ? OP_ADDED
                                        : OP_CHANGED,
            .id = arena_printf(tx->arena, "%lld", (long long)teams_message_ms(m.ts_us)),
            .thing = &m};
        int stop = fn(arg, &change);
        if (stop) {
            sql_done(st);
            return stop;
        }
    }
    return r;
}

/* ---- resource data ---- */

static int feed_data(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w,
                     const struct graph_change *change, const struct odata_query *q,
                     struct json_writer *out)
{
    static const struct sosia_request none;
    struct call c = {.tx = *tx, .out = out, .request = &none}; /* of it what writing needs */
    struct teams_at at = {.c = &c, .app = who->app_only};
    const struct chat_message *m = change->thing;
    struct chat_message root;
    struct teams_writing g;
    (void)q;
    if (!m || chat_channel_get(tx, w->scope, &at.channel) != 1 ||
        chat_workspace_get(tx, at.channel.workspace, &at.workspace) != 1 ||
        ms_tenant_find(tx, at.workspace.key, &at.tenant) != 1 ||
        (at.channel.team && chat_team_get(tx, at.channel.team, &at.team) != 1) ||
        teams_writing(&at, &g) < 0)
        return -1;
    g.one = true;
    const bool reply = m->thread && m->thread != m->id;
    if (reply && chat_message_get(tx, m->thread, &root) != 1)
        return -1;
    return teams_write_message(&g, m, reply ? &root : NULL) < 0 ? -1 : 1;
}

#define FEED                                                                                       \
    .kind = TEAMS_CHANGED, .type = "#Microsoft.Graph.chatMessage", .max_minutes = 4320,            \
    .max_minutes_data = 4320, .data = feed_data, .may = feed_may, .position = feed_position,       \
    .changes = feed_changes

const struct graph_feed teams_channel_feed = {FEED, .scopes = "ChannelMessage.Read.All",
                                              .open = channel_open};
const struct graph_feed teams_chat_feed = {FEED, .scopes = "Chat.ReadBasic " CHAT_READ,
                                           .data_scopes = CHAT_READ, .open = chat_open};
