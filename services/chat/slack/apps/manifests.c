/* SPDX-License-Identifier: Apache-2.0 */
/* Apps by their manifests: made, changed, exported, held against the rules, deleted. Who calls has
 * a configuration token. */
#include "identity/sql.h"
#include "services/chat/slack/apps/manifest.h"
#include "engine/base/codec.h"
#include "services/chat/slack/web/oauth.h"
#include "services/chat/slack/events/push.h"
#include "services/chat/slack/events/socket.h"

/* The app of the argument app_id. */
static int kept_app(struct call *c, struct chat_app *ret)
{
    return sl_kept_app(c, param_str(c, "app_id"), ret);
}

/* ---- faults ---- */

static void write_faults(struct call *c)
{
    const struct sl_faults *faults = slack_of(c)->more_arg;
    json_arr(c->out, "errors");
    for (size_t i = 0; i < faults->n; i++) {
        json_obj(c->out, NULL);
        json_str_opt(c->out, "code", faults->items[i].code);
        json_str(c->out, "message", faults->items[i].message);
        json_str(c->out, "pointer", faults->items[i].pointer);
        json_end(c->out);
    }
    json_end(c->out);
}

/* The argument, if it is a manifest that keeps to the rules. Refuses with invalid_manifest and what
 * is wrong. */
static int read_manifest(struct call *c, const struct json **ret)
{
    struct sl_faults *faults = arena_calloc(c->tx.arena, 1, sizeof *faults);
    int r = slack_json_arg(c, "manifest", ret);
    if (arena_failed(c->tx.arena))
        return -1;
    if (r == 1 && (*ret)->type == JSON_OBJECT)
        sl_manifest_check(c->tx.arena, *ret, faults);
    else
        faults->items[faults->n++] =
            (struct sl_fault){.message = "must provide an object", .pointer = "/"};
    if (!faults->n)
        return 0;
    slack_of(c)->more = write_faults;
    slack_of(c)->more_arg = faults;
    return slack_fail(c, "invalid_manifest");
}

/* ---- apps.manifest.create ---- */

/* One that no app of a dump has. */
static const char *new_secret(struct tx *tx, const char *stream)
{
    static struct sql_text q = SQL_TEXT("select 1 where " IDENT_SQL_IS_APP_SECRET(
        ":secret") " union all select 1 from slack_app where verification = :secret limit 1");
    uint8_t random[16];
    char *text = arena_alloc(tx->arena, 2 * sizeof random + 1);
    int64_t one;
    int r;
    do {
        if (tx_secret(tx, stream, random, sizeof random) < 0)
            return NULL;
        hex_encode(text, random, sizeof random);
    } while ((r = TX_INT(tx, &q, &one, text)) == 1);
    return r < 0 ? NULL : text;
}

static int make_app(struct call *c, const char *manifest, struct ident_app *app, struct chat_app *a)
{
    struct tx *tx = &c->tx;
    const struct sl_caller *me = sl_me(c);
    const char *verification = new_secret(tx, "slack_verification");
    *a = (struct chat_app){.key = chat_key(tx, 'A'),
                           .description = "",
                           .verification = verification,
                           .manifest = manifest,
                           .setting = "{}",
                           .owner = me->user.id};
    if (!a->key || !verification)
        return -1;
    *app = (struct ident_app){
        .client_id = arena_printf(tx->arena, "%lld.%lld%03lld", sl_digits(me->workspace.key),
                                  sl_digits(a->key), (long long)(chat_hash(verification) % 1000)),
        .secret = new_secret(tx, "slack_client"),
        .signing_secret = new_secret(tx, "slack_signing"),
        .name = "",
        .kind = "web",
        .vendor = "slack",
        .section = APP_SECTION,
        .proven = true};
    if (!app->secret || !app->signing_secret)
        return -1;
    if (app_new(tx, app) < 0)
        return tx->err->code == SOSIA_E_CONFLICT ? slack_fail(c, "failed_creating_app") : -1;
    a->app = app->id;
    if (app_get(tx, app->id, app) != 1 || chat_app_add(tx, a) < 0)
        return -1;
    return sl_manifest_apply(tx, app, a);
}

static const char *authorize_url(struct call *c, const struct ident_app *app,
                                 const struct json *manifest)
{
    const char *bot = sl_manifest_scopes(c->tx.arena, manifest, true);
    const char *user = sl_manifest_scopes(c->tx.arena, manifest, false);
    return call_follow_url(c, SLACK_HOST,
                           arena_printf(c->tx.arena,
                                        "/oauth/v2/authorize?client_id=%s&scope=%s%s%s",
                                        app->client_id, bot, *user ? "&user_scope=" : "", user));
}

static int apps_manifest_create(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *team = param_str(c, "team_id"), *text;
    struct chat_workspace other;
    struct ident_app app;
    struct chat_app a;
    const struct json *m;
    if (team && *team && strcmp(team, me->workspace.key) != 0) {
        int r = chat_workspace_find(&c->tx, team, &other);
        return r < 0 ? -1 : slack_fail(c, r ? "not_in_team" : "invalid_team_id");
    }
    if (read_manifest(c, &m) < 0 || !(text = sl_manifest_normal(&c->tx, m, NULL)) ||
        make_app(c, text, &app, &a) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "app_id", a.key);
    json_obj(c->out, "credentials");
    json_str(c->out, "client_id", app.client_id);
    json_str(c->out, "client_secret", app.secret);
    json_str(c->out, "verification_token", a.verification);
    json_str(c->out, "signing_secret", app.signing_secret);
    json_end(c->out);
    json_str(c->out, "oauth_authorize_url", authorize_url(c, &app, m));
    json_str(c->out, "team_id", me->workspace.key);
    json_str(c->out, "team_domain", me->workspace.domain);
    slack_close(c);
    return 0;
}

/* ---- apps.manifest.export ---- */

/* What the app has, as JSON; of one without a manifest what is known of it. */
static int manifest_of(struct call *c, const struct chat_app *a, const struct json **ret)
{
    const char *text = a->manifest;
    if (!text && !(text = sl_manifest_made(&c->tx, a)))
        return -1;
    if (json_parse(c->tx.arena, text, strlen(text), NULL, ret, c->tx.err) < 0)
        return -1;
    if (a->manifest)
        return 0;
    text = sl_manifest_normal(&c->tx, *ret, NULL);
    return text ? json_parse(c->tx.arena, text, strlen(text), NULL, ret, c->tx.err) : -1;
}

static int apps_manifest_export(struct call *c)
{
    const struct json *m;
    struct chat_app a;
    if (kept_app(c, &a) < 0 || manifest_of(c, &a, &m) < 0)
        return -1;
    slack_open(c);
    json_value(c->out, "manifest", m);
    slack_close(c);
    return 0;
}

/* ---- apps.manifest.update ---- */

/* Are they the same scopes, whatever their order? */
static bool same_scopes(struct arena *a, const struct json *one, const struct json *other, bool bot)
{
    const char *x = sl_manifest_scopes(a, one, bot), *y = sl_manifest_scopes(a, other, bot);
    return strlen(sl_scopes_union(a, x, y)) == strlen(sl_scopes_union(a, "", x)) &&
           strlen(sl_scopes_union(a, y, x)) == strlen(sl_scopes_union(a, "", y));
}

/* Connections of an app that has no Socket Mode any more end. */
static int end_sockets(struct call *c, const struct chat_app *a)
{
    struct sl_settings s;
    if (!a->deleted && sl_settings_of(&c->tx, a, &s) < 0)
        return -1;
    return !a->deleted && s.socket_mode ? 0 : sl_sockets_disable(&c->tx, a->app);
}

/* Where it is installed its bot and its commands may be others now. */
static int notify_of_change(struct call *c, int64_t app)
{
    static const char *const members[] = {"app", NULL};
    struct chat_install i = {0};
    int r;
    while ((r = chat_install_next(&c->tx, app, i.id, &i)) == 1)
        if (!i.deleted)
            chat_notify(&c->tx, CHAT_EV_INSTALL, OP_CHANGED, i.workspace, i.id, members, NULL);
    return r;
}

static int apps_manifest_update(struct call *c)
{
    const struct json *m, *before;
    struct ident_app app;
    struct chat_app a;
    if (kept_app(c, &a) < 0 || read_manifest(c, &m) < 0 || manifest_of(c, &a, &before) < 0 ||
        app_get(&c->tx, a.app, &app) != 1)
        return -1;
    bool same =
        same_scopes(c->tx.arena, before, m, true) && same_scopes(c->tx.arena, before, m, false);
    app.redirects = NULL; /* what is left out goes */
    app.proven = true;    /* it is not the one of the document any more */
    if (!(a.manifest = sl_manifest_normal(&c->tx, m, before)) ||
        sl_manifest_apply(&c->tx, &app, &a) < 0 || end_sockets(c, &a) < 0 ||
        notify_of_change(c, a.app) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "app_id", a.key);
    json_bool(c->out, "permissions_updated", !same);
    slack_close(c);
    return 0;
}

/* ---- apps.manifest.validate, apps.manifest.delete ---- */

static int apps_manifest_validate(struct call *c)
{
    const char *key = param_str(c, "app_id");
    const struct json *m;
    struct chat_app a;
    if ((key && *key && kept_app(c, &a) < 0) || read_manifest(c, &m) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "errors");
    json_end(c->out);
    slack_close(c);
    return 0;
}

static int apps_manifest_delete(struct call *c)
{
    struct chat_install i = {0};
    struct chat_app a;
    int r;
    if (kept_app(c, &a) < 0)
        return -1;
    while ((r = chat_install_next(&c->tx, a.app, i.id, &i)) == 1)
        if (!i.deleted && chat_uninstall(&c->tx, &i, true) < 0)
            return -1;
    a.deleted = true;
    if (r < 0 || chat_app_save(&c->tx, &a) < 0 || chat_app_derive(&c->tx, &a) < 0 ||
        end_sockets(c, &a) < 0)
        return -1;
    return slack_ok(c);
}

/* ---- rows ---- */

static const struct param create_params[] = {SL_NEEDED("manifest", SL_OBJECT_OF(sl_manifest_field)),
                                             SL_ARG("team_id")};
static const struct param update_params[] = {SL_NEEDED("manifest", SL_OBJECT_OF(sl_manifest_field)),
                                             SL_NEEDED("app_id")};
static const struct param validate_params[] = {
    SL_NEEDED("manifest", SL_OBJECT_OF(sl_manifest_field)), SL_ARG("app_id")};
static const struct param app_params[] = {SL_NEEDED("app_id")};

static const struct route methods[] = {
    {SL_METHOD("apps.manifest.create"), .handler = apps_manifest_create, .risk = RISK_EXTERNAL,
     SL_CONFIGURING("write"), PARAMS(create_params), .rate = SLACK_TIER_1,
     .summary = "Make an app from a manifest"},
    {SL_METHOD("apps.manifest.update"), .handler = apps_manifest_update, .risk = RISK_EXTERNAL,
     SL_CONFIGURING("write"), PARAMS(update_params), .rate = SLACK_TIER_1,
     .summary = "Give an app another manifest"},
    {SL_METHOD("apps.manifest.export"), .handler = apps_manifest_export, .risk = RISK_READ,
     SL_CONFIGURING("read"), PARAMS(app_params), .rate = SLACK_TIER_3,
     .summary = "An app's manifest"},
    {SL_METHOD("apps.manifest.validate"), .handler = apps_manifest_validate, .risk = RISK_READ,
     SL_CONFIGURING("write"), PARAMS(validate_params), .rate = SLACK_TIER_3,
     .summary = "What is wrong with a manifest"},
    {SL_METHOD("apps.manifest.delete"), .handler = apps_manifest_delete, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, SL_CONFIGURING("write"), PARAMS(app_params), .rate = SLACK_TIER_1,
     .summary = "Delete an app"},
};

const struct rows sl_manifests = ROWS(methods);
