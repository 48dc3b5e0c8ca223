/* SPDX-License-Identifier: Apache-2.0 */
/* The sections workspaces, channels and messages of seed documents, applied (docs/seed.md). */
#include "engine/blob/blob.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/search/index.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "identity/sql.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"

/* ---- workspaces ---- */

static int text_of(struct doc *d, const struct json *v, const char *member, const char *otherwise,
                   const char **ret)
{
    if (doc_str(d, v, member, false, ret) < 0)
        return -1;
    if (!*ret)
        *ret = otherwise;
    return 0;
}

/* An object that has no members but those of a form. */
static int known(struct tx *tx, struct doc *d, const struct json *v, const struct form *form)
{
    return form_known(&(struct form_in){tx, d, v}, form);
}

static int seed_status(struct doc *d, const struct json *v, struct chat_user *u)
{
    static const char *const members[] = {"text", "emoji", "expires", NULL};
    const struct json *status = json_get(v, "status");
    if (!status)
        return 0;
    size_t mark = doc_push(d, "status", -1);
    if (doc_object(d, status, members) < 0 || text_of(d, status, "text", "", &u->status_text) < 0 ||
        text_of(d, status, "emoji", "", &u->status_emoji) < 0 ||
        chat_doc_second(d, status, "expires", 0, &u->status_expires_s) < 0)
        return -1;
    doc_pop(d, mark);
    return 0;
}

/* The member "photo": a picture in base64. */
static int seed_photo(struct tx *tx, struct doc *d, const struct json *v, int64_t *ret)
{
    const char *base64;
    uint8_t *data;
    size_t len;
    if (doc_str(d, v, "photo", false, &base64) < 0)
        return -1;
    if (!base64)
        return 0;
    if (base64_decode(tx->arena, base64, strlen(base64), &data, &len) < 0 || !len)
        return doc_fail(d, json_get(v, "photo"), "photo", "is not base64");
    return blob_put(tx, data, len, ret);
}

static int seed_user(struct tx *tx, struct doc *d, const struct json *v, struct chat_workspace *w)
{
    static const char *const presences[] = {"auto", "away", NULL};
    struct actor actor;
    int role, presence;
    if (known(tx, d, v, &chat_user_form) < 0 ||
        ident_doc_actor(tx, d, v, "actor", true, &actor) < 0)
        return -1;
    struct chat_user u = chat_new_user(tx, w, &actor), other;
    int r = chat_user_of(tx, actor.id, w->id, &other);
    if (r)
        return r < 0 ? -1 : doc_fail_twice(d, json_get(v, "actor"), "actor");
    const struct chat_vendor *vendor = chat_vendor_of(tx, w->id);
    if (chat_doc_new_key(d, v, vendor, CHAT_THING_USER, &u.key) < 0 ||
        text_of(d, v, "name", u.name, &u.name) < 0 ||
        text_of(d, v, "real_name", u.real_name, &u.real_name) < 0 ||
        text_of(d, v, "display_name", "", &u.display_name) < 0 ||
        text_of(d, v, "title", "", &u.title) < 0 || text_of(d, v, "phone", "", &u.phone) < 0 ||
        text_of(d, v, "email", u.email, &u.email) < 0 ||
        text_of(d, v, "pronouns", "", &u.pronouns) < 0 ||
        text_of(d, v, "zone", u.zone, &u.zone) < 0 ||
        text_of(d, v, "locale", u.locale, &u.locale) < 0 ||
        doc_enum(d, v, "role", chat_roles, CHAT_MEMBER, &role) < 0 ||
        doc_enum(d, v, "presence", presences, 0, &presence) < 0 ||
        text_of(d, v, "color", NULL, &u.color) < 0 ||
        doc_bool(d, v, "active", u.active, &u.active) < 0 ||
        doc_bool(d, v, "deleted", false, &u.deleted) < 0 ||
        chat_doc_second(d, v, "updated", u.updated_s, &u.updated_s) < 0 ||
        seed_status(d, v, &u) < 0)
        return -1;
    if (!tz_find(u.zone))
        return doc_fail(d, json_get(v, "zone"), "zone", "unknown time zone \"%.40s\"", u.zone);
    u.role = (enum chat_role)role;
    u.presence = presences[presence];
    if (chat_doc_shaped(d, v, "fields", JSON_OBJECT, &u.fields) < 0 ||
        seed_photo(tx, d, v, &u.photo) < 0)
        return -1;
    if (chat_user_add(tx, &u) == 0)
        return 0;
    return chat_doc_added(tx, d, v, "id", -1);
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
    static const char *const plans[] = {"free", "standard", "plus", NULL};
    const struct chat_vendor *vendor;
    struct chat_workspace w = {0};
    int plan;
    if (known(tx, d, v, &chat_workspace_form) < 0 || text_of(d, v, "vendor", "", &w.vendor) < 0)
        return -1;
    if (!(vendor = chat_vendor_named(tx, w.vendor)))
        return doc_fail(d, json_get(v, "vendor"), "vendor", "\"%.40s\" is not a vendor of chat",
                        w.vendor);
    if (chat_doc_new_key(d, v, vendor, CHAT_THING_WORKSPACE, &w.key) < 0 ||
        doc_str(d, v, "domain", true, &w.domain) < 0 ||
        text_of(d, v, "name", w.domain, &w.name) < 0 ||
        text_of(d, v, "email_domain", "", &w.email_domain) < 0 ||
        doc_enum(d, v, "plan", plans, 1, &plan) < 0 ||
        chat_doc_second(d, v, "created", tx->now_us / US_PER_SECOND, &w.created_s) < 0 ||
        chat_doc_shaped(d, v, "settings", JSON_OBJECT, &w.setting) < 0)
        return -1;
    const char *may = ".abcdefghijklmnopqrstuvwxyz0123456789-";
    if (!*w.domain || strspn(w.domain, may + !vendor->hosts) != strlen(w.domain))
        return doc_fail(d, json_get(v, "domain"), "domain",
                        "\"%.80s\" has other characters than small letters, digits and hyphens",
                        w.domain);
    w.plan = plans[plan];
    w.setting = w.setting ? w.setting : "{}";
    if (chat_workspace_add(tx, &w) < 0)
        return chat_doc_added(tx, d, v, is_known(tx, w.domain) ? "domain" : "id", -1);
    if ((json_get(v, "members") ? seed_items(tx, d, v, "members", &w, seed_user)
                                : seed_everybody(tx, &w)) < 0)
        return -1;
    return vendor->seed_apps ? vendor->seed_apps(tx, d, v, &w) : 0;
}

/* ---- channels ---- */

/* Up to where somebody has read: a ts, or a time. Absent: *ret stays. */
static int read_up_to(struct doc *d, const struct json *v, int64_t *ret_us)
{
    const char *text;
    if (doc_str(d, v, "read", false, &text) < 0)
        return -1;
    if (text && chat_ts_read(text, ret_us) < 0 && chat_doc_time(d, v, "read", "UTC", ret_us) < 0)
        return -1;
    return *ret_us < 0 || *ret_us > CHAT_LAST_INSTANT
               ? doc_fail(d, json_get(v, "read"), "read", CHAT_OUT_OF_TIME)
               : 0;
}

static int seed_who(struct tx *tx, struct doc *d, const struct json *v, struct chat_channel *ch,
                    int64_t all_read_us)
{
    static struct sql_text q = SQL_TEXT("update chat_member set read_us = :read, open = :open, "
                                        "joined_s = :at, part = :part where channel = :channel and "
                                        "user = :user");
    struct chat_user u;
    const char *name = v->type == JSON_STRING ? v->str : NULL;
    int64_t read_us = all_read_us, joined = ch->created_s;
    bool open = true;
    int part = CHAT_PART_MEMBER;
    if (!name && (known(tx, d, v, &chat_who_form) < 0 || doc_str(d, v, "user", true, &name) < 0 ||
                  read_up_to(d, v, &read_us) < 0 || doc_bool(d, v, "open", true, &open) < 0 ||
                  chat_doc_second(d, v, "joined", joined, &joined) < 0 ||
                  doc_enum(d, v, "role", chat_parts, CHAT_PART_MEMBER, &part) < 0))
        return -1;
    int r = chat_doc_find(tx, ch->workspace, name, &u);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, v, NULL, "there is nobody \"%.80s\" in the workspace", name);
    if (chat_member_add(tx, ch, u.id, 0) < 0)
        return -1;
    return TX_RUN(tx, &q, read_us, open, joined, part, ch->id, u.id);
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
    int64_t read_us = 0;
    if (doc_items(d, v, "members", &it) < 0 || read_up_to(d, v, &read_us) < 0)
        return -1;
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

static int seed_about(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                      struct chat_channel *ch, const char **ret, int64_t *ret_by, int64_t *ret_s)
{
    static const char *const members[] = {"text", "by", "set", NULL};
    const struct json *about = json_get(v, member);
    struct chat_user by = {.id = ch->creator};
    *ret = "";
    if (!about)
        return 0;
    *ret_s = ch->created_s;
    if (about->type == JSON_STRING) {
        *ret = about->str;
    } else {
        size_t mark = doc_push(d, member, -1);
        if (doc_object(d, about, members) < 0 || doc_str(d, about, "text", false, ret) < 0 ||
            chat_doc_user(tx, d, about, "by", ch->workspace, &by) < 0 ||
            chat_doc_second(d, about, "set", *ret_s, ret_s) < 0)
            return -1;
        if (!*ret) /* one that was cleared is empty */
            return doc_fail(d, about, "text", "is missing");
        doc_pop(d, mark);
    }
    *ret_by = by.id;
    return 0;
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
    struct chat_workspace w;
    struct chat_user creator;
    struct chat_channel ch = {0};
    const char *previous;
    int kind, posting;
    if (known(tx, d, v, &chat_channel_form) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_new_key(d, v, chat_vendor_of(tx, w.id), CHAT_THING_CHANNEL, &ch.key) < 0 ||
        doc_enum(d, v, "kind", chat_kinds, 0, &kind) < 0 ||
        chat_doc_team(tx, d, v, w.id, &ch.team) < 0 ||
        doc_str(d, v, "name", kind != CHAT_DIRECT && kind != CHAT_GROUP, &ch.name) < 0 ||
        chat_doc_user(tx, d, v, "creator", w.id, &creator) < 0 ||
        chat_doc_second(d, v, "created", w.created_s, &ch.created_s) < 0 ||
        doc_bool(d, v, "general", false, &ch.general) < 0 ||
        doc_bool(d, v, "archived", false, &ch.archived) < 0 ||
        doc_enum(d, v, "posting", chat_postings, 0, &posting) < 0 ||
        doc_int(d, v, "updated_us", 0, CHAT_LAST_INSTANT, ch.created_s * US_PER_SECOND,
                &ch.updated_us) < 0 ||
        chat_doc_shaped(d, v, "previous_names", JSON_ARRAY, &previous) < 0 ||
        chat_doc_shaped(d, v, "properties", JSON_OBJECT, &ch.properties) < 0)
        return -1;
    ch.workspace = w.id;
    ch.kind = (enum chat_kind)kind;
    ch.posting = chat_postings[posting];
    ch.creator = creator.id;
    ch.previous_names = previous ? previous : "[]";
    if (seed_about(tx, d, v, "topic", &ch, &ch.topic, &ch.topic_by, &ch.topic_s) < 0 ||
        seed_about(tx, d, v, "purpose", &ch, &ch.purpose, &ch.purpose_by, &ch.purpose_s) < 0 ||
        (kind >= CHAT_DIRECT && seed_pair(tx, d, v, &ch) < 0))
        return -1;
    int r = ch.name ? has_name(tx, &ch) : 0;
    if (r)
        return r < 0 ? -1 : doc_fail_twice(d, json_get(v, "name"), "name");
    if (chat_channel_add(tx, &ch) < 0)
        return chat_doc_added(tx, d, v, "id", -1);
    return seed_members(tx, d, v, &ch);
}

/* ---- messages ---- */

/* The members of a message but where it is and when. */
static int read_message_doc(struct tx *tx, struct doc *d, const struct json *v,
                            const struct chat_channel *ch, struct chat_user *from,
                            struct chat_message *m)
{
    struct chat_user editor;
    const char *edited;
    bool broadcast;
    int importance;
    if (chat_doc_shaped(d, v, "blocks", JSON_ARRAY, &m->blocks) < 0 ||
        chat_doc_shaped(d, v, "attachments", JSON_ARRAY, &m->attachments) < 0 ||
        chat_doc_shaped(d, v, "metadata", JSON_OBJECT, &m->metadata) < 0 ||
        chat_doc_shaped(d, v, "extra", JSON_OBJECT, &m->extra) < 0 ||
        chat_doc_shaped(d, v, "files", JSON_ARRAY, &m->files) < 0)
        return -1;
    if (chat_doc_user(tx, d, v, "from", ch->workspace, from) < 0 ||
        text_of(d, v, "text", "", &m->text) < 0 ||
        doc_str(d, v, "subtype", false, &m->subtype) < 0 ||
        doc_str(d, v, "client", false, &m->client) < 0 ||
        doc_str(d, v, "format", false, &m->format) < 0 ||
        doc_str(d, v, "subject", false, &m->subject) < 0 ||
        doc_enum(d, v, "importance", chat_importances, CHAT_NORMAL, &importance) < 0 ||
        doc_str(d, v, "edited", false, &edited) < 0 ||
        chat_doc_user(tx, d, v, "editor", ch->workspace, &editor) < 0 ||
        doc_bool(d, v, "broadcast", false, &broadcast) < 0 ||
        doc_int(d, v, "flags", 0, 127, chat_usual_flags(m), &m->flags) < 0)
        return -1;
    m->user = from->id;
    m->editor = editor.id;
    m->importance = (enum chat_importance)importance;
    if (broadcast)
        m->flags |= CHAT_BROADCAST;
    if (edited && (chat_ts_read(edited, &m->edited_us) < 0 || m->edited_us > CHAT_LAST_INSTANT))
        return doc_fail(d, v, "edited", "\"%.40s\" is not a time of a message", edited);
    return chat_doc_app(tx, d, v, &m->app);
}

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
    struct chat_message m = {0}, root;
    struct chat_user from;
    const struct chat_vendor *vendor = chat_vendor_of(tx, ch->workspace);
    const char *ts, *thread_ts;
    int64_t root_us;
    if (known(tx, d, v, &chat_message_form) < 0 || read_message_doc(tx, d, v, ch, &from, &m) < 0 ||
        doc_str(d, v, "ts", false, &ts) < 0 || doc_str(d, v, "thread", false, &thread_ts) < 0 ||
        chat_doc_time(d, v, "at", from.zone ? from.zone : "UTC", &m.ts_us) < 0)
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
