/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the Model Context Protocol: to a world with a token, and to the fixture of its
 * conformance suite. The first byte says where, and which headers come with it. */
#include "sosia.h"
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
                              "people: [{email: ada@acme.example}]\n"
                              "workspaces: [{id: T0ACME0001, domain: acme, name: Acme}]\n"
                              "channels: [{id: C0GENERAL1, name: general, general: true}]\n";
    const struct sosia_engine_options options = {.mcp_fixture = true};
    const struct sosia_world_options opt = {
        .seed_doc = doc, .seed_doc_len = sizeof doc - 1, .journal = SOSIA_JOURNAL_NONE};
    const struct sosia_token_options token = {.actor = "ada@acme.example"};
    uint64_t world;
    if (sosia_engine_open(&options, &engine, NULL) < 0 ||
        sosia_world_create(engine, &opt, &world, NULL) < 0 ||
        sosia_token_issue(engine, world, &token, bearer + strlen(bearer), SOSIA_TOKEN_MAX, NULL) <
            0)
        abort();
    sosia_engine_default_world(engine, world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const revisions[] = {"2025-03-26", "2025-11-25", "2026-07-28", "x"};
    static const char *const methods[] = {"tools/call", "server/discover", "resources/read",
                                          "prompts/get"};
    static const char *const paths[] = {"/mcp", "/mcp/conformance", "/mcp/drive?risk=read",
                                        "/mcp/slack/"};
    struct sosia_response *r;
    if (!engine)
        set_up();
    if (!len)
        return 0;
    const struct sosia_header headers[] = {
        {"Content-Type", "application/json"},
        {"Accept", data[0] & 0x40 ? "text/event-stream" : "application/json, text/event-stream"},
        {"Authorization", bearer},
        {"MCP-Protocol-Version", revisions[data[0] & 3]},
        {"Mcp-Method", methods[data[0] >> 2 & 3]}};
    const struct sosia_request request = {.method = "POST",
                                          .target = paths[data[0] >> 4 & 3],
                                          .headers = headers,
                                          .n_headers = sizeof headers / sizeof *headers,
                                          .body = (const char *)data + 1,
                                          .body_len = len - 1};
    if (sosia_call(engine, 0, &request, &r, NULL) < 0)
        return 0;
    if (r->status == 500)
        abort();
    sosia_response_free(r);
    return 0;
}
