/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy as text of the Cedar language (docs.cedarpolicy.com: "Grammar for Cedar syntax").
 *
 * The rules of a policy have an order and the first that decides counts; Cedar's have none, and
 * what nothing permits is refused. So each rule that allows is a permit, unless one before it
 * decides otherwise. There is no forbid: a condition that fails with an error, as on a value of
 * another type, is passed over by Cedar, which of a permit is a refusal and of a forbid the
 * opposite. A rule that can't be said is refused.
 */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "grading/predicate_impl.h"
#include "guard/workflow/workflow.h"
#include <stdio.h>

#define CEDAR_MAX ((size_t)16 << 20) /* bytes of a text */

struct cedar {
    const struct policy *p;
    struct arena arena;
    struct buf *out, *left;
    size_t n_left;
    const struct json *rules; /* as they were written; NULL: in the short form */
};

/* A rule, as far as it is about the call. */
struct said {
    const char *text; /* "": anything */
    const char *lost; /* what of it can't be said; NULL: nothing */
};

/* ---- text ---- */

/* In quotes; pattern: of `like`, where asterisks stand for any letters unless literal. */
static void quote(struct buf *b, const char *text, bool pattern)
{
    buf_byte(b, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            buf_printf(b, "\\%c", *p);
        else if (*p == '*' && pattern)
            buf_puts(b, "\\*");
        else if (*p < ' ' || *p == 0x7f)
            buf_printf(b, "\\u{%x}", *p);
        else
            buf_byte(b, (char)*p);
    }
    buf_byte(b, '"');
}

static const char *taken(struct cedar *c, struct buf *b)
{
    const char *text = buf_failed(b) ? "" : arena_memdup(&c->arena, buf_str(b), b->len);
    buf_done(b);
    return text;
}

static void leave(struct cedar *c, const char *of, const char *name, const char *why)
{
    struct buf *list[] = {c->left, c->out};
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        buf_puts(list[i], i ? "// Left out: " : "");
        buf_printf(list[i], "%s ", of);
        quote(list[i], name, false);
        buf_printf(list[i], ": %s\n", why);
    }
    c->n_left++;
}

/* ---- names ---- */

static bool has_star(const struct name_set *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (strchr(s->list[i], '*'))
            return true;
    return false;
}

static void and_if(struct buf *b)
{
    if (b->len)
        buf_puts(b, " && ");
}

/* `like`, in which asterisks of ours are those of Cedar. */
static void like(struct buf *b, const char *what, const char *pattern)
{
    bool star = strchr(pattern, '*') != NULL;
    buf_printf(b, "%s %s ", what, star ? "like" : "==");
    quote(b, pattern, false);
}

static void say_names(struct buf *b, const char *attribute, const struct name_set *s)
{
    char what[40];
    if (!s->n)
        return;
    and_if(b);
    snprintf(what, sizeof what, "context.%s", attribute);
    buf_printf(b, "context has %s && (", attribute);
    for (size_t i = 0; i < s->n; i++) {
        buf_puts(b, i ? " || " : "");
        like(b, what, s->list[i]);
    }
    buf_byte(b, ')');
}

/* Methods are actions, and callers principals, where they are named whole. */
static void say_entities(struct buf *b, const char *variable, const char *type,
                         const char *attribute, const struct name_set *s)
{
    if (!s->n || has_star(s)) {
        say_names(b, attribute, s);
        return;
    }
    and_if(b);
    buf_printf(b, "%s%s", variable, s->n > 1 ? " in [" : " == ");
    for (size_t i = 0; i < s->n; i++) {
        buf_printf(b, "%s%s::", i ? ", " : "", type);
        quote(b, s->list[i], false);
    }
    buf_puts(b, s->n > 1 ? "]" : "");
}

static void say_scopes(struct buf *b, const struct name_set *s)
{
    if (!s->n)
        return;
    and_if(b);
    buf_puts(b, "context has scopes && context.scopes.containsAny([");
    for (size_t i = 0; i < s->n; i++) {
        buf_puts(b, i ? ", " : "");
        quote(b, s->list[i], false);
    }
    buf_puts(b, "])");
}

static void say_risks(struct buf *b, unsigned risks)
{
    bool any = false;
    if (!risks)
        return;
    and_if(b);
    buf_byte(b, '[');
    for (int i = 0; risk_names[i]; i++)
        if (risks & 1u << i) {
            buf_printf(b, "%s\"%s\"", any ? ", " : "", risk_names[i]);
            any = true;
        }
    buf_puts(b, "].contains(context.risk)");
}

static void say_instant(struct buf *b, const char *sign, int64_t us)
{
    struct civil t;
    civil_from_seconds(us / 1000000 - (us % 1000000 < 0), &t);
    and_if(b);
    buf_printf(b, "context.now %s datetime(\"%04d-%02d-%02dT%02d:%02d:%02dZ\")", sign, t.year,
               t.month, t.day, t.hour, t.minute, t.second);
}

/* ---- arguments ---- */

static bool is_name(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || s[i] == '_' ||
              (i && s[i] >= '0' && s[i] <= '9')))
            return false;
    return n > 0;
}

/* The value at a path, and that it is there; false: a path that goes into lists. */
static bool say_path(struct cedar *c, const char *path, const char **ret_there, const char **ret)
{
    struct buf there, at;
    bool good = true;
    buf_init(&there, 0);
    buf_init(&at, 0);
    buf_puts(&at, "context.arguments");
    buf_puts(&there, "context has arguments");
    for (const char *p = path; good && *p;) {
        size_t n = strcspn(p, ".");
        const char *name = arena_memdup(&c->arena, p, n);
        good = n && strcmp(name, "*") != 0 && strspn(name, "0123456789") != n;
        buf_puts(&there, " && ");
        buf_add(&there, at.data, at.len);
        buf_puts(&there, " has ");
        if (is_name(p, n)) {
            buf_add(&there, p, n);
            buf_printf(&at, ".%s", name);
        } else {
            quote(&there, name, false);
            buf_byte(&at, '[');
            quote(&at, name, false);
            buf_byte(&at, ']');
        }
        p += n + (p[n] == '.');
    }
    *ret_there = taken(c, &there);
    *ret = taken(c, &at);
    return good && *path;
}

/* A value that Cedar has: a text without variables, a truth, a whole number. */
static bool say_value(struct buf *b, const struct json *v)
{
    int64_t n;
    if (v->type == JSON_STRING && strlen(v->str) == v->n && !strstr(v->str, "${")) {
        quote(b, v->str, false);
        return true;
    }
    if (v->type == JSON_BOOL)
        buf_puts(b, v->truth ? "true" : "false");
    else if (v->type == JSON_NUMBER && json_i64(v, &n) == 0)
        buf_printf(b, "%lld", (long long)n);
    else
        return false;
    return true;
}

static bool say_set(struct buf *b, const struct json *list, const char *value)
{
    bool good = list->type == JSON_ARRAY && list->n;
    buf_byte(b, '[');
    for (uint32_t i = 0; good && i < list->n; i++) {
        buf_puts(b, i ? ", " : "");
        good = say_value(b, &list->items[i]);
    }
    buf_printf(b, "].contains(%s)", value);
    return good;
}

static bool say_like(struct buf *b, const struct json *v, const char *value, bool before,
                     bool behind)
{
    if (v->type != JSON_STRING || strlen(v->str) != v->n || strstr(v->str, "${"))
        return false;
    struct buf text;
    buf_init(&text, 0);
    quote(&text, v->str, true);
    buf_printf(b, "%s like \"%s", value, before ? "*" : "");
    if (text.len > 2)
        buf_add(b, text.data + 1, text.len - 2);
    buf_puts(b, behind ? "*\"" : "\"");
    bool good = !buf_failed(&text);
    buf_done(&text);
    return good;
}

/* One operator of a value that is there; false: Cedar has none like it. `contains` of a list is
 * another thing than of a text, so it is not said. */
static bool say_operator(struct buf *b, const char *op, const struct json *v, const char *value)
{
    static const char *const order[][2] = {{"gt", ">"}, {"gte", ">="}, {"lt", "<"}, {"lte", "<="}};
    int64_t n;
    if (strcmp(op, "eq") == 0) {
        buf_printf(b, "%s == ", value);
        return say_value(b, v);
    }
    if (strcmp(op, "in") == 0)
        return say_set(b, v, value);
    if (strcmp(op, "starts_with") == 0)
        return say_like(b, v, value, false, true);
    if (strcmp(op, "ends_with") == 0)
        return say_like(b, v, value, true, false);
    for (size_t i = 0; i < SOSIA_LEN(order); i++)
        if (strcmp(op, order[i][0]) == 0 && v->type == JSON_NUMBER && json_i64(v, &n) == 0) {
            buf_printf(b, "%s %s %lld", value, order[i][1], (long long)n);
            return true;
        }
    return false;
}

static bool say_predicate(const struct predicate *p, const char *there, const char *value,
                          struct buf *b)
{
    struct buf one;
    const char *op = p->op->name;
    bool good, negative = strcmp(op, "ne") == 0 || strcmp(op, "not_in") == 0;
    and_if(b);
    if (strcmp(op, "exists") == 0) {
        buf_printf(b, "%s(%s)", p->argument && p->argument->truth ? "" : "!", there);
        return true;
    }
    buf_init(&one, 0);
    good = say_operator(&one, negative ? (op[1] == 'e' ? "eq" : "in") : op, p->argument, value);
    buf_printf(b, "%s(%s && %s)", negative ? "!" : "", there, buf_str(&one));
    buf_done(&one);
    return good;
}

static bool say_arguments(struct cedar *c, const struct condition *list, struct buf *b)
{
    bool all = true;
    for (const struct condition *k = list; k; k = k->next) {
        const char *there, *value;
        bool good = say_path(c, k->path, &there, &value);
        for (const struct predicate *p = k->predicate; good && p; p = p->next) {
            struct buf one;
            buf_init(&one, 0);
            good = p->argument && say_predicate(p, there, value, &one);
            if (good) {
                and_if(b);
                buf_add(b, one.data, one.len);
            }
            buf_done(&one);
        }
        all &= good;
    }
    return all;
}

/* ---- rules ---- */

/* A member that this file does not know, as a later version of the language may have. */
static const char *unknown_member(struct cedar *c, size_t i)
{
    static const char *const rule[] = {"id",        "description", "effect",      "call",
                                       "outcome",   "reaches",     "tainted",     "fields",
                                       "arguments", "calls",       "per_seconds", NULL};
    static const char *const call[] = {"method", "tool", "vendor", "service",   "actor", "role",
                                       "app",    "risk", "scope",  "arguments", "time",  NULL};
    const struct json *v = c->rules && i < c->rules->n ? &c->rules->items[i] : NULL,
                      *of = json_get(v, "call");
    for (uint32_t k = 0; v && v->type == JSON_OBJECT && k < v->n; k++)
        if (str_place(rule, v->members[k].key) < 0)
            return v->members[k].key;
    for (uint32_t k = 0; of && of->type == JSON_OBJECT && k < of->n; k++)
        if (str_place(call, of->members[k].key) < 0)
            return of->members[k].key;
    return NULL;
}

/* All of it that can be said; of what is left out, the rule holds for fewer calls than the text. */
static struct said say_call(struct cedar *c, size_t i)
{
    const struct policy_rule *r = &c->p->rules[i];
    const struct rule_time *t = r->time;
    const char *unknown = unknown_member(c, i);
    struct said said = {0};
    struct buf b;
    buf_init(&b, CEDAR_MAX);
    say_entities(&b, "action", "Action", "method", &r->methods);
    say_names(&b, "tool", &r->tools);
    say_names(&b, "vendor", &r->vendors);
    say_names(&b, "service", &r->services);
    say_entities(&b, "principal", "Actor", "actor", &r->actors);
    say_names(&b, "role", &r->roles);
    say_names(&b, "app", &r->apps);
    if (has_star(&r->scopes))
        said.lost = "scopes with asterisks";
    else
        say_scopes(&b, &r->scopes);
    say_risks(&b, r->risks);
    if (t && t->after_us != INT64_MIN)
        say_instant(&b, ">=", t->after_us);
    if (t && t->before_us != INT64_MAX)
        say_instant(&b, "<", t->before_us);
    if (t && (t->from_min != t->to_min || t->days))
        said.lost = "hours and days of the week";
    if (!say_arguments(c, r->arguments, &b))
        said.lost = "a predicate on arguments";
    if (r->outcome)
        said.lost = "what a call would do (outcome)";
    if (r->reaches)
        said.lost = "whom a call reaches (reaches)";
    if (r->asks_taint)
        said.lost = "where values come from (tainted)";
    if (unknown)
        said.lost = arena_printf(&c->arena, "\"%s\"", unknown);
    bool writes =
        r->outcome || r->reaches || r->effect == EFFECT_APPROVE || r->effect == EFFECT_DRY_RUN;
    if (writes) { /* calls that only read have no consequences */
        and_if(&b);
        buf_puts(&b, "context.risk != \"read\"");
    }
    said.text = taken(c, &b);
    return said;
}

/* A permit is kept from calls that rules before it refuse, and that others would change. */
static void say_unless(struct cedar *c, const struct said *said, size_t before)
{
    const struct policy *p = c->p;
    for (size_t i = 0; i < p->n; i++) {
        enum effect e = p->rules[i].effect;
        bool counts = e < EFFECT_ALLOW || (e > EFFECT_ALLOW && i < before);
        if (counts)
            buf_printf(c->out, "unless { %s }\n", *said[i].text ? said[i].text : "true");
    }
}

static void say_permit(struct cedar *c, const struct said *said, size_t before, const char *name,
                       const char *when)
{
    buf_puts(c->out, "@id(");
    quote(c->out, name, false);
    buf_puts(c->out, ")\npermit (principal, action, resource)\n");
    if (*when)
        buf_printf(c->out, "when { %s }\n", when);
    say_unless(c, said, before);
    c->out->len -= c->out->len > 0; /* the last line break */
    buf_puts(c->out, ";\n\n");
}

static void say_rule(struct cedar *c, const struct said *said, size_t i)
{
    static const char *const words[] = {
        [EFFECT_REDACT] = "covers fields of answers; the calls are refused",
        [EFFECT_REWRITE] = "sets arguments; the calls are refused",
        [EFFECT_LIMIT] = "counts calls; they are refused",
        [EFFECT_DRY_RUN] = "makes calls and undoes them; they are refused",
        [EFFECT_APPROVE] = "holds calls for approval; they are refused"};
    const struct policy_rule *r = &c->p->rules[i];
    if (r->effect == EFFECT_ALLOW && !said[i].lost)
        say_permit(c, said, i, r->id, said[i].text);
    else if (r->effect == EFFECT_ALLOW)
        leave(c, "rule", r->id,
              arena_printf(&c->arena, "allows by %s; nothing is permitted by it", said[i].lost));
    else if (r->effect != EFFECT_DENY)
        leave(c, "rule", r->id, words[r->effect]);
    else if (said[i].lost)
        leave(c, "rule", r->id,
              arena_printf(&c->arena, "denies by %s; all calls of its kind are refused",
                           said[i].lost));
}

/* Callers that the policy is not asked about. */
static void say_others(struct cedar *c)
{
    struct buf b;
    buf_init(&b, CEDAR_MAX);
    say_entities(&b, "principal", "Actor", "actor", &c->p->actors);
    say_names(&b, "app", &c->p->apps);
    say_names(&b, "token", &c->p->kinds);
    if (b.len)
        buf_printf(c->out,
                   "@id(\"others\")\npermit (principal, action, resource)\nunless { %s };\n\n",
                   buf_str(&b));
    buf_done(&b);
}

static void say_otherwise(struct cedar *c, const struct said *said)
{
    const struct policy *p = c->p;
    unsigned allowed = 0;
    struct buf b;
    if (p->otherwise == OTHERWISE_DENY)
        return;
    if (p->otherwise == OTHERWISE_ALLOW) {
        say_permit(c, said, p->n, "otherwise", "");
        return;
    }
    for (int i = 0; risk_names[i]; i++) {
        if (p->tiers[i] == EFFECT_ALLOW)
            allowed |= 1u << i;
        else if (p->tiers[i] != EFFECT_DENY)
            leave(c, "tier", risk_names[i],
                  p->tiers[i] == EFFECT_APPROVE ? "is held for approval; it is refused"
                                                : "is made and undone; it is refused");
    }
    if (!allowed)
        return;
    buf_init(&b, 0);
    say_risks(&b, allowed);
    say_permit(c, said, p->n, "tiers", taken(c, &b));
}

/* The rules as they were written, to know of each of their members. */
static int read_written(struct cedar *c, struct sosia_err *err)
{
    const struct json *top;
    struct doc d;
    if (c->p->plain)
        return 0;
    if (doc_open(&d, &c->arena, c->p->text, c->p->len, c->p->name, POLICY_DOC_MAX, &top, err) < 0)
        return -1;
    c->rules = json_get(top, "rules");
    if (c->rules && c->rules->type != JSON_ARRAY)
        c->rules = NULL;
    return 0;
}

int policy_cedar(const struct policy *p, struct buf *ret_text, struct buf *ret_left_out,
                 size_t *ret_left, struct sosia_err *err)
{
    struct cedar c = {.p = p, .out = ret_text, .left = ret_left_out};
    arena_init(&c.arena, 0);
    struct said *said = arena_calloc(&c.arena, p->n + 1, sizeof *said);
    int rc = arena_failed(&c.arena) ? sosia_fail_memory(err) : read_written(&c, err);
    if (rc == 0) {
        buf_puts(ret_text, "// Policy ");
        quote(ret_text, p->name, false);
        buf_printf(ret_text, ", SHA-256 %s.\n", p->hash);
        if (p->budget)
            leave(&c, "policy", p->name, "has a budget; nothing is counted");
        for (size_t i = 0; i < p->n; i++)
            said[i] = say_call(&c, i);
        buf_byte(ret_text, '\n');
        say_others(&c);
        for (size_t i = 0; i < p->n && ret_text->len < CEDAR_MAX; i++)
            say_rule(&c, said, i);
        say_otherwise(&c, said);
    }
    if (rc == 0 && ret_text->len >= CEDAR_MAX)
        rc = sosia_fail(err, SOSIA_E_TOO_LARGE, "policy", NULL,
                        "the text must have less than %zu bytes, has more", CEDAR_MAX);
    if (rc == 0 && (arena_failed(&c.arena) || buf_failed(ret_text) || buf_failed(ret_left_out)))
        rc = sosia_fail_memory(err);
    *ret_left = c.n_left;
    arena_done(&c.arena);
    return rc;
}
