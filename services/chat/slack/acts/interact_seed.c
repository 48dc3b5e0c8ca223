/* SPDX-License-Identifier: Apache-2.0 */
/* Views, triggers, dialogs, addresses for answers and messages for one person, in the form of seed
 * documents, and what imported rows of them must keep to. Triggers and addresses are dumped as long
 * as they are good for something, and are not a difference between worlds. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/acts/interact.h"

/* ---- views ---- */

static int check_view(const struct form_in *in, void *row)
{
    const struct chat_view *v = row;
    const struct json *at = json_get(in->value, "place");
    struct chat_view there;
    int r = chat_view_at(in->tx, v->app, v->user, v->place, &there);
    if (r)
        return r < 0 ? -1 : doc_fail(in->d, in->value, "place", "there is a view there already");
    r = v->place > 1 ? chat_view_at(in->tx, v->app, v->user, v->place - 1, &there) : 1;
    return r == 1 ? 0 : r < 0 ? -1 : doc_fail(in->d, at, "place", "there is no view below it");
}

static int add_view(const struct form_in *in, void *row)
{
    static struct sql_text hash =
        SQL_TEXT("update slack_view set hash = coalesce(:hash, hash) where id = :id");
    struct chat_view *v = row;
    const char *given = v->hash;
    return chat_view_add(in->tx, v) < 0 ? -1 : TX_RUN(in->tx, &hash, given, v->id);
}

#define APP(type)                                                                                  \
    {                                                                                              \
        "app", "The app", CHAT_APP_AT(type, app), .flags = MEMBER_REQUIRED                         \
    }
#define USER(type)                                                                                 \
    {                                                                                              \
        "user", "The person", CHAT_USER_AT(type, user), .flags = MEMBER_REQUIRED                   \
    }

static const struct member view_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_view),
    {"id", "Its id, from V on", CHAT_MADE_KEY_AT(struct chat_view, key, "V")},
    APP(struct chat_view),
    USER(struct chat_view),
    {"place", "In the window's stack, from 1; 0: the app's own page",
     INT_AT(struct chat_view, place, 0, CHAT_VIEW_STACK)},
    {"external_id", "The app's own id", TEXT_AT(struct chat_view, external_id)},
    {"hash", "Of its state; else a new one", TEXT_AT(struct chat_view, hash)},
    {"body", "As views.open takes it", KEPT_AT(struct chat_view, body, JSON_OBJECT),
     .flags = MEMBER_REQUIRED},
    {"state", "Values by block and action", KEPT_AT(struct chat_view, state, JSON_OBJECT),
     .usual_text = "{}"},
};
STORED(slack_view_stored, "A view of an app", struct chat_view, view_members, check_view,
       .table = "slack_view", .key = "id", .add = add_view);

/* ---- triggers ---- */

static int read_trigger_view(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_trigger *t = row;
    struct chat_view view;
    const char *key;
    if (doc_str(in->d, in->value, m->name, false, &key) < 0)
        return -1;
    int r = key ? chat_view_find(in->tx, t->app, key, &view) : 0;
    if (r == 1)
        t->view = view.id;
    return r < 0       ? -1
           : r || !key ? 0
                       : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                  "there is no view \"%.80s\"", key);
}

/* It may be closed since. */
static int write_trigger_view(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_trigger *t = row;
    struct chat_view view;
    int r = t->view ? chat_view_get(out->tx, t->view, &view) : 0;
    if (r == 1)
        json_str(out->w, m->name, view.key);
    return r < 0 ? -1 : 0;
}

static int check_trigger(const struct form_in *in, void *row)
{
    struct chat_trigger *t = row;
    if (t->created_us == CHAT_UNSAID)
        t->created_us = in->tx->now_us;
    return 0;
}

static const struct reference view_reference = {.noun = "the id of a view"};
static const struct member trigger_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_trigger),
    {"id", "As the app gets it", TEXT_AT(struct chat_trigger, key), .flags = MEMBER_REQUIRED},
    APP(struct chat_trigger),
    USER(struct chat_trigger),
    {"view", "Where it was done", .kind = MEMBER_REF, .ref = &view_reference,
     .read = read_trigger_view, .write = write_trigger_view,
     MEMBER_TYPED(struct chat_trigger, view, int64_t)},
    {"channel", "The channel", CHAT_CHANNEL_AT(struct chat_trigger, channel)},
    {"created", "Its time; else now", CHAT_INSTANT_AT(struct chat_trigger, created_us),
     .usual = CHAT_UNSAID},
    {"used", "The app has used it", BOOL_AT(struct chat_trigger, used)},
};
STORED(slack_trigger_stored, "What a person did that an app may answer with a view",
       struct chat_trigger, trigger_members, check_trigger, .table = "slack_trigger", .key = "id");

static int trigger_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    return stored_dump(tx, &slack_trigger_stored, id, w);
}

static int triggers_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from slack_trigger where created_us > :since order by id");
    return dump_rows(tx, w, "chatTriggers", TX_QUERY(tx, &q, tx->now_us - CHAT_TRIGGER_US),
                     trigger_dump);
}

/* ---- addresses for answers ---- */

static int check_answer(const struct form_in *in, void *row)
{
    struct chat_answer *a = row;
    if (a->created_us == CHAT_UNSAID)
        a->created_us = in->tx->now_us;
    return 0;
}

static const struct member answer_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_answer),
    {"id", "The end of its URL", TEXT_AT(struct chat_answer, key), .flags = MEMBER_REQUIRED},
    APP(struct chat_answer),
    USER(struct chat_answer),
    {"channel", "The channel", CHAT_CHANNEL_AT(struct chat_answer, channel),
     .flags = MEMBER_REQUIRED},
    {"command", "It answers a command", BOOL_AT(struct chat_answer, command)},
    {"ts", "The message that was acted on", CHAT_TS_AT(struct chat_answer, message_us)},
    {"ephemeral_ts", "The same, of one for the person alone",
     CHAT_TS_AT(struct chat_answer, ephemeral_us)},
    {"thread", "The thread", CHAT_TS_AT(struct chat_answer, thread_us)},
    {"uses", "How often it was used", INT_AT(struct chat_answer, uses, 0, CHAT_ANSWER_USES)},
    {"created", "Its time; else now", CHAT_INSTANT_AT(struct chat_answer, created_us),
     .usual = CHAT_UNSAID},
};
STORED(slack_answer_stored, "An address at which an app may answer", struct chat_answer,
       answer_members, check_answer, .table = "slack_answer", .key = "id");

static int answer_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    return stored_dump(tx, &slack_answer_stored, id, w);
}

static int answers_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from slack_answer where created_us > :since order by id");
    return dump_rows(tx, w, "chatAnswers", TX_QUERY(tx, &q, tx->now_us - CHAT_ANSWER_US),
                     answer_dump);
}

/* ---- messages for one person ---- */

static int add_ephemeral(const struct form_in *in, void *row)
{
    struct chat_ephemeral *e = row;
    return e->ts_us ? stored_add(in->tx, &slack_ephemeral_stored, e)
                    : chat_ephemeral_add(in->tx, e);
}

static const struct member ephemeral_members[] = {
    CHAT_WORKSPACE_BY(struct chat_ephemeral, channel, chat_write_workspace_of_channel),
    STORED_ID(struct chat_ephemeral),
    {"channel", "Where it is", CHAT_CHANNEL_AT(struct chat_ephemeral, channel),
     .flags = MEMBER_REQUIRED},
    {"user", "The person who sees it", CHAT_USER_AT(struct chat_ephemeral, user),
     .flags = MEMBER_REQUIRED},
    {"ts", "Its ts; else a new one", CHAT_TS_AT(struct chat_ephemeral, ts_us)},
    {"from", "The one who sent it", CHAT_USER_AT(struct chat_ephemeral, sender)},
    {"app", "The app that sent it", CHAT_APP_AT(struct chat_ephemeral, app)},
    {"thread", "Its thread", CHAT_TS_AT(struct chat_ephemeral, thread_us)},
    {"message", "text, blocks, attachments", KEPT_AT(struct chat_ephemeral, message, JSON_OBJECT),
     .flags = MEMBER_REQUIRED},
};
STORED(slack_ephemeral_stored, "A message that one person alone sees", struct chat_ephemeral,
       ephemeral_members, NULL, .table = "slack_ephemeral", .key = "channel user ts",
       .add = add_ephemeral);

/* ---- dialogs ---- */

static int add_dialog(const struct form_in *in, void *row)
{
    struct chat_dialog *d = row, there;
    int r = chat_dialog_of(in->tx, d->user, &there);
    return r == 0  ? chat_dialog_open(in->tx, d)
           : r < 0 ? -1
                   : doc_fail(in->d, in->value, "user", "there is a dialog there already");
}

static const struct member dialog_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_dialog),
    APP(struct chat_dialog),
    USER(struct chat_dialog),
    {"channel", "Where it was opened", CHAT_CHANNEL_AT(struct chat_dialog, channel)},
    {"body", "As dialog.open takes it", KEPT_AT(struct chat_dialog, body, JSON_OBJECT),
     .flags = MEMBER_REQUIRED},
};
STORED(slack_dialog_stored, "A dialog that a person has open", struct chat_dialog, dialog_members,
       NULL, .table = "slack_dialog", .key = "user", .add = add_dialog);

/* ---- entities and rules ---- */

static const struct entity entities[] = {
    {.name = "chatView", .table = "slack_view", .stored = &slack_view_stored},
    {.name = "functionExecution", .table = "slack_execution", .stored = &slack_execution_stored},
    {.name = "chatPane", .table = "slack_pane", .stored = &slack_pane_stored},
    {.name = "chatDialog", .table = "slack_dialog", .stored = &slack_dialog_stored},
    {.name = "ephemeralMessage", .table = "slack_ephemeral", .stored = &slack_ephemeral_stored},
};

#define NO_INSTANT(column) column " not between 0 and 8589934591000000"
#define NO_OBJECT(column)                                                                          \
    "case when json_valid(" column ") then json_type(" column ") <> 'object' else 1 end"

static const struct core_rule rules[] = {
    {"slack_view", "length(key) not between 2 and 40"},
    {"slack_view", "place not between 0 and 3"},
    {"slack_view",
     "place > 1 and not exists (select 1 from slack_view b where b.app = slack_view.app "
     "and b.user = slack_view.user and b.place = slack_view.place - 1)"},
    {"slack_view", NO_OBJECT("body")},
    {"slack_view", NO_OBJECT("state")},
    {"slack_trigger", NO_INSTANT("created_us")},
    {"slack_dialog", NO_OBJECT("body")},
    {"slack_pane", "part not between 0 and 2"},
    {"slack_pane", NO_OBJECT("ref")},
    {"slack_pane", "json_valid(ref) and json_type(ref, '$.id') is not 'text'"},
    {"slack_pane", NO_OBJECT("asked")},
    {"slack_pane", "content is not null and " NO_OBJECT("content")},
    {"slack_execution",
     "length(key) not between 3 and 40 or length(workflow) not between 3 and 40"},
    {"slack_execution", "state not between 0 and 2"},
    {"slack_execution", NO_OBJECT("inputs")},
    {"slack_execution", "outputs is not null and " NO_OBJECT("outputs")},
    {"slack_execution", NO_INSTANT("created_us")},
    {"slack_execution", NO_INSTANT("ended_us")},
    {"slack_execution", "(state = 0) <> (ended_us = 0)"},
    {"slack_answer", NO_INSTANT("created_us")},
    {"slack_answer", NO_INSTANT("message_us")},
    {"slack_answer", NO_INSTANT("ephemeral_us")},
    {"slack_answer", NO_INSTANT("thread_us")},
    {"slack_answer", "uses not between 0 and 5"},
    {"slack_act", NO_INSTANT("created_us")},
    {"slack_act", "result is not null and not json_valid(result)"},
    {"slack_ephemeral", NO_INSTANT("ts_us")},
    {"slack_ephemeral", NO_INSTANT("thread_us")},
    {"slack_ephemeral", NO_OBJECT("message")},
    {NULL, NULL},
};

static const struct section sections[] = {
    {.name = "chatViews",
     .stored = &slack_view_stored,
     .ids = SECTION_IDS("select id from slack_view order by id")},
    {.name = "chatTriggers", .stored = &slack_trigger_stored, .dump = triggers_dump},
    {.name = "chatAnswers", .stored = &slack_answer_stored, .dump = answers_dump},
    {.name = "ephemeralMessages",
     .stored = &slack_ephemeral_stored,
     .ids = SECTION_IDS("select id from slack_ephemeral order by id")},
    {.name = "chatDialogs",
     .stored = &slack_dialog_stored,
     .ids = SECTION_IDS("select id from slack_dialog order by id")},
    {.name = "chatPanes",
     .stored = &slack_pane_stored,
     .ids = SECTION_IDS("select id from slack_pane order by id")},
    {.name = "functionExecutions",
     .stored = &slack_execution_stored,
     .ids = SECTION_IDS("select id from slack_execution order by id")},
};

extern const char chat_interact_sql[];

const struct sosia_core chat_interact_core = {
    .name = "chat.interact",
    .schema = chat_interact_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
};
