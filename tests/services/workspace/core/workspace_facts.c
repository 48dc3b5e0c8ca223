/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from files: items of the memory's graph, and references of repositories. */
#include "engine/base/codec.h"
#include "tests/services/workspace/core/workspace_world.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

#define ONE  "075838089e1220710b01e6d98162161603d3eade" /* "Fix the sum" */
#define TWO  "0bec8b71709fcef40c1825d45a4c9294794f12e1" /* "Add a test" */
#define ZERO "0000000000000000000000000000000000000000"

/* The objects as git keeps them. */
static const char *const objects[][2] = {
    {"objects/07/5838089e1220710b01e6d98162161603d3eade",
     "eNqNzUEKwjAQQFHXc4rZC2WapuMURHTjzkNMkiktGCIxhR5f8QT+/ePHkvPasOfh0KoZ+iBuTJG9i4EtTEpMNvowS+LJ"
     "iczBzE/kQbe2lIq3pHjWpFeN2TrbNb+edsH+xIOIFyI80jeIv0+z/wXc1x3bYvjeMsCjVOvgA7ffMss="},
    {"objects/0b/ec8b71709fcef40c1825d45a4c9294794f12e1",
     "eNqNzl1qwzAQReE+axXzXgijH49HEEq9lJHmmgTixrgKZPktWUHO+wen37ftOihx/hgHQKVpmrxLSb0JWjUWxlTaqi41"
     "qa4NKJVL2O3AzyCeJ83KWhFT4jly4wjxqlFSlCicPcMcwR7jcj9ocaOzuX1b33DC07b9hi+Ks2TVosz0yf+F/voaeF+E"
     "xZ2MBn5H+AO91DzX"}};

static void put_objects(const char *git)
{
    for (size_t i = 0; i < SOSIA_LEN(objects); i++) {
        const char *path = arena_printf(tx.arena, "%s/%s", git, objects[i][0]);
        uint8_t *data;
        size_t n;
        assert_int_equal(base64_decode(tx.arena, objects[i][1], strlen(objects[i][1]), &data, &n),
                         0);
        ok(workspace_mkdir(&tx, workspace_parent(tx.arena, path)));
        ok(workspace_write(&tx, path, data, n, NULL));
    }
}

/* The changes, one a line, since the world was made; ends and begins the transaction. */
static const char *changes(void)
{
    struct sosia_blob diff;
    const char *all = "";
    end();
    ok(sosia_diff(test_engine, 0, test_world, NULL, &diff, &err));
    begin();
    arena_init(&test_arena, 0);
    const struct json *list = value_at(parsed(diff.data, diff.len), "changes");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *v = &list->items[i];
        bool then = value_at(v, "consequences") != NULL;
        if (strcmp(printed_at(v, "value.kind"), "directory") == 0)
            continue;
        all = arena_printf(tx.arena, "%s%s %s %s%s%s\n", all, printed_at(v, "change"),
                           printed_at(v, "name"),
                           printed_at(v, value_at(v, "fields") ? "fields" : "value"),
                           then ? " > " : "", then ? printed_at(v, "consequences.0.name") : "");
    }
    arena_done(&test_arena);
    sosia_blob_free(&diff);
    return all;
}

static void expect(const char *expected)
{
    const char *got = changes();
    if (strcmp(got, expected) != 0)
        fail_msg("expected\n%sgot\n%s", expected, got);
}

/* ---- repositories ---- */

static void a_repositorys_references_are_entities(void **state)
{
    (void)state;
    put_objects("app/.git");
    put("app/.git/HEAD", "ref: refs/heads/main\n");
    put("app/.git/refs/heads/main", ONE "\n");
    put("app/.git/index", "whatever");
    expect("added gitRef/app/refs%2Fheads%2Fmain {\"repository\":\"app\",\"name\":\"refs/heads/"
           "main\",\"commit\":\"" ONE "\",\"subject\":\"Fix the sum\"} > gitRef/app/HEAD\n");
    /* Packed, and one that a file has too. */
    put("app/.git/packed-refs", "# pack-refs with: peeled\n" TWO " refs/heads/main\n" TWO
                                " refs/tags/v1\n^" ONE "\n" TWO " refs/tags/v1\n");
    put("app/.git/refs/heads/main", TWO "\n");
    expect("added gitRef/app/refs%2Fheads%2Fmain {\"repository\":\"app\",\"name\":\"refs/heads/"
           "main\",\"commit\":\"" TWO "\",\"subject\":\"Add a test\"} > gitRef/app/HEAD\n"
           "added gitRef/app/refs%2Ftags%2Fv1 {\"repository\":\"app\",\"name\":\"refs/tags/v1\","
           "\"commit\":\"" TWO "\",\"subject\":\"Add a test\"}\n");
    /* Under another path, and at the top. */
    ok(workspace_rename(&tx, "app", "lib"));
    ok(workspace_remove(&tx, "lib/.git/packed-refs", false));
    expect("added gitRef/lib/refs%2Fheads%2Fmain {\"repository\":\"lib\",\"name\":\"refs/heads/"
           "main\",\"commit\":\"" TWO "\",\"subject\":\"Add a test\"} > gitRef/lib/HEAD\n");
    ok(workspace_rename(&tx, "lib/.git", ".git"));
    put(".git/HEAD", ONE);
    expect("added gitRef/./HEAD {\"repository\":\".\",\"name\":\"HEAD\",\"commit\":\"" ONE
           "\",\"subject\":\"Fix the sum\"}\n"
           "added gitRef/./refs%2Fheads%2Fmain {\"repository\":\".\",\"name\":\"refs/heads/main\","
           "\"commit\":\"" TWO "\",\"subject\":\"Add a test\"}\n");
    ok(workspace_remove(&tx, ".git", true));
    expect("");
}

/* Nothing of it is refused; what is none says nothing. */
static void what_is_no_repository_says_nothing(void **state)
{
    static const struct {
        const char *path, *text;
    } files[] = {
        {".git/HEAD", "ref: ../../etc/passwd\n"},
        {".git/refs/heads/short", "0758\n"},
        {".git/refs/heads/words", "no id at all and more than forty digits of it\n"},
        {".git/refs/heads/a b", ONE "\n"},
        {".git/packed-refs", ONE " refs/../x\n" ONE " /abs\n" ONE "\n" ONE " \n\n^^\n" ONE
                                 " refs/heads/../../up\n" ONE " heads/x\nX refs/heads/x\n"},
        {".git/refs/heads/loop", "ref: refs/heads/loop\n"},
        {".git/refs/heads/gone", ZERO "\n"},
        {".git/objects/00/00000000000000000000000000000000000000", "not what it should be"},
        {"x.git/HEAD", ONE "\n"},
        {"x/.gitx/HEAD", ONE "\n"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(files); i++)
        put(files[i].path, files[i].text);
    link_to(".git/refs/heads/out", "/etc/passwd");
    link_to(".git/refs/heads/link", "gone");
    put("file/.git/HEAD/deep", "x");
    put("sub/.git", "gitdir: ../.git/modules/sub\n");
    const char *got = changes();
    assert_null(strstr(got, "gitRef/./HEAD"));
    assert_null(strstr(got, "passwd"));
    assert_null(strstr(got, "subject"));
    assert_non_null(strstr(got, "gitRef/./refs%2Fheads%2Fgone"));
    assert_non_null(strstr(got, "workspaceFile/x.git%2FHEAD"));
    int n = 0;
    for (const char *p = got; (p = strstr(p, "gitRef/")); p++)
        n++;
    assert_in_range(n, 1, 2); /* the one that leads to itself is one too */
}

static void there_are_so_many_references_and_no_more(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    for (int i = 0; i < 1500; i++)
        buf_printf(&b, ONE " refs/heads/b%04d\n", i);
    put(".git/HEAD", "ref: refs/heads/b0000\n");
    put(".git/packed-refs", buf_str(&b));
    const char *got = changes();
    int n = 0;
    for (const char *p = got; (p = strstr(p, "added gitRef/")); p++)
        n++;
    assert_int_equal(n, 1000); /* with HEAD behind the branch that it follows from */
    for (int i = 0; b.len < (size_t)1 << 20; i++)
        buf_printf(&b, ONE " refs/heads/c%d\n", i);
    put(".git/packed-refs", buf_str(&b)); /* not looked into */
    expect("added gitRef/./HEAD {\"repository\":\".\",\"name\":\"HEAD\",\"target\":\"refs/heads/"
           "b0000\"}\n");
    buf_done(&b);
}

/* ---- the graph ---- */

#define ADA "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":["

static void items_of_the_graph_are_entities(void **state)
{
    (void)state;
    put("memory/memory.json",
        ADA "\"writes\"]}\n{\"type\":\"relation\",\"from\":\"Ada\",\"to\":\"Bob\",\"relationType\":"
            "\"knows\"}\nnot json\n[]\n{\"type\":\"entity\"}\n" ADA "\"twice\"]}");
    expect("added workspaceMemory/Ada "
           "{\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"writes\"]}\n"
           "added workspaceMemory/Ada/Bob/knows "
           "{\"from\":\"Ada\",\"to\":\"Bob\",\"relationType\":\"knows\"}\n");
    ok(workspace_rename(&tx, "memory", "other"));
    ok(workspace_remove(&tx, "other", true));
    expect("");
}

/* The rows are made anew in a world from a file, whatever is in them. */
static void rows_of_a_file_for_import_are_not_believed(void **state)
{
    uint64_t copy;
    (void)state;
    put_objects(".git");
    put(".git/HEAD", ONE);
    put("memory/memory.json", ADA "]}");
    end();
    assert_int_equal(test_import_changed("update workspace_ref set value = '{', name = 'x'; update "
                                         "workspace_memory set value = 'y'",
                                         &copy),
                     0);
    test_world = copy;
    begin();
    assert_null(strstr(changes(), "gitRef/./x"));
}

#define T(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_repositorys_references_are_entities),      T(what_is_no_repository_says_nothing),
        T(there_are_so_many_references_and_no_more),   T(items_of_the_graph_are_entities),
        T(rows_of_a_file_for_import_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
