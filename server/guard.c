/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services serve what anybody wrote into a world: a file that is HTML, an attachment, a page. On
 * the hosts where the console is, a browser would take that for a page of the console's own, which
 * has its session. So what a browser loads there as a document is in an origin of its own, runs
 * nothing and asks no other host for anything (Content-Security-Policy), and nothing is loaded as a
 * script, a style or a worker. A browser says what it loads something for (Sec-Fetch-Dest), where
 * it trusts the connection; elsewhere a document shows in what it accepts. Programs say neither,
 * and get what they got.
 */
#include "server/internal.h"
#include <string.h>
#include <strings.h>

#define CONTROL "/_sosia/"
/* No origin, no scripts, no forms; and no other host is asked for what the document names. */
#define POLICY "sandbox; default-src 'self' data: blob: 'unsafe-inline'"

/* Answers of the control interface are its own business. */
static bool is_guarded(const struct request *r)
{
    return (r->fields.fetch_dest || r->fields.accept) && !r->page && !r->web &&
           !http_is_inside(http_conn((struct request *)(uintptr_t)r)) && !control_at_vendor(r);
}

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (strcasecmp(text, *list) == 0)
            return true;
    return false;
}

/* "empty", "image" and what else shows or reads bytes is neither. */
static bool is_document(const struct request *r)
{
    static const char *const documents[] = {"document", "frame",       "iframe", "embed",
                                            "object",   "fencedframe", NULL};
    const char *dest = r->fields.fetch_dest, *accept = r->fields.accept;
    if (dest && *dest)
        return is_one_of(dest, documents);
    return accept && strcasestr(accept, "text/html");
}

bool guard_refuses(const struct request *r)
{
    static const char *const run[] = {"script",       "style",         "worker",
                                      "sharedworker", "serviceworker", "audioworklet",
                                      "paintworklet", "xslt",          NULL};
    const char *dest = r->fields.fetch_dest;
    return dest && is_one_of(dest, run) && strncmp(r->target, CONTROL, sizeof CONTROL - 1) != 0 &&
           is_guarded(r);
}

/* A page that says itself how it is sandboxed (signing in, which has a form) is taken at its word:
 * no content of a world says what header fields an answer has. What a browser has kept of an answer
 * for one purpose is not for another one. */
size_t guard_fields(const struct request *r, bool policy, bool nosniff, struct sosia_header *to)
{
    size_t n = 0;
    if (!is_guarded(r))
        return 0;
    if (r->fields.fetch_dest)
        to[n++] = (struct sosia_header){"Vary", "Sec-Fetch-Dest"};
    if (!is_document(r))
        return n;
    if (!policy)
        to[n++] = (struct sosia_header){"Content-Security-Policy", POLICY};
    if (!nosniff)
        to[n++] = (struct sosia_header){"X-Content-Type-Options", "nosniff"};
    return n;
}
