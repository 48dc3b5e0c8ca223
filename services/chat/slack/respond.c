/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responders: people of a workspace who answer by themselves. A rule says to which messages, views
 * or dialogs; what is done then are acts (act.h), one after the other, by the world's clock. Each
 * is an entry that falls due, so a replay has the same. Answers to answers end: one comes a second
 * after what it answers at the earliest, and a responder answers so many times and no more.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/core/impl.h"
#include "services/chat/slack/act.h"
#include <pcre2.h>

#define CORE "chat.respond"

#define MAX_PATTERN  1000   /* bytes of a pattern */
#define MAX_SUBJECT  40000  /* bytes of a text that is looked at */
#define MATCH_LIMIT  100000 /* steps of a match; beyond it there is none */
#define MAX_CAPTURES 10
#define MAX_ACTS     20
#define MAX_TIMES    1000000
#define MAX_WAIT     (CHAT_LAST_SECOND / 1000) /* seconds */
#define TIMES        100                       /* unless it is said */

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
    static struct sql_text q = SQL_TEXT("select " RESPONDER " from chat_responder where id = :id");
    return read_responder(tx, TX_QUERY(tx, &q, id), ret);
}

/* The next one of a workspace that may answer yet. */
static int next_responder(struct tx *tx, int64_t workspace, int64_t after, struct responder *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " RESPONDER " from chat_responder where workspace = :workspace and "
                 "id > :after and times > 0 order by id limit 1");
    return read_responder(tx, TX_QUERY(tx, &q, workspace, after), ret);
}

/* ---- matching ---- */

/* What an answer may name: what it answers, and parts of it. */
struct found {
    const char *channel, *ts, *thread_ts, *user, *view; /* NULL: not of this */
    const char *captures[MAX_CAPTURES];
};

static pcre2_code *compile(const char *pattern, int *ret_error, size_t *ret_at)
{
    PCRE2_SIZE at;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                      PCRE2_UTF | PCRE2_CASELESS | PCRE2_NEVER_BACKSLASH_C, ret_error, &at, NULL);
    *ret_at = at;
    return code;
}

/* 1, 0, -1. A match that takes too long is none, as is one of a broken pattern. */
static int match(struct tx *tx, const char *pattern, const char *text, struct found *f)
{
    int error, r = 0;
    size_t at, len = strlen(text);
    if (!pattern)
        return 1;
    pcre2_code *code = compile(pattern, &error, &at);
    pcre2_match_data *data = code ? pcre2_match_data_create_from_pattern(code, NULL) : NULL;
    pcre2_match_context *limits = code ? pcre2_match_context_create(NULL) : NULL;
    if (data && limits && len <= MAX_SUBJECT) {
        pcre2_set_match_limit(limits, MATCH_LIMIT);
        pcre2_set_depth_limit(limits, MATCH_LIMIT / 100);
        pcre2_set_heap_limit(limits, 1024);
        int n = pcre2_match(code, (PCRE2_SPTR)text, len, 0, 0, data, limits);
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(data);
        for (int i = 0; i < n && i < MAX_CAPTURES; i++)
            f->captures[i] =
                ends[2 * i] == PCRE2_UNSET || ends[2 * i] > ends[2 * i + 1]
                    ? ""
                    : arena_memdup(tx->arena, text + ends[2 * i], ends[2 * i + 1] - ends[2 * i]);
        r = n > 0;
    } else if (code && len <= MAX_SUBJECT) {
        r = sosia_fail_memory(tx->err);
    }
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    return r;
}

/* Is the text one of the list? Without a list anything is. */
static bool occurs_in(const struct json *list, const char *a, const char *b)
{
    if (!list)
        return true;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++) {
        const char *text = list->items[i].type == JSON_STRING ? list->items[i].str : "";
        if ((a && strcmp(text, a) == 0) || (b && strcmp(text, b) == 0))
            return true;
    }
    return false;
}

static int answers_message(struct tx *tx, const struct responder *r, const struct json *rule,
                           const struct chat_channel *ch, const struct chat_message *m,
                           struct found *f)
{
    const struct json *direct = json_get(rule, "direct");
    struct chat_member in;
    struct chat_user from;
    if (json_get(rule, "view") || m->user == r->user || m->flags & CHAT_SYSTEM)
        return 0;
    if ((direct && direct->truth != (ch->kind == CHAT_DIRECT || ch->kind == CHAT_GROUP)) ||
        !occurs_in(json_get(rule, "channels"), ch->key, ch->name))
        return 0;
    int rc = m->user ? chat_user_get(tx, m->user, &from) : 0;
    if (rc < 0 || (json_get(rule, "from") &&
                   (!rc || !occurs_in(json_get(rule, "from"), from.key, from.name))))
        return rc < 0 ? -1 : 0;
    f->user = rc ? from.key : "";
    if ((rc = chat_member_of(tx, ch->id, r->user, &in)) != 1)
        return rc;
    return match(tx, json_get_str(rule, "text"), m->text, f);
}

/* ---- what is done ---- */

static const char *value_of(const struct found *f, const char *name, size_t n)
{
    static const char *const names[] = {"channel", "ts", "thread_ts", "user", "view"};
    const char *const values[] = {f->channel, f->ts, f->thread_ts, f->user, f->view};
    if (n == 1 && name[0] >= '0' && name[0] <= '9')
        return f->captures[name[0] - '0'] ? f->captures[name[0] - '0'] : "";
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return values[i] ? values[i] : "";
    return NULL;
}

/* "${1}" and "${user}" become what was found. */
static const char *filled_in(struct tx *tx, const char *text, const struct found *f)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    for (const char *p = text; *p;) {
        const char *end = p[0] == '$' && p[1] == '{' ? strchr(p, '}') : NULL;
        const char *value = end ? value_of(f, p + 2, (size_t)(end - p) - 2) : NULL;
        if (value) {
            buf_puts(&b, value);
            p = end + 1;
        } else {
            buf_byte(&b, *p++);
        }
    }
    const char *made = arena_memdup(tx->arena, buf_str(&b), b.len);
    buf_done(&b);
    return made;
}

static void write_filled(struct tx *tx, struct json_writer *w, const char *key,
                         const struct json *v, const struct found *f, int depth)
{
    if (v->type == JSON_STRING) {
        json_str(w, key, filled_in(tx, v->str, f));
    } else if (v->type == JSON_OBJECT && depth < 40) {
        json_obj(w, key);
        for (uint32_t i = 0; i < v->n; i++)
            write_filled(tx, w, v->members[i].key, &v->members[i].value, f, depth + 1);
        json_end(w);
    } else if (v->type == JSON_ARRAY && depth < 40) {
        json_arr(w, key);
        for (uint32_t i = 0; i < v->n; i++)
            write_filled(tx, w, NULL, &v->items[i], f, depth + 1);
        json_end(w);
    } else {
        json_value(w, key, v);
    }
}

/* The members of an act that say what it is about, where the rule leaves them out. */
static void write_defaults(struct json_writer *w, const char *name, const struct json *args,
                           const struct found *f)
{
    static const struct {
        const char *act, *member;
        size_t at; /* 0 channel, 1 ts, 2 view */
    } defaults[] = {
        {"post", "channel", 0},  {"react", "channel", 0},   {"react", "timestamp", 1},
        {"click", "channel", 0}, {"click", "ts", 1},        {"choose", "channel", 0},
        {"choose", "ts", 1},     {"command", "channel", 0}, {"submit", "view", 2},
        {"fill", "view", 2},     {"close", "view", 2},      {"click", "view", 2},
        {"choose", "view", 2},
    };
    const char *const values[] = {f->channel, f->ts, f->view};
    for (size_t i = 0; i < SOSIA_LEN(defaults); i++)
        if (strcmp(defaults[i].act, name) == 0 && values[defaults[i].at] &&
            !json_get(args, defaults[i].member))
            json_str(w, defaults[i].member, values[defaults[i].at]);
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
            write_filled(tx, &w, name, args, f, 0);
        } else {
            json_obj(&w, name);
            write_defaults(&w, name, args, f);
            if (thread && thread->truth && f->thread_ts)
                json_str(&w, "thread_ts", f->thread_ts);
            for (uint32_t k = 0; k < args->n; k++)
                if (strcmp(args->members[k].key, "in_thread") != 0)
                    write_filled(tx, &w, args->members[k].key, &args->members[k].value, f, 0);
            json_end(&w);
        }
        json_end(&w);
    }
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_memdup(tx->arena, buf_str(&b), b.len);
    buf_done(&b);
    return text;
}

static int begin_answer(struct tx *tx, const struct responder *r, const struct found *f)
{
    static struct sql_text less =
        SQL_TEXT("update chat_responder set times = times - 1 where id = :id");
    static struct sql_text q = SQL_TEXT("insert into chat_respond (responder, acts, step, at_us) "
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
        struct found f = {.channel = ch.key, .ts = ts, .thread_ts = root_ts};
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
        struct found f = {.view = key};
        if (json_parse(tx->arena, r.rule, strlen(r.rule), NULL, &rule, tx->err) < 0)
            return -1;
        const char *wanted = json_get_str(rule, "view");
        if (r.user != user || !wanted)
            continue;
        int yes = match(tx, wanted, callback ? callback : "", &f);
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
    static struct sql_text q = SQL_TEXT("select 1 from chat_responder limit 1");
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

/* Why an act was refused; NULL: it was not. 0, -1. */
static int do_act(struct tx *tx, const struct responder *r, const struct json *act,
                  const char **ret_refused)
{
    struct sl_inside *in = arena_alloc(tx->arena, sizeof *in);
    *ret_refused = NULL;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    /* What was put off before is done now, so that what the act puts off can be forgotten. */
    if (tx_do_later(tx) < 0 || slot_savepoint(tx->db, tx->err) < 0)
        return -1;
    struct tx before = *tx;
    int rc = sl_inside_begin(tx, in, r->user, 0);
    if (rc == 1 && (rc = try_act(tx, in, act, ret_refused)) == 1)
        return slot_release(tx->db, tx->err);
    *tx = before;
    if (tx->last_event)
        tx->last_event->next = NULL;
    return slot_rollback_to(tx->db, tx->err) < 0 ? -1 : rc;
}

static int forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from chat_respond where id = :id");
    return TX_RUN(tx, &q, id);
}

/* One act at a time; {"wait": n} puts off those behind it. */
static int go_on(struct tx *tx, const char *kind, int64_t id)
{
    static struct sql_text q = SQL_TEXT("select responder, acts, step from chat_respond where "
                                        "id = :id");
    static struct sql_text on =
        SQL_TEXT("update chat_respond set step = :step, at_us = :at where id = :id");
    static struct sql_text note =
        SQL_TEXT("update chat_responder set refused = :refused where id = :id");
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

static int check_pattern(struct doc *d, const struct json *when, const char *member)
{
    const char *pattern;
    PCRE2_UCHAR text[120];
    int error;
    size_t at;
    if (doc_str(d, when, member, false, &pattern) < 0)
        return -1;
    if (!pattern)
        return 0;
    if (strlen(pattern) > MAX_PATTERN)
        return doc_fail(d, json_get(when, member), member, "must have at most %d bytes",
                        MAX_PATTERN);
    pcre2_code *code = compile(pattern, &error, &at);
    if (code) {
        pcre2_code_free(code);
        return 0;
    }
    pcre2_get_error_message(error, text, sizeof text);
    return doc_fail(d, json_get(when, member), member, "broken pattern: %s at character %zu",
                    (const char *)text, at);
}

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
        check_pattern(d, when, "text") < 0 || check_pattern(d, when, "view") < 0)
        return -1;
    doc_pop(d, mark);
    return 0;
}

static int check_each(struct doc *d, const struct json *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *act = &list->items[i];
        int64_t n;
        const struct json *wait = json_get(act, "wait");
        if (act->type != JSON_OBJECT || act->n != 1 ||
            (wait ? json_i64(wait, &n) < 0 || n < 1 || n > MAX_WAIT
                  : act->members[0].value.type != JSON_OBJECT))
            return doc_fail(d, act, "do",
                            "each must be an object with one act, or {wait: seconds}");
        if (!wait && !sl_act_is(act->members[0].key))
            return doc_fail(d, act, "do", "there is no act \"%.40s\"", act->members[0].key);
    }
    return 0;
}

static int check_acts(struct doc *d, const struct json *v, const struct json **ret)
{
    if (doc_list(d, v, "do", ret) < 0)
        return -1;
    if (!*ret || !(*ret)->n || (*ret)->n > MAX_ACTS)
        return doc_fail(d, v, "do", "must have 1 to %d acts", MAX_ACTS);
    return check_each(d, *ret);
}

static int seed_responder(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into chat_responder (key, workspace, user, rule, acts, delay_s, times, refused) "
        "values (:key, :workspace, :user, :rule, :acts, :delay, :times, :refused)");
    static const char *const members[] = {"workspace", "id",    "as",      "when",      "do",
                                          "delay",     "times", "refused", "under_way", NULL};
    static struct sql_text one = SQL_TEXT("insert into chat_respond (responder, acts, step, at_us) "
                                          "values (:responder, :acts, 0, :at)");
    struct chat_workspace w;
    struct chat_user as;
    const struct json *acts, *under_way;
    const char *key, *refused;
    int64_t delay_s, times;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        doc_str(d, v, "id", true, &key) < 0 || chat_doc_user(tx, d, v, "as", w.id, &as) < 0 ||
        check_when(d, v) < 0 || check_acts(d, v, &acts) < 0 ||
        doc_int(d, v, "delay", 1, MAX_WAIT, 1, &delay_s) < 0 ||
        doc_int(d, v, "times", 0, MAX_TIMES, TIMES, &times) < 0 ||
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
            !list || list->type != JSON_ARRAY || list->n > MAX_ACTS)
            return doc_fail(d, item, "under_way",
                            "each must have at, a ts, and do, %d acts at most", MAX_ACTS);
        if (check_each(d, list) < 0)
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
    static struct sql_text q = SQL_TEXT("select acts, step, at_us from chat_respond where "
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
    static struct sql_text q = SQL_TEXT("select key from chat_responder where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "responders",
     .seed_one = seed_responder,
     .ids = SECTION_IDS("select id from chat_responder order by id"),
     .dump_one = responder_dump},
};

static const struct entity entities[] = {
    {.name = "responder",
     .table = "chat_responder",
     .key = responder_key,
     .dump = responder_dump,
     .members = "workspace id as when.** do.*.** delay times refused under_way.*.at "
                "under_way.*.do.*.**",
     .parts =
         (const struct entity_part[]){
             {"chat_respond", ENTITY_OWNER("select responder from chat_respond where id = ?1")},
             {NULL, NULL}}},
};

#define NO_LIST(column)                                                                            \
    "case when json_valid(" column ") then json_type(" column ") <> 'array' else 1 end"

static const struct core_rule rules[] = {
    {"chat_responder", "case when json_valid(rule) then json_type(rule) <> 'object' else 1 end"},
    {"chat_responder", NO_LIST("acts")},
    {"chat_responder", "delay_s not between 1 and 8589934"},
    {"chat_responder", "times not between 0 and 1000000"},
    {"chat_responder", "length(coalesce(json_extract(rule, '$.text'), '')) > 1000 or "
                       "length(coalesce(json_extract(rule, '$.view'), '')) > 1000"},
    {"chat_responder", "json_valid(acts) and json_array_length(acts) > 20"},
    {"chat_respond", NO_LIST("acts")},
    {"chat_respond", "json_valid(acts) and json_array_length(acts) > 20"},
    {"chat_respond", "step not between 0 and 20"},
    {"chat_respond", "at_us not between 0 and 8589934591000000"},
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
