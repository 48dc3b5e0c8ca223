/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a path in OneDrive, as it is and percent-encoded, and as the address of a share: it
 * is refused for a fault, or leads to an item of the drive; a file that is put there is found
 * there, by a name that the service takes. */
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "sosia.h"
#include "fuzz/fuzz.h"

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-02-01T00:00:00Z\",\"organizations\":[{\"domain\":"
    "\"port.example\"}],\"people\":[{\"email\":\"bob@port.example\"}],\"accounts\":[{\"actor\":"
    "\"bob@port.example\",\"vendor\":\"microsoft\"}],\"files\":[{\"name\":\"Plans\",\"type\":"
    "\"folder\",\"owner\":\"bob@port.example\"}]}";

static struct sosia_engine *engine;
static uint64_t world;
static char bearer[SOSIA_TOKEN_MAX + 16];

static struct sosia_response *call(const char *method, const char *target, const char *body)
{
    struct sosia_header headers[] = {{"Authorization", bearer}, {"Content-Type", "text/plain"}};
    struct sosia_request r = {.method = method,
                              .target = target,
                              .headers = headers,
                              .n_headers = 2,
                              .body = body,
                              .body_len = body ? strlen(body) : 0};
    struct sosia_response *res;
    MUST(sosia_call(engine, world, &r, &res, &why));
    CHECK(res->status < 500);
    return res;
}

static void open_world(void)
{
    struct sosia_world_options opt = {
        .seed_doc = DOC, .seed_doc_len = strlen(DOC), .journal = SOSIA_JOURNAL_NONE};
    struct sosia_token_options who = {.actor = "bob@port.example"};
    char token[SOSIA_TOKEN_MAX];
    engine = fuzz_engine(NULL);
    MUST(sosia_world_create(engine, &opt, &world, &why));
    MUST(sosia_token_issue(engine, world, &who, token, sizeof token, &why));
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
}

/* A text member of an answer, without the escapes of JSON; false: it has none. */
static bool member(const struct sosia_response *res, const char *name, char *ret, size_t size)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(res->body, key);
    if (!at)
        return false;
    at += strlen(key);
    const size_t n = strcspn(at, "\"");
    CHECK(n < size);
    memcpy(ret, at, n);
    ret[n] = '\0';
    return true;
}

static void put_and_find(const char *path)
{
    char id[64], found[64];
    struct buf target;
    buf_init(&target, 0);
    buf_printf(&target, "/v1.0/me/drive/root:/%s:/content", path);
    struct sosia_response *res = call("PUT", buf_str(&target), "x");
    const bool made = res->status == 201;
    if (made) {
        CHECK(member(res, "id", id, sizeof id) && strstr(res->body, "/root:"));
        buf_clear(&target);
        buf_printf(&target, "/v1.0/me/drive/root:/%s", path);
        struct sosia_response *again = call("GET", buf_str(&target), NULL);
        CHECK(again->status == 200 && member(again, "id", found, sizeof found));
        CHECK(strcmp(id, found) == 0);
        sosia_response_free(again);
        buf_clear(&target);
        buf_printf(&target, "/v1.0/me/drive/items/%s/permanentDelete", id);
        again = call("POST", buf_str(&target), NULL);
        CHECK(again->status == 204);
        sosia_response_free(again);
    }
    sosia_response_free(res);
    buf_done(&target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf coded, target;
    if (!engine)
        open_world();
    if (size > 2000)
        return 0;
    buf_init(&coded, 0);
    for (size_t i = 0; i < size; i++)
        buf_printf(&coded, "%%%02X", data[i]);
    put_and_find(buf_str(&coded));
    buf_init(&target, 0);
    buf_printf(&target, "/v1.0/me/drive/root:/%s:/children", buf_str(&coded));
    sosia_response_free(call("GET", buf_str(&target), NULL));
    buf_clear(&target);
    buf_puts(&target, "/v1.0/shares/u!");
    base64url_add(&target, data, size, false);
    buf_puts(&target, "/driveItem");
    sosia_response_free(call("GET", buf_str(&target), NULL));
    if (!memchr(data, 0, size)) {
        buf_clear(&target);
        buf_puts(&target, "/v1.0/me/drive/root:/");
        buf_add(&target, data, size);
        sosia_response_free(call("GET", buf_str(&target), NULL));
    }
    buf_done(&target);
    buf_done(&coded);
    return 0;
}
