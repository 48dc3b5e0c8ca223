/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/refused.h"
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include <stdlib.h>

enum { MAX_KEPT = 32 };

struct kept_call {
    int64_t at_us; /* of the latest one like it */
    int64_t n;     /* so many, one after the other */
    int status;
    char verb[8], method[64], path[120], why[120];
};

struct refused_calls {
    int64_t n;
    uint32_t first, kept; /* list[first] is the oldest of them */
    struct kept_call list[MAX_KEPT];
};

/* As much as there is room for, in whole characters. */
static void take(char *to, size_t size, const char *text, size_t len)
{
    size_t n = len < size ? len : size - 1;
    if (n < len)
        while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    if (n && !utf8_valid(text, n))
        n = 0;
    if (n)
        memcpy(to, text, n);
    to[n] = 0;
}

#define TAKE(to, text) take((to), sizeof(to), (text) ? (text) : "", (text) ? strlen(text) : 0)

static bool is_like(const struct kept_call *a, const struct kept_call *b)
{
    return a->status == b->status && strcmp(a->verb, b->verb) == 0 &&
           strcmp(a->method, b->method) == 0 && strcmp(a->path, b->path) == 0 &&
           strcmp(a->why, b->why) == 0;
}

void refused_add(struct world *w, const struct refused_call *call)
{
    struct world_extra *x = world_extra(w);
    if (x && !x->refused)
        x->refused = calloc(1, sizeof *x->refused);
    struct refused_calls *r = x ? x->refused : NULL;
    if (!r)
        return;
    struct kept_call one = {.at_us = call->at_us, .n = 1, .status = call->status};
    TAKE(one.verb, call->verb);
    TAKE(one.method, call->method);
    TAKE(one.why, call->why);
    take(one.path, sizeof one.path, call->path, call->path_len);
    r->n++;
    struct kept_call *last = r->kept ? &r->list[(r->first + r->kept - 1) % MAX_KEPT] : NULL;
    if (last && is_like(last, &one)) {
        last->n++;
        last->at_us = one.at_us;
        return;
    }
    if (r->kept == MAX_KEPT)
        r->first = (r->first + 1) % MAX_KEPT;
    else
        r->kept++;
    r->list[(r->first + r->kept - 1) % MAX_KEPT] = one;
}

void refused_write(const struct world *w, struct json_writer *out)
{
    const struct refused_calls *r = w->extra ? w->extra->refused : NULL;
    json_obj(out, "refused");
    json_int(out, "calls", r ? r->n : 0);
    json_arr(out, "last");
    for (uint32_t i = 0; r && i < r->kept; i++) {
        const struct kept_call *c = &r->list[(r->first + i) % MAX_KEPT];
        json_obj(out, NULL);
        json_time(out, "at", c->at_us, JSON_TIME_US_Z);
        json_int(out, "calls", c->n);
        json_str(out, "verb", c->verb);
        json_str(out, "path", c->path);
        json_str_opt(out, "method", *c->method ? c->method : NULL);
        json_int(out, "status", c->status);
        json_str_opt(out, "why", *c->why ? c->why : NULL);
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

void refused_clear(struct world *w)
{
    if (!w->extra)
        return;
    free(w->extra->refused);
    w->extra->refused = NULL;
}
