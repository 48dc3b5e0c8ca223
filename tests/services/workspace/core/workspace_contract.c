/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of the workspace, in C calls: paths, links, changes, limits, documents. */
#include "tests/services/workspace/core/workspace_world.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdlib.h>

/* The path that another one leads to; "" of what is not there, with '!' in front of where it would
 * be. */
static const char *real(const char *path)
{
    struct workspace_place at;
    int r = workspace_resolve(&tx, path, true, &at);
    ok(r);
    return r ? at.path : arena_printf(tx.arena, "!%s", at.path);
}

static const char *outside(const char *path)
{
    struct workspace_place at;
    refused(workspace_resolve(&tx, path, true, &at), "EACCES");
    return at.outside;
}

static const char *names(const char *dir)
{
    struct workspace_list list = {.dir = dir};
    struct workspace_node n;
    const char *all = "";
    int r;
    while ((r = workspace_next(&tx, &list, &n)) == 1)
        all = arena_printf(tx.arena, "%s%s%s", all, *all ? " " : "", workspace_name(n.path));
    ok(r);
    return all;
}

/* ---- names ---- */

static void a_name_as_a_program_gives_it_is_a_path_by_itself(void **state)
{
    static const char *const of[][2] = {
        {"a", "/data/a"},
        {"/data", "/data"},
        {"/data/", "/data"},
        {"", "/data"},
        {"./a//b/.", "/data/a/b"},
        {"/data/a/../b", "/data/b"},
        {"../etc/x", "/etc/x"},
        {"/", "/"},
        {"/..", "/"},
        {"/data/../..", "/"},
        {"/data2/x", "/data2/x"},
        {"a/../../data/b", "/data/b"},
        {"/data/a/...", "/data/a/..."},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(of); i++)
        assert_string_equal(workspace_absolute(tx.arena, of[i][0]), of[i][1]);
    assert_string_equal(workspace_inside("/data"), "");
    assert_string_equal(workspace_inside("/data/a/b"), "a/b");
    assert_null(workspace_inside("/data2/a"));
    assert_null(workspace_inside("/"));
    assert_null(workspace_inside("/etc/data"));
    assert_string_equal(workspace_parent(tx.arena, "a/b/c"), "a/b");
    assert_string_equal(workspace_parent(tx.arena, "a"), "");
    assert_string_equal(workspace_name("a/b/c"), "c");
}

static void a_row_has_a_path_of_parts(void **state)
{
    static const char *const bad[] = {"", "/a", "a/", "a//b", ".", "a/..", "../a", "a/./b"};
    char *long_name = arena_alloc(tx.arena, WORKSPACE_NAME + 2);
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        assert_false(workspace_path_is_valid(bad[i]));
        refused(workspace_write(&tx, bad[i], "x", 1, NULL), "ENAMETOOLONG");
    }
    memset(long_name, 'n', WORKSPACE_NAME + 1);
    long_name[WORKSPACE_NAME + 1] = 0;
    assert_false(workspace_path_is_valid(long_name));
    long_name[WORKSPACE_NAME] = 0;
    assert_true(workspace_path_is_valid(long_name));
    put(long_name, "x");
    put("...", "x");
    put("a\nb \xff", "odd");
    assert_string_equal(content("a\nb \xff"), "odd");
}

/* ---- links ---- */

static void a_path_leads_through_links(void **state)
{
    struct workspace_place at;
    (void)state;
    put("a/b/file", "x");
    link_to("l", "a/b");
    link_to("a/up", "../a/./b/");
    link_to("abs", "/data/a");
    link_to("whole", "/data");
    link_to("chain", "l");
    link_to("here", ".");
    link_to("a/b/back", "../..");
    assert_string_equal(real("a/b/file"), "a/b/file");
    assert_string_equal(real("l/file"), "a/b/file");
    assert_string_equal(real("a/up/file"), "a/b/file");
    assert_string_equal(real("abs/b/file"), "a/b/file");
    assert_string_equal(real("whole/l/file"), "a/b/file");
    assert_string_equal(real("chain/file"), "a/b/file");
    assert_string_equal(real("chain"), "a/b");
    assert_string_equal(real("here"), "");
    assert_string_equal(real("whole"), "");
    assert_string_equal(real("l/back/l"), "a/b");
    assert_string_equal(real("here/here/a"), "a");
    assert_string_equal(real(""), "");
    /* A path without a node has a place behind the links. */
    assert_string_equal(real("l/new"), "!a/b/new");
    link_to("dangling", "a/none");
    assert_string_equal(real("dangling"), "!a/none");
    refused(workspace_resolve(&tx, "dangling/x", true, &at), "ENOENT");
    refused(workspace_resolve(&tx, "no/x", true, &at), "ENOENT");
    refused(workspace_resolve(&tx, "l/file/x", true, &at), "ENOTDIR");
    /* The link itself. */
    assert_int_equal(workspace_resolve(&tx, "chain", false, &at), 1);
    assert_int_equal(at.node.kind, NODE_LINK);
    assert_string_equal(at.node.target, "l");
    assert_int_equal(workspace_resolve(&tx, "whole/chain", false, &at), 1);
    assert_string_equal(at.path, "chain");
}

static void a_link_leads_neither_out_nor_in_a_circle(void **state)
{
    struct workspace_place at;
    (void)state;
    put("d/f", "x");
    link_to("out", "/etc");
    link_to("d/up", "../../etc/passwd");
    link_to("by", "/data/../etc");
    link_to("near", "/data2");
    link_to("root", "/");
    link_to("a", "b");
    link_to("b", "a");
    link_to("self", "self/x");
    assert_string_equal(outside("out"), "/etc");
    assert_string_equal(outside("out/passwd"), "/etc/passwd");
    assert_string_equal(outside("d/up"), "/etc/passwd");
    assert_string_equal(outside("by"), "/etc");
    assert_string_equal(outside("near/x"), "/data2/x");
    assert_string_equal(outside("root"), "/");
    assert_string_equal(real("root/data/d"), "d");
    refused(workspace_resolve(&tx, "a", true, &at), "ELOOP");
    refused(workspace_resolve(&tx, "self", true, &at), "ELOOP");
    assert_int_equal(workspace_resolve(&tx, "a", false, &at), 1);
    /* As many as are followed, and one more. */
    for (int i = 0; i < WORKSPACE_LINKS; i++)
        link_to(arena_printf(tx.arena, "n%d", i), i ? arena_printf(tx.arena, "n%d", i - 1) : "d/f");
    link_to("more", arena_printf(tx.arena, "n%d", WORKSPACE_LINKS - 1));
    assert_string_equal(real(arena_printf(tx.arena, "n%d", WORKSPACE_LINKS - 1)), "d/f");
    refused(workspace_resolve(&tx, "more", true, &at), "ELOOP");
}

/* ---- lists ---- */

static void a_list_has_a_directory_s_own_nodes_in_the_order_of_bytes(void **state)
{
    (void)state;
    put("d/a/deep/x", "1");
    put("d/a-b", "2"); /* between a and what is below it */
    put("d/a0", "3");
    put("d/a/y", "4");
    put("d/Z", "5");
    put("d0", "6");
    put("d-", "7");
    assert_string_equal(names("d"), "Z a a-b a0");
    assert_string_equal(names("d/a"), "deep y");
    assert_string_equal(names(""), "d d- d0");
    assert_string_equal(names("d0"), "");
    assert_string_equal(all_below("d"), "d/Z d/a d/a-b d/a/deep d/a/deep/x d/a/y d/a0");
    assert_string_equal(all_below("d/a/deep"), "d/a/deep/x");
}

/* ---- changes ---- */

static void a_file_is_written_and_read_by_range(void **state)
{
    struct workspace_node n, again;
    struct buf b;
    char *large = arena_alloc(tx.arena, 200000);
    (void)state;
    for (size_t i = 0; i < 200000; i++)
        large[i] = (char)('a' + i % 23);
    ok(workspace_write(&tx, "f", large, 200000, &n));
    assert_int_equal(n.mode, 0644);
    assert_int_equal(n.mtime_ns, tx.now_us * 1000);
    buf_init(&b, 0);
    ok(workspace_read(&tx, &n, 65530, 65550, &b));
    assert_int_equal(b.len, 20);
    assert_memory_equal(b.data, large + 65530, 20);
    buf_clear(&b);
    ok(workspace_read(&tx, &n, 7, 7, &b));
    assert_int_equal(b.len, 0);
    buf_done(&b);
    /* In the place of what was there, with its mode and its row. */
    n.mode = 0755;
    n.path = "f";
    ok(blob_ref(&tx, n.blob));
    ok(workspace_put(&tx, &n));
    ok(workspace_write(&tx, "f", "short", 5, &again));
    assert_int_equal(again.id, n.id);
    assert_int_equal(again.mode, 0755);
    assert_string_equal(content("f"), "short");
    ok(workspace_write(&tx, "f", "", 0, NULL));
    assert_string_equal(content("f"), "");
    refused(workspace_write(&tx, "f/x", "", 0, NULL), "ENOTDIR");
    refused(workspace_write(&tx, "none/x", "y", 1, NULL), "ENOENT");
    ok(workspace_mkdir(&tx, "d"));
    refused(workspace_write(&tx, "d", "y", 1, NULL), "EISDIR");
}

static void equal_contents_are_there_once_and_go_with_the_last_one(void **state)
{
    struct workspace_node a, b;
    struct blob blob;
    char same[WORKSPACE_SMALL + 1];
    (void)state;
    memset(same, 's', sizeof same);
    ok(workspace_write(&tx, "a", same, sizeof same, &a));
    ok(workspace_write(&tx, "b", same, sizeof same, &b));
    assert_true(a.blob != 0);
    assert_int_equal(a.blob, b.blob);
    ok(workspace_remove(&tx, "a", false));
    assert_int_equal(blob_get(&tx, a.blob, &blob), 1);
    ok(workspace_write(&tx, "b", "others", 6, NULL));
    assert_int_equal(blob_find(&tx, blob.sha256, sizeof same, &blob), 0);
    /* A node that is refused takes its content along. */
    refused(workspace_write(&tx, "none/c", "never", 5, NULL), "ENOENT");
    a = (struct workspace_node){.path = "none/c", .kind = NODE_FILE, .size = 5};
    ok(blob_put(&tx, "never", 5, &a.blob));
    refused(workspace_put(&tx, &a), "ENOENT");
    assert_int_equal(blob_get(&tx, a.blob, &blob), 0);
}

/* The file has these bytes, in its row or in a blob, and equal ones have equal digests. */
static void has(const char *path, const char *data, size_t len, bool in_row)
{
    struct workspace_node n;
    struct blob blob;
    struct buf b;
    assert_int_equal(workspace_find(&tx, path, &n), 1);
    assert_int_equal(n.size, len);
    assert_int_equal(n.blob != 0, !in_row);
    assert_int_equal(workspace_content(&tx, &n, &blob), 1);
    assert_int_equal(blob.length, len);
    assert_int_equal((uint64_t)n.digest >> 56, blob.sha256[0]);
    assert_int_equal((uint64_t)n.digest & 0xff, blob.sha256[7]);
    buf_init(&b, 0);
    ok(workspace_read(&tx, &n, 1, n.size, &b));
    assert_int_equal(b.len, len - 1);
    assert_memory_equal(b.data, data + 1, len - 1);
    buf_done(&b);
}

static int64_t blobs(void)
{
    static struct sql_text q = SQL_TEXT("select count(*) from blob");
    int64_t n = -1;
    sqlite3_stmt *st = TX_PLAIN(&tx, &q);
    assert_int_equal(sql_first_int(tx.db, tx.err, st, &n), 1);
    return n;
}

/* As many bytes as a row takes and no more, whatever was there before. */
static void a_small_content_is_in_its_row(void **state)
{
    enum { MOST = WORKSPACE_SMALL };
    static const size_t sizes[] = {5, MOST, MOST + 1, 70000, MOST + 2, 3, MOST, 70000, 2};
    char *data = arena_alloc(tx.arena, 70000);
    struct workspace_node n = {.path = "put", .kind = NODE_FILE, .mode = 0600, .size = 4};
    struct workspace_use use;
    (void)state;
    for (size_t i = 0; i < 70000; i++)
        data[i] = (char)(i * 7 % 251);
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++) {
        data[0] = (char)i; /* other bytes each time */
        ok(workspace_write(&tx, "f", data, sizes[i], NULL));
        has("f", data, sizes[i], sizes[i] <= MOST);
        assert_int_equal(blobs(), sizes[i] > MOST);
    }
    ok(workspace_write(&tx, "f", "", 0, NULL));
    assert_string_equal(content("f"), "");
    ok(workspace_write(&tx, "f", data, 2, NULL));
    /* What comes as a blob goes into the row too, and the blob with it. */
    ok(blob_put(&tx, "blob", 4, &n.blob));
    ok(workspace_put(&tx, &n));
    has("put", "blob", 4, true);
    assert_int_equal(blobs(), 0);
    /* What was read can be put again. */
    assert_int_equal(workspace_find(&tx, "put", &n), 1);
    n.mode = 0640;
    ok(workspace_put(&tx, &n));
    has("put", "blob", 4, true);
    /* A link takes the place of a file with its bytes, and a file that of a link. */
    n = (struct workspace_node){
        .path = "put", .kind = NODE_LINK, .mode = 0777, .target = "f", .target_len = 1};
    ok(workspace_put(&tx, &n));
    assert_int_equal(workspace_find(&tx, "put", &n), 1);
    assert_int_equal(n.size, 0);
    ok(workspace_write(&tx, "put", data, MOST, NULL));
    has("put", data, MOST, true);
    ok(workspace_use(&tx, &use));
    assert_int_equal(use.nodes, 2);
    assert_int_equal(use.bytes, 2 + MOST);
    ok(workspace_rename(&tx, "put", "f"));
    has("f", data, MOST, true);
}

static void directories_are_made_with_those_above_them(void **state)
{
    struct workspace_node n;
    (void)state;
    ok(workspace_mkdir(&tx, "a/b/c"));
    ok(workspace_mkdir(&tx, "a/b/c"));
    ok(workspace_mkdir(&tx, ""));
    assert_string_equal(all_below(""), "a a/b a/b/c");
    assert_int_equal(workspace_find(&tx, "a/b", &n), 1);
    assert_int_equal(n.mode, 0755);
    put("a/f", "x");
    refused(workspace_mkdir(&tx, "a/f"), "EEXIST");
    refused(workspace_mkdir(&tx, "a/f/g"), "ENOTDIR");
    refused(workspace_symlink(&tx, "a/f", "x"), "EEXIST");
    refused(workspace_symlink(&tx, "a/g", ""), "ENAMETOOLONG");
}

static void a_node_is_removed_with_what_is_below_it_if_asked(void **state)
{
    (void)state;
    put("a/b/f", "x");
    put("a0", "y");
    link_to("a/l", "b");
    refused(workspace_remove(&tx, "a", false), "ENOTEMPTY");
    refused(workspace_remove(&tx, "none", true), "ENOENT");
    ok(workspace_remove(&tx, "a/l", true)); /* the link, and not what it leads to */
    assert_string_equal(all_below("a"), "a/b a/b/f");
    ok(workspace_remove(&tx, "a", true));
    assert_string_equal(all_below(""), "a0");
    ok(workspace_clear(&tx));
    assert_string_equal(all_below(""), "");
}

static void a_rename_takes_what_is_below_along(void **state)
{
    struct workspace_node before, after;
    (void)state;
    put("a/b/f", "x");
    put("a/b/\xff", "odd");
    put("a-", "beside");
    ok(workspace_mkdir(&tx, "empty"));
    assert_int_equal(workspace_find(&tx, "a/b/f", &before), 1);
    ok(workspace_rename(&tx, "a", "longer name"));
    assert_string_equal(all_below(""), "a- empty longer name longer name/b longer name/b/f "
                                       "longer name/b/\xff");
    assert_int_equal(workspace_find(&tx, "longer name/b/f", &after), 1);
    assert_int_equal(after.id, before.id);
    assert_string_equal(content("longer name/b/f"), "x");
    refused(workspace_rename(&tx, "longer name", "longer name/b/in"), "EINVAL");
    refused(workspace_rename(&tx, "longer name", "a-"), "ENOTDIR");
    refused(workspace_rename(&tx, "a-", "empty"), "EISDIR");
    refused(workspace_rename(&tx, "a-", "none/x"), "ENOENT");
    refused(workspace_rename(&tx, "none", "x"), "ENOENT");
    ok(workspace_rename(&tx, "a-", "a-"));
    ok(workspace_rename(&tx, "longer name/b", "empty")); /* an empty directory gives way */
    assert_string_equal(all_below(""), "a- empty empty/f empty/\xff longer name");
    refused(workspace_rename(&tx, "longer name", "empty"), "ENOTEMPTY");
    ok(workspace_rename(&tx, "a-", "empty/f")); /* and so does a file */
    assert_string_equal(content("empty/f"), "beside");
}

/* ---- limits ---- */

static const char *deep(int parts)
{
    const char *path = "p";
    while (--parts)
        path = arena_printf(tx.arena, "%s/p", path);
    return path;
}

static void a_tree_is_so_deep_and_no_deeper(void **state)
{
    (void)state;
    ok(workspace_mkdir(&tx, deep(WORKSPACE_DEPTH)));
    refused(workspace_mkdir(&tx, deep(WORKSPACE_DEPTH + 1)), "ENAMETOOLONG");
    ok(workspace_mkdir(&tx, "q"));
    ok(workspace_rename(&tx, "p", "r"));
    refused(workspace_rename(&tx, "r", "q/r"), "ENAMETOOLONG");
}

static void there_is_so_much_and_no_more(void **state)
{
    struct workspace_node n = {.kind = NODE_FILE, .mode = 0644};
    struct blob blob;
    struct blob_writer *w;
    static char zeros[BLOB_CHUNK];
    (void)state;
    ok(blob_writer_begin(&tx, BLOB_UNKNOWN, 0, &w));
    for (int64_t i = 0; i < WORKSPACE_FILE / (int64_t)sizeof zeros; i++)
        ok(blob_writer_write(w, zeros, sizeof zeros));
    ok(blob_writer_finish(w, &blob));
    n.blob = blob.id;
    n.size = blob.length;
    for (int i = 0; i < WORKSPACE_BYTES / WORKSPACE_FILE; i++) {
        n.path = arena_printf(tx.arena, "f%d", i);
        ok(blob_ref(&tx, n.blob));
        ok(workspace_put(&tx, &n));
    }
    refused(workspace_write(&tx, "one", "x", 1, NULL), "ENOSPC");
    ok(workspace_write(&tx, "none", "", 0, NULL));
    ok(workspace_remove(&tx, "f0", false));
    ok(workspace_write(&tx, "one", "x", 1, NULL));
    n.path = "large";
    n.size++;
    refused(workspace_put(&tx, &n), "EFBIG");
    ok(workspace_clear(&tx));
}

/* ---- documents ---- */

#define FILES                                                                                      \
    HEAD ",\"workspace\":["                                                                        \
         "{\"path\":\"/data/notes/a.txt\",\"text\":\"one\\ntwo\\n\"},"                             \
         "{\"path\":\"run.sh\",\"text\":\"#!/bin/sh\\n\",\"mode\":\"0755\",\"modified\":"          \
         "\"2026-01-02T03:04:05.123456Z\",\"nanoseconds\":789},"                                   \
         "{\"path\":\"bin\",\"base64\":\"AAH/\"},"                                                 \
         "{\"path\":\"empty\"},"                                                                   \
         "{\"path\":\"old\",\"text\":\"x\",\"modified\":\"1970-01-01T00:00:00Z\"},"                \
         "{\"path\":\"dir/in\",\"directory\":true,\"mode\":\"700\"},"                              \
         "{\"pathBytes\":\"/3g=\",\"link\":\"notes/a.txt\"},"                                      \
         "{\"path\":\"l\",\"linkBytes\":\"/w==\"}]}"

static void a_document_gives_its_dump_and_that_gives_itself(void **state)
{
    struct workspace_node n;
    struct sosia_blob dump, again;
    uint64_t copy;
    (void)state;
    assert_string_equal(all_below(""), "bin dir dir/in empty l notes notes/a.txt old run.sh \xffx");
    assert_string_equal(content("notes/a.txt"), "one\ntwo\n");
    assert_int_equal(workspace_find(&tx, "run.sh", &n), 1);
    assert_int_equal(n.mode, 0755);
    assert_int_equal(n.mtime_ns % 1000000000, 123456789);
    assert_int_equal(workspace_find(&tx, "dir/in", &n), 1);
    assert_int_equal(n.mode, 0700);
    assert_int_equal(workspace_find(&tx, "\xffx", &n), 1);
    assert_string_equal(n.target, "notes/a.txt");
    assert_int_equal(workspace_find(&tx, "bin", &n), 1);
    assert_int_equal(n.size, 3);
    end();
    ok(sosia_world_dump(test_engine, test_world, &dump, &fault));
    copy = test_world_of(dump.data);
    ok(sosia_world_dump(test_engine, copy, &again, &fault));
    assert_string_equal(dump.data, again.data);
    if (!strstr(dump.data, "\"pathBytes\": \"/3g=\"") || !strstr(dump.data, "\"0700\""))
        fail_msg("%s", dump.data);
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
    begin();
}

static void a_document_that_says_something_else_is_refused(void **state)
{
    static const struct {
        const char *item, *why;
    } bad[] = {
        {"{\"text\":\"x\"}", "must have one of path, pathBytes"},
        {"{\"path\":\"a\",\"pathBytes\":\"YQ==\"}", "must have one of path, pathBytes"},
        {"{\"path\":\"a/../b\"}", "must be a path below /data"},
        {"{\"path\":\"/etc/x\"}", "must be a path below /data"},
        {"{\"path\":\"/data\",\"directory\":true}", "must be a path below /data"},
        {"{\"pathBytes\":\"YQBi\"}", "must be a path below /data"},
        {"{\"pathBytes\":\"!\"}", "is not base64"},
        {"{\"path\":\"a\",\"text\":\"x\",\"link\":\"b\"}", "must have one of directory"},
        {"{\"path\":\"a\",\"link\":\"\"}", "must have 1 to 4095 bytes"},
        {"{\"path\":\"a\",\"mode\":\"4755\"}", "octal digits"},
        {"{\"path\":\"a\",\"mode\":\"rw\"}", "octal digits"},
        {"{\"path\":\"a\",\"modified\":\"1969-01-01T00:00:00Z\"}", "1970"},
        {"{\"path\":\"d\",\"text\":\"x\"}", "EISDIR"},
        {"{\"path\":\"f/x\",\"text\":\"x\"}", "EEXIST"},
        {"{\"path\":\"a\",\"base64\":\"?\"}", "is not base64"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *doc = arena_printf(
            tx.arena,
            HEAD ",\"workspace\":[{\"path\":\"d\",\"directory\":true},{\"path\":\"f\"},%s]}",
            bad[i].item);
        struct sosia_world_options o = {
            .size = sizeof o, .seed_doc = doc, .seed_doc_len = strlen(doc)};
        uint64_t made;
        assert_int_equal(sosia_world_create(test_engine, &o, &made, &fault), -1);
        if (!strstr(fault.text, bad[i].why) || !strstr(fault.text, "workspace[2]"))
            fail_msg("%s: %s", bad[i].item, fault.text);
        fault = (struct sosia_err){0};
    }
}

/* ---- changes ---- */

static void a_file_that_goes_on_under_another_path_follows_from_its_end(void **state)
{
    struct sosia_blob diff;
    (void)state;
    ok(workspace_remove(&tx, "notes/a.txt", false));
    put("elsewhere", "one\ntwo\n"); /* the same content */
    put("new", "another\n");
    ok(workspace_rename(&tx, "old", "older")); /* one and the same node */
    end();
    ok(sosia_diff(test_engine, 0, test_world, NULL, &diff, &fault));
    arena_init(&test_arena, 0);
    const struct json *all = value_at(parsed(diff.data, diff.len), "changes");
    assert_non_null(all);
    if (all->n != 3)
        fail_msg("%s", diff.data);
    assert_string_equal(printed_at(&all->items[0], "name"), "workspaceFile/new");
    assert_string_equal(printed_at(&all->items[1], "name"), "workspaceFile/notes%2Fa.txt");
    assert_string_equal(printed_at(&all->items[1], "change"), "removed");
    assert_string_equal(printed_at(&all->items[1], "consequences.0.name"),
                        "workspaceFile/elsewhere");
    assert_string_equal(printed_at(&all->items[2], "change"), "changed");
    assert_string_equal(printed_at(value_at(&all->items[2], "fields"), "path"),
                        "{\"from\":\"old\",\"to\":\"older\"}");
    arena_done(&test_arena);
    sosia_blob_free(&diff);
    begin();
}

/* What a world allows is less than what there could be, and holds for what comes. */
static void a_world_says_how_much_there_may_be(void **state)
{
    char text[64];
    struct sosia_blob dump;
    (void)state;
    memset(text, 'x', sizeof text);
    end();
    ok(sosia_world_dump(test_engine, test_world, &dump, &fault));
    assert_non_null(strstr(dump.data, "\"workspaceLimits\": {\n    \"nodes\": 3,\n    \"bytes\": "
                                      "50,\n    \"fileBytes\": 40\n  }"));
    sosia_blob_free(&dump);
    begin();
    refused(workspace_write(&tx, "a", text, 41, NULL), "EFBIG");
    ok(workspace_write(&tx, "a", text, 40, NULL));
    refused(workspace_write(&tx, "b", text, 11, NULL), "ENOSPC");
    ok(workspace_write(&tx, "b", text, 10, NULL));
    ok(workspace_mkdir(&tx, "c"));
    refused(workspace_mkdir(&tx, "d"), "ENOSPC");
    refused(workspace_symlink(&tx, "d", "a"), "ENOSPC");
    ok(workspace_write(&tx, "a", text, 39, NULL));
    refused(workspace_write(&tx, "a", text, 41, NULL), "EFBIG");
    ok(workspace_rename(&tx, "b", "e"));
    ok(workspace_remove(&tx, "e", false));
    ok(workspace_write(&tx, "d", text, 11, NULL));
}

/* ---- rows of others ---- */

static void a_file_for_import_keeps_to_the_rules(void **state)
{
    static const char *const bad[] = {
        "update workspace_node set path = x'2e2e2f61' where path = x'656d707479'",
        "update workspace_node set path = x'652f2f61' where path = x'656d707479'",
        "update workspace_node set path = x'6100' where path = x'656d707479'",
        "update workspace_node set path = x'6e6f6e652f78' where path = x'656d707479'",
        "update workspace_node set path = x'72756e2e73682f78' where path = x'656d707479'",
        "update workspace_node set kind = 1 where path = x'72756e2e7368'",
        "update workspace_node set kind = 0 where kind = 2",
        "update workspace_node set target = null where kind = 2",
        "update workspace_node set target = x'' where kind = 2",
        "update workspace_node set size = size + 1 where path = x'72756e2e7368'",
        "update workspace_node set size = 5 where path = x'656d707479'",
        "update workspace_node set digest = 1 where path = x'72756e2e7368'",
        "update workspace_node set blob = 999 where path = x'72756e2e7368'",
        "update workspace_node set mtime_ns = -1",
        "update workspace_node set data = x'41' where path = x'656d707479'",
        "update workspace_node set data = null where path = x'72756e2e7368'",
        "update workspace_node set data = x'41' where path = x'72756e2e7368'",
        "update workspace_node set data = x'41', size = 1 where path = x'72756e2e7368'",
        "update workspace_node set data = x'41' where kind = 1",
    };
    uint64_t copy;
    (void)state;
    end();
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        if (test_import_changed(bad[i], &copy) == 0)
            fail_msg("it was taken: %s", bad[i]);
    /* Sums that follow from the rows are not believed. */
    assert_int_equal(test_import_changed("update workspace_use set nodes = 1, bytes = 1", &copy),
                     0);
    test_world = copy;
    begin();
}

#define T(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)
#define SEEDED(test)                                                                               \
    {                                                                                              \
#test, test, open_world, close_world, (void *)(uintptr_t)FILES                             \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_name_as_a_program_gives_it_is_a_path_by_itself),
        T(a_row_has_a_path_of_parts),
        T(a_path_leads_through_links),
        T(a_link_leads_neither_out_nor_in_a_circle),
        T(a_list_has_a_directory_s_own_nodes_in_the_order_of_bytes),
        T(a_file_is_written_and_read_by_range),
        T(equal_contents_are_there_once_and_go_with_the_last_one),
        T(a_small_content_is_in_its_row),
        T(directories_are_made_with_those_above_them),
        T(a_node_is_removed_with_what_is_below_it_if_asked),
        T(a_rename_takes_what_is_below_along),
        T(a_tree_is_so_deep_and_no_deeper),
        T(there_is_so_much_and_no_more),
        SEEDED(a_document_gives_its_dump_and_that_gives_itself),
        T(a_document_that_says_something_else_is_refused),
        SEEDED(a_file_that_goes_on_under_another_path_follows_from_its_end),
        {"a_world_says_how_much_there_may_be", a_world_says_how_much_there_may_be, open_world,
         close_world,
         (void *)(uintptr_t)(HEAD ",\"workspaceLimits\":{\"nodes\":3,\"bytes\":50,\"fileBytes\":"
                                  "40}}")},
        SEEDED(a_file_for_import_keeps_to_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
