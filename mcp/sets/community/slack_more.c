/* SPDX-License-Identifier: Apache-2.0 */
/* The other tools of the community server for Slack: search, what is unread, files, user groups.
 * Source of names, arguments and columns: its published code. */
#include "mcp/sets/community/community.h"
#include "mcp/sets/community/slack_query.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"

static int64_t number(const struct json *v, int64_t otherwise)
{
    double n;
    return v && json_double(v, &n) == 0 && n >= 0 && n < 1e15 ? (int64_t)n : otherwise;
}

static int64_t number_arg(const struct set_run *r, const char *name, int64_t least, int64_t most)
{
    int64_t n = number(json_get(r->args, name), least);
    return n < least ? least : n > most ? most : n;
}

/* ---- user groups ---- */

static const char *date_of(struct set_run *r, const struct json *group, const char *member)
{
    int64_t seconds = number(json_get(group, member), 0);
    return seconds ? lines_time(r, seconds) : "";
}

static bool is_external(const struct json *group)
{
    return value_holds(json_get(group, "is_external"));
}

/* As an object; with the argument "users" also who is in it. */
static const struct json *group_of(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    static const char *const texts[] = {"id", "name", "handle", "description"};
    static const char *const dates[] = {"date_create", "date_update"};
    struct value_object o = {.arena = r->arena};
    const struct json *users = json_get(v, "users");
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        object_put(&o, texts[i],
                   value_text(r->arena, value_words(r->arena, json_get(v, texts[i]))));
    object_put(&o, "user_count", value_int(r->arena, number(json_get(v, "user_count"), 0)));
    object_put(&o, "is_external", is_external(v) ? &value_true : &value_false);
    for (size_t i = 0; i < SOSIA_LEN(dates); i++)
        if (*date_of(r, v, dates[i]))
            object_put(&o, dates[i], value_text(r->arena, date_of(r, v, dates[i])));
    if (arg && users && users->n)
        object_put(&o, "users", template_ref(r, "$.|join", users));
    return object_value(&o);
}

static void add_group(struct set_run *r, struct buf *b, const struct json *g)
{
    const struct json *count = json_get(g, "user_count");
    const char *values[] = {json_get_str(g, "id"),
                            json_get_str(g, "name"),
                            json_get_str(g, "handle"),
                            json_get_str(g, "description"),
                            count ? value_words(r->arena, count) : "0",
                            is_external(g) ? "true" : "false",
                            date_of(r, g, "date_create"),
                            date_of(r, g, "date_update")};
    lines_add(b, values, SOSIA_LEN(values));
}

/* Lines of groups; user: only those that they are in; NULL: all. */
static const struct json *group_lines(struct set_run *r, const struct json *list, const char *user)
{
    struct buf b;
    buf_init(&b, 64 << 20);
    buf_puts(&b, "id,name,handle,description,user_count,is_external,date_create,date_update\n");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const struct json *users = json_get(&list->items[i], "users");
        bool is_in = !user;
        for (uint32_t k = 0; !is_in && users && k < users->n; k++)
            is_in = users->items[k].type == JSON_STRING && strcmp(users->items[k].str, user) == 0;
        if (is_in)
            add_group(r, &b, &list->items[i]);
    }
    return set_text(r, &b);
}

static const struct json *groups(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return group_lines(r, v, NULL);
}

/* A list with commas, without spaces and empty items; nothing of none. */
static const struct json *ids(struct set_run *r, const struct json *v, const char *arg,
                              const struct json *item)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *at = v ? v->str : ""; *at;) {
        at += strspn(at, ", \t");
        size_t n = strcspn(at, ", \t");
        if (n && b.len)
            buf_byte(&b, ',');
        buf_add(&b, at, n);
        at += n;
    }
    const struct json *list =
        b.len ? value_text(r->arena, arena_strdup(r->arena, buf_str(&b))) : NULL;
    buf_done(&b);
    return list;
}

/* The id of a group, which something must be changed of. */
static const struct json *changed(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    static const char *const names[] = {"name", "handle", "description", "channels"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (value_holds(json_get(r->args, names[i])))
            return v;
    set_refuse(r, "one of name, handle, description and channels must be given");
    return NULL;
}

enum { ME, GROUPS, MEMBERS, UPDATE };

static const struct json *object_with(struct set_run *r, const char *name, const struct json *v,
                                      const char *other, const struct json *w)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, name, v);
    if (other)
        object_put(&o, other, w);
    return object_value(&o);
}

static void add_id(struct buf *b, const char *id)
{
    buf_printf(b, "%s%s", b->len ? "," : "", id);
}

/* Puts the caller into a group's members, or takes them out. *ret: with commas between; NULL:
 * nothing would change. */
static void change_members(struct set_run *r, const struct json *members, const char *me, bool join,
                           const char **ret)
{
    struct buf b;
    bool there = false;
    buf_init(&b, 0);
    for (uint32_t i = 0; members && members->type == JSON_ARRAY && i < members->n; i++) {
        const char *user = value_words(r->arena, &members->items[i]);
        bool is_me = strcmp(user, me) == 0;
        there |= is_me;
        if (!is_me || join)
            add_id(&b, user);
    }
    if (join && !there)
        add_id(&b, me);
    *ret = join == there ? NULL : arena_strdup(r->arena, buf_str(&b));
    buf_done(&b);
}

static int join_or_leave(struct set_run *r, const char *me, bool join,
                         const struct json **ret_result)
{
    const struct json *id = json_get(r->args, "usergroup_id"), *v, *group;
    const char *users;
    if (!value_holds(id))
        return set_refuse(r, "usergroup_id is required to join or to leave a group");
    int rc = set_call(r, MEMBERS, object_with(r, "usergroup", id, NULL, NULL), &v);
    if (rc <= 0)
        return rc;
    change_members(r, json_get(v, "users"), me, join, &users);
    if (!users) {
        *ret_result = value_text(r->arena, join ? "You are in this user group already."
                                                : "You are not in this user group.");
        return 1;
    }
    struct value_object change = {.arena = r->arena};
    object_put(&change, "usergroup", id);
    object_put(&change, "users", value_text(r->arena, users));
    object_put(&change, "include_count", &value_true);
    rc = set_call(r, UPDATE, object_value(&change), &v);
    if (rc <= 0)
        return rc;
    group = json_get(v, "usergroup");
    struct value_object o = {.arena = r->arena};
    object_put(&o, "message",
               value_text(r->arena, join ? "You are in the user group now."
                                         : "You are no longer in the user group."));
    object_put(&o, "group_id", json_get(group, "id"));
    object_put(&o, "group_name", json_get(group, "name"));
    object_put(&o, "user_count", value_int(r->arena, number(json_get(group, "user_count"), 0)));
    *ret_result = object_value(&o);
    return 1;
}

int lines_groups_of_me(struct set_run *r, const struct json **ret_result)
{
    const char *action = json_get_str(r->args, "action");
    const struct json *v;
    int rc = set_call(r, ME, NULL, &v);
    const char *me = rc > 0 ? json_get_str(v, "user_id") : NULL;
    if (rc <= 0)
        return rc;
    if (!me)
        return set_refuse(r, "the token is nobody's");
    if (strcmp(action, "list") != 0)
        return join_or_leave(r, me, *action == 'j', ret_result);
    rc = set_call(r, GROUPS,
                  object_with(r, "include_users", &value_true, "include_count", &value_true), &v);
    if (rc > 0)
        *ret_result = group_lines(r, json_get(v, "usergroups"), me);
    return rc;
}

/* ---- how far one has read ---- */

enum { PEOPLE, NAMED, LATEST };

/* The ts that is given, else that of the latest message; nothing of none. */
static const struct json *up_to(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    return value_holds(v) ? v : template_ref(r, "$2.messages.0.ts", NULL);
}

static const struct json *absent(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return value_holds(v) ? NULL : &value_true;
}

/* ---- what is unread ---- */

enum { MINE = 1, INFO, HISTORY };

#define MAX_UNREAD 1000

struct unread {
    const char *id, *name, *type, *last_read, *latest;
    int64_t count;
    const struct json *messages; /* NULL: not asked for yet */
};

struct scan_of {
    struct set_run *r;
    struct unread *found;
    size_t n, looked_at;
};

/* Of the conversations of a member: those of one kind are looked at for themselves. */
static const struct kind_of {
    const char *types, *name; /* name NULL: by whether it is shared with others */
    int64_t part;             /* of the most that are wanted */
} kinds_of[] = {
    {"im", "dm", 1}, {"mpim", "group_dm", 2}, {"public_channel,private_channel", NULL, 2}};

static int history(struct set_run *r, const char *channel, const char *after,
                   const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "channel", value_text(r->arena, channel));
    object_put(&o, "oldest", value_text(r->arena, after));
    object_put(&o, "limit", value_int(r->arena, number_arg(r, "max_messages_per_channel", 1, 999)));
    int rc = set_call(r, HISTORY, object_value(&o), ret);
    *ret = rc > 0 ? json_get(*ret, "messages") : NULL;
    return rc;
}

/* 1: it has something unread; 0: it has not, or it may not be seen; -1. */
static int look_at(struct set_run *r, const struct kind_of *kind, const char *id,
                   struct unread *ret)
{
    const struct json *v, *info;
    int rc = set_call(r, INFO, object_with(r, "channel", value_text(r->arena, id), NULL, NULL), &v);
    r->why = NULL; /* the next one may do */
    if (rc <= 0)
        return rc;
    info = json_get(v, "channel");
    const char *wanted = json_get_str(r->args, "channel_types");
    const char *last = json_get_str(info, "last_read");
    bool never = !last || strspn(last, "0.") == strlen(last);
    *ret = (struct unread){.id = id, .name = lines_name(r, info), .type = kind->name};
    if (!kind->name)
        ret->type = value_holds(json_get(info, "is_ext_shared")) ? "partner" : "internal";
    if (strcmp(wanted, "all") != 0 && strcmp(wanted, ret->type) != 0)
        return 0;
    ret->last_read = last ? last : "";
    const char *latest = json_get_str(json_get(info, "latest"), "ts");
    ret->latest = latest ? latest : "";
    if (kind == &kinds_of[0]) {
        ret->count = number(json_get(info, "unread_count"), 0);
        return ret->count > 0;
    }
    if (never && kind == &kinds_of[2])
        return 0; /* nobody has ever looked there */
    rc = history(r, id, never ? "0" : last, &ret->messages);
    r->why = NULL;
    ret->count = ret->messages ? ret->messages->n : 0;
    return rc < 0 ? -1 : ret->count > 0;
}

static int scan_kind(struct scan_of *s, const struct kind_of *kind)
{
    struct set_run *r = s->r;
    size_t most = (size_t)(number_arg(r, "max_channels", 1, MAX_UNREAD) / kind->part);
    size_t first = s->n, looked = 0, scans = most * 2 < 50 ? 50 : most * 2;
    const struct json *v, *list;
    struct value_object o = {.arena = r->arena};
    object_put(&o, "types", value_text(r->arena, kind->types));
    object_put(&o, "limit", value_int(r->arena, 999));
    object_put(&o, "exclude_archived", &value_true);
    int rc = set_call(r, MINE, object_value(&o), &v);
    list = rc > 0 ? json_get(v, "channels") : NULL;
    for (uint32_t i = 0; rc > 0 && list && i < list->n && looked < scans && s->n - first < most;
         i++, looked++) {
        const char *id = json_get_str(&list->items[i], "id");
        int found = id ? look_at(r, kind, id, &s->found[s->n]) : 0;
        if (found < 0)
            return -1;
        s->n += (size_t)found;
    }
    s->looked_at += looked;
    return rc;
}

/* Does the kind have conversations of the type that is wanted? */
static bool is_wanted(const struct set_run *r, const struct kind_of *kind)
{
    const char *wanted = json_get_str(r->args, "channel_types");
    return strcmp(wanted, "all") == 0 ||
           (kind->name ? strcmp(wanted, kind->name) == 0
                       : strcmp(wanted, "partner") == 0 || strcmp(wanted, "internal") == 0);
}

/* Those of a type come in their order, the types as people mind them. */
static int add_unread(struct scan_of *s, struct buf *b, const char *type, bool messages)
{
    struct set_run *r = s->r;
    for (size_t i = 0; i < s->n; i++) {
        struct unread *u = &s->found[i];
        if (strcmp(u->type, type) != 0)
            continue;
        if (!messages) {
            const char *values[] = {
                u->id,        u->name,
                u->type,      arena_printf(r->arena, "%lld", (long long)u->count),
                u->last_read, u->latest};
            lines_add(b, values, SOSIA_LEN(values));
            continue;
        }
        if (!u->messages && history(r, u->id, u->last_read, &u->messages) < 0)
            return -1;
        r->why = NULL;
        for (uint32_t k = 0; u->messages && k < u->messages->n; k++)
            if (lines_shows(r, &u->messages->items[k]))
                lines_message(r, b, &u->messages->items[k], u->name, "");
    }
    return 1;
}

int lines_unreads(struct set_run *r, const struct json **ret_result)
{
    static const char *const types[] = {"dm", "group_dm", "partner", "internal"};
    bool messages = value_holds(json_get(r->args, "include_messages"));
    struct scan_of s = {.r = r};
    struct buf b;
    int rc = set_call(r, PEOPLE, object_with(r, "limit", value_int(r->arena, 1000), NULL, NULL),
                      &r->responses[PEOPLE]);
    s.found = arena_calloc(r->arena, SOSIA_LEN(kinds_of) * MAX_UNREAD + 1, sizeof *s.found);
    for (size_t i = 0; rc > 0 && i < SOSIA_LEN(kinds_of); i++)
        if (is_wanted(r, &kinds_of[i]))
            rc = scan_kind(&s, &kinds_of[i]);
    if (rc <= 0)
        return rc;
    buf_init(&b, 64 << 20);
    buf_printf(&b, "[%zu conversations looked at, %zu with unread messages]\n\n", s.looked_at, s.n);
    buf_puts(&b, messages ? LINES_MESSAGES
                          : "ChannelID,ChannelName,ChannelType,UnreadCount,LastRead,Latest\n");
    for (size_t i = 0; rc > 0 && i < SOSIA_LEN(types); i++)
        rc = add_unread(&s, &b, types[i], messages);
    *ret_result = set_text(r, &b);
    return rc;
}

/* ---- files ---- */

enum { FILE_INFO, BYTES };

#define MAX_FILE (5 << 20)

static bool is_text_type(const char *type)
{
    static const char *const types[] = {"application/json",       "application/xml",
                                        "application/javascript", "application/x-yaml",
                                        "application/x-sh",       NULL};
    return str_place(types, type) >= 0 || str_starts(type, "text/");
}

/* What the file's address is made of: "T0ACME-F0PLAN", "plan.txt". */
static const struct json *address_of(struct set_run *r, const struct json *file)
{
    static const char mark[] = "/files-pri/";
    const char *url = json_get_str(file, "url_private"), *at = url ? strstr(url, mark) : NULL;
    const char *slash = at ? strchr(at + sizeof mark - 1, '/') : NULL;
    char *name;
    size_t n;
    if (!slash || percent_decode(r->arena, slash + 1, strlen(slash + 1), false, &name, &n) < 0)
        return NULL;
    at += sizeof mark - 1;
    return object_with(r, "file",
                       value_text(r->arena, arena_memdup(r->arena, at, (size_t)(slash - at))),
                       "name", value_text(r->arena, name));
}

static const struct json *content_of(struct set_run *r, const struct mcp_answer *a, bool text)
{
    return value_text(r->arena, text ? arena_memdup(r->arena, a->body, a->len)
                                     : base64_text(r->arena, NULL, a->body, a->len));
}

int lines_file_data(struct set_run *r, const struct json **ret_result)
{
    const struct json *v, *file, *address;
    struct mcp_answer a = {0};
    const char *why = NULL;
    int rc = set_call(r, FILE_INFO,
                      object_with(r, "file", json_get(r->args, "file_id"), NULL, NULL), &v);
    if (rc <= 0)
        return rc;
    file = json_get(v, "file");
    int64_t size = number(json_get(file, "size"), 0);
    if (size > MAX_FILE)
        return set_refuse(r, "a file must have %d bytes at most, not %lld", MAX_FILE,
                          (long long)size);
    if (!(address = address_of(r, file)))
        return set_refuse(r, "the file has no bytes of its own");
    rc = tool_invoke(r->m, r->tool, r->tool->methods[BYTES].route, address, &a, &why);
    if (rc > 0 && a.refused)
        why = answer_why(r->m, &a);
    if (rc >= 0 && why)
        rc = set_refuse(r, "%s", why);
    if (rc > 0) {
        const char *type = json_get_str(file, "mimetype");
        bool text =
            type && is_text_type(type) && utf8_valid(a.body, a.len) && !memchr(a.body, 0, a.len);
        struct value_object o = {.arena = r->arena};
        object_put(&o, "file_id", json_get(file, "id"));
        object_put(&o, "filename", json_get(file, "name"));
        object_put(&o, "mimetype", value_text(r->arena, type ? type : ""));
        object_put(&o, "size", value_int(r->arena, (int64_t)a.len));
        object_put(&o, "encoding", value_text(r->arena, text ? "none" : "base64"));
        object_put(&o, "content", content_of(r, &a, text));
        *ret_result = object_value(&o);
    }
    sosia_response_free(a.response);
    return rc;
}

/* ---- filters ---- */

/* How many are found at once; nothing, for as many as the service gives, of none. */
static const struct json *count_of(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    int64_t n = number(v, 0);
    return n ? value_int(r->arena, n < 100 ? n : 100) : NULL;
}

const struct set_filter community_slack_more_filters[] = {
    {"count_of", count_of}, {"named", lines_named}, {"id", lines_id},   {"query", query_of},
    {"page", query_page},   {"hits", query_hits},   {"groups", groups}, {"group", group_of},
    {"ids", ids},           {"changed", changed},   {"upto", up_to},    {"absent", absent},
    {NULL, NULL},
};
