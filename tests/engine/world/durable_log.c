/* SPDX-License-Identifier: Apache-2.0 */
/* The durable store's log, as a crash or a failing disk leaves it: what is damaged is refused, what
 * is only torn opens with all that was acknowledged. */
#include "tests/support/data_dir.h"
#include "tests/support/dose.h"

struct file {
    uint8_t *data;
    size_t len;
};

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static struct file get(const char *name)
{
    struct stat s;
    FILE *f = fopen(path_of(name), "r");
    assert_true(f && fstat(fileno(f), &s) == 0);
    struct file ret = {.data = malloc((size_t)s.st_size + 1), .len = (size_t)s.st_size};
    assert_int_equal(fread(ret.data, 1, ret.len, f), ret.len);
    fclose(f);
    return ret;
}

static void put(const char *name, struct file x)
{
    FILE *f = fopen(path_of(name), "w");
    assert_true(f && fwrite(x.data, 1, x.len, f) == x.len && fclose(f) == 0);
}

/* What is in the directory while the store has it open: as if the process ended now. */
struct image {
    struct file db, log, mark;
};

static struct image take(void)
{
    return (struct image){get("sosia.db"), get("sosia.db-wal"), get("log-mark")};
}

static void lay(const struct image *x)
{
    put("sosia.db", x->db);
    put("sosia.db-wal", x->log);
    put("log-mark", x->mark);
}

static void drop(struct image *x)
{
    free(x->db.data);
    free(x->log.data);
    free(x->mark.data);
}

static void is_refused(void)
{
    assert_int_equal(try_open(), -1);
    assert_string_equal(test_err.reason, "dataDirectoryDamaged");
    assert_non_null(strstr(test_err.text, "damaged: log: "));
}

static void a_flipped_bit_in_the_log_is_refused(void **state)
{
    uint64_t random = 1;
    start();
    uint64_t w = make("one");
    assert_int_equal(add(w, "bob"), 0);
    assert_int_equal(add(w, "cid"), 0);
    struct image x = take();
    stop();
    for (int i = 0; i < 80; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t bit = i < 32 ? 8 * (size_t)i + (size_t)i % 8 : (random >> 20) % (8 * x.log.len);
        x.log.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        lay(&x);
        x.log.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        is_refused();
    }
    lay(&x);
    start();
    assert_true(has(w, "bob") && has(w, "cid"));
    drop(&x);
}

static void a_check_names_a_damaged_log(void **state)
{
    struct sosia_blob b;
    bool whole;
    start();
    uint64_t w = make("one");
    assert_int_equal(add(w, "bob"), 0);
    struct image x = take();
    stop();
    x.log.data[x.log.len - 100] ^= 1;
    lay(&x);
    assert_int_equal(sosia_data_check(dir, NULL, &b, &whole, &test_err), 0);
    assert_false(whole);
    assert_non_null(strstr(b.data, "\"kind\": \"log\""));
    assert_non_null(strstr(b.data, "is not what was written, and changes behind it are lost"));
    sosia_blob_free(&b);
    struct image y = take(); /* a check changes nothing */
    assert_int_equal(y.log.len, x.log.len);
    assert_memory_equal(y.log.data, x.log.data, x.log.len);
    assert_memory_equal(y.mark.data, x.mark.data, x.mark.len);
    drop(&x);
    drop(&y);
}

/* As after a crash of the machine: the mark is old, or is not there. */
static void without_a_mark_all_but_the_last_transaction_is_held(void **state)
{
    start();
    uint64_t w = make("one");
    assert_int_equal(add(w, "bob"), 0);
    struct image before = take();
    assert_int_equal(add(w, "cid"), 0);
    struct image x = take();
    stop();
    x.mark.len = 0;
    size_t frame = (size_t)((uint8_t)x.log.data[10] << 8 | (uint8_t)x.log.data[11]) + 24;
    for (size_t at = 32; at < x.log.len; at += (size_t)dose(3001, 11003)) {
        if ((at - 32) % frame / 4 == 1) /* a bit there marks the end of a transaction */
            continue;
        x.log.data[at] ^= 1;
        lay(&x);
        x.log.data[at] ^= 1;
        if (at < before.log.len) {
            is_refused();
            continue;
        }
        start();
        assert_true(has(w, "bob"));
        assert_false(has(w, "cid"));
        stop();
    }
    drop(&before);
    drop(&x);
}

/* The last transaction was not acknowledged: it may be there in parts, in any order. */
static void a_torn_tail_opens(void **state)
{
    start();
    uint64_t w = make("one");
    assert_int_equal(add(w, "bob"), 0);
    struct image before = take();
    assert_int_equal(add(w, "cid"), 0);
    struct image x = take(), y = x;
    stop();
    assert_true(x.log.len > before.log.len);
    y.mark = before.mark;
    y.log.data = malloc(x.log.len);
    for (size_t cut = before.log.len; cut <= x.log.len;
         cut += cut + 1024 < x.log.len ? (size_t)dose(3019, 7001) : (size_t)dose(13, 37)) {
        memcpy(y.log.data, x.log.data, x.log.len);
        y.log.len = cut;
        lay(&y);
        start();
        assert_true(has(w, "bob"));
        /* The log continues behind what is left. */
        assert_int_equal(add(w, "dan"), 0);
        restart();
        assert_true(has(w, "bob") && has(w, "dan"));
        stop();
        /* A part that is not there yet. */
        if (cut + 512 > x.log.len)
            break;
        y.log.len = x.log.len;
        memset(y.log.data + cut, 0, 512);
        lay(&y);
        start();
        assert_true(has(w, "bob"));
        stop();
    }
    /* What was acknowledged and is missing is another matter. */
    x.log.len = before.log.len;
    lay(&x);
    is_refused();
    free(y.log.data);
    drop(&before);
    drop(&x);
}

static int add_many(uint64_t world)
{
    char doc[8000] = "{\"sosia\":1,\"people\":[", *end = doc + strlen(doc);
    for (int i = 0; i < 100; i++)
        end += snprintf(end, 80, "%s{\"email\":\"p%d@acme.example\"}", i ? "," : "", i);
    strcpy(end, "]}");
    return sosia_world_seed(engine, world, doc, strlen(doc), NULL, &test_err);
}

/* Failed transactions lie behind shorter ones, commits and all; that is not damage. */
static void what_failed_transactions_leave_is_no_damage(void **state)
{
    start();
    uint64_t w = make("one"), f[4];
    for (int i = 0; i < 4; i++)
        f[i] = fork_of(w);
    disk_fail(0, 0, 0);
    assert_int_equal(add_many(f[0]), 0);
    long many = disk_count();
    disk_fail(0, 0, 0);
    assert_int_equal(add(f[1], "bob"), 0);
    long few = disk_count();
    /* Each fails with its commit's sync, when all of it has been written. */
    disk_fail(many, 1, SQLITE_IOERR_FSYNC);
    assert_int_equal(add_many(f[2]), -1);
    disk_fail(few, 1, SQLITE_IOERR_FSYNC);
    assert_int_equal(add(f[3], "bob"), -1);
    disk_fail(0, 0, 0);
    struct image x = take();
    stop();
    lay(&x);
    start();
    assert_true(has(f[0], "p99") && has(f[1], "bob"));
    assert_false(has(f[2], "p99") || has(f[3], "bob"));
    stop();
    x.log.data[40000] ^= 1; /* the mark still has what must be there */
    lay(&x);
    is_refused();
    drop(&x);
}

/* A log that is moved into the database begins anew in the same file, in front of its old frames.
 */
static void old_frames_behind_a_new_log_are_no_damage(void **state)
{
    start();
    uint64_t w = make("one");
    char name[16];
    bool shorter = false;
    for (int i = 0; i < 2000 && !shorter; i++) {
        snprintf(name, sizeof name, "p%d", i);
        uint64_t f = fork_of(w);
        assert_int_equal(add(f, name), 0);
        struct stat s;
        assert_int_equal(stat(path_of("sosia.db-wal"), &s), 0);
        uint32_t frames;
        struct file mark = get("log-mark");
        memcpy(&frames, mark.data + 8, sizeof frames);
        free(mark.data);
        shorter = frames < (size_t)s.st_size / 20000;
    }
    assert_true(shorter);
    struct image x = take();
    stop();
    lay(&x);
    start();
    assert_true(has(w, "ada"));
    stop();
    x.mark.len = 0;
    lay(&x);
    start();
    assert_true(has(w, "ada"));
    drop(&x);
}

static uint32_t number(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Its checksum is right, so somebody has written it so. */
static void a_log_with_an_impossible_head_is_refused(void **state)
{
    static const uint16_t sizes[] = {0, 256, 513, 4095};
    start();
    make("one");
    struct image x = take();
    stop();
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++) {
        uint32_t a = 0, b = 0;
        uint8_t *p = x.log.data;
        p[8] = p[9] = 0;
        p[10] = (uint8_t)(sizes[i] >> 8);
        p[11] = (uint8_t)sizes[i];
        p[3] &= 0xfe; /* checksums are of little-endian words */
        for (int at = 0; at < 24; at += 8) {
            a += number(p + at) + b;
            b += number(p + at + 4) + a;
        }
        for (int k = 0; k < 4; k++) {
            p[24 + k] = (uint8_t)(a >> (24 - 8 * k));
            p[28 + k] = (uint8_t)(b >> (24 - 8 * k));
        }
        lay(&x);
        is_refused();
        assert_non_null(strstr(test_err.text, "its head is not what was written"));
    }
    drop(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_flipped_bit_in_the_log_is_refused),
        TEST(a_check_names_a_damaged_log),
        TEST(without_a_mark_all_but_the_last_transaction_is_held),
        TEST(a_torn_tail_opens),
        TEST(what_failed_transactions_leave_is_no_damage),
        TEST(old_frames_behind_a_new_log_are_no_damage),
        TEST(a_log_with_an_impossible_head_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
