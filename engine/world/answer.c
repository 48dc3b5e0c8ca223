/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns, lists and acts of people who answer by themselves. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/world/answer.h"
#include "engine/base/made.h"
#include "engine/text/civil.h"
#include "engine/world/number.h"
#include <pcre2.h>

#define MAX_SUBJECT 40000  /* bytes of a text that is looked at */
#define MATCH_LIMIT 100000 /* steps of a match; beyond it there is none */
#define MAX_DEPTH   40

static pcre2_code *compile(const char *pattern, int *ret_error, size_t *ret_at)
{
    PCRE2_SIZE at;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                      PCRE2_UTF | PCRE2_CASELESS | PCRE2_NEVER_BACKSLASH_C, ret_error, &at, NULL);
    *ret_at = at;
    return code;
}

int answer_match(struct tx *tx, const char *pattern, const char *text, struct answer_found *f)
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
        for (int i = 0; i < n && i < ANSWER_CAPTURES; i++)
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

bool answer_lists(const struct json *list, const char *const *texts)
{
    if (!list)
        return true;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        for (const char *const *t = texts; *t && list->items[i].type == JSON_STRING; t++)
            if (strcasecmp(list->items[i].str, *t) == 0)
                return true;
    return false;
}

static const char *value_of(const struct answer_found *f, const char *name, size_t n)
{
    if (n == 1 && name[0] >= '0' && name[0] <= '9')
        return f->captures[name[0] - '0'] ? f->captures[name[0] - '0'] : "";
    for (size_t i = 0; f->names && f->names[i]; i++)
        if (strlen(f->names[i]) == n && memcmp(f->names[i], name, n) == 0)
            return f->values[i] ? f->values[i] : "";
    return NULL;
}

const char *answer_fill(struct tx *tx, const char *text, const struct answer_found *f)
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
                         const struct json *v, const struct answer_found *f, int depth)
{
    if (v->type == JSON_STRING) {
        json_str(w, key, answer_fill(tx, v->str, f));
    } else if (v->type == JSON_OBJECT && depth < MAX_DEPTH) {
        json_obj(w, key);
        for (uint32_t i = 0; i < v->n; i++)
            write_filled(tx, w, v->members[i].key, &v->members[i].value, f, depth + 1);
        json_end(w);
    } else if (v->type == JSON_ARRAY && depth < MAX_DEPTH) {
        json_arr(w, key);
        for (uint32_t i = 0; i < v->n; i++)
            write_filled(tx, w, NULL, &v->items[i], f, depth + 1);
        json_end(w);
    } else {
        json_value(w, key, v);
    }
}

void answer_write(struct tx *tx, struct json_writer *w, const char *key, const struct json *v,
                  const struct answer_found *f)
{
    write_filled(tx, w, key, v, f, 0);
}

/* ---- seed documents ---- */

int answer_check_pattern(struct doc *d, const struct json *when, const char *member)
{
    const char *pattern;
    PCRE2_UCHAR text[120];
    int error;
    size_t at;
    if (doc_str(d, when, member, false, &pattern) < 0)
        return -1;
    if (!pattern)
        return 0;
    if (strlen(pattern) > ANSWER_PATTERN)
        return doc_fail(d, json_get(when, member), member, "must have at most %d bytes",
                        ANSWER_PATTERN);
    pcre2_code *code = compile(pattern, &error, &at);
    if (code) {
        pcre2_code_free(code);
        return 0;
    }
    pcre2_get_error_message(error, text, sizeof text);
    return doc_fail(d, json_get(when, member), member, "broken pattern: %s at character %zu",
                    (const char *)text, at);
}

int answer_check_each(struct doc *d, const struct json *list, int64_t max_wait,
                      bool (*known)(const char *name))
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *act = &list->items[i];
        int64_t n;
        const struct json *wait = json_get(act, "wait");
        if (act->type != JSON_OBJECT || act->n != 1 ||
            (wait ? json_i64(wait, &n) < 0 || n < 1 || n > max_wait
                  : act->members[0].value.type != JSON_OBJECT))
            return doc_fail(d, act, "do",
                            "each must be an object with one act, or {wait: seconds}");
        if (!wait && !known(act->members[0].key))
            return doc_fail(d, act, "do", "there is no act \"%.40s\"", act->members[0].key);
    }
    return 0;
}

int answer_check_acts(struct doc *d, const struct json *v, int64_t max_wait,
                      bool (*known)(const char *name), const struct json **ret)
{
    if (doc_list(d, v, "do", ret) < 0)
        return -1;
    if (!*ret || !(*ret)->n || (*ret)->n > ANSWER_ACTS)
        return doc_fail(d, v, "do", "must have 1 to %d acts", ANSWER_ACTS);
    return answer_check_each(d, *ret, max_wait, known);
}

/* ---- answers that are under way ---- */

int answer_add(struct tx *tx, struct answer_rows *rows, int64_t responder, const char *acts,
               int64_t at_us)
{
    return TX_RUN(tx, &rows->add, responder, acts, at_us) < 0
               ? -1
               : due_add(tx, at_us, rows->core, rows->due, tx_last_id(tx));
}

int answer_begin(struct tx *tx, struct answer_rows *rows, int64_t responder, const char *acts,
                 int64_t delay_s,
                 void (*write)(struct tx *tx, struct json_writer *w, const char *name,
                               const struct json *args, const void *came),
                 const void *came)
{
    const struct json *list;
    struct json_writer w;
    struct buf b;
    if (json_parse(tx->arena, acts, strlen(acts), NULL, &list, tx->err) < 0)
        return -1;
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *act = &list->items[i];
        if (act->type != JSON_OBJECT || act->n != 1)
            continue;
        json_obj(&w, NULL);
        if (act->members[0].value.type == JSON_OBJECT)
            write(tx, &w, act->members[0].key, &act->members[0].value, came);
        else
            json_value(&w, act->members[0].key, &act->members[0].value);
        json_end(&w);
    }
    json_end(&w);
    const char *text = buf_made(&b, tx->arena);
    if (!text)
        return sosia_fail_memory(tx->err);
    return TX_RUN(tx, &rows->less, responder) < 0
               ? -1
               : answer_add(tx, rows, responder, text, tx->now_us + delay_s * US_PER_SECOND);
}

int answer_take(struct tx *tx, struct answer_rows *rows, int64_t id, struct answer *ret)
{
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &rows->take, &st, id);
    if (r != 1)
        return r;
    *ret = (struct answer){
        .id = id, .responder = sqlite3_column_int64(st, 0), .step = sqlite3_column_int64(st, 2)};
    const char *text = tx_string(tx, st, 1);
    sql_done(st);
    return json_parse(tx->arena, text, strlen(text), NULL, &ret->acts, tx->err) < 0 ? -1 : 1;
}

int answer_forget(struct tx *tx, struct answer_rows *rows, int64_t id)
{
    return TX_RUN(tx, &rows->forget, id);
}

/* An act in a savepoint of its own. 0, -1. */
static int do_act(struct tx *tx, const struct json *act,
                  int (*one)(struct tx *tx, const void *who, const struct json *act,
                             const char **ret_refused),
                  const void *who, const char **ret_refused)
{
    /* What was put off before is done now, so that what the act puts off can be forgotten. */
    if (tx_do_later(tx) < 0 || tx_savepoint(tx) < 0)
        return -1;
    struct tx_mark *before = tx_mark(tx);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    int done = one(tx, who, act, ret_refused);
    if (done)
        return done < 0 ? -1 : slot_release(tx->db, tx->err);
    tx_back(tx, before);
    return tx_rollback_to(tx, tx->err);
}

int answer_go_on(struct tx *tx, struct answer_rows *rows, struct answer *a,
                 int (*one)(struct tx *tx, const void *who, const struct json *act,
                            const char **ret_refused),
                 const void *who)
{
    const char *refused = NULL;
    int64_t wait_s = 0;
    for (; a->step < a->acts->n && !wait_s && !refused; a->step++) {
        const struct json *act = &a->acts->items[a->step];
        if (json_i64(json_get(act, "wait"), &wait_s) == 0) /* imported ones may be out of bounds */
            wait_s = wait_s < 1 ? 1 : wait_s > rows->max_wait ? rows->max_wait : wait_s;
        else if (do_act(tx, act, one, who, &refused) < 0)
            return -1;
    }
    if (TX_RUN(tx, &rows->note, refused, a->responder) < 0)
        return -1;
    if (a->step >= a->acts->n || refused)
        return answer_forget(tx, rows, a->id);
    int64_t at_us = tx->now_us + wait_s * US_PER_SECOND;
    return TX_RUN(tx, &rows->on, a->step, at_us, a->id) < 0
               ? -1
               : due_add(tx, at_us, rows->core, rows->due, a->id);
}

int answers_dump(struct tx *tx, struct answer_rows *rows, int64_t responder, struct json_writer *w,
                 void (*write_at)(struct json_writer *w, const char *member, int64_t us))
{
    const struct json *acts;
    sqlite3_stmt *st = TX_QUERY(tx, &rows->all, responder);
    int r = st ? 1 : -1, n = 0;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        const char *text = tx_string(tx, st, 0);
        uint32_t step = (uint32_t)sqlite3_column_int64(st, 1);
        if (json_parse(tx->arena, text, strlen(text), NULL, &acts, tx->err) < 0) {
            sql_done(st);
            return -1;
        }
        if (!n++)
            json_arr(w, "under_way");
        json_obj(w, NULL);
        write_at(w, "at", sqlite3_column_int64(st, 2));
        json_arr(w, "do");
        for (uint32_t i = step; i < acts->n; i++)
            json_value(w, NULL, &acts->items[i]);
        json_end(w);
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}
