/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live page of the console: "/" on hosts other than those of services, its own addresses and
 * files below "/_sosia/ui/". They are the same for everybody, and have no world's content: what the
 * page shows it asks the control interface for, with its person's session.
 *
 * Files are kept packed. Who takes no gzip gets them unpacked, which no browser wants.
 */
#include "console/files.h"
#include "server/host.h"
#include "server/internal.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#define ROOT   "/_sosia/ui"
#define ASSETS "assets/"

static bool is_below_root(const char *target)
{
    const size_t n = sizeof ROOT - 1;
    return strncmp(target, ROOT, n) == 0 && (!target[n] || strchr("/?", target[n]));
}

bool page_is_for(const struct request *r)
{
    const char *target = r->target;
    if (!console_n_files)
        return false;
    if (is_below_root(target))
        return true;
    return target[0] == '/' && (!target[1] || target[1] == '?') && strcmp(r->method, "GET") == 0;
}

/* The page itself for its own addresses; NULL: a file of a build that is not this one. */
static const struct console_file *find_file(const char *path)
{
    const struct console_file *page = NULL;
    const char *name = is_below_root(path) ? path + sizeof ROOT - 1 : "";
    name += *name == '/';
    for (size_t i = 0; i < console_n_files; i++) {
        if (strcmp(console_files[i].path, name) == 0)
            return &console_files[i];
        if (!*console_files[i].path)
            page = &console_files[i];
    }
    return strncmp(name, ASSETS, sizeof ASSETS - 1) == 0 ? NULL : page;
}

static bool has_current(const struct request *r, const struct console_file *f)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcasecmp(r->headers[i].name, "If-None-Match") == 0)
            return strcmp(r->headers[i].value, "*") == 0 || strstr(r->headers[i].value, f->etag);
    return false;
}

/* NULL without memory. */
static char *unpack(const struct console_file *f)
{
    char *out = malloc(f->length + 1);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)f->packed,
                  .avail_in = (uInt)f->packed_len,
                  .next_out = (Bytef *)out,
                  .avail_out = (uInt)f->length};
    if (!out || inflateInit2(&z, 15 + 16) != Z_OK) {
        free(out);
        return NULL;
    }
    int rc = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    if (rc != Z_STREAM_END) {
        free(out);
        return NULL;
    }
    return out;
}

/* Puts the body in: packed already, or as it is. */
static bool take_body(struct request *r, const struct console_file *f, struct answer *a)
{
    if (answer_takes_gzip(r)) {
        r->packed = malloc(f->packed_len);
        if (!r->packed)
            return false;
        memcpy(r->packed, f->packed, f->packed_len);
        r->packed_len = f->packed_len;
        return true;
    }
    a->body = unpack(f);
    a->body_len = f->length;
    a->free_body = free;
    a->free_arg = a->body;
    return a->body != NULL;
}

/* Beyond this machine a browser says what it loads things for (guard.c), and lets pages use what
 * the page needs, over HTTPS alone. */
static bool is_trusted(const struct request *r)
{
    const char *field = r->fields.host;
    struct host host;
    return strncmp(r->base_url, "https://", 8) == 0 || !field ||
           (host_parse(field, strlen(field), &host) == 0 && host_is_loopback(&host));
}

enum MHD_Result page_handle(struct request *r)
{
    const struct console_file *f = find_file(r->target);
    struct sosia_header headers[8];
    size_t n = 0;
    r->page = true;
    if (!is_trusted(r))
        return answer_error(r, 403, "httpsNeeded",
                            "Beyond the server's own machine the console is opened over HTTPS: "
                            "`sosia serve --ca DIR --host NAME` serves it, or a proxy before it.");
    if (strcmp(r->method, "GET") != 0)
        return answer_error(r, 405, "methodNotAllowed", "The page of the console allows GET.");
    if (!f)
        return answer_error(r, 404, "notFound",
                            "The page of this build has no such file; load the page anew.");
    headers[n++] = (struct sosia_header){
        "Cache-Control", f->hashed ? "public, max-age=31536000, immutable" : "no-cache"};
    headers[n++] = (struct sosia_header){"ETag", f->etag};
    headers[n++] = (struct sosia_header){"Vary", "Accept-Encoding"};
    headers[n++] = (struct sosia_header){"X-Content-Type-Options", "nosniff"};
    headers[n++] = (struct sosia_header){"Referrer-Policy", "no-referrer"};
    headers[n++] = (struct sosia_header){"Cross-Origin-Opener-Policy", "same-origin"};
    headers[n++] = (struct sosia_header){"Cross-Origin-Resource-Policy", "same-origin"};
    if (f->policy)
        headers[n++] = (struct sosia_header){"Content-Security-Policy", f->policy};
    struct answer a = {.status = 200, .headers = headers, .n_headers = n};
    if (has_current(r, f)) {
        a.status = 304;
    } else {
        a.content_type = f->type;
        if (!take_body(r, f, &a))
            return answer_error(r, 503, "unavailable", "There is no memory for this file.");
    }
    return answer_send(r, &a);
}
