/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/install.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/manifest.h"
#include "services/chat/slack/sl.h"
#include <ctype.h>

/* ---- bots ---- */

/* As names of bots are: small letters, digits, and what may stand between them. */
static const char *bot_name(struct arena *a, const char *text)
{
    char *name = arena_strdup(a, text);
    size_t n = 0;
    for (const char *p = text; *p && n < 80; p++) {
        unsigned char c = (unsigned char)*p;
        if (isalnum(c) && c < 0x80)
            name[n++] = (char)tolower(c);
        else if (strchr("-_.", c) || (c == ' ' && n && name[n - 1] != '_'))
            name[n++] = (char)(c == ' ' ? '_' : c);
    }
    name[n] = 0;
    return n ? name : "app";
}

static const char *lower(struct arena *a, const char *text)
{
    char *copy = arena_strdup(a, text);
    for (char *p = copy; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return copy;
}

/* The actor that acts for the app, made from its manifest. 1; 0: it has none. */
static int bot_actor(struct tx *tx, struct ident_app *app, const struct chat_app *a,
                     struct actor *ret)
{
    const struct json *m = NULL, *bot;
    struct actor other;
    if (app->bot)
        return actor_by_id(tx, app->bot, ret);
    if (a->manifest &&
        json_parse(tx->arena, a->manifest, strlen(a->manifest), NULL, &m, tx->err) < 0)
        return -1;
    bot = m ? sl_manifest_part(m, "features", "bot_user") : NULL;
    const char *name = bot && bot->type == JSON_OBJECT ? json_get_str(bot, "display_name") : NULL;
    if (!name)
        return 0;
    const char *handle = bot_name(tx->arena, name);
    int r = actor_find(tx, handle, &other);
    if (r < 0)
        return -1;
    if (r)
        handle = arena_printf(tx->arena, "%s-%s", handle, lower(tx->arena, a->key));
    *ret = (struct actor){.handle = handle,
                          .email = "",
                          .kind = "bot",
                          .name = name,
                          .zone = "America/Los_Angeles",
                          .locale = "en"};
    if (actor_new(tx, ret) < 0)
        return -1;
    app->bot = ret->id;
    return app_save(tx, app) < 0 ? -1 : 1;
}

int sl_app_bot(struct tx *tx, struct ident_app *app, const struct chat_app *a,
               const struct chat_workspace *w, struct chat_user *ret)
{
    static const char *const members[] = {"deleted", NULL};
    struct actor actor;
    *ret = (struct chat_user){0};
    int r = bot_actor(tx, app, a, &actor);
    if (r != 1)
        return r;
    r = chat_user_of(tx, actor.id, w->id, ret);
    if (r < 0)
        return -1;
    if (r) {
        if (!ret->deleted)
            return 0;
        ret->deleted = false;
        return chat_user_save(tx, ret, members);
    }
    *ret = (struct chat_user){.workspace = w->id,
                              .actor = actor.id,
                              .name = bot_name(tx->arena, actor.name),
                              .real_name = actor.name,
                              .display_name = "",
                              .title = "",
                              .phone = "",
                              .pronouns = "",
                              .zone = actor.zone,
                              .locale = "en-US",
                              .role = CHAT_MEMBER,
                              .bot = true,
                              .status_text = "",
                              .status_emoji = "",
                              .presence = "auto",
                              .updated_s = tx->now_us / US_PER_SECOND};
    return chat_user_add(tx, ret);
}
