/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/coverage.h"
#include "conformance/method.h"
#include "services/list.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { RULES_MAX = 1 << 20 };

/* ---- rules ---- */

/* "# ---- Mail ----" begins a family. */
static void read_heading(struct coverage *c, char *line)
{
    static const char dashes[] = "# ---- ";
    char *end = strlen(line) > sizeof dashes ? strstr(line + sizeof dashes - 1, " ----") : NULL;
    if (!end || strncmp(line, dashes, sizeof dashes - 1) != 0)
        return;
    *end = 0;
    c->family = line + sizeof dashes - 1;
}

static int read_rule(struct coverage *c, const char *file, int number, char *line,
                     struct sosia_err *err)
{
    static const char not_held[] = "  not held: ";
    char *space = strchr(line, ' ');
    struct coverage_rule *r = &c->rules[c->n_rules];
    if (c->n_rules && strncmp(line, not_held, sizeof not_held - 1) == 0) {
        r[-1].not_held = line + sizeof not_held - 1;
        return 0;
    }
    if (!space || !space[1] || !strchr("vko", space[1]) || space[2] != ' ' || !space[3])
        return sosia_fail(err, SOSIA_E_INVALID, "rules", NULL,
                          "%s:%d: a line must be \"ID v|k|o TEXT\", not \"%.60s\"", file, number,
                          line);
    *space = 0;
    *r = (struct coverage_rule){.id = line,
                                .text = space + 3,
                                .observed = space[1] == 'o',
                                .family = c->family,
                                .line = number};
    r->last = &r->uses;
    if (map_get(&c->by_id, r->id))
        return sosia_fail(err, SOSIA_E_INVALID, "rules", NULL, "%s:%d: %s is here twice", file,
                          number, r->id);
    c->n_rules++;
    return map_set(&c->by_id, r->id, r) < 0 ? sosia_fail_memory(err) : 0;
}

static int read_rules(struct coverage *c, const char *file, char *text, struct sosia_err *err)
{
    size_t lines = 1;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    c->rules = arena_calloc(&c->arena, lines, sizeof *c->rules);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(err);
    for (int number = 1; *text; number++) {
        char *end = strchrnul(text, '\n'), *next = *end ? end + 1 : end;
        while (end > text && (end[-1] == '\r' || end[-1] == ' '))
            end--;
        *end = 0;
        read_heading(c, text);
        if (*text && *text != '#' && read_rule(c, file, number, text, err) < 0)
            return -1;
        text = next;
    }
    return 0;
}

static int list_methods(struct coverage *c, struct sosia_err *err)
{
    size_t n = 0;
    const struct dialect *d;
    const struct route *r;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; dialect_row(d, i); i++)
            n++;
    c->methods = arena_calloc(&c->arena, n, sizeof *c->methods);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(err);
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++)
            c->methods[c->n_methods++] = (struct coverage_method){.dialect = d->name, .id = r->id};
    return 0;
}

int coverage_open(const char *rules_file, struct coverage **ret_coverage, struct sosia_err *err)
{
    struct coverage *c = calloc(1, sizeof *c);
    struct buf b;
    char chunk[65536];
    size_t n;
    if (!c)
        return sosia_fail_memory(err);
    arena_init(&c->arena, 0);
    map_init(&c->by_id);
    buf_init(&b, RULES_MAX);
    FILE *f = fopen(rules_file, "rb");
    int rc = f ? 0
               : sosia_fail(err, SOSIA_E_NOT_FOUND, "rules", NULL, "%s: %s", rules_file,
                            strerror(errno));
    while (f && !buf_failed(&b) && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(&b, chunk, n);
    if (f && ferror(f))
        rc = sosia_fail(err, SOSIA_E_IO, "rules", NULL, "%s: %s", rules_file, strerror(errno));
    else if (buf_failed(&b))
        rc = sosia_fail(err, SOSIA_E_TOO_LARGE, "rules", NULL, "%s must have at most %d bytes",
                        rules_file, RULES_MAX);
    if (f)
        fclose(f);
    if (rc == 0)
        rc = read_rules(c, rules_file, arena_strdup(&c->arena, buf_str(&b)), err);
    if (rc == 0)
        rc = list_methods(c, err);
    buf_done(&b);
    if (rc < 0) {
        coverage_free(c);
        return -1;
    }
    *ret_coverage = c;
    return 0;
}

void coverage_free(struct coverage *c)
{
    if (!c)
        return;
    map_done(&c->by_id);
    arena_done(&c->arena);
    free(c);
}

/* ---- cassettes ---- */

static struct coverage_method *find_method(struct coverage *c, const char *id)
{
    for (size_t i = 0; id && i < c->n_methods; i++)
        if (strcmp(c->methods[i].id, id) == 0)
            return &c->methods[i];
    return NULL;
}

static void method_rule(struct coverage *c, struct coverage_method *m, const char *rule)
{
    for (size_t i = 0; i < m->n_rules; i++)
        if (strcmp(m->rules[i], rule) == 0)
            return;
    void *list = arena_grow(&c->arena, m->rules, m->n_rules, &m->cap, sizeof *m->rules);
    if (!list)
        return;
    m->rules = list;
    m->rules[m->n_rules++] = rule;
}

static int add_use(struct coverage *c, const struct cassette *cassette,
                   const struct cassette_step *s, const char *rule, struct sosia_err *err)
{
    struct coverage_rule *r = map_get(&c->by_id, rule);
    struct coverage_use *use = arena_calloc(&c->arena, 1, sizeof *use);
    struct coverage_method *m = find_method(c, s->method);
    if (!r)
        return sosia_fail(err, SOSIA_E_INVALID, "rule", NULL, "%s:%d: there is no rule \"%.40s\"",
                          cassette->file, s->line, rule);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(err);
    use->cassette = arena_strdup(&c->arena, cassette->name);
    use->file = arena_strdup(&c->arena, cassette->file);
    use->id = arena_strdup(&c->arena, s->id);
    use->observed = s->source.observed;
    *r->last = use;
    r->last = &use->next;
    if (m)
        method_rule(c, m, r->id);
    return 0;
}

int coverage_add(struct coverage *c, const struct cassette *cassette, struct sosia_err *err)
{
    c->cassettes++;
    for (size_t i = 0; i < cassette->n_steps; i++) {
        const struct cassette_step *s = &cassette->steps[i];
        struct coverage_method *m = s->kind == STEP_CALL ? find_method(c, s->method) : NULL;
        if (s->kind != STEP_CALL && s->kind != STEP_OUTBOX)
            continue;
        c->exchanges++;
        if (m)
            m->exchanges++;
        if (m && s->source.kind == SOURCE_RECORDED)
            m->recorded++;
        for (size_t k = 0; k < s->n_rules; k++)
            if (add_use(c, cassette, s, s->rules[k], err) < 0)
                return -1;
    }
    return arena_failed(&c->arena) ? sosia_fail_memory(err) : 0;
}

int coverage_check(const struct coverage *c, bool complete, struct sosia_err *err)
{
    for (size_t i = 0; i < c->n_rules; i++) {
        if (complete && !c->rules[i].not_held && !c->rules[i].uses)
            return sosia_fail(err, SOSIA_E_INVALID, "rules", NULL, "no exchange holds %s",
                              c->rules[i].id);
        if (c->rules[i].not_held && c->rules[i].uses)
            return sosia_fail(err, SOSIA_E_INVALID, "rules", NULL,
                              "%s is held by %s/%s, though the rules say why it is not",
                              c->rules[i].id, c->rules[i].uses->cassette, c->rules[i].uses->id);
    }
    return 0;
}
