/* SPDX-License-Identifier: Apache-2.0 */
/* Members of teams, channels and chats (MG-467, 468, 600, 673). */
#include "engine/world/number.h"
#include "engine/text/civil.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"
#include <strings.h>

/* Of which kind of thing the members are, by its path. */
enum of { OF_TEAM, OF_CHANNEL, OF_CHAT };

static enum of of_path(struct call *c)
{
    return param_str(c, "chat-id") ? OF_CHAT : param_str(c, "channel-id") ? OF_CHANNEL : OF_TEAM;
}

static int open_members(struct call *c, struct teams_at *at, bool write)
{
    enum of of = of_path(c);
    if ((write ? teams_open_write(c, at) : teams_open(c, at)) < 0)
        return -1;
    return of == OF_CHAT ? teams_chat(at) : of == OF_CHANNEL ? teams_channel(at) : teams_team(at);
}

/* Standard channels have the team's members. */
static bool has_own(const struct teams_at *at, enum of of)
{
    return of == OF_CHAT || (of == OF_CHANNEL && at->channel.kind == CHAT_PRIVATE);
}

static const char *id_of(struct teams_at *at, enum of of, const struct chat_user *u)
{
    return of == OF_CHAT
               ? teams_member_id(at->c->tx.arena, 2, at->tenant.guid, at->channel.key, u->key)
               : teams_member_id(
                     at->c->tx.arena, 1, at->tenant.guid,
                     of == OF_CHANNEL && has_own(at, of) ? at->channel.key : at->team.key, u->key);
}

/* The part that a user has in it. 1, 0, -1. */
static int part_of(struct teams_at *at, enum of of, int64_t user, enum chat_part *ret)
{
    struct chat_team_member in;
    struct chat_member m;
    if (has_own(at, of)) {
        int r = chat_member_of(&at->c->tx, at->channel.id, user, &m);
        *ret = of == OF_CHAT && r == 1 && !m.part ? CHAT_PART_OWNER : m.part;
        return r;
    }
    int r = chat_team_member_of(&at->c->tx, at->team.id, user, &in);
    *ret = in.part;
    return r;
}

static int write_one(struct teams_at *at, enum of of, const struct chat_user *u,
                     enum chat_part part)
{
    return teams_write_member(at, u, part, id_of(at, of, u),
                              of == OF_CHAT ? teams_history(at->c->tx.arena, &at->channel, u) : 0);
}

static const char *place(struct teams_at *at, enum of of)
{
    struct arena *a = at->c->tx.arena;
    return of == OF_CHAT   ? arena_printf(a, "chats%s/members", graph_key(a, at->channel.key))
           : of == OF_TEAM ? arena_printf(a, "teams('%s')/members", at->team.key)
                           : arena_printf(a, "teams('%s')/channels%s/members", at->team.key,
                                          graph_key(a, at->channel.key));
}

struct one {
    struct teams_at *at;
    enum of of;
    struct chat_user user;
    enum chat_part part;
};

static int write_asked(void *arg)
{
    const struct one *m = arg;
    return write_one(m->at, m->of, &m->user, m->part);
}

/* ---- reading ---- */

struct people {
    struct tx *tx;
    int64_t *users;
    size_t n, cap;
};

static int take_member(void *arg, const struct chat_team_member *m)
{
    struct people *p = arg;
    if (!(p->users = arena_grow(p->tx->arena, p->users, p->n, &p->cap, sizeof *p->users)))
        return 1;
    p->users[p->n++] = m->user;
    return 0;
}

static int everybody(struct teams_at *at, enum of of, struct people *p)
{
    *p = (struct people){.tx = &at->c->tx};
    if (has_own(at, of))
        return chat_members(&at->c->tx, at->channel.id, NULL, -1, &p->users, &p->n);
    int r = chat_team_members(&at->c->tx, at->team.id, take_member, p);
    return r < 0 || (p->cap && !p->users) ? -1 : 0;
}

/* Those of whom $filter holds. */
static int choose(struct teams_at *at, enum of of, const struct odata_query *q, struct people *p)
{
    size_t n = 0;
    for (size_t i = 0; q->filter && i < p->n; i++) {
        struct one m = {.at = at, .of = of};
        int r = chat_user_get(&at->c->tx, p->users[i], &m.user);
        if (r == 1)
            r = part_of(at, of, m.user.id, &m.part);
        r = r == 1 ? teams_is_asked(at->c, q, write_asked, &m) : -1;
        if (r < 0)
            return -1;
        if (r)
            p->users[n++] = p->users[i];
    }
    p->n = q->filter ? n : p->n;
    return 0;
}

static int members_list(struct call *c)
{
    const enum of of = of_path(c);
    struct odata_query q;
    struct teams_at at;
    struct people p;
    if (open_members(c, &at, false) < 0 ||
        teams_options(c, "aadUserConversationMember",
                      of == OF_TEAM ? "$select $filter $top" : "$select $filter", &q) < 0 ||
        everybody(&at, of, &p) < 0 || choose(&at, of, &q, &p) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, true) < 0)
        return -1;
    int64_t from = teams_skiptoken(c, "teams members");
    const int64_t top = q.top > 0 ? q.top : 100;
    if (from < 0)
        return -1;
    const int64_t left = (int64_t)p.n > from ? (int64_t)p.n - from : 0, n = left < top ? left : top;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", place(&at, of), odata_context(c->tx.arena, &q));
    json_int(c->out, "@odata.count", n);
    if (left > n)
        json_str(c->out, "@odata.nextLink", teams_next(c, "teams members", from + n));
    json_arr(c->out, "value");
    for (int64_t i = from; i < from + n; i++) {
        enum chat_part part;
        struct chat_user u;
        if (chat_user_get(&c->tx, p.users[i], &u) != 1 || part_of(&at, of, u.id, &part) != 1)
            return -1;
        json_obj(c->out, NULL);
        write_one(&at, of, &u, part);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* The member of the path. 0, -1. */
static int find_member(struct teams_at *at, enum of of, struct chat_user *u, enum chat_part *part)
{
    const char *id = param_str(at->c, "conversationMember-id"),
               *oid = teams_member_oid(at->c->tx.arena, id);
    int r = oid ? chat_user_find(&at->c->tx, at->workspace.id, oid, u) : 0;
    if (r == 1)
        r = part_of(at, of, u->id, part);
    if (r == 1 && strcmp(id_of(at, of, u), id) != 0)
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(at->c);
}

static int answer_member(struct teams_at *at, enum of of, const struct chat_user *u,
                         enum chat_part part)
{
    struct json_writer *w = at->c->out;
    json_obj(w, NULL);
    graph_context(at->c, "%s/$entity", place(at, of));
    write_one(at, of, u, part);
    json_end(w);
    return 0;
}

static int member_get(struct call *c)
{
    const enum of of = of_path(c);
    enum chat_part part;
    struct chat_user u;
    struct teams_at at;
    return open_members(c, &at, false) < 0 || find_member(&at, of, &u, &part) < 0
               ? -1
               : answer_member(&at, of, &u, part);
}

/* ---- changing ---- */

/* Who may: of teams and private channels owners, of chats those who are in them. */
static int may_change(struct teams_at *at, enum of of)
{
    if (at->app || of == OF_CHAT)
        return 0;
    int r = of == OF_CHANNEL ? teams_owns_channel(at) : teams_owns(at);
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(at->c);
}

/* owner, guest, or none. 0, -1. */
static int read_roles(struct call *c, const struct json *body, enum chat_part *ret)
{
    const struct json *roles = json_get(body, "roles");
    *ret = CHAT_PART_MEMBER;
    for (uint32_t i = 0; roles && roles->type == JSON_ARRAY && i < roles->n; i++) {
        const char *role = roles->items[i].type == JSON_STRING ? roles->items[i].str : "";
        if (strcasecmp(role, "owner") == 0)
            *ret = CHAT_PART_OWNER;
        else if (strcasecmp(role, "guest") == 0)
            *ret = CHAT_PART_GUEST;
        else if (*role)
            return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                             "The passed-in role '%.40s' is not supported.", role);
    }
    return 0;
}

/* "user@odata.bind", or "userId" of newer clients; NULL: neither. */
static const char *user_text(const struct json *body)
{
    const char *bind = json_get_str(body, "user@odata.bind");
    return bind ? bind : json_get_str(body, "userId");
}

static int read_user(struct teams_at *at, const struct json *body, struct ms_user *ret)
{
    const char *text = user_text(body);
    int r = text ? teams_find_user(at, text, ret) : 0;
    if (!text)
        return teams_bad(at->c, "Invalid bind property name user in request.");
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(at->c, SOSIA_E_NOT_FOUND, "NotFound", NULL,
                               "Failed to find user with id '%.80s' in the tenant.", text);
}

/* When a new member's history of a chat begins; 0: from its first message on. */
static int64_t history_from(struct teams_at *at, const struct json *body)
{
    const char *text = json_get_str(body, "visibleHistoryStartDateTime");
    int64_t us;
    if (!text)
        return at->c->tx.now_us;
    if (strncmp(text, "0001-01-01", 10) == 0)
        return 0;
    return teams_read_time(text, &us) == 0 ? us : at->c->tx.now_us;
}

static int keep_history(struct teams_at *at, const char *oid, int64_t us)
{
    static const char *const changed[] = {"properties", NULL};
    struct arena *a = at->c->tx.arena;
    const struct json *all = teams_properties(a, at->channel.properties);
    const struct json *old = all ? json_get(all, "history") : NULL;
    const char *number = arena_printf(a, "%lld", (long long)us);
    const struct json v = {.type = JSON_NUMBER, .str = number, .n = (uint32_t)strlen(number)};
    const struct json *history =
        teams_properties(a, teams_with(a, old ? json_to_text(a, old) : "{}", oid, us ? &v : NULL));
    if (!us && !old)
        return 0;
    at->channel.properties =
        teams_with(a, at->channel.properties ? at->channel.properties : "{}", "history", history);
    return chat_channel_save(&at->c->tx, &at->channel, changed);
}

static int add_to_channel(struct teams_at *at, const struct ms_user *user, enum chat_part part,
                          struct chat_user *ret)
{
    struct chat_team_member in;
    if (teams_person(at, user, ret) < 0)
        return -1;
    int r = at->team.id && !teams_is_shared(&at->channel)
                ? chat_team_member_of(&at->c->tx, at->team.id, ret->id, &in)
                : 1;
    if (r != 1)
        return r < 0 ? -1 : teams_bad(at->c, "The user must be a member of the team.");
    return chat_member_add(&at->c->tx, &at->channel, ret->id, at->me.id) < 0 ||
                   chat_member_part(&at->c->tx, at->channel.id, ret->id, part) < 0
               ? -1
               : 0;
}

static const char *member_detail(struct teams_at *at, const struct chat_user *u, bool added)
{
    return arena_printf(at->c->tx.arena,
                        "%s\"members\":[{\"id\":\"%s\",\"displayName\":null,"
                        "\"userIdentityType\":\"aadUser\",\"tenantId\":\"%s\"}]",
                        added ? "\"visibleHistoryStartDateTime\":\"0001-01-01T00:00:00Z\"," : "",
                        u->key, at->tenant.guid);
}

static int add_one(struct teams_at *at, enum of of, const struct json *body, struct chat_user *ret,
                   enum chat_part *part)
{
    struct ms_user user;
    if (read_roles(at->c, body, part) < 0 || read_user(at, body, &user) < 0)
        return -1;
    if (of == OF_CHAT && at->channel.kind == CHAT_DIRECT)
        return call_fail(at->c, SOSIA_E_FORBIDDEN, "Forbidden", NULL, "RosterAddMemberBlocked");
    if (of == OF_TEAM)
        return teams_join(at, &user, user.guest ? CHAT_PART_GUEST : *part) < 0
                   ? -1
                   : teams_person(at, &user, ret);
    if (!has_own(at, of))
        return teams_bad(at->c, "Members of a standard channel are those of its team.");
    if (of == OF_CHAT && !*part)
        *part = CHAT_PART_OWNER;
    if (add_to_channel(at, &user, *part, ret) < 0)
        return -1;
    if (of == OF_CHAT && keep_history(at, ret->key, history_from(at, body)) < 0)
        return -1;
    return teams_note(at, &at->channel, "membersAddedEventMessageDetail",
                      member_detail(at, ret, true));
}

static int members_create(struct call *c)
{
    const enum of of = of_path(c);
    const struct json *body;
    enum chat_part part;
    struct chat_user u;
    struct teams_at at;
    if (open_members(c, &at, true) < 0 || may_change(&at, of) < 0 || !(body = call_body(c)) ||
        add_one(&at, of, body, &u, &part) < 0)
        return -1;
    c->status = 201;
    call_header(c, "Location",
                arena_printf(c->tx.arena,
                             "https://teamsgraph.teams.microsoft.com/v1.0/%s('%s')/"
                             "Microsoft.Teams.GraphSvc.aadUserConversationMember",
                             of == OF_CHAT
                                 ? arena_printf(c->tx.arena, "chats('%s')/members", at.channel.key)
                                 : place(&at, of),
                             id_of(&at, of, &u)));
    return of == OF_CHAT ? 0 : answer_member(&at, of, &u, part); /* MG-468 */
}

/* What became of one of members/add or members/remove. */
struct result {
    const char *named; /* the object id, or what the body names */
    const char *code;  /* NULL: it was done */
    const char *message;
};
typedef int one_of_many(struct teams_at *at, enum of of, const struct json *body,
                        const char **ret_oid);

static int add_named(struct teams_at *at, enum of of, const struct json *body, const char **ret_oid)
{
    enum chat_part part;
    struct chat_user u;
    if (add_one(at, of, body, &u, &part) < 0)
        return -1;
    *ret_oid = u.key;
    return 0;
}

/* Does one, or leaves nothing of it and says why not. 0, -1. */
static int try_one(struct teams_at *at, enum of of, one_of_many *one, const struct json *body,
                   struct result *ret)
{
    struct tx *tx = &at->c->tx;
    const struct teams_at was = *at;
    *ret = (struct result){.named = user_text(body)};
    if (tx_do_later(tx) < 0 || tx_savepoint(tx) < 0)
        return -1;
    struct tx_mark *before = tx_mark(tx);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (one(at, of, body, &ret->named) == 0)
        return slot_release(tx->db, tx->err);
    if (tx->err->code < SOSIA_E_INVALID || tx->err->code >= SOSIA_E_LIMIT)
        return -1;
    ret->code = arena_strdup(tx->arena, tx->err->reason);
    ret->message = tx->err->code == SOSIA_E_NOT_FOUND ? "Failed to find user in the tenant."
                                                      : arena_strdup(tx->arena, tx->err->text);
    if (!ret->code || !ret->message)
        return sosia_fail_memory(tx->err);
    *at = was;
    tx_back(tx, before);
    return tx_rollback_to(tx, tx->err);
}

static void write_result(struct json_writer *w, const struct result *of)
{
    json_obj(w, NULL);
    json_word(w, "@odata.type", "#microsoft.graph.aadUserConversationMemberResult");
    json_str(w, "userId", of->named ? of->named : "");
    if (!of->code) {
        json_null(w, "error");
    } else {
        json_obj(w, "error");
        json_str(w, "code", of->code);
        json_str(w, "message", of->message);
        json_null(w, "target");
        json_null(w, "innerError");
        json_arr(w, "details");
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

/* Members of a body's `values`, each by itself (MG-673). done: the status where all went well; 204
 * has no body. */
static int each_member(struct call *c, one_of_many *one, uint32_t most, int done)
{
    const enum of of = of_path(c);
    const struct json *body, *list;
    struct teams_at at;
    if (open_members(c, &at, true) < 0 || may_change(&at, of) < 0 || !(body = call_body(c)))
        return -1;
    list = json_get(body, "values");
    if (!list || list->type != JSON_ARRAY || !list->n || list->n > most)
        return teams_bad(
            c, arena_printf(c->tx.arena, "Bad Request: values must have 1 to %u members.", most));
    struct result *results = arena_calloc(c->tx.arena, list->n, sizeof *results);
    if (!results)
        return sosia_fail_memory(c->tx.err);
    c->status = done;
    for (uint32_t i = 0; i < list->n; i++) {
        if (try_one(&at, of, one, &list->items[i], &results[i]) < 0)
            return -1;
        c->status = results[i].code ? 207 : c->status;
    }
    if (c->status == 204)
        return 0;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.actionResultPart)");
    json_int(c->out, "@odata.count", list->n);
    json_arr(c->out, "value");
    for (uint32_t i = 0; i < list->n; i++)
        write_result(c->out, &results[i]);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* POST members/add */
static int members_add(struct call *c)
{
    return each_member(c, add_named, TEAMS_ADDED, 200);
}

/* Has the channel an owner besides? 1, 0, -1. */
static int has_other_owner(struct teams_at *at, int64_t user)
{
    struct chat_member m;
    int64_t *users;
    size_t n;
    if (chat_members(&at->c->tx, at->channel.id, NULL, -1, &users, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = users[i] == user ? 0 : chat_member_of(&at->c->tx, at->channel.id, users[i], &m);
        if (r < 0 || (r == 1 && m.part == CHAT_PART_OWNER))
            return r;
    }
    return 0;
}

/* Teams and private channels keep an owner when this one is none any more (MG-136). 0, -1. */
static int keeps_owner(struct teams_at *at, enum of of, const struct chat_user *u)
{
    int r = of == OF_CHAT      ? 1
            : has_own(at, of)  ? has_other_owner(at, u->id)
            : of == OF_CHANNEL ? 1
                               : chat_team_has_owner(&at->c->tx, at->team.id, u->id);
    return r == 1 ? 0
           : r < 0
               ? -1
               : teams_bad(at->c, of == OF_TEAM ? "The last owner of the team cannot be removed."
                                                : "A private channel must have an owner.");
}

/* POST members/remove, of teams: one of them. */
static int remove_named(struct teams_at *at, enum of of, const struct json *body,
                        const char **ret_oid)
{
    enum chat_part part;
    struct ms_user user;
    struct chat_user u;
    if (read_user(at, body, &user) < 0)
        return -1;
    *ret_oid = user.oid;
    int r = chat_user_find(&at->c->tx, at->workspace.id, user.oid, &u);
    if (r == 1)
        r = part_of(at, of, u.id, &part);
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(at->c, SOSIA_E_CONFLICT, "NotFound", NULL,
                                 "Could not find resource");
    return part == CHAT_PART_OWNER && keeps_owner(at, of, &u) < 0 ? -1 : teams_leave(at, &u);
}

static int members_remove(struct call *c)
{
    return each_member(c, remove_named, TEAMS_REMOVED, 204);
}

static int member_update(struct call *c)
{
    const enum of of = of_path(c);
    enum chat_part old, part;
    const struct json *body;
    struct ms_user user;
    struct chat_user u;
    struct teams_at at;
    if (open_members(c, &at, true) < 0 || may_change(&at, of) < 0 || !(body = call_body(c)) ||
        find_member(&at, of, &u, &old) < 0 || read_roles(c, body, &part) < 0)
        return -1;
    if (old == CHAT_PART_OWNER && part != CHAT_PART_OWNER && keeps_owner(&at, of, &u) < 0)
        return -1;
    if (has_own(&at, of)) {
        if (chat_member_part(&c->tx, at.channel.id, u.id, part) < 0)
            return -1;
    } else if (of == OF_CHANNEL) {
        return teams_bad(c, "Members of a standard channel are those of its team.");
    } else {
        int r = ms_user_find(&c->tx, u.key, at.tenant.id, &user);
        if (r != 1 || teams_join(&at, &user, part) < 0)
            return r == 0 ? graph_not_found(c) : -1;
    }
    return answer_member(&at, of, &u, part);
}

static int member_delete(struct call *c)
{
    const enum of of = of_path(c);
    enum chat_part part;
    struct chat_user u;
    struct teams_at at;
    if (open_members(c, &at, true) < 0 || find_member(&at, of, &u, &part) < 0 ||
        (u.id != at.me.id && may_change(&at, of) < 0))
        return -1;
    c->status = 204;
    if (part == CHAT_PART_OWNER && keeps_owner(&at, of, &u) < 0)
        return -1;
    if (of == OF_TEAM)
        return teams_leave(&at, &u);
    if (!has_own(&at, of))
        return teams_bad(c, "Members of a standard channel are those of its team.");
    if (of == OF_CHAT && at.channel.kind == CHAT_DIRECT)
        return graph_denied(c);
    return chat_member_remove(&c->tx, &at.channel, u.id, at.me.id) < 0
               ? -1
               : teams_note(&at, &at.channel, "membersDeletedEventMessageDetail",
                            member_detail(&at, &u, false));
}

/* ---- rows ---- */

#define MEMBERS "/members"
#define MEMBER  "/members/{conversationMember-id}"
#define OPTIONS OPTION("$filter"), OPTION("$select"), OPTION("$top"), OPTION("$skiptoken")

static const struct param team_list[] = {PATH_PARAM("team-id"), OPTIONS};
static const struct param channel_list[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                            OPTIONS};
static const struct param chat_list[] = {PATH_PARAM("chat-id"), USER_PARAM, OPTIONS};
static const struct param team_one[] = {PATH_PARAM("team-id"), PATH_PARAM("conversationMember-id")};
static const struct param channel_one[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                           PATH_PARAM("conversationMember-id")};
static const struct param chat_one[] = {PATH_PARAM("chat-id"), PATH_PARAM("conversationMember-id"),
                                        USER_PARAM};
static const struct param team_all[] = {PATH_PARAM("team-id")};
static const struct param channel_all[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id")};
static const struct param chat_all[] = {PATH_PARAM("chat-id"), USER_PARAM};

#define TYPE "microsoft.graph.aadUserConversationMember"
#define LIST .response = TYPE "CollectionResponse"
#define ONE  .response = TYPE
#define BODY .body = BODY_JSON, .request = TYPE
#define ADDING                                                                                     \
    .body = BODY_JSON, .request = "microsoft.graph.conversationMember.add",                        \
    .response = TYPE "ResultCollectionResponse"

static const struct route routes[] = {
    ROW("teams.members.list", GET, (GRAPH(TEAM MEMBERS)), members_list, RISK_READ,
        .scopes = MEMBERS_READ, PARAMS(team_list), LIST, .summary = "Lists who is in a team"),
    ROW("teams.members.get", GET, (GRAPH(TEAM MEMBER)), member_get, RISK_READ,
        .scopes = MEMBERS_READ, PARAMS(team_one), ONE, .summary = "A member of a team"),
    ROW("teams.members.create", POST, (GRAPH(TEAM MEMBERS)), members_create, RISK_WRITE,
        .scopes = MEMBERS_WRITE, PARAMS(team_all), BODY, ONE, .status = 201,
        .summary = "Puts somebody into a team"),
    ROW("teams.members.add", POST, (GRAPH(TEAM MEMBERS "/add")), members_add, RISK_WRITE,
        .scopes = MEMBERS_WRITE, PARAMS(team_all), ADDING, .summary = "Puts people into a team"),
    ROW("teams.members.remove", POST, (GRAPH(TEAM MEMBERS "/remove")), members_remove,
        RISK_DESTRUCTIVE, .scopes = "TeamMember.ReadWrite.All", PARAMS(team_all), ADDING,
        .status = 204, .summary = "Takes people out of a team"),
    ROW("teams.members.update", PATCH, (GRAPH(TEAM MEMBER)), member_update, RISK_WRITE,
        .scopes = MEMBERS_WRITE, PARAMS(team_one), BODY, ONE, .idempotent = true,
        .summary = "Makes a member an owner, or no owner"),
    ROW("teams.members.delete", DELETE, (GRAPH(TEAM MEMBER)), member_delete, RISK_DESTRUCTIVE,
        .scopes = MEMBERS_WRITE, PARAMS(team_one), .status = 204,
        .summary = "Takes somebody out of a team"),
    ROW("teams.channels.members.list", GET, (GRAPH(CHANNEL MEMBERS), GRAPH(CHANNEL "/allMembers")),
        members_list, RISK_READ, .scopes = CHANNEL_MEMBERS, PARAMS(channel_list), LIST,
        .summary = "Lists who is in a channel"),
    ROW("teams.channels.members.get", GET,
        (GRAPH(CHANNEL MEMBER), GRAPH(CHANNEL "/allMembers/{conversationMember-id}")), member_get,
        RISK_READ, .scopes = CHANNEL_MEMBERS, PARAMS(channel_one), ONE,
        .summary = "A member of a channel"),
    ROW("teams.channels.members.create", POST, (GRAPH(CHANNEL MEMBERS)), members_create, RISK_WRITE,
        .scopes = CHANNEL_MEMBERS_WRITE, PARAMS(channel_all), BODY, ONE, .status = 201,
        .summary = "Puts somebody into a private channel"),
    ROW("teams.channels.members.update", PATCH, (GRAPH(CHANNEL MEMBER)), member_update, RISK_WRITE,
        .scopes = CHANNEL_MEMBERS_WRITE, PARAMS(channel_one), BODY, ONE, .idempotent = true,
        .summary = "Makes a private channel's member an owner, or no owner"),
    ROW("teams.channels.members.delete", DELETE, (GRAPH(CHANNEL MEMBER)), member_delete,
        RISK_DESTRUCTIVE, .scopes = CHANNEL_MEMBERS_WRITE, PARAMS(channel_one), .status = 204,
        .summary = "Takes somebody out of a private channel"),
    ROW("teams.chats.members.list", GET, (CHAT_PATHS(MEMBERS)), members_list, RISK_READ,
        .scopes = CHAT_MEMBERS, PARAMS(chat_list), LIST, .summary = "Lists who is in a chat"),
    ROW("teams.chats.members.get", GET, (CHAT_PATHS(MEMBER)), member_get, RISK_READ,
        .scopes = CHAT_MEMBERS, PARAMS(chat_one), ONE, .summary = "A member of a chat"),
    ROW("teams.chats.members.create", POST, (CHAT_PATHS(MEMBERS)), members_create, RISK_WRITE,
        .scopes = CHAT_MEMBERS_WRITE, PARAMS(chat_all), BODY, .status = 201,
        .summary = "Puts somebody into a chat of several"),
    ROW("teams.chats.members.add", POST, (CHAT_PATHS(MEMBERS "/add")), members_add, RISK_WRITE,
        .scopes = CHAT_MEMBERS_WRITE, PARAMS(chat_all), ADDING,
        .summary = "Puts people into a chat of several"),
    ROW("teams.chats.members.delete", DELETE, (CHAT_PATHS(MEMBER)), member_delete, RISK_DESTRUCTIVE,
        .scopes = CHAT_MEMBERS_WRITE, PARAMS(chat_one), .status = 204,
        .summary = "Takes somebody out of a chat of several"),
};
const struct rows teams_member_rows = ROWS(routes);
