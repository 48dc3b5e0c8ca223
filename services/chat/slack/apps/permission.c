/* SPDX-License-Identifier: Apache-2.0 */
/* Who may use a function of an app in workflows. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/apps/platform.h"

const char *const chat_permissions[] = {"everyone", "app_collaborators", "named_entities", NULL};

int chat_distribution_of(struct tx *tx, int64_t app, const char *function,
                         struct chat_distribution *ret)
{
    static struct sql_text q = SQL_TEXT("where app = :app and function = :function");
    int r = STORED_ONE(tx, &slack_distribution_stored, &q, ret, app, function);
    if (r == 0)
        *ret = (struct chat_distribution){
            .app = app, .function = function, .permission = CHAT_COLLABORATORS, .entities = "{}"};
    return r;
}

int chat_distribution_set(struct tx *tx, const struct chat_distribution *d)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_distribution (app, function, permission, entities) values "
                 "(:app, :function, :permission, :entities) on conflict (app, function) do update "
                 "set permission = excluded.permission, entities = excluded.entities");
    return TX_RUN(tx, &q, d->app, d->function, chat_permissions[d->permission], d->entities);
}

/* ---- seed documents ---- */

static const struct member distribution_members[] = {
    {"app", "The app", CHAT_APP_AT(struct chat_distribution, app), .flags = MEMBER_REQUIRED},
    {"function", "Its callback_id", TEXT_AT(struct chat_distribution, function),
     .flags = MEMBER_REQUIRED},
    {"permission", "Who may use it",
     ENUM_AT(struct chat_distribution, permission, chat_permissions), .usual = CHAT_COLLABORATORS,
     .flags = MEMBER_SPOKEN | MEMBER_ALWAYS},
    {"entities", "Who is named: users, teams",
     KEPT_AT(struct chat_distribution, entities, JSON_OBJECT), .usual_text = "{}"},
};
STORED(slack_distribution_stored, "Who may use a function", struct chat_distribution,
       distribution_members, NULL, .table = "slack_distribution", .key = "app function");
