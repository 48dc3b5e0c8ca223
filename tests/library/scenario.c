/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of requests in bindings/scenario*.json through the C interface alone: the statuses and
 * bytes that Python and Node have too, in process and over HTTP. */
#include "tests/support/unit.h"
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <jansson.h>
#include <sosia.h>
#include <stdio.h>
#include <stdlib.h>

static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t world;
static json_t *scenario, *saved; /* texts of answers by name */

/* path: from the folder of fixtures. */
static char *read_file(const char *path, size_t *ret_len)
{
    char full[1000];
    snprintf(full, sizeof full, "%s/%s", getenv("SOSIA_FIXTURES"), path);
    FILE *f = fopen(full, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *ret_len = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*ret_len + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *ret_len, f), *ret_len);
    fclose(f);
    text[*ret_len] = 0;
    return text;
}

/* A target with ${name} as the text that was saved under it. */
static void fill(const char *target, char *out, size_t room)
{
    size_t n = 0;
    while (*target && n + 1 < room) {
        const char *end = strncmp(target, "${", 2) == 0 ? strchr(target, '}') : NULL;
        if (!end) {
            out[n++] = *target++;
            continue;
        }
        const json_t *text = json_object_getn(saved, target + 2, (size_t)(end - target - 2));
        assert_non_null(text);
        n += (size_t)snprintf(out + n, room - n, "%s", json_string_value(text));
        target = end + 1;
    }
    out[n] = 0;
}

/* What a path of members and places in lists leads to: "value.0.id". */
static json_t *at_path(json_t *value, const char *path)
{
    for (size_t n; value && *path; path += n + (path[n] == '.')) {
        n = strcspn(path, ".");
        value = json_is_array(value) ? json_array_get(value, strtoul(path, NULL, 10))
                                     : json_object_getn(value, path, n);
    }
    return value;
}

static void save(const json_t *names, const char *body, size_t len)
{
    json_t *answer = json_loadb(body, len, 0, NULL), *path;
    const char *name;
    assert_non_null(answer);
    json_object_foreach((json_t *)names, name, path)
    {
        json_t *value = at_path(answer, json_string_value(path));
        assert_non_null(value);
        json_object_set(saved, name, value);
    }
    json_decref(answer);
}

static void digest(const void *body, size_t len, char ret_hex[65])
{
    unsigned char hash[32];
    assert_int_equal(gnutls_hash_fast(GNUTLS_DIG_SHA256, body, len, hash), 0);
    for (int i = 0; i < 32; i++)
        sprintf(ret_hex + 2 * i, "%02x", hash[i]);
}

static size_t read_headers(const json_t *step, struct sosia_header *list, char *bearer, size_t room)
{
    const char *name, *as = json_string_value(json_object_get(step, "as"));
    json_t *value, *text = json_object_get(step, "text");
    char token[SOSIA_TOKEN_MAX];
    size_t n = 0;
    json_object_foreach(json_object_get(step, "headers"), name, value)
    {
        list[n++] = (struct sosia_header){.name = name, .value = json_string_value(value)};
    }
    if (json_object_get(step, "body") || text)
        list[n++] = (struct sosia_header){
            .name = "Content-Type",
            .value = text ? json_string_value(json_object_get(step, "type")) : "application/json"};
    if (as) {
        struct sosia_token_options who = {.actor = as};
        assert_int_equal(sosia_token_issue(engine, world, &who, token, sizeof token, &err), 0);
        snprintf(bearer, room, "Bearer %s", token);
        list[n++] = (struct sosia_header){.name = "Authorization", .value = bearer};
    }
    return n;
}

/* The body, whose bytes may have to be pulled; the caller frees *ret. */
static size_t read_body(struct sosia_response *res, char **ret)
{
    size_t len = res->read ? (size_t)res->length : res->body_len, at = 0;
    int64_t n = 1;
    *ret = malloc(len + 1);
    assert_non_null(*ret);
    if (!res->read)
        memcpy(*ret, res->body, at = len);
    while (at < len && (n = res->read(res, (int64_t)at, *ret + at, len - at)) > 0)
        at += (size_t)n;
    assert_int_equal(at, len);
    return len;
}

static void perform(const json_t *step, size_t number)
{
    char target[1000], bearer[SOSIA_TOKEN_MAX + 16], hex[65];
    struct sosia_header headers[8];
    struct sosia_response *res;
    const json_t *json = json_object_get(step, "body"), *text = json_object_get(step, "text");
    char *body = json ? json_dumps(json, JSON_COMPACT) : NULL;
    fill(json_string_value(json_object_get(step, "target")), target, sizeof target);
    struct sosia_request r = {.method = json_string_value(json_object_get(step, "method")),
                              .target = target,
                              .headers = headers,
                              .n_headers = read_headers(step, headers, bearer, sizeof bearer),
                              .body = body ? body : json_string_value(text)};
    r.body_len = r.body ? strlen(r.body) : 0;
    assert_int_equal(sosia_call(engine, world, &r, &res, &err), 0);
    char *came;
    size_t len = read_body(res, &came);
    digest(came, len, hex);
    if (res->status != json_integer_value(json_object_get(step, "status")) ||
        strcmp(hex, json_string_value(json_object_get(step, "sha256"))) != 0)
        fail_msg("step %zu, %s %s: %d %.*s", number, r.method, target, res->status, (int)len, came);
    if (json_object_get(step, "save"))
        save(json_object_get(step, "save"), came, len);
    sosia_response_free(res);
    free(came);
    free(body);
}

static int begin_of(const char *file, const char *fixture)
{
    size_t len;
    char *text = read_file(file, &len);
    scenario = json_loadb(text, len, 0, NULL);
    free(text);
    saved = json_object();
    struct sosia_engine_options how = {
        .world_secret = json_string_value(json_object_get(scenario, "world_secret"))};
    text = read_file(fixture, &len);
    struct sosia_world_options opt = {.seed_doc = text, .seed_doc_len = len};
    int rc = sosia_engine_open(&how, &engine, &err);
    if (rc == 0)
        rc = sosia_world_create(engine, &opt, &world, &err);
    free(text);
    return rc;
}

static int begin(void **state)
{
    return begin_of("../bindings/scenario.json", "small.yaml");
}

static int begin_365(void **state)
{
    return begin_of("../bindings/scenario-365.json", "small-365.yaml");
}

static int end(void **state)
{
    sosia_engine_close(engine);
    json_decref(scenario);
    json_decref(saved);
    return 0;
}

static void each_step_has_its_status_and_bytes(void **state)
{
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(scenario, "steps"), i, step)
    {
        const json_t *wait = json_object_get(step, "wait");
        if (wait)
            assert_int_equal(
                sosia_clock_advance(engine, world, json_integer_value(wait) * 1000000, &err), 0);
        else
            perform(step, i);
    }
    assert_true(i > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_step_has_its_status_and_bytes, begin, end),
        cmocka_unit_test_setup_teardown(each_step_has_its_status_and_bytes, begin_365, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
