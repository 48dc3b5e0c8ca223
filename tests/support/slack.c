/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/slack.h"
#include <stdlib.h>

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
    "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY, settings: {"
    "      interactivity_url: 'https://app.example/act',"
    "      options_url: 'https://app.example/options',"
    "      commands: [{command: /deploy, url: 'https://app.example/deploy'},"
    "        {command: /where, url: 'https://app.example/where', should_escape: true}],"
    "      shortcuts: [{name: New, type: global, callback_id: new},"
    "        {name: Save, type: message, callback_id: save}]}}]\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, creator: U0ALICE}\n"
    "  - {id: C0DEV, name: dev, creator: U0ALICE, members: [U0ALICE, U0BOB, U0DEPLOY]}\n"
    "  - {id: C0SECRET, name: secret, kind: private, creator: U0ALICE, members: [U0ALICE]}\n"
    "  - {id: C0VAULT, name: vault, kind: private, creator: U0CAROL, members: [U0CAROL]}\n";

void slack_use_with(const char *more)
{
    test_use(arena_printf(&test_arena, "%s%s", DOC, more));
}

int slack_open_world(void **state)
{
    (void)state;
    return test_open(DOC);
}

int slack_close_world(void **state)
{
    (void)state;
    return test_close();
}

const char *slack_token(const char *who, const char *scopes)
{
    return who ? test_bearer(who, scopes) + strlen("Bearer ") : NULL;
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
    return test_request(verb, target, headers, n, body, body ? strlen(body) : 0);
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

const struct json *slack_does(const char *who, const char *what, ...)
{
    va_list ap;
    va_start(ap, what);
    const char *text = arena_vprintf(&test_arena, what, ap);
    va_end(ap);
    return slack_call("POST", "/_act/slack", "application/json; charset=utf-8",
                      slack_token(who, NULL),
                      arena_printf(&test_arena, "{\"do\":{%s}}", quoted(text)));
}

const struct json *slack_entries(size_t *ret_n)
{
    const struct json *all = test_outbox();
    *ret_n = all->n;
    return all;
}

const struct json *slack_entry_body(const struct json *entries, size_t i)
{
    const struct json *v;
    const char *text = text_at(&entries->items[i], "payload.body");
    assert_int_equal(json_parse(&test_arena, text, strlen(text), NULL, &v, &test_err), 0);
    return v;
}

const struct json *slack_scoped(const char *who, const char *scopes, const char *method,
                                const char *form)
{
    return slack_call("POST", arena_printf(&test_arena, "/api/%s", method),
                      "application/x-www-form-urlencoded", slack_token(who, scopes), form);
}

const char *slack_form(const char *form)
{
    const char *brace = strchr(form, '{'), *end;
    struct buf b;
    while (brace && !(brace[1] == 'n' && brace[2] >= '0' && brace[2] <= '9') &&
           !(brace[1] >= '1' && brace[1] <= '9'))
        brace = strchr(brace + 1, '{');
    if (!brace)
        return form;
    bool letters = brace[1] == 'n';
    int n = atoi(brace + 1 + letters);
    const char *text = letters ? "a" : strchr(brace, '*') + 1;
    end = letters ? strchr(brace, '}') : strstr(text, "*}");
    int len = letters ? 1 : (int)(end - text);
    buf_init(&b, 0);
    buf_add(&b, form, (size_t)(brace - form));
    for (int i = 0; i < n; i++)
        buf_printf(&b, "%s%.*s", i && !letters ? "," : "", len, text);
    buf_puts(&b, end + (letters ? 1 : 2));
    const char *made = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return made;
}

void slack_refuse(const struct slack_row *rows, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const char *form = slack_form(rows[i].form);
        const struct json *v = rows[i].scopes
                                   ? slack_scoped(rows[i].who, rows[i].scopes, rows[i].method, form)
                                   : slack(rows[i].who, rows[i].method, "%s", form);
        const char *said = text_at(v, "error");
        if (said && strcmp(said, rows[i].error) == 0)
            continue;
        wrong++;
        print_error("%s %.200s by %s: expected %s, is %.300s\n", rows[i].method, rows[i].form,
                    rows[i].who ? rows[i].who : "nobody", rows[i].error, test_body);
    }
    assert_int_equal(wrong, 0);
}

void assert_slack(const char *code)
{
    const struct json *v = parsed(test_body, strlen(test_body));
    const char *said = text_at(v, "error");
    bool ok = true_at(v, "ok");
    if (test_status != 200 || ok != !code || (code && (!said || strcmp(said, code) != 0)))
        fail_msg("%s expected: %d %s", code ? code : "ok", test_status, test_body);
}

const struct json *slack_ask(const char *token, const char *method, const char *form)
{
    return slack_call("POST", arena_printf(&test_arena, "/api/%s", method),
                      "application/x-www-form-urlencoded", token, form);
}

const struct json *slack_configure(const char *who, const char *method, const char *body)
{
    return slack_call("POST", arena_printf(&test_arena, "/api/%s", method),
                      "application/json; charset=utf-8", slack_token(who, SLACK_CONFIGURATION),
                      quoted(body));
}

/* ---- WebSockets ---- */

static void on_send(void *arg, const char *data, size_t len)
{
    struct slack_client *c = arg;
    assert_true(c->n < 20);
    c->got[c->n++] = arena_memdup(&test_arena, data, len);
}

static void on_close(void *arg, int code, const char *reason)
{
    struct slack_client *c = arg;
    c->closed = code;
}

int slack_connect(struct slack_client *c, const char *target)
{
    static const struct sosia_session_calls calls = {.send = on_send, .close = on_close};
    static const struct sosia_header host = {"Host", "wss-primary.slack.com"};
    struct sosia_request r = {.method = "GET", .target = target, .headers = &host, .n_headers = 1};
    struct sosia_response *res;
    memset(c, 0, sizeof *c);
    assert_int_equal(
        sosia_session_open(test_engine, test_world, &r, &calls, c, &c->session, &res, &test_err),
        0);
    int status = res->status;
    sosia_response_free(res);
    return status;
}

const struct json *slack_frame(struct slack_client *c)
{
    if (c->at >= c->n)
        fail_msg("a frame was expected, none came");
    const char *text = c->got[c->at++];
    return parsed(text, strlen(text));
}
