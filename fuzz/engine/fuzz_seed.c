/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a seed document: refused with a place in it, or a world whose dump is a seed
 * document again and gives the same dump. */
#include "sosia.h"
#include "fuzz/fuzz.h"
#include <string.h>

static struct sosia_engine *engine;

static int make(const char *doc, size_t len, struct sosia_blob *ret_dump, struct sosia_err *err)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = len};
    uint64_t world;
    if (sosia_world_create(engine, &opt, &world, err) < 0)
        return -1;
    CHECK(sosia_world_dump(engine, world, ret_dump, err) == 0);
    CHECK(sosia_world_drop(engine, world, err) == 0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    struct sosia_blob dump, again;
    if (!engine)
        engine = fuzz_engine(NULL);
    if (make((const char *)data, size, &dump, &err) < 0) {
        CHECK(err.code != SOSIA_E_OK && err.text[0]);
        return 0;
    }
    CHECK(make(dump.data, dump.len, &again, &err) == 0);
    CHECK(again.len == dump.len && memcmp(again.data, dump.data, dump.len) == 0);
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
    return 0;
}
