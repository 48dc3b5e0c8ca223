/* SPDX-License-Identifier: Apache-2.0 */
/* Random changes of files whose sizes are about what a row takes, with savepoints and commits
 * between them: every read is what a model says, and no blob is left over or missing. */
#include "engine/world/number.h"
#include "tests/services/workspace/core/workspace_world.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

enum { FILES = 60, CONTENTS = 5, MOST = 9000, STEPS = 4000 };

struct file {
    bool there;
    unsigned content; /* which one of those of its size */
    size_t size;
};

static struct file files[FILES];
static char data[CONTENTS][MOST];
static uint64_t seed;

static size_t pick(size_t n)
{
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (size_t)(seed >> 33) % n;
}

/* Some are longer than a page has room for. */
static const char *path_of(size_t i)
{
    char *text = arena_printf(tx.arena, "d%zu/%0*zu", i % 3, i % 7 ? 3 : 200, i);
    if (i % 10 == 9)
        for (int k = 0; k < 6; k++)
            text = arena_printf(tx.arena, "%s/%0200zu", text, i);
    return text;
}

static size_t some_size(void)
{
    static const size_t sizes[] = {0,
                                   1,
                                   255,
                                   510,
                                   WORKSPACE_SMALL - 1,
                                   WORKSPACE_SMALL,
                                   WORKSPACE_SMALL + 1,
                                   514,
                                   1900,
                                   2047,
                                   2048,
                                   2049,
                                   5000,
                                   MOST};
    return pick(3) ? sizes[pick(SOSIA_LEN(sizes))] : pick(700);
}

static void look_at(size_t i)
{
    const struct file *f = &files[i];
    struct workspace_node n, same;
    struct blob blob;
    struct buf b;
    const char *all;
    size_t len;
    int found = workspace_find(&tx, path_of(i), &n);
    ok(found);
    assert_int_equal(found, f->there);
    if (!found)
        return;
    assert_string_equal(n.path, path_of(i));
    assert_int_equal(n.size, f->size);
    assert_int_equal(n.blob != 0, f->size > WORKSPACE_SMALL);
    assert_int_equal(workspace_get(&tx, n.id, &same), 1);
    assert_int_equal(same.digest, n.digest);
    assert_int_equal(same.blob, n.blob);
    ok(workspace_load(&tx, &n, &all, &len));
    assert_int_equal(len, f->size);
    assert_memory_equal(all, data[f->content], len);
    if (!len) {
        assert_int_equal(n.digest, 0);
        return;
    }
    assert_int_equal(workspace_content(&tx, &n, &blob), 1);
    assert_int_equal(blob.length, len);
    size_t from = pick(len), to = from + pick(len - from + 1);
    buf_init(&b, 0);
    ok(workspace_read(&tx, &n, (int64_t)from, (int64_t)to, &b));
    assert_int_equal(b.len, to - from);
    if (b.len)
        assert_memory_equal(b.data, data[f->content] + from, b.len);
    buf_done(&b);
}

static int64_t number(struct sql_text *q)
{
    int64_t n = -1;
    assert_int_equal(sql_first_int(tx.db, tx.err, TX_PLAIN(&tx, q), &n), 1);
    return n;
}

/* Each blob has as many references as there are files with its bytes. */
static void look_at_all(void)
{
    static struct sql_text q_blobs = SQL_TEXT("select count(*) from blob");
    static struct sql_text q_refs = SQL_TEXT("select coalesce(sum(refs), 0) from blob");
    static struct sql_text q_wrong = SQL_TEXT(
        "select count(*) from blob b where refs <> (select count(*) from workspace_node n where "
        "n.blob = b.id)");
    int64_t blobs = 0, refs = 0;
    for (size_t i = 0; i < FILES; i++) {
        const struct file *f = &files[i];
        size_t k = 0;
        look_at(i);
        if (!f->there || f->size <= WORKSPACE_SMALL)
            continue;
        while (k < i &&
               !(files[k].there && files[k].size == f->size && files[k].content == f->content))
            k++;
        refs++;
        blobs += k == i;
    }
    assert_int_equal(number(&q_blobs), blobs);
    assert_int_equal(number(&q_refs), refs);
    assert_int_equal(number(&q_wrong), 0);
}

static void write_one(size_t i)
{
    struct file f = {true, (unsigned)pick(CONTENTS), some_size()};
    struct workspace_node n = {
        .path = path_of(i), .kind = NODE_FILE, .mode = 0600 + (unsigned)pick(8), .mtime_ns = 5};
    const char *bytes = data[f.content];
    size_t how = pick(4);
    n.size = (int64_t)f.size;
    ok(workspace_mkdir(&tx, workspace_parent(tx.arena, n.path)));
    if (how < 2) {
        ok(workspace_write(&tx, n.path, bytes, f.size, NULL));
    } else if (how == 2) {
        if (f.size)
            ok(blob_put(&tx, bytes, f.size, &n.blob));
        ok(workspace_put(&tx, &n));
    } else {
        ok(workspace_set_content(&tx, &n, bytes, f.size));
        ok(workspace_put(&tx, &n));
    }
    files[i] = f;
}

/* What was read is put again, with another mode, at its own place or at another one. */
static void put_again(size_t i, size_t at)
{
    struct workspace_node n;
    assert_int_equal(workspace_find(&tx, path_of(i), &n), 1);
    n.path = path_of(at);
    n.mode ^= 1;
    ok(workspace_mkdir(&tx, workspace_parent(tx.arena, n.path)));
    if (n.blob)
        ok(blob_ref(&tx, n.blob));
    ok(workspace_put(&tx, &n));
    files[at] = files[i];
}

static void change(void)
{
    size_t i = pick(FILES), at = pick(FILES);
    if (!files[i].there || pick(2)) {
        write_one(i);
    } else if (!pick(3)) {
        ok(workspace_remove(&tx, path_of(i), false));
        files[i].there = false;
    } else if (pick(2)) {
        put_again(i, at);
    } else {
        ok(workspace_mkdir(&tx, workspace_parent(tx.arena, path_of(at))));
        ok(workspace_rename(&tx, path_of(i), path_of(at)));
        if (at != i) {
            files[at] = files[i];
            files[i].there = false;
        }
    }
    look_at(i);
    look_at(at);
    look_at(pick(FILES));
}

static void reads_are_what_the_model_says(void **state)
{
    (void)state;
    for (size_t c = 0; c < CONTENTS; c++)
        for (size_t i = 0; i < MOST; i++)
            data[c][i] = (char)(i * 31 % 253 + c);
    for (int step = 0; step < STEPS; step++) {
        struct file before[FILES];
        const struct tx_mark *mark = tx_mark(&tx);
        size_t n = pick(6);
        memcpy(before, files, sizeof files);
        ok(tx_savepoint(&tx));
        for (size_t i = 0; i < n; i++)
            change();
        if (pick(3)) {
            ok(slot_release(tx.db, tx.err));
        } else {
            ok(tx_rollback_to(&tx, tx.err));
            tx_back(&tx, mark);
            memcpy(files, before, sizeof files);
        }
        if (!pick(4))
            look_at_all();
        if (!pick(3)) {
            end();
            begin();
        }
    }
    look_at_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_are_what_the_model_says, open_world, close_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
