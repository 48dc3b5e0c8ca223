/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responders: people of a workspace who answer by themselves. A rule says to which messages, views
 * or dialogs; what is done then are acts (act.h), one after the other, by the world's clock. Each
 * is an entry that falls due, so a replay has the same. Answers to answers end: one comes a second
 * after what it answers at the earliest, and a responder answers so many times and no more.
 */
#include "engine/base/made.h"
#include "engine/world/number.h"
#include "engine/state/own.h"
#include "engine/text/civil.h"
#include "engine/world/answer.h"
#include "services/chat/slack/store.h"
#include "services/chat/core/vendor.h"
#include "services/chat/slack/acts/act.h"

#define CORE "chat.respond"

#define MAX_WAIT (CHAT_LAST_SECOND / 1000) /* seconds */
#define TIMES    100                       /* unless it is said */

struct responder {
    int64_t id;
    const char *key;
    int64_t workspace, user, delay_s, times;
    const char *rule, *acts, *refused;
};

#define RESPONDER "id, key, workspace, user, rule, acts, delay_s, times, refused"

static int read_responder(struct tx *tx, sqlite3_stmt *st, struct responder *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct responder){.id = sqlite3_column_int64(st, 0),
                              .key = tx_string(tx, st, 1),
                              .workspace = sqlite3_column_int64(st, 2),
                              .user = sqlite3_column_int64(st, 3),
                              .rule = tx_string(tx, st, 4),
                              .acts = tx_string(tx, st, 5),
                              .delay_s = sqlite3_column_int64(st, 6),
                              .times = sqlite3_column_int64(st, 7),
                              .refused = tx_string(tx, st, 8)};
    sql_done(st);
    return 1;
}

static int get_responder(struct tx *tx, int64_t id, struct responder *ret)
{
    static struct sql_text q = SQL_TEXT("select " RESPONDER " from slack_responder where id = :id");
    return read_responder(tx, TX_QUERY(tx, &q, id), ret);
}

/* The next one of a workspace that may answer yet. */
static int next_responder(struct tx *tx, int64_t workspace, int64_t after, struct responder *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " RESPONDER " from slack_responder where workspace = :workspace and "
                 "id > :after and times > 0 order by id limit 1");
    return read_responder(tx, TX_QUERY(tx, &q, workspace, after), ret);
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

static const char *acts_for(struct tx *tx, const struct json *acts, const struct found *f)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; i < acts->n; i++) {
        const struct json *act = &acts->items[i];
        if (act->type != JSON_OBJECT || act->n != 1)
            continue;
        const char *name = act->members[0].key;
        const struct json *args = &act->members[0].value;
        const struct json *thread = json_get(args, "in_thread");
        json_obj(&w, NULL);
        if (args->type != JSON_OBJECT) {
            answer_write(tx, &w, name, args, &f->f);
        } else {
            json_obj(&w, name);
            write_defaults(&w, name, args, f);
            if (thread && thread->truth && f->of[OF_THREAD])
                json_str(&w, "thread_ts", f->of[OF_THREAD]);
            for (uint32_t k = 0; k < args->n; k++)
                if (strcmp(args->members[k].key, "in_thread") != 0)
                    answer_write(tx, &w, args->members[k].key, &args->members[k].value, &f->f);
            json_end(&w);
        }
        json_end(&w);
    }
    json_end(&w);
    const char *text = buf_made(&b, tx->arena);
    return text;
}

static int begin_answer(struct tx *tx, const struct responder *r, const struct found *f)
{
    static struct sql_text less =
        SQL_TEXT("update slack_responder set times = times - 1 where id = :id");
    static struct sql_text q = SQL_TEXT("insert into slack_respond (responder, acts, step, at_us) "
                                        "values (:responder, :acts, 0, :at)");
    const struct json *acts;
    int64_t at_us = tx->now_us + r->delay_s * US_PER_SECOND;
    if (json_parse(tx->arena, r->acts, strlen(r->acts), NULL, &acts, tx->err) < 0)
        return -1;
    const char *text = acts_for(tx, acts, f);
    if (!text)
        return sosia_fail_memory(tx->err);
    if (TX_RUN(tx, &less, r->id) < 0 || TX_RUN(tx, &q, r->id, text, at_us) < 0)
        return -1;
    return due_add(tx, at_us, CORE, "act", tx_last_id(tx));
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

/* Why an act was refused; NULL: it was not. 0, -1. */
static int do_act(struct tx *tx, const struct responder *r, const struct json *act,
                  const char **ret_refused)
{
    struct sl_inside *in = arena_alloc(tx->arena, sizeof *in);
    *ret_refused = NULL;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    /* What was put off before is done now, so that what the act puts off can be forgotten. */
    if (tx_do_later(tx) < 0 || tx_savepoint(tx) < 0)
        return -1;
    struct tx_mark *before = tx_mark(tx);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    const struct chat_vendor *vendor = chat_vendor_of(tx, r->workspace);
    int rc = vendor->act ? try_vendors(tx, vendor, r, act, ret_refused)
                         : sl_inside_begin(tx, in, r->user, 0);
    if (rc == 1 && (vendor->act || (rc = try_act(tx, in, act, ret_refused)) == 1))
        return slot_release(tx->db, tx->err);
    tx_back(tx, before);
    return tx_rollback_to(tx, tx->err) < 0 ? -1 : rc;
}

static int forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from slack_respond where id = :id");
    return TX_RUN(tx, &q, id);
}

/* One act at a time; {"wait": n} puts off those behind it. */
static int go_on(struct tx *tx, const char *kind, int64_t id)
{
    static struct sql_text q = SQL_TEXT("select responder, acts, step from slack_respond where "
                                        "id = :id");
    static struct sql_text on =
        SQL_TEXT("update slack_respond set step = :step, at_us = :at where id = :id");
    static struct sql_text note =
        SQL_TEXT("update slack_responder set refused = :refused where id = :id");
    struct responder r;
    const struct json *acts;
    const char *refused = NULL;
    sqlite3_stmt *st;
    (void)kind;
    int rc = TX_ROW(tx, &q, &st, id);
    if (rc != 1)
        return rc;
    int64_t of = sqlite3_column_int64(st, 0), step = sqlite3_column_int64(st, 2), wait_s = 0;
    const char *text = tx_string(tx, st, 1);
    sql_done(st);
    if ((rc = get_responder(tx, of, &r)) != 1 ||
        (rc = json_parse(tx->arena, text, strlen(text), NULL, &acts, tx->err)) < 0)
        return rc < 0 ? -1 : forget(tx, id);
    for (; step < acts->n && !wait_s && !refused; step++) {
        if (json_i64(json_get(&acts->items[step], "wait"), &wait_s) == 0)
            wait_s = wait_s < 1 ? 1 : wait_s > MAX_WAIT ? MAX_WAIT : wait_s; /* imported ones */
        else if (do_act(tx, &r, &acts->items[step], &refused) < 0)
            return -1;
    }
    if (TX_RUN(tx, &note, refused, r.id) < 0)
        return -1;
    if (step >= acts->n || refused)
        return forget(tx, id);
    int64_t at_us = tx->now_us + wait_s * US_PER_SECOND;
    return TX_RUN(tx, &on, step, at_us, id) < 0 ? -1 : due_add(tx, at_us, CORE, "act", id);
}

/* ---- seed documents ---- */

static int check_when(struct doc *d, const struct json *v)
{
    static const char *const members[] = {"channels", "from", "direct", "text", "view", NULL};
    const struct json *when = json_get(v, "when"), *list;
    bool direct;
    if (!when)
        return 0;
    size_t mark = doc_push(d, "when", -1);
    if (doc_object(d, when, members) < 0 || doc_list(d, when, "channels", &list) < 0 ||
        doc_list(d, when, "from", &list) < 0 || doc_bool(d, when, "direct", false, &direct) < 0 ||
        answer_check_pattern(d, when, "text") < 0 || answer_check_pattern(d, when, "view") < 0)
        return -1;
    doc_pop(d, mark);
    return 0;
}

static const struct member responder_members[] = {
    OWN("workspace", "The domain of the workspace, where there are several", "text"),
    OWN_NEEDED("id", "What it is called"),
    OWN_NEEDED("as", "Who answers"),
    OWN_TYPED("when", "Which messages", "object", OWN_OBJECT),
    OWN("do", "What is done", "list"),
    OWN_TYPED("delay", "Seconds before each", "number", OWN_NUMBER),
    OWN_TYPED("times", "How often at most", "number", OWN_NUMBER),
    OWN("refused", "Why the last one was refused", "text"),
    OWN("under_way", "Answers that are under way", "list"),
};
static const struct form responder_form =
    FORM("Somebody who answers in a workspace by rules", responder_members);

/* Which acts there are in a workspace. */
static bool (*acts_of(struct tx *tx, int64_t workspace))(const char *name)
{
    const struct chat_vendor *vendor = chat_vendor_of(tx, workspace);
    return vendor->act_is ? vendor->act_is : sl_act_is;
}

static int seed_responder(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_responder (key, workspace, user, rule, acts, delay_s, times, refused) "
        "values (:key, :workspace, :user, :rule, :acts, :delay, :times, :refused)");
    static struct sql_text one =
        SQL_TEXT("insert into slack_respond (responder, acts, step, at_us) "
                 "values (:responder, :acts, 0, :at)");
    struct chat_workspace w;
    struct chat_user as;
    const struct json *acts, *under_way;
    const char *key, *refused;
    int64_t delay_s, times;
    if (form_known(&(struct form_in){tx, d, v}, &responder_form) < 0 ||
        chat_doc_workspace(tx, d, v, &w) < 0 || doc_str(d, v, "id", true, &key) < 0 ||
        chat_doc_user(tx, d, v, "as", w.id, &as) < 0 || check_when(d, v) < 0 ||
        answer_check_acts(d, v, MAX_WAIT, acts_of(tx, w.id), &acts) < 0 ||
        doc_int(d, v, "delay", 1, MAX_WAIT, 1, &delay_s) < 0 ||
        doc_int(d, v, "times", 0, ANSWER_TIMES, TIMES, &times) < 0 ||
        doc_str(d, v, "refused", false, &refused) < 0 ||
        doc_list(d, v, "under_way", &under_way) < 0)
        return -1;
    if (!as.id || as.bot)
        return doc_fail(d, v, "as", "must be a person of the workspace");
    const char *when = json_get(v, "when") ? json_to_text(d->arena, json_get(v, "when")) : "{}";
    int rc = TX_RUN(tx, &q, key, w.id, as.id, when, json_to_text(d->arena, acts), delay_s, times,
                    refused);
    if (chat_doc_added(tx, d, v, "id", rc) < 0)
        return -1;
    int64_t id = tx_last_id(tx);
    for (uint32_t i = 0; under_way && i < under_way->n; i++) {
        const struct json *item = &under_way->items[i], *list = json_get(item, "do");
        const char *at = json_get_str(item, "at");
        int64_t at_us;
        if (!at || chat_ts_read(at, &at_us) < 0 || at_us > CHAT_LAST_SECOND * US_PER_SECOND ||
            !list || list->type != JSON_ARRAY || list->n > ANSWER_ACTS)
            return doc_fail(d, item, "under_way",
                            "each must have at, a ts, and do, %d acts at most", ANSWER_ACTS);
        if (answer_check_each(d, list, MAX_WAIT, acts_of(tx, w.id)) < 0)
            return -1;
        if (TX_RUN(tx, &one, id, json_to_text(d->arena, list), at_us) < 0 ||
            due_add(tx, at_us, CORE, "act", tx_last_id(tx)) < 0)
            return -1;
    }
    return 0;
}

/* Answers that are under way, from the act that is next. */
static int dump_under_way(struct tx *tx, int64_t responder, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select acts, step, at_us from slack_respond where "
                                        "responder = :responder order by at_us, id");
    const struct json *acts;
    sqlite3_stmt *st = TX_QUERY(tx, &q, responder);
    int r = st ? 1 : -1, n = 0;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        const char *text = tx_string(tx, st, 0);
        int64_t step = sqlite3_column_int64(st, 1);
        if (json_parse(tx->arena, text, strlen(text), NULL, &acts, tx->err) < 0) {
            sql_done(st);
            return -1;
        }
        if (!n++)
            json_arr(w, "under_way");
        json_obj(w, NULL);
        chat_dump_ts(w, "at", sqlite3_column_int64(st, 2));
        json_arr(w, "do");
        for (uint32_t i = (uint32_t)step; i < acts->n; i++)
            json_value(w, NULL, &acts->items[i]);
        json_end(w);
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}

static int responder_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct responder r;
    int rc = get_responder(tx, id, &r);
    if (rc != 1)
        return rc;
    if (chat_dump_workspace(tx, w, r.workspace) < 0)
        return -1;
    json_str(w, "id", r.key);
    if (chat_dump_user(tx, w, "as", r.user) < 0)
        return -1;
    if (strcmp(r.rule, "{}") != 0)
        chat_dump_raw(w, "when", r.rule);
    chat_dump_raw(w, "do", r.acts);
    if (r.delay_s != 1)
        json_int(w, "delay", r.delay_s);
    json_int(w, "times", r.times);
    json_str_opt(w, "refused", r.refused);
    return dump_under_way(tx, id, w) < 0 ? -1 : 1;
}

static int responder_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from slack_responder where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "responders",
     .seed_one = seed_responder,
     .ids = SECTION_IDS("select id from slack_responder order by id"),
     .dump_one = responder_dump,
     .form = &responder_form},
};

static const struct entity entities[] = {
    {.name = "responder",
     .table = "slack_responder",
     .key = responder_key,
     .dump = responder_dump,
     .members = "workspace id as when.** do.*.** delay times refused under_way.*.at "
                "under_way.*.do.*.**",
     .parts =
         (const struct entity_part[]){
             {"slack_respond", ENTITY_OWNER("select responder from slack_respond where id = ?1")},
             {NULL, NULL}}},
};

#define NO_LIST(column)                                                                            \
    "case when json_valid(" column ") then json_type(" column ") <> 'array' else 1 end"

static const struct core_rule rules[] = {
    {"slack_responder", "case when json_valid(rule) then json_type(rule) <> 'object' else 1 end"},
    {"slack_responder", NO_LIST("acts")},
    {"slack_responder", "delay_s not between 1 and 8589934"},
    {"slack_responder", "times not between 0 and 1000000"},
    {"slack_responder", "length(coalesce(json_extract(rule, '$.text'), '')) > 1000 or "
                        "length(coalesce(json_extract(rule, '$.view'), '')) > 1000"},
    {"slack_responder", "json_valid(acts) and json_array_length(acts) > 20"},
    {"slack_respond", NO_LIST("acts")},
    {"slack_respond", "json_valid(acts) and json_array_length(acts) > 20"},
    {"slack_respond", "step not between 0 and 20"},
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
