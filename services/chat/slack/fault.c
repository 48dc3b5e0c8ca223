/* SPDX-License-Identifier: Apache-2.0 */
/* Where something is wrong in an argument, and how the service says so: in the words of its own
 * open validator of JSON schemas (github.com/slackhq/hack-json-schema). */
#include "services/chat/slack/fault.h"

const char *sl_pointer(struct arena *a, const char *from, const struct body_place *at, size_t max)
{
    if (!at)
        return from;
    const char *up = sl_pointer(a, from, at->up, max);
    const char *text =
        at->name ? arena_printf(a, "%s/%s", up, at->name) : arena_printf(a, "%s/%u", up, at->index);
    return strlen(text) <= max ? text : up;
}

static const char *wanted_type(const struct body_report *r)
{
    const struct field *f = r->field;
    bool item = r->at && r->at->name != f->name;
    if (!item && f->list)
        return "must provide an array";
    switch (item || !f->map ? *f->type : 'o') {
    case 's':
        return "must provide a string";
    case 'i':
        return "must provide an integer";
    case 'n':
        return "must provide a number";
    case 'b':
        return "must be a boolean";
    case 'l':
        return "must provide an array";
    default:
        return "must provide an object";
    }
}

static const char *wanted_number(struct arena *a, const struct body_report *r)
{
    const struct field *f = r->field;
    int64_t n;
    if (json_i64(r->value, &n) < 0)
        return "must provide an integer";
    if (f->text)
        return f->text;
    bool least = n < f->min;
    return arena_printf(a, "must be %s than %lld", least ? "greater" : "less",
                        (long long)(least ? f->min : f->max));
}

static const char *wanted_member(struct arena *a, const struct body_report *r)
{
    if (r->field)
        return arena_printf(a, "missing required field: %s", r->field->name);
    if (r->schema->missing)
        return r->schema->missing;
    return arena_printf(a, "missing required field: %.*s", (int)strcspn(r->schema->needs, " "),
                        r->schema->needs);
}

const char *sl_fault_words(struct arena *a, const struct body_report *r,
                           const struct body_place **ret_at)
{
    const struct field *f = r->field;
    bool above = r->fault == BODY_UNKNOWN || (r->fault == BODY_MISSING && f);
    *ret_at = above ? r->at->up : r->at;
    switch (r->fault) {
    case BODY_UNKNOWN:
        return arena_printf(a, "invalid additional property: %.60s", r->at->name);
    case BODY_MISSING:
        return wanted_member(a, r);
    case BODY_WORD:
        return f->types ? arena_printf(a, "unsupported type: %.60s", r->value->str)
                        : "must be a valid enum value";
    case BODY_RANGE:
        return wanted_number(a, r);
    case BODY_SHORT:
        return arena_printf(a, "must be more than %lld characters", (long long)f->min - 1);
    case BODY_LONG:
        return arena_printf(a, "must be less than %lld characters", (long long)f->max + 1);
    case BODY_FEW:
        return arena_printf(a, "must provide at least %u items", f->least);
    case BODY_MANY:
        return arena_printf(a, "no more than %u items allowed", f->most);
    case BODY_FORMAT:
        return f->text;
    default:
        return wanted_type(r);
    }
}
