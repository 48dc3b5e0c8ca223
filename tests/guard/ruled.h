/* SPDX-License-Identifier: Apache-2.0 */
/* A world of three vendors whose calls are judged. */
#ifndef SOSIA_TESTS_GUARD_RULED_H
#define SOSIA_TESTS_GUARD_RULED_H

#include "guard/cases.h"
#include "guard/simulate.h"
#include "tests/support/world.h"
#include <stdio.h>

#define ADA "ada@acme.example" /* at Google, and in the chat */
#define KIM "kim@port.example" /* at Microsoft */

static const char DOC[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "  - {email: kim@port.example, name: Kim}\n"
    "  - {handle: deploy, kind: bot, name: Deploy}\n"
    "apps: [{client_id: '1.2', client_secret: h, name: Deploy, vendor: slack, bot: deploy}]\n"
    "accounts:\n"
    "  - {actor: kim@port.example, vendor: microsoft}\n"
    "calendars:\n"
    "  - {id: ada@acme.example, events: [{id: old00, summary: Old, start: '2026-11-24T10:00'}]}\n"
    "  - {id: bob@acme.example, events: [{id: bobs0, summary: Bobs, start: '2026-11-24T12:00'}],\n"
    "     access: [{person: ada@acme.example, role: writer}]}\n"
    "mailboxes:\n"
    "  - person: ada@acme.example\n"
    "    messages:\n"
    "      - {id: '1a20000000000001', from: bob@acme.example, to: ada@acme.example, subject: One,\n"
    "         date: '2026-11-20T10:00:00Z', text: One.}\n"
    "      - {id: '1a20000000000002', from: bob@acme.example, to: ada@acme.example, subject: Two,\n"
    "         date: '2026-11-20T11:00:00Z', text: Two.}\n"
    "      - {id: '1a20000000000003', from: bob@acme.example, to: ada@acme.example, subject: "
    "Three,\n"
    "         date: '2026-11-20T12:00:00Z', text: Three.}\n"
    "files: [{id: plan, owner: ada@acme.example, name: Plan, mime: text/plain, content: hello}]\n"
    "workspaces:\n"
    "  - {id: T0ACME, domain: acme, members: [{actor: ada@acme.example, id: U0ADA, name: ada},\n"
    "     {actor: bob@acme.example, id: U0BOB, name: bob},\n"
    "     {actor: deploy, id: U0DEPLOY, name: deploy}],\n"
    "     apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]}\n"
    "channels: [{id: C0DEV, name: dev, workspace: T0ACME, members: [U0ADA, U0BOB]}]\n";

static inline int open_world(void **state)
{
    return test_open(DOC);
}

static inline int close_world(void **state)
{
    return test_close();
}

static inline void set(const char *policy)
{
    int rc = sosia_policy_set(test_engine, test_world, policy, strlen(policy), "test.yaml", NULL,
                              &test_err);
    if (rc < 0)
        fail_msg("%s", test_err.text);
}

static inline const struct json *ask(const char *who, const char *host, const char *verb,
                                     const char *target, const char *body)
{
    struct sosia_header headers[] = {{"Host", host},
                                     {"Authorization", test_bearer(who, NULL)},
                                     {"Content-Type", "application/json; charset=utf-8"}};
    return test_request(verb, target, headers, SOSIA_LEN(headers), body, body ? strlen(body) : 0);
}

#define GOOGLE "www.googleapis.com"
#define EVENTS "/calendar/v3/calendars/primary/events"
#define MAIL   "/gmail/v1/users/me/messages"

static inline const struct json *ada(const char *verb, const char *target, const char *body)
{
    return ask(ADA, strncmp(target, "/gmail", 6) == 0 ? "gmail.googleapis.com" : GOOGLE, verb,
               target, body ? quoted(body) : NULL);
}

static inline const char *hash(void)
{
    char hex[65];
    assert_int_equal(sosia_world_hash(test_engine, test_world, hex, &test_err), 0);
    return arena_strdup(&test_arena, hex);
}

/* The last entry of the journal. */
static inline const struct json *entry(void)
{
    struct sosia_blob blob;
    const struct json *list;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 1000, true, &blob, &test_err),
                     0);
    const char *text = arena_memdup(&test_arena, blob.data, blob.len);
    assert_int_equal(json_parse(&test_arena, text, blob.len, NULL, &list, &test_err), 0);
    sosia_blob_free(&blob);
    assert_true(list->n > 0);
    return &list->items[list->n - 1];
}

static inline void decided(const char *decision, const char *rule)
{
    const struct json *guard = json_get(entry(), "guard");
    assert_non_null(guard);
    assert_string_equal(json_get_str(guard, "decision"), decision);
    assert_int_equal(strlen(json_get_str(guard, "hash")), 64);
    if (rule)
        assert_string_equal(json_get_str(guard, "rule"), rule);
    else
        assert_null(json_get(guard, "rule"));
}

#define EVENT(title)                                                                               \
    "{'summary':'" title "','start':{'dateTime':'2026-11-25T10:00:00Z'},"                          \
    "'end':{'dateTime':'2026-11-25T11:00:00Z'}}"

#endif
