/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responders: people of a workspace who answer by themselves. A rule says to which messages, views
 * or dialogs; what is done then are acts (act.h), one after the other, by the world's clock. Each
 * is an entry that falls due, so a replay has the same. Answers to answers end: one comes a second
 * after what it answers at the earliest, and a responder answers so many times and no more.
 */
#include "engine/base/made.h"
#include "engine/world/number.h"
#include "engine/state/stored.h"
#include "engine/text/civil.h"
#include "engine/world/answer.h"
#include "services/chat/slack/store.h"
#include "services/chat/core/vendor.h"
#include "services/chat/slack/acts/act.h"

#define CORE "chat.respond"

#define MAX_WAIT (CHAT_LAST_SECOND / 1000) /* seconds */

struct responder {
    int64_t workspace, id, user, delay_s, times;
    const char *key, *rule, *acts, *refused;
};

static struct stored responder_stored;
static struct answer_rows rows = {.core = CORE,
                                  .due = "act",
                                  .max_wait = MAX_WAIT,
                                  ANSWER_ROWS("slack_respond", "slack_responder")};

/* The next one of a workspace that may answer yet. */
static int next_responder(struct tx *tx, int64_t workspace, int64_t after, struct responder *ret)
{
    static struct sql_text q = SQL_TEXT("where workspace = :workspace and id > :after and times > "
                                        "0 order by id limit 1");
    return STORED_ONE(tx, &responder_stored, &q, ret, workspace, after);
}

/* ---- matching ---- */

/* What an answer may name: what it answers. */
enum { OF_CHANNEL, OF_TS, OF_THREAD, OF_USER, OF_VIEW, N_OF };
static const char *const of_names[] = {"channel", "ts", "thread_ts", "user", "view", NULL};

struct found {
    struct answer_found f;
    const char *of[N_OF]; /* NULL: it is not about such a thing */
};

static void found_init(struct found *f)
{
    *f = (struct found){.f = {.names = of_names, .values = f->of}};
}

static int answers_message(struct tx *tx, const struct responder *r, const struct json *rule,
                           const struct chat_channel *ch, const struct chat_message *m,
                           struct found *f)
{
    const struct json *direct = json_get(rule, "direct");
    struct chat_member in;
    struct chat_user from, me;
    if (json_get(rule, "view") || m->user == r->user || m->flags & CHAT_SYSTEM)
        return 0;
    if ((direct && direct->truth != (ch->kind == CHAT_DIRECT || ch->kind == CHAT_GROUP)) ||
        !answer_lists(json_get(rule, "channels"), (const char *const[]){ch->key, ch->name, NULL}))
        return 0;
    int rc = m->user ? chat_user_get(tx, m->user, &from) : 0;
    if (rc < 0 ||
        (json_get(rule, "from") &&
         (!rc || !answer_lists(json_get(rule, "from"),
                               (const char *const[]){from.key, from.name, from.email, NULL}))))
        return rc < 0 ? -1 : 0;
    f->of[OF_USER] = rc ? from.key : "";
    const struct chat_vendor *vendor = chat_vendor_of(tx, ch->workspace);
    rc = vendor->act ? chat_user_get(tx, r->user, &me) : 0; /* channels of teams are seen by all */
    rc = rc == 1  ? chat_can_see(tx, ch, &me)
         : rc < 0 ? -1
                  : chat_member_of(tx, ch->id, r->user, &in);
    if (rc != 1)
        return rc;
    const char *text = vendor->act ? vendor->plain(tx->arena, m->text) : m->text;
    return text ? answer_match(tx, json_get_str(rule, "text"), text, &f->f)
                : sosia_fail_memory(tx->err);
}

/* ---- what is done ---- */

/* The members of an act that say what it is about, where the rule leaves them out. */
static void write_defaults(struct json_writer *w, const char *name, const struct json *args,
                           const struct found *f)
{
    static const struct {
        const char *act, *member;
        int at;
    } defaults[] = {
        {"post", "channel", OF_CHANNEL},
        {"react", "channel", OF_CHANNEL},
        {"react", "timestamp", OF_TS},
        {"reply", "channel", OF_CHANNEL},
        {"reply", "thread_ts", OF_THREAD},
        {"click", "channel", OF_CHANNEL},
        {"click", "ts", OF_TS},
        {"choose", "channel", OF_CHANNEL},
        {"choose", "ts", OF_TS},
        {"command", "channel", OF_CHANNEL},
        {"submit", "view", OF_VIEW},
        {"fill", "view", OF_VIEW},
        {"close", "view", OF_VIEW},
        {"click", "view", OF_VIEW},
        {"choose", "view", OF_VIEW},
    };
    for (size_t i = 0; i < SOSIA_LEN(defaults); i++)
        if (strcmp(defaults[i].act, name) == 0 && f->of[defaults[i].at] &&
            !json_get(args, defaults[i].member))
            json_str(w, defaults[i].member, f->of[defaults[i].at]);
}

static void write_act(struct tx *tx, struct json_writer *w, const char *name,
                      const struct json *args, const void *came)
{
    const struct found *f = came;
    const struct json *thread = json_get(args, "in_thread");
    json_obj(w, name);
    write_defaults(w, name, args, f);
    if (thread && thread->truth && f->of[OF_THREAD])
        json_str(w, "thread_ts", f->of[OF_THREAD]);
    for (uint32_t k = 0; k < args->n; k++)
        if (strcmp(args->members[k].key, "in_thread") != 0)
            answer_write(tx, w, args->members[k].key, &args->members[k].value, &f->f);
    json_end(w);
}

static int begin_answer(struct tx *tx, const struct responder *r, const struct found *f)
{
    return answer_begin(tx, &rows, r->id, r->acts, r->delay_s, write_act, f);
}

/* ---- events ---- */

static int answer_message(struct tx *tx, const struct world_event *e)
{
    const struct chat_change *change = e->detail;
    char ts[CHAT_TS_LEN], root_ts[CHAT_TS_LEN];
    struct chat_channel ch;
    struct chat_message root;
    struct responder r = {0};
    const struct json *rule;
    int rc;
    if (!change || e->operation != OP_ADDED)
        return 0;
    if ((rc = chat_channel_get(tx, e->scope, &ch)) != 1)
        return rc;
    const struct chat_message *m = &change->message;
    chat_ts_text(ts, m->ts_us);
    chat_ts_text(root_ts,
                 m->thread && m->thread != m->id && chat_message_get(tx, m->thread, &root) == 1
                     ? root.ts_us
                     : m->ts_us);
    while ((rc = next_responder(tx, ch.workspace, r.id, &r)) == 1) {
        struct found f;
        found_init(&f);
        f.of[OF_CHANNEL] = ch.key;
        f.of[OF_TS] = ts;
        f.of[OF_THREAD] = root_ts;
        if (json_parse(tx->arena, r.rule, strlen(r.rule), NULL, &rule, tx->err) < 0)
            return -1;
        int yes = answers_message(tx, &r, rule, &ch, m, &f);
        if (yes < 0 || (yes && begin_answer(tx, &r, &f) < 0))
            return -1;
    }
    return rc;
}

/* A view or a dialog that somebody sees. key NULL: a dialog. */
static int answer_form(struct tx *tx, int64_t workspace, int64_t user, const char *text,
                       const char *key)
{
    struct responder r = {0};
    const struct json *rule, *body;
    int rc;
    if (json_parse(tx->arena, text, strlen(text), NULL, &body, tx->err) < 0)
        return -1;
    const char *callback = json_get_str(body, "callback_id");
    while ((rc = next_responder(tx, workspace, r.id, &r)) == 1) {
        struct found f;
        found_init(&f);
        f.of[OF_VIEW] = key;
        if (json_parse(tx->arena, r.rule, strlen(r.rule), NULL, &rule, tx->err) < 0)
            return -1;
        const char *wanted = json_get_str(rule, "view");
        if (r.user != user || !wanted)
            continue;
        int yes = answer_match(tx, wanted, callback ? callback : "", &f.f);
        if (yes < 0 || (yes && begin_answer(tx, &r, &f) < 0))
            return -1;
    }
    return rc;
}

static int answer_view_opened(struct tx *tx, const struct world_event *e)
{
    struct chat_view v;
    int r = e->operation == OP_ADDED ? chat_view_get(tx, e->entity, &v) : 0;
    if (r != 1 || !v.place)
        return r < 0 ? -1 : 0;
    return answer_form(tx, v.workspace, v.user, v.body, v.key);
}

static int answer_dialog(struct tx *tx, const struct world_event *e)
{
    struct chat_dialog d;
    int r = chat_dialog_get(tx, e->entity, &d);
    return r == 1 ? answer_form(tx, d.workspace, d.user, d.body, NULL) : r;
}

static const struct {
    const char *kind;
    int (*answer)(struct tx *tx, const struct world_event *e);
} answered[] = {{CHAT_EV_MESSAGE, answer_message},
                {CHAT_EV_VIEW, answer_view_opened},
                {CHAT_EV_DIALOG, answer_dialog}};

/* Most worlds have none, and calls of theirs look no further. 1, 0, -1. */
static int has_responders(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select 1 from slack_responder limit 1");
    int64_t one;
    return sql_first_int(tx->db, tx->err, TX_PLAIN(tx, &q), &one);
}

static int events(struct tx *tx, const struct world_event *first)
{
    int any = -1;
    for (const struct world_event *e = first; e; e = e->next)
        for (size_t i = 0; i < SOSIA_LEN(answered); i++) {
            if (strcmp(e->kind, answered[i].kind) != 0)
                continue;
            if (any < 0 && (any = has_responders(tx)) <= 0)
                return any;
            if (answered[i].answer(tx, e) < 0)
                return -1;
        }
    return 0;
}

/* ---- by the clock ---- */

/* 1; 0: it was refused, and nothing of it is left, *ret_refused says why; -1. */
static int try_act(struct tx *tx, struct sl_inside *in, const struct json *act,
                   const char **ret_refused)
{
    int64_t entry;
    int rc = sl_act(&in->call, act, false, &entry);
    const char *why = rc < 0 ? slack_of(&in->call)->error : NULL;
    if (!sl_inside_end(tx, in) || (rc < 0 && !why))
        return -1;
    *ret_refused = why;
    return rc == 0;
}

/* The same where the vendor of the workspace has acts of its own. */
static int try_vendors(struct tx *tx, const struct chat_vendor *vendor, const struct responder *r,
                       const struct json *act, const char **ret_refused)
{
    const int64_t actor = tx->actor;
    struct chat_user u;
    int rc = chat_user_get(tx, r->user, &u);
    if (rc != 1 || u.deleted)
        return rc < 0 ? -1 : 0;
    tx->actor = u.actor;
    rc = vendor->act(tx, &u, act, ret_refused);
    tx->actor = actor;
    return rc;
}

/* Does an act (answer_go_on()). */
static int do_act(struct tx *tx, const void *who, const struct json *act, const char **ret_refused)
{
    const struct responder *r = who;
    const struct chat_vendor *vendor = chat_vendor_of(tx, r->workspace);
    if (vendor->act)
        return try_vendors(tx, vendor, r, act, ret_refused);
    struct sl_inside *in = arena_alloc(tx->arena, sizeof *in);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    int rc = sl_inside_begin(tx, in, r->user, 0);
    return rc == 1 ? try_act(tx, in, act, ret_refused) : rc;
}

static int go_on(struct tx *tx, const char *kind, int64_t id)
{
    struct responder r;
    struct answer a;
    (void)kind;
    int rc = answer_take(tx, &rows, id, &a);
    if (rc != 1)
        return rc;
    if ((rc = stored_get(tx, &responder_stored, a.responder, &r)) != 1)
        return rc < 0 ? -1 : answer_forget(tx, &rows, id);
    return answer_go_on(tx, &rows, &a, do_act, &r);
}

/* ---- seed documents ---- */

static int read_when(const struct form_in *in, const struct member *m, void *row)
{
    static const char *const members[] = {"channels", "from", "direct", "text", "view", NULL};
    const struct json *when = json_get(in->value, m->name), *list;
    struct doc *d = in->d;
    bool direct;
    if (!when)
        return 0;
    member_put_text(m, row, json_to_text(d->arena, when));
    size_t mark = doc_push(d, "when", -1);
    if (doc_object(d, when, members) < 0 || doc_list(d, when, "channels", &list) < 0 ||
        doc_list(d, when, "from", &list) < 0 || doc_bool(d, when, "direct", false, &direct) < 0 ||
        answer_check_pattern(d, when, "text") < 0 || answer_check_pattern(d, when, "view") < 0)
        return -1;
    doc_pop(d, mark);
    return 0;
}

/* Which acts there are in a workspace. */
static bool (*acts_of(struct tx *tx, int64_t workspace))(const char *name)
{
    const struct chat_vendor *vendor = chat_vendor_of(tx, workspace);
    return vendor->act_is ? vendor->act_is : sl_act_is;
}

static int read_as(const struct form_in *in, const struct member *m, void *row)
{
    struct responder *r = row;
    struct chat_user as;
    if (chat_doc_user(in->tx, in->d, in->value, m->name, r->workspace, &as) < 0)
        return -1;
    r->user = as.id;
    return as.id && !as.bot
               ? 0
               : doc_fail(in->d, in->value, m->name, "must be a person of the workspace");
}

static int read_acts(const struct form_in *in, const struct member *m, void *row)
{
    const struct responder *r = row;
    const struct json *acts;
    if (answer_check_acts(in->d, in->value, MAX_WAIT, acts_of(in->tx, r->workspace), &acts) < 0)
        return -1;
    member_put_text(m, row, json_to_text(in->d->arena, acts));
    return 0;
}

static int added_under_way(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    const struct responder *r = row;
    const struct json *under_way;
    struct doc *d = in->d;
    if (doc_list(d, in->value, m->name, &under_way) < 0)
        return -1;
    for (uint32_t i = 0; under_way && i < under_way->n; i++) {
        const struct json *item = &under_way->items[i], *list = json_get(item, "do");
        const char *at = json_get_str(item, "at");
        int64_t at_us;
        if (!at || chat_ts_read(at, &at_us) < 0 || at_us > CHAT_LAST_SECOND * US_PER_SECOND ||
            !list || list->type != JSON_ARRAY || list->n > ANSWER_ACTS)
            return doc_fail(d, item, m->name, "each must have at, a ts, and do, %d acts at most",
                            ANSWER_ACTS);
        if (answer_check_each(d, list, MAX_WAIT, acts_of(in->tx, r->workspace)) < 0 ||
            answer_add(in->tx, &rows, id, json_to_text(d->arena, list), at_us) < 0)
            return -1;
    }
    return 0;
}

static int write_under_way(const struct form_out *out, const struct member *m, const void *row)
{
    (void)m;
    (void)row;
    return answers_dump(out->tx, &rows, out->id, out->w, chat_dump_ts);
}

static const struct member responder_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct responder),
    {"id", "What it is called", TEXT_AT(struct responder, key), .flags = MEMBER_REQUIRED},
    {"as", "Who answers", .kind = MEMBER_REF, .ref = &chat_user_reference, .read = read_as,
     .write = chat_write_user, .flags = MEMBER_REQUIRED,
     MEMBER_TYPED(struct responder, user, int64_t)},
    {"when", "Which messages", KEPT_AT(struct responder, rule, JSON_OBJECT), .usual_text = "{}",
     .read = read_when},
    {"do", "What is done", KEPT_AT(struct responder, acts, JSON_ARRAY), .inner = "*.**",
     .read = read_acts},
    ANSWER_MEMBERS(struct responder, MAX_WAIT),
    {"under_way", "Answers that are under way", .kind = MEMBER_OWN, .noun = "list",
     .added = added_under_way, .write = write_under_way},
};
STORED_HERE(responder_stored, "Somebody who answers in a workspace by rules", struct responder,
            responder_members, NULL, .table = "slack_responder", .key = "id");

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "responders",
     .stored = &responder_stored,
     .ids = SECTION_IDS("select id from slack_responder order by id")},
};

static const struct entity entities[] = {
    {.name = "responder",
     .table = "slack_responder",
     .stored = &responder_stored,
     .members = "workspace id as when.** do.*.** delay times refused under_way.*.at "
                "under_way.*.do.*.**",
     .parts =
         (const struct entity_part[]){
             {"slack_respond", ENTITY_OWNER("select responder from slack_respond where id = ?1")},
             {NULL, NULL}}},
};

static const struct core_rule rules[] = {
    ANSWER_RULES("slack_respond", "slack_responder"),
    {"slack_responder", "length(coalesce(json_extract(rule, '$.text'), '')) > 1000 or "
                        "length(coalesce(json_extract(rule, '$.view'), '')) > 1000"},
    {"slack_respond", "at_us not between 0 and 8589934591000000"},
    {NULL, NULL},
};

extern const char chat_respond_sql[];

const struct sosia_core chat_respond_core = {
    .name = CORE,
    .schema = chat_respond_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .events = events,
    .due = go_on,
    .rules = rules,
};
