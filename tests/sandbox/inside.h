/* SPDX-License-Identifier: Apache-2.0 */
/* A server, and programs on the workspace of one of its worlds. */
#ifndef SOSIA_TESTS_SANDBOX_INSIDE_H
#define SOSIA_TESTS_SANDBOX_INSIDE_H

#include "mcp/servers/carried.h"
#include "sandbox/carried.h"
#include "sandbox/runner.h"
#include "server/server.h"
#include "services/list.h"
#include "services/workspace/core/program.h"
#include "tests/sandbox/kept.h"
#include "tests/support/dose.h"
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "tests/support/wire.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#define ADA "ada@acme.example"
#define BOB "bob@acme.example"

#define HEAD                                                                                       \
    "sosia: 1\n"                                                                                   \
    "time: 2026-11-23T08:00:00Z\n"                                                                 \
    "people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}]\n"       \
    "accounts: [{actor: ada@acme.example, vendor: google}, {actor: ada@acme.example, vendor: "     \
    "microsoft}, {actor: bob@acme.example, vendor: google}]\n"                                     \
    "calendars:\n"                                                                                 \
    "  - {owner: ada@acme.example, primary: true, events: []}\n"                                   \
    "workspaces:\n"                                                                                \
    "  - {id: T0ACME, domain: acme, members: [{actor: ada@acme.example, id: U0ADA, name: ada}]}\n" \
    "channels:\n"                                                                                  \
    "  - {id: C0GENERAL, name: general, general: true, workspace: T0ACME}\n"                       \
    "workspace:\n"                                                                                 \
    "  - path: call.py\n"                                                                          \
    "    text: |\n"                                                                                \
    "      import json, os, sys, urllib.error, urllib.request\n"                                   \
    "      def call(method, url, body=None, token=os.environ.get('SOSIA_TOKEN'), **headers):\n"    \
    "          if token: headers['Authorization'] = 'Bearer ' + token\n"                           \
    "          data = None if body is None else body.encode()\n"                                   \
    "          if data: headers['Content-Type'] = 'application/json'\n"                            \
    "          r = urllib.request.Request(url, data, headers, method=method)\n"                    \
    "          try:\n"                                                                             \
    "              with urllib.request.urlopen(r) as answer:\n"                                    \
    "                  return answer.status, json.load(answer)\n"                                  \
    "          except urllib.error.HTTPError as e:\n"                                              \
    "              return e.code, e.read().decode()\n"                                             \
    "          except Exception as e:\n"                                                           \
    "              return 0, str(e)\n"
#define ACTS "programs: {services: {actor: ada@acme.example, credentials: slack}}\n"

#define CALENDAR "https://www.googleapis.com/calendar/v3/calendars/primary/events"

static struct server *server;

/* ---- as `sosia serve` has it ---- */

static inline const char *authority(void *arg)
{
    return server_inside_authority(arg);
}

static inline void connected(void *arg, uint64_t world, int fd, bool secure)
{
    server_inside(arg, world, fd, secure);
}

static inline int inside_begin(void *arg, struct server *s, struct sosia_err *err)
{
    (void)arg, (void)err;
    if (kept_in)
        runner_on_services(kept_by, &(struct runner_services){authority, connected, s});
    return 0;
}

static inline void inside_end(void *arg)
{
    (void)arg;
    if (kept_by)
        runner_on_services(kept_by, NULL);
}

static inline int control(void *arg, const struct server_request *request,
                          struct server_response *response)
{
    (void)arg, (void)request;
    response->status = 299; /* which nothing else answers */
    return 0;
}

static inline int open_with(const char *doc)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    if (kept_open(doc) < 0)
        return -1;
    o.engine = test_engine;
    o.vendor_hosts = sosia_hosts();
    o.control_key = "a-key-of-control";
    o.control = control;
    o.threads = 1;
    o.stop_ms = 3000;
    o.inside_begin = inside_begin;
    o.inside_end = inside_end;
    return server_start(&o, &server, &test_err);
}

static inline int set_up(void **state)
{
    (void)state;
    return open_with(HEAD ACTS);
}

static inline int tear_down(void **state)
{
    (void)state;
    mcp_carry(NULL, 0);
    server_stop(server);
    server = NULL;
    return kept_close();
}

/* ---- programs ---- */

static inline const char *body_of(const char *program, const char *script)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "argv");
    json_str(&w, NULL, program);
    json_str(&w, NULL, "-c");
    json_str(&w, NULL, script);
    json_end(&w);
    json_end(&w);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Both of its streams. */
static inline const char *run(const char *program, const char *script)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *body = body_of(program, script);
    const struct json *v = test_request("POST", PROGRAM_PATH, headers, 2, body, strlen(body));
    if (test_status != 200)
        fail_msg("%s: %d %s", script, test_status, test_body);
    const char *out = json_get_str(v, "stdout"), *err = json_get_str(v, "stderr");
    return arena_printf(&test_arena, "%s%s", out ? out : "", err ? err : "");
}

static inline void prints(const char *program, const char *script, const char *expected)
{
    const char *out = run(program, script);
    if (strcmp(out, expected) != 0)
        fail_msg("%s: expected %s, got %s", script, expected, out);
}

#define PYTHON(script, expected) prints("python3", "from call import *\n" script, expected)

static inline bool has(const char *program)
{
    if (access(arena_printf(&test_arena, "/usr/bin/%s", program), X_OK) == 0)
        return true;
    fprintf(stderr, "not tried: %s is not there\n", program);
    return false;
}

static inline const char *dump_of(uint64_t world)
{
    struct sosia_blob out;
    assert_int_equal(sosia_world_dump(test_engine, world, &out, &test_err), 0);
    const char *text = arena_strdup(&test_arena, out.data);
    sosia_blob_free(&out);
    return text;
}

static inline const char *journal(void)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 0, false, &blob, &test_err), 0);
    const char *text = arena_strdup(&test_arena, blob.data);
    sosia_blob_free(&blob);
    return text;
}

#endif
