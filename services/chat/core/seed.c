/* SPDX-License-Identifier: Apache-2.0 */
/* The sections workspaces, channels and messages of seed documents, applied (docs/seed.md). */
#include "engine/blob/blob.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/search/index.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "identity/sql.h"
#include "services/chat/core/form.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"

/* ---- workspaces ---- */

static int seed_user(struct tx *tx, struct doc *d, const struct json *v, struct chat_workspace *w)
{
    const struct form_in in = {tx, d, v, NULL};
    struct actor actor;
    if (form_known(&in, &chat_user_form) < 0 ||
        ident_doc_actor(tx, d, v, "actor", true, &actor) < 0)
        return -1;
    struct chat_user u = chat_new_user(tx, w, &actor), other;
    int r = chat_user_of(tx, actor.id, w->id, &other);
    if (r)
        return r < 0 ? -1 : doc_fail_twice(d, json_get(v, "actor"), "actor");
    if (form_read(&in, &chat_user_form, &u) < 0)
        return -1;
    return chat_user_add(tx, &u) == 0 ? 0 : doc_taken(d, v, "id");
}

/* Without a list everybody of the world is in the workspace; the first person has made it. */
static int seed_everybody(struct tx *tx, struct chat_workspace *w)
{
    static struct sql_text q =
        SQL_TEXT("select a.id from " IDENT_SQL_ACTORS
                 " a where a.kind in ('person', 'bot', 'app') order by a.id");
    const struct chat_vendor *vendor = chat_vendor_of(tx, w->id);
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? 1 : -1;
    bool first = true;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        struct actor actor;
        int rc = actor_by_id(tx, sqlite3_column_int64(st, 0), &actor);
        if (rc == 0)
            continue;
        if (rc == 1 && vendor->belongs && (rc = vendor->belongs(tx, w, &actor)) == 0)
            continue;
        struct chat_user u = rc == 1 ? chat_new_user(tx, w, &actor) : (struct chat_user){0};
        u.role = first && !u.bot ? CHAT_OWNER : CHAT_MEMBER;
        first = first && u.bot;
        if (rc < 0 || chat_user_add(tx, &u) < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}

static int seed_items(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                      struct chat_workspace *w,
                      int (*one)(struct tx *, struct doc *, const struct json *,
                                 struct chat_workspace *))
{
    struct doc_items it;
    if (doc_items(d, v, member, &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (one(tx, d, item, w) < 0)
            return -1;
    return 0;
}

static bool is_known(struct tx *tx, const char *workspace)
{
    struct chat_workspace w;
    return chat_workspace_find(tx, workspace, &w) == 1;
}

int chat_workspace_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    const struct form_in in = {tx, d, v, NULL};
    const struct chat_vendor *vendor;
    struct chat_workspace w = {0};
    form_usual(&chat_workspace_form, &w);
    w.created_s = tx->now_us / US_PER_SECOND;
    if (form_known(&in, &chat_workspace_form) < 0 ||
        form_read_member(&in, &chat_workspace_form, "vendor", &w) < 0)
        return -1;
    if (!(vendor = chat_vendor_named(tx, w.vendor)))
        return doc_fail(d, json_get(v, "vendor"), "vendor", "\"%.40s\" is not a vendor of chat",
                        w.vendor);
    if (form_read(&in, &chat_workspace_form, &w) < 0)
        return -1;
    const char *may = ".abcdefghijklmnopqrstuvwxyz0123456789-";
    if (!*w.domain || strspn(w.domain, may + !vendor->hosts) != strlen(w.domain))
        return doc_fail(d, json_get(v, "domain"), "domain",
                        "\"%.80s\" has other characters than small letters, digits and hyphens",
                        w.domain);
    w.name = w.name ? w.name : w.domain;
    if (chat_workspace_add(tx, &w) < 0)
        return doc_taken(d, v, is_known(tx, w.domain) ? "domain" : "id");
    if ((json_get(v, "members") ? seed_items(tx, d, v, "members", &w, seed_user)
                                : seed_everybody(tx, &w)) < 0)
        return -1;
    return vendor->seed_apps ? vendor->seed_apps(tx, d, v, &w) : 0;
}

/* ---- channels ---- */

static int seed_who(struct tx *tx, struct doc *d, const struct json *v, struct chat_channel *ch,
                    int64_t all_read_us)
{
    static struct sql_text q = SQL_TEXT("update chat_member set read_us = :read, open = :open, "
                                        "joined_s = :at, part = :part where channel = :channel and "
                                        "user = :user");
    struct chat_user u;
    struct chat_who who;
    form_usual(&chat_who_form, &who);
    who.read_us = all_read_us;
    who.joined_s = ch->created_s;
    if (v->type == JSON_STRING)
        who.user = v->str;
    else if (form_read(&(struct form_in){tx, d, v, NULL}, &chat_who_form, &who) < 0)
        return -1;
    int r = chat_doc_find(tx, ch->workspace, who.user, &u);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, v, NULL, "there is nobody \"%.80s\" in the workspace", who.user);
    if (chat_member_add(tx, ch, u.id, 0) < 0)
        return -1;
    return TX_RUN(tx, &q, who.read_us, who.open, who.joined_s, who.part, ch->id, u.id);
}

/* Who is in it; in the channel for everybody, those who are not guests. */
static int seed_members(struct tx *tx, struct doc *d, const struct json *v, struct chat_channel *ch)
{
    static struct sql_text q = SQL_TEXT("select id from chat_user where workspace = :workspace and "
                                        "actor is not null and not bot and not deleted and "
                                        "role not in ('guest', 'channel_guest') order by id");
    static struct sql_text all_read =
        SQL_TEXT("update chat_member set read_us = :read where channel = :channel");
    struct doc_items it;
    struct chat_who all = {0}; /* "read", of all of them */
    if (doc_items(d, v, "members", &it) < 0 ||
        form_read_member(&(struct form_in){tx, d, v, NULL}, &chat_who_form, "read", &all) < 0)
        return -1;
    const int64_t read_us = all.read_us;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (seed_who(tx, d, item, ch, read_us) < 0)
            return -1;
    if (it.list || !ch->general)
        return 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, ch->workspace);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (chat_member_add(tx, ch, sqlite3_column_int64(st, 0), 0) < 0) {
            sql_done(st);
            return -1;
        }
    return r < 0 ? -1 : TX_RUN(tx, &all_read, read_us, ch->id);
}

static int seed_pair(struct tx *tx, struct doc *d, const struct json *v, struct chat_channel *ch)
{
    const struct json *list = json_get(v, "members");
    struct chat_user u;
    size_t n = 0;
    uint32_t most = ch->kind == CHAT_DIRECT ? 2 : 9;
    if (ch->kind == CHAT_GROUP && chat_vendor_of(tx, ch->workspace)->groups_repeat)
        return 0;
    if (!list || list->type != JSON_ARRAY || !list->n || list->n > most)
        return doc_fail(d, v, "members", "a %s has %s members",
                        most == 2 ? "direct channel" : "group's channel",
                        most == 2 ? "one or two" : "one to nine");
    int64_t *users = arena_alloc(tx->arena, list->n * sizeof *users);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *who = &list->items[i];
        const char *name = who->type == JSON_STRING ? who->str : json_get_str(who, "user");
        int r = name ? chat_doc_find(tx, ch->workspace, name, &u) : 0;
        if (r != 1)
            return r < 0 ? -1
                         : doc_fail(d, who, "members", "there is nobody \"%.80s\" in the workspace",
                                    name ? name : "");
        users[n++] = u.id;
    }
    ch->pair = chat_pair(tx, users, n);
    return ch->pair ? 0 : sosia_fail_memory(tx->err);
}

/* Names are unique in a team, or among the workspace's own: 1, 0, -1. */
static int has_name(struct tx *tx, const struct chat_channel *ch)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from chat_channel where workspace = :workspace and name = :name and "
                 "kind < 2 and coalesce(team, 0) = :team limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, ch->workspace, ch->name, ch->team);
}

int chat_channel_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    const struct form_in in = {tx, d, v, NULL};
    struct chat_workspace w;
    struct chat_channel ch = {.topic = "", .purpose = ""};
    form_usual(&chat_channel_form, &ch);
    if (form_known(&in, &chat_channel_form) < 0 || chat_doc_workspace(tx, d, v, &w) < 0)
        return -1;
    ch.created_s = w.created_s;
    ch.updated_us = CHAT_UNSAID;
    if (form_read(&in, &chat_channel_form, &ch) < 0)
        return -1;
    if (ch.updated_us == CHAT_UNSAID)
        ch.updated_us = ch.created_s * US_PER_SECOND;
    if (chat_channel_about(&in, &ch) < 0 ||
        (ch.kind >= CHAT_DIRECT && seed_pair(tx, d, v, &ch) < 0))
        return -1;
    int r = ch.name ? has_name(tx, &ch) : 0;
    if (r)
        return r < 0 ? -1 : doc_fail_twice(d, json_get(v, "name"), "name");
    if (chat_channel_add(tx, &ch) < 0)
        return doc_taken(d, v, "id");
    return seed_members(tx, d, v, &ch);
}

/* ---- messages ---- */

static int seed_pinned(struct tx *tx, struct doc *d, const struct json *v, struct chat_channel *ch,
                       struct chat_message *m)
{
    struct chat_user by;
    int64_t at_s;
    if (chat_doc_user(tx, d, v, "pinned", ch->workspace, &by) < 0 ||
        chat_doc_second(d, v, "pinned_at", m->ts_us / US_PER_SECOND, &at_s) < 0)
        return -1;
    return by.id ? chat_pin(tx, ch, m, by.id, at_s) : 0;
}

#define LAST_IN_SECOND ((INT64_C(1) << CHAT_SEQ_BITS) - 1) /* of the ids of messages */

static int seed_message_in(struct tx *tx, struct doc *d, const struct json *v,
                           struct chat_channel *ch, int64_t thread);

static int seed_replies(struct tx *tx, struct doc *d, const struct json *v, struct chat_channel *ch,
                        int64_t thread)
{
    struct doc_items it;
    if (doc_items(d, v, "replies", &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (seed_message_in(tx, d, item, ch, thread) < 0)
            return -1;
    return 0;
}

static int seed_message_in(struct tx *tx, struct doc *d, const struct json *v,
                           struct chat_channel *ch, int64_t thread)
{
    const struct form_in in = {tx, d, v, NULL};
    struct chat_post_row post = {.workspace = ch->workspace};
    struct chat_message m, root;
    const struct chat_vendor *vendor = chat_vendor_of(tx, ch->workspace);
    const char *ts, *thread_ts;
    int64_t root_us;
    form_usual(&chat_post_form, &post);
    if (form_known(&in, &chat_message_form) < 0 ||
        form_read_members(&in, &chat_post_form, &post) < 0)
        return -1;
    m = post.m;
    if (doc_str(d, v, "ts", false, &ts) < 0 || doc_str(d, v, "thread", false, &thread_ts) < 0 ||
        chat_doc_time(d, v, "at", post.from.zone ? post.from.zone : "UTC", &m.ts_us) < 0)
        return -1;
    if (ts && chat_ts_read(ts, &m.ts_us) < 0)
        return doc_fail(d, v, "ts", "\"%.40s\" is not a time of a message", ts);
    if (m.ts_us < 0 || m.ts_us > CHAT_LAST_INSTANT)
        return doc_fail(d, v, ts ? "ts" : "at", CHAT_OUT_OF_TIME);
    m.thread = thread;
    if (thread_ts) {
        int r = chat_ts_read(thread_ts, &root_us) < 0
                    ? 0
                    : chat_message_find(tx, ch->id, root_us, &root);
        if (r != 1 || (root.thread && root.thread != root.id))
            return r < 0 ? -1
                         : doc_fail(d, v, "thread", "no thread begins at \"%.40s\"", thread_ts);
        m.thread = root.id;
    }
    if (m.ts_us && (chat_message_at(ch->id, m.ts_us) | LAST_IN_SECOND) < m.thread)
        return doc_fail(d, v, ts ? "ts" : "at", "an answer comes after what it answers");
    if (chat_post(tx, ch, &m) < 0 ||
        chat_doc_reactions(tx, d, v, ch->workspace, &m, 0, m.ts_us / US_PER_SECOND) < 0 ||
        seed_pinned(tx, d, v, ch, &m) < 0 || chat_doc_parts(tx, d, v, ch->workspace, m.id) < 0 ||
        (vendor->came && vendor->came(tx, ch, &m) < 0))
        return -1;
    if (thread && json_get(v, "replies"))
        return doc_fail(d, v, "replies", "a reply has no replies");
    return thread ? 0 : seed_replies(tx, d, v, ch, m.id);
}

static int seed_message(struct tx *tx, struct doc *d, const struct json *v)
{
    struct chat_workspace w;
    struct chat_channel ch;
    if (chat_doc_workspace(tx, d, v, &w) < 0 || chat_doc_channel(tx, d, v, w.id, &ch) < 0)
        return -1;
    return seed_message_in(tx, d, v, &ch, 0);
}

/* What so many of them need is gone behind them, so that documents of any length can be read: the
 * index has their words, and nobody is notified of what a document brings. */
#define BATCH 20000

static int seed_batch(struct tx *tx, struct doc *d, const struct json *value, uint32_t from)
{
    struct world_event *events = tx->events, *last = tx->last_event;
    struct arena *own = tx->arena, scratch;
    int rc = 0;
    arena_init(&scratch, 0);
    tx->arena = d->arena = &scratch;
    chat_doc_keep_people(d);
    for (uint32_t i = from; rc == 0 && i < value->n && i - from < BATCH; i++) {
        doc_pop(d, 0);
        doc_push(d, "messages", i);
        rc = seed_message(tx, d, &value->items[i]);
    }
    if (rc == 0)
        rc = search_settle(tx);
    if (rc == 0 && arena_failed(&scratch))
        rc = sosia_fail_memory(tx->err);
    tx->arena = d->arena = own;
    d->kept = NULL;
    tx->events = events;
    tx->last_event = last;
    if (last)
        last->next = NULL;
    arena_done(&scratch);
    return rc;
}

int chat_messages_seed(struct tx *tx, struct doc *doc, const struct json *value)
{
    if (!value || value->type != JSON_ARRAY)
        return seed_list(tx, doc, value, "messages", seed_message);
    if (search_settle(tx) < 0) /* its queue is there from now on */
        return -1;
    for (uint32_t i = 0; i < value->n; i += BATCH)
        if (seed_batch(tx, doc, value, i) < 0)
            return -1;
    return 0;
}
