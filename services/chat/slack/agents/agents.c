/* SPDX-License-Identifier: Apache-2.0 */
/* agents.conversations.*: code channels, what an agent says of its work there, its commands. */
#include "services/chat/slack/agents/agents.h"
#include "engine/base/made.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/chat/core/connect.h"
#include "services/chat/slack/events/push.h"
#include <ctype.h>

#define MAX_ITEMS 5

/* ---- what methods have in common ---- */

static bool one_of(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

/* An app that has a manifest says there that it makes code channels. */
static bool makes_channels(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct sl_settings s;
    if (!me->chat_app.id || !me->chat_app.manifest)
        return true;
    if (sl_settings_of(&c->tx, &me->chat_app, &s) < 0)
        return false;
    return json_get_true(s.all, "agent_channels");
}

/* ---- making ---- */

/* The message where the work began. */
struct origin {
    struct chat_channel channel; /* id 0: there is none */
    struct chat_message message;
};

static int one_connect(void *arg, const struct chat_workspace *w)
{
    (void)w;
    *(bool *)arg = true;
    return 1;
}

static int origin_arg(struct call *c, const char *key, const char *ts, struct origin *ret)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel *ch = &ret->channel;
    bool shared = false;
    int64_t us;
    ch->id = 0;
    if (!key)
        return 0;
    int r = chat_channel_find(&c->tx, me->workspace.id, key, ch);
    if (r == 1)
        r = chat_can_see(&c->tx, ch, &me->user);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_origin_link");
    shared = ch->workspace != me->workspace.id;
    if (!shared && chat_connects(&c->tx, ch->id, one_connect, &shared) < 0)
        return -1;
    if (shared)
        return slack_fail(c, "origin_channel_externally_shared");
    r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(&c->tx, ch->id, us, &ret->message);
    if (r < 0)
        return -1;
    return !r || ret->message.flags & CHAT_TOMBSTONE ? slack_fail(c, "invalid_origin_link") : 0;
}

/* A text as a title: without markup and who is named, in one line. */
static const char *plain(struct call *c, const char *text)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    for (const char *p = text; *p;) {
        size_t n = *p == '<' ? strcspn(p, ">") : 0;
        const char *bar = n && p[n] ? memchr(p, '|', n) : NULL;
        if (n && p[n]) {
            if (bar)
                buf_add(&b, bar + 1, (size_t)(p + n - bar - 1));
            else if (!strchr("@#!", p[1]))
                buf_add(&b, p + 1, n - 1);
            p += n + 1;
        } else if (strncmp(p, "&lt;", 4) == 0 || strncmp(p, "&gt;", 4) == 0) {
            buf_byte(&b, p[1] == 'l' ? '<' : '>');
            p += 4;
        } else if (strncmp(p, "&amp;", 5) == 0) {
            buf_byte(&b, '&');
            p += 5;
        } else if (isspace((unsigned char)*p)) {
            if (b.len && buf_str(&b)[b.len - 1] != ' ')
                buf_byte(&b, ' ');
            p++;
        } else {
            buf_byte(&b, *p++);
        }
    }
    char *made = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    size_t end = 0, n = 0;
    while (made[end] && n < SL_AGENT_TITLE_MAX)
        n += ((unsigned char)made[++end] & 0xc0) != 0x80;
    while (end && made[end - 1] == ' ')
        end--;
    made[end] = 0;
    buf_done(&b);
    return made + strspn(made, " ");
}

/* The name that nobody has yet: with a number behind it if need be. NULL: refused or failed. */
static const char *free_name(struct call *c, const char *title)
{
    const char *base = sl_agent_channel_name(c, title), *name;
    if (!*base)
        base = "agent-session";
    name = base;
    for (int i = 2; i < 1000; i++) {
        int r = sl_agent_name_taken(c, name, 0);
        if (r <= 0)
            return r < 0 ? NULL : name;
        size_t end = 0, n = 0, room = SL_AGENT_NAME_MAX - (i < 10 ? 2 : i < 100 ? 3 : 4);
        while (base[end] && (n < room || ((unsigned char)base[end] & 0xc0) == 0x80))
            n += ((unsigned char)base[end++] & 0xc0) != 0x80;
        name = arena_printf(c->tx.arena, "%.*s-%d", (int)end, base, i);
    }
    slack_fail(c, "channel_creation_failed");
    return NULL;
}

static int answer_agent_channel(struct call *c, const char *key)
{
    slack_open(c);
    json_str(c->out, "channel_id", key);
    slack_close(c);
    return 0;
}

/* The channel of a session that is there already: 1, it is answered; 0; -1. */
static int had_channel(struct call *c, const char *session)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_agent_channel a;
    struct chat_channel ch;
    int r = session ? chat_agent_channel_find(&c->tx, me->workspace.id, me->app, session, &a) : 0;
    if (r != 1 || (r = chat_channel_get(&c->tx, a.channel, &ch)) != 1)
        return r;
    if ((r = chat_can_see(&c->tx, &ch, &me->user)) != 1)
        return r < 0 ? -1 : slack_fail(c, "channel_not_viewable");
    return answer_agent_channel(c, ch.key) < 0 ? -1 : 1;
}

static int invite_author(struct call *c, struct chat_channel *ch, const struct origin *o)
{
    struct chat_user u;
    int r = o->channel.id && o->message.user ? chat_user_get(&c->tx, o->message.user, &u) : 0;
    if (r != 1)
        return r;
    return u.deleted || u.bot || !u.actor || u.workspace != ch->workspace
               ? 0
               : sl_joined(c, ch, &u, sl_me(c)->user.id);
}

static int make(struct call *c, const char *session, const char *name, const struct origin *o)
{
    const struct sl_caller *me = sl_me(c);
    bool private = slack_bool_arg(c, "is_private", o->channel.id && o->channel.kind != CHAT_PUBLIC);
    struct chat_channel ch = sl_new_channel(c, private ? CHAT_PRIVATE : CHAT_PUBLIC);
    struct chat_agent_channel a = {.app = me->app,
                                   .session = session,
                                   .title = name ? name : plain(c, o->message.text),
                                   .status = chat_agent_statuses[0],
                                   .origin = o->channel.id,
                                   .origin_us = o->channel.id ? o->message.ts_us : 0,
                                   .about = "{}"};
    if (!(ch.name = free_name(c, a.title)))
        return -1;
    if (!*a.title)
        a.title = ch.name;
    ch.properties = "{}";
    if (chat_channel_add(&c->tx, &ch) < 0 || sl_joined(c, &ch, &me->user, 0) < 0 ||
        chat_agent_channel_add(&c->tx, &ch, &a) < 0 ||
        chat_agent_add(&c->tx, ch.id, me->user.id) < 0 || invite_author(c, &ch, o) < 0)
        return -1;
    return answer_agent_channel(c, ch.key);
}

static int create(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *session, *name, *channel, *ts;
    struct origin o;
    if (sl_short_arg(c, "session_id", 64, &session) < 0 ||
        sl_short_arg(c, "name", SL_AGENT_TITLE_MAX, &name) < 0 ||
        sl_short_arg(c, "origin_channel_id", 32, &channel) < 0 ||
        sl_short_arg(c, "origin_message_ts", 32, &ts) < 0)
        return -1;
    if (!makes_channels(c))
        return slack_fail(c, "feature_disabled");
    if (!me->app || !me->user.bot)
        return slack_fail(c, "invalid_agent");
    if (!channel != !ts)
        return slack_fail(c, "invalid_origin_link");
    if (!name && !channel)
        return slack_fail(c, "name_or_origin_required");
    int r = had_channel(c, session);
    if (r)
        return r < 0 ? -1 : 0;
    if (me->user.role >= CHAT_GUEST)
        return slack_fail(c, "restricted_action");
    return origin_arg(c, channel, ts, &o) < 0 ? -1 : make(c, session, name, &o);
}

/* ---- properties ---- */

/* The object with members of another in the place of its own. */
static const char *merged(struct call *c, const char *had, const struct json *given)
{
    const struct json *v = NULL;
    struct json_writer w;
    struct buf b;
    if (had && json_parse(c->tx.arena, had, strlen(had), NULL, &v, c->tx.err) < 0)
        return NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; v && i < v->n; i++)
        if (!json_get(given, v->members[i].key))
            json_value(&w, v->members[i].key, &v->members[i].value);
    for (uint32_t i = 0; i < given->n; i++)
        json_value(&w, given->members[i].key, &given->members[i].value);
    json_end(&w);
    const char *text = buf_made(&b, c->tx.arena);
    if (!text)
        sosia_fail_memory(c->tx.err);
    return text;
}

/* Members of an object: texts of at most so many characters, unless it says otherwise. */
struct member {
    const char *name;
    size_t max;
    enum { TEXT, NUMBER, PATHS_OF_FILES, ITEMS, SUMMARY } kind;
};

static const struct member of_work[] = {{"host", 255, TEXT},
                                        {"repo", 255, TEXT},
                                        {"branch", 255, TEXT},
                                        {"base_branch", 255, TEXT},
                                        {"commit_sha", 64, TEXT},
                                        {"pr_number", 0, NUMBER},
                                        {"pr_url", 2048, TEXT},
                                        {"pr_title", 255, TEXT},
                                        {"pr_status", 32, TEXT},
                                        {"ci_url", 2048, TEXT},
                                        {"ci_state", 32, TEXT},
                                        {"file_paths", 0, PATHS_OF_FILES},
                                        {"language", 64, TEXT},
                                        {"upstream_url", 2048, TEXT},
                                        {"branch_url", 2048, TEXT},
                                        {"context_bar_items", 0, ITEMS},
                                        {"summary_message", 0, SUMMARY},
                                        {NULL, 0, TEXT}};
static const struct member of_resource[] = {{"url", 2048, TEXT},
                                            {"resource_type", 64, TEXT},
                                            {"title", 255, TEXT},
                                            {"provider", 64, TEXT},
                                            {NULL, 0, TEXT}};

static int check_short(struct call *c, const struct json *v, const char *pointer, size_t max)
{
    if (v->type != JSON_STRING)
        return slack_invalid_arguments(c, pointer, "must be a string");
    return sl_characters(v->str) > max ? sl_too_long(c, pointer, max) : 0;
}

static bool is_integer(const struct json *v)
{
    return v->type == JSON_NUMBER && !strpbrk(v->str, ".eE");
}

static int check_paths(struct call *c, const struct json *v, const char *pointer)
{
    if (v->type != JSON_ARRAY || v->n > 100)
        return slack_invalid_arguments(c, pointer,
                                       v->type != JSON_ARRAY ? "must be an array"
                                                             : "no more than 100 items allowed");
    for (uint32_t i = 0; i < v->n; i++)
        if (check_short(c, &v->items[i], arena_printf(c->tx.arena, "%s/%u", pointer, i), 512) < 0)
            return -1;
    return 0;
}

static int check_work(struct call *c, const struct json *v, const char *pointer,
                      const struct member *members)
{
    if (v->type != JSON_OBJECT)
        return slack_invalid_arguments(c, pointer, "must be an object");
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *value = &v->members[i].value;
        const struct member *m = members;
        while (m->name && strcmp(m->name, v->members[i].key) != 0)
            m++;
        const char *at = arena_printf(c->tx.arena, "%s/%.64s", pointer, v->members[i].key);
        if (!m->name)
            return slack_invalid_arguments(c, at, "additional properties are not allowed");
        if (m->kind == TEXT && check_short(c, value, at, m->max) < 0)
            return -1;
        if (m->kind == NUMBER && !is_integer(value))
            return slack_invalid_arguments(c, at, "must be an integer");
        if (m->kind == PATHS_OF_FILES && check_paths(c, value, at) < 0)
            return -1;
    }
    return 0;
}

/* One item of the bar: written with whose it is. */
static int write_bar_item(struct call *c, struct json_writer *w, const struct json *v, uint32_t at)
{
    static const char *const icons[] = {"branch", "folder",   "hierarchy", "life-ring", "link",
                                        "globe",  "terminal", "code",      "search",    "lock"};
    static const char *const kinds[] = {"info", "action"};
    static const struct member members[] = {{"key", 64, TEXT},       {"label", 128, TEXT},
                                            {"icon", 32, TEXT},      {"url", 2048, TEXT},
                                            {"item_type", 16, TEXT}, {NULL, 0, TEXT}};
    const char *pointer = arena_printf(c->tx.arena, "/code_channel/context_bar_items/%u", at);
    if (check_work(c, v, pointer, members) < 0)
        return -1;
    for (size_t i = 0; i < 2; i++) {
        const char *text = json_get_str(v, members[i].name);
        if (!text || !*text)
            return slack_invalid_arguments(c, pointer, "missing required field: %s",
                                           members[i].name);
    }
    const char *icon = json_get_str(v, "icon"), *kind = json_get_str(v, "item_type");
    const char *url = json_get_str(v, "url");
    if (icon && !one_of(icon, icons, SOSIA_LEN(icons)))
        return slack_invalid_arguments(c, arena_printf(c->tx.arena, "%s/icon", pointer),
                                       "must be one of: branch, folder, hierarchy, life-ring, "
                                       "link, globe, terminal, code, search, lock");
    if (kind && !one_of(kind, kinds, SOSIA_LEN(kinds)))
        return slack_invalid_arguments(c, arena_printf(c->tx.arena, "%s/item_type", pointer),
                                       "must be one of: info, action");
    if (kind && url && *url && strcmp(kind, "action") == 0) {
        slack_warn(c, "action_with_url_overridden_to_info");
        kind = "info";
    }
    json_obj(w, NULL);
    json_str(w, "key", json_get_str(v, "key"));
    json_str(w, "label", json_get_str(v, "label"));
    json_str_opt(w, "icon", icon);
    json_str_opt(w, "url", url && *url ? url : NULL);
    json_str_opt(w, "item_type", kind);
    json_str(w, "bot_user_id", sl_me(c)->user.key);
    json_end(w);
    return 0;
}

static int write_bar(struct call *c, struct json_writer *w, const struct json *v)
{
    if (v->type != JSON_ARRAY)
        return slack_invalid_arguments(c, "/code_channel/context_bar_items", "must be an array");
    if (v->n > MAX_ITEMS)
        slack_warn(c, "too_many_context_bar_items");
    json_arr(w, "context_bar_items");
    for (uint32_t i = 0; i < v->n && i < MAX_ITEMS; i++)
        if (write_bar_item(c, w, &v->items[i], i) < 0)
            return -1;
    json_end(w);
    return 0;
}

/* Points to a message of the channel; one that is not there is left out, with a warning. */
static int write_summary(struct call *c, struct json_writer *w, const struct json *v,
                         int64_t channel)
{
    static const struct member members[] = {
        {"message_ts", 32, TEXT}, {"thread_ts", 32, TEXT}, {NULL, 0, TEXT}};
    struct chat_message m;
    int64_t us;
    if (check_work(c, v, "/code_channel/summary_message", members) < 0)
        return -1;
    const char *ts = json_get_str(v, "message_ts"), *thread = json_get_str(v, "thread_ts");
    if (!ts)
        return slack_invalid_arguments(c, "/code_channel/summary_message",
                                       "missing required field: message_ts");
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(&c->tx, channel, us, &m);
    if (r < 0)
        return -1;
    if (!r) {
        slack_warn(c, "summary_message_not_found");
        return 0;
    }
    json_obj(w, "summary_message");
    json_str(w, "message_ts", ts);
    json_str_opt(w, "thread_ts", thread);
    json_end(w);
    return 0;
}

/* The argument code_channel into what is said of the work. */
static int set_work(struct call *c, const struct json *v, struct chat_agent_channel *a)
{
    const struct json *made;
    struct json_writer w;
    struct buf b;
    int rc = 0;
    if (check_work(c, v, "/code_channel", of_work) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < v->n && rc == 0; i++) {
        const char *key = v->members[i].key;
        const struct json *value = &v->members[i].value;
        if (strcmp(key, "context_bar_items") == 0)
            rc = write_bar(c, &w, value);
        else if (strcmp(key, "summary_message") == 0)
            rc = write_summary(c, &w, value, a->channel);
        else
            json_value(&w, key, value);
    }
    json_end(&w);
    if (rc == 0 && buf_failed(&b))
        rc = sosia_fail_memory(c->tx.err);
    const char *text = rc == 0 ? arena_memdup(c->tx.arena, buf_str(&b), b.len) : NULL;
    buf_done(&b);
    if (rc < 0 || json_parse(c->tx.arena, text, strlen(text), NULL, &made, c->tx.err) < 0)
        return -1;
    return (a->about = merged(c, a->about, made)) ? 0 : -1;
}

/* Arguments that are objects: NULL, there is none. */
static int object_arg(struct call *c, const char *name, const struct json **ret)
{
    int r = slack_value(c, name, ret);
    if (!r)
        *ret = NULL;
    return r < 0 ? -1 : 0;
}

static int set_properties(struct call *c)
{
    const char *title, *status = param_str(c, "status");
    const struct json *work, *resource;
    struct chat_agent_channel a;
    struct chat_channel ch;
    if (sl_short_arg(c, "title", SL_AGENT_TITLE_MAX, &title) < 0 ||
        object_arg(c, "code_channel", &work) < 0 || object_arg(c, "agent_resource", &resource) < 0)
        return -1;
    if (status && !*status)
        status = NULL;
    if (sl_agent_channel(c, "channel_id", false, &ch, &a) < 0)
        return -1;
    if (!title && !status && !(work && work->n) && !(resource && resource->n))
        return slack_fail(c, "no_properties_provided");
    if (status && !one_of(status, chat_agent_statuses, 4))
        return slack_fail(c, "invalid_status");
    if (title && !title[strspn(title, " \t\r\n")])
        return slack_fail(c, "invalid_title");
    a.title = title ? title : a.title;
    a.status = status ? status : a.status;
    if (work && set_work(c, work, &a) < 0)
        return -1;
    if (resource && (check_work(c, resource, "/agent_resource", of_resource) < 0 ||
                     !(a.resource = merged(c, a.resource, resource))))
        return -1;
    return chat_agent_channel_save(&c->tx, &a) < 0 ? -1 : answer_agent_channel(c, ch.key);
}

/* ---- archives ---- */

/* What the summary says, as an answer to the message where the work began. */
static int share_summary(struct call *c, const struct chat_agent_channel *a,
                         const struct chat_message *summary)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    struct chat_message root;
    if (!a->origin)
        return slack_fail(c, "no_origin_link");
    int r = chat_channel_get(&c->tx, a->origin, &ch);
    if (r == 1)
        r = ch.archived ? 0 : sl_is_member(c, &ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "origin_channel_not_found");
    r = chat_message_find(&c->tx, ch.id, a->origin_us, &root);
    if (r == 1 && root.thread && root.thread != root.id)
        r = chat_message_get(&c->tx, root.thread, &root);
    if (r < 0)
        return -1;
    if (!r || root.flags & CHAT_TOMBSTONE)
        return slack_fail(c, "origin_message_not_found");
    struct chat_message m = {.user = me->user.id,
                             .app = me->app,
                             .text = summary->text,
                             .blocks = summary->blocks,
                             .attachments = summary->attachments,
                             .flags = summary->flags & (CHAT_MADE_BLOCKS | CHAT_PLAIN),
                             .thread = root.id};
    return chat_post(&c->tx, &ch, &m);
}

/* The message becomes the summary of the channel, if it is one of its messages. */
static int summarize(struct call *c, struct chat_agent_channel *a, const char *ts)
{
    const struct json *v;
    struct chat_message m;
    int64_t us;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(&c->tx, a->channel, us, &m);
    if (r != 1 || m.flags & CHAT_TOMBSTONE)
        return r < 0 ? -1 : 0;
    if (share_summary(c, a, &m) < 0)
        return -1;
    char text[CHAT_TS_LEN];
    chat_ts_text(text, us);
    const char *json =
        arena_printf(c->tx.arena, "{\"summary_message\":{\"message_ts\":\"%s\"}}", text);
    if (json_parse(c->tx.arena, json, strlen(json), NULL, &v, c->tx.err) < 0 ||
        !(a->about = merged(c, a->about, v)))
        return -1;
    return chat_agent_channel_save(&c->tx, a);
}

static int archive(struct call *c)
{
    struct chat_agent_channel a;
    struct chat_channel ch;
    const char *ts;
    if (sl_short_arg(c, "summary_message_ts", 32, &ts) < 0 ||
        sl_agent_channel(c, "channel_id", false, &ch, &a) < 0)
        return -1;
    if (ch.archived)
        return slack_fail(c, "already_archived");
    if (ts && summarize(c, &a, ts) < 0)
        return -1;
    return chat_channel_get(&c->tx, ch.id, &ch) != 1 || sl_archive_channel(c, &ch) < 0
               ? -1
               : slack_ok(c);
}

/* ---- commands ---- */

/* Is there somewhere for commands to go? */
static bool has_address(struct call *c)
{
    struct sl_settings s;
    if (!sl_me(c)->chat_app.id || sl_settings_of(&c->tx, &sl_me(c)->chat_app, &s) < 0)
        return false;
    return s.socket_mode || s.interactivity_url || json_get_str(s.all, "agent_commands_url");
}

static bool is_command_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return n && n <= 31 && !name[n];
}

/* Commands that the service has itself. */
static const char *const builtin[] = {
    "active", "apps",   "archive",   "away",   "call", "collapse", "dm",     "dnd",
    "expand", "feed",   "feedback",  "invite", "join", "keys",     "kick",   "leave",
    "me",     "msg",    "mute",      "open",   "part", "prefs",    "remind", "remove",
    "rename", "search", "shortcuts", "shrug",  "star", "status",   "topic",  "who"};

static int read_command(struct call *c, const struct json *v, struct chat_agent_command *ret)
{
    const struct json *hint = v->type == JSON_OBJECT ? json_get(v, "argument_hint") : NULL;
    const struct json *escape = v->type == JSON_OBJECT ? json_get(v, "should_escape") : NULL;
    if (v->type != JSON_OBJECT)
        return slack_fail(c, "invalid_commands");
    *ret = (struct chat_agent_command){.name = json_get_str(v, "name"),
                                       .description = json_get_str(v, "description"),
                                       .hint = json_get_str(v, "argument_hint"),
                                       .escapes = escape && escape->truth};
    if (!ret->name || !is_command_name(ret->name) || !ret->description || !*ret->description ||
        sl_characters(ret->description) > 100 || (hint && hint->type != JSON_STRING) ||
        (ret->hint && sl_characters(ret->hint) > 50) || (escape && escape->type != JSON_BOOL))
        return slack_fail(c, "invalid_commands");
    return one_of(ret->name, builtin, SOSIA_LEN(builtin)) ? slack_fail(c, "colliding_with_builtin")
                                                          : 0;
}

static int set_commands(struct call *c)
{
    struct chat_agent_command all[CHAT_AGENT_COMMANDS];
    const struct json *list;
    struct chat_agent_channel a;
    struct chat_channel ch;
    int64_t others;
    if (slack_value(c, "commands", &list) < 0 ||
        sl_agent_channel(c, "channel_id", false, &ch, &a) < 0)
        return -1;
    if (!has_address(c))
        return slack_fail(c, "no_actions_url");
    for (uint32_t i = 0; i < list->n; i++) {
        if (read_command(c, &list->items[i], &all[i]) < 0)
            return -1;
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(all[k].name, all[i].name) == 0)
                return slack_fail(c, "duplicate_command");
    }
    if (chat_agent_commands_others(&c->tx, ch.id, sl_me(c)->user.id, &others) < 0)
        return -1;
    if (list->n && others + list->n > CHAT_AGENT_COMMANDS)
        return slack_fail(c, "too_many_commands");
    if (chat_agent_commands_set(&c->tx, ch.id, sl_me(c)->user.id, all, list->n) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "channel_id", ch.key);
    json_int(c->out, "command_count", list->n);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param create_params[] = {
    SL_ARG("team_id"),
    SL_ARG("session_id"),
    SL_ARG("name", .summary = "Title of the work that the channel is for"),
    SL_ARG("is_private", SL_FLAG_OPEN),
    SL_ARG("origin_channel_id"),
    SL_ARG("origin_message_ts")};
static const struct param archive_params[] = {SL_NEEDED("channel_id"),
                                              SL_ARG("summary_message_ts")};
static const struct param properties_params[] = {
    SL_NEEDED("channel_id"),
    SL_ARG("title", .summary = "Title of the work that the channel is for"),
    SL_ARG("status", .summary = "State of the work"), SL_ARG("code_channel", SL_OBJECT),
    SL_ARG("agent_resource", SL_OBJECT)};
static const struct param commands_params[] = {
    SL_NEEDED("channel_id"), SL_NEEDED("commands", SL_ARRAY, .max = CHAT_AGENT_COMMANDS)};

static const struct route methods[] = {
    {SL_METHOD("agents.conversations.archive"), .token_kinds = TOKEN_BOT, .handler = archive,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "code_channels:manage",
     PARAMS(archive_params), .rate = SLACK_TIER_2, .summary = "Close a code channel"},
    {SL_METHOD("agents.conversations.create"), .token_kinds = TOKEN_BOT, .handler = create,
     .risk = RISK_WRITE, .scopes = "code_channels:manage", PARAMS(create_params),
     .rate = SLACK_TIER_2, .summary = "A new channel for an agent's work"},
    {SL_METHOD("agents.conversations.setCommands"), .token_kinds = TOKEN_BOT,
     .handler = set_commands, .risk = RISK_WRITE, .idempotent = true,
     .scopes = "code_channels:manage", PARAMS(commands_params), .rate = SLACK_TIER_1,
     .summary = "The commands that an agent has in a code channel"},
    {SL_METHOD("agents.conversations.setProperties"), .token_kinds = TOKEN_BOT,
     .handler = set_properties, .risk = RISK_WRITE, .idempotent = true,
     .scopes = "code_channels:manage", PARAMS(properties_params), .rate = SLACK_TIER_3,
     .summary = "What an agent says of its work in a code channel"},
};

const struct rows sl_agents = ROWS(methods);
