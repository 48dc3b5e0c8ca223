/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as text and JSON. */
#include "conformance/report/report.h"
#include "engine/base/utf8.h"

enum { SHOWN = 160 }; /* bytes of a value in the text */

static void add_short(struct buf *b, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    if (!text)
        buf_puts(b, "nothing");
    else if (n <= SHOWN)
        buf_puts(b, text);
    else
        buf_printf(b, "%.*s...", (int)utf8_truncate(text, n, SHOWN), text);
}

static void add_exchange(struct buf *b, const struct report *r, const struct scenario *s,
                         const struct exchange *x)
{
    if (x->outcome == OUTCOME_EQUAL || x->outcome == OUTCOME_SKIPPED)
        return;
    buf_printf(b, "%s:%d: %s/%s (%s)", x->file, x->line, s->name, x->id,
               x->method ? x->method : "no method");
    for (size_t i = 0; i < x->n_rules; i++)
        buf_printf(b, "%s%s", i ? ", " : " ", x->rules[i]);
    buf_puts(b, x->observed ? " [observed]\n" : "\n");
    if (x->why)
        buf_printf(b, "    %s\n", x->why);
    for (const struct difference *d = x->differences; d; d = d->next) {
        buf_printf(b, "    %s: %s: %s ", d->path, difference_names[d->kind], r->expected);
        add_short(b, d->expected);
        buf_printf(b, ", %s ", r->got);
        add_short(b, d->got);
        buf_byte(b, '\n');
    }
}

static void add_line(struct buf *b, const struct tally *t)
{
    char exchanges[8], fields[8];
    fidelity_text(exchanges, t->equal, t->exchanges);
    fidelity_text(fields, t->fields_equal, t->fields);
    buf_printf(b, "%-40s %5zu/%-5zu %6s%% %7zu/%-7zu %6s%%", t->method, t->equal, t->exchanges,
               exchanges, t->fields_equal, t->fields, fields);
    if (t->skipped)
        buf_printf(b, "  %zu skipped", t->skipped);
    buf_byte(b, '\n');
}

void report_text(const struct report *r, bool quiet, struct buf *out)
{
    struct arena a;
    struct tallies t;
    arena_init(&a, 0);
    for (size_t i = 0; i < r->n && !quiet; i++)
        for (const struct scenario *s = r->results[i]->first; s; s = s->next)
            for (const struct exchange *x = s->first; x; x = x->next)
                add_exchange(out, r, s, x);
    if (tally_up(&a, r->results, r->n, &t) < 0) {
        out->failed = true;
        arena_done(&a);
        return;
    }
    if (out->len)
        buf_byte(out, '\n');
    buf_printf(out, "%-40s %11s %7s %15s %7s\n", "method", "exchanges", "", "fields", "");
    for (size_t i = 0; i < t.n; i++) {
        if (!i || strcmp(t.list[i].dialect, t.list[i - 1].dialect) != 0)
            buf_printf(out, "-- %s\n", t.list[i].dialect);
        add_line(out, &t.list[i]);
    }
    buf_puts(out, "--\n");
    add_line(out, &t.all);
    arena_done(&a);
}

/* ---- JSON ---- */

static void write_tally(struct json_writer *w, const struct tally *t, bool named)
{
    char text[8];
    if (named) {
        json_str(w, "dialect", t->dialect);
        json_str(w, "method", t->method);
    }
    json_int(w, "exchanges", (int64_t)t->exchanges);
    json_int(w, "equal", (int64_t)t->equal);
    json_int(w, "different", (int64_t)t->different);
    json_int(w, "failed", (int64_t)t->failed);
    json_int(w, "skipped", (int64_t)t->skipped);
    json_int(w, "fields", (int64_t)t->fields);
    json_int(w, "fields_equal", (int64_t)t->fields_equal);
    fidelity_text(text, t->equal, t->exchanges);
    json_number(w, "exchange_fidelity", text, strlen(text));
    fidelity_text(text, t->fields_equal, t->fields);
    json_number(w, "field_fidelity", text, strlen(text));
}

static void write_differences(struct json_writer *w, const struct exchange *x)
{
    json_arr(w, "differences");
    for (const struct difference *d = x->differences; d; d = d->next) {
        json_obj(w, NULL);
        json_str(w, "kind", difference_names[d->kind]);
        json_str(w, "path", d->path);
        json_str(w, "expected", d->expected);
        json_str(w, "got", d->got);
        json_end(w);
    }
    json_end(w);
}

static void write_unequal(struct json_writer *w, const struct scenario *s, const struct exchange *x)
{
    if (x->outcome == OUTCOME_EQUAL)
        return;
    json_obj(w, NULL);
    json_str(w, "scenario", s->name);
    json_str(w, "id", x->id);
    json_str_opt(w, "method", x->method);
    json_str(w, "file", x->file);
    json_int(w, "line", x->line);
    json_arr(w, "rules");
    for (size_t i = 0; i < x->n_rules; i++)
        json_str(w, NULL, x->rules[i]);
    json_end(w);
    json_bool_opt(w, "observed", x->observed);
    json_str(w, "outcome", outcome_names[x->outcome]);
    json_str_opt(w, "why", x->why);
    write_differences(w, x);
    json_end(w);
}

void report_json(const struct report *r, struct buf *out)
{
    struct arena a;
    struct tallies t;
    struct json_writer w;
    arena_init(&a, 0);
    if (tally_up(&a, r->results, r->n, &t) < 0) {
        out->failed = true;
        arena_done(&a);
        return;
    }
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "title", r->title);
    json_arr(&w, "targets");
    for (size_t i = 0; i < r->n; i++) {
        json_obj(&w, NULL);
        json_str(&w, "target", r->results[i]->target);
        json_str(&w, "at", r->results[i]->at);
        json_end(&w);
    }
    json_end(&w);
    json_obj(&w, "all");
    write_tally(&w, &t.all, false);
    json_end(&w);
    json_arr(&w, "methods");
    for (size_t i = 0; i < t.n; i++) {
        json_obj(&w, NULL);
        write_tally(&w, &t.list[i], true);
        json_end(&w);
    }
    json_end(&w);
    json_arr(&w, "unequal");
    for (size_t i = 0; i < r->n; i++)
        for (const struct scenario *s = r->results[i]->first; s; s = s->next)
            for (const struct exchange *x = s->first; x; x = x->next)
                write_unequal(&w, s, x);
    json_end(&w);
    json_end(&w);
    arena_done(&a);
}
