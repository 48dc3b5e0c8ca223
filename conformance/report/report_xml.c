/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as a page and as JUnit's XML. */
#include "conformance/report/report.h"
#include "conformance/report/xml.h"

/* Text of XML and HTML: what XML 1.0 can't hold becomes U+FFFD. Line ends of attributes would
 * become spaces, so there they are written by number. */
static void add_text(struct buf *b, const char *text, bool attribute)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '&')
            buf_puts(b, "&amp;");
        else if (*p == '<')
            buf_puts(b, "&lt;");
        else if (*p == '>')
            buf_puts(b, "&gt;");
        else if (*p == '"')
            buf_puts(b, "&quot;");
        else if (attribute && (*p == '\n' || *p == '\t'))
            buf_printf(b, "&#%d;", *p);
        else if (*p < 0x20 && *p != '\n' && *p != '\t')
            buf_puts(b, "\xEF\xBF\xBD");
        else if (p[0] == 0xEF && p[1] == 0xBF && (p[2] == 0xBE || p[2] == 0xBF))
            buf_puts(b, "\xEF\xBF\xBD"), p += 2;
        else
            buf_byte(b, (char)*p);
    }
}

void xml_escaped(struct buf *b, const char *text)
{
    add_text(b, text, false);
}

void xml_element(struct buf *b, const char *name, const char *text)
{
    buf_printf(b, "<%s>", name);
    xml_escaped(b, text);
    buf_printf(b, "</%s>", name);
}

/* ---- the page ---- */

const char html_head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    "body{font:14px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}\n"
    "table{border-collapse:collapse;width:100%}td,th{padding:.2rem .6rem;text-align:left;"
    "border-bottom:1px solid #ddd;vertical-align:top}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "code{font:12px ui-monospace,monospace;overflow-wrap:anywhere}\n"
    ".bad{background:#fde8e8}.dim{color:#777}h3{margin-bottom:.2rem}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}td,th{border-color:#333}"
    ".bad{background:#4a1f1f}}\n</style>\n";

static void add_row(struct buf *b, const struct tally *t)
{
    char exchanges[8], fields[8];
    fidelity_text(exchanges, t->equal, t->exchanges);
    fidelity_text(fields, t->fields_equal, t->fields);
    buf_printf(b, "<tr%s><td>", t->equal < t->exchanges ? " class=\"bad\"" : "");
    xml_element(b, "code", t->method);
    buf_printf(b,
               "<td class=\"n\">%zu of %zu<td class=\"n\">%s %%<td class=\"n\">%zu of %zu<td "
               "class=\"n\">%s %%<td class=\"n\">%zu\n",
               t->equal, t->exchanges, exchanges, t->fields_equal, t->fields, fields, t->skipped);
}

static void add_table(struct buf *b, const struct tallies *t)
{
    buf_puts(b, "<table><tr><th>method<th class=\"n\">exchanges equal<th class=\"n\"><th "
                "class=\"n\">fields equal<th class=\"n\"><th class=\"n\">skipped\n");
    for (size_t i = 0; i < t->n; i++) {
        if (!i || strcmp(t->list[i].dialect, t->list[i - 1].dialect) != 0) {
            buf_puts(b, "<tr><th colspan=\"6\">");
            xml_escaped(b, t->list[i].dialect);
            buf_byte(b, '\n');
        }
        add_row(b, &t->list[i]);
    }
    buf_puts(b, "<tr><th colspan=\"6\">\n");
    add_row(b, &t->all);
    buf_puts(b, "</table>\n");
}

static void add_differences(struct buf *b, const struct report *r, const struct exchange *x)
{
    buf_puts(b, "<table><tr><th>where<th>what<th>");
    xml_escaped(b, r->expected);
    buf_puts(b, "<th>");
    xml_escaped(b, r->got);
    buf_byte(b, '\n');
    for (const struct difference *d = x->differences; d; d = d->next) {
        buf_puts(b, "<tr><td>");
        xml_element(b, "code", d->path);
        buf_printf(b, "<td>%s<td>", difference_names[d->kind]);
        xml_element(b, "code", d->expected ? d->expected : "");
        buf_puts(b, "<td>");
        xml_element(b, "code", d->got ? d->got : "");
        buf_byte(b, '\n');
    }
    buf_puts(b, "</table>\n");
}

static void add_unequal(struct buf *b, const struct report *r, const struct scenario *s,
                        const struct exchange *x)
{
    if (x->outcome == OUTCOME_EQUAL)
        return;
    buf_puts(b, "<h3>");
    xml_escaped(b, s->name);
    buf_byte(b, '/');
    xml_escaped(b, x->id);
    buf_puts(b, "</h3>\n<p class=\"dim\">");
    xml_escaped(b, x->method ? x->method : "no method");
    for (size_t i = 0; i < x->n_rules; i++) {
        buf_puts(b, ", ");
        xml_escaped(b, x->rules[i]);
    }
    buf_puts(b, x->observed ? ", observed only; " : "; ");
    xml_escaped(b, x->file);
    buf_printf(b, ":%d; %s</p>\n", x->line, outcome_names[x->outcome]);
    if (x->why)
        xml_element(b, "p", x->why);
    if (x->differences)
        add_differences(b, r, x);
}

void report_html(const struct report *r, struct buf *out)
{
    struct arena a;
    struct tallies t;
    arena_init(&a, 0);
    if (tally_up(&a, r->results, r->n, &t) < 0) {
        out->failed = true;
        arena_done(&a);
        return;
    }
    buf_puts(out, html_head);
    xml_element(out, "title", r->title);
    buf_byte(out, '\n');
    xml_element(out, "h1", r->title);
    buf_puts(out, "\n<p>");
    for (size_t i = 0; i < r->n; i++) {
        buf_puts(out, i ? "; " : "");
        xml_escaped(out, r->results[i]->target);
        buf_puts(out, *r->results[i]->at ? ", " : "");
        xml_escaped(out, r->results[i]->at);
    }
    buf_puts(out, "</p>\n");
    add_table(out, &t);
    buf_puts(out, t.all.equal + t.all.skipped < t.all.exchanges + t.all.skipped || t.all.skipped
                      ? "<h2>What is not equal</h2>\n"
                      : "<p>Everything is equal.</p>\n");
    for (size_t i = 0; i < r->n; i++)
        for (const struct scenario *s = r->results[i]->first; s; s = s->next)
            for (const struct exchange *x = s->first; x; x = x->next)
                add_unequal(out, r, s, x);
    buf_puts(out, "</html>\n");
    arena_done(&a);
}

/* ---- JUnit ---- */

static void add_attribute(struct buf *b, const char *name, const char *value)
{
    buf_printf(b, " %s=\"", name);
    add_text(b, value, true);
    buf_byte(b, '"');
}

static void add_case(struct buf *b, const struct report *r, const struct scenario *s,
                     const struct exchange *x)
{
    buf_puts(b, "    <testcase");
    add_attribute(b, "classname", x->method ? x->method : s->name);
    buf_puts(b, " name=\"");
    xml_escaped(b, s->name);
    buf_byte(b, '/');
    xml_escaped(b, x->id);
    buf_byte(b, '"');
    add_attribute(b, "file", x->file);
    buf_printf(b, " line=\"%d\"", x->line);
    if (x->outcome == OUTCOME_EQUAL) {
        buf_puts(b, "/>\n");
        return;
    }
    buf_puts(b, ">\n");
    if (x->outcome == OUTCOME_SKIPPED) {
        buf_puts(b, "      <skipped");
        add_attribute(b, "message", x->why ? x->why : "");
        buf_puts(b, "/>\n");
    } else {
        const char *element = x->outcome == OUTCOME_FAILED ? "error" : "failure";
        buf_printf(b, "      <%s", element);
        add_attribute(b, "message", x->why ? x->why : x->differences ? x->differences->path : "");
        buf_byte(b, '>');
        for (const struct difference *d = x->differences; d; d = d->next) {
            xml_escaped(b, d->path);
            buf_printf(b, ": %s: %s ", difference_names[d->kind], r->expected);
            xml_escaped(b, d->expected ? d->expected : "nothing");
            buf_printf(b, ", %s ", r->got);
            xml_escaped(b, d->got ? d->got : "nothing");
            buf_byte(b, '\n');
        }
        buf_printf(b, "</%s>\n", element);
    }
    buf_puts(b, "    </testcase>\n");
}

void report_junit(const struct report *r, struct buf *out)
{
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    add_attribute(out, "name", r->title);
    buf_puts(out, ">\n");
    for (size_t i = 0; i < r->n; i++) {
        for (const struct scenario *s = r->results[i]->first; s; s = s->next) {
            size_t n = 0, bad = 0, failed = 0, skipped = 0;
            for (const struct exchange *x = s->first; x; x = x->next) {
                n++;
                bad += x->outcome == OUTCOME_DIFFERENT;
                failed += x->outcome == OUTCOME_FAILED;
                skipped += x->outcome == OUTCOME_SKIPPED;
            }
            buf_puts(out, "  <testsuite");
            add_attribute(out, "name", s->name);
            buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", n,
                       bad, failed, skipped);
            for (const struct exchange *x = s->first; x; x = x->next)
                add_case(out, r, s, x);
            buf_puts(out, "  </testsuite>\n");
        }
    }
    buf_puts(out, "</testsuites>\n");
}
