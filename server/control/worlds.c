/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds made, listed, forked, reset, frozen and dropped. */
#include "engine/base/codec.h"
#include "engine/state/dump.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "grading/suite.h"
#include "mcp/setting.h"
#include "server/control/operation.h"
#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

void control_key(uint64_t world, char ret_key[16])
{
    for (int i = 0; i < 16; i++)
        ret_key[i] = "0123456789abcdef"[world >> (60 - 4 * i) & 15];
}

#define NOTE "note:"

static void write_world(struct json_writer *w, const char *base_url,
                        const struct sosia_world_info *info)
{
    char parent[16], url[400];
    size_t n = strnlen(base_url, sizeof url - 32);
    memcpy(url, base_url, n);
    memcpy(url + n, "/w/", 3);
    memcpy(url + n + 3, info->key, 16);
    control_key(info->parent, parent);
    json_strn(w, "world", info->key, 16);
    json_str(w, "name", info->name[0] ? info->name : NULL);
    json_bool(w, "snapshot", info->snapshot);
    json_strn(w, "url", url, n + 19);
    if (info->parent)
        json_strn(w, "parent", parent, sizeof parent);
    else
        json_null(w, "parent");
    control_write_clock(w, info);
    json_str(w, "journal", control_journals[info->journal]);
    json_bool(w, "evaluation", info->evaluation);
    dump_seed(w, info->seed);
    json_int(w, "size", (int64_t)info->size);
    json_int(w, "base_size", (int64_t)info->base_size);
    if (info->expires_us) {
        json_time(w, "expires", info->expires_us, JSON_TIME_US_Z);
        json_str(w, "expires_by", info->expires_by_clock ? "world" : "real");
    } else {
        json_null(w, "expires");
    }
}

/* The text that people keep with a world, among notes of others who keep some there
 * (engine/world/engine.h); *ret NULL: none. *ret_other: somebody else's is there. 0, -1. */
static int read_note(struct control_call *c, uint64_t world, const char **ret, bool *ret_other)
{
    const char *note;
    *ret = NULL;
    *ret_other = false;
    if (engine_note(c->engine, world, &c->arena, &note, &c->err) < 0)
        return -1;
    if (note && str_starts(note, NOTE))
        *ret = note + strlen(NOTE);
    *ret_other = note && !*ret;
    return 0;
}

/* What is not a part of its state. A world that is gone by now has nothing. */
static void write_around(struct control_call *c, struct json_writer *w,
                         const struct sosia_world_info *info)
{
    struct sosia_world_info parent;
    struct world_life life;
    const char *note;
    bool other;
    if (info->parent && sosia_world_info(c->engine, info->parent, &parent, &c->err) == 0)
        json_strn(w, "parent_name", parent.name[0] ? parent.name : parent.key,
                  strlen(parent.name[0] ? parent.name : parent.key));
    if (engine_life(c->engine, info->id, &life, &c->err) == 0) {
        if (life.made_us)
            json_time(w, "made", life.made_us, JSON_TIME_US_Z);
        if (life.used_us)
            json_time(w, "used", life.used_us, JSON_TIME_US_Z);
        if (life.calls >= 0)
            json_int(w, "calls", life.calls);
    }
    if (read_note(c, info->id, &note, &other) == 0)
        json_str_opt(w, "note", note);
    c->err = (struct sosia_err){0};
}

int control_answer_world(struct control_call *c, int status, uint64_t world)
{
    struct sosia_world_info info;
    struct json_writer w;
    struct buf b;
    if (sosia_world_info(c->engine, world, &info, &c->err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_world(&w, c->request->base_url, &info);
    write_around(c, &w, &info);
    json_end(&w);
    return control_answer(c, status, &b);
}

int control_write_forks(struct control_call *c, struct json_writer *w, const uint64_t *forks,
                        size_t n, bool with_keys)
{
    if (with_keys) {
        json_arr(w, "worlds");
        for (size_t i = 0; i < n; i++) {
            char key[16];
            control_key(forks[i], key);
            json_strn(w, NULL, key, sizeof key);
        }
        json_end(w);
    }
    json_arr(w, "tokens");
    if (control_write_tokens(c, w, forks, n, control_text(c, "actors")) < 0)
        return -1;
    json_end(w);
    return 0;
}

/* The first fork, the keys of all if there was a count, and their tokens. */
static int answer_forks(struct control_call *c, const uint64_t *forks, size_t n)
{
    struct sosia_world_info info;
    struct json_writer w;
    struct buf b;
    if (sosia_world_info(c->engine, forks[0], &info, &c->err) < 0)
        return -1;
    buf_init(&b, 0);
    buf_grow(&b, 1024 + n * 200);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    write_world(&w, c->request->base_url, &info);
    if (control_write_forks(c, &w, forks, n, control_given(c, "count")) < 0) {
        buf_done(&b);
        return -1;
    }
    json_end(&w);
    return control_answer(c, 201, &b);
}

/* ---- making ---- */

/* now, in microseconds; 0: not given. */
static int read_start(struct control_call *c, int64_t *ret_now_us)
{
    *ret_now_us = control_number(c, "now", 0);
    if (!*ret_now_us && control_given(c, "now"))
        return control_fail(c, "now", "must be after 1970-01-01T00:00:00Z, not that instant");
    return 0;
}

static int read_clock(struct control_call *c, enum sosia_clock_mode *ret_mode, int64_t *ret_step_us)
{
    *ret_mode = (enum sosia_clock_mode)control_number(c, "clock", c->control->options.clock);
    *ret_step_us = control_step(c, 0);
    if (*ret_mode == SOSIA_CLOCK_STEP && !*ret_step_us)
        return control_fail(c, "step_ms", "must be given for the clock \"step\", is missing");
    if (*ret_mode != SOSIA_CLOCK_STEP && control_given(c, "step_ms"))
        return control_fail(c, "step_ms",
                            "must be absent unless clock is \"step\", is given for \"%s\"",
                            control_clocks[*ret_mode]);
    return 0;
}

static int refused_from(struct control_call *c, const char *field)
{
    c->err.where = field;
    return -1;
}

/* Forks a fixture or what "from" names. */
static int make_from(struct control_call *c, uint64_t *ret_world)
{
    const struct control_options *o = &c->control->options;
    const char *fixture = control_text(c, "fixture"), *from = control_text(c, "from");
    struct sosia_fork_options opt = {.name = control_text(c, "name"),
                                     .seed = (uint64_t)control_number(c, "seed", 0),
                                     .evaluation = control_number(c, "evaluation", 0) != 0};
    uint64_t source;
    opt.set_clock = fixture || control_given(c, "clock") || control_given(c, "step_ms");
    if (read_start(c, &opt.now_us) < 0 ||
        (opt.set_clock && read_clock(c, &opt.clock, &opt.step_us) < 0))
        return -1;
    if (fixture && !o->fixture)
        return control_fail(c, "fixture",
                            "must be absent where the server has no fixtures, not \"%.80s\"",
                            fixture);
    if (fixture && o->fixture(o->fixture_arg, fixture, opt.clock, &source, &c->err) < 0)
        return c->err.where ? -1 : refused_from(c, "fixture");
    if (from && sosia_world_find(c->engine, from, &source, &c->err) < 0)
        return refused_from(c, "from");
    return sosia_world_fork(c->engine, source, &opt, ret_world, &c->err);
}

static int make_new(struct control_call *c, uint64_t *ret_world)
{
    const struct control_value *document = control_given(c, "seed_document");
    struct sosia_world_options opt = {.name = control_text(c, "name"),
                                      .seed = (uint64_t)control_number(c, "seed", 0),
                                      .evaluation = control_number(c, "evaluation", 0) != 0};
    if (read_start(c, &opt.now_us) < 0 || read_clock(c, &opt.clock, &opt.step_us) < 0)
        return -1;
    if (document) {
        opt.seed_doc = document->text;
        opt.seed_doc_len = document->len;
        opt.seed_doc_name = control_text(c, "document_name");
    }
    return sosia_world_create(c->engine, &opt, ret_world, &c->err);
}

/* A document that says nothing else. */
static int set_tools(struct control_call *c, uint64_t world)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_int(&w, "sosia", 1);
    json_str(&w, MCP_SECTION, tool_sets[control_number(c, MCP_SECTION, 0)]);
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(&c->err)
                            : sosia_world_seed(c->engine, world, b.data, b.len, NULL, &c->err);
    buf_done(&b);
    return rc;
}

int control_worlds_create(struct call *call)
{
    struct control_call *c = control_of(call);
    bool fixture = control_given(c, "fixture"), from = control_given(c, "from"),
         document = control_given(c, "seed_document");
    const struct control_value *journal = control_given(c, "journal");
    int64_t ttl = control_number(c, "ttl_seconds", 0);
    uint64_t world;
    if (fixture + from + document > 1)
        return control_fail(c, from ? "from" : "fixture",
                            "at most one of fixture, from and seed_document can be given, %d are",
                            fixture + from + document);
    if (control_number(c, "evaluation", 0) && journal && journal->number != SOSIA_JOURNAL_ALL)
        return control_fail(c, "journal", "must be \"all\" in an evaluation, not \"%s\"",
                            control_journals[journal->number]);
    if ((fixture || from ? make_from(c, &world) : make_new(c, &world)) < 0)
        return -1;
    if ((journal && sosia_world_journal_mode(
                        c->engine, world, (enum sosia_journal_mode)journal->number, &c->err) < 0) ||
        (control_given(c, "rates") &&
         sosia_world_rates(c->engine, world, control_number(c, "rates", 0), &c->err) < 0) ||
        (control_given(c, MCP_SECTION) && set_tools(c, world) < 0) ||
        (ttl && sosia_world_ttl(c->engine, world, ttl * US_PER_SECOND, false, &c->err) < 0)) {
        sosia_world_drop(c->engine, world, NULL);
        return -1;
    }
    return control_answer_world(c, 201, world);
}

static int fork_one(struct control_call *c, uint64_t source, const struct sosia_fork_options *opt,
                    uint64_t *ret)
{
    const struct control_value *step = control_given(c, "step");
    return step ? sosia_world_fork_step(c->engine, source, step->number, opt, ret, &c->err)
                : sosia_world_fork(c->engine, source, opt, ret, &c->err);
}

int control_make_forks(struct control_call *c, uint64_t source,
                       const struct sosia_fork_options *opt, size_t n, uint64_t *ret_worlds)
{
    size_t made = 0;
    /* What is inherited is sent at once, and must not be of a fork that is lost. */
    if (!opt->inherit_deliveries)
        engine_sync_later();
    while (made < n && fork_one(c, source, opt, &ret_worlds[made]) == 0)
        made++;
    if (engine_sync_now(c->engine, made == n ? &c->err : NULL) == 0 && made == n)
        return 0;
    control_drop_forks(c, ret_worlds, made);
    return -1;
}

void control_drop_forks(struct control_call *c, const uint64_t *worlds, size_t n)
{
    while (n)
        sosia_world_drop(c->engine, worlds[--n], NULL);
}

int control_suite_journal(struct control_call *c, const struct sosia_suite *suite, const char *task,
                          struct sosia_fork_options *opt)
{
    const struct task *of = NULL;
    const struct assertion *reads = suite_asks_reads(c->engine, suite, task, &of);
    if (task && !suite_task(suite, task))
        return control_fail(c, "task", "must be one of the suite's tasks, not \"%.60s\"", task);
    if (!reads)
        return 0;
    if (opt->set_journal && opt->journal != SOSIA_JOURNAL_ALL)
        return control_fail(c, "journal",
                            "must be \"all\" for the task \"%.60s\", whose %s (line %d) asks for "
                            "calls that may only read, not \"%s\"",
                            of->id, reads->place, reads->line, control_journals[opt->journal]);
    opt->set_journal = true;
    opt->journal = SOSIA_JOURNAL_ALL;
    return 0;
}

/* What the fork's journal keeps, as it is said or as the suite needs it. */
static int read_journal(struct control_call *c, struct sosia_fork_options *opt)
{
    const struct control_value *text = control_given(c, "suite");
    struct sosia_suite *suite;
    opt->set_journal = control_given(c, "journal");
    opt->journal = (enum sosia_journal_mode)control_number(c, "journal", 0);
    if (!text && (control_given(c, "task") || control_given(c, "suite_name")))
        return control_fail(c, control_given(c, "task") ? "task" : "suite_name",
                            "must be absent unless suite is given, not \"%.80s\"",
                            control_text(c, control_given(c, "task") ? "task" : "suite_name"));
    if (!text)
        return 0;
    if (suites_take(c->control->suites, text->text, text->len, control_text(c, "suite_name"),
                    &suite, &c->err) < 0)
        return -1;
    int rc = control_suite_journal(c, suite, control_text(c, "task"), opt);
    suites_give(c->control->suites, suite);
    return rc;
}

int control_worlds_fork(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct control_value *count = control_given(c, "count");
    size_t n = count ? (size_t)count->number : 1;
    struct sosia_fork_options opt = {0};
    uint64_t one, *worlds = &one;
    if (c->n_values > 1) { /* more than {world} */
        opt.name = control_text(c, "name");
        opt.seed = (uint64_t)control_number(c, "seed", 0);
        opt.inherit_deliveries = control_number(c, "deliveries", 0) == 1;
        opt.evaluation = control_number(c, "evaluation", 0) != 0;
        if (!c->request->on_worker && control_given(c, "suite"))
            return SERVER_SLOW;
        if (read_start(c, &opt.now_us) < 0 || read_journal(c, &opt) < 0)
            return -1;
        if (opt.name && n > 1)
            return control_fail(
                c, "name",
                "must be absent where count is more than 1, not \"%s\" with a count of %zu",
                opt.name, n);
        if (count)
            worlds = arena_alloc(&c->arena, n * sizeof *worlds);
        if (arena_failed(&c->arena))
            return sosia_fail_memory(&c->err);
    }
    if (control_make_forks(c, c->world, &opt, n, worlds) < 0)
        return -1;
    if (answer_forks(c, worlds, n) == 0)
        return 0;
    control_drop_forks(c, worlds, n);
    return -1;
}

/* ---- asking ---- */

struct page {
    struct control_call *c;
    struct json_writer *w;
    int64_t left;
    char last[17];
    bool more;
    struct sosia_world_info *list; /* what was found: while it is, the engine can't be asked */
    size_t n, room;
    int64_t *children; /* of each of them; NULL: nobody asks */
    uint32_t *order;   /* places in the list, by id */
    uint64_t parent;   /* only what was made from it, if asked for */
    const char *text;  /* only those with this in their name or key; NULL: any */
    int snapshots;     /* 1: only snapshots; 0: only others; -1: both */
};

static bool is_wanted(const struct page *page, const struct sosia_world_info *info)
{
    return (!control_given(page->c, "parent") || info->parent == page->parent) &&
           (page->snapshots < 0 || info->snapshot == (page->snapshots == 1)) &&
           (!page->text || strcasestr(info->name, page->text) || strcasestr(info->key, page->text));
}

static int keep_one(void *arg, const struct sosia_world_info *info)
{
    struct page *page = arg;
    if (!is_wanted(page, info))
        return 0;
    if (!page->left--) {
        page->more = true;
        return 1;
    }
    struct sosia_world_info *more =
        arena_grow(&page->c->arena, page->list, page->n, &page->room, sizeof *more);
    if (!more)
        return 1;
    page->list = more;
    more[page->n++] = *info;
    memcpy(page->last, info->key, sizeof page->last);
    return 0;
}

/* 0: it is not a key. */
static uint64_t read_key(const char *key)
{
    uint64_t id = 0;
    if (strlen(key) != 16 || strspn(key, "0123456789abcdef") != 16)
        return 0;
    for (; *key; key++)
        id = id << 4 | (uint64_t)(*key <= '9' ? *key - '0' : *key - 'a' + 10);
    return id;
}

static int by_id(const void *pa, const void *pb, void *arg)
{
    const struct sosia_world_info *list = arg;
    const uint64_t a = list[*(const uint32_t *)pa].id, b = list[*(const uint32_t *)pb].id;
    return (a > b) - (a < b);
}

/* One more of what was made from the world that it names, if that is in the list. */
static int count_child(void *arg, const struct sosia_world_info *info)
{
    struct page *page = arg;
    size_t from = 0, to = page->n;
    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        const uint64_t id = page->list[page->order[mid]].id;
        if (id == info->parent) {
            page->children[page->order[mid]]++;
            return 0;
        }
        if (id < info->parent)
            from = mid + 1;
        else
            to = mid;
    }
    return 0;
}

/* All worlds are gone through once, whatever the list's length. */
static int count_children(struct control_call *c, struct page *page)
{
    page->children = arena_calloc(&c->arena, page->n + 1, sizeof *page->children);
    page->order = arena_alloc(&c->arena, (page->n + 1) * sizeof *page->order);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    for (uint32_t i = 0; i < page->n; i++)
        page->order[i] = i;
    qsort_r(page->order, page->n, sizeof *page->order, by_id, page->list);
    return sosia_world_list(c->engine, 0, count_child, page, &c->err);
}

int control_worlds_list(struct call *call)
{
    struct control_call *c = control_of(call);
    struct json_writer w;
    struct buf b;
    struct page page = {.c = c,
                        .w = &w,
                        .left = control_number(c, "limit", 100),
                        .text = control_text(c, "q"),
                        .snapshots = (int)control_number(c, "snapshots", -1)};
    const char *after = control_text(c, "after"), *parent = control_text(c, "parent");
    /* "" is the parent of those that were made of nothing; of one that is gone the key is known. */
    if (parent && *parent && !(page.parent = read_key(parent)) &&
        sosia_world_find(c->engine, parent, &page.parent, &c->err) < 0) {
        c->err.where = "parent";
        return -1;
    }
    uint64_t from = after ? read_key(after) : 0;
    if (after && !from)
        return control_fail(c, "after", "must be the \"next\" of another response, not \"%s\"",
                            after);
    if (sosia_world_list(c->engine, from, keep_one, &page, &c->err) < 0)
        return -1;
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    if (control_number(c, "children", 0) && count_children(c, &page) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_arr(&w, "worlds");
    for (size_t i = 0; i < page.n; i++) {
        json_obj(&w, NULL);
        write_world(&w, c->request->base_url, &page.list[i]);
        write_around(c, &w, &page.list[i]);
        if (page.children)
            json_int(&w, "children", page.children[i]);
        json_end(&w);
    }
    json_end(&w);
    json_str(&w, "next", page.more ? page.last : NULL);
    json_end(&w);
    return control_answer(c, 200, &b);
}

int control_worlds_get(struct call *call)
{
    struct control_call *c = control_of(call);
    return control_answer_world(c, 200, c->world);
}

/* ---- changing ---- */

int control_worlds_patch(struct call *call)
{
    struct control_call *c = control_of(call);
    const char *name = control_text(c, "name"), *note = control_text(c, "note"), *was;
    bool other;
    if (read_note(c, c->world, &was, &other) < 0)
        return -1;
    if (note && other)
        return sosia_fail(&c->err, SOSIA_E_CONFLICT, "noteKept", "note",
                          "the world is a sandbox's, which keeps its own record there");
    if (name && sosia_world_rename(c->engine, c->world, name, &c->err) < 0)
        return -1;
    if (note &&
        engine_note_set(c->engine, c->world,
                        *note ? arena_printf(&c->arena, NOTE "%s", note) : NULL, &c->err) < 0)
        return -1;
    return control_answer_world(c, 200, c->world);
}

int control_worlds_reset(struct call *call)
{
    struct control_call *c = control_of(call);
    const char *to = control_text(c, "to");
    const struct control_value *step = control_given(c, "step");
    uint64_t snapshot;
    if (to && step)
        return control_fail(c, "step", "must be absent where to is given, not %lld",
                            (long long)step->number);
    if (to && sosia_world_find(c->engine, to, &snapshot, &c->err) < 0)
        return refused_from(c, "to");
    if ((step ? sosia_world_reset_step(c->engine, c->world, step->number, &c->err)
         : to ? sosia_world_reset_to(c->engine, c->world, snapshot, &c->err)
              : sosia_world_reset(c->engine, c->world, &c->err)) < 0)
        return -1;
    return control_answer_world(c, 200, c->world);
}

int control_worlds_snapshot(struct call *call)
{
    struct control_call *c = control_of(call);
    uint64_t snapshot;
    if (sosia_world_snapshot(c->engine, c->world, control_text(c, "name"), &snapshot, &c->err) < 0)
        return -1;
    return control_answer_world(c, 201, snapshot);
}

int control_worlds_drop(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_world_drop(c->engine, c->world, &c->err) < 0)
        return -1;
    return control_answer_empty(c);
}

int control_worlds_ttl(struct call *call)
{
    struct control_call *c = control_of(call);
    int64_t ttl = control_number(c, "seconds", 0);
    if (sosia_world_ttl(c->engine, c->world, ttl * US_PER_SECOND, control_number(c, "by", 0) == 1,
                        &c->err) < 0)
        return -1;
    return control_answer_world(c, 200, c->world);
}

int control_worlds_rates(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_world_rates(c->engine, c->world, control_number(c, "on", 0) != 0, &c->err) < 0)
        return -1;
    return control_answer_world(c, 200, c->world);
}

int control_worlds_tools(struct call *call)
{
    struct control_call *c = control_of(call);
    if (set_tools(c, c->world) < 0)
        return -1;
    return control_answer_world(c, 200, c->world);
}
