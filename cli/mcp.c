/* SPDX-License-Identifier: Apache-2.0 */
/* sosia mcp: the endpoint of the Model Context Protocol over standard input and output, a message a
 * line: of a running server, or of a world in this process. */
#include "cli/cli.h"
#include "cli/origin.h"
#include "cli/examples.h"
#include "cli/guides.h"
#include "engine/api/route.h"
#include "engine/base/codec.h"
#include "mcp/setting.h"
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE    ((size_t)64 << 20)
#define MAX_HEADERS 6
#define META        "io.modelcontextprotocol/"

struct mcp {
    const char *url, *token, *fixture, *actor, *service, *risk, *tools;
    char revision[16];           /* that the handshake agreed on; "": none yet */
    struct sosia_engine *engine; /* NULL: the world is at the URL */
    char own_token[SOSIA_TOKEN_MAX];
    /* Of a world in this process: all messages of the endpoint are on one stream. */
    struct sosia_response *stream;
    struct buf events; /* of it, not printed yet */
    char target[600];  /* where messages are posted to */
    CURL *curl;
    bool unreachable; /* the URL */
};

/* ---- a message as a request ---- */

/* What are headers over HTTP is in the message here. */
static size_t headers_of(const struct mcp *m, struct arena *a, const struct json *message,
                         struct sosia_header to[MAX_HEADERS])
{
    const struct json *params = json_get(message, "params");
    const char *method = json_get_str(message, "method"), *name = json_get_str(params, "name");
    const char *uri = json_get_str(params, "uri");
    const char *said = json_get_str(json_get(params, "_meta"), META "protocolVersion");
    const char *revision = said ? said : *m->revision ? m->revision : NULL;
    size_t n = 0;
    to[n++] = (struct sosia_header){"Content-Type", "application/json"};
    to[n++] = (struct sosia_header){"Accept", "application/json"};
    to[n++] = (struct sosia_header){"Authorization", arena_printf(a, "Bearer %s", m->token)};
    if (revision)
        to[n++] = (struct sosia_header){"MCP-Protocol-Version", revision};
    if (said && method)
        to[n++] = (struct sosia_header){"Mcp-Method", method};
    if (said && (name || uri)) {
        struct buf b;
        buf_init(&b, 0);
        base64_add(&b, name ? name : uri, strlen(name ? name : uri));
        to[n++] = (struct sosia_header){"Mcp-Name", arena_printf(a, "=?base64?%s?=", buf_str(&b))};
        buf_done(&b);
    }
    return n;
}

/* The part behind "/mcp" of the endpoint's URL. */
static const char *endpoint_of(const struct mcp *m, struct arena *a)
{
    return arena_printf(a, "%s%s%s%s%s%s", m->service ? "/" : "", m->service ? m->service : "",
                        m->risk ? "?risk=" : "", m->risk ? m->risk : "",
                        !m->tools ? ""
                        : m->risk ? "&tools="
                                  : "?tools=",
                        m->tools ? m->tools : "");
}

/* What the stream has. */
static void take_events(struct mcp *m)
{
    char part[16384];
    int64_t n;
    while ((n = sosia_stream_take(m->stream->stream, part, sizeof part)) > 0)
        buf_add(&m->events, part, (size_t)n);
}

/* The data of the next event, NUL-terminated; NULL: there is none. *at: 0 at first. */
static char *next_event(struct mcp *m, size_t *at)
{
    static const char mark[] = "\ndata: ";
    buf_str(&m->events);
    while (*at < m->events.len) {
        char *event = m->events.data + *at, *end = strstr(event, "\n\n"), *data;
        if (!end)
            break;
        *end = 0;
        *at += (size_t)(end - event) + 2;
        if ((data = strstr(event, mark)))
            return data + sizeof mark - 1;
    }
    return NULL;
}

static int open_stream(struct mcp *m, struct arena *a, struct sosia_err *err)
{
    const char *query = endpoint_of(m, a), *path;
    size_t n = strcspn(query, "?"), at = 0;
    const struct sosia_header headers[] = {
        {"Accept", "text/event-stream"}, {"Authorization", arena_printf(a, "Bearer %s", m->token)}};
    const struct sosia_request request = {
        .method = "GET",
        .target = arena_printf(a, "/mcp%.*s/sse%s", (int)n, query, query + n),
        .headers = headers,
        .n_headers = sizeof headers / sizeof *headers,
        .body = ""};
    buf_init(&m->events, 0);
    if (sosia_call(m->engine, 0, &request, &m->stream, err) < 0)
        return -1;
    if (m->stream->stream) {
        sosia_stream_wake(m->stream->stream, MAX_LINE, NULL, NULL);
        take_events(m);
    }
    path = m->stream->stream ? next_event(m, &at) : NULL;
    if (!path || strlen(path) >= sizeof m->target)
        return sosia_fail(err, SOSIA_E_INVALID, NULL, NULL, "the endpoint opens no stream: %s",
                          m->stream->body);
    snprintf(m->target, sizeof m->target, "%s", path);
    buf_clear(&m->events);
    return 0;
}

/* A refusal is the response; all else is on the stream. */
static int send_inside(struct mcp *m, const struct sosia_header *headers, size_t n,
                       const char *line, size_t len, struct buf *answer, struct sosia_err *err)
{
    struct sosia_response *r;
    struct sosia_request request = {.method = "POST",
                                    .target = m->target,
                                    .headers = headers,
                                    .n_headers = n,
                                    .body = line,
                                    .body_len = len};
    if (sosia_call(m->engine, 0, &request, &r, err) < 0)
        return -1;
    buf_add(answer, r->body, r->body_len);
    sosia_response_free(r);
    take_events(m);
    return 0;
}

static size_t collect(char *data, size_t size, size_t n, void *arg)
{
    struct buf *b = arg;
    buf_add(b, data, size * n);
    return buf_failed(b) ? 0 : size * n;
}

static int send_outside(struct mcp *m, const struct sosia_header *headers, size_t n,
                        const char *line, size_t len, struct buf *answer, struct sosia_err *err)
{
    struct curl_slist *list = NULL;
    struct buf header;
    for (size_t i = 0; i < n; i++) {
        buf_init(&header, 0);
        buf_printf(&header, "%s: %s", headers[i].name, headers[i].value);
        list = curl_slist_append(list, buf_str(&header));
        buf_done(&header);
    }
    list = curl_slist_append(list, "Expect:");
    curl_easy_setopt(m->curl, CURLOPT_URL, m->url);
    curl_easy_setopt(m->curl, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(m->curl, CURLOPT_POSTFIELDS, line);
    curl_easy_setopt(m->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
    curl_easy_setopt(m->curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(m->curl, CURLOPT_WRITEDATA, answer);
    curl_easy_setopt(m->curl, CURLOPT_NOSIGNAL, 1L);
    CURLcode rc = curl_easy_perform(m->curl);
    curl_slist_free_all(list);
    m->unreachable = rc != CURLE_OK;
    if (rc != CURLE_OK)
        return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: %s", m->url, curl_easy_strerror(rc));
    return 0;
}

/* ---- lines ---- */

/* A response is one line; what is none of the protocol's would only confuse the client. */
static void print_answer(struct mcp *m, struct arena *a, const char *answer, size_t len)
{
    const struct json *doc;
    if (!len)
        return;
    if (json_parse(a, answer, len, NULL, &doc, NULL) < 0) {
        fprintf(stderr, "sosia mcp: the response must be JSON, not \"%.*s\"\n",
                len < 200 ? (int)len : 200, answer);
        return;
    }
    const char *agreed = json_get_str(json_get(doc, "result"), "protocolVersion");
    if (agreed)
        snprintf(m->revision, sizeof m->revision, "%s", agreed);
    fputs(json_to_text(a, doc), stdout);
    putchar('\n');
}

static void print_events(struct mcp *m, struct arena *a)
{
    size_t at = 0;
    for (char *data; m->stream && (data = next_event(m, &at));)
        print_answer(m, a, data, strlen(data));
    if (m->stream)
        buf_clear(&m->events); /* events are put whole */
}

static void refuse_line(const char *why)
{
    printf("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"%s\"}}\n",
           why);
    fflush(stdout);
}

static int serve_line(struct mcp *m, const char *line, size_t len)
{
    struct sosia_header headers[MAX_HEADERS];
    struct sosia_err err = {0};
    struct arena a;
    struct buf answer;
    const struct json *message = NULL;
    arena_init(&a, 0);
    buf_init(&answer, 0);
    int rc = 0;
    if (json_parse(&a, line, len, NULL, &message, NULL) < 0)
        refuse_line("a line must be a JSON-RPC message");
    size_t n = message ? headers_of(m, &a, message, headers) : 0;
    if (message && m->engine)
        rc = send_inside(m, headers, n, line, len, &answer, &err);
    else if (message)
        rc = send_outside(m, headers, n, line, len, &answer, &err);
    if (rc < 0)
        fprintf(stderr, "sosia mcp: %s\n", err.text);
    else
        print_answer(m, &a, answer.data, answer.len);
    print_events(m, &a);
    if (fflush(stdout) != 0)
        rc = -1;
    buf_done(&answer);
    arena_done(&a);
    return rc;
}

static int serve_lines(struct mcp *m)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int rc = 0;
    while (rc == 0 && (n = getline(&line, &cap, stdin)) >= 0) {
        while (n && strchr("\r\n", line[n - 1]))
            n--;
        if ((size_t)n > MAX_LINE)
            refuse_line("a line must have at most 64 MiB");
        else if (n)
            rc = serve_line(m, line, (size_t)n);
    }
    free(line);
    return rc == 0 ? EXIT_OK : m->unreachable ? EXIT_UNREACHABLE : EXIT_REFUSED;
}

/* ---- the world ---- */

/* The first person who is there. */
static int first_actor(struct mcp *m, uint64_t world, struct arena *a, struct sosia_err *err)
{
    struct sosia_blob list;
    const struct json *doc;
    if (sosia_actor_list(m->engine, world, 0, 1, &list, err) < 0)
        return -1;
    int rc = json_parse(a, list.data, list.len, NULL, &doc, err);
    if (rc == 0 && doc->n) {
        const char *email = json_get_str(&doc->items[0], "email");
        m->actor = email ? email : json_get_str(&doc->items[0], "handle");
    }
    sosia_blob_free(&list);
    if (rc == 0 && !m->actor)
        rc = sosia_fail(err, SOSIA_E_NOT_FOUND, NULL, NULL, "the fixture has nobody in it");
    return rc;
}

static int open_world(struct mcp *m, struct arena *a, struct sosia_err *err)
{
    struct fixture f;
    uint64_t world;
    int rc = fixture_load(a, NULL, m->fixture, &f, err);
    if (rc < 0 || sosia_engine_open(NULL, &m->engine, err) < 0)
        return -1;
    struct sosia_world_options opt = {.clock = SOSIA_CLOCK_REAL,
                                      .seed_doc = f.text,
                                      .seed_doc_len = f.len,
                                      .seed_doc_name = f.file};
    if (sosia_world_create(m->engine, &opt, &world, err) < 0) {
        origins_mend(f.origins, err);
        return -1;
    }
    if (!m->actor && first_actor(m, world, a, err) < 0)
        return -1;
    sosia_engine_default_world(m->engine, world);
    struct sosia_token_options token = {.actor = m->actor};
    m->token = m->own_token;
    return sosia_token_issue(m->engine, world, &token, m->own_token, sizeof m->own_token, err);
}

static int open_url(struct mcp *m, struct arena *a, struct sosia_err *err)
{
    m->url = arena_printf(a, "%s%s", m->url, endpoint_of(m, a));
    if (!m->token)
        m->token = getenv("SOSIA_TOKEN");
    if (!m->token)
        return sosia_fail(err, SOSIA_E_INVALID, NULL, NULL,
                          "a token must be given by --token or in $SOSIA_TOKEN, none is");
    m->curl = curl_easy_init();
    return m->curl ? 0 : sosia_fail_memory(err);
}

static int run_mcp(const struct command *self, int argc, char **argv)
{
    struct mcp m = {0};
    struct sosia_err err = {0};
    struct arena a;
    char services[GUIDE_TEXT_MAX], help[GUIDE_TEXT_MAX + 40];
    snprintf(help, sizeof help, "one service alone: %s", tool_services(services));
    const struct option_row rows[] = {
        {"url", "URL", "of an endpoint, as http://localhost:8787/mcp, or .../w/WORLD/mcp",
         .text = &m.url},
        {"token", "TOKEN", "for it (default: $SOSIA_TOKEN)", .text = &m.token},
        {"fixture", "NAME", "a world of its own, in memory, in the place of a URL",
         .text = &m.fixture},
        {"actor", "ADDRESS", "who acts in that world (default: the first person)",
         .text = &m.actor},
        {"service", "NAME", help, .text = &m.service},
        {"risk", "RISK", "of tools at most: read, draft, write, external, destructive",
         .text = &m.risk},
        {"tools", "SET",
         "names and shapes: common (default), native, hosted, reference, community, workspace, "
         "softeria, agent365",
         .text = &m.tools},
    };
    int n = options_parse(self, rows, sizeof rows / sizeof *rows, argc, argv);
    if (n < 0)
        return n == -1 ? EXIT_USAGE : EXIT_OK;
    if (n || !m.url == !m.fixture)
        return usage(self, n ? "there must be no arguments but options, there are some"
                             : "one of --url and --fixture must be given, none or both are");
    if (m.url ? m.actor != NULL : m.token != NULL)
        return usage(self, m.url ? "--actor must be given with --fixture, not with --url"
                                 : "--token must be given with --url, not with --fixture");
    if ((m.risk && option_word("risk", m.risk, risk_names) < 0) ||
        (m.tools && option_word("tools", m.tools, tool_sets) < 0))
        return EXIT_USAGE;
    arena_init(&a, 0);
    int rc = m.fixture ? open_world(&m, &a, &err) : open_url(&m, &a, &err);
    if (rc == 0 && m.engine)
        rc = open_stream(&m, &a, &err);
    if (rc < 0)
        fprintf(stderr, "sosia mcp: %s\n", err.text);
    int code = rc < 0 ? EXIT_REFUSED : serve_lines(&m);
    curl_easy_cleanup(m.curl);
    sosia_response_free(m.stream);
    if (m.stream)
        buf_done(&m.events);
    sosia_engine_close(m.engine);
    arena_done(&a);
    return code;
}

const struct command mcp_command = {
    "mcp", "(--url URL | --fixture NAME) [OPTION ...]",
    "be a server of the Model Context Protocol on standard input and output",
    "For programs that start their servers themselves. Each line is a message; see docs/mcp.md.\n"
    "\n"
    "Example:\n"
    "  sosia mcp --fixture office --service " EXAMPLE_SERVICE "\n"
    "  sosia mcp --url http://localhost:8787/mcp --token TOKEN",
    run_mcp};
