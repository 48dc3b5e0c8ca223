/* SPDX-License-Identifier: Apache-2.0 */
/* Chats: of two people, who have one, and of several (MG-121, 122, 464, 469, 475, 601). */
#include "engine/text/civil.h"
#include "services/chat/core/ask.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"
#include <stdlib.h>
#include <strings.h>

enum { MOST_MEMBERS = 250, MAX_TOPIC = 250 };

/* ---- lists ---- */

struct entry {
    struct chat_channel ch;
    int64_t at_us;
    bool open;
};

struct listing {
    struct teams_at *at;
    struct entry *list;
    size_t n, cap;
    int rc;
};

static int get_chat_member(void *arg, struct arena *a, const void *thing,
                           const struct odata_path *path, struct odata_value *ret)
{
    const struct entry *e = thing;
    (void)arg;
    (void)a;
    if (strcmp(path->text, "topic") == 0)
        *ret = odata_string(*e->ch.topic ? e->ch.topic : NULL);
    else if (strcmp(path->text, "chatType") == 0)
        *ret = odata_enum(teams_chat_type(&e->ch));
    else if (strcmp(path->text, "id") == 0)
        *ret = odata_string(e->ch.key);
    else if (strcmp(path->text, "createdDateTime") == 0)
        *ret = odata_time(e->ch.created_s * US_PER_SECOND);
    else if (strcmp(path->text, "lastUpdatedDateTime") == 0)
        *ret = odata_time(e->at_us);
    else if (strcmp(path->text, "viewpoint/isHidden") == 0)
        *ret = odata_bool(!e->open);
    else
        return 0;
    return 1;
}

static int take_chat(void *arg, const struct chat_channel *ch)
{
    struct listing *l = arg;
    struct chat_member m = {.open = true};
    if (ch->kind < CHAT_DIRECT || ch->workspace != l->at->workspace.id || teams_is_deleted(ch))
        return 0;
    if (l->at->me.id && chat_member_of(&l->at->c->tx, ch->id, l->at->me.id, &m) < 0)
        return l->rc = -1;
    if (!(l->list = arena_grow(l->at->c->tx.arena, l->list, l->n, &l->cap, sizeof *l->list)))
        return l->rc = sosia_fail_memory(l->at->c->tx.err);
    l->list[l->n++] =
        (struct entry){*ch, ch->last_us > ch->updated_us ? ch->last_us : ch->updated_us, m.open};
    return 0;
}

/* The last that something happened in first. */
static int by_change(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    return a->at_us > b->at_us ? -1 : a->at_us < b->at_us ? 1 : a->ch.id > b->ch.id ? -1 : 1;
}

static int chats_list(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    struct listing l = {.at = &at};
    int64_t from, top;
    size_t kept = 0;
    if (teams_open(c, &at) < 0 ||
        teams_options(c, "chat", "$select $filter $expand $top $orderby", &q) < 0 ||
        (from = teams_skiptoken(c, "teams chats")) < 0 || teams_top(c, &q, TEAMS_PAGE, &top) < 0)
        return -1;
    struct odata_ctx ctx = {.arena = c->tx.arena, .get = get_chat_member, .now_us = c->tx.now_us};
    if (at.me.id &&
        (chat_channels(&c->tx, at.workspace.id, at.me.id, NULL, take_chat, &l) < 0 || l.rc < 0))
        return -1;
    for (size_t i = 0; i < l.n; i++) {
        int r = odata_matches(&ctx, q.filter, &l.list[i]);
        if (r < 0)
            return -1;
        if (r)
            l.list[kept++] = l.list[i];
    }
    if (kept)
        qsort(l.list, kept, sizeof *l.list, by_change);
    if (graph_select(c, &q, ODATA_KEEP_ID, true) < 0)
        return -1;
    const int64_t left = (int64_t)kept > from ? (int64_t)kept - from : 0;
    const int64_t n = left > top ? top : left;
    json_obj(c->out, NULL);
    graph_context(c, "chats%s", odata_context(c->tx.arena, &q));
    json_int(c->out, "@odata.count", n);
    if (left > n && n)
        json_str(c->out, "@odata.nextLink", teams_next(c, "teams chats", from + n));
    json_arr(c->out, "value");
    for (int64_t i = from; i < from + n; i++) {
        json_obj(c->out, NULL);
        if (teams_write_chat(&at, &l.list[i].ch, &q) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int answer_chat(struct teams_at *at, const struct odata_query *q)
{
    struct call *c = at->c;
    if (q && graph_select(c, q, ODATA_KEEP_ID, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "chats%s/$entity", q ? odata_context(c->tx.arena, q) : "");
    int r = teams_write_chat(at, &at->channel, q);
    json_end(c->out);
    return r;
}

static int chat_get(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    return teams_open(c, &at) < 0 || teams_chat(&at) < 0 ||
                   teams_options(c, "chat", "$select $expand", &q) < 0
               ? -1
               : answer_chat(&at, &q);
}

/* ---- making ---- */

struct guests {
    struct chat_user users[MOST_MEMBERS];
    enum chat_part parts[MOST_MEMBERS];
    size_t n;
    bool caller;
};

static int read_member(struct teams_at *at, const struct json *item, struct guests *g)
{
    const char *bind = json_get_str(item, "user@odata.bind");
    const struct json *roles = json_get(item, "roles");
    const char *role =
        roles && roles->type == JSON_ARRAY && roles->n && roles->items[0].type == JSON_STRING
            ? roles->items[0].str
            : "";
    struct ms_user user;
    struct chat_user *u = &g->users[g->n];
    const bool owner = strcasecmp(role, "owner") == 0, guest = strcasecmp(role, "guest") == 0;
    if (*role && !owner && !guest)
        return call_fail(at->c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "The passed-in role '%.40s' is not supported.", role);
    if (!*role)
        return teams_bad(at->c, "Invalid roles specified for member.");
    int r = bind ? teams_find_user(at, bind, &user) : 0;
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(at->c, SOSIA_E_INVALID, "BadRequest", NULL,
                                 "Invalid bind property name %s in request.", bind ? bind : "user");
    if (teams_person(at, &user, u) < 0)
        return -1;
    for (size_t i = 0; i < g->n; i++)
        if (g->users[i].id == u->id)
            return teams_bad(at->c, "Duplicate chat members is specified in the request body.");
    g->caller |= u->id == at->me.id;
    g->parts[g->n++] = owner ? CHAT_PART_OWNER : CHAT_PART_GUEST;
    return 0;
}

static int read_members(struct teams_at *at, const struct json *body, struct guests *g)
{
    const struct json *list = json_get(body, "members");
    if (!list || list->type != JSON_ARRAY || !list->n || list->n > MOST_MEMBERS)
        return teams_bad(at->c, "Invalid number of members in the request.");
    for (uint32_t i = 0; i < list->n; i++)
        if (read_member(at, &list->items[i], g) < 0)
            return -1;
    return at->app || g->caller
               ? 0
               : call_fail(at->c, SOSIA_E_FORBIDDEN, "Forbidden", NULL,
                           "The caller must be one of the members specified in request body.");
}

static int add_chat(struct teams_at *at, const struct guests *g)
{
    at->channel.workspace = at->workspace.id;
    at->channel.creator = at->me.id;
    at->channel.created_s = at->c->tx.now_us / US_PER_SECOND;
    at->channel.updated_us = at->c->tx.now_us;
    at->channel.purpose = "";
    at->channel.posting = "all";
    at->channel.previous_names = "[]";
    if (chat_channel_add(&at->c->tx, &at->channel) < 0)
        return -1;
    for (size_t i = 0; i < g->n; i++)
        if (chat_member_add(&at->c->tx, &at->channel, g->users[i].id, at->me.id) < 0 ||
            chat_member_part(&at->c->tx, at->channel.id, g->users[i].id, g->parts[i]) < 0)
            return -1;
    return 0;
}

/* The chat of two, which they have once: the one that is there is given again (MG-122). */
static int pair_chat(struct teams_at *at, const struct guests *g)
{
    int64_t ids[2] = {g->users[0].id, g->users[g->n - 1].id};
    if (g->n != 2 || g->parts[0] != CHAT_PART_OWNER || g->parts[1] != CHAT_PART_OWNER)
        return teams_bad(at->c, "One on one chats require 2 members with the role owner.");
    const char *pair = chat_pair(&at->c->tx, ids, 2);
    if (!pair)
        return sosia_fail_memory(at->c->tx.err);
    int r = chat_channel_by_pair(&at->c->tx, at->workspace.id, pair, &at->channel);
    if (r)
        return r < 0 ? -1 : 0;
    at->channel =
        (struct chat_channel){.kind = CHAT_DIRECT,
                              .key = teams_pair_key(&at->c->tx, g->users[0].key, g->users[1].key),
                              .pair = pair,
                              .topic = ""};
    return add_chat(at, g);
}

static int chat_create(struct call *c)
{
    const struct json *body;
    struct teams_at at;
    struct guests *g = arena_calloc(c->tx.arena, 1, sizeof *g);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (teams_open_write(c, &at) < 0 || !(body = call_body(c)))
        return -1;
    const char *type = json_get_str(body, "chatType"), *topic = json_get_str(body, "topic");
    const bool group = type && strcmp(type, "group") == 0;
    if (!type || (!group && strcmp(type, "oneOnOne") != 0))
        return teams_bad(c, "Invalid chat type specified in the request body.");
    if (topic && (!group || strlen(topic) > MAX_TOPIC || strchr(topic, ':')))
        return teams_bad(c, group ? "Invalid topic specified in the request body."
                                  : "Topic is not supported for one on one chats.");
    if (read_members(&at, body, g) < 0)
        return -1;
    c->status = 201;
    if (!group) {
        if (pair_chat(&at, g) < 0)
            return -1;
    } else {
        at.channel = (struct chat_channel){
            .kind = CHAT_GROUP, .topic = topic ? topic : "", .topic_by = at.me.id};
        if (add_chat(&at, g) < 0)
            return -1;
    }
    call_header(c, "Location",
                arena_printf(c->tx.arena, "https://teamsgraph.teams.microsoft.com/v1.0/chats('%s')",
                             at.channel.key));
    return answer_chat(&at, NULL);
}

static int chat_update(struct call *c)
{
    static const char *const changed[] = {"topic", NULL};
    const struct json *body;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_chat(&at) < 0 || !(body = call_body(c)))
        return -1;
    const char *topic = json_get_str(body, "topic");
    if (at.channel.kind == CHAT_DIRECT)
        return teams_bad(c, "Topic is not supported for one on one chats.");
    if (!topic || strlen(topic) > MAX_TOPIC || strchr(topic, ':'))
        return teams_bad(c, "Invalid topic specified in the request body.");
    at.channel.topic = topic;
    at.channel.topic_by = at.me.id;
    at.channel.topic_s = c->tx.now_us / US_PER_SECOND;
    if (chat_channel_save(&c->tx, &at.channel, changed) < 0 ||
        teams_note(
            &at, &at.channel, "chatRenamedEventMessageDetail",
            arena_printf(c->tx.arena, "\"chatId\":\"%s\",\"chatDisplayName\":%s", at.channel.key,
                         json_to_text(c->tx.arena, &(struct json){.type = JSON_STRING,
                                                                  .str = topic,
                                                                  .n = (uint32_t)strlen(topic)}))) <
            0)
        return -1;
    return answer_chat(&at, NULL);
}

static int chat_delete(struct call *c)
{
    static const char *const changed[] = {"archived", "properties", NULL};
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_chat(&at) < 0)
        return -1;
    at.channel.properties =
        teams_with_text(c->tx.arena, at.channel.properties ? at.channel.properties : "{}",
                        "deletedDateTime", graph_date(c->tx.arena, c->tx.now_us, 0));
    at.channel.archived = true;
    c->status = 204;
    return chat_channel_save(&c->tx, &at.channel, changed);
}

/* ---- read, unread, hidden ---- */

/* The caller's own identity, which the body must name whole (MG-601). */
static int read_identity(struct teams_at *at, const struct json *body, struct chat_member *ret)
{
    const struct json *user = json_get(body, "user");
    const char *id = user ? json_get_str(user, "id") : NULL;
    const char *tenant = user ? json_get_str(user, "tenantId") : NULL;
    struct chat_user u;
    if (!id || !tenant || strcasecmp(tenant, at->tenant.guid) != 0)
        return teams_bad(at->c, "Invalid user identity in the request body.");
    int r = chat_user_find(&at->c->tx, at->workspace.id, id, &u);
    if (r == 1 && !at->app && u.id != at->me.id)
        return graph_denied(at->c);
    if (r == 1)
        r = chat_member_of(&at->c->tx, at->channel.id, u.id, ret);
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(at->c);
}

enum act { READ, UNREAD, HIDE, SHOW };

static int act_on(struct call *c, enum act act)
{
    const struct json *body;
    struct chat_member m;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_chat(&at) < 0 || !(body = call_body(c)) ||
        read_identity(&at, body, &m) < 0)
        return -1;
    const char *since = json_get_str(body, "lastMessageReadDateTime");
    int64_t us = act == READ ? at.channel.last_us : 0;
    if (since && (teams_read_time(since, &us) < 0 || us > CHAT_LAST_INSTANT))
        return teams_bad(c, "Invalid lastMessageReadDateTime in the request body.");
    c->status = 204;
    return act == HIDE || act == SHOW ? chat_member_open(&c->tx, at.channel.id, m.user, act == SHOW)
                                      : chat_member_read(&c->tx, m.id, us < 0 ? 0 : us);
}

static int mark_read(struct call *c)
{
    return act_on(c, READ);
}

static int mark_unread(struct call *c)
{
    return act_on(c, UNREAD);
}

static int hide(struct call *c)
{
    return act_on(c, HIDE);
}

static int unhide(struct call *c)
{
    return act_on(c, SHOW);
}

/* ---- pins ---- */

/* The pinned messages that the caller sees. 0, -1. */
static int shown_pins(struct teams_at *at, struct chat_message **ret, size_t *ret_n)
{
    struct tx *tx = &at->c->tx;
    struct chat_pinned *pins;
    size_t n = 0, n_pins;
    if (chat_pins(tx, at->channel.id, &pins, &n_pins) < 0)
        return -1;
    struct chat_message *list = arena_alloc(tx->arena, (n_pins + 1) * sizeof *list);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n_pins; i++) {
        if (chat_message_get(tx, pins[i].message, &list[n]) != 1)
            return -1;
        n += teams_is_shown(at, &at->channel, &list[n]);
    }
    *ret = list;
    *ret_n = n;
    return 0;
}

static int pins_list(struct call *c)
{
    struct chat_message *list;
    size_t n;
    struct odata_query o;
    struct teams_writing g;
    struct teams_at at;
    if (teams_open(c, &at) < 0 || teams_chat(&at) < 0 ||
        teams_options(c, "pinnedChatMessageInfo", "$expand", &o) < 0 ||
        teams_writing(&at, &g) < 0 || shown_pins(&at, &list, &n) < 0)
        return -1;
    const bool whole = odata_expands(&o, "message") != NULL;
    json_obj(c->out, NULL);
    graph_context(c, "chats%s/pinnedMessages%s", graph_key(c->tx.arena, at.channel.key),
                  odata_context(c->tx.arena, &o));
    json_int(c->out, "@odata.count", (int64_t)n);
    json_arr(c->out, "value");
    for (size_t i = 0; i < n; i++) {
        json_obj(c->out, NULL);
        json_str(c->out, "id",
                 arena_printf(c->tx.arena, "%lld", (long long)teams_message_ms(list[i].ts_us)));
        if (whole) {
            json_obj(c->out, "message");
            if (teams_write_message(&g, &list[i], NULL) < 0)
                return -1;
            json_end(c->out);
        }
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* The message that an id or an address of one names. 0, -1. */
static int pinned(struct teams_at *at, const char *text, struct chat_message *ret)
{
    const char *slash = text ? strrchr(text, '/') : NULL;
    const long long ms = strtoll(text ? slash ? slash + 1 : text : "", NULL, 10);
    int r = ms > 0 && ms <= CHAT_LAST_INSTANT / 1000
                ? chat_message_find(&at->c->tx, at->channel.id, ms * 1000, ret)
                : 0;
    if (r == 1 && !teams_is_shown(at, &at->channel, ret))
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(at->c);
}

static int pin_create(struct call *c)
{
    const struct json *body;
    struct chat_message m;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_chat(&at) < 0 || !(body = call_body(c)) ||
        pinned(&at, json_get_str(body, "message@odata.bind"), &m) < 0)
        return -1;
    if (chat_pin(&c->tx, &at.channel, &m, at.me.id, c->tx.now_us / US_PER_SECOND) < 0)
        return -1;
    c->status = 201;
    json_obj(c->out, NULL);
    graph_context(c, "chats%s/pinnedMessages/$entity", graph_key(c->tx.arena, at.channel.key));
    json_str(c->out, "id", arena_printf(c->tx.arena, "%lld", (long long)teams_message_ms(m.ts_us)));
    json_end(c->out);
    return 0;
}

static int pin_delete(struct call *c)
{
    struct chat_message m;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_chat(&at) < 0 ||
        pinned(&at, param_str(c, "pinnedChatMessageInfo-id"), &m) < 0)
        return -1;
    c->status = 204;
    int r = chat_unpin(&c->tx, &at.channel, &m, at.me.id);
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

/* ---- rows ---- */

static const struct param list_params[] = {
    USER_PARAM,        OPTION("$expand"),    OPTION("$filter"), OPTION("$orderby"),
    OPTION("$select"), OPTION("$skiptoken"), OPTION("$top")};
static const struct param get_params[] = {PATH_PARAM("chat-id"), USER_PARAM, OPTION("$expand"),
                                          OPTION("$select")};
static const struct param params[] = {PATH_PARAM("chat-id"), USER_PARAM};
static const struct param pin_list[] = {PATH_PARAM("chat-id"), USER_PARAM, OPTION("$expand")};
static const struct param pin_params[] = {PATH_PARAM("chat-id"), USER_PARAM,
                                          PATH_PARAM("pinnedChatMessageInfo-id")};

#define TYPE "microsoft.graph.chat"
#define MARK .body = BODY_JSON, .request = TYPE ".markRead", .status = 204, .idempotent = true

static const struct route routes[] = {
    ROW("teams.chats.list", GET, (GRAPH("/chats"), GRAPH_MY("/chats")), chats_list, RISK_READ,
        .scopes = CHAT_BASIC, PARAMS(list_params), .response = TYPE "CollectionResponse",
        .summary = "Lists somebody's chats, the last changed ones first"),
    ROW("teams.chats.get", GET, (CHAT_PATHS("")), chat_get, RISK_READ, .scopes = CHAT_BASIC,
        PARAMS(get_params), .response = TYPE, .summary = "A chat"),
    ROW("teams.chats.create", POST, (GRAPH("/chats")), chat_create, RISK_WRITE,
        .scopes = CHAT_CREATE, .n_params = 0, .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .status = 201, .summary = "Begins a chat, or finds that of two people again"),
    ROW("teams.chats.update", PATCH, (CHAT_PATHS("")), chat_update, RISK_WRITE,
        .scopes = CHAT_WRITE, PARAMS(params), .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .idempotent = true, .summary = "Changes a chat's topic"),
    ROW("teams.chats.delete", DELETE, (CHAT_PATHS("")), chat_delete, RISK_DESTRUCTIVE,
        .scopes = "Chat.ManageDeletion.All", PARAMS(params), .status = 204,
        .summary = "Deletes a chat"),
    ROW("teams.chats.markChatReadForUser", POST, (CHAT_PATHS("/markChatReadForUser")), mark_read,
        RISK_WRITE, .scopes = CHAT_WRITE, PARAMS(params), MARK, .summary = "Marks a chat as read"),
    ROW("teams.chats.markChatUnreadForUser", POST, (CHAT_PATHS("/markChatUnreadForUser")),
        mark_unread, RISK_WRITE, .scopes = CHAT_WRITE, PARAMS(params), MARK,
        .summary = "Marks a chat as unread from a time on"),
    ROW("teams.chats.hideForUser", POST, (CHAT_PATHS("/hideForUser")), hide, RISK_WRITE,
        .scopes = CHAT_WRITE, PARAMS(params), MARK, .summary = "Hides a chat"),
    ROW("teams.chats.unhideForUser", POST, (CHAT_PATHS("/unhideForUser")), unhide, RISK_WRITE,
        .scopes = CHAT_WRITE, PARAMS(params), MARK, .summary = "Shows a hidden chat again"),
    ROW("teams.chats.pinnedMessages.list", GET, (CHAT_PATHS("/pinnedMessages")), pins_list,
        RISK_READ, .scopes = CHAT_READ, PARAMS(pin_list),
        .response = "microsoft.graph.pinnedChatMessageInfoCollectionResponse",
        .summary = "Lists a chat's pinned messages"),
    ROW("teams.chats.pinnedMessages.create", POST, (CHAT_PATHS("/pinnedMessages")), pin_create,
        RISK_WRITE, .scopes = CHAT_WRITE, PARAMS(params), .body = BODY_JSON,
        .request = "microsoft.graph.pinnedChatMessageInfo",
        .response = "microsoft.graph.pinnedChatMessageInfo", .status = 201,
        .summary = "Pins a message of a chat"),
    ROW("teams.chats.pinnedMessages.delete", DELETE,
        (CHAT_PATHS("/pinnedMessages/{pinnedChatMessageInfo-id}")), pin_delete, RISK_WRITE,
        .scopes = CHAT_WRITE, PARAMS(pin_params), .status = 204, .summary = "Takes a pin away"),
};
const struct rows teams_chat_rows = ROWS(routes);
