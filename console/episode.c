/* SPDX-License-Identifier: Apache-2.0 */
/* An episode as a world has it: its journal, what each call changed, what all did, its verdict. */
#include "console/report.h"
#include "grading/diff.h"
#include <string.h>

int episode_json(struct arena *a, const char *text, size_t len, const struct json **ret,
                 struct sosia_err *err)
{
    const struct json_limits limits = {.max_size = (size_t)1 << 30};
    return json_parse(a, text, len, &limits, ret, err);
}

/* Takes the blob. */
static int read_blob(struct arena *a, struct sosia_blob *blob, const struct json **ret,
                     struct sosia_err *err)
{
    *ret = NULL;
    int rc = blob->len ? episode_json(a, blob->data, blob->len, ret, err) : 0;
    sosia_blob_free(blob);
    return rc;
}

void episode_fact(struct report *r, const char *name, const char *value)
{
    if (value && *value && r->n_facts < REPORT_FACTS)
        r->facts[r->n_facts++] = (struct report_fact){name, value};
}

/* ---- the journal ---- */

#define PAGE_CALLS 200
#define CALLS_ROOM (64u << 20) /* bytes of entries that are read, */
#define CHANGES_OF (32u << 20) /* and of changes by call */

static void take_page(const struct json *list, struct report *ret)
{
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        if (ret->n_calls < REPORT_CALLS)
            ret->calls[ret->n_calls++] = (struct report_call){
                .seq = json_get_int(&list->items[i], "seq", 0), .entry = &list->items[i]};
}

/* From the entry on that the episode began behind. */
static int read_calls(struct sosia_engine *e, uint64_t world, int64_t after, int64_t last,
                      struct arena *a, struct report *ret, struct sosia_err *err)
{
    struct sosia_journal_query query = {
        .size = sizeof query, .after = after, .limit = PAGE_CALLS, .bodies = true};
    ret->calls = arena_alloc(a, REPORT_CALLS * sizeof *ret->calls);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    size_t read = 0;
    for (int64_t next = -1; next && ret->n_calls < REPORT_CALLS && read < CALLS_ROOM;
         query.after = next) {
        struct sosia_blob blob;
        const struct json *list;
        if (sosia_journal_find(e, world, &query, &blob, &next, err) < 0)
            return -1;
        read += blob.len;
        if (read_blob(a, &blob, &list, err) < 0)
            return -1;
        take_page(list, ret);
    }
    int64_t seen = ret->n_calls ? ret->calls[ret->n_calls - 1].seq : after;
    ret->calls_more = last > seen && read ? last - seen : 0;
    return 0;
}

/* Only of a call that was answered well, or is none. */
static bool may_have_changed(const struct json *entry)
{
    return json_get_int(json_get(entry, "response"), "status", 200) < 400 &&
           json_get_str(entry, "state") && strspn(json_get_str(entry, "state"), "0") < 16;
}

/* What can't be said of one does not keep the others from being shown. */
void episode_steps(struct sosia_engine *e, uint64_t world, struct arena *a, struct report *ret)
{
    struct sosia_err err;
    struct journal_near near = {0};
    size_t asked = 0, read = 0;
    for (size_t i = 0; i < ret->n_calls; i++) {
        struct report_call *c = &ret->calls[i];
        struct sosia_blob blob;
        if (!may_have_changed(c->entry))
            continue;
        if (asked++ == REPORT_STEPS || read > CHANGES_OF) {
            ret->steps_missing = "there are more than are looked at";
            break;
        }
        if (journal_changes_near(e, world, c->seq, &near, &blob, &err) < 0) {
            ret->steps_missing = arena_strdup(a, err.text);
            continue;
        }
        read += blob.len;
        if (read_blob(a, &blob, &c->did, &err) < 0)
            ret->steps_missing = arena_strdup(a, err.text);
    }
    journal_near_done(&near);
}

/* ---- a file ---- */

static int bad_line(int line, struct sosia_err *err)
{
    err->line = line;
    return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                      "line %d must be an entry of an exported journal, is not", line);
}

/* Lines that have no entry are the first and the last. */
int episode_lines(struct arena *a, const char *text, size_t len, struct report *ret,
                  struct sosia_err *err)
{
    int line = 1;
    ret->calls = arena_alloc(a, REPORT_CALLS * sizeof *ret->calls);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    for (size_t at = 0, n; at < len; at += n + 1, line++) {
        const char *end = memchr(text + at, '\n', len - at);
        const struct json *doc;
        n = end ? (size_t)(end - text) - at : len - at;
        if (!n)
            continue;
        if (episode_json(a, text + at, n, &doc, err) < 0)
            return err->code == SOSIA_E_NO_MEMORY ? -1 : bad_line(line, err);
        const struct json *entry = json_get(doc, "entry");
        if (!entry && (line == 1 || at + n + 1 >= len))
            continue;
        if (!entry || entry->type != JSON_OBJECT)
            return bad_line(line, err);
        if (ret->n_calls == REPORT_CALLS || at > CALLS_ROOM)
            ret->calls_more++;
        else
            ret->calls[ret->n_calls++] =
                (struct report_call){.seq = json_get_int(doc, "seq", 0), .entry = entry};
    }
    return 0;
}

/* ---- the rest ---- */

static int read_task(const struct report_options *opt, struct arena *a, struct report *ret,
                     struct sosia_err *err)
{
    struct sosia_blob blob;
    const struct json *list;
    if (sosia_suite_list(opt->suite, &blob, err) < 0 || read_blob(a, &blob, &list, err) < 0)
        return -1;
    const struct json *tasks = json_get(list, "tasks");
    episode_fact(ret, "Suite", json_get_str(list, "suite"));
    for (uint32_t i = 0; tasks && i < tasks->n; i++) {
        const char *id = json_get_str(&tasks->items[i], "id");
        if (!opt->task || (id && strcmp(id, opt->task) == 0)) {
            ret->task = &tasks->items[i];
            break;
        }
    }
    return 0;
}

static int read_verdict(struct sosia_engine *e, uint64_t world, const struct report_options *opt,
                        struct arena *a, struct report *ret, struct sosia_err *err)
{
    struct sosia_blob verdict, diff = {0};
    if (sosia_grade_with(e, opt->suite, opt->task, opt->from, world, opt->said, &verdict, &diff,
                         err) < 0)
        return -1;
    if (opt->said) {
        ret->answer = opt->said->answer;
        ret->answer_len = opt->said->answer_len;
    }
    int rc = read_blob(a, &verdict, &ret->verdict, err);
    return read_blob(a, &diff, &ret->diff, err) < 0 ? -1 : rc;
}

static int read_diff(struct sosia_engine *e, uint64_t world, uint64_t from, struct arena *a,
                     struct report *ret, struct sosia_err *err)
{
    struct sosia_blob blob;
    return sosia_diff(e, from, world, NULL, &blob, err) < 0 ? -1
                                                            : read_blob(a, &blob, &ret->diff, err);
}

int episode_outcome(struct sosia_engine *engine, uint64_t world, const struct report_options *opt,
                    struct arena *a, struct report *ret, struct sosia_err *err)
{
    if (!opt->suite)
        return read_diff(engine, world, opt->from, a, ret, err);
    return read_task(opt, a, ret, err) < 0 ? -1 : read_verdict(engine, world, opt, a, ret, err);
}

/* Where the episode's calls begin: with the world's own, or behind the snapshot of the world that
 * it is compared with. */
int episode_extent(struct sosia_engine *e, uint64_t world, struct arena *a, uint64_t from,
                   int64_t *ret_after, int64_t *ret_last, struct sosia_err *err)
{
    struct sosia_world_info before;
    struct sosia_blob blob;
    const struct json *info;
    if (sosia_journal_info(e, world, &blob, err) < 0 || read_blob(a, &blob, &info, err) < 0)
        return -1;
    *ret_after = json_get_int(info, "start", 0);
    *ret_last = json_get_int(info, "entries", 0);
    if (!from)
        return 0;
    if (sosia_world_info(e, from, &before, err) < 0)
        return -1;
    if (before.parent != world)
        return 0;
    if (sosia_journal_info(e, from, &blob, err) < 0 || read_blob(a, &blob, &info, err) < 0)
        return -1;
    *ret_after = json_get_int(info, "entries", *ret_after);
    return 0;
}

static int name_world(struct sosia_engine *e, uint64_t world, struct arena *a, const char *fact,
                      struct report *ret, struct sosia_err *err)
{
    struct sosia_world_info info;
    if (sosia_world_info(e, world, &info, err) < 0)
        return -1;
    episode_fact(ret, fact, arena_strdup(a, *info.name ? info.name : info.key));
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}

int episode_read(struct sosia_engine *engine, uint64_t world, const struct report_options *opt,
                 struct arena *a, struct report *ret, struct sosia_err *err)
{
    struct sosia_blob trouble;
    int64_t after, last;
    *ret = (struct report){.title = "Report"};
    if (name_world(engine, world, a, "World", ret, err) < 0 ||
        (opt->from && name_world(engine, opt->from, a, "Compared with", ret, err) < 0) ||
        episode_outcome(engine, world, opt, a, ret, err) < 0 ||
        episode_extent(engine, world, a, opt->from, &after, &last, err) < 0 ||
        read_calls(engine, world, after, last, a, ret, err) < 0 ||
        sosia_world_faults_info(engine, world, &trouble, err) < 0 ||
        read_blob(a, &trouble, &ret->trouble, err) < 0)
        return -1;
    episode_steps(engine, world, a, ret);
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}
