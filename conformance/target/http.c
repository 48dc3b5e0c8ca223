/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/target/http.h"
#include "engine/base/err.h"
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ANSWER_MAX = 64 << 20, HEADERS_MAX = 200, CONNECT_S = 20, SILENT_S = 120 };

struct http {
    CURL *easy;
    char *ca_file;
    char error[CURL_ERROR_SIZE];
    struct arena *arena; /* of the request under way */
    struct buf body;
    struct sosia_header headers[HEADERS_MAX];
    size_t n_headers;
};

struct http *http_open(const char *ca_file)
{
    struct http *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->easy = curl_easy_init();
    h->ca_file = ca_file ? strdup(ca_file) : NULL;
    buf_init(&h->body, ANSWER_MAX);
    if (h->easy && (!ca_file || h->ca_file))
        return h;
    http_close(h);
    return NULL;
}

void http_close(struct http *h)
{
    if (!h)
        return;
    curl_easy_cleanup(h->easy);
    buf_done(&h->body);
    free(h->ca_file);
    free(h);
}

static size_t take_body(char *data, size_t size, size_t n, void *arg)
{
    struct http *h = arg;
    buf_add(&h->body, data, size * n);
    return buf_failed(&h->body) ? 0 : size * n;
}

static size_t take_header(char *data, size_t size, size_t n, void *arg)
{
    struct http *h = arg;
    size_t len = size * n;
    const char *colon = memchr(data, ':', len);
    if (len >= 5 && memcmp(data, "HTTP/", 5) == 0)
        h->n_headers = 0; /* what came with a 1xx */
    if (!colon || h->n_headers == HEADERS_MAX)
        return len;
    const char *value = colon + 1, *end = data + len;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && strchr(" \t\r\n", end[-1]))
        end--;
    h->headers[h->n_headers++] =
        (struct sosia_header){arena_memdup(h->arena, data, (size_t)(colon - data)),
                              arena_memdup(h->arena, value, (size_t)(end - value))};
    return len;
}

static struct curl_slist *headers_of(struct arena *a, const struct sosia_request *r)
{
    struct curl_slist *list = curl_slist_append(NULL, "Expect:");
    bool typed = false;
    for (size_t i = 0; i < r->n_headers; i++) {
        const struct sosia_header *h = &r->headers[i];
        typed |= strcasecmp(h->name, "Content-Type") == 0;
        list = curl_slist_append(
            list, arena_printf(a, *h->value ? "%s: %s" : "%s;%s", h->name, h->value));
    }
    return typed ? list : curl_slist_append(list, "Content-Type:");
}

int http_call(struct http *h, struct arena *a, const char *base_url,
              const struct sosia_request *request, struct sosia_response *ret_response,
              struct sosia_err *err)
{
    struct curl_slist *headers = headers_of(a, request);
    long status = 0;
    bool writes = request->body_len || strcmp(request->method, "POST") == 0 ||
                  strcmp(request->method, "PUT") == 0 || strcmp(request->method, "PATCH") == 0;
    curl_easy_reset(h->easy);
    buf_clear(&h->body);
    h->arena = a;
    h->n_headers = 0;
    h->error[0] = 0;
    curl_easy_setopt(h->easy, CURLOPT_URL, arena_printf(a, "%s%s", base_url, request->target));
    curl_easy_setopt(h->easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(h->easy, CURLOPT_CUSTOMREQUEST, request->method);
    curl_easy_setopt(h->easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(h->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(h->easy, CURLOPT_ERRORBUFFER, h->error);
    curl_easy_setopt(h->easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(h->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(h->easy, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S);
    curl_easy_setopt(h->easy, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(h->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h->easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(h->easy, CURLOPT_WRITEDATA, h);
    curl_easy_setopt(h->easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(h->easy, CURLOPT_HEADERDATA, h);
    if (h->ca_file)
        curl_easy_setopt(h->easy, CURLOPT_CAINFO, h->ca_file);
    if (strcmp(request->method, "HEAD") == 0)
        curl_easy_setopt(h->easy, CURLOPT_NOBODY, 1L);
    if (writes) {
        curl_easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
        curl_easy_setopt(h->easy, CURLOPT_POSTFIELDS, request->body ? request->body : "");
    }
    CURLcode code = arena_failed(a) ? CURLE_OUT_OF_MEMORY : curl_easy_perform(h->easy);
    curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    if (code != CURLE_OK)
        return sosia_fail(err, SOSIA_E_IO, "unreachable", NULL, "no response from %.100s: %.100s",
                          base_url, h->error[0] ? h->error : curl_easy_strerror(code));
    struct sosia_header *copy = (void *)arena_memdup(a, h->headers, sizeof *copy * h->n_headers);
    *ret_response = (struct sosia_response){
        .status = (int)status,
        .headers = copy,
        .n_headers = h->n_headers,
        .body = arena_memdup(a, h->body.data ? h->body.data : "", h->body.len),
        .body_len = h->body.len,
    };
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}

const char *http_header(const struct sosia_response *response, const char *name)
{
    for (size_t i = 0; i < response->n_headers; i++)
        if (strcasecmp(response->headers[i].name, name) == 0)
            return response->headers[i].value;
    return NULL;
}
