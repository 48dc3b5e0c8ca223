/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/slack.h"
#include "engine/base/codec.h"
#include "tests/support/carry.h"

struct sosia_engine *slack_engine;
uint64_t slack_world;
int slack_status;
const char *slack_body;
const struct sosia_response *slack_response;

static struct sosia_err error;
static struct sosia_response *held;

static const char DOC[] =
    "sosia: 1\n"
    "time: 2026-02-15T20:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: alice@acme.example, name: Alice Ames, zone: America/Los_Angeles}\n"
    "  - {email: bob@acme.example, name: Bob Stone, zone: Europe/Rome}\n"
    "  - {email: carol@acme.example, name: Carol Ng, zone: Asia/Tokyo}\n"
    "  - {handle: deploybot, kind: bot, name: Deploybot}\n"
    "apps:\n"
    "  - {client_id: '1.2', client_secret: hush, name: Deployer, vendor: slack, bot: deploybot,\n"
    "     signing_secret: s1gn}\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    name: Acme\n"
    "    members:\n"
    "      - {actor: alice@acme.example, id: U0ALICE, name: alice, role: owner}\n"
    "      - {actor: bob@acme.example, id: U0BOB, name: bob}\n"
    "      - {actor: carol@acme.example, id: U0CAROL, name: carol}\n"
    "      - {actor: deploybot, id: U0DEPLOY, name: deploybot}\n"
    "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, creator: U0ALICE}\n"
    "  - {id: C0DEV, name: dev, creator: U0ALICE, members: [U0ALICE, U0BOB, U0DEPLOY]}\n"
    "  - {id: C0SECRET, name: secret, kind: private, creator: U0ALICE, members: [U0ALICE]}\n"
    "  - {id: C0VAULT, name: vault, kind: private, creator: U0CAROL, members: [U0CAROL]}\n";

void slack_use(const char *doc)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_world_create(slack_engine, &opt, &slack_world, &error) < 0)
        fail_msg("create: %s", error.text);
}

void slack_use_with(const char *more)
{
    slack_use(arena_printf(&test_arena, "%s%s", DOC, more));
}

int slack_open_world(void **state)
{
    (void)state;
    arena_init(&test_arena, 0);
    if (sosia_engine_open(NULL, &slack_engine, &error) < 0)
        return -1;
    slack_use(DOC);
    return 0;
}

int slack_close_world(void **state)
{
    (void)state;
    int rc = export_and_import(slack_engine, slack_world);
    sosia_response_free(held);
    held = NULL;
    sosia_engine_close(slack_engine);
    arena_done(&test_arena);
    return rc;
}

const char *slack_token(const char *who, const char *scopes)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = who, .scopes = scopes};
    if (!who)
        return NULL;
    if (sosia_token_issue(slack_engine, slack_world, &opt, token, sizeof token, &error) < 0)
        fail_msg("token: %s", error.text);
    return arena_strdup(&test_arena, token);
}

const struct json *slack_call(const char *verb, const char *target, const char *type,
                              const char *token, const char *body)
{
    struct sosia_header headers[3];
    size_t n = 0;
    headers[n++] = (struct sosia_header){"Host", "slack.com"};
    if (token)
        headers[n++] =
            (struct sosia_header){"Authorization", arena_printf(&test_arena, "Bearer %s", token)};
    if (type)
        headers[n++] = (struct sosia_header){"Content-Type", type};
    struct sosia_request r = {.method = verb,
                              .target = target,
                              .headers = headers,
                              .n_headers = n,
                              .body = body,
                              .body_len = body ? strlen(body) : 0};
    sosia_response_free(held);
    if (sosia_call(slack_engine, slack_world, &r, &held, &error) < 0)
        fail_msg("call: %s", error.text);
    slack_response = held;
    slack_status = held->status;
    slack_body = arena_memdup(&test_arena, held->body, held->body_len);
    return held->body_len && held->body[0] == '{' ? parsed(slack_body, held->body_len) : NULL;
}

static const struct json *call_as(const char *who, const char *method, const char *type,
                                  const char *body)
{
    return slack_call("POST", arena_printf(&test_arena, "/api/%s", method), *body ? type : NULL,
                      slack_token(who, NULL), body);
}

const struct json *slack(const char *who, const char *method, const char *form, ...)
{
    va_list ap;
    va_start(ap, form);
    const char *body = arena_vprintf(&test_arena, form, ap);
    va_end(ap);
    return call_as(who, method, "application/x-www-form-urlencoded", body);
}

const struct json *slack_json(const char *who, const char *method, const char *text, ...)
{
    va_list ap;
    va_start(ap, text);
    const char *body = quoted(arena_vprintf(&test_arena, text, ap));
    va_end(ap);
    return call_as(who, method, "application/json; charset=utf-8", body);
}

const struct json *slack_scoped(const char *who, const char *scopes, const char *method,
                                const char *form)
{
    return slack_call("POST", arena_printf(&test_arena, "/api/%s", method),
                      "application/x-www-form-urlencoded", slack_token(who, scopes), form);
}

const char *slack_header(const char *name)
{
    for (size_t i = 0; i < slack_response->n_headers; i++)
        if (str_eq_nocase(slack_response->headers[i].name, name))
            return slack_response->headers[i].value;
    return NULL;
}

void assert_slack(const char *code)
{
    const struct json *v = parsed(slack_body, strlen(slack_body));
    const char *said = text_at(v, "error");
    bool ok = true_at(v, "ok");
    if (slack_status != 200 || ok != !code || (code && (!said || strcmp(said, code) != 0)))
        fail_msg("%s expected: %d %s", code ? code : "ok", slack_status, slack_body);
}

void slack_advance(int64_t seconds)
{
    if (sosia_clock_advance(slack_engine, slack_world, seconds * 1000000, &error) < 0)
        fail_msg("clock: %s", error.text);
}
