/* SPDX-License-Identifier: Apache-2.0 */
/* The member "apps" of workspaces in seed documents: where apps are installed. */
#include "engine/text/civil.h"
#include "services/chat/slack/store.h"

const char *chat_made_verification(struct tx *tx, const char *client_id)
{
    return arena_printf(tx->arena, "%016llx", (unsigned long long)chat_hash(client_id));
}

/* An app and where it is installed, as documents have them. */
struct said {
    int64_t workspace; /* users are looked for in it */
    struct chat_install install;
    struct chat_app app;
};

static const struct member install_members[] = {
    {"client_id", "The app", REF_AT(struct said, install.app, &app_reference),
     .flags = MEMBER_REQUIRED},
    {"id", "The id of the app; made up without it", CHAT_KEY_AT(struct said, app.key, "A")},
    {"bot", "The id of its bot as a sender", TEXT_AT(struct said, install.key)},
    {"scopes", "Those of its bot", TEXT_AT(struct said, install.scopes)},
    {"user_scopes", "Those of people", TEXT_AT(struct said, install.user_scopes)},
    {"installer", "Who installed it", CHAT_USER_AT(struct said, install.installer)},
    {"description", "What it is for", TEXT_AT(struct said, app.description), .flags = MEMBER_GIVEN},
    {"settings", "As the API has them", KEPT_AT(struct said, app.setting, JSON_OBJECT),
     .flags = MEMBER_GIVEN},
    {"verification", "What its events have", TEXT_AT(struct said, app.verification),
     .flags = MEMBER_GIVEN},
    {"manifest", "What it is made of", KEPT_AT(struct said, app.manifest, JSON_OBJECT),
     .flags = MEMBER_GIVEN},
    {"installed", "When; as the workspace without it",
     CHAT_SECOND_AT(struct said, install.installed_s), .flags = MEMBER_ALWAYS},
    {"uninstalled", "It is gone from there", BOOL_AT(struct said, install.deleted)},
};
static const struct form install_form = FORM("An app that is installed", install_members);

static int seed_install(struct tx *tx, struct doc *d, const struct json *v,
                        const struct chat_workspace *w)
{
    struct said s = {.workspace = w->id,
                     .install = {.workspace = w->id, .installed_s = w->created_s}};
    struct chat_app known, *a = &s.app;
    struct ident_app app;
    struct chat_user bot;
    if (form_read(&(struct form_in){tx, d, v}, &install_form, &s) < 0 ||
        app_get(tx, s.install.app, &app) != 1)
        return -1;
    a->app = app.id;
    a->description = a->description ? a->description : "";
    a->setting = a->setting ? a->setting : "{}";
    a->verification = a->verification ? a->verification : chat_made_verification(tx, app.client_id);
    int r = app.bot ? chat_user_of(tx, app.bot, w->id, &bot) : 0;
    s.install.user = r == 1 ? bot.id : 0;
    if (r < 0 || (r = chat_app_of(tx, app.id, &known)) < 0 ||
        (!r && (chat_app_add(tx, a) < 0 || chat_app_derive(tx, a) < 0)))
        return -1;
    return chat_install_add(tx, &s.install);
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
    struct said s = {.workspace = 0};
    int r = chat_install_get(tx, id, &s.install);
    if (r != 1 || (r = chat_app_of(tx, s.install.app, &s.app)) != 1)
        return r;
    /* The other members are the section's of apps. */
    s.app = (struct chat_app){.key = s.app.key};
    return form_write(&(struct form_out){tx, w}, &install_form, &s) < 0 ? -1 : 1;
}

int chat_installs_dump(struct tx *tx, struct json_writer *w, const struct chat_workspace *ws)
{
    static struct sql_text q =
        SQL_TEXT("select id from slack_install where workspace = :workspace order by id");
    return chat_dump_rows(tx, w, "apps", &q, ws->id, false, install_dump);
}
