/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of faults: read, checked by name and line, shared. */
#include "engine/base/codec.h"
#include "engine/http/call.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "grading/sql.h"
#include "guard/faults/faults.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#define MILLION    1000000
#define COUNT_MAX  INT64_C(1000000000)
#define NAMES_MAX  200 /* of a list */
#define NAME_BYTES 200 /* bytes */

const char *const fault_document_members[] = {"faults", "seed", "use", "rules", NULL};
const char *const fault_rule_members[] = {
    "name",  "description", "fault", "methods", "vendors",  "services", "risks", "actors", "tools",
    "parts", "calls",       "times", "chance",  "after",    "before",   "once",  "when",   "status",
    "lost",  "retry_after", "lasts", "clock",   "delay_ms", "document", "to",    NULL};

static const char *const clocks[] = {"world", "real", NULL};

struct reading {
    struct sosia_engine *engine;
    struct doc *d;
    struct fault_rules *to;
    struct sql_check sql;
};

/* ---- names ---- */

enum named { NAMED_METHODS, NAMED_VENDORS, NAMED_SERVICES, NAMED_ANY };

static bool is_known(struct sosia_engine *e, enum named what, const char *pattern)
{
    const struct route *row;
    for (const struct dialect *const *d = engine_dialects(e); *d; d++) {
        if (what == NAMED_VENDORS && fault_name_matches(pattern, (*d)->vendor->name))
            return true;
        if (what == NAMED_SERVICES && fault_name_matches(pattern, (*d)->name))
            return true;
        for (size_t i = 0; what == NAMED_METHODS && (row = dialect_row(*d, i)); i++)
            if (fault_name_matches(pattern, row->id))
                return true;
    }
    return what == NAMED_ANY;
}

static int read_names(struct reading *r, const struct json *v, const char *member, enum named what,
                      struct fault_names *ret)
{
    static const char *const nouns[] = {"method", "vendor", "service", "name"};
    const struct json *list = json_get(v, member);
    if (doc_strings(r->d, v, member, &ret->list, &ret->n) < 0)
        return -1;
    if (ret->n > NAMES_MAX)
        return doc_fail(r->d, list, member, "must have at most %d names, not %zu", NAMES_MAX,
                        ret->n);
    for (size_t i = 0; i < ret->n; i++) {
        size_t n = strlen(ret->list[i]);
        if (!n || n > NAME_BYTES)
            return doc_expect(r->d, &list->items[i], member, "names of 1 to 200 bytes");
        if (!is_known(r->engine, what, ret->list[i]))
            return doc_fail(r->d, &list->items[i], member, "there is no %s \"%.80s\"", nouns[what],
                            ret->list[i]);
    }
    return 0;
}

static int read_risks(struct doc *d, const struct json *v, unsigned *ret)
{
    const char **list;
    size_t n;
    *ret = 0;
    if (doc_strings(d, v, "risks", &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int at = str_place(risk_names, list[i]);
        if (at < 0)
            return doc_expect(d, &json_get(v, "risks")->items[i], "risks",
                              "read, draft, write, external or destructive");
        *ret |= 1u << at;
    }
    return 0;
}

/* ---- when ---- */

/* "calls": 3, or {from, to, every}. */
static int read_calls(struct doc *d, const struct json *v, struct fault_rule *r)
{
    static const char *const members[] = {"from", "to", "every", NULL};
    const struct json *calls = json_get(v, "calls");
    r->from = r->every = 1;
    if (!calls || calls->type == JSON_NULL)
        return 0;
    if (calls->type == JSON_NUMBER) {
        if (doc_int(d, v, "calls", 1, COUNT_MAX, 1, &r->from) < 0)
            return -1;
        r->to = r->from;
        return 0;
    }
    size_t mark = doc_push(d, "calls", -1);
    if (doc_object(d, calls, members) < 0 ||
        doc_int(d, calls, "from", 1, COUNT_MAX, 1, &r->from) < 0 ||
        doc_int(d, calls, "to", r->from, COUNT_MAX, 0, &r->to) < 0 ||
        doc_int(d, calls, "every", 1, COUNT_MAX, 1, &r->every) < 0)
        return -1;
    doc_pop(d, mark);
    return 0;
}

/* {method, calls}: such a method was called so often before. */
static int read_once(struct reading *r, const struct json *v, struct fault_rule *rule)
{
    static const char *const members[] = {"method", "calls", NULL};
    const struct json *once = json_get(v, "once");
    if (!once || once->type == JSON_NULL)
        return 0;
    size_t mark = doc_push(r->d, "once", -1);
    if (doc_object(r->d, once, members) < 0 ||
        doc_str(r->d, once, "method", true, &rule->once_called) < 0 ||
        doc_int(r->d, once, "calls", 1, COUNT_MAX, 1, &rule->once_calls) < 0)
        return -1;
    if (!is_known(r->engine, NAMED_METHODS, rule->once_called))
        return doc_fail(r->d, json_get(once, "method"), "method", "there is no method \"%.80s\"",
                        rule->once_called);
    doc_pop(r->d, mark);
    return 0;
}

static int read_chance(struct doc *d, const struct json *v, uint32_t *ret)
{
    const struct json *chance = json_get(v, "chance");
    double p = 1;
    if (chance && chance->type != JSON_NULL &&
        (json_double(chance, &p) < 0 || !(p >= 0) || !(p <= 1)))
        return doc_expect(d, chance, "chance", "a number from 0 to 1");
    *ret = (uint32_t)lrint(p * MILLION);
    return 0;
}

static int read_when(struct reading *r, const struct json *v, struct fault_rule *rule)
{
    const char *why;
    if (doc_str(r->d, v, "when", false, &rule->when) < 0)
        return -1;
    if (!rule->when)
        return 0;
    int rc = sql_check(&r->sql, r->d->arena, rule->when, &why, r->d->err);
    return rc > 0 ? doc_fail(r->d, json_get(v, "when"), "when", "%s", why) : rc;
}

static int read_time(struct reading *r, const struct json *v, struct fault_rule *rule)
{
    rule->after_us = TIME_FIRST_US;
    rule->before_us = INT64_MAX;
    if (doc_time(r->d, v, "after", &rule->after_us) < 0 ||
        doc_time(r->d, v, "before", &rule->before_us) < 0)
        return -1;
    if (rule->before_us <= rule->after_us)
        return doc_fail(r->d, json_get(v, "before"), "before", "must be later than \"after\"");
    return 0;
}

/* ---- what ---- */

/* Members that mean something to some kinds alone. */
static int check_kind(struct doc *d, const struct json *v, const struct fault *f)
{
    const struct {
        const char *member;
        bool fits, needed;
    } known[] = {
        {"status",
         f->kind == FAULT_SERVER || f->kind == FAULT_LOST || f->kind == FAULT_RATE ||
             f->kind == FAULT_ACCESS,
         false},
        {"lost", f->kind == FAULT_LOST, false},
        {"retry_after", f->kind == FAULT_RATE || f->kind == FAULT_QUOTA || f->kind == FAULT_SERVER,
         false},
        {"document", f->kind == FAULT_ARRIVES, f->kind == FAULT_ARRIVES},
        {"to", f->kind == FAULT_RENAMED, f->kind == FAULT_RENAMED},
        {"delay_ms", f->kind != FAULT_RENAMED, f->kind == FAULT_SLOW},
        {"clock", f->delay_ms > 0, false},
    };
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        const struct json *m = json_get(v, known[i].member);
        if (m && !known[i].fits)
            return doc_fail(d, m, known[i].member, "means nothing to the fault %s",
                            fault_names[f->kind]);
        if (!m && known[i].needed)
            return doc_fail(d, v, known[i].member, "must be given for the fault %s",
                            fault_names[f->kind]);
    }
    return 0;
}

static int check_status(struct doc *d, const struct json *v, const struct fault *f)
{
    bool server = f->kind == FAULT_SERVER || f->kind == FAULT_LOST;
    int s = f->status;
    if (!s)
        return 0;
    if (server && s != 500 && s != 502 && s != 503 && s != 504)
        return doc_expect(d, json_get(v, "status"), "status", "500, 502, 503 or 504");
    if (f->kind == FAULT_RATE && s != 403 && s != 429)
        return doc_expect(d, json_get(v, "status"), "status", "403 or 429");
    if (f->kind == FAULT_ACCESS && s != 403 && s != 404)
        return doc_expect(d, json_get(v, "status"), "status", "403 or 404");
    return 0;
}

static int read_document(struct doc *d, const struct json *v, struct fault *f)
{
    const struct json *doc = json_get(v, "document");
    if (!doc)
        return 0;
    if (doc->type != JSON_OBJECT)
        return doc_expect(d, doc, "document", "a seed document");
    f->document = json_to_text(d->arena, doc);
    return 0;
}

static int read_fault(struct doc *d, const struct json *v, struct fault_rule *r)
{
    struct fault *f = &r->fault;
    int kind, lost, clock;
    int64_t status;
    if (!json_get(v, "fault"))
        return doc_fail(d, v, "fault", "must be given");
    if (doc_enum(d, v, "fault", fault_names, -1, &kind) < 0 ||
        doc_enum(d, v, "lost", fault_losses, LOST_RESET, &lost) < 0 ||
        doc_enum(d, v, "clock", clocks, 0, &clock) < 0 ||
        doc_int(d, v, "status", 400, 599, 0, &status) < 0 ||
        doc_int(d, v, "retry_after", 1, FAULT_WAIT_MAX, 0, &f->retry_s) < 0 ||
        doc_int(d, v, "lasts", 1, FAULT_WAIT_MAX, 0, &r->lasts_s) < 0 ||
        doc_int(d, v, "delay_ms", 1, FAULT_WAIT_MAX * INT64_C(1000), 0, &f->delay_ms) < 0)
        return -1;
    f->kind = (enum fault_kind)kind;
    f->lost = (enum fault_lost)lost;
    f->real = clock == 1;
    f->status = (int)status;
    if (f->kind == FAULT_SERVER && !f->status)
        f->status = 500;
    return check_kind(d, v, f) < 0 || check_status(d, v, f) < 0 || read_document(d, v, f) < 0 ? -1
                                                                                              : 0;
}

/* A tool has one name, for all of its calls: what is about single calls means nothing. */
static int check_renamed(struct reading *r, const struct json *v, const struct fault_rule *rule)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    static const char *const not_of_it[] = {"methods", "vendors", "services", "risks", "parts",
                                            "calls",   "times",   "chance",   "when",  "lasts"};
    const char *to = rule->fault.to;
    if (rule->fault.kind != FAULT_RENAMED)
        return 0;
    for (size_t i = 0; i < SOSIA_LEN(not_of_it); i++)
        if (json_get(v, not_of_it[i]))
            return doc_fail(r->d, json_get(v, not_of_it[i]), not_of_it[i],
                            "means nothing to the fault %s", fault_names[FAULT_RENAMED]);
    if (rule->tools.n != 1 || strchr(rule->tools.list[0], '*'))
        return doc_fail(r->d, json_get(v, "tools") ? json_get(v, "tools") : v, "tools",
                        "must be the name of one tool");
    if (!*to || strlen(to) > 128 || to[strspn(to, letters)] || strcmp(to, rule->tools.list[0]) == 0)
        return doc_expect(r->d, json_get(v, "to"), "to",
                          "another name of 1 to 128 letters, digits and _ - . /");
    for (size_t i = 0; i < r->to->n; i++)
        if (r->to->rules[i].fault.to &&
            (strcmp(r->to->rules[i].fault.to, to) == 0 ||
             strcmp(r->to->rules[i].tools.list[0], rule->tools.list[0]) == 0))
            return doc_fail(r->d, json_get(v, "to"), "to",
                            "must be the only name of the tool, and of no other one");
    return 0;
}

static int read_rule(struct reading *r, const struct json *v)
{
    struct doc *d = r->d;
    struct fault_rule rule = {0};
    const char *about;
    if (r->to->n >= FAULT_RULES_MAX)
        return doc_fail(d, v, NULL, "must be at most %d rules, are more", FAULT_RULES_MAX);
    if (doc_object(d, v, fault_rule_members) < 0 ||
        doc_str(d, v, "name", true, &rule.fault.rule) < 0 ||
        doc_str(d, v, "description", false, &about) < 0 || read_fault(d, v, &rule) < 0 ||
        read_names(r, v, "methods", NAMED_METHODS, &rule.methods) < 0 ||
        read_names(r, v, "vendors", NAMED_VENDORS, &rule.vendors) < 0 ||
        read_names(r, v, "services", NAMED_SERVICES, &rule.services) < 0 ||
        read_names(r, v, "actors", NAMED_ANY, &rule.actors) < 0 ||
        read_names(r, v, "tools", NAMED_ANY, &rule.tools) < 0 ||
        read_risks(d, v, &rule.risks) < 0 || doc_bool(d, v, "parts", false, &rule.parts) < 0 ||
        read_calls(d, v, &rule) < 0 ||
        doc_int(d, v, "times", 1, COUNT_MAX, rule.fault.kind == FAULT_ARRIVES, &rule.times) < 0 ||
        read_chance(d, v, &rule.chance) < 0 || read_once(r, v, &rule) < 0 ||
        read_when(r, v, &rule) < 0 || read_time(r, v, &rule) < 0 ||
        doc_str(d, v, "to", false, &rule.fault.to) < 0 || check_renamed(r, v, &rule) < 0)
        return -1;
    if (!*rule.fault.rule || strlen(rule.fault.rule) > NAME_BYTES)
        return doc_expect(d, json_get(v, "name"), "name", "1 to 200 bytes");
    for (size_t i = 0; i < r->to->n; i++)
        if (strcmp(r->to->rules[i].fault.rule, rule.fault.rule) == 0)
            return doc_fail(d, json_get(v, "name"), "name", "there are two rules \"%.80s\"",
                            rule.fault.rule);
    r->to->stale |= rule.fault.kind == FAULT_STALE;
    r->to->rules[r->to->n++] = rule;
    return 0;
}

/* ---- documents ---- */

static int read_document_of(struct reading *r, const struct json *v);

static int read_set(struct reading *r, const struct json *at, const char *name, size_t len)
{
    const char *text = fault_set(name, len);
    struct doc *outer = r->d, d;
    const struct json *v;
    if (!text)
        return doc_fail(outer, at, NULL,
                        "must be sets of faults (rate-limited, flaky, slow, lost-answers), not "
                        "\"%.*s\"",
                        (int)(len < 60 ? len : 60), name);
    if (doc_open(&d, outer->arena, text, strlen(text), "set", 0, &v, outer->err) < 0)
        return -1;
    r->d = &d;
    int rc = read_document_of(r, v);
    r->d = outer;
    return rc;
}

static int read_document_of(struct reading *r, const struct json *v)
{
    struct doc_items it;
    int64_t version;
    struct doc *d = r->d;
    if (doc_object(d, v, fault_document_members) < 0)
        return -1;
    if (!json_get(v, "faults"))
        return doc_fail(d, v, "faults",
                        "is missing: a document of faults begins with \"faults: 1\"");
    const struct json *seed = json_get(v, "seed");
    if (doc_int(d, v, "faults", 1, 1, 1, &version) < 0)
        return -1;
    if (seed && (seed->type != JSON_NUMBER || parse_u64(seed->str, seed->n, &r->to->seed) < 0))
        return doc_expect(d, seed, "seed", "a whole number from 0 to 18446744073709551615");
    if (doc_items(d, v, "use", &it) < 0)
        return -1;
    for (const struct json *one; (one = doc_item(d, &it)) != NULL;)
        if (one->type != JSON_STRING ? doc_expect(d, one, NULL, "the name of a set") < 0
                                     : read_set(r, one, one->str, one->n) < 0)
            return -1;
    if (doc_items(d, v, "rules", &it) < 0)
        return -1;
    for (const struct json *one; (one = doc_item(d, &it)) != NULL;)
        if (read_rule(r, one) < 0)
            return -1;
    return 0;
}

/* "flaky,slow" as a document that uses them. */
static const char *of_names(struct arena *a, const char *text, size_t *len)
{
    struct buf b;
    bool names = *len > 0 && *len < 200;
    for (size_t i = 0; names && i < *len; i++)
        names = (text[i] >= 'a' && text[i] <= 'z') || text[i] == '-' || text[i] == ',';
    if (!names)
        return text;
    buf_init(&b, 0);
    buf_puts(&b, "{\"faults\": 1, \"use\": [\"");
    for (size_t i = 0; i < *len; i++)
        if (text[i] == ',')
            buf_puts(&b, "\", \"");
        else
            buf_byte(&b, text[i]);
    buf_puts(&b, "\"]}");
    *len = b.len;
    const char *made = arena_memdup(a, buf_str(&b), b.len);
    buf_done(&b);
    return made;
}

int fault_rules_read(struct sosia_engine *e, const char *text, size_t len, const char *name,
                     struct fault_rules **ret, struct sosia_err *err)
{
    struct fault_rules *to = calloc(1, sizeof *to);
    const struct json *v;
    struct doc d;
    if (!to)
        return sosia_fail_memory(err);
    arena_init(&to->arena, 0);
    atomic_init(&to->refs, 1);
    struct reading r = {.engine = e, .d = &d, .to = to};
    text = of_names(&to->arena, text, &len);
    char *copy = arena_memdup(&to->arena, text, len);
    to->rules = arena_calloc(&to->arena, FAULT_RULES_MAX, sizeof *to->rules);
    int rc = arena_failed(&to->arena)
                 ? sosia_fail_memory(err)
                 : doc_open(&d, &to->arena, copy, len, name, FAULT_DOC_MAX, &v, err);
    if (rc == 0)
        rc = read_document_of(&r, v);
    sql_check_done(&r.sql);
    if (rc == 0) {
        to->text = json_to_text(&to->arena, v);
        to->len = strlen(to->text);
        snprintf(to->hash, sizeof to->hash, "%016" PRIx64,
                 (uint64_t)XXH3_64bits(to->text, to->len));
        if (arena_failed(&to->arena))
            rc = sosia_fail_memory(err);
    }
    if (rc < 0) {
        fault_rules_unref(to);
        return -1;
    }
    *ret = to;
    return 0;
}

struct fault_rules *fault_rules_ref(struct fault_rules *r)
{
    if (r)
        atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    return r;
}

void fault_rules_unref(struct fault_rules *r)
{
    if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
        return;
    arena_done(&r->arena);
    free(r);
}
