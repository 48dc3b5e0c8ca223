/* SPDX-License-Identifier: Apache-2.0 */
/* What apps are sent about messages: that they are there, changed or gone, that the app is
 * mentioned, that a link of its was shared, metadata. */
#include "engine/json/build.h"
#include "services/chat/core/ask.h"
#include "services/chat/slack/agents/agent.h"
#include "services/chat/slack/agents/agents.h"
#include "services/chat/slack/events/news.h"
#include <strings.h>

static const char *const channel_types[] = {"channel", "group", "im", "mpim"};
static const char *const message_kinds[] = {"message.channels", "message.groups", "message.im",
                                            "message.mpim"};

/* ---- rendering ---- */

/* The message as an object, so that it can be written with other members. NULL: failed. */
static const struct json *rendered(struct sl_notice *t, const struct chat_message *m)
{
    struct json_writer *before = t->stage.out, w;
    const struct json *v = NULL;
    struct json_builder build;
    struct buf failed;
    buf_init(&failed, 0);
    json_build_init(&build, t->tx->arena);
    json_init_build(&w, &build, &failed);
    t->stage.out = &w;
    int rc = sl_write_message(&t->stage, NULL, m, SL_METADATA);
    t->stage.out = before;
    if (rc == 0 && !buf_failed(&failed))
        v = json_build_root(&build);
    json_build_done(&build);
    buf_done(&failed);
    return v;
}

static bool is_left_out(const char *name, const char *const *list)
{
    for (; list && *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* Its members, but for some. */
static void write_members_but(struct sl_notice *t, const struct json *v, const char *const *without)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (!is_left_out(v->members[i].key, without))
            json_value(&t->writer, v->members[i].key, &v->members[i].value);
}

static int notify_of_message(struct sl_notice *t, const char *event)
{
    struct chat_agent_channel a;
    int r = t->channel.properties ? chat_agent_channel_get(t->tx, t->channel.id, &a) : 0;
    if (r < 0)
        return -1;
    t->also = r ? "message.session" : NULL;
    r = sl_event_to(t, "message", message_kinds[t->channel.kind], SL_TO_MEMBERS, 0, event);
    t->also = NULL;
    return r;
}

static void write_channel(struct sl_notice *t)
{
    json_str(&t->writer, "channel", t->channel.key);
}

static const char *ts_text(struct sl_notice *t, int64_t us)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, us);
    return arena_strdup(t->tx->arena, ts);
}

/* In a shared channel a message says whose workspace it is of. */
static int write_source(struct sl_notice *t)
{
    struct chat_workspace w;
    if (!t->shared)
        return 0;
    int r = chat_workspace_get(t->tx, t->source, &w);
    if (r == 1) {
        json_str(&t->writer, "user_team", w.key);
        json_str(&t->writer, "source_team", w.key);
    }
    return r < 0 ? -1 : 0;
}

/* Ends an event whose ts is another member's. */
static const char *close_at(struct sl_notice *t, const char *ts)
{
    json_str(&t->writer, "event_ts", ts);
    json_str(&t->writer, "channel_type", channel_types[t->channel.kind]);
    json_end(&t->writer);
    return buf_failed(&t->out) || arena_failed(t->tx->arena)
               ? NULL
               : arena_memdup(t->tx->arena, buf_str(&t->out), t->out.len);
}

/* ---- mentions ---- */

static int notify_mention(struct sl_notice *t, const struct chat_message *m, const struct json *v,
                          int64_t app, int64_t user)
{
    static const char *const without[] = {"type", NULL};
    struct sl_event e = {.workspace = t->source, .channel = t->channel.id, .type = "app_mention"};
    sl_event_open(t, "app_mention");
    write_members_but(t, v, without);
    if (write_source(t) < 0)
        return -1;
    write_channel(t);
    json_str(&t->writer, "event_ts", ts_text(t, m->ts_us));
    json_end(&t->writer);
    e.event = buf_failed(&t->out) ? NULL : arena_memdup(t->tx->arena, buf_str(&t->out), t->out.len);
    if (!e.event)
        return sosia_fail_memory(t->tx->err);
    return sl_push_event(t->tx, &e, app, user) < 0 ? -1 : 0;
}

/* Somebody of a workspace that has the channel. */
static int find_named(struct sl_notice *t, const char *key, struct chat_user *ret)
{
    int r = chat_user_find(t->tx, t->workspace, key, ret);
    return r || !t->shared ? r : chat_user_sharing(t->tx, t->channel.id, key, ret);
}

/* Each bot that the text names, once; a direct channel has no mentions. */
static int notify_mentions(struct sl_notice *t, const struct chat_message *m, const struct json *v)
{
    const char *seen[32];
    size_t n_seen = 0;
    if (t->channel.kind == CHAT_DIRECT || m->flags & CHAT_SYSTEM)
        return 0;
    for (const char *p = m->text; (p = strstr(p, "<@")); p++) {
        size_t n = strcspn(p + 2, "|>");
        const char *key = arena_memdup(t->tx->arena, p + 2, n);
        struct chat_install i;
        struct chat_member in;
        struct chat_user u;
        if (!key || n > 20 || n_seen == SOSIA_LEN(seen))
            continue;
        bool known = false;
        for (size_t k = 0; k < n_seen && !known; k++)
            known = strcmp(seen[k], key) == 0;
        if (known)
            continue;
        seen[n_seen++] = key;
        int r = find_named(t, key, &u);
        if (r == 1 && (r = u.bot) == 1)
            r = chat_install_by_user(t->tx, u.id, &i);
        if (r == 1 && !i.deleted && (r = chat_member_of(t->tx, t->channel.id, u.id, &in)) == 1)
            r = sl_subscribed(t->tx, i.app, "app_mention", false);
        if (r < 0 || (r == 1 && !i.deleted && notify_mention(t, m, v, i.app, u.id) < 0))
            return -1;
    }
    return 0;
}

/* ---- links ---- */

struct link {
    const char *url, *domain;
};
#define MAX_LINKS 20

/* Links of a stored text: <https://example.com/a|label>. */
static size_t read_links(struct sl_notice *t, const char *text, struct link *ret)
{
    size_t n = 0;
    for (const char *p = text; n < MAX_LINKS && (p = strchr(p, '<')); p++) {
        size_t len = strcspn(p + 1, "|>");
        if (strncmp(p + 1, "http://", 7) != 0 && strncmp(p + 1, "https://", 8) != 0)
            continue;
        const char *url = arena_memdup(t->tx->arena, p + 1, len);
        const char *host = url ? strstr(url, "://") + 3 : NULL;
        if (host)
            ret[n++] = (struct link){url, arena_memdup(t->tx->arena, host, strcspn(host, "/:?#"))};
    }
    return n;
}

/* Is the host the domain, or below it? */
static bool is_in_domain(const char *host, const char *domain)
{
    size_t h = strlen(host), d = strlen(domain);
    return h >= d && strcasecmp(host + h - d, domain) == 0 && (h == d || host[h - d - 1] == '.');
}

static const char *domain_of(const struct json *domains, const char *host)
{
    for (uint32_t i = 0; domains && i < domains->n; i++)
        if (domains->items[i].type == JSON_STRING && is_in_domain(host, domains->items[i].str))
            return domains->items[i].str;
    return NULL;
}

bool sl_is_unfurled(struct tx *tx, const struct json *domains, const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? arena_memdup(tx->arena, host + 3, strcspn(host + 3, "/:?#")) : NULL;
    return host && domain_of(domains, host);
}

const char *sl_unfurl_id(struct tx *tx, const struct chat_app *app, const char *channel,
                         int64_t ts_us)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, ts_us);
    const char *what = arena_printf(tx->arena, "%s.%s", channel, ts);
    /* Without its "v0=". */
    return arena_printf(tx->arena, "%s.%s", what,
                        sl_signature(tx, app->verification, app->id, what) + 3);
}

static int notify_of_links_to(struct sl_notice *t, const struct chat_message *m, int64_t app,
                              const struct chat_install *install, const struct link *links,
                              size_t n)
{
    struct chat_member in;
    struct sl_settings s;
    struct chat_app a;
    size_t found = 0;
    int r = chat_app_of(t->tx, app, &a);
    if (r != 1 || sl_settings_of(t->tx, &a, &s) < 0)
        return r == 0 ? 0 : -1;
    if (install->user && (r = chat_member_of(t->tx, t->channel.id, install->user, &in)) < 0)
        return -1;
    sl_event_open(t, "link_shared");
    json_str(&t->writer, "user", sl_user_key(&t->stage, m->user));
    write_channel(t);
    json_str(&t->writer, "message_ts", ts_text(t, m->ts_us));
    if (m->thread && m->thread != m->id) {
        struct chat_message root;
        int there = chat_message_get(t->tx, m->thread, &root);
        if (there < 0)
            return -1;
        if (there)
            json_str(&t->writer, "thread_ts", ts_text(t, root.ts_us));
    }
    json_arr(&t->writer, "links");
    for (size_t i = 0; i < n; i++) {
        const char *domain = domain_of(s.unfurl_domains, links[i].domain);
        if (!domain)
            continue;
        found++;
        json_obj(&t->writer, NULL);
        json_str(&t->writer, "url", links[i].url);
        json_str(&t->writer, "domain", domain);
        json_end(&t->writer);
    }
    json_end(&t->writer);
    json_str(&t->writer, "source", "conversations_history");
    json_str(&t->writer, "unfurl_id", sl_unfurl_id(t->tx, &a, t->channel.key, m->ts_us));
    json_bool(&t->writer, "is_bot_user_member", install->user && r == 1);
    return found ? sl_event_to_app(t, "link_shared", "link_shared", app, sl_event_close(t)) : 0;
}

/* Apps of the channel's workspace, and of the one that the author is of. */
static int notify_of_links(struct sl_notice *t, const struct chat_message *m)
{
    static struct sql_text q =
        SQL_TEXT("select i.id from slack_subscription s join slack_install i on i.app = s.app and "
                 "i.workspace in (:workspace, :source) where s.kind = 'link_shared' and s.person = "
                 "0 and not i.deleted and s.app > :after order by s.app, i.workspace = :workspace "
                 "limit 1");
    struct link links[MAX_LINKS];
    struct chat_install install = {0};
    size_t n = m->flags & CHAT_SYSTEM ? 0 : read_links(t, m->text, links);
    int64_t id;
    int r = n > 0;
    while (r == 1 && (r = TX_INT(t->tx, &q, &id, t->workspace, t->source, install.app)) == 1)
        if (chat_install_get(t->tx, id, &install) != 1 ||
            notify_of_links_to(t, m, install.app, &install, links, n) < 0)
            return -1;
    return r;
}

/* ---- metadata ---- */

/* Metadata that has an event; one of work objects alone is sent to nobody. NULL: there is none. */
static const char *event_in(struct tx *tx, const char *metadata)
{
    const struct json *v;
    struct sosia_err err;
    if (!metadata || json_parse(tx->arena, metadata, strlen(metadata), NULL, &v, &err) < 0)
        return NULL;
    return json_get(v, "event_type") ? metadata : NULL;
}

static int notify_of_metadata(struct sl_notice *t, const char *type, const struct chat_message *m,
                              const char *before)
{
    struct json_writer *w = &t->writer;
    sl_event_open(t, type);
    json_str(w, "user_id", sl_user_key(&t->stage, m->user));
    const struct sl_sender *sender = m->app ? sl_sender_of(&t->stage, m->app) : NULL;
    if (sender) {
        json_str_opt(w, "bot_id", sender->bot);
        json_str_opt(w, "app_id", sender->app_key);
    }
    json_str(w, "team_id", sl_me(&t->stage)->workspace.key);
    json_str(w, "channel_id", t->channel.key);
    if (m->metadata)
        json_raw(w, "metadata", m->metadata, strlen(m->metadata));
    else
        json_null(w, "metadata");
    if (before)
        json_raw(w, "previous_metadata", before, strlen(before));
    json_str(w, "message_ts", ts_text(t, m->ts_us));
    if (strcmp(type, "message_metadata_deleted") == 0)
        json_str(w, "deleted_ts", sl_event_ts(t));
    return sl_event_to(t, type, type, SL_TO_MEMBERS, 0, sl_event_close(t));
}

/* ---- threads with an assistant ---- */

/* To what somebody writes there belongs a token with which the app may search for him
 * (docs.slack.dev, assistant.search.context). */
static int write_assistant(struct sl_notice *t, const struct chat_message *m)
{
    struct chat_message root;
    if (t->channel.kind != CHAT_DIRECT || m->app || !m->thread || m->thread == m->id)
        return 0;
    int r = chat_message_get(t->tx, m->thread, &root);
    if (r != 1 || !sl_is_assistant_thread(&root))
        return r < 0 ? -1 : 0;
    const char *what = arena_printf(t->tx->arena, "%s %s", t->channel.key, ts_text(t, m->ts_us));
    unsigned long long a = chat_hash(what), b = chat_hash(arena_printf(t->tx->arena, "%s.", what));
    json_obj(&t->writer, "assistant_thread");
    json_str(&t->writer, "action_token",
             arena_printf(t->tx->arena, "%llu.%llu.%016llx%016llx", a % 10000000000000,
                          b % 1000000000000, a, b));
    json_end(&t->writer);
    return 0;
}

/* ---- what happened ---- */

static int message_added(struct sl_notice *t)
{
    static const char *const without[] = {"type", "subtype", NULL};
    struct chat_message m;
    int r = chat_message_get(t->tx, t->news->entity, &m);
    if (r != 1)
        return r;
    const struct json *v = rendered(t, &m);
    if (!v)
        return sosia_fail_memory(t->tx->err);
    const char *subtype = json_get_str(v, "subtype");
    if (!subtype && m.files)
        subtype = "file_share";
    sl_event_open(t, "message");
    json_str_opt(&t->writer, "subtype", subtype);
    write_members_but(t, v, without);
    if (subtype && strcmp(subtype, "file_share") == 0) {
        json_bool(&t->writer, "upload", false);
        json_bool(&t->writer, "display_as_bot", false);
    }
    if (write_source(t) < 0)
        return -1;
    write_channel(t);
    if (write_assistant(t, &m) < 0)
        return -1;
    if (notify_of_message(t, close_at(t, ts_text(t, m.ts_us))) < 0 ||
        notify_mentions(t, &m, v) < 0 || notify_of_links(t, &m) < 0)
        return -1;
    return event_in(t->tx, m.metadata) ? notify_of_metadata(t, "message_metadata_posted", &m, NULL)
                                       : 0;
}

/* What a reply does to the first message of its thread is an event of its own kind to RTM. */
static const char *replied(struct sl_notice *t, const struct json *now)
{
    sl_event_open(t, "message");
    json_str(&t->writer, "subtype", "message_replied");
    json_bool(&t->writer, "hidden", true);
    json_value(&t->writer, "message", now);
    write_channel(t);
    json_str(&t->writer, "event_ts", sl_event_ts(t));
    json_str(&t->writer, "ts", sl_event_ts(t));
    json_end(&t->writer);
    return buf_failed(&t->out) ? NULL : arena_memdup(t->tx->arena, buf_str(&t->out), t->out.len);
}

static int message_changed(struct sl_notice *t)
{
    const struct chat_message *before = &t->news->message;
    struct chat_message m;
    int r = chat_message_get(t->tx, t->news->entity, &m);
    if (r != 1)
        return r;
    const struct json *now = rendered(t, &m), *old = before->id ? rendered(t, before) : NULL;
    if (!now || (before->id && !old))
        return sosia_fail_memory(t->tx->err);
    if (before->id && m.replies > before->replies && !(t->other = replied(t, now)))
        return sosia_fail_memory(t->tx->err);
    sl_event_open(t, "message");
    json_str(&t->writer, "subtype", "message_changed");
    json_value(&t->writer, "message", now);
    if (old)
        json_value(&t->writer, "previous_message", old);
    write_channel(t);
    json_bool(&t->writer, "hidden", true);
    json_str(&t->writer, "ts", sl_event_ts(t));
    if (notify_of_message(t, close_at(t, sl_event_ts(t))) < 0)
        return -1;
    t->other = NULL;
    const char *a = event_in(t->tx, before->metadata), *b = event_in(t->tx, m.metadata);
    if ((!a && !b) || (a && b && strcmp(a, b) == 0))
        return 0;
    if (!b)
        return notify_of_metadata(t, "message_metadata_deleted", &m, a);
    return notify_of_metadata(t, a ? "message_metadata_updated" : "message_metadata_posted", &m, a);
}

static int message_removed(struct sl_notice *t)
{
    const struct chat_message *before = &t->news->message;
    const struct json *old = rendered(t, before);
    if (!old)
        return sosia_fail_memory(t->tx->err);
    sl_event_open(t, "message");
    json_str(&t->writer, "subtype", "message_deleted");
    json_value(&t->writer, "previous_message", old);
    write_channel(t);
    json_bool(&t->writer, "hidden", true);
    json_str(&t->writer, "deleted_ts", ts_text(t, before->ts_us));
    json_str(&t->writer, "ts", sl_event_ts(t));
    if (notify_of_message(t, close_at(t, sl_event_ts(t))) < 0)
        return -1;
    const char *gone = event_in(t->tx, before->metadata);
    if (!gone)
        return 0;
    struct chat_message bare = *before;
    bare.metadata = NULL;
    return notify_of_metadata(t, "message_metadata_deleted", &bare, gone);
}

int sl_events_of_message(struct sl_notice *t)
{
    if (t->news->operation == OP_ADDED)
        return message_added(t);
    return t->news->operation == OP_CHANGED ? message_changed(t) : message_removed(t);
}
