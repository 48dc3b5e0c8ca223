/* SPDX-License-Identifier: Apache-2.0 */
/* One rule of a policy, as it is read. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "guard/policy.h"
#include "guard/reach.h"
#include "guard/taint/taint.h"
#include <stdio.h>

#define EDITS_MAX 100
#define LIMIT_MAX 1000000000

const char *const effect_names[] = {"redact", "rewrite", "limit", "allow",
                                    "dryRun", "approve", "deny",  NULL};
const char *const policy_rule_members[] = {"id",        "description", "effect",      "call",
                                           "outcome",   "reaches",     "tainted",     "fields",
                                           "arguments", "calls",       "per_seconds", NULL};
const char *const policy_call_members[] = {"method", "tool", "vendor", "service",   "actor", "role",
                                           "app",    "risk", "scope",  "arguments", "time",  NULL};

/* ---- the call ---- */

static int read_risks(struct policy_reader *r, const struct json *call, unsigned *ret)
{
    struct name_set risks;
    *ret = 0;
    if (policy_names_read(r, call, "risk", NAMES_RISKS, &risks) < 0)
        return -1;
    for (size_t i = 0; i < risks.n; i++)
        *ret |= 1u << str_place(risk_names, risks.list[i]);
    return 0;
}

/* "09:30" in minutes; -1: it is no time of the day. */
static int minutes(const char *text, const char **ret_end)
{
    int h = 0, m = 0, n = 0;
    if (sscanf(text, "%2d:%2d%n", &h, &m, &n) != 2 || !n || h < 0 || h > 24 || m < 0 || m > 59 ||
        h * 60 + m > 1440)
        return -1;
    *ret_end = text + n;
    return h * 60 + m;
}

static int read_hours(struct doc *d, const struct json *time, struct rule_time *t)
{
    const char *text, *end;
    if (doc_str(d, time, "hours", false, &text) < 0)
        return -1;
    if (!text)
        return 0;
    t->from_min = minutes(text, &end);
    t->to_min = t->from_min >= 0 && *end == '-' ? minutes(end + 1, &end) : -1;
    if (t->from_min < 0 || t->to_min < 0 || *end || t->from_min == t->to_min)
        return doc_expect(d, json_get(time, "hours"), "hours",
                          "two times of the day (\"09:00-17:30\")");
    return 0;
}

static int read_time(struct policy_reader *r, const struct json *call, const struct rule_time **ret)
{
    static const char *const members[] = {"after", "before", "hours", "days", "zone", NULL};
    static const char *const days[] = {"monday", "tuesday",  "wednesday", "thursday",
                                       "friday", "saturday", "sunday",    NULL};
    const struct json *v = json_get(call, "time");
    struct doc *d = r->d;
    const char **list, *zone;
    size_t n;
    if (!v)
        return 0;
    struct rule_time *t = arena_calloc(d->arena, 1, sizeof *t);
    size_t mark = doc_push(d, "time", -1);
    t->after_us = INT64_MIN;
    t->before_us = INT64_MAX;
    if (doc_object(d, v, members) < 0 || doc_time(d, v, "after", &t->after_us) < 0 ||
        doc_time(d, v, "before", &t->before_us) < 0 || read_hours(d, v, t) < 0 ||
        doc_strings(d, v, "days", &list, &n) < 0 || doc_str(d, v, "zone", false, &zone) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int day = str_place(days, list[i]);
        if (day < 0)
            return doc_fail(d, json_get(v, "days"), "days",
                            "must be days of the week (\"monday\"), \"%.20s\" is not", list[i]);
        t->days |= 1u << day;
    }
    if (zone && !(t->zone = tz_find(zone)))
        return doc_fail(d, json_get(v, "zone"), "zone",
                        "must be the name of a time zone, \"%.40s\" is not", zone);
    if (t->after_us >= t->before_us)
        return doc_fail(d, v, "before", "must be later than after, is not");
    doc_pop(d, mark);
    *ret = t;
    return 0;
}

static int known_variable(void *arg, struct doc *d, const struct json *at, const char *name)
{
    (void)arg;
    for (const char *const *v = policy_variables; *v; v++)
        if (strcmp(*v, name) == 0)
            return 0;
    return doc_fail(d, at, NULL, "the variable \"%.80s\" must be actor or domain, is not", name);
}

int policy_call_read(struct policy_reader *r, const struct json *value, struct policy_rule *rule)
{
    const struct json *call = json_get(value, "call");
    struct doc *d = r->d;
    if (!call)
        return 0;
    size_t mark = doc_push(d, "call", -1);
    if (doc_object(d, call, policy_call_members) < 0 ||
        policy_names_read(r, call, "method", NAMES_METHODS, &rule->methods) < 0 ||
        policy_names_read(r, call, "tool", NAMES_TOOLS, &rule->tools) < 0 ||
        policy_names_read(r, call, "vendor", NAMES_VENDORS, &rule->vendors) < 0 ||
        policy_names_read(r, call, "service", NAMES_SERVICES, &rule->services) < 0 ||
        policy_names_read(r, call, "actor", NAMES_ANY, &rule->actors) < 0 ||
        policy_names_read(r, call, "role", NAMES_ROLES, &rule->roles) < 0 ||
        policy_names_read(r, call, "app", NAMES_ANY, &rule->apps) < 0 ||
        policy_names_read(r, call, "scope", NAMES_SCOPES, &rule->scopes) < 0 ||
        read_risks(r, call, &rule->risks) < 0 || read_time(r, call, &rule->time) < 0)
        return -1;
    size_t inner = doc_push(d, "arguments", -1);
    if (conditions_read(d, json_get(call, "arguments"), false, known_variable, NULL,
                        &rule->arguments) < 0)
        return -1;
    doc_pop(d, inner);
    doc_pop(d, mark);
    return 0;
}

/* ---- its consequences ---- */

/* What suites say by default of how many must match is for goals; here one is enough. */
static int adapt(struct doc *d, const struct json *at, struct assertion *a)
{
    if (a->kind == ASSERT_CALLS || a->kind == ASSERT_ORDER || a->kind >= ASSERT_ANSWER)
        return doc_fail(
            d, at, NULL,
            "must speak of changes, state, sql, aggregate, all, any or not: a rule says "
            "what it wants of the call in \"call\"");
    if (a->bind)
        return doc_fail(d, at, "bind", "must be absent in a policy, is given");
    if (!a->counted && a->kind <= ASSERT_CHANGED)
        a->max = INT64_MAX;
    a->consequences = true;
    for (size_t i = 0; i < a->n_inner; i++)
        if (adapt(d, at, &a->inner[i]) < 0)
            return -1;
    return 0;
}

static int read_outcome(struct policy_reader *r, const struct json *value, struct policy_rule *rule)
{
    const struct json *list = json_get(value, "outcome");
    struct doc *d = r->d;
    if (!list)
        return 0;
    struct json *one = arena_calloc(d->arena, 1, sizeof *one);
    rule->outcome = arena_calloc(d->arena, 1, sizeof *rule->outcome);
    if (list->type == JSON_OBJECT) {
        *one = (struct json){.type = JSON_ARRAY, .n = 1, .at = list->at, .items = list};
        list = one;
    }
    size_t mark = doc_push(d, "outcome", -1);
    if (assertions_read(d, list, &r->p->suite, rule->outcome) < 0)
        return -1;
    for (size_t i = 0; i < rule->outcome->n_assertions; i++)
        if (adapt(d, &list->items[i], &rule->outcome->assertions[i]) < 0)
            return -1;
    doc_pop(d, mark);
    r->p->asks_outcome = true;
    return 0;
}

static int read_reaches(struct policy_reader *r, const struct json *value, struct policy_rule *rule)
{
    const struct json *v = json_get(value, "reaches");
    struct doc *d = r->d;
    if (!v)
        return 0;
    size_t mark = doc_push(d, "reaches", -1);
    if (conditions_read(d, v, false, known_variable, NULL, &rule->reaches) < 0)
        return -1;
    for (uint32_t i = 0; i < v->n; i++)
        if (!reach_has(v->members[i].key))
            return doc_fail(
                d, &v->members[i].value, v->members[i].key,
                "must be one of people, outside, strangers, access and audience, is not");
    doc_pop(d, mark);
    r->p->asks_outcome = true;
    return v->n ? 0 : doc_fail(d, v, "reaches", "must have a member, has none");
}

/* ---- where its values come from ---- */

static int read_tainted(struct policy_reader *r, const struct json *value, struct policy_rule *rule)
{
    const struct json *v = json_get(value, "tainted");
    struct doc *d = r->d;
    if (!v)
        return 0;
    rule->asks_taint = r->p->asks_taint = true;
    if (json_is_true(v))
        return 0;
    if (v->type != JSON_OBJECT || !v->n)
        return doc_expect(d, v, "tainted", "true, or an object of predicates");
    size_t mark = doc_push(d, "tainted", -1);
    if (conditions_read(d, v, false, known_variable, NULL, &rule->tainted) < 0)
        return -1;
    for (uint32_t i = 0; i < v->n; i++)
        if (!taint_has(v->members[i].key))
            return doc_fail(d, &v->members[i].value, v->members[i].key,
                            "must be one of values, addresses, links, hosts, ids, words, "
                            "arguments, authors, rows, read and reached, is not");
    for (uint32_t i = 0; i < v->n; i++)
        if (strncmp(v->members[i].key, "reached", 7) == 0)
            rule->asks_reached = r->p->asks_outcome = true;
        else
            rule->asks_read |= strncmp(v->members[i].key, "read", 4) == 0;
    doc_pop(d, mark);
    return 0;
}

/* ---- the effect ---- */

static int add_edit(struct doc *d, const struct json *at, const char *path,
                    const struct json *value, struct policy_rule *rule)
{
    struct rule_edit *e = arena_calloc(d->arena, 1, sizeof *e);
    if (!*path || strlen(path) > 200)
        return doc_fail(d, at, NULL, "must be a path of 1 to 200 bytes, not \"%.80s\"", path);
    *e = (struct rule_edit){.path = path, .value = value, .next = rule->edits};
    rule->edits = e;
    return 0;
}

/* Members of the answer that are covered. */
static int read_fields(struct doc *d, const struct json *value, struct policy_rule *rule)
{
    const char **list;
    size_t n;
    if (doc_strings(d, value, "fields", &list, &n) < 0)
        return -1;
    if (!n || n > EDITS_MAX)
        return doc_fail(d, value, "fields", "must be a list of 1 to %d paths, not of %zu",
                        EDITS_MAX, n);
    for (size_t i = n; i-- > 0;)
        if (add_edit(d, json_get(value, "fields"), list[i], NULL, rule) < 0)
            return -1;
    return 0;
}

/* Arguments of the call that are set. */
static int read_arguments(struct doc *d, const struct json *value, struct policy_rule *rule)
{
    const struct json *v = json_get(value, "arguments");
    if (!v)
        return doc_fail(d, value, "arguments", "must be an object of values by path, is missing");
    if (v->type != JSON_OBJECT || !v->n || v->n > EDITS_MAX)
        return doc_expect(d, v, "arguments", "an object of values by path");
    for (uint32_t i = v->n; i-- > 0;) {
        const struct json *to = &v->members[i].value;
        if (strchr(v->members[i].key, '*'))
            return doc_fail(d, to, "arguments",
                            "must be paths to one value, without \"*\", not \"%.80s\"",
                            v->members[i].key);
        if (add_edit(d, to, v->members[i].key, to->type == JSON_NULL ? NULL : to, rule) < 0)
            return -1;
    }
    return 0;
}

static int read_limit(struct policy_reader *r, const struct json *value, struct policy_rule *rule)
{
    int64_t seconds;
    if (!json_get(value, "calls"))
        return doc_fail(r->d, value, "calls", "must be given for a limit, is missing");
    if (doc_int(r->d, value, "calls", 0, LIMIT_MAX, 0, &rule->limit) < 0 ||
        doc_int(r->d, value, "per_seconds", 1, 366 * 86400, 0, &seconds) < 0)
        return -1;
    rule->per_us = seconds * US_PER_SECOND;
    rule->counter = r->p->n_counters++;
    return 0;
}

/* A member that another effect has. */
static int check_needs(struct doc *d, const struct json *value, enum effect effect)
{
    static const struct {
        const char *member;
        enum effect of;
    } rows[] = {{"fields", EFFECT_REDACT},
                {"arguments", EFFECT_REWRITE},
                {"calls", EFFECT_LIMIT},
                {"per_seconds", EFFECT_LIMIT}};
    for (size_t i = 0; i < SOSIA_LEN(rows); i++)
        if (rows[i].of != effect && json_get(value, rows[i].member))
            return doc_fail(d, json_get(value, rows[i].member), rows[i].member,
                            "must be a member of a rule with the effect %s, not %s",
                            effect_names[rows[i].of], effect_names[effect]);
    return 0;
}

int policy_rule_read(struct policy_reader *r, const struct json *value, size_t i,
                     struct policy_rule *rule)
{
    struct doc *d = r->d;
    int effect = -1;
    rule->line = doc_line(d, value);
    if (doc_object(d, value, policy_rule_members) < 0 ||
        doc_str(d, value, "id", false, &rule->id) < 0 ||
        doc_str(d, value, "description", false, &rule->description) < 0 ||
        doc_enum(d, value, "effect", effect_names, -1, &effect) < 0)
        return -1;
    if (effect < 0)
        return doc_fail(d, value, "effect", "must be given, is missing");
    rule->effect = (enum effect)effect;
    if (!rule->id)
        rule->id = arena_printf(d->arena, "rule %zu", i + 1);
    if (!*rule->id || strlen(rule->id) > POLICY_NAME_MAX)
        return doc_fail(d, value, "id", "must have 1 to %d bytes, not %zu", POLICY_NAME_MAX,
                        strlen(rule->id));
    if (check_needs(d, value, rule->effect) < 0 || policy_call_read(r, value, rule) < 0 ||
        read_outcome(r, value, rule) < 0 || read_reaches(r, value, rule) < 0 ||
        read_tainted(r, value, rule) < 0)
        return -1;
    if ((rule->outcome || rule->reaches || rule->asks_reached) && rule->effect < EFFECT_ALLOW)
        return doc_fail(d, value, "effect",
                        "must be allow, deny, approve or dryRun where a rule speaks of "
                        "consequences, not %s",
                        effect_names[effect]);
    return rule->effect == EFFECT_REDACT    ? read_fields(d, value, rule)
           : rule->effect == EFFECT_REWRITE ? read_arguments(d, value, rule)
           : rule->effect == EFFECT_LIMIT   ? read_limit(r, value, rule)
                                            : 0;
}

void policy_rule_free(const struct policy_rule *rule)
{
    conditions_free(rule->arguments);
    conditions_free(rule->reaches);
    conditions_free(rule->tainted);
    for (size_t i = 0;
         rule->outcome && rule->outcome->assertions && i < rule->outcome->n_assertions; i++)
        assertion_free(&rule->outcome->assertions[i]);
}
