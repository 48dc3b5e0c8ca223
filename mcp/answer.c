/* SPDX-License-Identifier: Apache-2.0 */
/* What a service's response to a tool's call says: read, in words, and as members of a result. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/http/hold.h"
#include "mcp/tool.h"
#include <strings.h>

/* Some services refuse with their first member and not with a status. */
static bool says_ok(const struct mcp_call *m, const char *target)
{
    for (const struct dialect *d = NULL; (d = mcp_service_next(m->c, d)) != NULL;)
        if (d->tools->says_ok && str_starts(target, d->tools->says_ok))
            return true;
    return false;
}

void answer_judge(const struct mcp_call *m, struct mcp_answer *a, const char *target)
{
    a->is_json = strncasecmp(a->type, "application/json", 16) == 0;
    a->refused = a->status >= 400 ||
                 (a->is_json && str_starts(a->body, "{\"ok\":false") && says_ok(m, target));
}

/* What a rule has said of the last call goes along with the message's answer. */
static void take_reason(struct call *c, const struct sosia_response *r)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_headers; i++)
        if (strcmp(c->headers[i].name, GUARD_HEADER) != 0)
            c->headers[n++] = c->headers[i];
    c->n_headers = n;
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcmp(r->headers[i].name, GUARD_HEADER) == 0)
            call_header(c, GUARD_HEADER, r->headers[i].value);
}

void answer_read(struct mcp_call *m, const char *target, struct mcp_answer *a)
{
    struct sosia_response *r = a->response;
    take_reason(m->c, r);
    a->status = r->status;
    a->why = r->why;
    a->type = "";
    for (size_t i = 0; i < r->n_headers; i++)
        if ((r->headers[i].name[0] | 32) == 'c' &&
            strcasecmp(r->headers[i].name, "Content-Type") == 0)
            a->type = r->headers[i].value;
    a->body = r->body;
    a->len = r->body_len;
    if (r->read) { /* it is pulled */
        char *all = arena_alloc(m->c->tx.arena, (size_t)r->length + 1);
        int64_t n = 0, k = 1;
        while (!arena_failed(m->c->tx.arena) && n < r->length && k > 0) {
            k = r->read(r, n, all + n, (size_t)(r->length - n));
            n += k > 0 ? k : 0;
        }
        if (!arena_failed(m->c->tx.arena))
            all[n] = 0;
        a->body = all;
        a->len = (size_t)n;
    }
    answer_judge(m, a, target);
}

const struct json *tool_answer(struct mcp_call *m, struct mcp_answer *a)
{
    struct sosia_err ignored;
    if (!a->json && a->is_json &&
        json_parse(m->c->tx.arena, a->body, a->len, NULL, &a->json, &ignored) < 0)
        a->json = NULL;
    return a->json;
}

/* ---- refusals in words ---- */

static const struct json *first(const struct json *list)
{
    return list && list->type == JSON_ARRAY && list->n ? &list->items[0] : NULL;
}

/* What the service keeps to itself: behind its words, with the member where the tool has it. */
static const char *more_of(struct mcp_call *m, const struct mcp_answer *a, const char *text)
{
    const struct schema *s = a->request;
    size_t n = a->why ? strcspn(a->why, " .[") : 0, i = 0;
    if (!n || strstr(text, a->why))
        return "";
    while (s && i < s->n_fields &&
           (strlen(s->fields[i].name) != n || memcmp(s->fields[i].name, a->why, n) != 0))
        i++;
    return arena_printf(m->c->tx.arena, " (%s%s)", s && i < s->n_fields ? BODY "." : "", a->why);
}

const char *answer_why(struct mcp_call *m, struct mcp_answer *a)
{
    struct arena *arena = m->c->tx.arena;
    const struct json *error = json_get(tool_answer(m, a), "error");
    const char *text = json_get_str(error, "message"), *reason = NULL;
    const char *needed = json_get_str(a->json, "needed");
    int status = a->status;
    if (error && error->type == JSON_STRING) {
        const struct json *more = json_get(json_get(a->json, "response_metadata"), "messages");
        const struct json *why = first(more);
        return arena_printf(arena, "%s%s%s%s%s", error->str, needed ? ", needed: " : "",
                            needed ? needed : "", why && why->type == JSON_STRING ? ": " : "",
                            why && why->type == JSON_STRING ? why->str : "");
    }
    reason = json_get_str(first(json_get(error, "errors")), "reason");
    if (!reason)
        reason = json_get_str(error, "status");
    if (!text) /* of the workspace's methods */
        text = json_get_str(first(json_get(a->json, "content")), "text");
    if (!text)
        text = a->len ? a->body : a->why;
    if (!text || !utf8_valid(text, strlen(text)))
        text = "the service refused the call";
    return arena_printf(arena, "%d%s%s: %.*s%s", status, reason ? " " : "", reason ? reason : "",
                        (int)utf8_truncate(text, strlen(text), 2000), text, more_of(m, a, text));
}

/* ---- results ---- */

void tool_text(struct json_writer *w, const char *text, size_t n)
{
    json_obj(w, NULL);
    json_str(w, "type", "text");
    json_strn(w, "text", text, n);
    json_end(w);
}

/* Beside the words, for programs. */
static void write_reason(struct mcp_call *m)
{
    const char *text = NULL;
    for (size_t i = 0; i < m->c->n_headers; i++)
        if (strcmp(m->c->headers[i].name, GUARD_HEADER) == 0)
            text = m->c->headers[i].value;
    if (!text)
        return;
    if (strcmp(m->revision, "2025-06-18") >= 0)
        json_raw(m->w, "structuredContent", text, strlen(text));
    json_obj(m->w, "_meta");
    json_raw(m->w, "sosia/guard", text, strlen(text));
    json_end(m->w);
}

void tool_refused(struct mcp_call *m, const char *why)
{
    json_arr(m->w, "content");
    tool_text(m->w, why, strlen(why));
    json_end(m->w);
    write_reason(m);
    json_bool(m->w, "isError", true);
}
