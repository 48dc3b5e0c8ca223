/* SPDX-License-Identifier: Apache-2.0 */
/* Google's conventions on an API of our own: notes, with one of each kind of method. */
#include "engine/service.h"
#include "vendors/google/google.h"
#include "engine/http/multipart.h"
#include "identity/identity.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the API ---- */

#define READ  "https://www.googleapis.com/auth/notes.readonly"
#define WRITE "https://www.googleapis.com/auth/notes"

static const char *const orders[] = {"title", "updated", NULL};

static const struct param list_params[] = {
    {.name = "book", .place = IN_PATH, .required = true},
    {.name = "maxResults", .place = IN_QUERY, .type = PARAM_INT, .def = "2", .min = 1, .max = 250},
    {.name = "orderBy", .place = IN_QUERY, .type = PARAM_ENUM, .values = orders},
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "q", .place = IN_QUERY},
    {.name = "since", .place = IN_QUERY, .type = PARAM_DATETIME},
    {.name = "showDeleted", .place = IN_QUERY, .type = PARAM_BOOL},
};
static const struct param get_params[] = {
    {.name = "book", .place = IN_PATH, .required = true},
    {.name = "note", .place = IN_PATH, .required = true},
};
static const struct param quick_params[] = {
    {.name = "book", .place = IN_PATH, .required = true},
    {.name = "text", .place = IN_QUERY, .required = true},
};

static int notes_list(struct call *c)
{
    const char *position = "0";
    int64_t max = param_num(c, "maxResults", 2), first;
    if (google_page_position(c, &position) < 0)
        return -1;
    first = strtoll(position, NULL, 10);
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "notes#notes");
    if (first + max < 5)
        json_str(c->out, "nextPageToken",
                 google_page_token(c, arena_printf(c->tx.arena, "%d", (int)(first + max))));
    json_arr(c->out, "items");
    for (int64_t i = first; i < 5 && i < first + max; i++) {
        json_obj(c->out, NULL);
        json_str(c->out, "id", arena_printf(c->tx.arena, "n%d", (int)i));
        json_str(c->out, "title", "a <b> & c");
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int notes_get(struct call *c)
{
    const char *id = param_str(c, "note");
    if (strcmp(id, "gone") == 0)
        return call_fail(c, SOSIA_E_GONE, NULL, "note", "%s", "");
    if (strcmp(id, "none") == 0)
        return call_fail(c, SOSIA_E_NOT_FOUND, NULL, "note", "%s", "");
    if (strcmp(id, "slow") == 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, "rateLimitExceeded", NULL, "Rate Limit Exceeded");
    c->etag = "\"17\"";
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "notes#note");
    json_str(c->out, "id", id);
    json_end(c->out);
    return 0;
}

static int notes_insert(struct call *c)
{
    const char *title = json_get_str(c->body, "title");
    if (!title)
        return call_fail(c, SOSIA_E_INVALID, "required", NULL, "Missing title.");
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "notes#note");
    json_str(c->out, "title", title);
    json_end(c->out);
    return 0;
}

static int notes_delete(struct call *c)
{
    if (google_if_match(c, "\"17\"") < 0)
        return -1;
    c->status = 204;
    return 0;
}

static const struct route routes[] = {
    {.id = "notes.books.notes.list",
     .verbs = GET,
     .paths = PATHS("/notes/v1/books/{book}/notes"),
     .handler = notes_list,
     .scopes = READ " " WRITE,
     PARAMS(list_params),
     .response = "Notes",
     .summary = "Lists notes"},
    {.id = "notes.books.notes.get",
     .verbs = GET,
     .paths = PATHS("/notes/v1/books/{book}/notes/{note}"),
     .handler = notes_get,
     .scopes = READ " " WRITE,
     PARAMS(get_params),
     .response = "Note",
     .anonymous = true,
     .summary = "Gives a note"},
    {.id = "notes.books.notes.insert",
     .verbs = POST,
     .paths = PATHS("/notes/v1/books/{book}/notes"),
     .handler = notes_insert,
     .risk = RISK_WRITE,
     .body = BODY_JSON,
     .scopes = WRITE,
     .params = list_params,
     .n_params = 1,
     .request = "Note",
     .response = "Note"},
    {.id = "notes.books.notes.quickAdd",
     .verbs = POST,
     .paths = PATHS("/notes/v1/books/{book}/quick"),
     .handler = notes_insert,
     .risk = RISK_WRITE,
     .scopes = WRITE,
     PARAMS(quick_params),
     .response = "Note"},
    {.id = "notes.books.notes.delete",
     .verbs = DELETE,
     .paths = PATHS("/notes/v1/books/{book}/notes/{note}"),
     .handler = notes_delete,
     .risk = RISK_WRITE,
     .scopes = WRITE,
     PARAMS(get_params)},
};
static const struct rows all_rows = ROWS(routes);
static const struct field note_fields[] = {
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string", .def = "notes#note"},
    {.name = "labels", .type = "string", .map = true},
    {.name = "title", .type = "string", .required_for = "notes.books.notes.insert"},
};
static const struct field notes_fields[] = {
    {.name = "items", .type = "Note", .list = true},
    {.name = "kind", .type = "string"},
    {.name = "nextPageToken", .type = "string"},
};
static const struct schema schemas[] = {
    {.name = "Note", .fields = note_fields, .n_fields = SOSIA_LEN(note_fields)},
    {.name = "Notes", .fields = notes_fields, .n_fields = SOSIA_LEN(notes_fields)},
};
static const struct google_scope scopes[] = {{WRITE, "Change notes"}, {READ, "See notes"}};
static const struct google_api notes_api = {
    .name = "notes",
    .version = "v1",
    .title = "Notes API",
    .service_path = "notes/v1/",
    .batch_path = "batch/notes/v1",
    .batch_max = 5,
    .service = "notes-json.googleapis.com",
    .method_prefix = "notes.v1.",
    .bad_page_token = "Invalid page token value.",
    .scopes = scopes,
    .n_scopes = SOSIA_LEN(scopes),
    .cache_headers = true,
    .bad_token_info = true,
};
static const char *const prefixes[] = {"/notes", NULL};
static const struct dialect notes = {.name = "notes.google",
                                     .vendor = &google_vendor,
                                     .prefixes = prefixes,
                                     .tables = TABLES(&all_rows),
                                     .schemas = schemas,
                                     .n_schemas = SOSIA_LEN(schemas),
                                     .facts = &notes_api};

static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, NULL},
    .dialects = (const struct dialect *const[]){&notes, &google_dialect_common, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

/* ---- requests ---- */

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-03-12T07:43:15Z\",\n"
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],\n"
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"}],\n"
    "\"tokens\":[{\"token\":\"full-token\",\"actor\":\"ada@acme.example\"},\n"
    "{\"token\":\"read-token\",\"actor\":\"ada@acme.example\",\"scopes\":\"" READ "\"}]}";

static int open_world(void **state)
{
    if (test_open_engine_of(services) < 0)
        return -1;
    test_world = test_world_of(DOC);
    return 0;
}

struct ask {
    const char *method, *target, *token, *body;
    const char *name, *value;   /* a header more */
    const char *name2, *value2; /* and another */
    struct sosia_spool *spool;  /* the body */
};

static void send_ask(const struct ask *a)
{
    struct sosia_header headers[3];
    struct sosia_request r = {.method = a->method ? a->method : "GET",
                              .target = a->target,
                              .headers = headers,
                              .body = a->body,
                              .body_len = a->body ? strlen(a->body) : 0,
                              .spool = a->spool,
                              .base_url = "http://localhost:8787"};
    char bearer[600];
    if (a->token) {
        snprintf(bearer, sizeof bearer, "Bearer %s", a->token);
        headers[r.n_headers++] = (struct sosia_header){"Authorization", bearer};
    }
    if (a->name)
        headers[r.n_headers++] = (struct sosia_header){a->name, a->value};
    if (a->name2)
        headers[r.n_headers++] = (struct sosia_header){a->name2, a->value2};
    test_call(test_world, &r);
}
#define ASK(...) send_ask(&(struct ask){__VA_ARGS__})

#define NOTES "/notes/v1/books/b/notes"

/* ---- headers ---- */

static void a_read_has_the_recorded_headers(void **state)
{
    ASK(.target = NOTES "/n1", .token = "full-token");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_header("Content-Type"), "application/json; charset=UTF-8");
    assert_string_equal(test_header("Cache-Control"),
                        "private, max-age=0, must-revalidate, no-transform");
    assert_string_equal(test_header("Date"), "Thu, 12 Mar 2026 07:43:15 GMT");
    assert_string_equal(test_header("Expires"), test_header("Date"));
    assert_string_equal(test_header("ETag"), "\"17\"");
    assert_string_equal(test_header("Vary"), "Origin, X-Origin, Referer");
    assert_string_equal(test_header("Server"), "ESF");
    assert_string_equal(test_header("Pragma"), "");
}

static void a_write_must_not_be_kept(void **state)
{
    ASK(.method = "POST", .target = NOTES, .token = "full-token", .body = "{\"title\":\"x\"}");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_header("Cache-Control"),
                        "no-cache, no-store, max-age=0, must-revalidate");
    assert_string_equal(test_header("Pragma"), "no-cache");
    assert_string_equal(test_header("Expires"), "Mon, 01 Jan 1990 00:00:00 GMT");
    assert_string_equal(test_header("ETag"), "");
}

static void a_delete_is_answered_with_204_and_nothing(void **state)
{
    ASK(.method = "DELETE", .target = NOTES "/n1", .token = "full-token");
    assert_int_equal(test_response->status, 204);
    assert_int_equal(test_response->body_len, 0);
    assert_string_equal(test_header("Content-Type"), "");
}

/* ---- preconditions ---- */

static void a_known_etag_gives_304_without_body(void **state)
{
    static const char *const known[] = {"\"17\"", "*", "\"1\", \"17\"", "W/\"x\",\"17\""};
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        ASK(.target = NOTES "/n1", .token = "full-token", .name = "If-None-Match",
            .value = known[i]);
        assert_int_equal(test_response->status, 304);
        assert_int_equal(test_response->body_len, 0);
        assert_string_equal(test_header("ETag"), "\"17\"");
    }
    ASK(.target = NOTES "/n1", .token = "full-token", .name = "If-None-Match", .value = "\"170\"");
    assert_int_equal(test_response->status, 200);
}

static void a_stale_etag_gives_412_at_the_header(void **state)
{
    static const char *const stale[] = {"\"16\"", "W/\"17\"", "\"", ""};
    for (size_t i = 0; i < SOSIA_LEN(stale); i++) {
        ASK(.method = "DELETE", .target = NOTES "/n1", .token = "full-token", .name = "If-Match",
            .value = stale[i]);
        assert_int_equal(test_response->status, 412);
    }
    assert_string_equal(test_response->body, "{\n"
                                             "  \"error\": {\n"
                                             "    \"errors\": [\n"
                                             "      {\n"
                                             "        \"domain\": \"global\",\n"
                                             "        \"reason\": \"conditionNotMet\",\n"
                                             "        \"message\": \"Precondition Failed\",\n"
                                             "        \"locationType\": \"header\",\n"
                                             "        \"location\": \"If-Match\"\n"
                                             "      }\n"
                                             "    ],\n"
                                             "    \"code\": 412,\n"
                                             "    \"message\": \"Precondition Failed\"\n"
                                             "  }\n"
                                             "}\n");
    ASK(.method = "DELETE", .target = NOTES "/n1", .token = "full-token", .name = "If-Match",
        .value = "*");
    assert_int_equal(test_response->status, 204);
}

/* ---- failures ---- */

static void no_credential_is_distinguished_from_a_bad_one(void **state)
{
    ASK(.target = NOTES);
    assert_int_equal(test_response->status, 401);
    assert_string_equal(test_header("WWW-Authenticate"),
                        "Bearer realm=\"https://accounts.google.com/\"");
    assert_string_equal(
        test_response->body,
        "{\n"
        "  \"error\": {\n"
        "    \"code\": 401,\n"
        "    \"message\": \"Request is missing required authentication credential. "
        "Expected OAuth 2 "
        "access token, login cookie or other valid authentication credential. See "
        "https://developers.google.com/identity/sign-in/web/devconsole-project.\",\n"
        "    \"errors\": [\n"
        "      {\n"
        "        \"message\": \"Login Required.\",\n"
        "        \"domain\": \"global\",\n"
        "        \"reason\": \"required\",\n"
        "        \"location\": \"Authorization\",\n"
        "        \"locationType\": \"header\"\n"
        "      }\n"
        "    ],\n"
        "    \"status\": \"UNAUTHENTICATED\",\n"
        "    \"details\": [\n"
        "      {\n"
        "        \"@type\": \"type.googleapis.com/google.rpc.ErrorInfo\",\n"
        "        \"reason\": \"CREDENTIALS_MISSING\",\n"
        "        \"domain\": \"googleapis.com\",\n"
        "        \"metadata\": {\n"
        "          \"service\": \"notes-json.googleapis.com\",\n"
        "          \"method\": \"notes.v1.Books.Notes.List\"\n"
        "        }\n"
        "      }\n"
        "    ]\n"
        "  }\n"
        "}\n");
    ASK(.target = NOTES, .token = "wrong");
    assert_int_equal(test_response->status, 401);
    assert_string_equal(test_header("WWW-Authenticate"),
                        "Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\"");
    assert_non_null(strstr(test_response->body, "\"message\": \"Invalid Credentials\""));
    assert_non_null(strstr(test_response->body, "\"reason\": \"authError\""));
}

static void a_missing_scope_names_the_scopes_that_would_do(void **state)
{
    ASK(.method = "DELETE", .target = NOTES "/n1", .token = "read-token");
    assert_int_equal(test_response->status, 403);
    assert_string_equal(test_header("WWW-Authenticate"),
                        "Bearer realm=\"https://accounts.google.com/\", "
                        "error=\"insufficient_scope\", scope=\"" WRITE "\"");
    assert_non_null(strstr(test_response->body, "\"status\": \"PERMISSION_DENIED\""));
    assert_non_null(strstr(test_response->body, "ACCESS_TOKEN_SCOPE_INSUFFICIENT"));
    assert_non_null(strstr(test_response->body, "\"reason\": \"insufficientPermissions\""));
    ASK(.target = NOTES, .token = "read-token");
    assert_int_equal(test_response->status, 200);
}

static void an_open_row_takes_a_key_in_the_place_of_a_token(void **state)
{
    ASK(.target = NOTES "/n1");
    assert_int_equal(test_response->status, 403);
    assert_non_null(strstr(test_response->body, "Method doesn't allow unregistered callers"));
    ASK(.target = NOTES "/n1?key=AIza");
    assert_int_equal(test_response->status, 200);
    ASK(.target = NOTES "/n1", .token = "wrong");
    assert_int_equal(test_response->status, 401);
}

static void a_token_may_be_in_the_query(void **state)
{
    static const char *const names[] = {"access_token", "oauth_token", "access%5Ftoken",
                                        "%61ccess_token"};
    struct sosia_blob journal;
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        ASK(.target = arena_printf(&test_arena, NOTES "?%s=full-token", names[i]));
        assert_int_equal(test_response->status, 200);
    }
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, true, &journal, &test_err),
                     0);
    assert_null(strstr(journal.data, "full-token"));
    assert_non_null(strstr(journal.data, "?access%5Ftoken=*"));
    sosia_blob_free(&journal);
}

static void a_back_end_failure_has_the_old_envelope(void **state)
{
    ASK(.target = NOTES "/none", .token = "full-token");
    assert_int_equal(test_response->status, 404);
    assert_string_equal(test_response->body, "{\n"
                                             "  \"error\": {\n"
                                             "    \"errors\": [\n"
                                             "      {\n"
                                             "        \"domain\": \"global\",\n"
                                             "        \"reason\": \"notFound\",\n"
                                             "        \"message\": \"Not Found\"\n"
                                             "      }\n"
                                             "    ],\n"
                                             "    \"code\": 404,\n"
                                             "    \"message\": \"Not Found\"\n"
                                             "  }\n"
                                             "}\n");
    ASK(.target = NOTES "/gone", .token = "full-token");
    assert_int_equal(test_response->status, 410);
    assert_non_null(strstr(test_response->body, "Resource has been deleted"));
    ASK(.target = NOTES "/slow?prettyPrint=false", .token = "full-token");
    assert_int_equal(test_response->status, 403);
    assert_non_null(strstr(test_response->body, "\n        \"domain\": \"usageLimits\",\n"));
}

static void parameters_fail_in_the_words_of_the_layer_that_reads_them(void **state)
{
    static const struct {
        const char *query, *text;
    } cases[] = {
        {"maxResults=NOPE", "Invalid value at 'max_results' (TYPE_INT32), \\\"NOPE\\\""},
        {"maxResults=251", "Invalid value '251'. Values must be within the range: [1, 250]"},
        {"showDeleted=maybe", "Invalid value at 'show_deleted' (TYPE_BOOL), \\\"maybe\\\""},
        {"orderBy=x", "Invalid string value: 'x'. Allowed values: [title, updated]"},
        {"since=yesterday", "\"reason\": \"badRequest\""},
        {"pageToken=AAAA", "Invalid page token value."},
        {"alt=zzz", "Invalid value \\\"zzz\\\" for query parameter 'alt'"},
        {"alt=MEDIA", "Unsupported alt type \\\"media\\\""},
        {"$.xgafv=3", "Invalid value '3' for system query parameter : $.xgafv"},
        {"fields=bogus", "Invalid field selection bogus"},
        {"fields=items(id,bogus)", "Invalid field selection bogus"},
        {"fields=items/id/x", "Invalid field selection x"},
        {"fields=items(id", "\"location\": \"fields\""},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        char target[200];
        snprintf(target, sizeof target, NOTES "?%s", cases[i].query);
        ASK(.target = target, .token = "full-token");
        if (test_response->status != 400 || !strstr(test_response->body, cases[i].text))
            fail_msg("%s: %d %s", cases[i].query, test_response->status, test_response->body);
    }
    ASK(.method = "POST", .target = "/notes/v1/books/b/quick", .token = "full-token");
    assert_int_equal(test_response->status, 400);
    assert_non_null(strstr(test_response->body, "\"location\": \"text\""));
}

static void the_format_is_looked_at_before_the_credential_and_the_fields_after(void **state)
{
    ASK(.target = NOTES "?alt=zzz");
    assert_int_equal(test_response->status, 400);
    ASK(.target = NOTES "?fields=bogus");
    assert_int_equal(test_response->status, 401);
}

static void an_unreadable_body_is_refused_by_the_front_end(void **state)
{
    ASK(.method = "POST", .target = NOTES, .token = "full-token", .body = "{\"title\":");
    assert_int_equal(test_response->status, 400);
    assert_non_null(strstr(test_response->body, "Invalid JSON payload received."));
    assert_non_null(strstr(test_response->body, "\"reason\": \"parseError\""));
    assert_non_null(strstr(test_response->body, "\"status\": \"INVALID_ARGUMENT\""));
}

static void unknown_paths_get_a_page(void **state)
{
    ASK(.target = "/notes/v1/<nothing>", .token = "full-token");
    assert_int_equal(test_response->status, 404);
    assert_string_equal(test_header("Content-Type"), "text/html; charset=UTF-8");
    assert_non_null(strstr(test_response->body, "&lt;nothing&gt;"));
    ASK(.method = "PUT", .target = NOTES, .token = "full-token");
    assert_int_equal(test_response->status, 404);
    ASK(.target = NOTES "?q=%zz", .token = "full-token");
    assert_int_equal(test_response->status, 400);
}

/* ---- partial responses and forms ---- */

static void fields_select(void **state)
{
    ASK(.target = NOTES "?fields=items/id,nextPageToken&maxResults=4&prettyPrint=false",
        .token = "full-token");
    assert_int_equal(test_response->status, 200);
    assert_null(strstr(test_response->body, "title"));
    assert_null(strstr(test_response->body, "kind"));
    assert_non_null(strstr(test_response->body, "{\"id\":\"n3\"}"));
    ASK(.target = NOTES "?fields=&prettyPrint=false", .token = "full-token");
    assert_string_equal(test_response->body, "{}");
    ASK(.target = NOTES "?fields=*&fields=bogus", .token = "full-token");
    assert_int_equal(test_response->status, 200);
    ASK(.target = NOTES "?fields=*/id,items/labels/any", .token = "full-token");
    assert_int_equal(test_response->status, 200);
}

static void angle_brackets_are_escaped(void **state)
{
    ASK(.target = NOTES, .token = "full-token");
    assert_non_null(strstr(test_response->body, "a \\u003cb\\u003e & c"));
}

static void a_callback_makes_a_script_of_every_answer(void **state)
{
    ASK(.target = NOTES "/n1?callback=cb&prettyPrint=false", .token = "full-token");
    assert_string_equal(test_header("Content-Type"), "text/javascript; charset=UTF-8");
    assert_string_equal(test_response->body,
                        "// API callback\ncb({\"kind\":\"notes#note\",\"id\":\"n1\"});");
    ASK(.target = NOTES "/none?callback=cb", .token = "full-token");
    assert_int_equal(test_response->status, 200);
    assert_non_null(strstr(test_response->body, "\"code\": 404"));
    ASK(.target = NOTES "?callback=a%22b", .token = "full-token");
    assert_int_equal(test_response->status, 200);
    assert_int_equal(strncmp(test_response->body, "// API callback\na\\\"b({", 22), 0);
    assert_non_null(strstr(test_response->body, "Invalid JSONP callback name: 'a\\\"b'"));
}

static void a_long_get_may_come_as_a_post(void **state)
{
    ASK(.method = "POST", .target = NOTES, .token = "full-token",
        .body = "fields=kind&prettyPrint=false", .name = "X-HTTP-Method-Override", .value = "GET",
        .name2 = "Content-Type", .value2 = "application/x-www-form-urlencoded");
    assert_string_equal(test_response->body, "{\"kind\":\"notes#notes\"}");
    /* Not of any length: search languages and masks would make a hundred times as much of it. */
    enum { LONGEST = 1 << 20 };
    char *form = malloc(LONGEST + 2);
    for (int n = LONGEST; n <= LONGEST + 1; n++) {
        memset(form, 'x', (size_t)n);
        memcpy(form, "prettyPrint=false&fields=kind&q=", 32);
        form[n] = 0;
        ASK(.method = "POST", .target = NOTES, .token = "full-token", .body = form,
            .name = "X-HTTP-Method-Override", .value = "GET", .name2 = "Content-Type",
            .value2 = "application/x-www-form-urlencoded");
        assert_int_equal(test_response->status, n > LONGEST ? 400 : 200);
    }
    free(form);
}

/* As a server hands over what is long: such a query is not an empty one. */
static void a_long_get_may_be_in_a_spool(void **state)
{
    static const char form[] = "prettyPrint=false&fields=kind";
    struct sosia_spool *s;
    struct sosia_err err;
    assert_int_equal(sosia_spool_open(test_engine, 1000, &s, &err), 0);
    assert_int_equal(sosia_spool_write(s, form, sizeof form - 1, &err), 0);
    ASK(.method = "POST", .target = NOTES, .token = "full-token", .spool = s,
        .name = "X-HTTP-Method-Override", .value = "GET", .name2 = "Content-Type",
        .value2 = "application/x-www-form-urlencoded");
    assert_string_equal(test_response->body, "{\"kind\":\"notes#notes\"}");
    sosia_spool_free(s);
}

/* ---- pages ---- */

static char *page_token(void)
{
    static char token[600];
    const char *p = strstr(test_response->body, "\"nextPageToken\": \"");
    token[0] = 0;
    if (p)
        sscanf(p + 18, "%599[^\"]", token);
    return token;
}

static void pages_follow_each_other_to_the_end(void **state)
{
    char target[800], token[600];
    ASK(.target = NOTES "?q=x", .token = "full-token");
    assert_non_null(strstr(test_response->body, "\"n1\""));
    snprintf(target, sizeof target, NOTES "?q=x&pageToken=%s", page_token());
    ASK(.target = target, .token = "full-token");
    assert_non_null(strstr(test_response->body, "\"n2\""));
    assert_null(strstr(test_response->body, "\"n1\""));
    snprintf(token, sizeof token, "%s", page_token());
    /* The size of the page may change, the question may not. */
    snprintf(target, sizeof target, NOTES "?q=x&maxResults=9&pageToken=%s", token);
    ASK(.target = target, .token = "full-token");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(page_token(), "");
    snprintf(target, sizeof target, NOTES "?q=y&pageToken=%s", token);
    ASK(.target = target, .token = "full-token");
    assert_int_equal(test_response->status, 400);
    token[3] = token[3] == 'A' ? 'B' : 'A';
    snprintf(target, sizeof target, NOTES "?q=x&pageToken=%s", token);
    ASK(.target = target, .token = "full-token");
    assert_int_equal(test_response->status, 400);
    ASK(.target = NOTES "?pageToken=", .token = "full-token");
    assert_int_equal(test_response->status, 200);
}

/* ---- batches ---- */

#define MIXED .name = "Content-Type", .value = "multipart/mixed; boundary=\"==x==\""
#define PART(id, text)                                                                             \
    "--==x==\r\nContent-Type: application/http\r\nContent-ID: " id "\r\n\r\n" text "\r\n"

static void a_batch_answers_each_part_in_order(void **state)
{
    ASK(.method = "POST", .target = "/batch/notes/v1?prettyPrint=false", .token = "full-token",
        MIXED,
        .body = PART("<u + 1>", "GET " NOTES "/n1 HTTP/1.1\r\n\r\n")
            PART("<u + 2>", "GET http://localhost:8787" NOTES "/none\r\n")
                PART("<u + 3>", "GET " NOTES "/n1\r\nIf-None-Match: \"17\"\r\n\r\n") PART(
                    "<u + 4>", "POST " NOTES " HTTP/1.1\r\nContent-Type: application/json\r\n"
                               "Content-Length: 13\r\n\r\n{\"title\":\"t\"}")
                    PART("<u + 5>", "GET " NOTES
                                    "/n1\r\nAuthorization: Bearer wrong\r\n\r\n") "--==x==--\r\n");
    assert_int_equal(test_response->status, 200);
    assert_int_equal(strncmp(test_header("Content-Type"), "multipart/mixed; boundary=batch_", 32),
                     0);
    const char *boundary = strchr(test_header("Content-Type"), '=') + 1;
    assert_int_equal(strncmp(test_response->body, "--", 2), 0);
    assert_int_equal(strncmp(test_response->body + 2, boundary, strlen(boundary)), 0);
    static const char *const order[] = {
        "Content-ID: <response-u + 1>\r\n\r\nHTTP/1.1 200 OK\r\n",
        "{\"kind\":\"notes#note\",\"id\":\"n1\"}",
        "Content-ID: <response-u + 2>\r\n\r\nHTTP/1.1 404 Not Found\r\n",
        "Content-ID: <response-u + 3>\r\n\r\nHTTP/1.1 304 Not Modified\r\n",
        "Content-ID: <response-u + 4>\r\n\r\nHTTP/1.1 200 OK\r\n",
        "\"title\":\"t\"",
        "Content-ID: <response-u + 5>\r\n\r\nHTTP/1.1 401 Unauthorized\r\n",
    };
    const char *p = test_response->body;
    for (size_t i = 0; i < SOSIA_LEN(order); i++) {
        p = strstr(p, order[i]);
        if (!p)
            fail_msg("no %s in %s", order[i], test_response->body);
    }
}

static void a_batch_is_refused_whole_when_it_cannot_be_read(void **state)
{
    static const struct {
        const char *body, *text;
    } cases[] = {
        {"", "the boundary does not occur"},
        {"--==x==--\r\n", "0 items to process"},
        {PART("<1>", "GET " NOTES), "the last boundary is missing"},
        {PART("<1>", "GET") "--==x==--", "a part has no request line"},
        {PART("<1>", "GET /a b c HTTP/1.1") "--==x==--", "a part has no request line"},
        {PART("<1>", "GET /a\r\nno header\r\n\r\n") "--==x==--", "malformed header"},
        {"--==x==\r\n\r\nGET /a\r\n--==x==--", "application/http"},
        {PART("<1>", "GET /a") PART("<2>", "GET /a") PART("<3>", "GET /a") PART("<4>", "GET /a")
             PART("<5>", "GET /a") PART("<6>", "GET /a") "--==x==--",
         "Inner request count exceeds the limit. Received: 6, Limit: 5"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        ASK(.method = "POST", .target = "/batch/notes/v1", .token = "full-token", MIXED,
            .body = cases[i].body);
        if (test_response->status != 400 || !strstr(test_response->body, cases[i].text))
            fail_msg("%zu: %d %s", i, test_response->status, test_response->body);
    }
    ASK(.method = "POST", .target = "/batch/notes/v1", .token = "full-token",
        .body = cases[1].body);
    assert_int_equal(test_response->status, 400);
    ASK(.method = "POST", .target = "/batch/nothing/v1", .token = "full-token", MIXED,
        .body = cases[1].body);
    assert_int_equal(test_response->status, 404);
}

static void a_batch_holds_no_batch_and_no_other_api(void **state)
{
    ASK(.method = "POST", .target = "/batch/notes/v1", .token = "full-token", MIXED,
        .body = PART("<1>", "POST /batch") PART("<2>", "GET /discovery/v1/apis") "--==x==--");
    assert_non_null(strstr(test_response->body, "HTTP/1.1 400 Bad Request"));
    assert_non_null(strstr(test_response->body, "HTTP/1.1 404 Not Found"));
    ASK(.method = "POST", .target = "/batch", .token = "full-token", MIXED,
        .body = PART("<1>", "GET /discovery/v1/apis") "--==x==--");
    assert_non_null(strstr(test_response->body, "discovery#directoryList"));
}

/* ---- discovery ---- */

static void the_description_names_this_server(void **state)
{
    ASK(.target = "/discovery/v1/apis/notes/v1/rest?prettyPrint=false");
    assert_int_equal(test_response->status, 200);
    static const char *const texts[] = {
        "\"rootUrl\":\"http://localhost:8787/\"",
        "\"servicePath\":\"notes/v1/\"",
        "\"batchPath\":\"batch/notes/v1\"",
        "\"resources\":{\"books\":{\"resources\":{\"notes\":{\"methods\":{\"delete\":{",
        "\"path\":\"books/{book}/notes\"",
        "\"Notes\":{\"id\":\"Notes\",\"type\":\"object\",\"properties\":{\"items\":{\"type\":"
        "\"array\","
        "\"items\":{\"$ref\":\"Note\"}},\"kind\"",
        "\"labels\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
        "\"annotations\":{\"required\":[\"notes.books.notes.insert\"]}",
        "\"response\":{\"$ref\":\"Notes\"}",
    };
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        if (!strstr(test_response->body, texts[i]))
            fail_msg("no %s in %s", texts[i], test_response->body);
}

static void a_description_is_found_by_host_or_by_version(void **state)
{
    ASK(.target = "/$discovery/rest?version=v1", .name = "Host", .value = "notes.googleapis.com");
    assert_int_equal(test_response->status, 200);
    ASK(.target = "/$discovery/rest?version=v1");
    assert_int_equal(test_response->status, 200);
    ASK(.target = "/$discovery/rest?version=v9", .name = "Host", .value = "notes.googleapis.com");
    assert_int_equal(test_response->status, 404);
    ASK(.target = "/discovery/v1/apis/notes/v9/rest");
    assert_int_equal(test_response->status, 404);
    ASK(.target = "/discovery/v1/apis?name=notes");
    assert_non_null(strstr(test_response->body,
                           "\"discoveryRestUrl\": "
                           "\"http://localhost:8787/discovery/v1/apis/notes/v1/rest\""));
}

static void a_path_of_no_api_gets_the_hosts_page(void **state)
{
    static const char *const paths[] = {"/", "/nothing/here", "/favicon.ico", "/v9/notes"};
    for (size_t i = 0; i < SOSIA_LEN(paths); i++) {
        ASK(.target = paths[i], .name = "Host", .value = "www.googleapis.com");
        assert_int_equal(test_response->status, 404);
        assert_string_equal(test_header("Content-Type"), "text/html; charset=UTF-8");
        assert_non_null(strstr(test_response->body, "<title>Error 404 (Not Found)!!1</title>"));
    }
    ASK(.method = "POST", .target = "/nothing?alt=media", .token = "wrong", .name = "Host",
        .value = "www.googleapis.com:8443");
    assert_int_equal(test_response->status, 404);
    assert_non_null(strstr(test_response->body, "Error 404"));
    ASK(.target = "/@www.googleapis.com/nothing");
    assert_non_null(strstr(test_response->body, "Error 404"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_of_no_api_gets_the_hosts_page),
        cmocka_unit_test(a_read_has_the_recorded_headers),
        cmocka_unit_test(a_write_must_not_be_kept),
        cmocka_unit_test(a_delete_is_answered_with_204_and_nothing),
        cmocka_unit_test(a_known_etag_gives_304_without_body),
        cmocka_unit_test(a_stale_etag_gives_412_at_the_header),
        cmocka_unit_test(no_credential_is_distinguished_from_a_bad_one),
        cmocka_unit_test(a_missing_scope_names_the_scopes_that_would_do),
        cmocka_unit_test(an_open_row_takes_a_key_in_the_place_of_a_token),
        cmocka_unit_test(a_token_may_be_in_the_query),
        cmocka_unit_test(a_back_end_failure_has_the_old_envelope),
        cmocka_unit_test(parameters_fail_in_the_words_of_the_layer_that_reads_them),
        cmocka_unit_test(the_format_is_looked_at_before_the_credential_and_the_fields_after),
        cmocka_unit_test(an_unreadable_body_is_refused_by_the_front_end),
        cmocka_unit_test(unknown_paths_get_a_page),
        cmocka_unit_test(fields_select),
        cmocka_unit_test(angle_brackets_are_escaped),
        cmocka_unit_test(a_callback_makes_a_script_of_every_answer),
        cmocka_unit_test(a_long_get_may_come_as_a_post),
        cmocka_unit_test(a_long_get_may_be_in_a_spool),
        cmocka_unit_test(pages_follow_each_other_to_the_end),
        cmocka_unit_test(a_batch_answers_each_part_in_order),
        cmocka_unit_test(a_batch_is_refused_whole_when_it_cannot_be_read),
        cmocka_unit_test(a_batch_holds_no_batch_and_no_other_api),
        cmocka_unit_test(the_description_names_this_server),
        cmocka_unit_test(a_description_is_found_by_host_or_by_version),
    };
    return cmocka_run_group_tests(tests, open_world, test_close_engine);
}
