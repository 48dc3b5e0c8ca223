/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sandbox/kept.h"
#include "sandbox/runner.h"
#include "sandbox/sandbox.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool kept_in;
struct runner *kept_by;
const char *kept_program;

bool kept_main(int argc, char **argv, int *ret_exit)
{
    static char path[4096];
    if (argc == 2 && strcmp(argv[1], SANDBOX_KEEPER) == 0) {
        *ret_exit = sandbox_keep();
        return true;
    }
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    kept_program = path;
    struct sosia_err err = {0};
    kept_in = runner_probe(path, NULL, &err) == 0;
    if (!kept_in)
        fprintf(stderr, "not tried: %s\n", err.text);
    return false;
}

int kept_open(const char *doc)
{
    if (test_open(doc) < 0)
        return -1;
    if (!kept_in)
        return 0;
    if (runner_open(test_engine, kept_program, NULL, &kept_by, &test_err) < 0)
        return -1;
    if (getenv("SOSIA_TEST_LAYERS"))
        runner_copies(kept_by, 0, 0);
    return 0;
}

void kept_end(void)
{
    runner_close(kept_by);
    kept_by = NULL;
}

int kept_close(void)
{
    kept_end();
    return test_close();
}
