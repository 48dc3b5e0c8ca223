/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/hostile_body.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/hostile_world.h"

static void write_fields(struct buf *b, const struct dialect *d, const struct field *fields,
                         size_t n, int depth);

/* An object of one of the types. */
static void write_typed(struct buf *b, const struct dialect *d, const struct schema *types,
                        int depth)
{
    size_t n = 0;
    while (types[n].name)
        n++;
    const struct schema *s = &types[hostile_chance(n)];
    buf_puts(b, "{\"type\":");
    hostile_text(b, s->name, strlen(s->name));
    buf_puts(b, ",\"block_id\":\"");
    buf_printf(b, "%u\"", hostile_chance(1000));
    for (size_t i = 0; i < s->n_fields && depth < 6; i++) {
        struct buf one;
        if (strcmp(s->fields[i].name, "type") == 0 || strcmp(s->fields[i].name, "block_id") == 0)
            continue;
        buf_init(&one, 0);
        write_fields(&one, d, &s->fields[i], 1, depth);
        if (one.len > 2) {
            buf_byte(b, ',');
            buf_add(b, buf_str(&one) + 1, one.len - 2);
        }
        buf_done(&one);
    }
    buf_byte(b, '}');
}

static void write_field(struct buf *b, const struct dialect *d, const struct field *f, int depth)
{
    const struct schema *s = dialect_schema(d, f->type);
    const char *known = hostile_world_value(f->name, hostile_chance(1000));
    if (!s)
        s = f->of;
    if (f->types)
        write_typed(b, d, f->types, depth + 1);
    else if (f->fields && strcmp(f->type, "object") != 0) { /* a list, or "any" */
        buf_puts(b, f->fields->list || *f->type == 'l' ? "[" : "");
        write_field(b, d, f->fields, depth + 1);
        buf_puts(b, f->fields->list || *f->type == 'l' ? "]" : "");
    } else if (s || strcmp(f->type, "object") == 0)
        write_fields(b, d, s ? s->fields : f->fields, s ? s->n_fields : f->n_fields, depth + 1);
    else if (f->values)
        hostile_text(b, f->values[0], strlen(f->values[0]));
    else if (strcmp(f->type, "integer") == 0 || strcmp(f->type, "number") == 0)
        buf_puts(b, "1");
    else if (strcmp(f->type, "boolean") == 0)
        buf_puts(b, hostile_chance(2) ? "true" : "false");
    else if (f->format && strcmp(f->format, "date-time") == 0)
        buf_puts(b, "\"2026-02-16T10:00:00Z\"");
    else if (f->format && strcmp(f->format, "date") == 0)
        buf_puts(b, "\"2026-02-16\"");
    else
        hostile_text(b, known ? known : "x", known ? strlen(known) : 1);
}

static void write_fields(struct buf *b, const struct dialect *d, const struct field *fields,
                         size_t n, int depth)
{
    bool first = true;
    buf_byte(b, '{');
    for (size_t i = 0; i < n && depth < 4; i++) {
        const struct field *f = &fields[i];
        if (f->read_only || (!f->required && !f->required_for && hostile_chance(2)))
            continue;
        if (!first)
            buf_byte(b, ',');
        first = false;
        hostile_text(b, f->name, strlen(f->name));
        buf_puts(b, f->list ? ":[" : f->map ? ":{\"k\":" : ":");
        write_field(b, d, f, depth);
        buf_puts(b, f->list ? "]" : f->map ? "}" : "");
    }
    buf_byte(b, '}');
}

const char *hostile_body(struct arena *a, const struct dialect *d, const struct route *row)
{
    const struct schema *s = row->request ? dialect_schema(d, row->request) : NULL;
    struct buf b;
    if (!s)
        return "{\"a\":1}";
    buf_init(&b, 0);
    write_fields(&b, d, s->fields, s->n_fields, 0);
    const char *text = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

void hostile_field(struct buf *b, const struct dialect *d, const struct field *f)
{
    write_field(b, d, f, 0);
}
