/* SPDX-License-Identifier: Apache-2.0 */
/* What can be listed of an engine and its worlds: worlds, journal, outbox, actors, and the hash of
 * a state. On an API of our own with one method that writes. */
#include "engine/service.h"
#include "engine/http/call.h"
#include "engine/replay/replay.h"
#include "identity/identity.h"
#include "sosia.h"
#include "tests/support/unit.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>

static int note(struct call *c)
{
    c->status = 200;
    json_obj(c->out, NULL);
    json_str(c->out, "got", "it");
    json_end(c->out);
    return outbox_add(&c->tx, "mail", "ada@acme.example", "eve@other.example", "{\"n\":1}");
}

static void finish(struct call *c)
{
    call_header(c, "Content-Type", "application/json");
}

static void error(struct call *c)
{
    c->status = 400;
}

static const struct front front = {.finish = finish, .error = error};
static const struct vendor vendor = {.name = "notes", .front = &front};
static const struct route routes[] = {
    {.id = "notes.add",
     .verbs = POST,
     .paths = PATHS("/notes"),
     .handler = note,
     .risk = RISK_WRITE,
     .anonymous = true,
     .body = BODY_JSON},
};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/notes", NULL};
static const struct dialect notes = {
    .name = "notes", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};

static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, NULL},
    .dialects = (const struct dialect *const[]){&notes, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7,\n"
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"},"
    "{\"email\":\"bob@acme.example\",\"name\":\"Bob\"}]}";

static struct sosia_engine *engine;
static struct sosia_err err;
static struct sosia_blob blob;

static int open_engine(void **state)
{
    return engine_open(NULL, services, &engine, &err);
}

static int close_engine(void **state)
{
    sosia_engine_close(engine);
    return 0;
}

static uint64_t make(void)
{
    struct sosia_world_options opt = {.seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    uint64_t w;
    if (sosia_world_create(engine, &opt, &w, &err) < 0)
        fail_msg("create: %s", err.text);
    return w;
}

static void add_note(uint64_t w, const char *body)
{
    struct sosia_request req = {
        .method = "POST", .target = "/notes", .body = body, .body_len = strlen(body)};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, w, &req, &res, &err), 0);
    assert_int_equal(res->status, 200);
    sosia_response_free(res);
}

static size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

/* ---- journal ---- */

static void a_journal_lists_numbered_entries_oldest_first(void **state)
{
    uint64_t w = make();
    add_note(w, "{\"a\":1}");
    add_note(w, "{\"a\":2}");
    assert_int_equal(sosia_journal_list(engine, w, 0, 0, true, &blob, &err), 0);
    const char *one = strstr(blob.data, "\"seq\": 1"), *two = strstr(blob.data, "\"seq\": 2");
    assert_true(one && two && one < two);
    assert_int_equal(count_of(blob.data, "\"seq\""), 2);
    assert_non_null(strstr(one, "{\\\"a\\\":1}"));
    assert_non_null(strstr(two, "{\\\"a\\\":2}"));
    assert_int_equal(count_of(blob.data, "notes.add"), 2);
    sosia_blob_free(&blob);
}

static void a_journal_is_read_in_pieces(void **state)
{
    uint64_t w = make();
    for (int i = 0; i < 5; i++)
        add_note(w, "{}");
    assert_int_equal(sosia_journal_list(engine, w, 2, 2, false, &blob, &err), 0);
    assert_int_equal(count_of(blob.data, "\"seq\""), 2);
    assert_non_null(strstr(blob.data, "\"seq\": 3"));
    assert_non_null(strstr(blob.data, "\"seq\": 4"));
    sosia_blob_free(&blob);
    assert_int_equal(sosia_journal_list(engine, w, 5, 2, false, &blob, &err), 0);
    assert_string_equal(blob.data, "[]\n");
    sosia_blob_free(&blob);
    assert_int_equal(sosia_journal_list(engine, w, INT64_MIN, 1, false, &blob, &err), 0);
    assert_non_null(strstr(blob.data, "\"seq\": 1"));
    sosia_blob_free(&blob);
}

static void a_journal_without_bodies_keeps_the_rest(void **state)
{
    uint64_t w = make();
    add_note(w, "{\"a\":1}");
    assert_int_equal(sosia_journal_list(engine, w, 0, 0, false, &blob, &err), 0);
    assert_null(strstr(blob.data, "\"body\""));
    assert_non_null(strstr(blob.data, "\"status\": 200"));
    assert_non_null(strstr(blob.data, "\"target\": \"/notes\""));
    sosia_blob_free(&blob);
}

static void a_reset_begins_with_an_empty_journal(void **state)
{
    uint64_t w = make();
    add_note(w, "{}");
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    assert_int_equal(sosia_journal_list(engine, w, 0, 0, true, &blob, &err), 0);
    assert_string_equal(blob.data, "[]\n");
    sosia_blob_free(&blob);
}

static void lists_of_a_world_that_is_not_there_fail_and_give_nothing(void **state)
{
    uint64_t w = make();
    char hex[65] = "untouched";
    struct sosia_blob none = {0};
    assert_int_equal(sosia_world_drop(engine, w, &err), 0);
    assert_int_equal(sosia_journal_list(engine, w, 0, 0, true, &none, &err), -1);
    assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
    assert_int_equal(sosia_outbox_list(engine, w, 0, 0, &none, &err), -1);
    assert_int_equal(sosia_actor_list(engine, w, 0, 0, &none, &err), -1);
    assert_int_equal(sosia_world_hash(engine, w, hex, NULL), -1);
    assert_string_equal(hex, "untouched");
    assert_null(none.data);
}

/* ---- outbox, actors ---- */

static void an_outbox_is_read_in_pieces(void **state)
{
    uint64_t w = make();
    for (int i = 0; i < 3; i++)
        add_note(w, "{}");
    assert_int_equal(sosia_outbox_list(engine, w, 1, 1, &blob, &err), 0);
    assert_int_equal(count_of(blob.data, "\"id\""), 1);
    assert_non_null(strstr(blob.data, "\"id\": 2"));
    assert_non_null(strstr(blob.data, "\"to\": \"eve@other.example\""));
    sosia_blob_free(&blob);
}

static void actors_are_listed_with_their_zones(void **state)
{
    uint64_t w = make();
    assert_int_equal(sosia_actor_list(engine, w, 0, 0, &blob, &err), 0);
    const char *ada = strstr(blob.data, "\"email\": \"ada@acme.example\"");
    const char *bob = strstr(blob.data, "\"email\": \"bob@acme.example\"");
    assert_true(ada && bob && ada < bob);
    assert_non_null(strstr(ada, "\"zone\": \"Europe/Rome\""));
    assert_int_equal(count_of(blob.data, "\"kind\": \"person\""), 2);
    sosia_blob_free(&blob);
    assert_int_equal(sosia_actor_list(engine, w, 1, 5, &blob, &err), 0);
    assert_int_equal(count_of(blob.data, "\"email\""), 1);
    sosia_blob_free(&blob);
}

/* ---- hash ---- */

static void hash_of(uint64_t w, char ret_hex[65])
{
    assert_int_equal(sosia_world_hash(engine, w, ret_hex, &err), 0);
    assert_int_equal(strlen(ret_hex), 64);
}

static void the_hash_is_that_of_the_dump_without_time_and_seed(void **state)
{
    uint64_t w = make();
    char hex[65], text[65], *kept;
    uint8_t sum[32];
    size_t n = 0;
    hash_of(w, hex);
    assert_int_equal(sosia_world_dump(engine, w, &blob, &err), 0);
    kept = malloc(blob.len);
    for (char *line = blob.data; *line;) {
        char *end = strchr(line, '\n') + 1;
        if (strncmp(line, "  \"time\": ", 10) != 0 && strncmp(line, "  \"seed\": ", 10) != 0) {
            memcpy(kept + n, line, (size_t)(end - line));
            n += (size_t)(end - line);
        }
        line = end;
    }
    assert_true(n < blob.len);
    assert_int_equal(gnutls_hash_fast(GNUTLS_DIG_SHA256, kept, n, sum), 0);
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", sum[i]);
    assert_string_equal(hex, text);
    free(kept);
    sosia_blob_free(&blob);
}

static void equal_states_have_equal_hashes_whatever_clock_and_journal_say(void **state)
{
    uint64_t w = make(), f;
    struct sosia_fork_options opt = {.seed = 99};
    char before[65], after[65];
    hash_of(w, before);
    assert_int_equal(sosia_world_fork(engine, w, &opt, &f, &err), 0);
    assert_int_equal(sosia_clock_advance(engine, f, 3600000000, &err), 0);
    add_note(f, "{}"); /* changes the journal and the outbox, and no entity */
    hash_of(f, after);
    assert_string_equal(before, after);
    hash_of(make(), after);
    assert_string_equal(before, after);
}

static void another_state_has_another_hash(void **state)
{
    const char *more = "{\"sosia\":1,\"people\":[{\"email\":\"eve@acme.example\"}]}";
    uint64_t w = make();
    char before[65], after[65];
    hash_of(w, before);
    assert_int_equal(sosia_world_seed(engine, w, more, strlen(more), NULL, &err), 0);
    hash_of(w, after);
    assert_string_not_equal(before, after);
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    hash_of(w, after);
    assert_string_equal(before, after);
}

/* ---- worlds ---- */

struct seen {
    uint64_t ids[300];
    int n, max;
};

static int see(void *arg, const struct sosia_world_info *info)
{
    struct seen *s = arg;
    s->ids[s->n++] = info->id;
    return s->n == s->max;
}

static void worlds_are_listed_in_pieces_even_behind_one_that_is_gone(void **state)
{
    struct sosia_engine *e;
    struct seen all = {.max = 300}, part = {.max = 3}, rest = {.max = 300};
    uint64_t w;
    assert_int_equal(engine_open(NULL, services, &e, &err), 0);
    for (int i = 0; i < 270; i++) /* more than one slab of them */
        assert_int_equal(sosia_world_create(e, NULL, &w, &err), 0);
    assert_int_equal(sosia_world_list(e, 0, see, &all, &err), 0);
    assert_int_equal(all.n, 270);
    assert_int_equal(sosia_world_list(e, 0, see, &part, &err), 0);
    assert_int_equal(part.n, 3);
    assert_int_equal(sosia_world_drop(e, part.ids[2], &err), 0);
    assert_int_equal(sosia_world_list(e, part.ids[2], see, &rest, &err), 0);
    assert_int_equal(rest.n, 267);
    assert_memory_equal(rest.ids, all.ids + 3, 267 * sizeof *rest.ids);
    rest.n = 0;
    assert_int_equal(sosia_world_list(e, all.ids[269], see, &rest, &err), 0);
    assert_int_equal(rest.n, 0);
    sosia_engine_close(e);
}

/* Lists leave out a fork that is there for one question alone, not the forks of it. */
static void a_fork_for_one_question_is_not_listed(void **state)
{
    struct sosia_engine *e;
    struct seen all = {.max = 300};
    struct sosia_world_info info;
    uint64_t w, aside, at_step, fork;
    assert_int_equal(engine_open(NULL, services, &e, &err), 0);
    assert_int_equal(sosia_world_create(e, NULL, &w, &err), 0);
    assert_int_equal(engine_fork(e, w, NULL, &fork_unlisted, &aside, &err), 0);
    assert_int_equal(replay_fork(e, w, 0, NULL, &fork_unlisted, &at_step, &err), 0);
    assert_int_equal(sosia_world_fork(e, aside, NULL, &fork, &err), 0);
    assert_int_equal(sosia_world_list(e, 0, see, &all, &err), 0);
    assert_int_equal(all.n, 2);
    assert_true(all.ids[0] != aside && all.ids[1] != aside);
    assert_true(all.ids[0] != at_step && all.ids[1] != at_step);
    assert_int_equal(sosia_world_info(e, aside, &info, &err), 0);
    assert_int_equal(sosia_world_info(e, at_step, &info, &err), 0);
    sosia_engine_close(e);
}

static void an_engine_counts_its_worlds_and_bytes(void **state)
{
    struct sosia_engine *e;
    struct sosia_engine_options opt = {.max_worlds = 3, .max_size = 1 << 30};
    struct sosia_engine_info before, after;
    const char *more = "{\"sosia\":1,\"people\":[{\"email\":\"eve@acme.example\"}]}";
    uint64_t w, f;
    assert_int_equal(engine_open(&opt, services, &e, &err), 0);
    assert_int_equal(sosia_world_create(e, NULL, &w, &err), 0);
    sosia_engine_info(e, &before);
    assert_int_equal(before.worlds, 1);
    assert_int_equal(before.max_worlds, 3);
    assert_int_equal(before.max_world_size, 0);
    assert_false(before.durable);
    assert_int_equal(sosia_world_fork(e, w, NULL, &f, &err), 0);
    assert_int_equal(sosia_world_seed(e, f, more, strlen(more), NULL, &err), 0);
    sosia_engine_info(e, &after);
    assert_int_equal(after.worlds, 2);
    assert_true(after.size > before.size);
    sosia_engine_close(e);
}

static int post(struct sosia_engine *e, uint64_t w, const char *body, size_t len)
{
    struct sosia_request req = {
        .method = "POST", .target = "/notes", .body = body, .body_len = len};
    struct sosia_response *res;
    assert_int_equal(sosia_call(e, w, &req, &res, &err), 0);
    int status = res->status;
    sosia_response_free(res);
    return status;
}

static uint64_t size_of(struct sosia_engine *e, uint64_t w)
{
    struct sosia_world_info info;
    assert_int_equal(sosia_world_info(e, w, &info, &err), 0);
    return info.size;
}

/* A hundred entries, of which a journal keeps what it may. Gives how many calls were taken. */
static int fill_journal(struct sosia_engine *e, uint64_t w)
{
    static char body[60000];
    int n = 0;
    memset(body, 'x', sizeof body);
    memcpy(body, "{\"x\":\"", 6);
    memcpy(body + sizeof body - 2, "\"}", 2);
    for (int i = 0; i < 100; i++)
        n += post(e, w, body, sizeof body) == 200;
    return n;
}

static void journals_count_against_the_limits(void **state)
{
    enum { MAX_WORLD = 1 << 20, MAX = 2 << 20, CHUNK = 300 << 10 };
    struct sosia_engine *e;
    struct sosia_engine_options opt = {.max_world_size = MAX_WORLD, .max_size = MAX};
    struct sosia_engine_info info;
    uint64_t w, f[10];
    assert_int_equal(engine_open(&opt, services, &e, &err), 0);
    assert_int_equal(sosia_world_create(e, NULL, &w, &err), 0);
    assert_int_equal(fill_journal(e, w), 100); /* entries never take a world's whole room */
    assert_in_range(size_of(e, w), MAX_WORLD / 4, MAX_WORLD);
    sosia_engine_info(e, &info); /* and what holds the pages of states */
    assert_in_range(info.size, size_of(e, w), size_of(e, w) + 4096);
    assert_int_equal(sosia_world_reset(e, w, &err), 0);
    sosia_engine_info(e, &info);
    assert_int_equal(info.size, 0);
    assert_int_equal(post(e, w, "{}", 2), 200);
    int taken = 0;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(sosia_world_fork(e, w, NULL, &f[i], &err), 0);
        taken += fill_journal(e, f[i]);
    }
    assert_true(taken < 1000);
    sosia_engine_info(e, &info);
    assert_in_range(info.size, MAX, MAX + CHUNK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(sosia_world_drop(e, f[i], &err), 0);
    assert_int_equal(post(e, w, "{}", 2), 200);
    assert_int_equal(sosia_world_drop(e, w, &err), 0);
    sosia_engine_info(e, &info);
    assert_int_equal(info.size, 0);
    sosia_engine_close(e);
}

/* ---- forks with a name and a clock of their own ---- */

static void a_fork_takes_a_name_or_is_not_made(void **state)
{
    struct sosia_fork_options opt = {.name = "mine"};
    struct sosia_engine_info before, after;
    uint64_t w = make(), f, found;
    assert_int_equal(sosia_world_fork(engine, w, &opt, &f, &err), 0);
    assert_int_equal(sosia_world_find(engine, "mine", &found, &err), 0);
    assert_true(found == f);
    sosia_engine_info(engine, &before);
    assert_int_equal(sosia_world_fork(engine, w, &opt, &f, &err), -1);
    assert_int_equal(err.code, SOSIA_E_CONFLICT);
    sosia_engine_info(engine, &after);
    assert_int_equal(before.worlds, after.worlds);
}

static void a_fork_starts_and_resets_with_the_clock_it_was_given(void **state)
{
    struct sosia_fork_options opt = {
        .set_clock = true, .clock = SOSIA_CLOCK_STEP, .step_us = 7, .now_us = 1000};
    struct sosia_world_info info;
    uint64_t w = make(), f;
    assert_int_equal(sosia_world_fork(engine, w, &opt, &f, &err), 0);
    assert_int_equal(sosia_clock_mode(engine, f, SOSIA_CLOCK_FROZEN, 0, &err), 0);
    assert_int_equal(sosia_clock_set(engine, f, 5000000, &err), 0);
    assert_int_equal(sosia_world_reset(engine, f, &err), 0);
    assert_int_equal(sosia_world_info(engine, f, &info, &err), 0);
    assert_int_equal(info.clock, SOSIA_CLOCK_STEP);
    assert_int_equal(info.step_us, 7);
    assert_int_equal(info.now_us, 1000);
}

static void a_fork_with_another_clock_keeps_the_time(void **state)
{
    struct sosia_fork_options opt = {.set_clock = true, .clock = SOSIA_CLOCK_REAL};
    struct sosia_world_info info;
    uint64_t w = make(), f;
    assert_int_equal(sosia_world_fork(engine, w, &opt, &f, &err), 0);
    assert_int_equal(sosia_world_info(engine, f, &info, &err), 0);
    assert_int_equal(info.clock, SOSIA_CLOCK_REAL);
    assert_true(info.now_us >= INT64_C(1795420800000000));
    assert_true(info.now_us < INT64_C(1795420800000000) + INT64_C(3600000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_lists_numbered_entries_oldest_first),
        cmocka_unit_test(a_journal_is_read_in_pieces),
        cmocka_unit_test(a_journal_without_bodies_keeps_the_rest),
        cmocka_unit_test(a_reset_begins_with_an_empty_journal),
        cmocka_unit_test(lists_of_a_world_that_is_not_there_fail_and_give_nothing),
        cmocka_unit_test(an_outbox_is_read_in_pieces),
        cmocka_unit_test(actors_are_listed_with_their_zones),
        cmocka_unit_test(the_hash_is_that_of_the_dump_without_time_and_seed),
        cmocka_unit_test(equal_states_have_equal_hashes_whatever_clock_and_journal_say),
        cmocka_unit_test(another_state_has_another_hash),
        cmocka_unit_test(worlds_are_listed_in_pieces_even_behind_one_that_is_gone),
        cmocka_unit_test(a_fork_for_one_question_is_not_listed),
        cmocka_unit_test(an_engine_counts_its_worlds_and_bytes),
        cmocka_unit_test(journals_count_against_the_limits),
        cmocka_unit_test(a_fork_takes_a_name_or_is_not_made),
        cmocka_unit_test(a_fork_starts_and_resets_with_the_clock_it_was_given),
        cmocka_unit_test(a_fork_with_another_clock_keeps_the_time),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
