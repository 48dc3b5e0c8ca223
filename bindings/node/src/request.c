/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of calls out of their arguments: short texts take no memory. */
#include "addon.h"

#include <string.h>

static const char *short_text(struct args *a, struct shorts *s, size_t i, const char *name)
{
    size_t room = SHORT_TEXT - s->used, len = 0;
    char *text = s->text + s->used;
    napi_status rc = room > 16 ? napi_get_value_string_utf8(a->env, a->v[i], text, room, &len)
                               : napi_generic_failure;
    if (rc != napi_ok || len + 4 >= room) /* a character that does not fit is left out */
        return arg_text(a, i, name, NULL);
    if (memchr(text, 0, len)) {
        args_fail(a, "%s must have no NUL in it", name);
        return NULL;
    }
    s->used += len + 1;
    return text;
}

/* "name\nvalue\n..." into at most SHORT_FIELDS; false: they are more, or malformed. */
static bool cut_fields(char *text, struct sosia_header *list, size_t *ret_n)
{
    char *p = text, *end;
    size_t n = 0;
    for (; *p && n < SHORT_FIELDS; n++) {
        list[n].name = p;
        if (!(end = strchr(p, '\n')))
            return false;
        list[n].value = end + 1;
        if (!(p = strchr(end + 1, '\n')))
            return false;
        p++;
    }
    if (*p)
        return false;
    for (size_t k = 0; k < n; k++) {
        char *value = (char *)list[k].value;
        value[-1] = 0;
        (k + 1 < n ? (char *)list[k + 1].name : p)[-1] = 0;
    }
    *ret_n = n;
    return true;
}

static void short_fields(struct args *a, struct shorts *s, size_t i, struct sosia_request *r)
{
    char *text = (char *)short_text(a, s, i, "headers");
    if (text && cut_fields(text, s->fields, &r->n_headers))
        r->headers = s->fields;
    else if (text)
        r->headers = split_fields(a, text, &r->n_headers);
}

/* Short ones are kept for the next call. */
static void keep_fields(struct args *a, struct shorts *s, size_t i, struct sosia_request *r)
{
    struct kept_fields *k = &a->inst->kept;
    size_t len = 0;
    k->serial = 0;
    if (napi_get_value_string_utf8(a->env, a->v[i], k->text, KEPT_TEXT, &len) == napi_ok &&
        len + 4 < KEPT_TEXT && !memchr(k->text, 0, len) && cut_fields(k->text, k->list, &k->n)) {
        a->inst->last_serial = a->inst->last_serial < INT32_MAX ? a->inst->last_serial + 1 : 1;
        k->serial = a->inst->last_serial;
        r->headers = k->list;
        r->n_headers = k->n;
    } else {
        short_fields(a, s, i, r);
    }
    a->inst->number[NUMBER_FIELDS] = k->serial;
}

struct engine_slot *arg_plain(struct args *a, struct shorts *s, struct sosia_request *r)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    const int32_t *number = a->inst->number;
    struct engine_slot *slot = slot_of(a, number[NUMBER_ENGINE], 0);
    uint32_t method = (uint32_t)number[NUMBER_METHOD];
    napi_valuetype type = napi_undefined;
    s->used = 0;
    s->spool = NULL;
    r->method = method < sizeof methods / sizeof *methods ? methods[method] : NULL;
    r->target = short_text(a, s, 0, "target");
    napi_typeof(a->env, a->v[1], &type);
    if (type != napi_undefined) {
        keep_fields(a, s, 1, r);
    } else if (a->inst->kept.serial) {
        r->headers = a->inst->kept.list;
        r->n_headers = a->inst->kept.n;
    }
    if (!r->method || !r->target)
        args_fail(a, "method and target must be strings");
    return a->failed ? NULL : slot;
}

static void short_body(struct args *a, struct shorts *s, size_t i, struct sosia_request *r)
{
    size_t len = 0;
    if (napi_get_value_string_utf8(a->env, a->v[i], s->body, SHORT_TEXT, &len) == napi_ok &&
        len + 4 < SHORT_TEXT) {
        r->body = s->body;
        r->body_len = len;
    } else {
        r->body = arg_bytes(a, i, "body", &r->body_len);
    }
}

struct engine_slot *arg_request(struct args *a, struct shorts *s, struct sosia_request *r)
{
    struct engine_slot *slot = arg_slot(a, 0);
    s->used = 0;
    s->spool = NULL;
    r->method = short_text(a, s, 3, "method");
    r->target = short_text(a, s, 4, "target");
    if (!r->method || !r->target)
        args_fail(a, "method and target must be strings");
    short_fields(a, s, 5, r);
    napi_valuetype type = napi_undefined;
    if (a->n > 6)
        napi_typeof(a->env, a->v[6], &type);
    if (slot && type == napi_external && (s->spool = arg_spool(a, 6, slot)))
        r->spool = spool_inside(s->spool);
    else if (type != napi_undefined && type != napi_null)
        short_body(a, s, 6, r);
    r->base_url = a->n > 7 ? arg_text(a, 7, "baseUrl", NULL) : NULL;
    return a->failed ? NULL : slot;
}
