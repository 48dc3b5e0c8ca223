/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/box.h"
#include "engine/base/codec.h"
#include "engine/service.h"
#include "identity/identity.h"
#include "vendors/google/google.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the API ---- */

#define SCOPE "https://www.googleapis.com/auth/box"
#define OTHER "https://www.googleapis.com/auth/box.more"

unsigned sum_of(const char *data, size_t len)
{
    unsigned sum = 7;
    for (size_t i = 0; i < len; i++)
        sum = sum * 31 + (unsigned char)data[i];
    return sum;
}

/* Returns its arguments. */
static int letters_insert(struct call *c)
{
    const char *title = json_get_str(c->body, "title");
    if (title && strcmp(title, "refused") == 0)
        return call_fail(c, SOSIA_E_INVALID, "invalidArgument", NULL, "No such title");
    json_obj(c->out, NULL);
    json_str_opt(c->out, "title", title);
    json_str_opt(c->out, "box", param_str(c, "box"));
    json_str_opt(c->out, "note", param_str(c, "note"));
    json_str(c->out, "actor", c->actor.email);
    json_bool(c->out, "other", call_has_scope(c, OTHER));
    if (c->medium) {
        json_str(c->out, "type", c->medium->type);
        json_int(c->out, "size", (int64_t)c->medium->len);
        json_int(c->out, "sum", sum_of(c->medium->data, c->medium->len));
    }
    json_end(c->out);
    return 0;
}

static int letters_get(struct call *c)
{
    if (google_wants_media(c))
        return google_media(c, LETTER, "0123456789", 10);
    json_obj(c->out, NULL);
    json_str(c->out, "title", "ten");
    json_end(c->out);
    return 0;
}

static int64_t crate; /* the blob that came last */

/* Takes what no memory would hold. */
static int crates_insert(struct call *c)
{
    struct blob b;
    char hex[33];
    assert_null(c->medium->data);
    if (bytes_blob(&c->tx, &c->medium->bytes, BLOB_MD5, &b) < 0)
        return -1;
    crate = b.id;
    hex_encode(hex, b.md5, sizeof b.md5);
    json_obj(c->out, NULL);
    json_str_opt(c->out, "title", json_get_str(c->body, "title"));
    json_int(c->out, "size", b.length);
    json_str(c->out, "md5", hex);
    json_end(c->out);
    return 0;
}

static int crates_get(struct call *c)
{
    return google_media_blob(c, LETTER, crate);
}

static const struct media crates = {.max = BLOB_MAX, .accept = "*/*"};
static const struct media letters = {.max = MAX, .accept = "message/*"};
static const struct param params[] = {
    {.name = "box", .place = IN_PATH, .required = true},
    {.name = "note", .place = IN_QUERY},
};
static const struct route routes[] = {
    {.id = "box.letters.insert",
     .verbs = POST,
     .paths = PATHS("/box/v1/boxes/{box}/letters"),
     .handler = letters_insert,
     .risk = RISK_WRITE,
     .body = BODY_JSON_OPTIONAL,
     .media = &letters,
     .scopes = SCOPE " " OTHER,
     PARAMS(params),
     .request = "Letter",
     .response = "Letter"},
    {.id = "box.letters.get",
     .verbs = GET,
     .paths = PATHS("/box/v1/boxes/{box}/letters"),
     .handler = letters_get,
     .scopes = SCOPE,
     .download = true,
     PARAMS(params),
     .response = "Letter"},
    {.id = "box.crates.insert",
     .verbs = POST,
     .paths = PATHS("/box/v1/boxes/{box}/crates"),
     .handler = crates_insert,
     .risk = RISK_WRITE,
     .body = BODY_JSON_OPTIONAL,
     .media = &crates,
     .scopes = SCOPE,
     PARAMS(params),
     .request = "Letter",
     .response = "Letter"},
    {.id = "box.crates.get",
     .verbs = GET,
     .paths = PATHS("/box/v1/boxes/{box}/crates"),
     .handler = crates_get,
     .scopes = SCOPE,
     .download = true,
     PARAMS(params),
     .response = "Letter"},
    {.id = "box.boxes.get",
     .verbs = GET,
     .paths = PATHS("/box/v1/boxes/{box}"),
     .handler = letters_get,
     .scopes = SCOPE,
     PARAMS(params),
     .response = "Letter"},
};
static const struct rows all_rows = ROWS(routes);
static const struct field letter_fields[] = {
    {.name = "actor", .type = "string"},
    {.name = "size", .type = "integer"},
    {.name = "title", .type = "string"},
};
static const struct schema schemas[] = {
    {.name = "Letter", .fields = letter_fields, .n_fields = SOSIA_LEN(letter_fields)},
};
static const struct google_api box_api = {
    .name = "box",
    .version = "v1",
    .title = "Box API",
    .service_path = "box/v1/",
    .batch_path = "batch/box/v1",
    .batch_max = 5,
    .service = "box.googleapis.com",
    .method_prefix = "box.v1.",
    .envelope = GOOGLE_STATUS,
    .strict = true,
    .cache_headers = true,
};
static const char *const prefixes[] = {"/box", NULL};
static const struct dialect box = {.name = "box.google",
                                   .vendor = &google_vendor,
                                   .prefixes = prefixes,
                                   .tables = TABLES(&all_rows),
                                   .schemas = schemas,
                                   .n_schemas = SOSIA_LEN(schemas),
                                   .facts = &box_api};

static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, &google_core, NULL},
    .dialects = (const struct dialect *const[]){&box, &google_dialect_common, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

/* ---- requests ---- */

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-03-12T07:43:15Z\",\n"
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"},\n"
    "{\"email\":\"bob@acme.example\",\"name\":\"Bob\",\"zone\":\"Europe/Rome\"}],\n"
    "\"tokens\":[{\"token\":\"ada-token\",\"actor\":\"ada@acme.example\"},\n"
    "{\"token\":\"bob-token\",\"actor\":\"bob@acme.example\"},\n"
    "{\"token\":\"ada-box-token\",\"actor\":\"ada@acme.example\",\"scopes\":\"" SCOPE "\"}]}";

char location[2048];
char big[MAX + GRAIN];

int open_world(void **state)
{
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (char)(i * 7 + i / 251);
    if (test_open_engine_of(services) < 0)
        return -1;
    test_world = test_world_of(DOC);
    return 0;
}

static int64_t give(void *arg, char *to, size_t size)
{
    struct sosia_request *left = arg;
    size_t n = size < left->body_len ? size : left->body_len;
    memcpy(to, left->body, n);
    left->body += n;
    left->body_len -= n;
    return (int64_t)n;
}

static size_t split_lines(char *text, struct sosia_header *headers, size_t max)
{
    size_t n = 0;
    for (char *line = strtok(text, "\n"); line && n < max; line = strtok(NULL, "\n")) {
        char *colon = strstr(line, ": ");
        assert_non_null(colon);
        *colon = 0;
        headers[n++] = (struct sosia_header){line, colon + 2};
    }
    return n;
}

void send_ask(const struct ask *a)
{
    struct sosia_header headers[12] = {0};
    char bearer[64], lines[1024];
    snprintf(lines, sizeof lines, "%s", a->lines ? a->lines : "");
    struct sosia_request r = {.method = a->method ? a->method : "POST",
                              .target = a->target,
                              .headers = headers,
                              .body = a->body,
                              .body_len = a->len    ? a->len
                                          : a->body ? strlen(a->body)
                                                    : 0,
                              .base_url = "http://localhost:8787"};
    r.n_headers = split_lines(lines, headers, 10);
    snprintf(bearer, sizeof bearer, "Bearer %s", a->token ? a->token : "ada-token");
    if (!a->nobody)
        headers[r.n_headers++] = (struct sosia_header){"Authorization", bearer};
    struct sosia_request left = r;
    if (a->pulled) {
        r.body = NULL;
        r.body_len = 0;
        r.read = give;
        r.read_arg = &left;
        r.length = (int64_t)left.body_len;
    }
    test_call(a->world ? a->world : test_world, &r);
}

int64_t member(const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *p = strstr(test_response->body, key);
    return p ? strtoll(p + strlen(key), NULL, 10) : -1;
}

void assert_says(int status, const char *text)
{
    if (test_response->status != status || !strstr(test_response->body, text))
        fail_msg("%d %s", test_response->status, test_response->body);
}

void assert_arrived(size_t n)
{
    assert_says(200, "\"title\": \"x\"");
    assert_int_equal(member("size"), n);
    assert_int_equal(member("sum"), sum_of(big, n));
}

void begin(const char *target, const char *lines)
{
    ASK(.target = target, .body = "{\"title\":\"x\"}", .lines = lines);
    assert_int_equal(test_response->status, 200);
    assert_int_equal(test_response->body_len, 0);
    const char *url = test_header("Location");
    if (!*url)
        url = test_header("X-Goog-Upload-URL");
    assert_memory_equal(url, "http://localhost:8787/", 22);
    snprintf(location, sizeof location, "%s", url + 21);
}

void put(size_t from, size_t n, const char *range)
{
    char lines[200] = "";
    if (range)
        snprintf(lines, sizeof lines, "Content-Range: %s", range);
    ASK(.method = "PUT", .target = location, .body = big + from, .len = n, .lines = lines);
}

void assert_has(size_t n)
{
    char text[64];
    snprintf(text, sizeof text, "bytes=0-%zu", n - 1);
    assert_int_equal(test_response->status, 308);
    assert_int_equal(test_response->body_len, 0);
    assert_string_equal(test_header("Range"), n ? text : "");
}
