/* SPDX-License-Identifier: Apache-2.0 */
/* Media for methods of a Google API, on one of our own: boxes, which take letters. */
#include "engine/service.h"
#include "vendors/google/google.h"
#include "identity/identity.h"
#include "vendors/google/upload.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>
#include "engine/base/codec.h"
#include <gnutls/crypto.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the API ---- */

#define SCOPE  "https://www.googleapis.com/auth/box"
#define OTHER  "https://www.googleapis.com/auth/box.more"
#define MAX    (2 * 1024 * 1024)
#define GRAIN  UPLOAD_GRANULE
#define LETTER "message/rfc822"

static unsigned sum_of(const char *data, size_t len)
{
    unsigned sum = 7;
    for (size_t i = 0; i < len; i++)
        sum = sum * 31 + (unsigned char)data[i];
    return sum;
}

/* Says what it was called with. */
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

/* ---- asking ---- */

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-03-12T07:43:15Z\",\n"
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"},\n"
    "{\"email\":\"bob@acme.example\",\"name\":\"Bob\",\"zone\":\"Europe/Rome\"}],\n"
    "\"tokens\":[{\"token\":\"ada-token\",\"actor\":\"ada@acme.example\"},\n"
    "{\"token\":\"bob-token\",\"actor\":\"bob@acme.example\"},\n"
    "{\"token\":\"ada-box-token\",\"actor\":\"ada@acme.example\",\"scopes\":\"" SCOPE "\"}]}";

static char location[2048]; /* of the session that was begun last, behind the host */
static char big[MAX + GRAIN];

static int open_world(void **state)
{
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (char)(i * 7 + i / 251);
    if (test_open_engine_of(services) < 0)
        return -1;
    test_world = test_world_of(DOC);
    return 0;
}

struct ask {
    const char *method, *target, *body;
    size_t len;        /* of the body; 0: a text */
    const char *lines; /* headers: "Name: value\nName: value" */
    bool nobody;       /* without a token */
    const char *token;
    uint64_t world;
    bool pulled; /* the body is */
};

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

static void send_ask(const struct ask *a)
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
#define ASK(...) send_ask(&(struct ask){__VA_ARGS__})

static int64_t member(const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *p = strstr(test_response->body, key);
    return p ? strtoll(p + strlen(key), NULL, 10) : -1;
}

static void assert_says(int status, const char *text)
{
    if (test_response->status != status || !strstr(test_response->body, text))
        fail_msg("%d %s", test_response->status, test_response->body);
}

/* The method was called with the first n bytes of big. */
static void assert_arrived(size_t n)
{
    assert_says(200, "\"title\": \"x\"");
    assert_int_equal(member("size"), n);
    assert_int_equal(member("sum"), sum_of(big, n));
}

#define UP "/upload/box/v1/boxes/b/letters"

static void begin(const char *target, const char *lines)
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

/* Sends a piece of big. range NULL: none is named. */
static void put(size_t from, size_t n, const char *range)
{
    char lines[200] = "";
    if (range)
        snprintf(lines, sizeof lines, "Content-Range: %s", range);
    ASK(.method = "PUT", .target = location, .body = big + from, .len = n, .lines = lines);
}

static void assert_has(size_t n)
{
    char text[64];
    snprintf(text, sizeof text, "bytes=0-%zu", n - 1);
    assert_int_equal(test_response->status, 308);
    assert_int_equal(test_response->body_len, 0);
    assert_string_equal(test_header("Range"), n ? text : "");
}

/* ---- in one request ---- */

static void media_alone_reach_the_method(void **state)
{
    ASK(.target = UP "?uploadType=media&note=hm", .body = "From: a\r\n\r\nhi",
        .lines = "Content-Type: message/rfc822");
    assert_says(200, "\"type\": \"message/rfc822\"");
    assert_says(200, "\"note\": \"hm\"");
    assert_int_equal(member("size"), 13);
    assert_string_equal(test_header("Server"), "UploadServer");
    assert_true(strlen(test_header("X-GUploader-UploadID")) > 40);
    assert_string_equal(test_header("Content-Type"), "application/json; charset=UTF-8");
    ASK(.target = UP "?upload_protocol=raw", .body = "x",
        .lines = "Content-Type: message/x-letter");
    assert_int_equal(member("size"), 1);
}

static void both_paths_lead_to_the_row(void **state)
{
    ASK(.target = "/resumable" UP "?uploadType=media", .body = "x",
        .lines = "Content-Type: " LETTER);
    assert_int_equal(member("size"), 1);
    ASK(.target = "/upload/box/v1/boxes/b", .body = "x");
    assert_says(404, "There is nothing at");
    ASK(.method = "PUT", .target = UP "?uploadType=media", .body = "x");
    assert_says(404, "There is nothing at");
    ASK(.method = "GET", .target = UP);
    assert_says(404, "There is nothing at");
}

static void a_type_that_is_not_taken_is_named(void **state)
{
    ASK(.target = UP "?uploadType=media", .body = "x", .lines = "Content-Type: image/png");
    assert_says(400, "Media type 'image/png' is not supported. Valid media types: [message/*]");
    assert_says(400, "\"reason\": \"badContent\"");
    ASK(.target = UP "?uploadType=media", .body = "x");
    assert_says(400, "'application/octet-stream'");
    ASK(.target = UP "?uploadType=media", .body = "x", .lines = "Content-Type: message/");
    assert_says(400, "'message/'");
}

static void what_is_too_large_gives_413(void **state)
{
    ASK(.target = UP "?uploadType=media", .body = big, .len = MAX,
        .lines = "Content-Type: " LETTER);
    assert_int_equal(member("size"), MAX);
    ASK(.target = UP "?uploadType=media", .body = big, .len = MAX + 1,
        .lines = "Content-Type: " LETTER);
    assert_says(413, "\"reason\": \"uploadTooLarge\"");
    ASK(.target = UP "?uploadType=resumable",
        .lines = "X-Upload-Content-Length: 2097153\nX-Upload-Content-Type: " LETTER);
    assert_says(413, "Request Too Large");
}

static void an_upload_of_no_known_kind_is_refused(void **state)
{
    ASK(.target = UP, .body = "x", .lines = "Content-Type: " LETTER);
    assert_says(400, "Invalid Upload Request");
    ASK(.target = UP "?uploadType=pigeon", .body = "x");
    assert_says(400, "Invalid Upload Request");
    assert_string_equal(test_header("Content-Type"), "text/plain; charset=utf-8");
}

static void credentials_are_asked_for_on_these_paths_too(void **state)
{
    ASK(.target = UP "?uploadType=media", .body = "x", .nobody = true);
    assert_int_equal(test_response->status, 401);
    ASK(.target = UP "?uploadType=resumable", .nobody = true);
    assert_int_equal(test_response->status, 401);
}

#define RELATED "Content-Type: multipart/related; boundary=\"b b\""
#define PART_1  "--b b\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{\"title\":\"x\"}\r\n"

static void two_parts_are_metadata_and_media(void **state)
{
    ASK(.target = UP "?uploadType=multipart", .lines = RELATED,
        .body = PART_1 "--b b\r\nContent-Type: message/rfc822\r\n\r\nFrom: a\r\n\r\nhi\r\n--b b--");
    assert_says(200, "\"title\": \"x\"");
    assert_says(200, "\"type\": \"message/rfc822\"");
    assert_int_equal(member("size"), 13);
    assert_int_equal(member("sum"), sum_of("From: a\r\n\r\nhi", 13));
}

static void a_part_may_be_base64(void **state)
{
    ASK(.target = UP "?uploadType=multipart", .lines = RELATED,
        .body = PART_1 "--b b\r\nContent-Type: message/rfc822\r\n"
                       "Content-Transfer-Encoding: base64\r\n\r\nRnJv\r\nbTogYQ==\r\n--b b--\r\n");
    assert_int_equal(member("size"), 7);
    assert_int_equal(member("sum"), sum_of("From: a", 7));
    ASK(.target = UP "?uploadType=multipart", .lines = RELATED,
        .body = PART_1 "--b b\r\nContent-Type: message/rfc822\r\n"
                       "Content-Transfer-Encoding: base64\r\n\r\nRn!v\r\n--b b--\r\n");
    assert_says(400, "Malformed multipart body.");
}

static void malformed_parts_are_refused_in_plain_words(void **state)
{
    static const struct {
        const char *type, *body, *says;
    } table[] = {
        {RELATED, PART_1 "--b b\r\nContent-Type: " LETTER "\r\n\r\nhi",
         "Missing end boundary in multipart body."},
        {RELATED, "nothing", "Malformed multipart body."},
        {RELATED, PART_1 PART_1 PART_1 "--b b--", "Malformed multipart body."},
        {RELATED, "--b b--", "Invalid multipart request with 0 mime parts."},
        {"Content-Type: multipart/related", PART_1, "Malformed multipart body."},
        {"Content-Type: multipart/form-data; boundary=x", PART_1,
         "Media type 'multipart/form-data; boundary=x' is not supported. Valid media types: "
         "[multipart/related]"},
        {RELATED, "--b b\r\n\r\n{\"colour\":1}\r\n--b b\r\n\r\nhi\r\n--b b--",
         "Unknown name \\\"colour\\\""},
        {RELATED, "--b b\r\n\r\n{\"title\r\n--b b\r\n\r\nhi\r\n--b b--", "Invalid JSON payload"},
    };
    for (size_t i = 0; i < SOSIA_LEN(table); i++) {
        ASK(.target = UP "?uploadType=multipart", .lines = table[i].type, .body = table[i].body);
        assert_says(400, table[i].says);
    }
}

static void one_part_is_metadata_alone(void **state)
{
    ASK(.target = UP "?uploadType=multipart", .lines = RELATED, .body = PART_1 "--b b--");
    assert_says(200, "\"title\": \"x\"");
    assert_int_equal(member("size"), -1);
}

/* ---- in pieces ---- */

static void a_session_keeps_path_and_query(void **state)
{
    begin(UP "?uploadType=resumable&note=a%20b&access_token=ada-token",
          "X-Upload-Content-Type: " LETTER "\nX-Upload-Content-Length: 600000");
    assert_memory_equal(location, UP "?uploadType=resumable&note=a%20b&upload_id=AHVrFx", 78);
    assert_string_equal(test_header("X-GUploader-UploadID"), strstr(location, "AHVrFx"));
    assert_string_equal(test_header("Server"), "UploadServer");
    assert_string_equal(test_header("Cache-Control"),
                        "no-cache, no-store, max-age=0, must-revalidate");
    put(0, GRAIN, "bytes 0-262143/600000");
    assert_has(GRAIN);
    put(GRAIN, GRAIN, "bytes 262144-524287/600000");
    assert_has(2 * GRAIN);
    put(2 * GRAIN, 600000 - 2 * GRAIN, "bytes 524288-599999/600000");
    assert_arrived(600000);
    assert_says(200, "\"note\": \"a b\"");
}

static void one_piece_is_enough(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, 1000, NULL);
    assert_arrived(1000);
    begin(UP "?uploadType=resumable", NULL);
    ASK(.method = "PUT", .target = location, .body = big, .len = 1000,
        .lines = "Content-Type: " LETTER "\nContent-Range: bytes 0-999/1000");
    assert_arrived(1000);
}

static void nothing_at_all_can_be_uploaded(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, 0, "bytes */0");
    assert_arrived(0);
}

static void the_state_can_be_asked_for(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, 0, "bytes */*");
    assert_has(0);
    put(0, 2 * GRAIN, "bytes 0-524287/*");
    assert_has(2 * GRAIN);
    put(0, 0, "bytes */600000");
    assert_has(2 * GRAIN);
    put(0, 0, "bytes */*");
    assert_has(2 * GRAIN);
    put(0, 0, "bytes */524288"); /* that was all */
    assert_arrived(2 * GRAIN);
    put(0, 0, "bytes */*");
    assert_arrived(2 * GRAIN);
    put(0, GRAIN, "bytes 0-262143/*");
    assert_arrived(2 * GRAIN);
}

static void programs_that_follow_308_get_200(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    ASK(.method = "PUT", .target = location, .body = big, .len = GRAIN,
        .lines = "Content-Range: bytes 0-262143/*\nX-GUploader-No-308: yes");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_header("X-Http-Status-Code-Override"), "308");
    assert_string_equal(test_header("Range"), "bytes=0-262143");
}

static void a_piece_must_be_a_granule_or_the_last(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, 1024, "bytes 0-1023/2048");
    assert_says(400, "Invalid request.  The number of bytes uploaded is required to be equal or "
                     "greater than 262144, except for the final request (it's recommended to be "
                     "the exact multiple of 262144).  The received request contained 1024 bytes, "
                     "which does not meet this requirement.");
    put(0, GRAIN + 5, "bytes 0-262148/*"); /* whole granules are kept */
    assert_has(GRAIN);
    put(GRAIN, 10, "bytes 262144-262153/262154");
    assert_arrived(GRAIN + 10);
}

static void what_has_come_is_not_taken_twice(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    put(0, GRAIN, "bytes 0-262143/*");
    assert_has(GRAIN);
    put(0, 2 * GRAIN, "bytes 0-524287/*");
    assert_has(2 * GRAIN);
    put(GRAIN, GRAIN + 9, "bytes 262144-524296/524297");
    assert_arrived(2 * GRAIN + 9);
}

static void a_gap_is_refused(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    put(2 * GRAIN, GRAIN, "bytes 524288-786431/*");
    assert_says(503, "the upload offset is 524288 byte(s), which exceeds already uploaded size of "
                     "262144 byte(s).");
    put(0, 0, "bytes */*");
    assert_has(GRAIN);
}

static void ranges_that_make_no_sense_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "bytes",
                                      "bytes 0-9",
                                      "bytes 9-0/10",
                                      "bytes 0-10/10",
                                      "bytes */",
                                      "bytes -9/10",
                                      "bytes 0-/10",
                                      "bytes 0-9/x",
                                      "byte 0-9/10",
                                      "bytes*/10",
                                      "bytes 0-9/10 ",
                                      "bytes 0--1/0",
                                      "bytes 0-9/10,1-2",
                                      "bytes=0-9/10",
                                      "bytes */-1",
                                      "bytes 0-99999999999999999999/*",
                                      "bytes */99999999999999999999"};
    begin(UP "?uploadType=resumable",
          "X-Upload-Content-Type: " LETTER "\nX-Upload-Content-Length: 10");
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        put(0, 10, bad[i]);
        assert_says(400, "Failed to parse Content-Range header.");
    }
    put(0, 9, "bytes 0-8/9"); /* ten were announced */
    assert_says(400, "Failed to parse Content-Range header.");
    put(0, 8, "bytes 0-9/10");
    assert_says(400, "There were 8 byte(s) in the request body.  There should have been 10 byte(s) "
                     "(starting at offset 0 and ending at offset 9)");
    put(0, 10, "bytes 0-9/10");
    assert_arrived(10);
}

static void pieces_can_be_too_large_together(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, MAX, "bytes 0-2097151/*");
    assert_has(MAX);
    put(MAX, GRAIN, "bytes 2097152-2359295/*");
    assert_says(413, "uploadTooLarge");
    put(0, 0, "bytes */2097153");
    assert_says(413, "uploadTooLarge");
    put(0, 0, "bytes */2097152");
    assert_arrived(MAX);
}

static void a_refusal_leaves_the_session_as_it_was(void **state)
{
    ASK(.target = UP "?uploadType=resumable", .body = "{\"title\":\"refused\"}",
        .lines = "X-Upload-Content-Type: " LETTER);
    snprintf(location, sizeof location, "%s", test_header("Location") + 21);
    put(0, GRAIN, "bytes 0-262143/*");
    put(GRAIN, 5, "bytes 262144-262148/262149");
    assert_says(400, "No such title");
    put(0, 0, "bytes */*");
    assert_has(GRAIN);
}

static void a_session_needs_no_token(void **state)
{
    ASK(.target = UP "?uploadType=resumable", .body = "{\"title\":\"x\"}", .token = "ada-box-token",
        .lines = "X-Upload-Content-Type: " LETTER);
    snprintf(location, sizeof location, "%s", test_header("Location") + 21);
    ASK(.method = "PUT", .target = location, .body = "abc", .nobody = true);
    assert_says(200, "\"actor\": \"ada@acme.example\"");
    assert_says(200, "\"other\": false"); /* no more than the token allowed */
}

static void a_session_belongs_to_who_began_it(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    ASK(.method = "PUT", .target = location, .body = "abc", .token = "bob-token");
    assert_says(404, "Not Found");
    ASK(.method = "PUT", .target = location, .body = "abc", .token = "no-such-token");
    assert_int_equal(test_response->status, 401);
}

static void an_unknown_session_gives_404(void **state)
{
    ASK(.method = "PUT", .target = UP "?upload_id=AHVrFx", .body = "abc", .nobody = true);
    assert_says(404, "Not Found");
    assert_string_equal(test_header("Content-Type"), "text/plain; charset=utf-8");
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    char other[2100];
    snprintf(other, sizeof other, "/upload/box/v1/boxes/c/letters%s", strchr(location, '?'));
    ASK(.method = "PUT", .target = other, .body = "abc");
    assert_says(404, "Not Found");
}

static void a_session_ends_after_a_week_of_the_worlds_clock(void **state)
{
    const int64_t day = INT64_C(86400000000);
    uint64_t fork;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    uint64_t main_world = test_world;
    test_world = fork;
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    assert_int_equal(sosia_clock_advance(test_engine, fork, 7 * day - 1, &test_err), 0);
    put(0, 0, "bytes */*");
    assert_has(0);
    assert_int_equal(sosia_clock_advance(test_engine, fork, 1, &test_err), 0);
    put(0, 0, "bytes */*");
    assert_says(404, "Not Found");
    test_world = main_world;
    assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
}

static void sessions_fork_with_their_world(void **state)
{
    uint64_t fork;
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    put(GRAIN, 1, "bytes 262144-262144/262145");
    assert_arrived(GRAIN + 1);
    ASK(.method = "PUT", .target = location, .body = big + GRAIN, .len = 2, .world = fork,
        .lines = "Content-Range: bytes 262144-262145/262146");
    assert_arrived(GRAIN + 2);
    assert_int_equal(sosia_world_reset(test_engine, fork, &test_err), 0);
    ASK(.method = "PUT", .target = location, .lines = "Content-Range: bytes */*", .world = fork);
    assert_has(GRAIN);
    assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
}

static void sessions_go_along_with_an_export(void **state)
{
    char path[] = "/tmp/sosia-upload-XXXXXX";
    uint64_t other;
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    close(mkstemp(path));
    assert_int_equal(sosia_world_export(test_engine, test_world, path, &test_err), 0);
    if (sosia_world_import(test_engine, path, NULL, &other, &test_err) < 0)
        fail_msg("%s", test_err.text);
    unlink(path);
    ASK(.method = "PUT", .target = location, .body = big + GRAIN, .len = 2, .world = other,
        .lines = "Content-Range: bytes 262144-262145/262146");
    assert_arrived(GRAIN + 2);
    assert_int_equal(sosia_world_drop(test_engine, other, &test_err), 0);
}

/* Beyond what is kept in memory of a request. */
#define CRATE ((size_t)5 * GRAIN + 100)
#define IN    "/upload/box/v1/boxes/b/crates"

static void assert_crated(const char *title)
{
    uint8_t sum[16];
    char hex[33], part[1000];
    gnutls_hash_fast(GNUTLS_DIG_MD5, big, CRATE, sum);
    hex_encode(hex, sum, sizeof sum);
    assert_says(200, hex);
    assert_says(200, title);
    assert_int_equal(member("size"), CRATE);
    ASK(.method = "GET", .target = "/box/v1/boxes/b/crates?alt=media",
        .lines = "Range: bytes=70000-");
    assert_int_equal(test_response->status, 206);
    assert_string_equal(test_header("Content-Type"), LETTER);
    assert_int_equal(test_response->length, CRATE - 70000);
    assert_int_equal(test_response->read(test_response, 0, part, sizeof part), sizeof part);
    assert_memory_equal(part, big + 70000, sizeof part);
}

static void large_media_are_never_in_memory(void **state)
{
    static char body[CRATE + 500];
    ASK(.target = IN "?uploadType=media", .body = big, .len = CRATE, .pulled = true,
        .lines = "Content-Type: application/zip");
    assert_crated("");
    size_t n = (size_t)sprintf(body, PART_1 "--b b\r\nContent-Type: application/zip\r\n\r\n");
    memcpy(body + n, big, CRATE);
    n += CRATE;
    n += (size_t)sprintf(body + n, "\r\n--b b--");
    ASK(.target = IN "?uploadType=multipart", .lines = RELATED, .body = body, .len = n,
        .pulled = true);
    assert_crated("\"title\": \"x\"");
    begin(IN "?uploadType=resumable", NULL);
    ASK(.method = "PUT", .target = location, .body = big, .len = 4 * GRAIN + 1000, .pulled = true,
        .lines = "Content-Range: bytes 0-1049575/*");
    assert_has(4 * GRAIN); /* whole granules */
    ASK(.method = "PUT", .target = location, .body = big + 4 * GRAIN, .len = GRAIN + 100,
        .lines = "Content-Range: bytes 1048576-1310819/1310820");
    assert_crated("\"title\": \"x\"");
}

static uint64_t size_of_world(void)
{
    struct sosia_world_info info;
    assert_int_equal(sosia_world_info(test_engine, test_world, &info, &test_err), 0);
    return info.size;
}

/* Whether it comes to its end or not. */
static void what_came_is_no_burden_afterwards(void **state)
{
    uint64_t before = size_of_world();
    for (int i = 0; i < 2; i++) {
        begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
        put(0, 4 * GRAIN, "bytes 0-1048575/*");
        assert_has(4 * GRAIN);
        assert_true(size_of_world() > before + 3 * GRAIN);
        if (i)
            ASK(.method = "DELETE", .target = location);
        else
            put(4 * GRAIN, GRAIN, "bytes 1048576-1310719/1310720");
        assert_int_equal(test_response->status, i ? 499 : 200);
        assert_in_range(size_of_world(), before, before + 50000);
    }
}

static void a_session_can_be_given_up(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    ASK(.method = "DELETE", .target = location);
    assert_int_equal(test_response->status, 499);
    put(0, 0, "bytes */*");
    assert_says(404, "Not Found");
}

/* ---- with commands ---- */

#define START                                                                                      \
    "X-Goog-Upload-Protocol: resumable\nX-Goog-Upload-Command: start\n"                            \
    "X-Goog-Upload-Header-Content-Type: " LETTER "\n"

static void command(const char *text, size_t from, size_t n)
{
    char lines[300];
    snprintf(lines, sizeof lines, "X-Goog-Upload-Command: %s\nX-Goog-Upload-Offset: %zu", text,
             from);
    ASK(.target = location, .body = big + from, .len = n, .lines = lines);
}

static void commands_lead_through_an_upload(void **state)
{
    begin(UP "?note=n", START "X-Goog-Upload-Header-Content-Length: 262149");
    assert_string_equal(test_header("X-Goog-Upload-Status"), "active");
    assert_string_equal(test_header("X-Goog-Upload-Chunk-Granularity"), "262144");
    assert_non_null(strstr(location, "&upload_protocol=resumable"));
    command("query", 0, 0);
    assert_string_equal(test_header("X-Goog-Upload-Size-Received"), "0");
    command("upload", 0, GRAIN);
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_header("X-Goog-Upload-Status"), "active");
    command("query", 0, 0);
    assert_string_equal(test_header("X-Goog-Upload-Size-Received"), "262144");
    command("upload, finalize", GRAIN, 5);
    assert_arrived(GRAIN + 5);
    assert_says(200, "\"note\": \"n\"");
    assert_string_equal(test_header("X-Goog-Upload-Status"), "final");
    command("query", 0, 0);
    assert_string_equal(test_header("X-Goog-Upload-Status"), "final");
    command("finalize", 0, 0);
    assert_arrived(GRAIN + 5);
}

static void commands_that_make_no_sense_are_refused(void **state)
{
    begin(UP, START);
    command("upload, sing", 0, GRAIN);
    assert_says(400, "Invalid Upload Request");
    command("query, upload", 0, GRAIN);
    assert_says(400, "Invalid Upload Request");
    command("upload", GRAIN, GRAIN);
    assert_says(400, "already uploaded size of 0 byte(s)");
    command("upload", 0, 100);
    assert_says(400, "The received request contained 100 bytes");
    assert_string_equal(test_header("X-Goog-Upload-Status"), "active");
    command("cancel", 0, 0);
    assert_string_equal(test_header("X-Goog-Upload-Status"), "cancelled");
    command("query", 0, 0);
    assert_says(404, "Not Found");
}

static void an_announced_length_must_come(void **state)
{
    begin(UP, START "X-Goog-Upload-Header-Content-Length: 7");
    command("upload, finalize", 0, 5);
    assert_says(400, "7 byte(s) were announced");
}

/* ---- beside uploads ---- */

static void the_discovery_document_tells_of_media(void **state)
{
    ASK(.method = "GET", .target = "/discovery/v1/apis/box/v1/rest?prettyPrint=false",
        .nobody = true);
    assert_says(200, "\"supportsMediaUpload\":true,\"mediaUpload\":{\"accept\":[\"message/*\"],"
                     "\"maxSize\":\"2097152\",\"protocols\":{\"resumable\":{\"multipart\":true,"
                     "\"path\":\"/resumable/upload/box/v1/boxes/{box}/letters\"},\"simple\":{"
                     "\"multipart\":true,\"path\":\"/upload/box/v1/boxes/{box}/letters\"}}}");
    assert_says(200, "\"supportsMediaDownload\":true");
}

static void media_are_given_whole_or_in_part(void **state)
{
    static const struct {
        const char *range, *body, *content_range;
        int status;
    } table[] = {
        {"bytes=0-3", "0123", "bytes 0-3/10", 206},
        {"bytes=7-", "789", "bytes 7-9/10", 206},
        {"bytes=-2", "89", "bytes 8-9/10", 206},
        {"bytes=-20", "0123456789", "bytes 0-9/10", 206},
        {"bytes=8-99", "89", "bytes 8-9/10", 206},
        {"bytes=10-", "", "bytes */10", 416},
        {"bytes=-0", "", "bytes */10", 416},
        {"bytes=5-3", "0123456789", "", 200},
        {"bytes=0-1,4-5", "0123456789", "", 200},
        {"letters=0-1", "0123456789", "", 200},
        {"bytes=-", "0123456789", "", 200},
    };
    char lines[100];
    ASK(.method = "GET", .target = "/box/v1/boxes/b/letters?alt=media");
    assert_string_equal(test_response->body, "0123456789");
    assert_string_equal(test_header("Content-Type"), LETTER);
    for (size_t i = 0; i < SOSIA_LEN(table); i++) {
        snprintf(lines, sizeof lines, "Range: %s", table[i].range);
        ASK(.method = "GET", .target = "/box/v1/boxes/b/letters?alt=media", .lines = lines);
        assert_int_equal(test_response->status, table[i].status);
        assert_string_equal(test_response->body, table[i].body);
        assert_string_equal(test_header("Content-Range"), table[i].content_range);
    }
    ASK(.method = "GET", .target = "/box/v1/boxes/b/letters");
    assert_says(200, "\"title\": \"ten\"");
    ASK(.method = "GET", .target = "/box/v1/boxes/b?alt=media");
    assert_says(400, "Unsupported alt type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(media_alone_reach_the_method),
        cmocka_unit_test(both_paths_lead_to_the_row),
        cmocka_unit_test(a_type_that_is_not_taken_is_named),
        cmocka_unit_test(what_is_too_large_gives_413),
        cmocka_unit_test(an_upload_of_no_known_kind_is_refused),
        cmocka_unit_test(credentials_are_asked_for_on_these_paths_too),
        cmocka_unit_test(two_parts_are_metadata_and_media),
        cmocka_unit_test(a_part_may_be_base64),
        cmocka_unit_test(malformed_parts_are_refused_in_plain_words),
        cmocka_unit_test(one_part_is_metadata_alone),
        cmocka_unit_test(a_session_keeps_path_and_query),
        cmocka_unit_test(one_piece_is_enough),
        cmocka_unit_test(nothing_at_all_can_be_uploaded),
        cmocka_unit_test(the_state_can_be_asked_for),
        cmocka_unit_test(programs_that_follow_308_get_200),
        cmocka_unit_test(a_piece_must_be_a_granule_or_the_last),
        cmocka_unit_test(what_has_come_is_not_taken_twice),
        cmocka_unit_test(a_gap_is_refused),
        cmocka_unit_test(ranges_that_make_no_sense_are_refused),
        cmocka_unit_test(pieces_can_be_too_large_together),
        cmocka_unit_test(a_refusal_leaves_the_session_as_it_was),
        cmocka_unit_test(a_session_needs_no_token),
        cmocka_unit_test(a_session_belongs_to_who_began_it),
        cmocka_unit_test(an_unknown_session_gives_404),
        cmocka_unit_test(a_session_ends_after_a_week_of_the_worlds_clock),
        cmocka_unit_test(sessions_fork_with_their_world),
        cmocka_unit_test(sessions_go_along_with_an_export),
        cmocka_unit_test(large_media_are_never_in_memory),
        cmocka_unit_test(what_came_is_no_burden_afterwards),
        cmocka_unit_test(a_session_can_be_given_up),
        cmocka_unit_test(commands_lead_through_an_upload),
        cmocka_unit_test(commands_that_make_no_sense_are_refused),
        cmocka_unit_test(an_announced_length_must_come),
        cmocka_unit_test(the_discovery_document_tells_of_media),
        cmocka_unit_test(media_are_given_whole_or_in_part),
    };
    return cmocka_run_group_tests(tests, open_world, test_close_engine);
}
