/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the messages of a channel, a thread or a chat since a token, in the order in which
 * they came (MG-339, 345). A token says how far it is. */
#include "engine/base/codec.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"
#include <stdio.h>

struct state {
    int64_t after; /* number of the last change that was answered */
    int64_t since_us;
    int64_t top;
    const char *select;
};

static const char *purpose(struct teams_at *at)
{
    return arena_printf(at->c->tx.arena, "teams delta %lld %lld", (long long)at->channel.id,
                        (long long)at->message.id);
}

static const char *token_of(struct teams_at *at, const struct state *s)
{
    struct arena *a = at->c->tx.arena;
    const struct odata_pair pairs[] = {
        {"p", arena_printf(a, "%lld %lld %lld", (long long)s->after, (long long)s->since_us,
                           (long long)s->top)},
        {"s", s->select ? s->select : ""}};
    return graph_seal(a, purpose(at), odata_pack(a, pairs, SOSIA_LEN(pairs)));
}

static int read_token(struct teams_at *at, const char *token, struct state *ret)
{
    struct arena *a = at->c->tx.arena;
    const struct odata_pair *pairs;
    long long after, since, top;
    const char *text;
    const size_t n =
        graph_unseal(a, purpose(at), token, &text) == 1 ? odata_unpack(a, text, &pairs) : 0;
    const char *place = n ? odata_packed(pairs, n, "p") : NULL;
    const char *select = n ? odata_packed(pairs, n, "s") : NULL;
    if (!place || sscanf(place, "%lld %lld %lld", &after, &since, &top) != 3 || after < 0 ||
        top < 1 || top > TEAMS_MAX_PAGE)
        return teams_bad(at->c, "Invalid delta token.");
    *ret = (struct state){after, since, top, select && *select ? select : NULL};
    return 0;
}

static int first_state(struct teams_at *at, const struct odata_query *q, struct state *ret)
{
    *ret = (struct state){.since_us = INT64_MIN, .select = graph_option(at->c, "$select")};
    if (teams_top(at->c, q, TEAMS_PAGE, &ret->top) < 0)
        return -1;
    int64_t to;
    if (q->filter && !odata_range(q->filter, "lastModifiedDateTime", &ret->since_us, &to))
        ret->since_us = INT64_MAX;
    if (!ret->top)
        ret->top = 1;
    return 0;
}

/* Is it one of those that are asked for: of a channel the first ones, of a thread its replies? */
static bool is_asked(const struct teams_at *at, const struct chat_message *m)
{
    if (at->message.id)
        return m->thread == at->message.id && m->id != at->message.id;
    return !at->team.id || !m->thread || m->thread == m->id;
}

struct found {
    struct chat_message m;
    int64_t number;
};

/* The changes of a page; more: there are others behind it. */
static int read_changes(struct teams_at *at, struct state *s, struct found *list, size_t *n,
                        bool *more)
{
    static struct sql_text q =
        SQL_TEXT("select message, number from teams_change where channel = :channel and number > "
                 ":after and modified_us >= :since and modified_us >= :oldest order by number");
    const int64_t oldest =
        at->app || at->team.id ? 0 : teams_history(at->c->tx.arena, &at->channel, &at->me);
    sqlite3_stmt *st = TX_QUERY(&at->c->tx, &q, at->channel.id, s->after, s->since_us, oldest);
    int r = st ? 1 : -1;
    *n = 0;
    *more = false;
    while (r == 1 && (r = TX_STEP(&at->c->tx, st)) == 1) {
        struct found *f = &list[*n];
        if (*n == (size_t)s->top) {
            *more = true;
            sql_done(st);
            return 0;
        }
        f->number = sqlite3_column_int64(st, 1);
        if (chat_message_get(&at->c->tx, sqlite3_column_int64(st, 0), &f->m) != 1) {
            sql_done(st);
            return -1;
        }
        s->after = f->number;
        *n += is_asked(at, &f->m);
    }
    return r;
}

static int select_of(struct call *c, const struct state *s, struct odata_query *q)
{
    const struct odata_pair pairs[] = {{s->select ? "$select" : "a", s->select}};
    const char *message;
    return odata_parse(c->tx.arena, edm_type_find("chatMessage", strlen("chatMessage")), NULL,
                       pairs, SOSIA_LEN(pairs), q, &message, c->tx.err);
}

static int refuse_option(struct call *c, const char *option, const char *name)
{
    return graph_option(c, option)
               ? call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                           "Parameter '%s' not supported for this request", name)
               : 0;
}

static int messages_delta(struct call *c)
{
    const char *token = graph_option(c, "$skiptoken");
    struct found list[TEAMS_MAX_PAGE + 1];
    struct teams_writing g;
    struct odata_query q;
    struct teams_at at;
    struct state s;
    bool more;
    size_t n;
    if (teams_open(c, &at) < 0 ||
        (param_str(c, "chat-id") ? teams_chat(&at) : teams_channel(&at)) < 0 ||
        (param_str(c, "chatMessage-id") && teams_message(&at) < 0) ||
        refuse_option(c, "$orderby", "OrderBy") < 0 || refuse_option(c, "$skip", "Skip") < 0 ||
        teams_options(c, "chatMessage", "$top $filter $select $expand", &q) < 0)
        return -1;
    if (!token)
        token = graph_option(c, "$deltatoken");
    if ((token ? read_token(&at, token, &s) : first_state(&at, &q, &s)) < 0 ||
        select_of(c, &s, &q) < 0 || teams_writing(&at, &g) < 0 ||
        read_changes(&at, &s, list, &n, &more) < 0 || graph_select(c, &q, ODATA_KEEP_ID, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(chatMessage)");
    json_str(c->out, more ? "@odata.nextLink" : "@odata.deltaLink",
             graph_link(c, more ? "$skiptoken" : "$deltatoken", token_of(&at, &s)));
    json_arr(c->out, "value");
    struct chat_message root = at.message;
    for (size_t i = 0; i < n; i++) {
        json_obj(c->out, NULL);
        if (teams_write_message(&g, &list[i].m, root.id ? &root : NULL) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- all messages of somebody's chats, or of a team: for apps (MG-472) ---- */

struct all {
    struct teams_at *at;
    int64_t from, to, n, top, skip;
    bool counts, more;
    int rc;
};

static int take_message(void *arg, const struct chat_message *m, const struct record *row)
{
    struct all *l = arg;
    struct chat_message root, one = *m;
    struct teams_writing g;
    (void)row;
    if (m->ts_us < l->from || m->ts_us >= l->to)
        return 0;
    if (l->skip > 0) {
        l->skip--;
        return 0;
    }
    if (l->n == l->top) {
        l->more = true;
        return 1;
    }
    l->n++;
    if (l->counts)
        return 0;
    const bool reply = m->thread && m->thread != m->id;
    if (reply && chat_message_get(&l->at->c->tx, m->thread, &root) != 1)
        return l->rc = -1;
    if (teams_writing(l->at, &g) < 0)
        return l->rc = -1;
    json_obj(l->at->c->out, NULL);
    l->rc = teams_write_message(&g, &one, reply ? &root : NULL);
    json_end(l->at->c->out);
    return l->rc < 0;
}

static int take_thread(void *arg, const struct chat_message *m, const struct record *row)
{
    struct all *l = arg;
    int r = take_message(arg, m, row);
    if (r || !m->replies)
        return r;
    struct chat_range range = {.channel = l->at->channel.id,
                               .thread = m->id,
                               .oldest_us = m->ts_us,
                               .latest_us = INT64_MAX};
    return chat_messages(&l->at->c->tx, &range, take_message, l) < 0 || l->rc < 0 || l->more;
}

static int walk_channel(void *arg, const struct chat_channel *ch)
{
    struct all *l = arg;
    struct chat_range range = {.channel = ch->id, .oldest_us = -1, .latest_us = INT64_MAX};
    const bool chats = !l->at->team.id;
    if (chats ? ch->kind < CHAT_DIRECT || ch->workspace != l->at->workspace.id : false)
        return 0;
    l->at->channel = *ch;
    if (chat_messages(&l->at->c->tx, &range, chats ? take_message : take_thread, l) < 0)
        l->rc = -1;
    return l->rc < 0 || l->more;
}

static int walk(struct all *l)
{
    struct teams_at *at = l->at;
    int r = at->team.id ? chat_team_channels(&at->c->tx, at->team.id, walk_channel, l)
            : at->me.id
                ? chat_channels(&at->c->tx, at->workspace.id, at->me.id, NULL, walk_channel, l)
                : 0;
    return r < 0 || l->rc < 0 ? -1 : 0;
}

static int get_all(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    struct all l = {.at = &at, .from = INT64_MIN, .to = INT64_MAX, .counts = true};
    if (teams_open(c, &at) < 0 || (param_str(c, "team-id") && teams_team(&at) < 0) ||
        teams_options(c, "chatMessage", "$top $filter $select", &q) < 0 ||
        teams_top(c, &q, TEAMS_PAGE, &l.top) < 0)
        return -1;
    if (!at.app)
        return call_fail(c, SOSIA_E_PRECONDITION, "PreconditionFailed", NULL,
                         "Requested API is not supported in delegated context");
    const int64_t skip = teams_skiptoken(c, "teams all messages");
    if (skip < 0)
        return -1;
    if (q.filter && !odata_range(q.filter, "lastModifiedDateTime", &l.from, &l.to))
        l.top = 0;
    l.skip = skip;
    if (walk(&l) < 0 || graph_select(c, &q, ODATA_KEEP_ID, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(chatMessage)");
    json_int(c->out, "@odata.count", l.n);
    if (l.more && l.n)
        json_str(c->out, "@odata.nextLink", teams_next(c, "teams all messages", skip + l.n));
    json_arr(c->out, "value");
    l.counts = l.more = false;
    l.n = 0;
    l.skip = skip;
    if (walk(&l) < 0)
        return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- rows ---- */

#define TOKENS                                                                                     \
    OPTION("$deltatoken"), OPTION("$filter"), OPTION("$select"), OPTION("$skiptoken"),             \
        OPTION("$top")
static const struct param channel_params[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                              TOKENS};
static const struct param reply_params[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                            PATH_PARAM("chatMessage-id"), TOKENS};
static const struct param chat_params[] = {PATH_PARAM("chat-id"), USER_PARAM, TOKENS};
static const struct param team_all[] = {PATH_PARAM("team-id"), OPTION("$filter"), OPTION("$select"),
                                        OPTION("$skiptoken"), OPTION("$top")};
static const struct param chat_all[] = {USER_PARAM, OPTION("$filter"), OPTION("$select"),
                                        OPTION("$skiptoken"), OPTION("$top")};
#define LIST .response = "microsoft.graph.chatMessageCollectionResponse"

static const struct route routes[] = {
    ROW("teams.channels.messages.delta", GET, (GRAPH(CHANNEL "/messages/delta()")), messages_delta,
        RISK_READ, .scopes = CHANNEL_MESSAGES, PARAMS(channel_params), LIST,
        .summary = "Which messages of a channel have changed since a token"),
    ROW("teams.replies.delta", GET, (GRAPH(CHANNEL "/messages/{chatMessage-id}/replies/delta()")),
        messages_delta, RISK_READ, .scopes = CHANNEL_MESSAGES, PARAMS(reply_params), LIST,
        .summary = "Which replies to a message have changed since a token"),
    ROW("teams.chats.messages.delta", GET, (CHAT_PATHS("/messages/delta()")), messages_delta,
        RISK_READ, .scopes = CHAT_READ, PARAMS(chat_params), LIST,
        .summary = "Which messages of a chat have changed since a token"),
    ROW("teams.chats.getAllMessages", GET, (GRAPH_MY("/chats/getAllMessages()")), get_all,
        RISK_READ, .scopes = CHAT_READ, PARAMS(chat_all), LIST,
        .summary = "All messages of somebody's chats, for apps"),
    ROW("teams.channels.getAllMessages", GET, (GRAPH(TEAM "/channels/getAllMessages()")), get_all,
        RISK_READ, .scopes = CHANNEL_MESSAGES, PARAMS(team_all), LIST,
        .summary = "All messages of a team's channels, for apps"),
};
const struct rows teams_delta_rows = ROWS(routes);
