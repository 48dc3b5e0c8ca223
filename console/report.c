/* SPDX-License-Identifier: Apache-2.0 */
#include "console/report.h"
#include "console/page.h"
#include <stdlib.h>
#include <string.h>

static bool is(const char *word, const char *other)
{
    return word && strcmp(word, other) == 0;
}

static uint32_t length_of(const struct json *list)
{
    return list && list->type == JSON_ARRAY ? list->n : 0;
}

static void heading(struct buf *b, const char *id, const char *title)
{
    buf_printf(b, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

static void row(struct buf *b, const char *name, const char *value)
{
    buf_puts(b, "<tr><th scope=\"row\">");
    page_str(b, name);
    buf_puts(b, "</th><td>");
    page_str(b, value);
    buf_puts(b, "</td></tr>\n");
}

/* ---- verdict ---- */

static void write_near(struct buf *b, const struct json *near)
{
    const struct json *differs = json_get(near, "differs");
    buf_puts(b, "<li>near:");
    page_member(b, " ", near, "change");
    page_member(b, " <code>", near, json_get(near, "name") ? "name" : "method");
    buf_puts(b, "</code>");
    page_member(b, " ", near, "target");
    page_member(b, " ", near, "title");
    buf_puts(b, "<ul>\n");
    for (uint32_t i = 0; i < length_of(differs) && !page_full(b); i++) {
        const struct json *one = &differs->items[i];
        buf_puts(b, "<li>");
        page_member(b, "", one, "field");
        if (json_get(one, "why")) {
            page_member(b, ": ", one, "why");
        } else {
            buf_puts(b, ": expected <ins>");
            page_value(b, json_get(one, "expected"));
            buf_puts(b, "</ins>, found <del>");
            page_value(b, json_get(one, "found"));
            buf_puts(b, "</del>");
        }
        buf_puts(b, "</li>\n");
    }
    buf_puts(b, "</ul></li>\n");
}

static void write_part(struct buf *b, const struct json *part, int depth)
{
    const struct json *near = json_get(part, "near"), *matched = json_get(part, "matched"),
                      *inner = json_get(part, "inner");
    bool passed = json_get_true(part, "passed");
    buf_printf(b, "<li><span class=\"%s\">%s</span> ", passed ? "passed" : "failed",
               passed ? "ok" : "FAILED");
    page_member(b, "", part, "kind");
    page_member(b, " ", part, "entity");
    page_member(b, " <strong>", part, "description");
    buf_puts(b, json_get(part, "description") ? "</strong> <code>" : " <code>");
    page_member(b, "", part, "assertion");
    page_member(b, ", line ", part, "line");
    buf_puts(b, "</code>");
    page_member(b, ", ", part, "role");
    page_member(b, ", weight ", part, "weight");
    if (!passed)
        page_member(b, "<br>", part, "why");
    buf_puts(b, "<ul>\n");
    for (uint32_t i = 0; i < length_of(near) && !page_full(b); i++)
        write_near(b, &near->items[i]);
    for (uint32_t i = 0; i < length_of(matched) && !page_full(b); i++) {
        buf_puts(b, "<li>matches ");
        page_value(b, &matched->items[i]);
        buf_puts(b, "</li>\n");
    }
    for (uint32_t i = 0; depth < 8 && i < length_of(inner) && !page_full(b); i++)
        write_part(b, &inner->items[i], depth + 1);
    buf_puts(b, "</ul></li>\n");
}

static void write_list(struct buf *b, const struct json *list)
{
    if (!length_of(list))
        return;
    buf_puts(b, "<ul>\n");
    for (uint32_t i = 0; i < list->n && !page_full(b); i++) {
        buf_puts(b, "<li>");
        page_value(b, &list->items[i]);
        buf_puts(b, "</li>\n");
    }
    buf_puts(b, "</ul>\n");
}

static void write_verdict(struct buf *b, const struct report *r)
{
    const struct json *v = r->verdict, *parts = json_get(v, "parts"),
                      *calls = json_get(v, "unexpected_calls");
    bool passed = json_get_true(v, "passed");
    heading(b, "verdict", "Verdict");
    buf_printf(b, "<p class=\"verdict\"><span class=\"%s\">%s</span>", passed ? "passed" : "failed",
               passed ? "Passed" : "Not passed");
    page_member(b, ", reward ", v, "reward");
    page_member(b, ", ", v, "reason");
    buf_puts(b, "</p>\n");
    write_list(b, json_get(v, "failures"));
    buf_puts(b, "<h3>Parts</h3>\n<ul>\n");
    for (uint32_t i = 0; i < length_of(parts) && !page_full(b); i++)
        write_part(b, &parts->items[i], 0);
    buf_puts(b, "</ul>\n");
    heading(b, "unexpected", "Unexpected");
    const struct json *changes = json_get(v, "unexpected");
    for (uint32_t i = 0; i < length_of(changes) && !page_full(b); i++)
        page_change(b, &changes->items[i], NULL, true);
    for (uint32_t i = 0; i < length_of(calls) && !page_full(b); i++) {
        buf_puts(b, "<p>Left nothing that was asked for: ");
        page_call(b, json_get_int(&calls->items[i], "seq", 0));
        page_member(b, " ", &calls->items[i], "method");
        page_member(b, " ", &calls->items[i], "target");
        page_member(b, ", ", &calls->items[i], "actor");
        buf_puts(b, "</p>\n");
    }
    if (!length_of(changes) && !length_of(calls))
        buf_puts(b, "<p>Nothing.</p>\n");
}

static void write_said(struct buf *b, const char *title, const char *text, size_t n)
{
    if (!text)
        return;
    buf_printf(b, "<h3>%s</h3>\n<p class=\"said\">", title);
    page_text(b, text, n);
    buf_puts(b, "</p>\n");
}

static void write_head(struct buf *b, const struct report *r)
{
    const struct json *prompt = json_get(r->task, "prompt");
    static const char *const members[] = {"id", "name", "difficulty", "actor", "fixture"};
    static const char *const names[] = {"Task", "Name", "Difficulty", "Actor", "Fixture"};
    buf_puts(b, "<table>\n");
    for (size_t i = 0; i < r->n_facts; i++)
        row(b, r->facts[i].name, r->facts[i].value);
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        if (json_get_str(r->task, members[i]))
            row(b, names[i], json_get_str(r->task, members[i]));
    buf_puts(b, "</table>\n");
    if (prompt && prompt->type == JSON_STRING)
        write_said(b, "Asked", prompt->str, prompt->n);
    write_said(b, "Answered", r->answer, r->answer_len);
}

/* ---- calls ---- */

static const char *decision_of(const struct json *entry)
{
    const struct json *guard = json_get(entry, "guard");
    const char *event = json_get_str(guard, "event");
    return event ? event : json_get_str(guard, "decision");
}

static int64_t status_of(const struct json *entry)
{
    return json_get_int(json_get(entry, "response"), "status", 0);
}

/* " +1 ~2": how many came, went and changed. */
static void write_counts(struct buf *b, const struct json *did)
{
    const struct json *list = json_get(did, "changes");
    static const char *const words[] = {"added", "changed", "removed"};
    static const char signs[] = "+~-";
    for (size_t k = 0; k < SOSIA_LEN(words); k++) {
        unsigned n = 0;
        for (uint32_t i = 0; i < length_of(list); i++)
            n += is(json_get_str(&list->items[i], "change"), words[k]);
        if (n)
            buf_printf(b, " %c%u", signs[k], n);
    }
}

static void write_summary(struct buf *b, const struct report_call *c)
{
    const struct json *e = c->entry, *request = json_get(e, "request"),
                      *control = json_get(e, "control");
    int64_t status = status_of(e);
    buf_printf(b, "<summary>%lld ", (long long)c->seq);
    page_member(b, "", e, "at");
    page_member(b, " ", e, "actor");
    page_member(b, " <strong>", e, "method");
    buf_puts(b, json_get(e, "method") ? "</strong> <span class=\"target\">"
                                      : " <span class=\"target\">");
    page_member(b, "", request, "verb");
    page_member(b, " ", request, "target");
    page_member(b, "control ", control, "do");
    buf_puts(b, "</span>");
    if (status)
        buf_printf(b, " <span class=\"%s\">%lld</span>", status >= 400 ? "failed" : "passed",
                   (long long)status);
    page_member(b, " ", json_get(e, "response"), "why");
    if (decision_of(e) && !is(decision_of(e), "allow")) {
        buf_puts(b, " <span class=\"held\">");
        page_str(b, decision_of(e));
        buf_puts(b, "</span>");
    }
    page_member(b, " fault ", json_get(e, "fault"), "kind");
    page_member(b, " stopped: ", json_get(e, "stop"), "reason");
    write_counts(b, c->did);
    buf_puts(b, "</summary>\n");
}

static void part(struct buf *b, const char *title, const struct json *v)
{
    if (!v)
        return;
    buf_printf(b, "<h3>%s</h3>\n", title);
    page_body(b, v);
}

static void write_call(struct buf *b, const struct report_call *c)
{
    static const char *const members[] = {"labels",  "as",      "guard",    "fault",
                                          "stop",    "budget",  "control",  "outcome",
                                          "session", "resumed", "suspended"};
    const struct json *e = c->entry, *request = json_get(e, "request"),
                      *response = json_get(e, "response"), *changes = json_get(c->did, "changes");
    buf_printf(b, "<details class=\"call\" id=\"call-%lld\">", (long long)c->seq);
    write_summary(b, c);
    buf_puts(b, "<table>\n");
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct json *v = json_get(e, members[i]);
        if (!v)
            continue;
        buf_printf(b, "<tr><th scope=\"row\">%s</th><td>", members[i]);
        page_value(b, v);
        buf_puts(b, "</td></tr>\n");
    }
    buf_puts(b, "</table>\n");
    part(b, "Request headers", json_get(request, "headers"));
    part(b, "Request", json_get(request, "body"));
    part(b, "Response", json_get(response, "body"));
    if (length_of(changes)) {
        buf_puts(b, "<h3>Changed</h3>\n");
        for (uint32_t i = 0; i < changes->n && !page_full(b); i++)
            page_change(b, &changes->items[i], NULL, false);
    }
    buf_puts(b, "</details>\n");
}

/* Behind the agent's own name for a step are the calls that it made there. */
static void write_calls(struct buf *b, const struct report *r)
{
    const char *step = NULL;
    heading(b, "calls", "Calls");
    if (r->steps_missing) {
        buf_puts(b, "<p class=\"note\">Of some calls it is not known what they changed: ");
        page_str(b, r->steps_missing);
        buf_puts(b, "</p>\n");
    }
    for (size_t i = 0; i < r->n_calls && !page_full(b); i++) {
        const char *of = json_get_str(json_get(r->calls[i].entry, "labels"), "step");
        if (of && !is(step, of)) {
            buf_puts(b, "<h3>");
            page_str(b, of);
            buf_puts(b, "</h3>\n");
        }
        step = of ? of : step;
        write_call(b, &r->calls[i]);
    }
    if (r->calls_more)
        buf_printf(b, "<p class=\"note\">%lld calls more are not shown.</p>\n",
                   (long long)r->calls_more);
    if (!r->n_calls)
        buf_puts(b, "<p>None is in the journal.</p>\n");
}

/* ---- files ---- */

/* By the entity's name, of whichever service. */
static bool is_file(const struct json *change)
{
    const char *entity = json_get_str(change, "entity");
    size_t n = entity ? strlen(entity) : 0;
    return is(entity, "file") || is(entity, "gitRef") || is(entity, "driveItem") ||
           (n > 4 && strcmp(entity + n - 4, "File") == 0);
}

static void write_files(struct buf *b, const struct json *changes, const struct causes *causes)
{
    bool any = false;
    for (uint32_t i = 0; i < length_of(changes) && !page_full(b); i++) {
        const struct json *c = &changes->items[i];
        int64_t seq = cause_of(causes, json_get_str(c, "name"));
        if (!is_file(c))
            continue;
        if (!any) {
            heading(b, "files", "Files");
            buf_puts(b, "<ul>\n");
        }
        any = true;
        buf_puts(b, "<li>");
        page_member(b, "", c, "change");
        page_member(b, " <strong>", c, json_get(c, "title") ? "title" : "name");
        buf_puts(b, "</strong>");
        page_member(b, ", ", json_get(c, "value"), "mimeType");
        page_member(b, ", ", json_get(json_get(c, "value"), "file"), "mimeType");
        page_member(b, ", bytes: ", json_get(c, "value"), "size");
        page_member(b, ", ", c, "person");
        if (seq) {
            buf_puts(b, ", by ");
            page_call(b, seq);
        }
        buf_puts(b, "</li>\n");
    }
    if (any)
        buf_puts(b, "</ul>\n");
}

/* ---- what it has cost ---- */

struct sums {
    int64_t calls, writes, refused, tokens_in, tokens_out, took_us;
    double dollars;
    bool tokens, cost, took;
};

static void add_call(struct sums *s, const struct json *e)
{
    const struct json *labels = json_get(e, "labels");
    double cost;
    int64_t n;
    if (!json_get(e, "request"))
        return;
    s->calls++;
    s->writes += json_get(e, "risk") != NULL;
    s->refused += status_of(e) >= 400;
    if (json_i64(json_get(labels, "tokens_in"), &n) == 0 && n >= 0 && n < INT32_MAX) {
        s->tokens_in += n;
        s->tokens = true;
    }
    if (json_i64(json_get(labels, "tokens_out"), &n) == 0 && n >= 0 && n < INT32_MAX) {
        s->tokens_out += n;
        s->tokens = true;
    }
    if (json_double(json_get(labels, "cost"), &cost) == 0) {
        s->dollars += cost;
        s->cost = true;
    }
    if (json_i64(json_get(e, "took_us"), &n) == 0 && n >= 0 && n < INT32_MAX) {
        s->took_us += n;
        s->took = true;
    }
}

static void number_row(struct buf *b, const char *name, int64_t n)
{
    buf_printf(b, "<tr><th scope=\"row\">%s</th><td>%lld</td></tr>\n", name, (long long)n);
}

static void write_cost(struct buf *b, const struct report *r)
{
    struct sums s = {0};
    for (size_t i = 0; i < r->n_calls; i++)
        add_call(&s, r->calls[i].entry);
    heading(b, "cost", "Cost");
    buf_puts(b, "<table>\n");
    number_row(b, "Calls", s.calls);
    number_row(b, "that may write", s.writes);
    number_row(b, "refused", s.refused);
    if (s.tokens) {
        number_row(b, "Tokens in", s.tokens_in);
        number_row(b, "Tokens out", s.tokens_out);
    }
    if (s.cost)
        buf_printf(b, "<tr><th scope=\"row\">US dollars</th><td>%.6g</td></tr>\n", s.dollars);
    if (s.took)
        number_row(b, "Microseconds in calls", s.took_us);
    for (uint32_t i = 0; r->trouble && r->trouble->type == JSON_OBJECT && i < r->trouble->n; i++) {
        buf_puts(b, "<tr><th scope=\"row\">");
        page_str(b, r->trouble->members[i].key);
        buf_puts(b, "</th><td>");
        page_value(b, &r->trouble->members[i].value);
        buf_puts(b, "</td></tr>\n");
    }
    buf_puts(b, "</table>\n");
}

/* ---- decisions ---- */

static void write_decisions(struct buf *b, const struct report *r)
{
    bool any = false;
    for (size_t i = 0; i < r->n_calls && !page_full(b); i++) {
        const struct json *e = r->calls[i].entry, *guard = json_get(e, "guard"),
                          *stop = json_get(e, "stop"), *fault = json_get(e, "fault");
        if (!guard && !stop && !fault)
            continue;
        if (!any) {
            heading(b, "decisions", "Policies, budgets, faults");
            buf_puts(b, "<ul>\n");
        }
        any = true;
        buf_puts(b, "<li>");
        page_call(b, r->calls[i].seq);
        page_member(b, " ", e, "method");
        page_member(b, ": <strong>", guard, "decision");
        buf_puts(b, json_get(guard, "decision") ? "</strong>" : "");
        page_member(b, ", ", guard, "event");
        page_member(b, ", policy ", guard, "policy");
        page_member(b, ", rule ", guard, "rule");
        page_member(b, ", ", guard, "why");
        page_member(b, ", held as ", guard, "action");
        page_member(b, ": stopped, ", stop, "reason");
        page_member(b, ", budget ", stop, "budget");
        page_member(b, ", limit ", stop, "limit");
        page_member(b, ": fault ", fault, "kind");
        page_member(b, ", rule ", fault, "rule");
        buf_puts(b, "</li>\n");
    }
    if (any)
        buf_puts(b, "</ul>\n");
}

/* ---- the page ---- */

static void find_causes(const struct report *r, struct causes *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_calls; i++)
        n += causes_count(json_get(r->calls[i].did, "changes"));
    *ret = (struct causes){.list = n ? calloc(n, sizeof *ret->list) : NULL};
    if (!ret->list)
        return;
    for (size_t i = 0; i < r->n_calls; i++)
        causes_add(ret, json_get(r->calls[i].did, "changes"), r->calls[i].seq);
    causes_order(ret);
}

void episode_write(const struct report *r, struct buf *out)
{
    struct causes causes;
    find_causes(r, &causes);
    page_open(out, r->title ? r->title : "Report");
    write_head(out, r);
    if (r->verdict)
        write_verdict(out, r);
    if (r->diff) {
        heading(out, "changes", "Changes");
        page_changes(out, json_get(r->diff, "changes"), &causes, false);
        write_files(out, json_get(r->diff, "changes"), &causes);
    }
    write_cost(out, r);
    write_decisions(out, r);
    write_calls(out, r);
    if (r->output) {
        heading(out, "output", "Output");
        buf_puts(out, "<pre>");
        page_text(out, r->output, r->output_len);
        buf_puts(out, "</pre>\n");
    }
    page_close(out);
    free(causes.list);
}
