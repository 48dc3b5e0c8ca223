/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a recording: what was put down can be read, whatever could not be. */
#include "tests/support/unit.h"
#include "conformance/record/record.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sosia_err err;
static char dir[] = "/tmp/sosia-recording-XXXXXX";

static int setup(void **state)
{
    strcpy(dir + sizeof dir - 7, "XXXXXX");
    signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
    char text[200];
    snprintf(text, sizeof text, "rm -r %s", dir);
    return system(text);
}

static struct recording *open_it(bool resume)
{
    struct recording_options o = {
        .dir = dir, .target = "https://api.example", .keep = REDACT_KEEP_DEFAULT, .resume = resume};
    struct recording *r;
    if (recording_open(&o, &r, &err) < 0)
        fail_msg("%s", err.text);
    return r;
}

/* An exchange whose answer has this address in it. */
static int add(struct recording *r, const char *address, int status)
{
    struct arena a;
    struct sosia_header type = {"Content-Type", "text/plain"};
    struct wire e = {.n = recording_number(r),
                     .at_us = 1795424400000000,
                     .verb = "GET",
                     .origin = "https://api.example",
                     .target = "/x",
                     .status = status,
                     .got = {.headers = &type, .n_headers = 1}};
    arena_init(&a, 0);
    e.got.body.data = arena_printf(&a, "from %s%500s", address, "");
    e.got.body.len = e.got.body.size = strlen(e.got.body.data);
    int rc = recording_add(r, &a, &e, &err);
    arena_done(&a);
    return rc;
}

static off_t size_of(const char *name)
{
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* Files may have so many bytes; 0: any. */
static void limit(off_t bytes)
{
    struct rlimit l;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &l), 0);
    l.rlim_cur = bytes ? (rlim_t)bytes : l.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

static void what_could_not_be_written_whole_leaves_no_part(void **state)
{
    struct recording *r = open_it(false);
    struct recorded *read;
    assert_int_equal(add(r, "ada@acme.com", 200), 0);
    off_t journal = size_of("journal.jsonl");
    limit(journal + 100); /* in the middle of the line */
    assert_int_equal(add(r, "bob@acme.com", 200), -1);
    assert_non_null(strstr(err.text, "the recording can't be written: "));
    limit(0);
    assert_int_equal(size_of("journal.jsonl"), journal);
    off_t side = size_of("redacted.jsonl");
    limit(side + 10); /* of the report, which comes first */
    assert_int_equal(add(r, "cyd@acme.com", 200), -1);
    limit(0);
    assert_int_equal(size_of("redacted.jsonl"), side);
    assert_int_equal(add(r, "ada@acme.com", 200), 0);
    recording_close(r);
    r = open_it(true); /* reads all of it */
    assert_int_equal(add(r, "cyd@acme.com", 200), 0);
    recording_close(r);
    assert_int_equal(recorded_load(dir, &read, &err), 0);
    assert_int_equal(read->n, 3);
    assert_int_equal(read->torn, 0);
    assert_int_equal(strncmp(read->exchanges[1].got.body.data, "from person1@org1.example ", 26),
                     0);
    /* what stands for an address is known though its report came late */
    assert_int_equal(strncmp(read->exchanges[2].got.body.data, "from person3@org1.example ", 26),
                     0);
    recorded_free(read);
}

static void any_status_that_a_target_gave_is_read_again(void **state)
{
    struct recording *r = open_it(false);
    struct recorded *read;
    assert_int_equal(add(r, "x", 100), 0);
    assert_int_equal(add(r, "x", 999), 0);
    recording_close(r);
    if (recorded_load(dir, &read, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(read->exchanges[1].status, 999);
    recorded_free(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_could_not_be_written_whole_leaves_no_part, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(any_status_that_a_target_gave_is_read_again, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
