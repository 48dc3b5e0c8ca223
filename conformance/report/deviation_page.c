/* SPDX-License-Identifier: Apache-2.0 */
/* Differences as the page docs/fidelity.md, as JSON and as text. */
#include "conformance/report/deviation.h"
#include "conformance/method.h"
#include "services/list.h"
#include <stdio.h>

/* ---- the page ---- */

static void add_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            buf_byte(out, '\\');
        buf_byte(out, *text);
    }
}

static void add_head(const struct deviations *d, struct buf *out)
{
    buf_printf(
        out,
        "# Differences from the real services\n\n"
        "%zu differences between sosia and the services that it doubles, and choices where the "
        "services are not documented. `sosia conformance differences --markdown` prints this page "
        "from [conformance/differences](../conformance/differences), and `sosia conformance "
        "differences METHOD` those of one method.\n\n"
        "A section a service lists its methods with the entries that name them, and then its "
        "entries by subject. A method may have a `*` for any text; `*` alone is all methods of the "
        "section. Ids of rules lead to [rules.txt](../conformance/rules.txt). Behaviour that is as "
        "recorded or documented is not listed, unless its source matters.\n\n"
        "| kind | meaning |\n|---|---|\n"
        "| deliberate | sosia differs on purpose |\n"
        "| chosen | the service's side is open, contradicts itself, or rests on the source named "
        "|\n"
        "| not-held | sosia leaves it out |\n"
        "| limit | a bound, of the service or of sosia |\n\n"
        "| certainty | how the service's side is known |\n|---|---|\n"
        "| recorded | by a recording, or an answer that a person pasted whole |\n"
        "| documented | by the vendor's documentation |\n"
        "| reported | by reports of people, or by programs that count on it |\n"
        "| concluded | by analogy with a sibling, without a source of its own |\n"
        "| unknown | not at all: the behaviour, the words or the figures are sosia's own |\n",
        d->n);
}

static size_t count(const struct deviations *d, const struct deviation_source *source)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += d->list[i].group->source == source;
    return n;
}

/* The address of a heading: small letters, digits, hyphens for spaces. */
static void add_anchor(struct buf *out, const char *title)
{
    for (; *title; title++)
        if (*title == ' ' || *title == '-')
            buf_byte(out, '-');
        else if ((*title | 0x20) >= 'a' && (*title | 0x20) <= 'z')
            buf_byte(out, (char)(*title | 0x20));
}

static void add_contents(const struct deviations *d, struct buf *out)
{
    buf_puts(out, "\n| section | differences |\n|---|--:|\n");
    for (size_t i = 0; i < d->n_groups; i++) {
        const struct deviation_source *s = d->groups[i].source;
        if (d->groups[i].title)
            continue;
        buf_printf(out, "| [%s](#", s->title);
        add_anchor(out, s->title);
        buf_printf(out, ") | %zu |\n", count(d, s));
    }
}

/* Entries that name the method, those in a row as "CAL-3 – CAL-7". */
static void add_named(const struct deviations *d, const char *dialect, const char *method,
                      struct buf *out)
{
    const char *comma = "";
    for (size_t i = 0; i < d->n; i++) {
        const struct deviation_source *source = d->list[i].group->source;
        size_t end = i;
        while (end < d->n && d->list[end].group->source == source &&
               deviation_names(&d->list[end], dialect, method))
            end++;
        if (end == i)
            continue;
        buf_printf(out, "%s[%s](#%s)", comma, d->list[i].id, d->list[i].id);
        if (end > i + 1)
            buf_printf(out, "%s[%s](#%s)", end > i + 2 ? " – " : ", ", d->list[end - 1].id,
                       d->list[end - 1].id);
        comma = ", ";
        i = end - 1;
    }
}

/* The section of a method is the last one with an entry that names it; NULL: no entry does. */
static const struct deviation_source *section_of(const struct deviations *d, const char *dialect,
                                                 const char *method)
{
    for (size_t i = d->n; i-- > 0;)
        if (deviation_names(&d->list[i], dialect, method))
            return d->list[i].group->source;
    return NULL;
}

static void add_index(const struct deviations *d, const struct deviation_source *source,
                      struct buf *out)
{
    const struct dialect *k;
    const struct route *r;
    size_t n = 0;
    for (size_t i = 0; (k = method_dialects(i)); i++)
        for (size_t j = 0; (r = dialect_row(k, j)); j++) {
            if (section_of(d, k->name, r->id) != source)
                continue;
            if (!n++)
                buf_puts(out, "\n| method | differences |\n|---|---|\n");
            buf_printf(out, "| <a id=\"%s\"></a>`%s` | ", r->id, r->id);
            add_named(d, k->name, r->id, out);
            buf_puts(out, " |\n");
        }
}

static void add_names(struct buf *out, const char *const *names, const char *quote)
{
    for (const char *const *p = names; *p; p++)
        buf_printf(out, "%s%s%s%s", p == names ? "" : ", ", quote, *p, quote);
}

static void add_group(const struct deviations *d, const struct deviation_group *g, struct buf *out)
{
    if (g->title)
        buf_printf(out, "\n### %s\n", g->title);
    else
        buf_printf(out, "\n## %s\n", g->source->title);
    if (g->note)
        buf_printf(out, "\n%s\n", g->note);
    if (!g->title)
        add_index(d, g->source, out);
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct deviation *e = &d->list[i];
        if (e->group != g)
            continue;
        if (!n++)
            buf_puts(out, "\n| id | methods | difference | kind | certainty | rules "
                          "|\n|---|---|---|---|---|---|\n");
        buf_printf(out, "| <a id=\"%s\"></a>%s | ", e->id, e->id);
        add_names(out, e->methods, "`");
        buf_puts(out, " | ");
        add_text(out, e->text);
        buf_printf(out, " | %s | %s | ", deviation_kinds[e->kind],
                   deviation_certainties[e->certainty]);
        add_names(out, e->rules, "");
        buf_puts(out, " |\n");
    }
}

void deviations_markdown(const struct deviations *d, struct buf *out)
{
    add_head(d, out);
    add_contents(d, out);
    for (size_t i = 0; i < d->n_groups; i++)
        add_group(d, &d->groups[i], out);
}

/* ---- for programs, and for reading ---- */

static void write_names(struct json_writer *w, const char *name, const char *prefix,
                        const char *const *names)
{
    json_arr(w, name);
    for (const char *const *p = names; *p; p++) {
        char full[256];
        snprintf(full, sizeof full, "%s%s", prefix, *p);
        json_str(w, NULL, full);
    }
    json_end(w);
}

void deviations_json(const struct deviations *d, struct buf *out)
{
    struct json_writer w;
    json_init(&w, out, true, NULL);
    json_arr(&w, NULL);
    for (size_t i = 0; i < d->n; i++) {
        const struct deviation *e = &d->list[i];
        json_obj(&w, NULL);
        json_str(&w, "id", e->id);
        json_str(&w, "section", e->group->source->title);
        json_str_opt(&w, "group", e->group->title);
        write_names(&w, "methods", e->group->source->prefix, e->methods);
        json_str(&w, "kind", deviation_kinds[e->kind]);
        json_str(&w, "certainty", deviation_certainties[e->certainty]);
        write_names(&w, "rules", "", e->rules);
        json_str(&w, "text", e->text);
        json_end(&w);
    }
    json_end(&w);
}

void deviations_text(const struct deviations *d, const char *method, struct buf *out)
{
    const char *dialect = method ? method_dialect(method) : NULL;
    for (size_t i = 0; i < d->n; i++) {
        const struct deviation *e = &d->list[i];
        if (method && !deviation_names(e, dialect, method))
            continue;
        buf_printf(out, "%s %s, %s: %s\n", e->id, deviation_kinds[e->kind],
                   deviation_certainties[e->certainty], e->text);
    }
}
