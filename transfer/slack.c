/* SPDX-License-Identifier: Apache-2.0 */
/* The export of a Slack workspace: users.json, lists of conversations, and a file of messages for
 * each conversation and day. It becomes a workspace of its own. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/tz.h"
#include "services/workspace/core/workspace.h"
#include "transfer/impl.h"
#include <ctype.h>

struct slack_in {
    struct transfer_in *in;
    const char *team, *domain;
    struct map users;   /* id -> what documents call the actor */
    struct map places;  /* a folder of the archive -> the id of the conversation */
    struct map threads; /* "channel ts" of messages that others can answer */
};

/* The kinds of conversations, by the file that lists them. */
static const struct {
    const char *file, *kind, *letters;
    bool by_id; /* its folder has its id for a name */
} lists[] = {{"channels.json", NULL, "CG", false},
             {"groups.json", "private", "CG", false},
             {"mpims.json", "group", "CG", false},
             {"dms.json", "direct", "D", true}};

/* ---- files ---- */

struct wanted {
    const char *name;
    struct arena *arena;
    const struct json *json;
};

static int parse(struct transfer_in *in, struct arena *a, const struct transfer_entry *e,
                 const struct json **ret)
{
    struct sosia_err why = {0};
    if (json_parse(a, e->data, e->len, NULL, ret, &why) < 0 || (*ret)->type != JSON_ARRAY) {
        const char *name = in->name;
        in->name = e->path;
        int rc =
            transfer_fail(in, 0, "must be a list in JSON%s%s", *why.text ? ": " : "", why.text);
        in->name = name;
        return rc;
    }
    return 0;
}

static int take_wanted(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct wanted *w = arg;
    if (strcmp(e->path, w->name) != 0)
        return 0;
    const struct transfer_entry kept = {
        .path = e->path, .data = arena_memdup(w->arena, e->data, e->len), .len = e->len};
    return parse(in, w->arena, &kept, &w->json);
}

static bool is_list(const char *path)
{
    return !strchr(path, '/') && transfer_ends(path, ".json");
}

/* A file at the top, in the transaction's arena; *ret NULL: it is not there. */
static int find_file(struct transfer_in *in, const char *name, const struct json **ret)
{
    struct wanted w = {.name = name, .arena = in->tx->arena};
    if (transfer_each(in, is_list, take_wanted, &w) < 0)
        return -1;
    *ret = w.json;
    return 0;
}

/* ---- people ---- */

/* An id as documents have it: a letter of those, and capitals, digits or "_". */
static bool is_id(const char *id, const char *letters)
{
    size_t n = id ? strlen(id) : 0;
    return n >= 2 && n <= 40 && strchr(letters, *id) &&
           strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n;
}

/* An item of a list of texts; NULL: it is none. */
static const char *item_text(const struct json *v)
{
    return v->type == JSON_STRING ? v->str : NULL;
}

static const char *profile(const struct json *user, const char *member)
{
    const char *text = json_get_str(json_get(user, "profile"), member);
    return text && *text ? text : NULL;
}

/* What documents call somebody: the address, or else a handle of the name and the id. */
static const char *actor_of(struct transfer_in *in, const struct json *user)
{
    const char *email = profile(user, "email");
    email = email ? email_normal(in->tx->arena, email) : NULL;
    if (email)
        return email;
    return arena_printf(in->tx->arena, "slack.%s", json_get_str(user, "id"));
}

static int write_people(struct slack_in *s, const struct json *users)
{
    struct transfer_in *in = s->in;
    struct json_writer *w = in->w;
    json_arr(w, "people");
    for (uint32_t i = 0; i < users->n; i++) {
        const struct json *u = &users->items[i];
        const char *id = json_get_str(u, "id"), *name = json_get_str(u, "name"),
                   *real = profile(u, "real_name"), *zone = json_get_str(u, "tz");
        struct actor other;
        if (!is_id(id, "UW") || map_get(&s->users, id)) {
            in->done->n[TRANSFER_SKIPPED]++;
            continue;
        }
        const char *actor = actor_of(in, u);
        int r = actor_find(in->tx, actor, &other);
        if (r < 0 || map_set(&s->users, id, (void *)(uintptr_t)actor) < 0)
            return r < 0 ? -1 : sosia_fail_memory(in->tx->err);
        if (r == 1)
            continue;
        json_obj(w, NULL);
        json_str(w, strchr(actor, '@') ? "email" : "handle", actor);
        json_str(w, "name", real ? real : name ? name : id);
        if (json_get_true(u, "is_bot"))
            json_str(w, "kind", "bot");
        if (zone && tz_find(zone))
            json_str(w, "zone", zone);
        json_end(w);
        in->done->n[TRANSFER_PEOPLE]++;
    }
    json_end(w);
    return 0;
}

static const char *role_of(const struct json *u)
{
    return json_get_true(u, "is_primary_owner")      ? "owner"
           : json_get_true(u, "is_owner")            ? "coowner"
           : json_get_true(u, "is_admin")            ? "admin"
           : json_get_true(u, "is_ultra_restricted") ? "channel_guest"
           : json_get_true(u, "is_restricted")       ? "guest"
                                                     : NULL;
}

static void write_member(struct slack_in *s, const struct json *u)
{
    struct json_writer *w = s->in->w;
    const char *id = json_get_str(u, "id"), *name = json_get_str(u, "name"),
               *shown = profile(u, "display_name"), *role = role_of(u);
    json_obj(w, NULL);
    json_str(w, "actor", map_get(&s->users, id));
    json_str(w, "id", id);
    json_str_opt(w, "name", name && *name ? name : NULL);
    json_str_opt(w, "real_name", profile(u, "real_name"));
    json_str_opt(w, "display_name", shown);
    json_str_opt(w, "title", profile(u, "title"));
    json_str_opt(w, "phone", profile(u, "phone"));
    json_str_opt(w, "role", role);
    json_bool_opt(w, "deleted", json_get_true(u, "deleted"));
    json_end(w);
}

static void write_workspace_of(struct slack_in *s, const struct json *users)
{
    struct json_writer *w = s->in->w;
    struct map done;
    map_init(&done);
    json_arr(w, "workspaces");
    json_obj(w, NULL);
    if (is_id(s->team, "TE"))
        json_str(w, "id", s->team);
    json_str(w, "domain", s->domain);
    json_arr(w, "members");
    for (uint32_t i = 0; i < users->n; i++) {
        const char *id = json_get_str(&users->items[i], "id");
        if (!id || !map_get(&s->users, id) || map_get(&done, id))
            continue;
        write_member(s, &users->items[i]);
        if (map_set(&done, id, s) < 0)
            w->out->failed = true;
    }
    json_end(w);
    json_end(w);
    json_end(w);
    map_done(&done);
}

/* ---- conversations ---- */

static bool is_known(const struct slack_in *s, const char *user)
{
    return user && map_get(&s->users, user);
}

static void write_about(struct slack_in *s, const char *member, const struct json *about)
{
    struct json_writer *w = s->in->w;
    const char *text = json_get_str(about, "value"), *by = json_get_str(about, "creator");
    if (!text || !*text)
        return;
    json_obj(w, member);
    json_str(w, "text", text);
    if (is_known(s, by)) {
        json_str(w, "by", by);
        json_int(w, "set", json_get_int(about, "last_set", 0));
    }
    json_end(w);
}

static int write_channel(struct slack_in *s, const struct json *c, size_t list)
{
    struct json_writer *w = s->in->w;
    const char *id = json_get_str(c, "id"), *name = json_get_str(c, "name"),
               *folder = lists[list].by_id ? id : name, *creator = json_get_str(c, "creator");
    const struct json *members = json_get(c, "members");
    int64_t created = json_get_int(c, "created", 0);
    size_t n = 0;
    for (uint32_t i = 0; members && i < members->n; i++)
        n += is_known(s, item_text(&members->items[i]));
    if (!is_id(id, lists[list].letters) || !folder || (list > 1 && !n)) {
        s->in->done->n[TRANSFER_SKIPPED]++;
        return 0;
    }
    json_obj(w, NULL);
    json_str(w, "id", id);
    json_str_opt(w, "kind", lists[list].kind);
    if (list < 2)
        json_str(w, "name", name);
    if (is_known(s, creator))
        json_str(w, "creator", creator);
    if (created > 0)
        json_int(w, "created", created);
    json_arr(w, "members");
    for (uint32_t i = 0; members && i < members->n; i++)
        if (is_known(s, item_text(&members->items[i])))
            json_str(w, NULL, item_text(&members->items[i]));
    json_end(w);
    if (list < 2) {
        write_about(s, "topic", json_get(c, "topic"));
        write_about(s, "purpose", json_get(c, "purpose"));
        json_bool_opt(w, "general", json_get_true(c, "is_general"));
        json_bool_opt(w, "archived", json_get_true(c, "is_archived"));
    }
    json_end(w);
    s->in->done->n[TRANSFER_CHANNELS]++;
    return map_set(&s->places, folder, (void *)(uintptr_t)id) < 0
               ? sosia_fail_memory(s->in->tx->err)
               : 0;
}

static int write_channels(struct slack_in *s)
{
    json_arr(s->in->w, "channels");
    for (size_t i = 0; i < SOSIA_LEN(lists); i++) {
        const struct json *list;
        if (find_file(s->in, lists[i].file, &list) < 0)
            return -1;
        for (uint32_t k = 0; list && k < list->n; k++)
            if (write_channel(s, &list->items[k], i) < 0)
                return -1;
    }
    json_end(s->in->w);
    return 0;
}

/* ---- messages ---- */

static bool is_ts(const char *ts)
{
    size_t n = ts ? strspn(ts, "0123456789") : 0;
    return n >= 1 && n <= 10 && ts[n] == '.' && strspn(ts + n + 1, "0123456789") == 6 && !ts[n + 7];
}

static void write_reactions(struct slack_in *s, const struct json *list)
{
    struct json_writer *w = s->in->w;
    if (!list || list->type != JSON_ARRAY)
        return;
    json_arr(w, "reactions");
    for (uint32_t i = 0; i < list->n; i++) {
        const char *name = json_get_str(&list->items[i], "name");
        const struct json *users = json_get(&list->items[i], "users");
        size_t n = 0;
        for (uint32_t k = 0; users && k < users->n; k++)
            n += is_known(s, item_text(&users->items[k]));
        if (!name || !n)
            continue;
        json_obj(w, NULL);
        json_str(w, "name", name);
        json_arr(w, "by");
        for (uint32_t k = 0; k < users->n; k++)
            if (is_known(s, item_text(&users->items[k])))
                json_str(w, NULL, item_text(&users->items[k]));
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

/* What the system notes, and what people and bots said; what is left of a deleted message is
 * nothing. */
static bool is_message(const struct slack_in *s, const struct json *m)
{
    const char *type = json_get_str(m, "type"), *subtype = json_get_str(m, "subtype");
    return m->type == JSON_OBJECT && type && strcmp(type, "message") == 0 &&
           is_ts(json_get_str(m, "ts")) && is_known(s, json_get_str(m, "user")) &&
           !(subtype && strcmp(subtype, "tombstone") == 0);
}

static void write_rest(struct slack_in *s, const struct json *m)
{
    static const char *const lists_of[] = {"blocks", "attachments"};
    struct json_writer *w = s->in->w;
    const struct json *edited = json_get(m, "edited");
    const char *subtype = json_get_str(m, "subtype"), *ts = json_get_str(edited, "ts"),
               *editor = json_get_str(edited, "user");
    if (subtype && strcmp(subtype, "thread_broadcast") == 0)
        json_bool(w, "broadcast", true);
    else
        json_str_opt(w, "subtype", subtype);
    for (size_t i = 0; i < SOSIA_LEN(lists_of); i++) {
        const struct json *v = json_get(m, lists_of[i]);
        if (v && v->type == JSON_ARRAY && v->n)
            json_value(w, lists_of[i], v);
    }
    if (is_ts(ts)) {
        json_str(w, "edited", ts);
        if (is_known(s, editor))
            json_str(w, "editor", editor);
    }
    write_reactions(s, json_get(m, "reactions"));
}

static int write_message(struct slack_in *s, struct arena *a, const char *channel,
                         const struct json *m)
{
    struct json_writer *w = s->in->w;
    const char *ts = json_get_str(m, "ts"), *thread = json_get_str(m, "thread_ts"),
               *text = json_get_str(m, "text");
    const char *own = arena_printf(a, "%s %s", channel, ts),
               *root = is_ts(thread) && strcmp(thread, ts) != 0
                           ? arena_printf(a, "%s %s", channel, thread)
                           : NULL;
    if (map_get(&s->threads, own)) { /* once in the conversation, and once in its thread */
        s->in->done->n[TRANSFER_SKIPPED]++;
        return 0;
    }
    json_obj(w, NULL);
    json_str(w, "channel", channel);
    json_str(w, "from", json_get_str(m, "user"));
    json_str(w, "ts", ts);
    if (root && map_get(&s->threads, root) == s)
        json_str(w, "thread", thread);
    json_str(w, "text", text ? text : "");
    write_rest(s, m);
    json_end(w);
    s->in->done->n[TRANSFER_MESSAGES]++;
    /* What answers a message is not answered itself. */
    return map_set(&s->threads, own, root ? (void *)s->in : (void *)s) < 0
               ? sosia_fail_memory(s->in->tx->err)
               : 0;
}

static bool is_day(const char *path)
{
    return strchr(path, '/') && transfer_ends(path, ".json");
}

static int take_day(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct slack_in *s = arg;
    const struct json *list;
    struct arena a;
    arena_init(&a, 0);
    const char *channel = map_get(&s->places, workspace_parent(&a, e->path));
    int rc = channel ? parse(in, &a, e, &list) : 0;
    if (!channel)
        in->done->n[TRANSFER_SKIPPED]++;
    for (uint32_t i = 0; rc == 0 && channel && i < list->n; i++) {
        if (is_message(s, &list->items[i]))
            rc = write_message(s, &a, channel, &list->items[i]);
        else
            in->done->n[TRANSFER_SKIPPED]++;
    }
    if (rc == 0 && arena_failed(&a))
        rc = sosia_fail_memory(in->tx->err);
    arena_done(&a);
    return rc;
}

/* ---- the whole ---- */

/* The workspace's id is in its users; its domain is nowhere, so that it is said or made of that. */
static void read_names(struct slack_in *s, const struct json *users)
{
    struct arena *a = s->in->tx->arena;
    s->team = "T0IMPORTED";
    for (uint32_t i = 0; i < users->n; i++)
        if (json_get_str(&users->items[i], "team_id")) {
            s->team = json_get_str(&users->items[i], "team_id");
            break;
        }
    char *domain = arena_strdup(a, s->in->t->place ? s->in->t->place : s->team);
    for (char *p = domain; *p && !s->in->t->place; p++)
        *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '-';
    s->domain = domain;
}

static int write_all(struct slack_in *s)
{
    struct transfer_in *in = s->in;
    const struct json *users;
    if (find_file(in, "users.json", &users) < 0)
        return -1;
    if (!users)
        return transfer_fail(in, 0,
                             "must have a file users.json at its top, as the export of a "
                             "workspace does, has none");
    read_names(s, users);
    if (write_people(s, users) < 0)
        return -1;
    write_workspace_of(s, users);
    if (write_channels(s) < 0)
        return -1;
    json_arr(in->w, "messages");
    int rc = transfer_each(in, is_day, take_day, s);
    json_end(in->w);
    return rc;
}

int read_slack(struct transfer_in *in)
{
    struct slack_in s = {.in = in};
    if (transfer_unpack(in, "") < 0)
        return -1;
    *in->done = (struct transfer_done){.n = {0}};
    int rc = write_all(&s);
    map_done(&s.users);
    map_done(&s.places);
    map_done(&s.threads);
    return rc;
}
