/* SPDX-License-Identifier: Apache-2.0 */
/* Reading cassettes: those of the project, and broken ones. */
#include "tests/unit/unit.h"
#include "conformance/cassette.h"
#include <stdio.h>
#include <stdlib.h>

static struct sosia_err err;

static int load_one(void *arg, const char *file, const char *name, struct sosia_err *e)
{
    struct cassette *c;
    int *n = arg;
    if (cassette_load(file, &c, e) < 0)
        return -1;
    (*n)++;
    cassette_free(c);
    return 0;
}

static void every_cassette_of_the_project_can_be_read(void **state)
{
    const char *dir = getenv("SOSIA_CASSETTES");
    int n = 0;
    assert_non_null(dir);
    if (cassette_each(&dir, 1, load_one, &n, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(n >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cassette_of_the_project_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
