/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the Model Context Protocol: to a world with a token, with each set of tools, and to
 * the fixture of its conformance suite. The first byte selects which headers there are, the second
 * where. */
#include "fuzz/fuzz.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sosia_engine *engine;
static char bearer[SOSIA_TOKEN_MAX + 8] = "Bearer ";

static void set_up(void)
{
    static const char doc[] = "sosia: 1\n"
                              "time: 2026-03-12T08:00:00Z\n"
                              "people: [{email: ada@acme.example}, {email: bob@acme.example}]\n"
                              "calendars:\n"
                              "  - {id: ada@acme.example, primary: true, events: [{id: event1, "
                              "summary: One, start: '2026-03-12T10:00'}]}\n"
                              "mailboxes:\n"
                              "  - {person: ada@acme.example, messages: [{id: "
                              "'1a20000000000001', from: bob@acme.example, to: ada@acme.example, "
                              "subject: Figures, date: '2026-03-11T09:00:00Z', text: Hello., "
                              "attachments: [{filename: a.csv, type: text/csv, text: 'a,b'}]}]}\n"
                              "files:\n"
                              "  - {id: doc, owner: ada@acme.example, name: Plan, mime: "
                              "text/plain, content: hello}\n"
                              "  - {id: dir, owner: ada@acme.example, name: Folder, type: "
                              "folder}\n"
                              "workspaces: [{id: T0ACME0001, domain: acme, name: Acme}]\n"
                              "channels: [{id: C0GENERAL1, name: general, general: true}]\n";
    const struct sosia_engine_options options = {.mcp_fixture = true};
    const struct sosia_world_options opt = {
        .seed_doc = doc, .seed_doc_len = sizeof doc - 1, .journal = SOSIA_JOURNAL_NONE};
    const struct sosia_token_options token = {.actor = "ada@acme.example"};
    uint64_t world;
    engine = fuzz_engine(&options);
    if (sosia_world_create(engine, &opt, &world, NULL) < 0 ||
        sosia_token_issue(engine, world, &token, bearer + strlen(bearer), SOSIA_TOKEN_MAX, NULL) <
            0)
        abort();
    sosia_engine_default_world(engine, world);
}

#define MAX_MESSAGES 8

/* One of the input's messages, with the session that the first `initialize` of it began. */
static struct sosia_response *send_message(uint8_t how, uint8_t where, const char *session,
                                           const char *text, size_t len)
{
    static const char *const revisions[] = {"2025-03-26", "2025-11-25", "2026-07-28", "x"};
    static const char *const methods[] = {"tools/call", "server/discover", "resources/read",
                                          "subscriptions/listen"};
    static const char *const paths[] = {"/mcp",
                                        "/mcp/conformance",
                                        "/mcp/drive?risk=read",
                                        "/mcp/slack/",
                                        "/mcp?tools=hosted",
                                        "/mcp?tools=reference",
                                        "/mcp?tools=community",
                                        "/mcp?tools=workspace"};
    struct sosia_response *r = NULL;
    const struct sosia_header headers[] = {
        {"Content-Type", "application/json"},
        {"Accept", how & 0x40 ? "text/event-stream" : "application/json, text/event-stream"},
        {"Authorization", bearer},
        {"MCP-Protocol-Version", revisions[how & 3]},
        {"Mcp-Method", methods[how >> 2 & 3]},
        {"Mcp-Session-Id", session}};
    const struct sosia_request request = {.method = "POST",
                                          .target = paths[where % (sizeof paths / sizeof *paths)],
                                          .headers = headers,
                                          .n_headers = sizeof headers / sizeof *headers - !*session,
                                          .body = text,
                                          .body_len = len};
    if (sosia_call(engine, 0, &request, &r, NULL) == 0 && r->status == 500)
        abort();
    return r;
}

static void note_session(const struct sosia_response *r, char session[64])
{
    for (size_t i = 0; r && i < r->n_headers; i++)
        if (strcmp(r->headers[i].name, "Mcp-Session-Id") == 0)
            snprintf(session, 64, "%s", r->headers[i].value);
}

/* Messages are separated by bytes 0x1e; streams stay open until the last of them is served. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct sosia_response *open[MAX_MESSAGES] = {NULL};
    char session[64] = "", taken[4096];
    if (!engine)
        set_up();
    if (len < 2)
        return 0;
    const char *at = (const char *)data + 2, *end = (const char *)data + len;
    for (size_t n = 0; n < MAX_MESSAGES && at <= end; n++) {
        const char *next = memchr(at, 0x1e, (size_t)(end - at));
        size_t size = (size_t)((next ? next : end) - at);
        /* behind the message is a NUL, as behind every body */
        char *text = malloc(size + 1);
        if (!text)
            abort();
        memcpy(text, at, size);
        text[size] = 0;
        open[n] = send_message(data[0], data[1], data[0] & 0x80 ? session : "", text, size);
        free(text);
        note_session(open[n], session);
        if (!next)
            break;
        at = next + 1;
    }
    for (size_t n = 0; n < MAX_MESSAGES; n++) {
        while (open[n] && open[n]->stream &&
               sosia_stream_take(open[n]->stream, taken, sizeof taken) > 0)
            ;
        sosia_response_free(open[n]);
    }
    return 0;
}
