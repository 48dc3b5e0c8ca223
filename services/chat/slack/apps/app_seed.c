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

/* The id that it has stays. */
static int read_key(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_app *a = row;
    const char *key;
    if (chat_doc_key(in->d, in->value, m->names[0], &key) < 0)
        return -1;
    if (a->id && key && strcmp(key, a->key) != 0)
        return doc_fail(in->d, json_get(in->value, m->name), m->name,
                        "the app is \"%.40s\" in its workspace", a->key);
    a->key = a->id ? a->key : key;
    return 0;
}

static int read_owner(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_app *a = row;
    struct chat_workspace w;
    struct chat_user u;
    if (!json_get(in->value, m->name))
        return json_get(in->value, "workspace")
                   ? doc_fail(in->d, json_get(in->value, "workspace"), "workspace",
                              "must be given with \"owner\"")
                   : 0;
    if (chat_doc_workspace(in->tx, in->d, in->value, &w) < 0 ||
        chat_doc_user(in->tx, in->d, in->value, m->name, w.id, &u) < 0)
        return -1;
    a->owner = u.id;
    return 0;
}

/* With the workspace. */
static int write_owner(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_app *a = row;
    struct chat_user u;
    int r = a->owner ? chat_user_get(out->tx, a->owner, &u) : 0;
    if (r != 1)
        return r;
    if (chat_dump_workspace(out->tx, out->w, u.workspace) < 0)
        return -1;
    json_str(out->w, m->name, u.key);
    return 0;
}

/* They follow from a manifest. */
static int write_app_settings(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_app *a = row;
    if (!a->manifest && strcmp(a->setting, "{}") != 0)
        chat_dump_raw(out->w, m->name, a->setting);
    return 0;
}

/* What deliveries have left there. */
struct endpoint {
    int64_t sent, failed, hour_s;
    bool enabled;
};
static const struct member endpoint_members[] = {
    {"enabled", "It gets events", BOOL_AT(struct endpoint, enabled), .usual = true,
     .flags = MEMBER_ALWAYS},
    {"sent", "Deliveries in the hour", INT_AT(struct endpoint, sent, 0, INT32_MAX),
     .flags = MEMBER_ALWAYS},
    {"failed", "Those of them that failed", INT_AT(struct endpoint, failed, 0, INT32_MAX),
     .flags = MEMBER_ALWAYS},
    {"hour", "The hour: a second since 1970", INT_AT(struct endpoint, hour_s, 0, CHAT_LAST_SECOND),
     .flags = MEMBER_ALWAYS},
};
STORED_HERE(endpoint_stored, "How the address of events does", struct endpoint, endpoint_members,
            NULL, .table = "slack_endpoint", .id = "app");

static int seed_endpoint(struct tx *tx, struct doc *d, const struct json *v, int64_t app)
{
    const struct json *value = json_get(v, "endpoint");
    struct endpoint e;
    if (!value)
        return 0;
    size_t mark = doc_push(d, "endpoint", -1);
    form_usual(&endpoint_stored_form, &e);
    if (form_read(&(struct form_in){tx, d, value}, &endpoint_stored_form, &e) < 0)
        return -1;
    doc_pop(d, mark);
    return stored_save(tx, &endpoint_stored, app, &e);
}

static int write_endpoint(const struct form_out *out, const struct member *m, const void *row)
{
    struct endpoint e;
    int r = stored_get(out->tx, &endpoint_stored, ((const struct chat_app *)row)->app, &e);
    if (r != 1 || (e.enabled && !e.sent && !e.failed))
        return r < 0 ? -1 : 0;
    json_obj(out->w, m->name);
    r = form_write(&(struct form_out){out->tx, out->w}, &endpoint_stored_form, &e);
    json_end(out->w);
    return r;
}

/* Read behind the app. */
static int read_later(const struct form_in *in, const struct member *m, void *row)
{
    (void)in;
    (void)m;
    (void)row;
    return 0;
}

static const struct member chat_app_members[] = {
    {"client_id", "Its client id", .kind = MEMBER_REF, .ref = &chat_app_reference,
     .read = read_later, .write = chat_write_app, .flags = MEMBER_REQUIRED,
     MEMBER_TYPED(struct chat_app, app, int64_t)},
    OWN_GIVEN("client_secret", "Its secret", "text"),
    OWN_GIVEN("signing_secret", "Of what is sent to it", "text"),
    {"id", "Its id; made up without it", .names = (const char *const[]){"A", NULL},
     .read = read_key, TEXT_AT(struct chat_app, key)},
    OWN("workspace", "The domain of the workspace that made it", "text"),
    {"owner", "Who made it", .kind = MEMBER_REF, .ref = &chat_user_reference, .read = read_owner,
     .write = write_owner, MEMBER_TYPED(struct chat_app, owner, int64_t)},
    {"icon", "The URL of its picture", TEXT_AT(struct chat_app, icon)},
    {"description", "What it is for", TEXT_AT(struct chat_app, description), .usual_text = ""},
    {"verification", "The old token of what is sent to it", TEXT_AT(struct chat_app, verification)},
    {"manifest", "As the API has it", KEPT_AT(struct chat_app, manifest, JSON_OBJECT)},
    {"settings", "The same", KEPT_AT(struct chat_app, setting, JSON_OBJECT),
     .write = write_app_settings},
    {"distributed", "Other workspaces may have it", BOOL_AT(struct chat_app, distributed)},
    {"deleted", "It is gone", BOOL_AT(struct chat_app, deleted)},
    {"endpoint", "How its address of events does", .kind = MEMBER_OBJECT,
     .form = &endpoint_stored_form, .read = read_later, .write = write_endpoint},
};
const struct form chat_app_form = FORM("An app of Slack", chat_app_members);

int chat_app_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    const struct form_in in = {tx, d, v};
    struct ident_app app;
    struct chat_app a = {.setting = "{}", .description = ""};
    if (form_known(&in, &chat_app_form) < 0 || program_of(tx, d, v, &app) < 0)
        return -1;
    int r = chat_app_of(tx, app.id, &a);
    if (r < 0)
        return -1;
    a.app = app.id;
    a.icon = NULL;
    a.distributed = a.deleted = false;
    if (form_read_members(&in, &chat_app_form, &a) < 0)
        return -1;
    if (!a.verification)
        a.verification = chat_made_verification(tx, app.client_id);
    if ((r ? chat_app_save(tx, &a) : chat_app_add(tx, &a)) < 0)
        return doc_taken(d, v, "id");
    return chat_app_derive(tx, &a) < 0 ? -1 : seed_endpoint(tx, d, v, app.id);
}

int chat_app_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_app a;
    int r = chat_app_next(tx, id - 1, &a);
    if (r != 1 || a.id != id)
        return r < 0 ? -1 : 0;
    return form_write(&(struct form_out){tx, w}, &chat_app_form, &a) < 0 ? -1 : 1;
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

static int read_grant_app(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_grant *g = row;
    const struct chat_workspace w = {.id = g->workspace};
    struct chat_install i;
    (void)m;
    if (install_of(in->tx, in->d, in->value, &w, &i) < 0)
        return -1;
    g->install = i.id;
    return 0;
}

static int write_grant_app(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q = SQL_TEXT("select app from slack_install where id = :id");
    int64_t app;
    return TX_INT(out->tx, &q, &app, ((const struct chat_grant *)row)->install) != 1
               ? -1
               : chat_dump_app(out->tx, out->w, m->name, app);
}

static int check_grant(const struct form_in *in, void *row)
{
    const struct chat_grant *g = row;
    struct chat_user u;
    if (chat_user_get(in->tx, g->user, &u) != 1)
        return -1;
    if (u.workspace != g->workspace)
        return doc_fail(in->d, in->value, "user", "is of another workspace");
    return strlen(g->token) < 8 ? doc_fail(in->d, json_get(in->value, "token"), "token",
                                           "a token has at least 8 bytes")
                                : 0;
}

static int add_grant(const struct form_in *in, void *row)
{
    return chat_grant_set(in->tx, row);
}

static const struct member grant_members[] = {
    CHAT_WORKSPACE_BY(struct chat_grant, user, chat_write_workspace_of_user),
    STORED_ID(struct chat_grant),
    {TEXT_AT(struct chat_grant, access), .usual_text = ""},
    {TEXT_AT(struct chat_grant, before)},
    {"app", "The client id of an app of the workspace", .kind = MEMBER_REF,
     .ref = &chat_app_reference, .read = read_grant_app, .write = write_grant_app,
     .flags = MEMBER_REQUIRED, MEMBER_TYPED(struct chat_grant, install, int64_t)},
    {"user", "Who", CHAT_USER_AT(struct chat_grant, user), .flags = MEMBER_REQUIRED},
    {"token", "The token, of at least 8 bytes", TEXT_AT(struct chat_grant, token),
     .flags = MEMBER_REQUIRED},
    {"scopes", "What it may be used for", TEXT_AT(struct chat_grant, scopes)},
    {"expires", "When it ends; never without it", CHAT_SECOND_AT(struct chat_grant, expires_s)},
};
STORED(slack_grant_stored, "A token that a person gave to an app", struct chat_grant, grant_members,
       check_grant, .table = "slack_grant", .key = "token", .add = add_grant);

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
