/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as frames of a stream: they are taken apart within their bounds, and what is put
 * together of them again is the same bytes up to where they are cut; and as the body of a program's
 * start and of other calls of a sandbox of E2B: each is answered in the protocol's form. */
#include "fuzz/fuzz.h"
#include "services/workspace/e2b/frame.h"
#include <string.h>

static struct sosia_engine *engine;
static uint64_t world;
static char bearer[SOSIA_TOKEN_MAX + 8];

static void check_frames(const char *text, size_t size)
{
    const char *p = text;
    size_t left = size;
    struct frame f;
    struct buf again;
    int r;
    buf_init(&again, 0);
    while ((r = frame_next(&p, &left, &f)) == 1) {
        CHECK(f.data + f.len <= text + size && f.flags <= 255);
        frame_add(&again, f.flags, f.data, f.len);
    }
    CHECK(!buf_failed(&again) && again.len == size - left && (r < 0) == (left != 0));
    CHECK(!again.len || memcmp(again.data, text, again.len) == 0);
    buf_done(&again);
}

static void check_call(const char *path, const char *type, const char *text, size_t size)
{
    struct sosia_response *r;
    struct sosia_err err;
    const struct sosia_header headers[] = {{"Authorization", bearer}, {"Content-Type", type}};
    const struct sosia_request request = {.method = "POST",
                                          .target = path,
                                          .headers = headers,
                                          .n_headers = SOSIA_LEN(headers),
                                          .body = text,
                                          .body_len = size};
    CHECK(sosia_call(engine, world, &request, &r, &err) == 0);
    CHECK(r->status < 500);
    if (strcmp(type, "application/json") != 0) {
        const char *p = r->body;
        size_t left = r->body_len;
        struct frame f = {0};
        while (frame_next(&p, &left, &f) == 1)
            ;
        CHECK(!left && f.flags == FRAME_END);
    }
    sosia_response_free(r);
}

static void open_world(void)
{
    static const char doc[] =
        "{\"sosia\":1,\"people\":[{\"email\":\"a@x.example\",\"name\":\"A\"}],\"workspace\":"
        "[{\"path\":\"d/f\",\"text\":\"f\"},{\"path\":\"l\",\"link\":\"d\"}]}";
    const struct sosia_world_options made = {
        .clock = SOSIA_CLOCK_FROZEN, .seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    const struct sosia_token_options token = {.actor = "a@x.example"};
    engine = fuzz_engine(NULL);
    MUST(sosia_world_create(engine, &made, &world, &why));
    strcpy(bearer, "Bearer ");
    MUST(sosia_token_issue(engine, world, &token, bearer + 7, SOSIA_TOKEN_MAX, &why));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const calls[] = {"Stat", "ListDir", "MakeDir", "Move", "Remove"};
    char path[80];
    if (!engine)
        open_world();
    char *text = malloc(size + 1); /* behind it is a NUL, as behind every body */
    CHECK(text);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    check_frames(text, size);
    check_call("/e2b/process.Process/Connect", "application/connect+json", text, size);
    if (size > 1) {
        snprintf(path, sizeof path, "/e2b/filesystem.Filesystem/%s", calls[data[0] % 5]);
        check_call(path, "application/json", text + 1, size - 1);
    }
    free(text);
    return 0;
}
