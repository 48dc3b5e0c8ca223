/* SPDX-License-Identifier: Apache-2.0 */
/* Tags: names for some of a team's members, which owners give. */
#include "engine/base/codec.h"
#include "services/chat/teams/rows.h"
#include "services/chat/teams/tag.h"
#include "vendors/microsoft/query.h"
#include <strings.h>

enum { MAX_NAME = 40, MAX_TAGS = 100, MAX_MEMBERS = 200 };
#define MANY_MEMBERS "A tag has too many members."

/* ---- what paths name ---- */

static int save(struct tx *tx, const struct teams_tag *t)
{
    static struct sql_text q = SQL_TEXT("update teams_tag set name = :name, description = :about, "
                                        "members = :members where id = :id");
    return TX_RUN(tx, &q, t->name, t->description, t->members, t->id);
}

/* base64 of "TENANT##TEAM##KEY"; of a member with the object id behind it. */
static const char *tag_id(struct teams_at *at, const char *key, const char *oid)
{
    struct arena *a = at->c->tx.arena;
    const char *text = arena_printf(a, "%s##%s##%s%s%s", at->tenant.guid, at->team.key, key,
                                    oid ? "##" : "", oid ? oid : "");
    return base64_text(a, NULL, text, strlen(text));
}

/* The part of such an id, from 0; NULL: it has not so many. */
static const char *id_part(struct arena *a, const char *id, int n)
{
    uint8_t *bytes;
    size_t len;
    if (base64_decode(a, id, strlen(id), &bytes, &len) < 0)
        return NULL;
    const char *text = arena_memdup(a, (const char *)bytes, len), *end;
    while (text && n-- > 0)
        text = (end = strstr(text, "##")) ? end + 2 : NULL;
    end = text ? strstr(text, "##") : NULL;
    return end ? arena_memdup(a, text, (size_t)(end - text)) : text;
}

struct tag_at {
    struct teams_at at;
    struct teams_tag tag;
    const struct json *members; /* a list of object ids */
};

static int open_tags(struct call *c, struct tag_at *k, bool change)
{
    if ((change ? teams_open_write(c, &k->at) : teams_open(c, &k->at)) < 0 ||
        teams_team(&k->at) < 0 || (change && teams_is_open(&k->at) < 0))
        return -1;
    int r = change ? teams_owns(&k->at) : 1;
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(c);
}

static int open_tag(struct call *c, struct tag_at *k, bool change)
{
    static struct sql_text q = SQL_TEXT("where team = :team and key = :key");
    if (open_tags(c, k, change) < 0)
        return -1;
    const char *key = id_part(c->tx.arena, param_str(c, "teamworkTag-id"), 2);
    int r = key ? STORED_ONE(&c->tx, &teams_tag_stored, &q, &k->tag, k->at.team.id, key) : 0;
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    k->members = teams_properties(c->tx.arena, k->tag.members);
    return 0;
}

/* The next of its members behind a place who is in the team yet. 1, 0, -1. */
static int next_member(struct tag_at *k, uint32_t *place, struct chat_user *ret)
{
    while (k->members && *place < k->members->n) {
        const struct json *v = &k->members->items[(*place)++];
        struct chat_team_member in;
        int r = v->type == JSON_STRING
                    ? chat_user_find(&k->at.c->tx, k->at.workspace.id, v->str, ret)
                    : 0;
        if (r == 1)
            r = chat_team_member_of(&k->at.c->tx, k->at.team.id, ret->id, &in);
        if (r)
            return r;
    }
    return 0;
}

/* ---- answers ---- */

static int write_tag(struct tag_at *k)
{
    struct json_writer *w = k->at.c->out;
    struct chat_user u;
    uint32_t place = 0;
    int64_t n = 0;
    int r;
    k->members = teams_properties(k->at.c->tx.arena, k->tag.members);
    while ((r = next_member(k, &place, &u)) == 1)
        n++;
    json_str(w, "id", tag_id(&k->at, k->tag.key, NULL));
    json_str(w, "teamId", k->at.team.key);
    json_str(w, "displayName", k->tag.name);
    json_str(w, "description", k->tag.description);
    json_int(w, "memberCount", n);
    json_word(w, "tagType", "standard");
    return r;
}

static int answer_tag(struct tag_at *k)
{
    struct json_writer *w = k->at.c->out;
    json_obj(w, NULL);
    graph_context(k->at.c, "teams('%s')/tags/$entity", k->at.team.key);
    int r = write_tag(k);
    json_end(w);
    return r;
}

static void write_tagged(struct tag_at *k, const struct chat_user *u)
{
    struct json_writer *w = k->at.c->out;
    json_str(w, "id", tag_id(&k->at, k->tag.key, u->key));
    json_str(w, "displayName", u->real_name);
    json_str(w, "tenantId", k->at.tenant.guid);
    json_str(w, "userId", u->key);
}

static const char *place_of_tagged(struct tag_at *k)
{
    struct arena *a = k->at.c->tx.arena;
    return arena_printf(a, "teams('%s')/tags%s/members", k->at.team.key,
                        graph_key(a, tag_id(&k->at, k->tag.key, NULL)));
}

static int write_whole_tag(void *arg)
{
    return write_tag(arg);
}

/* ---- reading ---- */

static int tags_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where team = :team order by id");
    struct tag_at k = {.members = NULL};
    struct odata_query options;
    int r;
    if (open_tags(c, &k, false) < 0 ||
        teams_options(c, "teamworkTag", "$select $top $filter", &options) < 0 ||
        graph_select(c, &options, ODATA_KEEP_ID, true) < 0)
        return -1;
    sqlite3_stmt *st = STORED_QUERY(&c->tx, &teams_tag_stored, &q, k.at.team.id);
    json_obj(c->out, NULL);
    graph_context(c, "teams('%s')/tags", k.at.team.key);
    json_arr(c->out, "value");
    while ((r = stored_next(&c->tx, &teams_tag_stored, st, &k.tag)) == 1) {
        int asked = teams_is_asked(c, &options, write_whole_tag, &k);
        if (asked > 0) {
            json_obj(c->out, NULL);
            asked = write_tag(&k);
            json_end(c->out);
        }
        if (asked < 0) {
            sql_done(st);
            return -1;
        }
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int tag_get(struct call *c)
{
    struct tag_at k;
    return open_tag(c, &k, false) < 0 ? -1 : answer_tag(&k);
}

static int tagged_list(struct call *c)
{
    struct tag_at k;
    struct chat_user u;
    uint32_t place = 0;
    int r;
    if (open_tag(c, &k, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s", place_of_tagged(&k));
    json_arr(c->out, "value");
    while ((r = next_member(&k, &place, &u)) == 1) {
        json_obj(c->out, NULL);
        write_tagged(&k, &u);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

/* The member of the path. 0, -1. */
static int find_tagged(struct tag_at *k, struct chat_user *ret)
{
    struct call *c = k->at.c;
    const char *oid = id_part(c->tx.arena, param_str(c, "teamworkTagMember-id"), 3);
    uint32_t place = 0;
    int r;
    while ((r = next_member(k, &place, ret)) == 1)
        if (oid && strcmp(ret->key, oid) == 0)
            return 0;
    return r < 0 ? -1 : graph_not_found(c);
}

static int answer_tagged(struct tag_at *k, const struct chat_user *u)
{
    struct json_writer *w = k->at.c->out;
    json_obj(w, NULL);
    graph_context(k->at.c, "%s/$entity", place_of_tagged(k));
    write_tagged(k, u);
    json_end(w);
    return 0;
}

static int tagged_get(struct call *c)
{
    struct chat_user u;
    struct tag_at k;
    return open_tag(c, &k, false) < 0 || find_tagged(&k, &u) < 0 ? -1 : answer_tagged(&k, &u);
}

/* ---- changing ---- */

static int take_name(struct tag_at *k, const struct json *body, bool needed)
{
    static struct sql_text q = SQL_TEXT("select 1 from teams_tag where team = :team and "
                                        "name = :name collate nocase and id <> :id limit 1");
    struct call *c = k->at.c;
    const char *name = json_get_str(body, "displayName"),
               *about = json_get_str(body, "description");
    size_t n = 0;
    int64_t one;
    if (about)
        k->tag.description = about;
    if (!name && !needed)
        return 0;
    for (const char *p = name ? name : ""; *p; p++)
        n += (*p & 0xc0) != 0x80;
    if (!n || n > MAX_NAME)
        return teams_bad(c, "Tag name must be specified and can be at most 40 characters.");
    int r = TX_INT(&c->tx, &q, &one, k->at.team.id, name, k->tag.id);
    if (r)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_CONFLICT, "Conflict", NULL,
                                 "A tag with the same name already exists.");
    k->tag.name = name;
    return 0;
}

/* Somebody of the team more; who has it already stays once. 1; 0: there already; -1. */
static int take_tagged(struct tag_at *k, const struct json *item, struct chat_user *ret)
{
    struct call *c = k->at.c;
    const char *id = json_get_str(item, "userId");
    struct chat_team_member in;
    struct ms_user user;
    int r = id ? teams_find_user(&k->at, id, &user) : 0;
    if (r == 1 && teams_person(&k->at, &user, ret) < 0)
        return -1;
    if (r == 1)
        r = chat_team_member_of(&c->tx, k->at.team.id, ret->id, &in);
    if (r != 1)
        return r < 0 ? -1 : teams_bad(c, "Tag members must be members of the team.");
    /* Keys are ids without marks. */
    if (strstr(k->tag.members, arena_printf(c->tx.arena, "\"%s\"", ret->key)))
        return 0;
    if (k->members && k->members->n >= MAX_MEMBERS)
        return teams_bad(c, MANY_MEMBERS);
    const size_t n = strlen(k->tag.members);
    k->tag.members = arena_printf(c->tx.arena, "%.*s%s\"%s\"]", (int)n - 1, k->tag.members,
                                  n > 2 ? "," : "", ret->key);
    return 1;
}

static int tag_create(struct call *c)
{
    static struct sql_text count = SQL_TEXT("select count(*) from teams_tag where team = :team");
    struct tag_at k = {.members = NULL};
    const struct json *body, *list;
    struct chat_user u;
    int64_t n;
    if (open_tags(c, &k, true) < 0 || !(body = call_body(c)) ||
        TX_INT(&c->tx, &count, &n, k.at.team.id) < 0)
        return -1;
    k.tag = (struct teams_tag){.team = k.at.team.id, .description = "", .members = "[]"};
    list = json_get(body, "members");
    if (n >= MAX_TAGS || !list || list->type != JSON_ARRAY || !list->n)
        return teams_bad(c, n >= MAX_TAGS ? "The team has too many tags."
                                          : "Tag must have at least one member.");
    if (list->n > MAX_MEMBERS)
        return teams_bad(c, MANY_MEMBERS);
    if (take_name(&k, body, true) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++)
        if (take_tagged(&k, &list->items[i], &u) < 0)
            return -1;
    if (!(k.tag.key = teams_key(&c->tx, CHAT_THING_TEAM, CHAT_PUBLIC)) ||
        stored_add(&c->tx, &teams_tag_stored, &k.tag) < 0)
        return -1;
    c->status = 201;
    return answer_tag(&k);
}

static int tag_update(struct call *c)
{
    struct tag_at k;
    const struct json *body;
    return open_tag(c, &k, true) < 0 || !(body = call_body(c)) || take_name(&k, body, false) < 0 ||
                   save(&c->tx, &k.tag) < 0
               ? -1
               : answer_tag(&k);
}

static int tag_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from teams_tag where id = :id");
    struct tag_at k;
    c->status = 204;
    return open_tag(c, &k, true) < 0 ? -1 : TX_RUN(&c->tx, &q, k.tag.id);
}

static int tagged_create(struct call *c)
{
    struct tag_at k;
    const struct json *body;
    struct chat_user u;
    if (open_tag(c, &k, true) < 0 || !(body = call_body(c)))
        return -1;
    int r = take_tagged(&k, body, &u);
    if (r < 0 || save(&c->tx, &k.tag) < 0)
        return -1;
    if (r == 0)
        return call_fail(c, SOSIA_E_CONFLICT, "Conflict", NULL, "The member has the tag already.");
    c->status = 201;
    return answer_tagged(&k, &u);
}

static int tagged_delete(struct call *c)
{
    struct chat_user u;
    struct tag_at k;
    const char *ids = "";
    c->status = 204;
    if (open_tag(c, &k, true) < 0 || find_tagged(&k, &u) < 0)
        return -1;
    for (uint32_t i = 0; i < k.members->n; i++)
        if (k.members->items[i].type == JSON_STRING && strcmp(k.members->items[i].str, u.key) != 0)
            ids = arena_printf(c->tx.arena, "%s%s\"%s\"", ids, *ids ? "," : "",
                               k.members->items[i].str);
    k.tag.members = arena_printf(c->tx.arena, "[%s]", ids);
    return save(&c->tx, &k.tag);
}

/* ---- rows ---- */

#define TAGS    TEAM "/tags"
#define TAG     TAGS "/{teamworkTag-id}"
#define MEMBERS TAG "/members"
#define TYPE    "microsoft.graph.teamworkTag"
#define READ    "TeamworkTag.Read TeamworkTag.ReadWrite TeamworkTag.Read.All TeamworkTag.ReadWrite.All"
#define WRITE   "TeamworkTag.ReadWrite TeamworkTag.ReadWrite.All"
#define BODY    .body = BODY_JSON, .request = TYPE, .response = TYPE

static const struct param make_params[] = {PATH_PARAM("team-id")};
static const struct param list_params[] = {PATH_PARAM("team-id"), OPTION("$select"),
                                           OPTION("$filter"), OPTION("$top")};
static const struct param params[] = {PATH_PARAM("team-id"), PATH_PARAM("teamworkTag-id")};
static const struct param member_params[] = {PATH_PARAM("team-id"), PATH_PARAM("teamworkTag-id"),
                                             PATH_PARAM("teamworkTagMember-id")};

static const struct route routes[] = {
    ROW("teams.tags.list", GET, (GRAPH(TAGS)), tags_list, RISK_READ, .scopes = READ,
        PARAMS(list_params), .response = TYPE "CollectionResponse",
        .summary = "Lists a team's tags"),
    ROW("teams.tags.create", POST, (GRAPH(TAGS)), tag_create, RISK_WRITE, .scopes = WRITE,
        PARAMS(make_params), BODY, .status = 201,
        .summary = "Gives some of a team's members a tag"),
    ROW("teams.tags.get", GET, (GRAPH(TAG)), tag_get, RISK_READ, .scopes = READ, PARAMS(params),
        .response = TYPE, .summary = "A tag"),
    ROW("teams.tags.update", PATCH, (GRAPH(TAG)), tag_update, RISK_WRITE, .scopes = WRITE,
        PARAMS(params), BODY, .idempotent = true, .summary = "Renames a tag"),
    ROW("teams.tags.delete", DELETE, (GRAPH(TAG)), tag_delete, RISK_DESTRUCTIVE, .scopes = WRITE,
        PARAMS(params), .status = 204, .summary = "Deletes a tag"),
    ROW("teams.tags.members.list", GET, (GRAPH(MEMBERS)), tagged_list, RISK_READ, .scopes = READ,
        PARAMS(params), .response = TYPE "MemberCollectionResponse",
        .summary = "Lists who has a tag"),
    ROW("teams.tags.members.create", POST, (GRAPH(MEMBERS)), tagged_create, RISK_WRITE,
        .scopes = WRITE, PARAMS(params), .body = BODY_JSON, .request = TYPE "Member",
        .response = TYPE "Member", .status = 201, .summary = "Gives somebody a tag"),
    ROW("teams.tags.members.get", GET, (GRAPH(MEMBERS "/{teamworkTagMember-id}")), tagged_get,
        RISK_READ, .scopes = READ, PARAMS(member_params), .response = TYPE "Member",
        .summary = "Somebody who has a tag"),
    ROW("teams.tags.members.delete", DELETE, (GRAPH(MEMBERS "/{teamworkTagMember-id}")),
        tagged_delete, RISK_WRITE, .scopes = WRITE, PARAMS(member_params), .status = 204,
        .summary = "Takes a tag from somebody"),
};
const struct rows teams_tag_rows = ROWS(routes);
