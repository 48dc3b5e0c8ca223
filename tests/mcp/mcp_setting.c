/* SPDX-License-Identifier: Apache-2.0 */
/* The set of tools that a world has: in its document, kept, and weaker than the URL. And the tools
 * of a process that forks while it makes them. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "engine/api/vendor.h"
#include "mcp/tool.h"
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADA "ada@acme.example"

#define DOC(tools)                                                                                 \
    "sosia: 1\n"                                                                                   \
    "time: 2026-03-12T08:00:00Z\n" tools "organizations: [{domain: acme.example, name: Acme}]\n"   \
    "people:\n"                                                                                    \
    "  - {email: ada@acme.example, name: Ada Ames, zone: Europe/Rome}\n"

static int set_up(void **state)
{
    return test_open(DOC("tools: hosted\n"));
}

static int tear_down(void **state)
{
    return test_close();
}

static const struct json *post(uint64_t world, const char *path, const char *method,
                               const char *params)
{
    uint64_t before = test_world;
    test_world = world;
    const struct json *r = mcp_ask(ADA, path, method, params);
    test_world = before;
    return r;
}

/* Is it among the tools that the world of the token lists? */
static bool lists(uint64_t world, const char *path, const char *tool)
{
    uint64_t before = test_world;
    test_world = world;
    const char *names = arena_printf(&test_arena, " %s ", mcp_names(ADA, path));
    test_world = before;
    return strstr(names, arena_printf(&test_arena, " %s ", tool)) != NULL;
}

static void seed(const char *doc)
{
    assert_int_equal(sosia_world_seed(test_engine, test_world, doc, strlen(doc), NULL, &test_err),
                     0);
}

static void a_document_says_which_tools_there_are(void **state)
{
    assert_true(lists(test_world, "/mcp", "google_calendar_list_events"));
    assert_false(lists(test_world, "/mcp", "calendar_events_list"));
    assert_true(lists(test_world, "/mcp/calendar", "google_calendar_list_events"));
    const struct json *r = post(test_world, "/mcp", "tools/call",
                                "{\"name\":\"google_calendar_list_calendars\",\"arguments\":{}}");
    assert_non_null(json_get(json_get(r, "result"), "content"));
    assert_string_equal(json_get_str(test_dump(), "tools"), "hosted");
}

static void the_url_is_stronger(void **state)
{
    assert_true(lists(test_world, "/mcp?tools=native", "calendar_events_list"));
    assert_false(lists(test_world, "/mcp?tools=native", "google_calendar_list_events"));
    const struct json *r = post(test_world, "/mcp?tools=some", "tools/list", "{}");
    assert_string_equal(json_get_str(json_get(r, "error"), "message"),
                        "tools in the URL must be common, native, hosted, reference, community, "
                        "workspace, softeria or agent365, not some");
}

static void another_document_changes_it(void **state)
{
    seed("sosia: 1\n");
    assert_true(lists(test_world, "/mcp", "google_calendar_list_events"));
    seed("sosia: 1\ntools: native\n");
    assert_true(lists(test_world, "/mcp", "calendar_colors_get"));
    assert_string_equal(json_get_str(test_dump(), "tools"), "native");
    seed("sosia: 1\ntools: common\n");
    assert_true(lists(test_world, "/mcp", "calendar_events_list"));
    assert_false(lists(test_world, "/mcp", "calendar_colors_get"));
    assert_false(lists(test_world, "/mcp", "google_calendar_list_events"));
    assert_null(json_get(test_dump(), "tools"));
}

static void forks_have_it_and_resets_bring_it_back(void **state)
{
    uint64_t fork;
    seed("sosia: 1\ntools: reference\n");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    assert_true(lists(test_world, "/mcp", "google_calendar_list_events"));
    assert_false(lists(fork, "/mcp", "google_calendar_list_events"));
    assert_true(lists(fork, "/mcp/drive", "search"));
}

static void what_is_no_set_is_refused(void **state)
{
    static const char *const docs[] = {"sosia: 1\ntools: some\n", "sosia: 1\ntools: 1\n",
                                       "sosia: 1\ntools: [hosted]\n", "sosia: 1\ntools: Hosted\n"};
    for (size_t i = 0; i < SOSIA_LEN(docs); i++) {
        assert_int_equal(
            sosia_world_seed(test_engine, test_world, docs[i], strlen(docs[i]), NULL, &test_err),
            -1);
        assert_string_equal(test_err.where, "tools");
        assert_int_equal(test_err.line, 2);
        assert_non_null(strstr(test_err.text, "must be common, native, hosted, reference, "
                                              "community, workspace, softeria or agent365, not "));
    }
}

/* ---- over a restart ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

static void a_restart_keeps_it(void **state)
{
    static const char doc[] = DOC("tools: hosted\n");
    char dir[] = "/tmp/sosia-setting-XXXXXX";
    assert_non_null(mkdtemp(dir));
    const struct sosia_engine_options opt = {.data_dir = dir};
    const struct sosia_world_options w = {
        .name = "one", .seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct sosia_engine *e;
    struct sosia_blob dump;
    uint64_t world;
    assert_int_equal(sosia_engine_open(&opt, &e, &test_err), 0);
    assert_int_equal(sosia_world_create(e, &w, &world, &test_err), 0);
    sosia_engine_close(e);
    assert_int_equal(sosia_engine_open(&opt, &e, &test_err), 0);
    assert_int_equal(sosia_world_find(e, "one", &world, &test_err), 0);
    assert_int_equal(sosia_world_dump(e, world, &dump, &test_err), 0);
    assert_non_null(strstr(dump.data, "\"tools\": \"hosted\""));
    sosia_blob_free(&dump);
    sosia_engine_close(e);
    assert_int_equal(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static bool all_tools_are_there(void)
{
    bool good = true;
    for (const struct dialect *const *d = engine_dialects(test_engine); *d; d++)
        good = good && (!(*d)->tools || tool_index(*d));
    return good;
}

static _Atomic(int) making; /* 1: the thread is at it, 2: it is done */

static void *makes_tools(void *arg)
{
    making = 1;
    *(bool *)arg = all_tools_are_there();
    making = 2;
    return NULL;
}

/* In a process of its own, where they are made for the first time: 0 is good. */
static int forks_while_tools_are_made(void)
{
    pthread_t busy;
    bool made = false;
    if (pthread_create(&busy, NULL, makes_tools, &made) != 0)
        return 1;
    while (!making)
        sched_yield();
    bool good = true;
    do {
        int status;
        pid_t child = fork();
        if (!child) {
            alarm(10);
            _exit(!all_tools_are_there());
        }
        good = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    } while (good && making == 1);
    return pthread_join(busy, NULL) != 0 || !made || !good;
}

/* Must come first. */
static void a_fork_while_tools_are_made(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their own locks may be held in the child */
#endif
    int status;
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
            _exit(forks_while_tools_are_made());
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_fork_while_tools_are_made),
        TEST(a_document_says_which_tools_there_are),
        TEST(the_url_is_stronger),
        TEST(another_document_changes_it),
        TEST(forks_have_it_and_resets_bring_it_back),
        TEST(what_is_no_set_is_refused),
        cmocka_unit_test(a_restart_keeps_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
