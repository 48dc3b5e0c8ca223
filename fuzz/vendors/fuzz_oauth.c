/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a conversation with Google's sign-in: requests with an empty line between them, each
 * with its verb and target on a line, a credential behind "as " on the next one if there is one,
 * and a form. {code}, {access}, {refresh}, {device}, {user} and {nonce} stand for what the answers
 * before gave. No answer is a failure of ours or lets markup or lines of headers through, JSON is
 * JSON, and a token that was given out is good.
 */
#include "engine/base/arena.h"
#include "engine/json/json.h"
#include "engine/world/engine.h"
#include "fuzz/fuzz.h"
#include <stdio.h>
#include <string.h>

#define MAX_STEPS 10
#define MAX_TEXT  65536

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":\"acme.example\""
    "}],\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada <b>L\"},"
    "{\"email\":\"bob@acme.example\"},{\"email\":\"robot@acme.example\",\"kind\":\"service\"}],"
    "\"tokens\":[{\"token\":\"fuzz-token\",\"actor\":\"ada@acme.example\"}],"
    "\"oauth_clients\":[{\"client_id\":\"auto\",\"client_secret\":\"s1\",\"kind\":\"web\","
    "\"redirect_uris\":[\"https://app.example/cb\"],\"automatic\":\"ada@acme.example\"},"
    "{\"client_id\":\"desk\",\"name\":\"A <i>Desk\",\"kind\":\"installed\"},"
    "{\"client_id\":\"tele\",\"client_secret\":\"s3\",\"kind\":\"tv\"}],"
    "\"oauth_refresh_tokens\":[{\"token\":\"1//old-token\",\"client_id\":\"desk\","
    "\"actor\":\"bob@acme.example\",\"scopes\":\"https://www.googleapis.com/auth/calendar\"}],"
    "\"service_accounts\":[{\"email\":\"robot@acme.example\",\"client_id\":\"111\","
    "\"delegation\":\"https://www.googleapis.com/auth/calendar\"}]}";

/* Values of responses, by the word that stands for them. */
static struct {
    const char *word, *member; /* member NULL: a parameter of the address */
    char text[2048];
} given[] = {
    {"{code}", NULL, ""},
    {"{access}", "access_token", ""},
    {"{refresh}", "refresh_token", ""},
    {"{device}", "device_code", ""},
    {"{user}", "user_code", ""},
    {"{nonce}", NULL, ""}, /* of the last page's form */
};
enum { CODE, ACCESS, NONCE = 5, N_GIVEN };

static struct sosia_engine *engine;
static uint64_t base, world;

static void start(void)
{
    struct sosia_world_options opt = {.seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    engine = fuzz_engine(NULL);
    CHECK(sosia_world_create(engine, &opt, &base, NULL) == 0);
}

/* ---- requests ---- */

/* Up to a line break, or to the end; the words are put in. NUL bytes end it, as on the wire. */
static char *take(const char **at, const char *end)
{
    static char texts[3][MAX_TEXT];
    static int turn;
    char *out = texts[turn++ % 3], *p = out;
    const char *stop = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    const char *next = stop ? stop + 1 : end;
    if (!stop)
        stop = end;
    for (const char *s = *at; s < stop && *s && p - out < MAX_TEXT - 2100;) {
        int i = 0;
        while (i < N_GIVEN && ((size_t)(stop - s) < strlen(given[i].word) ||
                               memcmp(s, given[i].word, strlen(given[i].word)) != 0))
            i++;
        if (i < N_GIVEN) {
            p = stpcpy(p, given[i].text);
            s += strlen(given[i].word);
        } else {
            *p++ = *s++;
        }
    }
    *p = 0;
    *at = next;
    return out;
}

static struct sosia_response *ask(const char *method, const char *target, const char *auth,
                                  const char *form)
{
    struct sosia_header headers[] = {{"Content-Type", "application/x-www-form-urlencoded"},
                                     {"Authorization", auth}};
    struct sosia_request req = {.method = method,
                                .target = target,
                                .headers = headers,
                                .n_headers = auth ? 2 : 1,
                                .body = form,
                                .body_len = strlen(form),
                                .base_url = "http://localhost"};
    struct sosia_response *res;
    struct sosia_err err;
    CHECK(sosia_call(engine, world, &req, &res, &err) == 0);
    return res;
}

/* ---- what comes back ---- */

static void keep(int i, const char *text, size_t n)
{
    if (n < sizeof given[i].text) {
        memcpy(given[i].text, text, n);
        given[i].text[n] = 0;
    }
}

/* Whether a target's path is one of the sign-in. Others lead to services, whose errors, redirects
 * and types have targets of their own. */
static bool of_sign_in(const char *target)
{
    static const char *const paths[] = {"/o/oauth2/", "/token",       "/revoke",      "/device",
                                        "/oauth2/",   "/v1/userinfo", "/.well-known/"};
    for (size_t i = 0; i < SOSIA_LEN(paths); i++)
        if (strncmp(target, paths[i], strlen(paths[i])) == 0)
            return true;
    return false;
}

static void check_json(const struct sosia_response *res)
{
    struct arena a;
    const struct json *v;
    arena_init(&a, 0);
    CHECK(json_parse(&a, res->body, res->body_len, NULL, &v, NULL) == 0);
    for (int i = 0; i < N_GIVEN; i++) {
        const char *text = given[i].member ? json_get_str(v, given[i].member) : NULL;
        if (text)
            keep(i, text, strlen(text));
    }
    CHECK(res->status < 400 || json_get(v, "error"));
    if (res->status == 200 && json_get_str(v, "access_token")) {
        char auth[2200];
        snprintf(auth, sizeof auth, "Bearer %s", given[ACCESS].text);
        struct sosia_response *about = ask("POST", "/oauth2/v2/tokeninfo", auth, "");
        CHECK(about->status == 200);
        sosia_response_free(about);
    }
    arena_done(&a);
}

static void check_page(const struct sosia_response *res)
{
    static const char field[] = "name=\"sosia_nonce\" value=\"";
    const char *nonce = strstr(res->body, field);
    CHECK(!strstr(res->body, "<script") && !strstr(res->body, "<img"));
    if (nonce)
        keep(NONCE, nonce + sizeof field - 1, strcspn(nonce + sizeof field - 1, "\""));
}

static void check(const struct sosia_response *res)
{
    const char *type = "";
    CHECK(res->status >= 200 && res->status < 500);
    CHECK(strlen(res->body) == res->body_len);
    for (size_t i = 0; i < res->n_headers; i++) {
        const struct sosia_header *h = &res->headers[i];
        CHECK(!h->value[strcspn(h->value, "\r\n")]);
        if (strcmp(h->name, "Content-Type") == 0)
            type = h->value;
        if (strcmp(h->name, "Location") == 0) {
            const char *code = strstr(h->value, "&code=");
            CHECK(strncmp(h->value, "https://app.example/cb", 22) == 0 ||
                  strncmp(h->value, "http://127.0.0.1", 16) == 0 ||
                  strncmp(h->value, "http://localhost", 16) == 0 ||
                  strncmp(h->value, "http://[::1]", 12) == 0);
            if (code)
                keep(CODE, code + 6, strcspn(code + 6, "&"));
        }
    }
    if (strncmp(type, "application/json", 16) == 0)
        check_json(res);
    else if (strncmp(type, "text/html", 9) == 0)
        check_page(res);
}

static void step(const char *at, const char *end)
{
    char *line = take(&at, end), *target = strchr(line, ' '), *auth = NULL;
    if (!target)
        return;
    *target++ = 0;
    if (end - at > 3 && memcmp(at, "as ", 3) == 0)
        auth = take(&at, end) + 3;
    struct sosia_response *res = ask(line, target, auth, take(&at, end));
    if (of_sign_in(target))
        check(res);
    sosia_response_free(res);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    if (!engine)
        start();
    CHECK(sosia_world_fork(engine, base, NULL, &world, NULL) == 0);
    for (int i = 0; i < N_GIVEN; i++)
        given[i].text[0] = 0;
    for (int i = 0; i < MAX_STEPS && at < end; i++) {
        const char *stop = memmem(at, (size_t)(end - at), "\n\n", 2);
        step(at, stop ? stop + 1 : end);
        at = stop ? stop + 2 : end;
    }
    CHECK(sosia_world_drop(engine, world, NULL) == 0);
    return 0;
}
