/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage as a page for people, as a page with every exchange, and as JSON. */
#include "conformance/report/coverage.h"
#include "conformance/report/xml.h"
#include "services/list.h"

static const char *title_of(const char *dialect)
{
    const struct dialect *d;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        if (strcmp(d->name, dialect) == 0)
            return d->title ? d->title : dialect;
    return dialect;
}

static size_t held(const struct coverage_rule *rules, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += rules[i].uses != NULL;
    return sum;
}

/* ---- for people ---- */

static void add_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            buf_byte(out, '\\');
        buf_byte(out, *text);
    }
}

/* The first rule behind the family of rules[i]. */
static size_t family_end(const struct coverage *c, size_t i)
{
    size_t end = i + 1;
    while (end < c->n_rules && c->rules[end].family == c->rules[i].family)
        end++;
    return end;
}

static void add_families(const struct coverage *c, const char *link, struct buf *out)
{
    buf_puts(out, "\n## Rules\n\n| rules about | held | of |\n|---|--:|--:|\n");
    for (size_t i = 0, end; i < c->n_rules; i = end) {
        const struct coverage_rule *r = &c->rules[i];
        end = family_end(c, i);
        buf_puts(out, "| [");
        add_text(out, r->family ? r->family : "other things");
        buf_printf(out, "](%sconformance/rules.txt#L%d) | %zu | %zu |\n", link, r->line,
                   held(r, end - i), end - i);
    }
}

static void add_not_held(const struct coverage *c, const char *link, struct buf *out)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_rules; i++) {
        const struct coverage_rule *r = &c->rules[i];
        if (r->uses)
            continue;
        if (!n++)
            buf_puts(out, "\nNot held:\n\n| rule | why |\n|---|---|\n");
        buf_printf(out, "| [%s](%sconformance/rules.txt#L%d) | ", r->id, link, r->line);
        add_text(out, r->not_held ? r->not_held : "");
        buf_puts(out, " |\n");
    }
}

/* Of each service: how many exchanges are what was recorded there. */
static void add_recorded(const struct coverage *c, struct buf *out)
{
    size_t n = 0;
    for (size_t i = 0, end; i < c->n_methods; i = end) {
        const char *dialect = c->methods[i].dialect;
        size_t all = 0, recorded = 0;
        for (end = i; end < c->n_methods && strcmp(c->methods[end].dialect, dialect) == 0; end++) {
            all += c->methods[end].exchanges;
            recorded += c->methods[end].recorded;
        }
        if (!recorded)
            continue;
        if (!n++)
            buf_puts(out, "\n## Recordings\n\nExchanges whose answers were recorded at the "
                          "service.\n\n| service | recorded | of |\n|---|--:|--:|\n");
        buf_printf(out, "| %s | %zu | %zu |\n", title_of(dialect), recorded, all);
    }
}

static void add_methods(const struct coverage *c, struct buf *out)
{
    for (size_t i = 0; i < c->n_methods; i++) {
        const struct coverage_method *m = &c->methods[i];
        if (!i || strcmp(m->dialect, c->methods[i - 1].dialect) != 0)
            buf_printf(out, "\n## %s\n\n| method | exchanges | rules held |\n|---|--:|--:|\n",
                       title_of(m->dialect));
        buf_printf(out, "| `%s` | %zu | %zu |\n", m->id, m->exchanges, m->n_rules);
    }
}

void coverage_markdown(const struct coverage *c, const char *link, struct buf *out)
{
    buf_printf(out,
               "# Conformance coverage\n\n%zu [cassettes](%sconformance/cassettes) with %zu "
               "exchanges hold %zu of %zu [rules](%sconformance/rules.txt). `sosia conformance "
               "coverage` prints this page; with `--format html` or `--format json` it says which "
               "exchanges hold which rule. [conformance.md](conformance.md) says what a cassette "
               "is.\n",
               c->cassettes, link, c->exchanges, held(c->rules, c->n_rules), c->n_rules, link);
    add_families(c, link, out);
    add_not_held(c, link, out);
    add_recorded(c, out);
    add_methods(c, out);
}

/* ---- everything ---- */

static void html_methods(const struct coverage *c, struct buf *out)
{
    for (size_t i = 0; i < c->n_methods; i++) {
        const struct coverage_method *m = &c->methods[i];
        if (!i || strcmp(m->dialect, c->methods[i - 1].dialect) != 0) {
            buf_puts(out, i ? "</table>\n" : "");
            xml_element(out, "h2", title_of(m->dialect));
            buf_puts(out, "\n<table><tr><th>method<th class=\"n\">exchanges<th>rules\n");
        }
        buf_puts(out, "<tr><td>");
        xml_element(out, "code", m->id);
        buf_printf(out, "<td class=\"n\">%zu<td>", m->exchanges);
        for (size_t k = 0; k < m->n_rules; k++)
            buf_printf(out, "<a href=\"#%s\">%s</a> ", m->rules[k], m->rules[k]);
        buf_byte(out, '\n');
    }
    buf_puts(out, c->n_methods ? "</table>\n" : "");
}

/* Exchanges of one cassette are behind one link. */
static void html_uses(const struct coverage_rule *r, const char *link, struct buf *out)
{
    const char *last = NULL;
    for (const struct coverage_use *u = r->uses; u; u = u->next) {
        if (!last || strcmp(last, u->cassette) != 0) {
            buf_puts(out, last ? "; <a href=\"" : "<a href=\"");
            xml_escaped(out, link);
            xml_escaped(out, u->file);
            buf_puts(out, "\">");
            xml_escaped(out, u->cassette);
            buf_puts(out, "</a>: ");
        } else {
            buf_puts(out, ", ");
        }
        xml_escaped(out, u->id);
        if (u->observed && !r->observed)
            buf_puts(out, " <i>observed</i>");
        last = u->cassette;
    }
}

static void html_rules(const struct coverage *c, const char *link, struct buf *out)
{
    for (size_t i = 0; i < c->n_rules; i++) {
        const struct coverage_rule *r = &c->rules[i];
        if (!i || r->family != r[-1].family) {
            buf_puts(out, i ? "</table>\n" : "");
            xml_element(out, "h2", r->family ? r->family : "Rules");
            buf_puts(out, "\n<table><tr><th>rule<th>what it says<th>held by\n");
        }
        buf_printf(out, "<tr id=\"%s\"%s><td>%s%s<td>", r->id, r->uses ? "" : " class=\"bad\"",
                   r->id, r->observed ? " <i>observed</i>" : "");
        xml_escaped(out, r->text);
        buf_puts(out, "<td>");
        html_uses(r, link, out);
        if (r->not_held) {
            buf_puts(out, "<i>not held:</i> ");
            xml_escaped(out, r->not_held);
        }
        buf_byte(out, '\n');
    }
    buf_puts(out, c->n_rules ? "</table>\n" : "");
}

void coverage_html(const struct coverage *c, const char *link, struct buf *out)
{
    buf_puts(out, html_head);
    buf_puts(out, "<title>Conformance coverage</title>\n<h1>Conformance coverage</h1>\n");
    buf_printf(out,
               "<p>%zu cassettes with %zu exchanges hold %zu of %zu rules. What is marked "
               "<i>observed</i> was seen at the service, and is not documented.</p>\n",
               c->cassettes, c->exchanges, held(c->rules, c->n_rules), c->n_rules);
    html_methods(c, out);
    html_rules(c, link, out);
    buf_puts(out, "</html>\n");
}

void coverage_json(const struct coverage *c, struct buf *out)
{
    struct json_writer w;
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    json_int(&w, "cassettes", (int64_t)c->cassettes);
    json_int(&w, "exchanges", (int64_t)c->exchanges);
    json_int(&w, "rules_held", (int64_t)held(c->rules, c->n_rules));
    json_arr(&w, "methods");
    for (size_t i = 0; i < c->n_methods; i++) {
        json_obj(&w, NULL);
        json_str(&w, "dialect", c->methods[i].dialect);
        json_str(&w, "id", c->methods[i].id);
        json_int(&w, "exchanges", (int64_t)c->methods[i].exchanges);
        json_int(&w, "recorded", (int64_t)c->methods[i].recorded);
        json_arr(&w, "rules");
        for (size_t k = 0; k < c->methods[i].n_rules; k++)
            json_str(&w, NULL, c->methods[i].rules[k]);
        json_end(&w);
        json_end(&w);
    }
    json_end(&w);
    json_arr(&w, "rules");
    for (size_t i = 0; i < c->n_rules; i++) {
        json_obj(&w, NULL);
        json_str(&w, "id", c->rules[i].id);
        json_str_opt(&w, "family", c->rules[i].family);
        json_str(&w, "text", c->rules[i].text);
        json_bool(&w, "observed", c->rules[i].observed);
        json_str_opt(&w, "not_held", c->rules[i].not_held);
        json_arr(&w, "exchanges");
        for (const struct coverage_use *u = c->rules[i].uses; u; u = u->next) {
            json_obj(&w, NULL);
            json_str(&w, "cassette", u->cassette);
            json_str(&w, "id", u->id);
            json_bool_opt(&w, "observed", u->observed);
            json_end(&w);
        }
        json_end(&w);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
}
