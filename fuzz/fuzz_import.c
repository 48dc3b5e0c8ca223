/* SPDX-License-Identifier: Apache-2.0 */
/* An exported file in anybody's hands. Bytes that begin as a database are imported as they are;
 * others are changes to a sound export, eight bytes each: where (4), what (1), a number (3). What
 * is taken must dump, and come back the same from an export of its own. */
#include "engine/world/exported.h"
#include "fuzz/fuzz.h"
#include <unistd.h>

static const char doc[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":\"a.example\"}],"
    "\"people\":[{\"email\":\"ada@a.example\",\"aliases\":[\"al@a.example\"]},{\"email\":\"bob@a."
    "example\"}],"
    "\"groups\":[{\"email\":\"all@a.example\",\"members\":[\"ada@a.example\"]}]}";

static struct sosia_engine *engine;
static uint8_t *sound;
static size_t sound_len;

static uint8_t *export(uint64_t world, size_t *ret_len)
{
    char path[] = "/tmp/sosia-fuzz-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    MUST(sosia_world_export(engine, world, path, &why));
    FILE *f = fopen(path, "r");
    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    *ret_len = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = sqlite3_malloc64(*ret_len);
    CHECK(bytes && fread(bytes, 1, *ret_len, f) == *ret_len);
    fclose(f);
    unlink(path);
    return bytes;
}

static void start(void)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    uint64_t world;
    MUST(sosia_engine_open(NULL, &engine, &why));
    MUST(sosia_world_create(engine, &opt, &world, &why));
    sound = export(world, &sound_len);
    MUST(sosia_world_drop(engine, world, &why));
}

static uint32_t number(const uint8_t *p, int n)
{
    uint32_t v = 0;
    for (int i = 0; i < n; i++)
        v |= (uint32_t)p[i] << (8 * i);
    return v;
}

static void change(uint8_t *image, size_t *len, const uint8_t *c)
{
    size_t at = number(c, 4) % *len, n = number(c + 5, 3);
    switch (c[4] % 6) {
    case 0:
        image[at] = (uint8_t)n;
        break;
    case 1:
        image[at] ^= (uint8_t)(1u << (n % 8));
        break;
    case 2: /* where a page begins */
        image[at / STORE_PAGE_SIZE * STORE_PAGE_SIZE + n / 256 % 32] = (uint8_t)n;
        break;
    case 3: /* one page over another */
        memmove(image + at / STORE_PAGE_SIZE * STORE_PAGE_SIZE,
                image + n % (*len / STORE_PAGE_SIZE) * STORE_PAGE_SIZE, STORE_PAGE_SIZE);
        break;
    case 4:
        memmove(image + at, image + n % (*len - 16), *len - at < 16 ? *len - at : 16);
        break;
    case 5:
        if (n % 8 == 0)
            *len = (at / STORE_PAGE_SIZE + 1) * STORE_PAGE_SIZE;
        break;
    }
}

static void look(uint64_t world)
{
    struct sosia_blob first, second;
    size_t len;
    uint64_t again;
    MUST(sosia_world_dump(engine, world, &first, &why));
    uint8_t *image = export(world, &len);
    MUST(world_import_image(engine, image, len, NULL, &again, &why));
    MUST(sosia_world_dump(engine, again, &second, &why));
    CHECK(strcmp(first.data, second.data) == 0);
    sosia_blob_free(&first);
    sosia_blob_free(&second);
    MUST(sosia_world_drop(engine, again, &why));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    uint64_t world = 0;
    if (!engine)
        start();
    bool raw = size >= 16 && memcmp(data, "SQLite format 3", 16) == 0;
    size_t len = raw ? size : sound_len;
    uint8_t *image = sqlite3_malloc64(len + 1);
    CHECK(image);
    memcpy(image, raw ? data : sound, len);
    for (size_t i = 0; !raw && i + 8 <= size; i += 8)
        change(image, &len, data + i);
    if (world_import_image(engine, image, len, NULL, &world, &err) < 0) {
        CHECK(err.code == SOSIA_E_INVALID && *err.text && !world);
        return 0;
    }
    look(world);
    MUST(sosia_world_drop(engine, world, &why));
    return 0;
}
