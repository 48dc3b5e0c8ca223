/* SPDX-License-Identifier: Apache-2.0 */
/* Many worlds at once: graded, reset, dropped. */
#include "engine/world/engine.h"
#include "grading/suite.h"
#include "server/control/operation.h"
#include <string.h>

#define MAX_BATCH   1000
#define SMALL_SUITE 16384 /* bytes that are read within a call's time */
#define LARGE_SUITE 65536 /* and that are found among those that were read */
#define FEW_WORLDS  64    /* that are reset or dropped within a call's time */

const char *const control_afterwards[] = {"keep", "reset", "drop", NULL};

static int no_world(struct control_call *c, const char *name)
{
    return sosia_fail(&c->err, SOSIA_E_NOT_FOUND, "worldNotFound", "worlds",
                      "there is no world \"%.80s\"", name);
}

/* Who else has the control key may drop a world at any time. */
static bool is_gone(struct control_call *c)
{
    return c->err.code == SOSIA_E_NOT_FOUND && c->err.reason &&
           strcmp(c->err.reason, "worldNotFound") == 0;
}

/* What failed on a world of the list: names it if it is not there any more. */
static int failed_at(struct control_call *c, uint64_t world)
{
    struct sosia_world_info info;
    char key[17] = "";
    if (!is_gone(c) || sosia_world_info(c->engine, world, &info, NULL) == 0)
        return -1;
    control_key(world, key);
    return no_world(c, key);
}

/* Whether a thread that serves others would wait for this world. */
static bool is_taken(const struct control_call *c, const char *name)
{
    return !c->request->on_worker && sosia_world_busy(c->engine, name);
}

/* The worlds that the body names; all of them are there, or nothing is done. 0, -1 or SERVER_SLOW.
 */
static int read_worlds(struct control_call *c, uint64_t **ret, size_t *ret_n)
{
    const char *names = control_text(c, "worlds");
    size_t n = 0;
    uint64_t *list = arena_alloc(&c->arena, MAX_BATCH * sizeof *list);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    for (const char *p = names + strspn(names, " "); *p; p += strspn(p, " ")) {
        char *name = arena_memdup(&c->arena, p, strcspn(p, " "));
        p += strcspn(p, " ");
        if (!c->request->on_worker && n == FEW_WORLDS)
            return SERVER_SLOW;
        if (n == MAX_BATCH)
            return control_fail(c, "worlds", "must name %d worlds at most, names more", MAX_BATCH);
        if (arena_failed(&c->arena))
            return sosia_fail_memory(&c->err);
        if (is_taken(c, name))
            return SERVER_SLOW;
        if (sosia_world_find(c->engine, name, &list[n++], &c->err) < 0)
            return is_gone(c) ? no_world(c, name) : -1;
        for (size_t i = 0; i + 1 < n; i++)
            if (list[i] == list[n - 1])
                return control_fail(c, "worlds", "must name each world once, \"%s\" is there twice",
                                    name);
    }
    if (!n)
        return control_fail(c, "worlds", "must name at least one world, names none");
    *ret = list;
    *ret_n = n;
    return 0;
}

/* 0, -1 or SERVER_SLOW. */
static int find_optional(struct control_call *c, const char *field, uint64_t *ret)
{
    const char *name = control_text(c, field);
    *ret = 0;
    if (name && is_taken(c, name))
        return SERVER_SLOW;
    if (name && sosia_world_find(c->engine, name, ret, &c->err) < 0) {
        c->err.where = field;
        return -1;
    }
    return 0;
}

static int reset_one(struct control_call *c, uint64_t world, uint64_t to)
{
    return to ? sosia_world_reset_to(c->engine, world, to, &c->err)
              : sosia_world_reset(c->engine, world, &c->err);
}

/* All of them, whatever becomes of one: it fails as the first that did. What is to be dropped and
 * is gone already is as it shall be. */
static int finish_all(struct control_call *c, const uint64_t *worlds, size_t n,
                      enum afterwards then, uint64_t to)
{
    struct sosia_err first = {0};
    int rc = 0;
    engine_sync_later();
    for (size_t i = 0; i < n; i++) {
        if ((then == AFTERWARDS_RESET ? reset_one(c, worlds[i], to)
                                      : sosia_world_drop(c->engine, worlds[i], &c->err)) == 0)
            continue;
        if (rc < 0 || (then == AFTERWARDS_DROP && is_gone(c)))
            continue;
        rc = failed_at(c, worlds[i]);
        first = c->err;
    }
    if (engine_sync_now(c->engine, rc < 0 ? NULL : &first) < 0)
        rc = -1;
    if (rc < 0)
        c->err = first;
    return rc;
}

#define SMALL_WORLD (512 << 10) /* bytes of its own, or of all that are reset or dropped */

/* Whether what is done with worlds is as short as a call. */
static bool are_small(struct control_call *c, const uint64_t *worlds, size_t n)
{
    struct sosia_world_info info;
    uint64_t size = 0;
    char key[17] = "";
    for (size_t i = 0; i < n; i++) {
        control_key(worlds[i], key);
        if (sosia_world_busy(c->engine, key) ||
            sosia_world_info(c->engine, worlds[i], &info, NULL) < 0)
            return false;
        size += info.size;
    }
    return size <= SMALL_WORLD;
}

/* Whether grading is as short as a call, so that the thread that serves others may do it: the
 * changes of one small world are looked at, and nothing besides. */
static bool is_small(struct control_call *c, const struct sosia_suite *suite,
                     const uint64_t *worlds, size_t n)
{
    return n == 1 && !control_given(c, "from") &&
           suite_asks_changes_alone(suite, control_text(c, "task")) && are_small(c, worlds, n);
}

/* What was said in a world of the list, and what others made of it. text: its arena is the call's.
 */
static int read_said(struct control_call *c, size_t at, size_t n, struct sosia_grade_options *ret)
{
    const struct control_value *answer = control_given(c, "answer");
    const struct json *answers = json_get(c->call.body, "answers"),
                      *judgements = json_get(c->call.body, "judgements");
    *ret = (struct sosia_grade_options){0};
    if (answer && (n > 1 || answers))
        return control_fail(c, "answer",
                            "must be of a single world, not of %zu: answers has a list", n);
    if (answers && (answers->type != JSON_ARRAY || answers->n != n))
        return control_fail(c, "answers", "must be a list of %zu, one a world", n);
    if (judgements && judgements->type == JSON_ARRAY && judgements->n != n)
        return control_fail(c, "judgements", "must be a list of %zu, one a world, not %u", n,
                            judgements->n);
    if (judgements && judgements->type != JSON_ARRAY && n > 1)
        return control_fail(c, "judgements", "must be a list of %zu, one a world", n);
    if (answers && answers->items[at].type != JSON_STRING && answers->items[at].type != JSON_NULL)
        return control_fail(c, "answers", "must be a list of strings or null");
    if (answer) {
        ret->answer = answer->text;
        ret->answer_len = answer->len;
    } else if (answers && answers->items[at].type == JSON_STRING) {
        ret->answer = answers->items[at].str;
        ret->answer_len = answers->items[at].n;
    }
    const struct json *said =
        judgements && judgements->type == JSON_ARRAY ? &judgements->items[at] : judgements;
    if (said && said->type != JSON_NULL) {
        ret->judgements = json_to_text(&c->arena, said);
        ret->judgements_len = strlen(ret->judgements);
    }
    return arena_failed(&c->arena) ? sosia_fail_memory(&c->err) : 0;
}

/* The verdicts on worlds, behind them their differences if they are asked for, as members of an
 * open object. */
static int write_grades(struct control_call *c, const struct sosia_suite *suite, uint64_t from,
                        const uint64_t *worlds, size_t n, struct buf *b)
{
    const char *task = control_text(c, "task");
    bool with_diff = control_number(c, "diff", 0) != 0;
    struct buf diffs;
    buf_init(&diffs, 0);
    buf_puts(b, "\"results\":[");
    for (size_t i = 0; i < n; i++) {
        struct sosia_grade_options said;
        struct sosia_blob json, diff = {0};
        if (read_said(c, i, n, &said) < 0) {
            buf_done(&diffs);
            return -1;
        }
        if (sosia_grade_with(c->engine, suite, task, from, worlds[i], &said, &json,
                             with_diff ? &diff : NULL, &c->err) < 0) {
            buf_done(&diffs);
            return failed_at(c, worlds[i]);
        }
        buf_puts(b, i ? "," : "");
        buf_add(b, json.data, json.len);
        if (with_diff) {
            buf_puts(&diffs, i ? "," : "");
            buf_add(&diffs, diff.data, diff.len);
        }
        sosia_blob_free(&json);
        sosia_blob_free(&diff);
    }
    buf_puts(b, "]");
    if (with_diff) {
        buf_puts(b, ",\"diffs\":[");
        buf_add(b, diffs.data, diffs.len);
        buf_puts(b, "]");
    }
    bool failed = buf_failed(b) || buf_failed(&diffs);
    buf_done(&diffs);
    return failed ? sosia_fail_memory(&c->err) : 0; /* before anything is reset or dropped */
}

/* What was graded is reset or dropped as the call says, and forks for what comes next are made: the
 * latter first, so that a failure changes nothing that was there. */
static int finish_graded(struct control_call *c, const struct sosia_suite *suite,
                         const uint64_t *worlds, size_t n, uint64_t source, struct buf *b)
{
    enum afterwards then = (enum afterwards)control_number(c, "then", AFTERWARDS_KEEP);
    struct sosia_fork_options opt = {.evaluation = true};
    uint64_t *forks = source ? arena_alloc(&c->arena, n * sizeof *forks) : NULL;
    struct json_writer w;
    if (!source)
        return then == AFTERWARDS_KEEP ? 0 : finish_all(c, worlds, n, then, 0);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    if (control_suite_journal(c, suite, control_text(c, "task"), &opt) < 0 ||
        control_make_forks(c, source, &opt, n, forks) < 0)
        return -1;
    buf_puts(b, ",\"forks\":");
    json_init(&w, b, false, NULL);
    json_obj(&w, NULL);
    if (control_write_forks(c, &w, forks, n, true) < 0 ||
        (then != AFTERWARDS_KEEP && finish_all(c, worlds, n, then, 0) < 0)) {
        control_drop_forks(c, forks, n);
        return -1;
    }
    json_end(&w);
    return 0;
}

static int grade_all(struct control_call *c, const struct sosia_suite *suite)
{
    uint64_t *worlds, from, source;
    struct buf b;
    size_t n;
    if (control_given(c, "actors") && !control_given(c, "fork"))
        return control_fail(c, "actors", "must be absent unless fork is given, not \"%.80s\"",
                            control_text(c, "actors"));
    int rc = read_worlds(c, &worlds, &n);
    if (rc == 0)
        rc = find_optional(c, "from", &from);
    if (rc == 0)
        rc = find_optional(c, "fork", &source);
    if (rc)
        return rc;
    if (!c->request->on_worker && !is_small(c, suite, worlds, n))
        return SERVER_SLOW;
    buf_init(&b, 0);
    buf_puts(&b, "{");
    if (write_grades(c, suite, from, worlds, n, &b) < 0 ||
        finish_graded(c, suite, worlds, n, source, &b) < 0) {
        buf_done(&b);
        return -1;
    }
    buf_puts(&b, "}");
    return control_answer(c, 200, &b);
}

int control_worlds_grade(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct control_value *text = control_given(c, "suite");
    const char *name = control_text(c, "suite_name");
    struct suites *suites = c->control->suites;
    struct sosia_suite *suite = NULL;
    if (!c->request->on_worker && text->len > SMALL_SUITE &&
        (text->len > LARGE_SUITE || !(suite = suites_kept(suites, text->text, text->len, name))))
        return SERVER_SLOW;
    if (!suite && suites_take(suites, text->text, text->len, name, &suite, &c->err) < 0)
        return -1;
    int rc = grade_all(c, suite);
    suites_give(suites, suite);
    return rc;
}

int control_worlds_reset_all(struct call *call)
{
    struct control_call *c = control_of(call);
    uint64_t *worlds, to;
    size_t n;
    int rc = read_worlds(c, &worlds, &n);
    if (rc == 0)
        rc = find_optional(c, "to", &to);
    if (rc)
        return rc;
    if (!c->request->on_worker && !are_small(c, worlds, n))
        return SERVER_SLOW;
    if (finish_all(c, worlds, n, AFTERWARDS_RESET, to) < 0)
        return -1;
    return control_answer_empty(c);
}

int control_worlds_drop_all(struct call *call)
{
    struct control_call *c = control_of(call);
    uint64_t *worlds;
    size_t n;
    int rc = read_worlds(c, &worlds, &n);
    if (rc)
        return rc;
    if (!c->request->on_worker && !are_small(c, worlds, n))
        return SERVER_SLOW;
    if (finish_all(c, worlds, n, AFTERWARDS_DROP, 0) < 0)
        return -1;
    return control_answer_empty(c);
}
