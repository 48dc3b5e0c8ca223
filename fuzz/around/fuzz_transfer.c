/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of another program: the first one chooses the format. It is refused with a
 * message, or it is a document that a world takes, or that is refused as documents are; and what is
 * in the world goes out again. */
#include "engine/world/engine.h"
#include "fuzz/fuzz.h"
#include "transfer/transfer.h"

static struct sosia_engine *engine;
static uint64_t base;

static const char document[] =
    "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\"}]}";

static void check_outgoing(uint64_t world, const struct transfer_format *f, struct transfer *t)
{
    struct sosia_err err = {0};
    struct sosia_blob blob;
    const char *type;
    if (!f->write)
        return;
    CHECK(transfer_export(engine, world, t, &blob, &type, &err) == 0 || *err.text);
    if (!err.code)
        sosia_blob_free(&blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sosia_world_options opt = {
        .seed_doc = document, .seed_doc_len = sizeof document - 1, .clock = SOSIA_CLOCK_FROZEN};
    struct transfer_done done;
    struct sosia_err err = {0};
    uint64_t world;
    size_t n = 0;
    if (!engine) {
        engine = fuzz_engine(NULL);
        MUST(sosia_world_create(engine, &opt, &base, &why));
    }
    while (transfer_formats[n].name)
        n++;
    if (!size)
        return 0;
    const struct transfer_format *f = &transfer_formats[data[0] % n];
    struct transfer t = {.format = f->name,
                         .person = f->needs & NEEDS_PERSON ? "ada@acme.example" : NULL};
    MUST(sosia_world_fork(engine, base, NULL, &world, &why));
    if (transfer_import(engine, world, &t, data + 1, size - 1, &done, &err) < 0)
        CHECK(*err.text && err.code != SOSIA_E_INTERNAL);
    else
        check_outgoing(world, f, &t);
    sosia_world_drop(engine, world, NULL);
    return 0;
}
