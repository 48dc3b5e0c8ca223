/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of channels and chats: lists, replies, posting, changes, reactions (MG-123 to 133). */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/blob/blob.h"
#include "engine/text/civil.h"
#include "services/chat/teams/quote.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"

enum { MOST_REPLIES = 1000 };

static bool in_chat(const struct call *c)
{
    return param_str(c, "chat-id") != NULL;
}

static int open_place(struct call *c, struct teams_at *at, bool write)
{
    if ((write ? teams_open_write(c, at) : teams_open(c, at)) < 0)
        return -1;
    return in_chat(c) ? teams_chat(at) : teams_channel(at);
}

/* The first message of the thread of at->message; NULL: it is one, or in no thread. 0, -1. */
static int root_of(struct teams_at *at, struct chat_message *root, const struct chat_message **ret)
{
    const struct chat_message *m = &at->message;
    *ret = NULL;
    if (!m->thread || m->thread == m->id)
        return 0;
    if (chat_message_get(&at->c->tx, m->thread, root) != 1)
        return -1;
    *ret = root;
    return 0;
}

/* ---- lists of a channel ---- */

struct page {
    struct teams_writing *g;
    const struct odata_expand *replies;
    const struct chat_message *root;
    int64_t top, n;
    int64_t oldest_us; /* nothing older is shown */
    int64_t last_us;   /* of the last one of the page */
    bool counts, more;
    int rc;
};

static int list_replies(struct page *p, const struct chat_message *root);

/* One of the page, newest first. */
static int take(void *arg, const struct chat_message *m, const struct record *row)
{
    struct page *p = arg;
    (void)row;
    if (m->ts_us < p->oldest_us)
        return 1;
    if (p->n == p->top) {
        p->more = true;
        return 1;
    }
    p->n++;
    p->last_us = m->ts_us;
    if (p->counts)
        return 0;
    json_obj(p->g->at->c->out, NULL);
    p->rc = teams_write_message(p->g, m, p->root);
    if (p->rc == 0 && p->replies)
        p->rc = list_replies(p, m);
    json_end(p->g->at->c->out);
    return p->rc < 0;
}

/* $expand=replies */
static int list_replies(struct page *p, const struct chat_message *root)
{
    struct json_writer *w = p->g->at->c->out;
    struct chat_range range = {.channel = p->g->at->channel.id,
                               .thread = root->id,
                               .oldest_us = root->ts_us,
                               .latest_us = INT64_MAX};
    struct chat_message first = *root;
    struct page of = {.g = p->g, .root = &first, .top = MOST_REPLIES, .counts = true};
    struct arena *a = p->g->at->c->tx.arena;
    json_str(w, "replies@odata.context",
             arena_printf(a, "https://" GRAPH_HOST "/v1.0/$metadata#%s('%lld')/replies",
                          teams_place(p->g->at), (long long)teams_message_ms(root->ts_us)));
    if (root->replies && chat_messages(&p->g->at->c->tx, &range, take, &of) < 0)
        return -1;
    json_int(w, "replies@odata.count", of.n);
    of.counts = false;
    of.n = 0;
    json_arr(w, "replies");
    if (root->replies && (chat_messages(&p->g->at->c->tx, &range, take, &of) < 0 || of.rc < 0))
        return -1;
    json_end(w);
    return 0;
}

/* Answers with a stretch of the channel: a page that goes on before `before_us` (0: from the end).
 */
static int answer_range(struct teams_at *at, const struct odata_query *q, int64_t thread,
                        const struct chat_message *root, const char *where, int64_t oldest_us,
                        int64_t latest_us)
{
    struct call *c = at->c;
    int64_t before = teams_skiptoken(c, "teams messages");
    struct chat_range range = {.channel = at->channel.id, .thread = thread, .latest_us = INT64_MAX};
    struct teams_writing g;
    struct page p = {.g = &g, .root = root, .counts = true, .oldest_us = oldest_us};
    if (before < 0 || teams_top(c, q, TEAMS_PAGE, &p.top) < 0 || teams_writing(at, &g) < 0)
        return -1;
    p.replies = odata_expands(q, "replies");
    range.latest_us = before ? before : latest_us;
    range.oldest_us = root ? root->ts_us : -1;
    if (chat_messages(&c->tx, &range, take, &p) < 0 || graph_select(c, q, ODATA_KEEP_ID, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", where, odata_context(c->tx.arena, q));
    json_int(c->out, "@odata.count", p.n);
    if (p.more && p.n)
        json_str(c->out, "@odata.nextLink", teams_next(c, "teams messages", p.last_us));
    json_arr(c->out, "value");
    p.counts = false;
    p.n = 0;
    if (chat_messages(&c->tx, &range, take, &p) < 0 || p.rc < 0)
        return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int channel_list(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    return open_place(c, &at, false) < 0 ||
                   teams_options(c, "chatMessage", "$top $expand $select", &q) < 0
               ? -1
               : answer_range(&at, &q, 0, NULL, teams_place(&at), 0, INT64_MAX);
}

static int replies_list(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    if (open_place(c, &at, false) < 0 || teams_message(&at) < 0 ||
        teams_options(c, "chatMessage", "$top $select", &q) < 0)
        return -1;
    const char *where = arena_printf(c->tx.arena, "%s('%lld')/replies", teams_place(&at),
                                     (long long)teams_message_ms(at.message.ts_us));
    struct chat_message root = at.message;
    return answer_range(&at, &q, root.id, &root, where, 0, INT64_MAX);
}

/* ---- lists of a chat: by the last change, or by when they were written (MG-126) ---- */

struct order {
    bool created;
    int64_t after_us, before_us; /* exclusive */
};

static int no_filter(struct call *c, const char *name, const char *kind)
{
    return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                     "The entity property '%s' and operationKind '%s' is not allowed in $filter "
                     "query.",
                     name, kind);
}

static int read_term(struct call *c, const struct odata_expr *term, struct order *o)
{
    static const char *const kinds[] = {
        [ODATA_EQ] = "Equal",       [ODATA_NE] = "NotEqual",
        [ODATA_GT] = "GreaterThan", [ODATA_GE] = "GreaterThanOrEqual",
        [ODATA_LT] = "LessThan",    [ODATA_LE] = "LessThanOrEqual"};
    const struct odata_value *v;
    const struct odata_path *path;
    enum odata_op op;
    if (!odata_compared(term, &path, &op, &v) || v->kind != ODATA_TIME)
        return teams_bad(c, "Invalid filter clause.");
    if (strcmp(path->text, o->created ? "createdDateTime" : "lastModifiedDateTime") != 0)
        return 0; /* passed over */
    if (op != ODATA_LT && (op != ODATA_GT || o->created))
        return no_filter(c, path->text, op <= ODATA_LE && kinds[op] ? kinds[op] : "Has");
    if (op == ODATA_LT)
        o->before_us = v->number;
    else
        o->after_us = v->number;
    return 0;
}

static int read_order(struct call *c, const struct odata_query *q, struct order *ret)
{
    const struct odata_expr *const *terms;
    *ret = (struct order){.after_us = INT64_MIN, .before_us = INT64_MAX};
    if (q->n_order) {
        const struct odata_expr *by = q->order[0].by;
        const char *name = by->op == ODATA_PATH ? by->path->text : "";
        ret->created = strcmp(name, "createdDateTime") == 0;
        if (q->n_order > 1 || (!ret->created && strcmp(name, "lastModifiedDateTime") != 0))
            return teams_bad(c, "The query specified in the URI is not valid.");
        if (!q->order[0].descending)
            return teams_bad(c, "QueryOptions to order by ascending is not supported.");
    }
    if (!q->filter || !q->n_order) /* without an order a filter is passed over */
        return 0;
    const size_t n = odata_terms(c->tx.arena, q->filter, &terms);
    for (size_t i = 0; i < n; i++)
        if (read_term(c, terms[i], ret) < 0)
            return -1;
    return 0;
}

/* The ids of a page, with one more if there are more. */
static int changed_page(struct teams_at *at, const struct order *o, int64_t oldest_us, int64_t top,
                        int64_t from, int64_t *ids, size_t *n)
{
    static struct sql_text q = SQL_TEXT(
        "select message from teams_change where channel = :channel and modified_us < :before and "
        "modified_us > :after and modified_us >= :oldest order by modified_us desc, message desc "
        "limit :limit offset :from");
    sqlite3_stmt *st = TX_QUERY(&at->c->tx, &q, at->channel.id, o->before_us, o->after_us,
                                oldest_us, top + 1, from);
    int r = st ? 1 : -1;
    *n = 0;
    while (r == 1 && (r = TX_STEP(&at->c->tx, st)) == 1)
        ids[(*n)++] = sqlite3_column_int64(st, 0);
    return r;
}

static int answer_changed(struct teams_at *at, const struct odata_query *q, const struct order *o,
                          int64_t oldest_us)
{
    struct call *c = at->c;
    int64_t from = teams_skiptoken(c, "teams chat messages"), top, ids[TEAMS_MAX_PAGE + 1];
    struct teams_writing g;
    size_t n;
    if (from < 0 || teams_top(c, q, TEAMS_PAGE, &top) < 0 || teams_writing(at, &g) < 0 ||
        changed_page(at, o, oldest_us, top, from, ids, &n) < 0 ||
        graph_select(c, q, ODATA_KEEP_ID, true) < 0)
        return -1;
    const bool more = (int64_t)n > top;
    n -= more;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", teams_place(at), odata_context(c->tx.arena, q));
    json_int(c->out, "@odata.count", (int64_t)n);
    if (more && n)
        json_str(c->out, "@odata.nextLink",
                 teams_next(c, "teams chat messages", from + (int64_t)n));
    json_arr(c->out, "value");
    for (size_t i = 0; i < n; i++) {
        struct chat_message m;
        if (chat_message_get(&c->tx, ids[i], &m) != 1)
            return -1;
        json_obj(c->out, NULL);
        if (teams_write_message(&g, &m, NULL) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int chat_list(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    struct order o;
    if (open_place(c, &at, false) < 0 ||
        teams_options(c, "chatMessage", "$top $filter $orderby $select", &q) < 0 ||
        read_order(c, &q, &o) < 0)
        return -1;
    const int64_t oldest = at.app ? 0 : teams_history(c->tx.arena, &at.channel, &at.me);
    return o.created ? answer_range(&at, &q, 0, NULL, teams_place(&at), oldest, o.before_us)
                     : answer_changed(&at, &q, &o, oldest);
}

/* ---- one ---- */

static int answer_message(struct teams_at *at, const struct odata_query *q, bool history)
{
    struct call *c = at->c;
    const struct chat_message *root;
    struct chat_message first;
    struct teams_writing g;
    if (root_of(at, &first, &root) < 0 || teams_writing(at, &g) < 0 ||
        (q && graph_select(c, q, ODATA_KEEP_ID, false) < 0))
        return -1;
    g.history = history;
    g.one = true;
    json_obj(c->out, NULL);
    const char *of = root ? arena_printf(c->tx.arena, "('%lld')/replies",
                                         (long long)teams_message_ms(root->ts_us))
                          : "";
    graph_context(c, "%s%s%s/$entity", teams_place(at), of, q ? odata_context(c->tx.arena, q) : "");
    struct page p = {.g = &g};
    int r = teams_write_message(&g, &at->message, root);
    g.one = false;
    if (r == 0 && q && odata_expands(q, "replies"))
        r = list_replies(&p, &at->message);
    json_end(c->out);
    return r;
}

static int message_get(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    return open_place(c, &at, false) < 0 || teams_message(&at) < 0 ||
                   teams_options(c, "chatMessage", "$select $expand", &q) < 0
               ? -1
               : answer_message(&at, &q, in_chat(c));
}

/* ---- posting ---- */

/* MG-133. */
static int may_post(struct teams_at *at)
{
    if (at->app && at->team.id)
        return call_fail(at->c, SOSIA_E_FORBIDDEN, "Unauthorized", NULL,
                         "Message POST is allowed in application-only context only for import "
                         "purposes. Refer to https://docs.microsoft.com/microsoftteams/platform/"
                         "graph-api/import-messages/import-external-messages-to-teams for more "
                         "details.");
    if (at->app)
        return call_fail(at->c, SOSIA_E_PRECONDITION, "PreconditionFailed", NULL,
                         "Requested API is not supported in application-only context");
    return teams_is_open(at);
}

static int post(struct call *c, bool reply, bool quote)
{
    const struct json *body;
    struct teams_at at;
    if (open_place(c, &at, true) < 0 || (reply && teams_message(&at) < 0) || may_post(&at) < 0 ||
        !(body = call_body(c)) || (quote && teams_quote(&at, body, &body) < 0))
        return -1;
    const int64_t thread = reply ? at.message.id : 0, root_ms = teams_message_ms(at.message.ts_us);
    if (teams_post(&at, body, thread, &at.message) < 0)
        return -1;
    const char *own = arena_printf(c->tx.arena, "%s('%lld')", reply ? "/replies" : "",
                                   (long long)teams_message_ms(at.message.ts_us));
    const char *place = at.team.id
                            ? arena_printf(c->tx.arena, "teams('%s')/channels('%s')/messages",
                                           at.team.key, at.channel.key)
                            : arena_printf(c->tx.arena, "chats('%s')/messages", at.channel.key);
    c->status = 201;
    call_header(
        c, "Location",
        arena_printf(c->tx.arena, "https://teamsgraph.teams.microsoft.com/v1.0/%s%s%s", place,
                     reply ? arena_printf(c->tx.arena, "('%lld')", (long long)root_ms) : "", own));
    return answer_message(&at, NULL, false);
}

static int message_create(struct call *c)
{
    return post(c, false, false);
}

static int reply_create(struct call *c)
{
    return post(c, true, false);
}

static int quote_create(struct call *c)
{
    return post(c, false, true);
}

/* ---- changing ---- */

static int message_update(struct call *c)
{
    const struct json *body;
    struct teams_at at;
    if (open_place(c, &at, true) < 0 || teams_message(&at) < 0 || !(body = call_body(c)) ||
        teams_is_open(&at) < 0)
        return -1;
    if (at.app || at.message.user != at.me.id || at.message.subtype ||
        teams_was_deleted(&at.message))
        return graph_denied(c);
    if (at.team.id &&
        !teams_setting(&at.team, c->tx.arena, "messagingSettings", "allowUserEditMessages", true))
        return graph_denied(c);
    c->status = 204;
    return teams_edit(&at, body, &at.message);
}

/* Whose own it is may delete it, and bring it back. */
static int may_delete(struct teams_at *at)
{
    const bool own = at->me.id && at->message.user == at->me.id && !at->message.subtype;
    bool allowed = own;
    if (at->team.id && !own) {
        int r = teams_owns(at);
        if (r < 0)
            return -1;
        allowed = r && !at->app &&
                  teams_setting(&at->team, at->c->tx.arena, "messagingSettings",
                                "allowOwnerDeleteMessages", true);
    } else if (at->team.id) {
        allowed = teams_setting(&at->team, at->c->tx.arena, "messagingSettings",
                                "allowUserDeleteMessages", true);
    }
    return allowed ? 0 : graph_denied(at->c);
}

static int set_deleted(struct call *c, bool deleted)
{
    struct teams_at at;
    if (open_place(c, &at, true) < 0 || teams_message(&at) < 0 || may_delete(&at) < 0 ||
        teams_is_open(&at) < 0)
        return -1;
    struct chat_message before = at.message;
    const int64_t us = c->tx.now_us - c->tx.now_us % 1000;
    const char *number = arena_printf(c->tx.arena, "%lld", (long long)us);
    const struct json v = {.type = JSON_NUMBER, .str = number, .n = (uint32_t)strlen(number)};
    c->status = 204;
    if (teams_was_deleted(&at.message) == deleted)
        return 0;
    at.message.extra = teams_with(c->tx.arena, at.message.extra ? at.message.extra : "{}",
                                  "deletedDateTime", deleted ? &v : NULL);
    return teams_touched(&c->tx, &at.message, us) < 0
               ? -1
               : chat_message_save(&c->tx, &at.message, &before);
}

static int soft_delete(struct call *c)
{
    return set_deleted(c, true);
}

static int undo_delete(struct call *c)
{
    return set_deleted(c, false);
}

/* ---- reactions ---- */

/* The emoji, of which some have old names (MG-605). */
static int set_reaction(struct call *c, bool on)
{
    const struct json *body;
    struct teams_at at;
    if (open_place(c, &at, true) < 0 || teams_message(&at) < 0 || !(body = call_body(c)))
        return -1;
    const char *text = json_get_str(body, "reactionType");
    const char *emoji = text ? teams_emoji(text) : NULL;
    if (!emoji)
        return teams_bad(c, "Bad Request: reactionType must be an emoji.");
    if (!at.me.id || !teams_takes_reactions(&at.message))
        return graph_denied(c);
    if (teams_is_open(&at) < 0)
        return -1;
    const int64_t us = c->tx.now_us - c->tx.now_us % 1000;
    c->status = 204;
    if (teams_touched(&c->tx, &at.message, us) < 0)
        return -1;
    int r = on ? chat_react(&c->tx, &at.message, emoji, &at.me, c->tx.now_us / US_PER_SECOND)
               : chat_unreact(&c->tx, &at.message, emoji, &at.me);
    if (r < 0)
        return -1;
    return r == 0 ? chat_message_save(&c->tx, &at.message, NULL) : 0;
}

static int reaction_set(struct call *c)
{
    return set_reaction(c, true);
}

static int reaction_unset(struct call *c)
{
    return set_reaction(c, false);
}

/* ---- pictures ---- */

static int hosted_list(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("select key from teams_hosted where message = :message order by id");
    struct teams_at at;
    if (open_place(c, &at, false) < 0 || teams_message(&at) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, at.message.id);
    int r = st ? 1 : -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s('%lld')/hostedContents", teams_place(&at),
                  (long long)teams_message_ms(at.message.ts_us));
    json_arr(c->out, "value");
    while (r == 1 && (r = TX_STEP(&c->tx, st)) == 1) {
        json_obj(c->out, NULL);
        json_str(c->out, "id", tx_string(&c->tx, st, 0));
        json_null(c->out, "contentBytes");
        json_null(c->out, "contentType");
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int hosted_value(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("select blob, type from teams_hosted where message = :message and key = :key");
    struct teams_at at;
    sqlite3_stmt *st;
    const char *data;
    size_t n;
    if (open_place(c, &at, false) < 0 || teams_message(&at) < 0)
        return -1;
    int r = TX_ROW(&c->tx, &q, &st, at.message.id, param_str(c, "chatMessageHostedContent-id"));
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    const int64_t blob = sqlite3_column_int64(st, 0);
    const char *type = tx_string(&c->tx, st, 1);
    sql_done(st);
    if (blob_load(&c->tx, blob, &data, &n) < 0)
        return -1;
    call_header(c, "Content-Type", type);
    buf_add(c->body_out, data, n);
    return 0;
}

/* ---- rows ---- */

#define MESSAGES "/messages"
#define MESSAGE  MESSAGES "/{chatMessage-id}"
#define REPLY    MESSAGE "/replies/{chatMessage-id1}"
#define IN_CHANNEL(...)                                                                            \
    {                                                                                              \
        PATH_PARAM("team-id"), PATH_PARAM("channel-id"), __VA_ARGS__                               \
    }
#define IN_CHAT(...)                                                                               \
    {                                                                                              \
        PATH_PARAM("chat-id"), USER_PARAM, __VA_ARGS__                                             \
    }
#define ID     PATH_PARAM("chatMessage-id")
#define LISTED OPTION("$select"), OPTION("$skiptoken"), OPTION("$top")

static const struct param channel_all[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id")};
static const struct param channel_page[] = IN_CHANNEL(OPTION("$expand"), LISTED);
static const struct param channel_one[] = IN_CHANNEL(ID);
static const struct param channel_get[] = IN_CHANNEL(ID, OPTION("$expand"), OPTION("$select"));
static const struct param channel_replies[] = IN_CHANNEL(ID, LISTED);
static const struct param channel_reply[] = IN_CHANNEL(ID, PATH_PARAM("chatMessage-id1"));
static const struct param channel_picture[] =
    IN_CHANNEL(ID, PATH_PARAM("chatMessageHostedContent-id"));
static const struct param channel_reply_picture[] =
    IN_CHANNEL(ID, PATH_PARAM("chatMessage-id1"), PATH_PARAM("chatMessageHostedContent-id"));
static const struct param channel_reply_get[] =
    IN_CHANNEL(ID, PATH_PARAM("chatMessage-id1"), OPTION("$select"));
static const struct param chat_all[] = {PATH_PARAM("chat-id"), USER_PARAM};
static const struct param chat_page[] = IN_CHAT(OPTION("$filter"), OPTION("$orderby"), LISTED);
static const struct param chat_one[] = IN_CHAT(ID);
static const struct param chat_get[] = IN_CHAT(ID, OPTION("$select"));
static const struct param chat_picture[] = IN_CHAT(ID, PATH_PARAM("chatMessageHostedContent-id"));

#define TYPE     "microsoft.graph.chatMessage"
#define LIST     .response = TYPE "CollectionResponse"
#define ONE      .response = TYPE
#define BODY     .body = BODY_JSON, .request = TYPE
#define REACTION .body = BODY_JSON, .request = TYPE ".reaction", .status = 204, .idempotent = true
#define PICTURES .response = TYPE "HostedContentCollectionResponse"

static const struct route routes[] = {
    ROW("teams.channels.messages.list", GET, (GRAPH(CHANNEL MESSAGES)), channel_list, RISK_READ,
        .scopes = CHANNEL_MESSAGES, PARAMS(channel_page), LIST,
        .summary = "Lists the messages of a channel, newest first, without replies"),
    ROW("teams.channels.messages.get", GET, (GRAPH(CHANNEL MESSAGE)), message_get, RISK_READ,
        .scopes = CHANNEL_MESSAGES, PARAMS(channel_get), ONE, .summary = "A message of a channel"),
    ROW("teams.channels.messages.create", POST, (GRAPH(CHANNEL MESSAGES)), message_create,
        RISK_WRITE, .scopes = CHANNEL_SEND, PARAMS(channel_all), BODY, ONE, .status = 201,
        .summary = "Posts a message in a channel"),
    ROW("teams.channels.messages.update", PATCH, (GRAPH(CHANNEL MESSAGE)), message_update,
        RISK_WRITE, .scopes = CHANNEL_EDIT, PARAMS(channel_one), BODY, .status = 204,
        .summary = "Changes one's message"),
    ROW("teams.channels.messages.softDelete", POST, (GRAPH(CHANNEL MESSAGE "/softDelete")),
        soft_delete, RISK_DESTRUCTIVE, .scopes = CHANNEL_EDIT, PARAMS(channel_one), .status = 204,
        .summary = "Deletes a message"),
    ROW("teams.channels.messages.undoSoftDelete", POST, (GRAPH(CHANNEL MESSAGE "/undoSoftDelete")),
        undo_delete, RISK_WRITE, .scopes = CHANNEL_EDIT, PARAMS(channel_one), .status = 204,
        .summary = "Brings a deleted message back"),
    ROW("teams.channels.messages.setReaction", POST, (GRAPH(CHANNEL MESSAGE "/setReaction")),
        reaction_set, RISK_WRITE, .scopes = CHANNEL_SEND, PARAMS(channel_one), REACTION,
        .summary = "Reacts to a message with an emoji"),
    ROW("teams.channels.messages.unsetReaction", POST, (GRAPH(CHANNEL MESSAGE "/unsetReaction")),
        reaction_unset, RISK_WRITE, .scopes = CHANNEL_SEND, PARAMS(channel_one), REACTION,
        .summary = "Takes a reaction back"),
    ROW("teams.channels.messages.hostedContents.list", GET,
        (GRAPH(CHANNEL MESSAGE "/hostedContents")), hosted_list, RISK_READ,
        .scopes = CHANNEL_MESSAGES, PARAMS(channel_one), PICTURES,
        .summary = "Lists the pictures in a message"),
    ROW("teams.channels.messages.hostedContents.value", GET,
        (GRAPH(CHANNEL MESSAGE "/hostedContents/{chatMessageHostedContent-id}/$value")),
        hosted_value, RISK_READ, .scopes = CHANNEL_MESSAGES, PARAMS(channel_picture),
        .gives = "image/png", .summary = "A picture in a message"),
    ROW("teams.replies.list", GET, (GRAPH(CHANNEL MESSAGE "/replies")), replies_list, RISK_READ,
        .scopes = CHANNEL_MESSAGES, PARAMS(channel_replies), LIST,
        .summary = "Lists the replies to a message, newest first"),
    ROW("teams.replies.get", GET, (GRAPH(CHANNEL REPLY)), message_get, RISK_READ,
        .scopes = CHANNEL_MESSAGES, PARAMS(channel_reply_get), ONE, .summary = "A reply"),
    ROW("teams.replies.create", POST, (GRAPH(CHANNEL MESSAGE "/replies")), reply_create, RISK_WRITE,
        .scopes = CHANNEL_SEND, PARAMS(channel_one), BODY, ONE, .status = 201,
        .summary = "Replies to a message"),
    ROW("teams.replies.update", PATCH, (GRAPH(CHANNEL REPLY)), message_update, RISK_WRITE,
        .scopes = CHANNEL_EDIT, PARAMS(channel_reply), BODY, .status = 204,
        .summary = "Changes one's reply"),
    ROW("teams.replies.softDelete", POST, (GRAPH(CHANNEL REPLY "/softDelete")), soft_delete,
        RISK_DESTRUCTIVE, .scopes = CHANNEL_EDIT, PARAMS(channel_reply), .status = 204,
        .summary = "Deletes a reply"),
    ROW("teams.replies.undoSoftDelete", POST, (GRAPH(CHANNEL REPLY "/undoSoftDelete")), undo_delete,
        RISK_WRITE, .scopes = CHANNEL_EDIT, PARAMS(channel_reply), .status = 204,
        .summary = "Brings a deleted reply back"),
    ROW("teams.replies.setReaction", POST, (GRAPH(CHANNEL REPLY "/setReaction")), reaction_set,
        RISK_WRITE, .scopes = CHANNEL_SEND, PARAMS(channel_reply), REACTION,
        .summary = "Reacts to a reply with an emoji"),
    ROW("teams.replies.unsetReaction", POST, (GRAPH(CHANNEL REPLY "/unsetReaction")),
        reaction_unset, RISK_WRITE, .scopes = CHANNEL_SEND, PARAMS(channel_reply), REACTION,
        .summary = "Takes a reaction to a reply back"),
    ROW("teams.replies.hostedContents.value", GET,
        (GRAPH(CHANNEL REPLY "/hostedContents/{chatMessageHostedContent-id}/$value")), hosted_value,
        RISK_READ, .scopes = CHANNEL_MESSAGES, PARAMS(channel_reply_picture), .gives = "image/png",
        .summary = "A picture in a reply"),
    ROW("teams.chats.messages.list", GET, (CHAT_PATHS(MESSAGES)), chat_list, RISK_READ,
        .scopes = CHAT_READ, PARAMS(chat_page), LIST,
        .summary = "Lists the messages of a chat, the last changed ones first"),
    ROW("teams.chats.messages.get", GET, (CHAT_PATHS(MESSAGE)), message_get, RISK_READ,
        .scopes = CHAT_READ, PARAMS(chat_get), ONE, .summary = "A message of a chat"),
    ROW("teams.chats.messages.create", POST, (CHAT_PATHS(MESSAGES)), message_create, RISK_WRITE,
        .scopes = CHAT_SEND, PARAMS(chat_all), BODY, ONE, .status = 201,
        .summary = "Writes a message in a chat"),
    ROW("teams.chats.messages.replyWithQuote", POST, (CHAT_PATHS(MESSAGES "/replyWithQuote")),
        quote_create, RISK_WRITE, .scopes = CHAT_SEND, PARAMS(chat_all), .body = BODY_JSON,
        .request = "microsoft.graph.chatMessage.replyWithQuote", ONE, .status = 201,
        .summary = "Answers messages of a chat, which the answer quotes"),
    ROW("teams.chats.messages.update", PATCH, (CHAT_PATHS(MESSAGE)), message_update, RISK_WRITE,
        .scopes = CHAT_WRITE, PARAMS(chat_one), BODY, .status = 204,
        .summary = "Changes one's message of a chat"),
    ROW("teams.chats.messages.softDelete", POST, (CHAT_PATHS(MESSAGE "/softDelete")), soft_delete,
        RISK_DESTRUCTIVE, .scopes = CHAT_WRITE, PARAMS(chat_one), .status = 204,
        .summary = "Deletes one's message of a chat"),
    ROW("teams.chats.messages.undoSoftDelete", POST, (CHAT_PATHS(MESSAGE "/undoSoftDelete")),
        undo_delete, RISK_WRITE, .scopes = CHAT_WRITE, PARAMS(chat_one), .status = 204,
        .summary = "Brings one's deleted message of a chat back"),
    ROW("teams.chats.messages.setReaction", POST, (CHAT_PATHS(MESSAGE "/setReaction")),
        reaction_set, RISK_WRITE, .scopes = CHAT_SEND, PARAMS(chat_one), REACTION,
        .summary = "Reacts to a message of a chat with an emoji"),
    ROW("teams.chats.messages.unsetReaction", POST, (CHAT_PATHS(MESSAGE "/unsetReaction")),
        reaction_unset, RISK_WRITE, .scopes = CHAT_SEND, PARAMS(chat_one), REACTION,
        .summary = "Takes a reaction to a message of a chat back"),
    ROW("teams.chats.messages.hostedContents.list", GET, (CHAT_PATHS(MESSAGE "/hostedContents")),
        hosted_list, RISK_READ, .scopes = CHAT_READ, PARAMS(chat_one), PICTURES,
        .summary = "Lists the pictures in a message of a chat"),
    ROW("teams.chats.messages.hostedContents.value", GET,
        (CHAT_PATHS(MESSAGE "/hostedContents/{chatMessageHostedContent-id}/$value")), hosted_value,
        RISK_READ, .scopes = CHAT_READ, PARAMS(chat_picture), .gives = "image/png",
        .summary = "A picture in a message of a chat"),
};
const struct rows teams_message_rows = ROWS(routes);
