/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of agents in the form of seed documents. */
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/text/civil.h"
#include "services/chat/slack/agents/agent.h"
#include "services/chat/slack/forms.h"
#include "services/chat/slack/store.h"

/* ---- reading ---- */

/* The member "agent", one of the channel's. */
static int doc_agent(struct tx *tx, struct doc *d, const struct json *v,
                     const struct chat_channel *ch, int64_t *ret)
{
    struct chat_user u;
    if (chat_doc_user(tx, d, v, "agent", ch->workspace, &u) < 0)
        return -1;
    int r = u.id ? chat_is_agent(tx, ch->id, u.id) : 0;
    *ret = u.id;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, v, "agent", "expected one of the channel's agents");
}

static int seed_agents(struct tx *tx, struct doc *d, const struct json *v,
                       const struct chat_channel *ch)
{
    const struct json *list;
    struct chat_user u;
    if (doc_list(d, v, "agents", &list) < 0)
        return -1;
    if (!list || !list->n)
        return doc_fail(d, v, "agents", "expected at least one");
    for (uint32_t i = 0; i < list->n; i++) {
        const char *name = list->items[i].type == JSON_STRING ? list->items[i].str : "";
        int r = chat_doc_find(tx, ch->workspace, name, &u);
        if (r < 0)
            return -1;
        if (!r || !u.bot)
            return doc_fail(d, &list->items[i], "agents", "there is no bot \"%.80s\"", name);
        if (chat_doc_added(tx, d, v, "agents", chat_agent_add(tx, ch->id, u.id)) < 0)
            return -1;
    }
    return 0;
}

static const struct member agent_view_members[] = {
    OWN("id", "Its id; made up without it", "text"),
    OWN("agent", "Which agent", "text"),
    OWN("name", "Its name", "text"),
    OWN("type", "What it is", "text"),
    OWN_NEEDED("label", "Its words"),
    OWN("file", "The id of the file that it shows", "text"),
    OWN_TYPED("version", "Which version", "number", OWN_NUMBER),
    OWN_TYPED("added", "When it was put there", "time, or seconds since 1970",
              "{\"type\":[\"integer\",\"string\",\"null\"]}"),
    OWN_TYPED("detail", "As the API has it", "object", OWN_OBJECT),
};
static const struct form agent_view_form =
    FORM("What an agent shows beside a channel", agent_view_members);

static int seed_agent_view(struct tx *tx, struct doc *d, const struct json *v,
                           const struct chat_channel *ch)
{
    struct chat_agent_view view = {.channel = ch->id};
    struct chat_file f = {0};
    const char *file;
    int type;
    if (form_known(&(struct form_in){tx, d, v}, &agent_view_form) < 0 ||
        chat_doc_made_key(tx, d, v, "Ct", &view.key) < 0 ||
        doc_agent(tx, d, v, ch, &view.user) < 0 || doc_str(d, v, "name", false, &view.name) < 0 ||
        doc_enum(d, v, "type", chat_agent_view_types, 0, &type) < 0 ||
        doc_str(d, v, "label", true, &view.label) < 0 || doc_str(d, v, "file", false, &file) < 0 ||
        doc_int(d, v, "version", 1, INT64_C(1) << 31, 1, &view.version) < 0 ||
        chat_doc_second(d, v, "added", tx->now_us / US_PER_SECOND, &view.added_s) < 0)
        return -1;
    view.type = (enum chat_agent_view_type)type;
    view.detail = chat_doc_json(d, v, "detail");
    if (view.detail && json_get(v, "detail")->type != JSON_OBJECT)
        return doc_fail(d, json_get(v, "detail"), "detail", "expected an object");
    if (!view.name && view.type != CHAT_VIEW_DIFF && view.type != CHAT_VIEW_LINK)
        return doc_fail(d, v, "name", "is missing");
    if (!file != (view.type == CHAT_VIEW_LINK))
        return doc_fail(d, v, "file", file ? "a link has no file" : "is missing");
    int r = file ? chat_file_find(tx, ch->workspace, file, &f) : 1;
    if (r == 1 && file)
        r = f.state == CHAT_FILE_THERE &&
            (view.type != CHAT_VIEW_DOCUMENT || strcmp(f.mode, "document") == 0);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "file"), "file", "there is no such file \"%.80s\"",
                                file);
    view.file = f.id;
    return chat_doc_added(tx, d, v, "id", chat_agent_view_add(tx, &view));
}

static const struct member agent_command_members[] = {
    OWN("agent", "Which agent", "text"),
    OWN_NEEDED("name", "What is typed"),
    OWN_NEEDED("description", "What it does"),
    OWN("hint", "What comes behind it", "text"),
    OWN("escape", "Mentions come as ids", "true or false"),
};
static const struct form agent_command_form = FORM("A command of an agent", agent_command_members);

static int seed_command(struct tx *tx, struct doc *d, const struct json *v,
                        const struct chat_channel *ch, int64_t place)
{
    struct chat_agent_command one = {0};
    int64_t agent;
    if (form_known(&(struct form_in){tx, d, v}, &agent_command_form) < 0 ||
        doc_agent(tx, d, v, ch, &agent) < 0 || doc_str(d, v, "name", true, &one.name) < 0 ||
        doc_str(d, v, "description", true, &one.description) < 0 ||
        doc_str(d, v, "hint", false, &one.hint) < 0 ||
        doc_bool(d, v, "escape", false, &one.escape) < 0)
        return -1;
    if (!*one.name || strlen(one.name) > 31)
        return doc_fail(d, json_get(v, "name"), "name", "expected 1 to 31 characters");
    return chat_doc_added(tx, d, v, "name", chat_agent_command_add(tx, ch->id, agent, place, &one));
}

static int seed_shown(struct tx *tx, struct doc *d, const struct json *v,
                      const struct chat_channel *ch)
{
    struct doc_items views, commands;
    if (doc_items(d, v, "views", &views) < 0 || doc_items(d, v, "commands", &commands) < 0)
        return -1;
    for (const struct json *view; (view = doc_item(d, &views)) != NULL;)
        if (seed_agent_view(tx, d, view, ch) < 0)
            return -1;
    for (const struct json *command; (command = doc_item(d, &commands)) != NULL;)
        if (seed_command(tx, d, command, ch, commands.next - 1) < 0)
            return -1;
    return 0;
}

static const struct member agent_origin_members[] = {
    OWN("channel", "A channel", "text"),
    OWN_NEEDED("ts", "The time of a message there"),
};
static const struct form agent_origin_form =
    FORM("Where a channel of agents began", agent_origin_members);

static int seed_origin(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                       struct chat_agent_channel *a)
{
    const struct json *origin = json_get(v, "origin");
    struct chat_channel ch;
    const char *ts;
    if (!origin)
        return 0;
    if (form_known(&(struct form_in){tx, d, origin}, &agent_origin_form) < 0 ||
        chat_doc_channel(tx, d, origin, workspace, &ch) < 0 ||
        doc_str(d, origin, "ts", true, &ts) < 0)
        return -1;
    if (chat_ts_read(ts, &a->origin_us) < 0 || a->origin_us <= 0)
        return doc_fail(d, json_get(origin, "ts"), "ts", "\"%.40s\" is not a time of a message",
                        ts);
    a->origin = ch.id;
    return 0;
}

static const struct member chat_agent_members[] = {
    OWN("workspace", "The domain of the workspace, where there are several", "text"),
    OWN_NEEDED("channel", "The channel"),
    OWN_NEEDED("app", "The client id of the app"),
    OWN("session", "What the app calls it", "text"),
    OWN("title", "Its title; the name without it", "text"),
    OWN("status", "How far it is", "text"),
    OWN_TYPED("origin", "The message that it began with", "object", OWN_OBJECT),
    OWN_TYPED("agents", "Users who are agents there", "list of texts",
              "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}}"),
    OWN_TYPED("about", "As the API has it", "object", OWN_OBJECT),
    OWN_TYPED("resource", "The same", "object", OWN_OBJECT),
    OWN_LIST("views", "What agents show beside it", &agent_view_form),
    OWN_LIST("commands", "Commands of agents", &agent_command_form),
};
const struct form chat_agent_form = FORM("A channel in which agents work", chat_agent_members);

int chat_agent_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct chat_agent_channel a = {0};
    struct chat_workspace w;
    struct chat_channel ch;
    int status;
    if (form_known(&(struct form_in){tx, d, v}, &chat_agent_form) < 0 ||
        chat_doc_workspace(tx, d, v, &w) < 0 || chat_doc_channel(tx, d, v, w.id, &ch) < 0 ||
        chat_doc_app(tx, d, v, &a.app) < 0 || doc_str(d, v, "session", false, &a.session) < 0 ||
        doc_str(d, v, "title", false, &a.title) < 0 ||
        doc_enum(d, v, "status", chat_agent_statuses, 0, &status) < 0 ||
        seed_origin(tx, d, v, w.id, &a) < 0 ||
        chat_doc_shaped(d, v, "about", JSON_OBJECT, &a.about) < 0 ||
        chat_doc_shaped(d, v, "resource", JSON_OBJECT, &a.resource) < 0)
        return -1;
    if (!a.app)
        return doc_fail(d, v, "app", "is missing");
    if (ch.kind > CHAT_PRIVATE || ch.workspace != w.id)
        return doc_fail(d, json_get(v, "channel"), "channel",
                        "expected a public or a private channel of the workspace");
    if (a.session && (!*a.session || strlen(a.session) > 64))
        return doc_fail(d, json_get(v, "session"), "session", "expected 1 to 64 characters");
    a.title = a.title ? a.title : ch.name;
    a.status = chat_agent_statuses[status];
    a.about = a.about ? a.about : "{}";
    if (chat_doc_added(tx, d, v, "channel", chat_agent_channel_add(tx, &ch, &a)) < 0)
        return -1;
    return seed_agents(tx, d, v, &ch) < 0 || seed_shown(tx, d, v, &ch) < 0 ? -1 : 0;
}

/* ---- writing ---- */

struct writing {
    struct tx *tx;
    struct json_writer *w;
    bool failed;
};

static int dump_agent(void *arg, int64_t user)
{
    struct writing *d = arg;
    d->failed = chat_dump_user(d->tx, d->w, NULL, user) < 0;
    return d->failed;
}

static int write_view(void *arg, const struct chat_agent_view *v)
{
    struct writing *d = arg;
    struct chat_file f;
    int r = v->file ? chat_file_get(d->tx, v->file, &f) : 0;
    d->failed = r < 0 || (v->file && !r);
    if (d->failed)
        return 1;
    json_obj(d->w, NULL);
    json_str(d->w, "id", v->key);
    d->failed = chat_dump_user(d->tx, d->w, "agent", v->user) < 0;
    json_str_opt(d->w, "name", v->name);
    json_str(d->w, "type", chat_agent_view_types[v->type]);
    json_str(d->w, "label", v->label);
    if (v->file)
        json_str(d->w, "file", f.key);
    json_int(d->w, "version", v->version);
    json_int(d->w, "added", v->added_s);
    chat_dump_raw(d->w, "detail", v->detail);
    json_end(d->w);
    return d->failed;
}

static int write_commands(struct tx *tx, struct json_writer *w, int64_t channel)
{
    static struct sql_text q =
        SQL_TEXT("select user, name, description, hint, escapes from slack_agent_command where "
                 "channel = :channel order by user, place, id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, channel);
    bool any = false;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        if (!any)
            json_arr(w, "commands");
        any = true;
        json_obj(w, NULL);
        int rc = chat_dump_user(tx, w, "agent", sqlite3_column_int64(st, 0));
        json_str(w, "name", tx_string(tx, st, 1));
        json_str(w, "description", tx_string(tx, st, 2));
        json_str_opt(w, "hint", tx_string(tx, st, 3));
        json_bool_opt(w, "escape", sqlite3_column_int(st, 4));
        json_end(w);
        if (rc < 0) {
            sql_done(st);
            return -1;
        }
    }
    if (any)
        json_end(w);
    return r;
}

int chat_agent_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_agent_channel a;
    struct chat_channel ch, origin;
    struct writing d = {.tx = tx, .w = w};
    int64_t n;
    int r = chat_agent_channel_get(tx, id, &a);
    if (r == 1)
        r = chat_channel_get(tx, id, &ch);
    if (r == 1 && a.origin)
        r = chat_channel_get(tx, a.origin, &origin);
    if (r != 1)
        return r;
    if (chat_dump_workspace(tx, w, ch.workspace) < 0)
        return -1;
    json_str(w, "channel", ch.key);
    if (chat_dump_app(tx, w, "app", a.app) < 0)
        return -1;
    json_str_opt(w, "session", a.session);
    json_str(w, "title", a.title);
    json_str(w, "status", a.status);
    if (a.origin) {
        json_obj(w, "origin");
        json_str(w, "channel", origin.key);
        chat_dump_ts(w, "ts", a.origin_us);
        json_end(w);
    }
    json_arr(w, "agents");
    if (chat_agents(tx, id, dump_agent, &d) < 0 || d.failed)
        return -1;
    json_end(w);
    if (strcmp(a.about, "{}") != 0)
        chat_dump_raw(w, "about", a.about);
    chat_dump_raw(w, "resource", a.resource);
    if (chat_agent_view_count(tx, id, &n) < 0)
        return -1;
    if (n) {
        json_arr(w, "views");
        if (chat_agent_views(tx, id, write_view, &d) < 0 || d.failed)
            return -1;
        json_end(w);
    }
    return write_commands(tx, w, id) < 0 ? -1 : 1;
}
