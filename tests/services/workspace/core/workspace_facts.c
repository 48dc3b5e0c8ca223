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
    ok(sosia_diff(test_engine, 0, test_world, NULL, &diff, &fault));
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

/* ---- packs ---- */

/* Three commits, of which two are kept as what differs from the third, and a tag, as git packs
 * them. */
static const char pack_text[] =
    "UEFDSwAAAAIAAAAGmjZ4nI2TTaqeNwyF5+8qPC8ES5YlC0polmL9kUBvE26+QJcfXbqBauCBkeRH58iv98xhS3XT"
    "oVXFOTV93YumhLqOr+lsAYyaz4/7nv+8xplAsYUDDcSBTaNiZYFNXLHX0sUeUc/99fr6/X18iTv+vHH/uv6Wn/Lf"
    "+/bj7/w8QM78L8YfH+fj39/evr1e+f8rni8R445X/nw9zxy70tOYq/xwrRO6UQ47Byu7qGOY49IISgUjFtSQdVHK"
    "tqQ+MNgOG0pLsag8QaNvJmXVvqu2kDQWZQuEBUHqE3JjhMmRbWQPjiBZO7sr7wTOzNmFKnBMbcdcE7pK4hj7htIZ"
    "d13mTnRY19Z+1qCcQvNsRsuwzpyecztEenXntsMEcU1liZxQTNMkqccx0sZ+aJAhSkdQBJQzONc5VHSYICYaBSDE"
    "aufwuM1je69OvB7X6txnjyzsnH5hycc22L0xGWjnJuutAL1QTYFimGZeli6n9ma6Tanx8EgpbolAhPO0SB5rTdsE"
    "QhXCJU3SwzDgOnJ3G1d2ILmmgvJZjwzRiaxqSejnniQuM6M9QVphkPwwDH3zhaMljPtyW6TzgCFteM5AZ6QG7aVE"
    "bBZApeguC+b124t0ZxRfb6GbRTl0Zk2uyLIeZj06QHdzfYghnjFnFXjuaThJsslZXNjA7aZdy931q6R/D4jZNnl+"
    "Awpz8KTvA4MJeJx7xfaCbYKphrlBakqyoYGRubFlknGSYWKKeVqygWlqskWykaGhsXFSipG5SaKpadLE2GSO4MRK"
    "hdz8otSNpxYwAQBxJBRKwQh4nCWGQQrCQAwA73lF7oJkrTUpiOgf/EBMs7XiuqUG0d9rcQ4zUy83t8C0bY1tw4mb"
    "VrKK/ibvGpFO2TQTd5SdyCA+k6PVUsaA0AFfacngM556xb32elQrvva3lunuB0ws9AdXiwHOV8c8zs/A+nD4AsBW"
    "JhPpAYRMeJx7xbabbYLexLgkbrfMCoWSjFSF4tLcjacWMAEAfj4J5q0BeJwzNDAwMzFRSGTQS33/aKHr3eXvAi+W"
    "CM384fF0f6keAKX0DTUxeJxLBAAAYgBiD6uMlUA5LadE+7yFZtNwhBr4mGY=";
static const struct {
    const char *id;
    uint32_t offset;
} packed[] = {{"145c7c2717358fa8a173f63889a7caf0790fe00c", 533},
              {"2e65efe2a145dda7ee51d1741299f848e5bf752e", 806},
              {"70edc102739b3b1ad7fc05ec8c21133bd274a55b", 12},
              {"8014d576d2b17c16b9dfd3ef1b023d533936cddf", 728},
              {"b39954843ff6e09ec3aa2b942938c30c6bd1629e", 766},
              {"e46581dff6e94c7a15879f16741ea1b35aca5527", 609}};

static void put_number(struct buf *b, uint32_t n)
{
    for (int i = 24; i >= 0; i -= 8)
        buf_byte(b, (char)(n >> i));
}

/* The index that git writes beside it. */
static void make_index(struct buf *b)
{
    uint8_t ids[SOSIA_LEN(packed)][20];
    buf_add(b, "\377tOc\0\0\0\2", 8);
    for (size_t i = 0; i < SOSIA_LEN(packed); i++)
        ok(hex_decode(ids[i], packed[i].id, 20));
    for (int first = 0; first < 256; first++) {
        uint32_t n = 0;
        while (n < SOSIA_LEN(packed) && ids[n][0] <= first)
            n++;
        put_number(b, n);
    }
    buf_add(b, ids, sizeof ids);
    for (size_t i = 0; i < SOSIA_LEN(packed); i++)
        put_number(b, 0); /* sums, which are not looked at */
    for (size_t i = 0; i < SOSIA_LEN(packed); i++)
        put_number(b, packed[i].offset);
}

static void put_pack(const char *index, size_t index_len, const char *data, size_t len)
{
    ok(workspace_mkdir(&tx, ".git/objects/pack"));
    ok(workspace_write(&tx, ".git/objects/pack/pack-1.pack", data, len, NULL));
    ok(workspace_write(&tx, ".git/objects/pack/pack-1.idx", index, index_len, NULL));
    put(".git/packed-refs",
        "145c7c2717358fa8a173f63889a7caf0790fe00c refs/heads/main\n"
        "8014d576d2b17c16b9dfd3ef1b023d533936cddf refs/heads/second\n"
        "70edc102739b3b1ad7fc05ec8c21133bd274a55b refs/heads/whole\n"
        "e46581dff6e94c7a15879f16741ea1b35aca5527 refs/tags/v1\n"
        "2e65efe2a145dda7ee51d1741299f848e5bf752e refs/tags/file\n" ONE " refs/tags/none\n");
    put(".git/HEAD", "ref: refs/heads/main\n");
}

static void commits_of_packs_have_their_subjects(void **state)
{
    uint8_t *data;
    size_t len;
    struct buf b;
    (void)state;
    assert_int_equal(base64_decode(tx.arena, pack_text, strlen(pack_text), &data, &len), 0);
    buf_init(&b, 0);
    make_index(&b);
    put_pack(b.data, b.len, (const char *)data, len);
    const char *got = changes();
    static const char *const said[][2] = {{"heads%2Fmain", "Say more"},
                                          {"heads%2Fsecond", "Fix the sum"},
                                          {"heads%2Fwhole", "Add a test"},
                                          {"tags%2Fv1", "The first one"}};
    for (size_t i = 0; i < SOSIA_LEN(said); i++) {
        const char *at = strstr(got, arena_printf(tx.arena, "gitRef/./refs%%2F%s ", said[i][0])),
                   *end = at ? strchr(at, '\n') : NULL;
        if (!end || !memmem(at, (size_t)(end - at),
                            arena_printf(tx.arena, "\"subject\":\"%s\"", said[i][1]),
                            strlen(said[i][1]) + 12))
            fail_msg("%s: %s", said[i][1], got);
    }
    int n = 0;
    for (const char *p = got; (p = strstr(p, "\"subject\"")); p++)
        n++;
    assert_int_equal(n, 4); /* a file has none, as one that is absent */
    buf_done(&b);
}

/* Cut off and with other bytes: nothing is refused, and nothing is read beyond the files. */
static void packs_that_are_none_say_nothing(void **state)
{
    uint8_t *data;
    size_t len;
    struct buf b;
    (void)state;
    assert_int_equal(base64_decode(tx.arena, pack_text, strlen(pack_text), &data, &len), 0);
    buf_init(&b, 0);
    make_index(&b);
    for (size_t i = 0; i < 60; i++) {
        const size_t index_len = i < 20 ? b.len * i / 20 : b.len,
                     pack_len = i >= 20 && i < 40 ? len * (i - 20) / 20 : len;
        char *index = arena_memdup(tx.arena, b.data, b.len);
        if (i >= 40)
            index[8 + (i * 7919) % (b.len - 8)] = (char)0xff;
        put_pack(index, index_len, (const char *)data, pack_len);
        assert_non_null(strstr(changes(), "gitRef/./refs%2Fheads%2Fmain"));
    }
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
        T(a_repositorys_references_are_entities),
        T(what_is_no_repository_says_nothing),
        T(there_are_so_many_references_and_no_more),
        T(items_of_the_graph_are_entities),
        T(rows_of_a_file_for_import_are_not_believed),
        T(commits_of_packs_have_their_subjects),
        T(packs_that_are_none_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
