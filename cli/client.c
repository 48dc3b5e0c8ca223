/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of commands to the control interface of a running server. */
#include "cli/cli.h"
#include "cli/origin.h"
#include "engine/base/codec.h"
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static size_t collect(char *data, size_t size, size_t n, void *arg)
{
    struct buf *b = arg;
    buf_add(b, data, size * n);
    return buf_failed(b) ? 0 : size * n;
}

/* creates: the request may be the first one of a new data directory. */
static int reach(struct client *c, bool creates)
{
    struct sosia_err err;
    if (c->data && !c->local && !creates && access(c->data, F_OK) < 0) {
        fprintf(stderr, "sosia: %s: %s\n", c->data, strerror(errno));
        return EXIT_REFUSED;
    }
    if (c->data && !c->local) {
        if (local_server_start(c->data, &c->local, &c->url, &c->key, &err) < 0) {
            fprintf(stderr, "sosia: %s\n", err.text);
            return EXIT_REFUSED;
        }
    }
    if (!c->url)
        c->url = getenv("SOSIA_URL");
    if (!c->url || !*c->url)
        c->url = "http://localhost:8787";
    if (!c->key)
        c->key = getenv("SOSIA_CONTROL_KEY");
    if (c->key && !*c->key)
        c->key = NULL;
    return 0;
}

/* The server's message about a failure, for people. */
static void print_refusal(const struct client *c, long status, const struct buf *answer)
{
    struct arena a;
    const struct json *doc;
    arena_init(&a, 0);
    const char *message = NULL;
    if (json_parse(&a, answer->data ? answer->data : "", answer->len, NULL, &doc, NULL) == 0)
        message = json_get_str(json_get(doc, "error"), "message");
    if (message && c->origins)
        message = origins_of_error(c->origins, message);
    if (message)
        fprintf(stderr, "sosia: %s\n", message);
    else
        fprintf(stderr, "sosia: the server must respond with 2xx, not %ld\n", status);
    arena_done(&a);
}

/* A foreign server may respond to anything with 200. */
static int check_type(const struct client *c, CURL *curl, const struct buf *answer)
{
    const char *type = NULL;
    curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    static const char *const types[] = {"application/json",
                                        "application/vnd.sqlite3",
                                        "application/octet-stream",
                                        "application/gzip",
                                        "application/mbox",
                                        "text/calendar",
                                        "text/vcard",
                                        "text/csv"};
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (!answer->len || (type && str_starts(type, types[i])))
            return 0;
    if (c->page && type && str_starts(type, "text/html"))
        return 0;
    fprintf(stderr,
            "sosia: %s must be a sosia server, which responds with JSON; it responds with %s\n",
            c->url, type ? type : "no Content-Type");
    return EXIT_UNREACHABLE;
}

/* ---- progress of what takes long ---- */

struct progress {
    double begun;
    bool shown;
};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int show_progress(void *arg, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                         curl_off_t up)
{
    struct progress *p = arg;
    double passed = seconds_now() - p->begun;
    if (passed < 1)
        return 0;
    p->shown = true;
    fprintf(stderr, "\rsosia: %.0f s", passed);
    if (up_all)
        fprintf(stderr, ", %.1f of %.1f MB sent", (double)up / 1e6, (double)up_all / 1e6);
    if (down_all > down || (down && !down_all))
        fprintf(stderr, ", %.1f MB received", (double)down / 1e6);
    fputs("   ", stderr);
    return 0;
}

/* Nothing is shown in the first second, nor without a terminal. */
static void progress_begin(CURL *curl, struct progress *p)
{
    *p = (struct progress){.begun = seconds_now()};
    if (!isatty(STDERR_FILENO))
        return;
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, show_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, p);
}

static void progress_end(const struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
}

int client_call(struct client *c, const char *method, const char *path, const char *body,
                size_t body_len, struct buf *ret)
{
    int rc = reach(c, strcmp(method, "POST") == 0 &&
                          (strcmp(path, "/worlds") == 0 || str_starts(path, "/worlds/import")));
    if (rc)
        return rc;
    CURL *curl = curl_easy_init();
    struct progress progress;
    struct curl_slist *headers = NULL;
    struct buf url, auth;
    long status = 0;
    if (!curl) {
        fprintf(stderr, "sosia: libcurl can't be set up\n");
        return EXIT_UNREACHABLE;
    }
    buf_init(&url, 0);
    buf_init(&auth, 0);
    size_t end = strlen(c->url);
    while (end && c->url[end - 1] == '/')
        end--;
    buf_add(&url, c->url, end);
    buf_printf(&url, "/_sosia/v1%s", path);
    buf_printf(&auth, "Authorization: Bearer %s", c->key ? c->key : "");
    headers = curl_slist_append(headers, body && body[0] == '{'
                                             ? "Content-Type: application/json"
                                             : "Content-Type: application/octet-stream");
    headers = curl_slist_append(headers, "Expect:");
    if (c->key)
        headers = curl_slist_append(headers, buf_str(&auth));
    curl_easy_setopt(curl, CURLOPT_URL, buf_str(&url));
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)c->timeout_s);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, ret);
    if (body || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body ? body : "");
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body_len);
    }
    progress_begin(curl, &progress);
    CURLcode code = curl_easy_perform(curl);
    progress_end(&progress);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (buf_failed(ret)) {
        fprintf(stderr,
                "sosia: a response must have at most 1 GiB and fit into memory, does not\n");
        rc = EXIT_REFUSED;
    } else if (code != CURLE_OK) {
        fprintf(stderr, "sosia: no response from %s: %s\n", c->url, curl_easy_strerror(code));
        rc = EXIT_UNREACHABLE;
    } else if (status < 200 || status > 299) {
        print_refusal(c, status, ret);
        if (status == 401 && !c->key)
            fprintf(stderr,
                    "sosia: the control key must be given in SOSIA_CONTROL_KEY or by --key, not "
                    "not: `sosia serve` prints it\n");
        rc = EXIT_REFUSED;
    } else {
        rc = check_type(c, curl, ret);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    buf_done(&url);
    buf_done(&auth);
    return rc;
}

int client_read(const struct client *c, struct arena *a, const struct buf *answer,
                const struct json **ret)
{
    if (json_parse(a, answer->data ? answer->data : "", answer->len, NULL, ret, NULL) == 0 &&
        (*ret)->type == JSON_OBJECT)
        return 0;
    fprintf(stderr, "sosia: %s must be a sosia server; its response is not a JSON object\n",
            c->url);
    return EXIT_UNREACHABLE;
}

int client_show(struct client *c, const char *method, const char *path, const struct buf *body,
                void (*show)(const struct json *answer))
{
    struct buf answer;
    if (body && buf_failed(body)) {
        fprintf(stderr, "sosia: a request must have at most 1 GiB and fit into memory, does not\n");
        return EXIT_REFUSED;
    }
    buf_init(&answer, 0);
    int rc = client_call(c, method, path, body ? body->data : NULL, body ? body->len : 0, &answer);
    if (rc == 0 && show && !c->json) {
        struct arena a;
        const struct json *doc;
        arena_init(&a, 0);
        rc = client_read(c, &a, &answer, &doc);
        if (rc == 0)
            show(doc);
        arena_done(&a);
    } else if (rc == 0 && answer.len) {
        fwrite(answer.data, 1, answer.len, stdout);
        if (answer.data[answer.len - 1] != '\n')
            putchar('\n');
    }
    buf_done(&answer);
    return rc;
}

void client_close(struct client *c)
{
    if (c->local)
        local_server_stop(c->local);
    c->local = NULL;
}

int client_world(struct client *c, const struct command *self, const char *argument)
{
    if (argument && c->world) {
        usage(self, "the world must be given once: as an argument or by --world, is given by both");
        return -1;
    }
    if (argument)
        c->world = argument;
    return 0;
}

int client_world_path(struct buf *path, const struct client *c)
{
    const char *world = c->world ? c->world : getenv("SOSIA_WORLD");
    if (!world || !*world) {
        fprintf(stderr,
                "sosia: a world must be named, by its name or key as an argument, by --world "
                "or in SOSIA_WORLD; none is\n");
        return -1;
    }
    buf_puts(path, "/worlds/");
    percent_add(path, world, strlen(world));
    return 0;
}
