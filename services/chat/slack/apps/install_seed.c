/* SPDX-License-Identifier: Apache-2.0 */
/* The member "apps" of workspaces in seed documents: where apps are installed. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/slack/store.h"

const char *chat_made_verification(struct tx *tx, const char *client_id)
{
    return arena_printf(tx->arena, "%016llx", (unsigned long long)chat_hash(client_id));
}

static int seed_install(struct tx *tx, struct doc *d, const struct json *v,
                        const struct chat_workspace *w)
{
    static const char *const members[] = {
        "client_id", "id",          "bot",      "scopes",       "user_scopes",
        "installer", "description", "settings", "verification", "manifest",
        "installed", "uninstalled", NULL};
    struct ident_app app;
    struct chat_app known, a = {0};
    struct chat_install i = {.workspace = w->id, .installed_s = w->created_s};
    struct chat_user bot, installer;
    const char *client, *bot_key;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "client_id", true, &client) < 0)
        return -1;
    int r = app_find(tx, client, &app);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "client_id"), "client_id",
                                "there is no app \"%.80s\"", client);
    a.app = i.app = app.id;
    if (chat_doc_key(d, v, "A", &a.key) < 0 || doc_str(d, v, "bot", false, &bot_key) < 0 ||
        doc_str(d, v, "scopes", false, &i.scopes) < 0 ||
        doc_str(d, v, "user_scopes", false, &i.user_scopes) < 0 ||
        doc_str(d, v, "description", false, &a.description) < 0 ||
        doc_str(d, v, "verification", false, &a.verification) < 0 ||
        chat_doc_user(tx, d, v, "installer", w->id, &installer) < 0 ||
        chat_doc_second(d, v, "installed", i.installed_s, &i.installed_s) < 0 ||
        doc_bool(d, v, "uninstalled", false, &i.deleted) < 0 ||
        chat_doc_shaped(d, v, "manifest", JSON_OBJECT, &a.manifest) < 0 ||
        chat_doc_shaped(d, v, "settings", JSON_OBJECT, &a.setting) < 0)
        return -1;
    i.key = bot_key;
    i.installer = installer.id;
    if (!a.description)
        a.description = "";
    if (!a.setting)
        a.setting = "{}";
    if (!a.verification)
        a.verification = chat_made_verification(tx, client);
    if (app.bot) {
        if ((r = chat_user_of(tx, app.bot, w->id, &bot)) < 0)
            return -1;
        i.user = r ? bot.id : 0;
    }
    if ((r = chat_app_of(tx, app.id, &known)) < 0 ||
        (!r && (chat_app_add(tx, &a) < 0 || chat_app_derive(tx, &a) < 0)))
        return -1;
    return chat_install_add(tx, &i);
}

int chat_installs_seed(struct tx *tx, struct doc *d, const struct json *v,
                       const struct chat_workspace *w)
{
    struct doc_items it;
    if (doc_items(d, v, "apps", &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (seed_install(tx, d, item, w) < 0)
            return -1;
    return 0;
}

static int install_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select workspace, app from slack_install where id = :id");
    struct chat_install i;
    struct chat_app a;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int64_t workspace = sqlite3_column_int64(st, 0), app = sqlite3_column_int64(st, 1);
    sql_done(st);
    if ((r = chat_install_of(tx, workspace, app, &i)) != 1 || (r = chat_app_of(tx, app, &a)) != 1)
        return r;
    if (chat_dump_app(tx, w, "client_id", app) < 0)
        return -1;
    json_str(w, "id", a.key);
    json_str(w, "bot", i.key);
    json_str_opt(w, "scopes", i.scopes);
    json_str_opt(w, "user_scopes", i.user_scopes);
    if (chat_dump_user(tx, w, "installer", i.installer) < 0)
        return -1;
    json_int(w, "installed", i.installed_s);
    json_bool_opt(w, "uninstalled", i.deleted);
    return 1;
}

int chat_installs_dump(struct tx *tx, struct json_writer *w, const struct chat_workspace *ws)
{
    static struct sql_text q =
        SQL_TEXT("select id from slack_install where workspace = :workspace order by id");
    return chat_dump_rows(tx, w, "apps", &q, ws->id, false, install_dump);
}
