/* SPDX-License-Identifier: Apache-2.0 */
/* Archives: what comes in as it is, what is cleaned, and all that is refused. */
#include "services/workspace/core/tar.h"
#include "tests/services/workspace/core/workspace_world.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>

/* An archive that a test makes, header by header, as no program would. */
static struct buf tar;

static int open_tar(void **state)
{
    buf_init(&tar, 0);
    return open_world(state);
}

static int close_tar(void **state)
{
    buf_done(&tar);
    return close_world(state);
}

static void octal(char *field, size_t n, uint64_t v)
{
    field[n - 1] = 0;
    for (size_t i = n - 1; i--; v /= 8)
        field[i] = (char)('0' + v % 8);
}

/* A header of the ustar format, whose size is what it says. */
static void header(const char *name, char type, const char *target, unsigned mode, uint64_t size)
{
    char h[512] = {0};
    unsigned sum = 0;
    strncpy(h, name, 99);
    octal(h + 100, 8, mode);
    octal(h + 108, 8, 0);
    octal(h + 116, 8, 0);
    if (size >> 33) {
        h[124] = (char)0x80;
        for (int i = 0; i < 8; i++)
            h[135 - i] = (char)(size >> (8 * i));
    } else {
        octal(h + 124, 12, size);
    }
    octal(h + 136, 12, 1700000000);
    h[156] = type;
    if (target)
        strncpy(h + 157, target, 99);
    memcpy(h + 257, "ustar\00000", 8);
    memset(h + 148, ' ', 8);
    for (size_t i = 0; i < sizeof h; i++)
        sum += (unsigned char)h[i];
    octal(h + 148, 7, sum);
    buf_add(&tar, h, sizeof h);
}

static void bytes(const char *data, size_t n)
{
    static const char zeros[512];
    buf_add(&tar, data, n);
    buf_add(&tar, zeros, (512 - n % 512) % 512);
}

static void file(const char *name, const char *text)
{
    header(name, '0', NULL, 0644, strlen(text));
    bytes(text, strlen(text));
}

static void over(void)
{
    static const char zeros[1024];
    buf_add(&tar, zeros, sizeof zeros);
}

static int import_bytes(const void *data, size_t n, const char *dir, struct workspace_imported *ret)
{
    struct workspace_bytes b = {data, n};
    return workspace_import_tar(&tx, dir, &(struct workspace_source){workspace_source_memory, &b},
                                ret);
}

static struct workspace_imported taken(void)
{
    struct workspace_imported done;
    over();
    ok(import_bytes(tar.data, tar.len, "", &done));
    return done;
}

/* Refused with these words. */
static void not_taken(const char *why)
{
    over();
    assert_int_equal(import_bytes(tar.data, tar.len, "", NULL), -1);
    if (!strstr(fault.text, why))
        fail_msg("expected \"%s\", got \"%s\"", why, fault.text);
    fault = (struct sosia_err){0};
    ok(workspace_clear(&tx)); /* as a caller takes it back */
    buf_clear(&tar);
}

/* ---- cleaned ---- */

static void names_are_cleaned_and_directories_made(void **state)
{
    struct workspace_node n;
    (void)state;
    file("./a/./b//c.txt", "one");
    file("/abs/x", "two");
    file("..dots/...", "three");
    header("./", '5', NULL, 0700, 0);
    header("a/", '5', NULL, 0750, 0);
    header("suid", '0', NULL, 04755, 0);
    header("\xff\xfe", '0', NULL, 0644, 0);
    struct workspace_imported done = taken();
    assert_string_equal(all_below(""), "..dots ..dots/... a a/b a/b/c.txt abs abs/x suid \xff\xfe");
    assert_string_equal(content("a/b/c.txt"), "one");
    assert_int_equal(done.files, 5);
    assert_int_equal(done.directories, 1);
    assert_int_equal(done.bytes, 11);
    assert_int_equal(workspace_find(&tx, "a", &n), 1);
    assert_int_equal(n.mode, 0750);
    assert_int_equal(workspace_find(&tx, "suid", &n), 1);
    assert_int_equal(n.mode, 0755);
    assert_int_equal(n.mtime_ns, INT64_C(1700000000) * 1000000000);
}

static void what_is_there_stays_and_what_comes_counts(void **state)
{
    struct workspace_node n;
    (void)state;
    put("keep", "k");
    put("a/b", "old");
    put("l", "file");
    file("a/b", "first");
    file("a/b", "last");
    header("l", '2', "a/b", 0777, 0);
    header("a", '5', NULL, 0700, 0);
    taken();
    assert_string_equal(all_below(""), "a a/b keep l");
    assert_string_equal(content("a/b"), "last");
    assert_int_equal(workspace_find(&tx, "l", &n), 1);
    assert_int_equal(n.kind, NODE_LINK);
    assert_string_equal(n.target, "a/b");
}

static void a_hard_link_is_a_copy_of_what_came_before(void **state)
{
    struct workspace_node a, b;
    (void)state;
    file("d/a", "same");
    header("h", '1', "./d/a", 0644, 0);
    taken();
    assert_int_equal(workspace_find(&tx, "d/a", &a), 1);
    assert_int_equal(workspace_find(&tx, "h", &b), 1);
    assert_int_equal(a.digest, b.digest);
    assert_string_equal(content("h"), "same");
    ok(workspace_write(&tx, "h", "other", 5, NULL));
    assert_string_equal(content("d/a"), "same");
    buf_clear(&tar);
    header("h", '1', "none", 0644, 0);
    not_taken("must be a hard link to a file that came before it");
    header("h", '1', "../etc/passwd", 0644, 0);
    not_taken("\"..\"");
    header("d", '5', NULL, 0755, 0);
    header("h", '1', "d", 0644, 0);
    not_taken("must be a hard link to a file");
}

static void devices_are_skipped_and_counted(void **state)
{
    (void)state;
    header("null", '3', NULL, 0666, 0);
    header("disk", '4', NULL, 0666, 0);
    header("pipe", '6', NULL, 0666, 0);
    file("f", "x");
    struct workspace_imported done = taken();
    assert_int_equal(done.skipped, 3);
    assert_string_equal(all_below(""), "f");
}

static void a_time_is_within_bounds(void **state)
{
    struct workspace_node n;
    (void)state;
    /* By the library, since the old header has no such times. */
    static const int64_t times[][2] = {{-5, 0}, {INT64_C(1) << 40, WORKSPACE_YEARS}, {7, 7}};
    for (size_t i = 0; i < SOSIA_LEN(times); i++) {
        char room[20000];
        size_t used;
        struct archive *z = archive_write_new();
        struct archive_entry *e = archive_entry_new();
        archive_write_set_format_pax(z);
        archive_write_open_memory(z, room, sizeof room, &used);
        archive_entry_set_pathname(e, "f");
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_size(e, 0);
        archive_entry_set_mtime(e, times[i][0], times[i][1] == 7 ? 123 : 0);
        assert_int_equal(archive_write_header(z, e), ARCHIVE_OK);
        archive_write_close(z);
        ok(import_bytes(room, used, "", NULL));
        archive_write_free(z);
        archive_entry_free(e);
        assert_int_equal(workspace_find(&tx, "f", &n), 1);
        assert_int_equal(n.mtime_ns / 1000000000, times[i][1]);
        assert_int_equal(n.mtime_ns % 1000000000, times[i][1] == 7 ? 123 : 0);
    }
}

static void an_empty_archive_is_one(void **state)
{
    (void)state;
    struct workspace_imported done = taken();
    assert_int_equal(done.files + done.directories, 0);
    buf_clear(&tar);
    assert_int_equal(import_bytes("", 0, "", NULL), -1);
    fault = (struct sosia_err){0};
}

/* A pax header in front of an entry: names that don't fit, attributes and access lists. */
static void pax(const char *records, size_t n)
{
    header("pax", 'x', NULL, 0644, n);
    bytes(records, n);
}

#define PAX(text) pax(text, sizeof text - 1)

static void an_extended_header_counts_as_far_as_it_is_kept(void **state)
{
    struct workspace_node n;
    (void)state;
    PAX("23 path=long/n\xc3\xa4me.txt\n");
    file("short", "named");
    PAX("31 SCHILY.xattr.user.note=hi!!\n");
    file("attr", "x");
    taken();
    assert_string_equal(all_below(""), "attr long long/n\xc3\xa4me.txt");
    assert_string_equal(content("long/n\xc3\xa4me.txt"), "named");
    assert_int_equal(workspace_find(&tx, "attr", &n), 1);
    assert_int_equal(n.mode, 0644);
    buf_clear(&tar);
    PAX("20 path=x/../../etc\n");
    file("short", "named");
    not_taken("\"..\"");
}

/* ---- refused ---- */

static void an_entry_leads_nowhere_else(void **state)
{
    static const char *const names[] = {"../up", "a/../../up", "a/..", "..", "./../x", "/../x"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        file(names[i], "x");
        not_taken("\"..\"");
    }
    /* Through a link, which rows don't follow. */
    header("link", '2', "/etc", 0777, 0);
    file("link/passwd", "x");
    not_taken("must be in a directory");
    header("link", '2', "d", 0777, 0);
    header("d", '5', NULL, 0755, 0);
    file("link/f", "x");
    not_taken("must be in a directory");
    file("f", "x");
    file("f/g", "x");
    not_taken("must be in a directory");
    file("f", "x");
    header("f", '5', NULL, 0755, 0);
    not_taken("not a directory where there is a file");
    header("f", '5', NULL, 0755, 0);
    file("f", "x");
    not_taken("must be a directory, as what is there");
    header("l", '2', "", 0777, 0);
    not_taken("must be a link to something");
}

static void sizes_that_are_said_meet_the_limit_before_bytes(void **state)
{
    (void)state;
    header("sparse", '0', NULL, 0644, UINT64_C(1) << 40);
    not_taken("EFBIG");
    header("large", '0', NULL, 0644, (uint64_t)WORKSPACE_FILE + 1);
    not_taken("EFBIG");
    /* Names that no row has: two headers of GNU's make one long one. */
    struct buf deep;
    buf_init(&deep, 0);
    for (int i = 0; i < WORKSPACE_DEPTH; i++)
        buf_puts(&deep, "d/");
    buf_puts(&deep, "f");
    header("././@LongLink", 'L', NULL, 0644, deep.len + 1);
    bytes(buf_str(&deep), deep.len + 1);
    file("f", "x");
    not_taken("longer or deeper");
    buf_clear(&deep);
    for (int i = 0; i <= WORKSPACE_NAME; i++)
        buf_byte(&deep, 'n');
    header("././@LongLink", 'L', NULL, 0644, deep.len + 1);
    bytes(buf_str(&deep), deep.len + 1);
    file("f", "x");
    not_taken("longer or deeper");
    buf_done(&deep);
}

static la_ssize_t to_tar(struct archive *z, void *arg, const void *data, size_t n)
{
    (void)z;
    (void)arg;
    buf_add(&tar, data, n);
    return (la_ssize_t)n;
}

/* `tar`, compressed. */
static void compress_tar(void)
{
    struct buf plain = tar;
    struct archive *z = archive_write_new();
    buf_init(&tar, 0);
    archive_write_set_format_raw(z);
    archive_write_set_bytes_in_last_block(z, 1);
    archive_write_add_filter_gzip(z);
    archive_write_open(z, NULL, NULL, to_tar, NULL);
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_filetype(e, AE_IFREG);
    archive_write_header(z, e);
    assert_int_equal(archive_write_data(z, plain.data, plain.len), plain.len);
    archive_write_close(z);
    archive_write_free(z);
    archive_entry_free(e);
    buf_done(&plain);
}

static void zeros_of(const char *name, size_t n)
{
    char *zeros = calloc(1, n);
    assert_non_null(zeros);
    header(name, '0', NULL, 0644, n);
    bytes(zeros, n);
    free(zeros);
}

static void what_unpacks_to_far_more_is_refused(void **state)
{
    (void)state;
    /* A little of that is what honest archives have too. */
    zeros_of("zeros", (size_t)12 << 20);
    over();
    compress_tar();
    ok(import_bytes(tar.data, tar.len, "", NULL));
    ok(workspace_clear(&tx));
    buf_clear(&tar);
    zeros_of("zeros", (size_t)24 << 20);
    over();
    compress_tar();
    not_taken("must not unpack to more than 200 times");
}

static void what_is_cut_or_another_thing_is_refused(void **state)
{
    (void)state;
    file("a", "complete");
    file("b", "cut off in the midst of what it is");
    over();
    compress_tar();
    for (size_t n = 1; n < tar.len - 8; n += 7) { /* behind the end is a sum, which nobody needs */
        if (import_bytes(tar.data, n, "", NULL) == 0)
            fail_msg("%zu of %zu bytes were taken", n, tar.len);
        assert_true(fault.code == SOSIA_E_INVALID);
        fault = (struct sosia_err){0};
        ok(workspace_clear(&tx));
    }
    ok(import_bytes(tar.data, tar.len, "", NULL));
    ok(workspace_clear(&tx));
    assert_int_equal(import_bytes("PK\3\4 something else", 20, "", NULL), -1);
    fault = (struct sosia_err){0};
    assert_int_equal(import_bytes("#!/bin/sh\necho no archive\n", 26, "", NULL), -1);
    fault = (struct sosia_err){0};
}

static int64_t broken(void *arg, const void **ret, struct sosia_err *why)
{
    (void)arg;
    (void)ret;
    return sosia_fail(why, SOSIA_E_FULL, "spool", NULL, "the spool cannot be read");
}

static void a_source_that_fails_says_why(void **state)
{
    (void)state;
    refused(workspace_import_tar(&tx, "", &(struct workspace_source){broken, NULL}, NULL), "spool");
}

/* ---- out ---- */

static struct buf written(const char *dir, bool gzip, bool inside, int64_t skipped)
{
    struct workspace_export how = {.gzip = gzip, .inside = inside};
    struct buf b;
    buf_init(&b, 0);
    ok(workspace_export_tar(&tx, dir, &how, &(struct workspace_sink){workspace_sink_buf, &b}));
    assert_int_equal(how.skipped, skipped);
    return b;
}

#define FILES                                                                                      \
    HEAD ",\"workspace\":["                                                                        \
         "{\"path\":\"d/a.txt\",\"text\":\"one\\n\",\"mode\":\"0600\",\"modified\":"               \
         "\"2026-01-02T03:04:05Z\"},"                                                              \
         "{\"path\":\"d/empty\",\"modified\":\"2026-01-02T03:04:05Z\"},"                           \
         "{\"pathBytes\":\"ZC//\",\"base64\":\"AAEC\",\"modified\":\"2026-01-02T03:04:05Z\"},"     \
         "{\"path\":\"d/in\",\"link\":\"a.txt\"},"                                                 \
         "{\"path\":\"out\",\"link\":\"/etc/passwd\"},"                                            \
         "{\"path\":\"d/up\",\"link\":\"../../x\"},"                                               \
         "{\"path\":\"d/beside\",\"link\":\"../out\"}]}"

static void what_goes_out_comes_in_again(void **state)
{
    (void)state;
    struct buf a = written("", true, false, 0), b = written("", true, false, 0), c;
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
    const char *all = all_below("");
    ok(workspace_clear(&tx));
    ok(import_bytes(a.data, a.len, "", NULL));
    assert_string_equal(all_below(""), all);
    assert_string_equal(content("d/a.txt"), "one\n");
    c = written("", true, false, 0);
    assert_int_equal(a.len, c.len);
    assert_memory_equal(a.data, c.data, a.len);
    /* Beside it, in a directory of its own. */
    ok(import_bytes(a.data, a.len, "copy/of", NULL));
    assert_string_equal(content("copy/of/d/a.txt"), "one\n");
    buf_done(&a);
    buf_done(&b);
    buf_done(&c);
}

static void links_that_lead_out_can_be_left_out(void **state)
{
    (void)state;
    struct buf a = written("", false, true, 2), b = written("d", false, true, 2);
    assert_null(memmem(a.data, a.len, "/etc/passwd", 11));
    assert_non_null(memmem(a.data, a.len, "./d/beside", 10));
    assert_null(memmem(b.data, b.len, "./beside", 8));
    assert_non_null(memmem(b.data, b.len, "./in", 4));
    assert_string_equal(a.data, "./");
    buf_done(&a);
    buf_done(&b);
    struct workspace_export how = {.gzip = false};
    struct workspace_sink nowhere = {workspace_sink_buf, &tar};
    refused(workspace_export_tar(&tx, "none", &how, &nowhere), "ENOENT");
    refused(workspace_export_tar(&tx, "d/a.txt", &how, &nowhere), "ENOTDIR");
}

static int no_room(void *arg, const void *data, size_t n)
{
    (void)arg;
    (void)data;
    (void)n;
    return -1;
}

static void a_sink_without_room_ends_it(void **state)
{
    struct workspace_export how = {.gzip = true};
    (void)state;
    refused(workspace_export_tar(&tx, "", &how, &(struct workspace_sink){no_room, NULL}),
            "tooLarge");
}

#define T(test) cmocka_unit_test_setup_teardown(test, open_tar, close_tar)
#define SEEDED(test)                                                                               \
    {                                                                                              \
#test, test, open_tar, close_tar, (void *)(uintptr_t)FILES                                 \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(names_are_cleaned_and_directories_made),
        T(what_is_there_stays_and_what_comes_counts),
        T(a_hard_link_is_a_copy_of_what_came_before),
        T(devices_are_skipped_and_counted),
        T(a_time_is_within_bounds),
        T(an_empty_archive_is_one),
        T(an_extended_header_counts_as_far_as_it_is_kept),
        T(an_entry_leads_nowhere_else),
        T(sizes_that_are_said_meet_the_limit_before_bytes),
        T(what_unpacks_to_far_more_is_refused),
        T(what_is_cut_or_another_thing_is_refused),
        T(a_source_that_fails_says_why),
        SEEDED(what_goes_out_comes_in_again),
        SEEDED(links_that_lead_out_can_be_left_out),
        SEEDED(a_sink_without_room_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
