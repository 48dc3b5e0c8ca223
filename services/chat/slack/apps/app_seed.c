/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of apps in seed documents, read and written: what they have set, what their tokens
 * are renewed with, their webhooks. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/text/civil.h"
#include "services/chat/slack/forms.h"
#include "services/chat/slack/store.h"

/* ---- what follows from settings ---- */

static int subscribe_to(struct tx *tx, int64_t app, const struct json *setting, const char *member,
                        bool person)
{
    const struct json *list = json_get(setting, member);
    size_t n = 0, most = list && list->type == JSON_ARRAY ? list->n : 0;
    const char **kinds = arena_alloc(tx->arena, (most + 1) * sizeof *kinds);
    if (arena_failed(tx->arena))
        return -1;
    for (size_t i = 0; i < most; i++)
        if (list->items[i].type == JSON_STRING)
            kinds[n++] = list->items[i].str;
    return chat_subscribe(tx, app, person, kinds, n);
}

int chat_app_derive(struct tx *tx, const struct chat_app *a)
{
    const struct json *setting;
    if (json_parse(tx->arena, a->setting, strlen(a->setting), NULL, &setting, tx->err) < 0)
        return -1;
    if (a->deleted)
        setting = NULL;
    return subscribe_to(tx, a->app, setting, "bot_events", false) < 0 ||
                   subscribe_to(tx, a->app, setting, "user_events", true) < 0 ||
                   chat_endpoint_set(tx, a->app, json_get_str(setting, "events_url")) < 0
               ? -1
               : 0;
}

/* ---- apps ---- */

/* The program behind it. One that the document's apps don't list is made if it has a manifest,
 * which says the rest. */
static int program_of(struct tx *tx, struct doc *d, const struct json *v, struct ident_app *ret)
{
    const char *client, *secret, *signing;
    if (doc_str(d, v, "client_id", true, &client) < 0 ||
        doc_str(d, v, "client_secret", false, &secret) < 0 ||
        doc_str(d, v, "signing_secret", false, &signing) < 0)
        return -1;
    int r = app_find(tx, client, ret);
    if (r < 0)
        return -1;
    if (r == 1)
        return secret || signing
                   ? doc_fail(d, json_get(v, secret ? "client_secret" : "signing_secret"),
                              secret ? "client_secret" : "signing_secret",
                              "is with the app \"%.80s\" of the document", client)
                   : 0;
    if (!json_get(v, "manifest") || !*client)
        return doc_fail(d, json_get(v, "client_id"), "client_id", "there is no app \"%.80s\"",
                        client);
    *ret = (struct ident_app){.client_id = client,
                              .secret = secret,
                              .signing_secret = signing,
                              .name = client,
                              .kind = "web",
                              .section = APP_SECTION};
    return app_new(tx, ret) < 0 || app_get(tx, ret->id, ret) < 0 ? -1 : 0;
}

static int owner_of(struct tx *tx, struct doc *d, const struct json *v, int64_t *ret)
{
    struct chat_workspace w;
    struct chat_user u;
    if (!json_get(v, "owner"))
        return json_get(v, "workspace") ? doc_fail(d, json_get(v, "workspace"), "workspace",
                                                   "must be given with \"owner\"")
                                        : 0;
    if (chat_doc_workspace(tx, d, v, &w) < 0 || chat_doc_user(tx, d, v, "owner", w.id, &u) < 0)
        return -1;
    *ret = u.id;
    return 0;
}

/* An object, kept as JSON; absent: *ret stays. */
static int object_given(struct doc *d, const struct json *v, const char *member, const char **ret)
{
    const char *given;
    if (chat_doc_shaped(d, v, member, JSON_OBJECT, &given) < 0)
        return -1;
    if (given)
        *ret = given;
    return 0;
}

static int seed_endpoint(struct tx *tx, struct doc *d, const struct json *v, int64_t app)
{
    static struct sql_text q =
        SQL_TEXT("update slack_endpoint set enabled = :enabled, sent = :sent, "
                 "failed = :failed, hour_s = :hour where app = :app");
    static const char *const members[] = {"enabled", "sent", "failed", "hour", NULL};
    const struct json *value = json_get(v, "endpoint");
    bool enabled;
    int64_t sent, failed, hour;
    if (!value)
        return 0;
    size_t mark = doc_push(d, "endpoint", -1);
    if (doc_object(d, value, members) < 0 || doc_bool(d, value, "enabled", true, &enabled) < 0 ||
        doc_int(d, value, "sent", 0, INT32_MAX, 0, &sent) < 0 ||
        doc_int(d, value, "failed", 0, INT32_MAX, 0, &failed) < 0 ||
        doc_int(d, value, "hour", 0, CHAT_LAST_SECOND, 0, &hour) < 0)
        return -1;
    doc_pop(d, mark);
    return TX_RUN(tx, &q, enabled, sent, failed, hour, app);
}

static const struct member chat_app_members[] = {
    OWN_NEEDED("client_id", "Its client id"),
    OWN("client_secret", "Its secret", "text"),
    OWN("signing_secret", "Of what is sent to it", "text"),
    OWN("id", "Its id; made up without it", "text"),
    OWN("workspace", "The domain of the workspace that made it", "text"),
    OWN("owner", "Who made it", "text"),
    OWN_TYPED("icon", "Its pictures", "object", OWN_OBJECT),
    OWN("description", "What it is for", "text"),
    OWN("verification", "The old token of what is sent to it", "text"),
    OWN_TYPED("manifest", "As the API has it", "object", OWN_OBJECT),
    OWN_TYPED("settings", "The same", "object", OWN_OBJECT),
    OWN("distributed", "Other workspaces may have it", "true or false"),
    OWN("deleted", "It is gone", "true or false"),
    OWN_TYPED("endpoint", "How its address of events does", "object", OWN_OBJECT),
};
const struct form chat_app_form = FORM("An app of Slack", chat_app_members);

int chat_app_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ident_app app;
    struct chat_app a = {.setting = "{}", .description = ""};
    const char *key, *text;
    if (form_known(&(struct form_in){tx, d, v}, &chat_app_form) < 0 ||
        program_of(tx, d, v, &app) < 0 || chat_doc_key(d, v, "A", &key) < 0)
        return -1;
    int r = chat_app_of(tx, app.id, &a);
    if (r < 0)
        return -1;
    if (r && key && strcmp(key, a.key) != 0)
        return doc_fail(d, json_get(v, "id"), "id", "the app is \"%.40s\" in its workspace", a.key);
    a.app = app.id;
    if (!r)
        a.key = key;
    if (doc_str(d, v, "description", false, &text) < 0)
        return -1;
    a.description = text ? text : a.description;
    if (doc_str(d, v, "verification", false, &text) < 0)
        return -1;
    a.verification = text             ? text
                     : a.verification ? a.verification
                                      : chat_made_verification(tx, app.client_id);
    if (doc_str(d, v, "icon", false, &a.icon) < 0 ||
        object_given(d, v, "manifest", &a.manifest) < 0 ||
        object_given(d, v, "settings", &a.setting) < 0 ||
        doc_bool(d, v, "distributed", false, &a.distributed) < 0 ||
        doc_bool(d, v, "deleted", false, &a.deleted) < 0 || owner_of(tx, d, v, &a.owner) < 0)
        return -1;
    if ((r ? chat_app_save(tx, &a) : chat_app_add(tx, &a)) < 0)
        return chat_doc_added(tx, d, v, "id", -1);
    return chat_app_derive(tx, &a) < 0 ? -1 : seed_endpoint(tx, d, v, app.id);
}

static int dump_owner(struct tx *tx, struct json_writer *w, int64_t user)
{
    struct chat_user u;
    int r = user ? chat_user_get(tx, user, &u) : 0;
    if (r != 1)
        return r;
    if (chat_dump_workspace(tx, w, u.workspace) < 0)
        return -1;
    json_str(w, "owner", u.key);
    return 0;
}

/* What deliveries have left there. */
static int dump_endpoint(struct tx *tx, struct json_writer *w, int64_t app)
{
    static struct sql_text q = SQL_TEXT("select enabled, sent, failed, hour_s from slack_endpoint "
                                        "where app = :app and (not enabled or sent or failed)");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, app);
    if (r != 1)
        return r;
    json_obj(w, "endpoint");
    json_bool(w, "enabled", sqlite3_column_int(st, 0));
    json_int(w, "sent", sqlite3_column_int64(st, 1));
    json_int(w, "failed", sqlite3_column_int64(st, 2));
    json_int(w, "hour", sqlite3_column_int64(st, 3));
    json_end(w);
    sql_done(st);
    return 0;
}

static int get_app(struct tx *tx, int64_t id, struct chat_app *ret)
{
    int r = chat_app_next(tx, id - 1, ret);
    return r == 1 && ret->id != id ? 0 : r;
}

int chat_app_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_app a;
    int r = get_app(tx, id, &a);
    if (r != 1)
        return r;
    if (chat_dump_app(tx, w, "client_id", a.app) < 0)
        return -1;
    json_str(w, "id", a.key);
    if (dump_owner(tx, w, a.owner) < 0)
        return -1;
    json_str_opt(w, "icon", a.icon);
    chat_dump_unless(w, "description", a.description, "");
    json_str(w, "verification", a.verification);
    chat_dump_raw(w, "manifest", a.manifest);
    if (!a.manifest) /* else they follow from it */
        chat_dump_raw(w, "settings", strcmp(a.setting, "{}") != 0 ? a.setting : NULL);
    json_bool_opt(w, "distributed", a.distributed);
    json_bool_opt(w, "deleted", a.deleted);
    return dump_endpoint(tx, w, a.app) < 0 ? -1 : 1;
}

/* ---- grants ---- */

/* The app of the workspace that an item names. */
static int install_of(struct tx *tx, struct doc *d, const struct json *v,
                      const struct chat_workspace *w, struct chat_install *ret)
{
    struct ident_app app;
    const char *client;
    if (doc_str(d, v, "app", true, &client) < 0)
        return -1;
    int r = app_find(tx, client, &app);
    if (r == 1)
        r = chat_install_of(tx, w->id, app.id, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, "app"), "app",
                              "there is no app \"%.80s\" in the workspace", client);
}

static const struct member chat_grant_members[] = {
    OWN("workspace", "The domain of the workspace, where there are several", "text"),
    OWN_NEEDED("app", "Its client id"),
    OWN_NEEDED("user", "Who"),
    OWN_NEEDED("token", "The token, of at least 8 bytes"),
    OWN("scopes", "What it may be used for", "text"),
    OWN_TYPED("expires", "When it ends; never without it", "time, or seconds since 1970",
              "{\"type\":[\"integer\",\"string\",\"null\"]}"),
};
const struct form chat_grant_form =
    FORM("A token that a person gave to an app", chat_grant_members);

int chat_grant_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct chat_workspace w;
    struct chat_install i;
    struct chat_user u;
    struct chat_grant g = {.access = ""};
    if (form_known(&(struct form_in){tx, d, v}, &chat_grant_form) < 0 ||
        chat_doc_workspace(tx, d, v, &w) < 0 || install_of(tx, d, v, &w, &i) < 0 ||
        chat_doc_user(tx, d, v, "user", w.id, &u) < 0 ||
        doc_str(d, v, "token", true, &g.token) < 0 ||
        doc_str(d, v, "scopes", false, &g.scopes) < 0 ||
        chat_doc_second(d, v, "expires", 0, &g.expires_s) < 0)
        return -1;
    if (!u.id || u.workspace != w.id)
        return doc_fail(d, v, "user", u.id ? "is of another workspace" : "is missing");
    if (strlen(g.token) < 8)
        return doc_fail(d, json_get(v, "token"), "token", "a token has at least 8 bytes");
    g.install = i.id;
    g.user = u.id;
    return chat_doc_added(tx, d, v, "token", chat_grant_set(tx, &g));
}

int chat_grant_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select i.workspace, i.app, g.user, g.token, g.scopes, g.expires_s from "
                 "slack_grant g join slack_install i on i.id = g.install where g.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0));
    if (rc == 0)
        rc = chat_dump_app(tx, w, "app", sqlite3_column_int64(st, 1));
    if (rc == 0)
        rc = chat_dump_user(tx, w, "user", sqlite3_column_int64(st, 2));
    json_str(w, "token", (const char *)sqlite3_column_text(st, 3));
    json_str_opt(w, "scopes", (const char *)sqlite3_column_text(st, 4));
    if (sqlite3_column_int64(st, 5))
        json_int(w, "expires", sqlite3_column_int64(st, 5));
    sql_done(st);
    return rc < 0 ? -1 : 1;
}

/* ---- webhooks ---- */

/* The app, whose installer has the webhook unless the document says another person. */
static int read_hook_app(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_webhook *h = row;
    const struct chat_workspace w = {.id = h->workspace};
    struct chat_install i;
    (void)m;
    if (install_of(in->tx, in->d, in->value, &w, &i) < 0)
        return -1;
    h->app = i.app;
    h->user = i.installer;
    return 0;
}

static int check_hook(const struct form_in *in, void *row)
{
    struct chat_webhook *h = row;
    struct chat_user u = {.workspace = h->workspace};
    if (h->user && json_get(in->value, "user") && chat_user_get(in->tx, h->user, &u) < 0)
        return -1;
    if (!h->user || u.workspace != h->workspace)
        return doc_fail(in->d, in->value, "user",
                        h->user ? "is of another workspace" : "is missing");
    if (h->secret && (strlen(h->secret) < 8 ||
                      strspn(h->secret, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "abcdefghijklmnopqrstuvwxyz") != strlen(h->secret)))
        return doc_fail(in->d, json_get(in->value, "secret"), "secret",
                        "expected at least 8 letters and digits");
    return chat_unsaid_now(in->tx, &h->created_s);
}

static int add_hook(const struct form_in *in, void *row)
{
    return chat_webhook_add(in->tx, row);
}

static const struct member hook_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_webhook),
    {"id", "Its id, from B on", CHAT_KEY_AT(struct chat_webhook, key, "B")},
    {"app", "The app, which is in the workspace", .kind = MEMBER_REF, .ref = &chat_app_reference,
     .read = read_hook_app, .write = chat_write_app, .flags = MEMBER_REQUIRED,
     MEMBER_TYPED(struct chat_webhook, app, int64_t)},
    {"channel", "The channel", CHAT_CHANNEL_AT(struct chat_webhook, channel),
     .flags = MEMBER_REQUIRED},
    {"user", "The person who added it; else the app's installer",
     CHAT_USER_AT(struct chat_webhook, user)},
    {"secret", "The end of its URL; else a new one", TEXT_AT(struct chat_webhook, secret)},
    {"created", "Its time; else now", CHAT_SECOND_AT(struct chat_webhook, created_s),
     .usual = CHAT_UNSAID},
    {"deleted", "It is gone", BOOL_AT(struct chat_webhook, deleted)},
};
STORED(slack_webhook_stored, "An incoming webhook", struct chat_webhook, hook_members, check_hook,
       .table = "slack_webhook", .key = "id", .add = add_hook);
