/* SPDX-License-Identifier: Apache-2.0 */
/* What starts workflows of apps, and which channels show it. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/apps/platform.h"

int chat_flow_trigger_find(struct tx *tx, const char *key, struct chat_flow_trigger *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    return STORED_ONE(tx, &slack_flow_trigger_stored, &q, ret, key);
}

int chat_flow_trigger_save(struct tx *tx, const struct chat_flow_trigger *t)
{
    static struct sql_text q = SQL_TEXT("update slack_flow_trigger set permission = :permission, "
                                        "entities = :entities where id = :id");
    return TX_RUN(tx, &q, chat_permissions[t->permission], t->entities, t->id);
}

/* ---- featured ---- */

int chat_featured(struct tx *tx, int64_t channel,
                  int (*fn)(void *arg, const char *key, const char *title), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select t.key, t.title from slack_featured f join slack_flow_trigger t on t.id = "
                 "f.\"trigger\" where f.channel = :channel order by f.place, f.id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, channel);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (fn(arg, tx_string(tx, st, 0), tx_string(tx, st, 1))) {
            sql_done(st);
            return 0;
        }
    return r;
}

int chat_featured_count(struct tx *tx, int64_t channel, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from slack_featured where channel = :channel");
    *ret = 0;
    return TX_INT(tx, &q, ret, channel) < 0 ? -1 : 0;
}

int chat_feature(struct tx *tx, int64_t channel, int64_t trigger)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_featured (channel, \"trigger\", place) select :channel, "
                 ":trigger, coalesce(max(place), 0) + 1 from slack_featured where channel = "
                 ":channel on conflict (channel, \"trigger\") do nothing");
    return TX_RUN(tx, &q, channel, trigger);
}

int chat_unfeature(struct tx *tx, int64_t channel, int64_t trigger)
{
    static struct sql_text q = SQL_TEXT("delete from slack_featured where channel = :channel and "
                                        ":trigger in (0, \"trigger\")");
    return TX_RUN(tx, &q, channel, trigger);
}

/* ---- seed documents ---- */

static const struct member trigger_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_flow_trigger),
    {"id", "Its id, from Ft on", CHAT_MADE_KEY_AT(struct chat_flow_trigger, key, "Ft")},
    {"app", "The app", CHAT_APP_AT(struct chat_flow_trigger, app), .flags = MEMBER_REQUIRED},
    {"title", "Its title", TEXT_AT(struct chat_flow_trigger, title), .flags = MEMBER_REQUIRED},
    {"workflow", "The workflow's callback_id", TEXT_AT(struct chat_flow_trigger, workflow),
     .flags = MEMBER_REQUIRED},
    {"permission", "Who may use it",
     ENUM_AT(struct chat_flow_trigger, permission, chat_permissions), .usual = CHAT_COLLABORATORS,
     .flags = MEMBER_SPOKEN | MEMBER_ALWAYS},
    {"entities", "Who is named: users, channels, teams",
     KEPT_AT(struct chat_flow_trigger, entities, JSON_OBJECT), .usual_text = "{}"},
};
STORED(slack_flow_trigger_stored, "What starts a workflow", struct chat_flow_trigger,
       trigger_members, NULL, .table = "slack_flow_trigger", .key = "id");

struct featured {
    int64_t workspace, channel, trigger, place;
};

static int read_trigger(const struct form_in *in, const struct member *m, void *row)
{
    struct featured *f = row;
    struct chat_flow_trigger t;
    const char *key;
    if (doc_str(in->d, in->value, m->name, true, &key) < 0)
        return -1;
    int r = chat_flow_trigger_find(in->tx, key, &t);
    if (r != 1 || t.workspace != f->workspace)
        return r < 0 ? -1
                     : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                "there is no trigger \"%.40s\"", key);
    f->trigger = t.id;
    return 0;
}

static int write_trigger(const struct form_out *out, const struct member *m, const void *row)
{
    const struct featured *f = row;
    struct chat_flow_trigger t;
    int r = stored_get(out->tx, &slack_flow_trigger_stored, f->trigger, &t);
    if (r == 1)
        json_str(out->w, m->name, t.key);
    return r < 0 ? -1 : 0;
}

static int check_featured(const struct form_in *in, void *row)
{
    const struct featured *f = row;
    int64_t n;
    if (chat_featured_count(in->tx, f->channel, &n) < 0)
        return -1;
    return n < CHAT_FEATURED_MAX ? 0
                                 : doc_fail(in->d, in->value, "channel", "has %d workflows already",
                                            CHAT_FEATURED_MAX);
}

static int add_featured(const struct form_in *in, void *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_featured (channel, \"trigger\", place) values (:channel, "
                 ":trigger, coalesce(:place, (select coalesce(max(place), 0) + 1 from "
                 "slack_featured where channel = :channel)))");
    const struct featured *f = row;
    return TX_RUN(in->tx, &q, f->channel, f->trigger, sql_int_or_null(f->place, 0));
}

static const struct reference trigger_reference = {.noun = "the id of what starts a workflow"};
static const struct member featured_members[] = {
    CHAT_WORKSPACE_BY(struct featured, channel, chat_write_workspace_of_channel),
    {"channel", "The channel that shows it", CHAT_CHANNEL_AT(struct featured, channel),
     .flags = MEMBER_REQUIRED},
    {"trigger", "What starts the workflow", .kind = MEMBER_REF, .ref = &trigger_reference,
     .read = read_trigger, .write = write_trigger, .flags = MEMBER_REQUIRED,
     MEMBER_TYPED(struct featured, trigger, int64_t)},
    {"place", "Among the others; else behind them",
     INT_AT(struct featured, place, 1, INT64_C(1) << 40)},
};
STORED(slack_featured_stored, "A workflow that a channel shows", struct featured, featured_members,
       check_featured, .table = "slack_featured", .key = "channel trigger", .add = add_featured);
