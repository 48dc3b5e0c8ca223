/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/deviation.h"
#include "conformance/method.h"
#include "services/list.h"
#include <fnmatch.h>
#include <stdlib.h>

const char *const deviation_kinds[] = {"deliberate", "chosen", "not-held", "limit", NULL};
const char *const deviation_certainties[] = {"recorded",  "documented", "reported",
                                             "concluded", "unknown",    NULL};

enum { WORDS_MAX = 5 }; /* of an entry in front of its text */

/* ---- methods ---- */

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

static bool fits(const struct deviation_source *source, const char *pattern, const char *dialect,
                 const char *method)
{
    size_t n = strlen(source->prefix);
    return (!source->dialects || has_word(source->dialects, dialect)) &&
           strncmp(method, source->prefix, n) == 0 && fnmatch(pattern, method + n, 0) == 0;
}

static bool is_method(const struct deviation_source *source, const char *pattern)
{
    const struct dialect *d;
    const struct route *r;
    for (size_t k = 0; (d = method_dialects(k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++)
            if (fits(source, pattern, d->name, r->id))
                return true;
    return false;
}

bool deviation_names(const struct deviation *e, const char *dialect, const char *method)
{
    for (const char *const *p = e->methods; *p; p++)
        if (strcmp(*p, "*") != 0 && fits(e->group->source, *p, dialect, method))
            return true;
    return false;
}

size_t deviations_of(const struct deviations *d, const char *dialect, const char *method)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += deviation_names(&d->list[i], dialect, method);
    return n;
}

/* ---- reading ---- */

/* Place in the list, or -1. */
static int word_in(const char *const *list, const char *word)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], word) == 0)
            return i;
    return -1;
}

static const char *const *read_names(struct arena *a, char *text)
{
    size_t n = 1;
    for (const char *p = text; p && *p; p++)
        n += *p == ',';
    const char **list = arena_calloc(a, n + 1, sizeof *list);
    n = 0;
    for (char *p = text; p && !arena_failed(a); n++) {
        char *comma = strchr(p, ',');
        list[n] = p;
        if (comma)
            *comma++ = 0;
        p = comma;
    }
    return list;
}

/* "CAL-1 chosen recorded acl.list,acl.get GC-1: Text", without the text: its words. */
static size_t split(char *head, char *ret_words[WORDS_MAX + 1])
{
    size_t n = 0;
    char *rest = head, *word;
    while (n <= WORDS_MAX && (word = strsep(&rest, " ")))
        ret_words[n++] = word;
    return n;
}

static int read_entry(struct deviations *d, int number, char *line, struct sosia_err *err)
{
    const struct deviation_group *group = &d->groups[d->n_groups - 1];
    const struct deviation_source *source = group->source;
    char *words[WORDS_MAX + 1] = {0}, *text = strstr(line, ": ");
    const char *shown = arena_strdup(&d->arena, line);
    if (text)
        *text = 0;
    size_t n = split(line, words);
    int kind = n >= 4 ? word_in(deviation_kinds, words[1]) : -1;
    int certainty = n >= 4 ? word_in(deviation_certainties, words[2]) : -1;
    if (!text || !text[2] || n > WORDS_MAX || kind < 0 || certainty < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "differences", NULL,
                          "%s:%d: a line must be \"ID KIND CERTAINTY METHODS [RULES]: TEXT\", not "
                          "\"%.60s\"",
                          source->file, number, shown ? shown : "");
    struct deviation *e = &d->list[d->n];
    *e = (struct deviation){.group = group,
                            .id = words[0],
                            .text = text + 2,
                            .kind = (enum deviation_kind)kind,
                            .certainty = (enum deviation_certainty)certainty,
                            .methods = read_names(&d->arena, words[3]),
                            .rules = read_names(&d->arena, n > 4 ? words[4] : NULL),
                            .line = number};
    if (arena_failed(&d->arena))
        return sosia_fail_memory(err);
    if (map_get(&d->by_id, e->id))
        return sosia_fail(err, SOSIA_E_INVALID, "differences", NULL, "%s:%d: %s is here twice",
                          source->file, number, e->id);
    for (const char *const *p = e->methods; *p; p++)
        if (!is_method(source, *p))
            return sosia_fail(err, SOSIA_E_INVALID, "differences", NULL,
                              "%s:%d: %s must name a method that is routed, not \"%s%s\"",
                              source->file, number, e->id, source->prefix, *p);
    d->n++;
    return map_set(&d->by_id, e->id, e) < 0 ? sosia_fail_memory(err) : 0;
}

static struct deviation_group *add_group(struct deviations *d,
                                         const struct deviation_source *source)
{
    struct deviation_group *g = &d->groups[d->n_groups++];
    *g = (struct deviation_group){.source = source};
    return g;
}

/* A line is a note, a heading, a comment or an entry. */
static int read_line(struct deviations *d, const struct deviation_source *source, int number,
                     char *line, struct sosia_err *err)
{
    static const char dashes[] = "# ---- ";
    if (strncmp(line, "> ", 2) == 0) {
        d->groups[d->n_groups - 1].note = line + 2;
        return 0;
    }
    if (*line == '#') {
        char *end = strncmp(line, dashes, sizeof dashes - 1) == 0
                        ? strstr(line + sizeof dashes - 1, " ----")
                        : NULL;
        if (end) {
            *end = 0;
            add_group(d, source)->title = line + sizeof dashes - 1;
        }
        return 0;
    }
    return *line ? read_entry(d, number, line, err) : 0;
}

static int read_source(struct deviations *d, const struct deviation_source *source,
                       struct sosia_err *err)
{
    char *text = arena_strdup(&d->arena, source->text);
    if (arena_failed(&d->arena))
        return sosia_fail_memory(err);
    add_group(d, source);
    for (int number = 1; *text; number++) {
        char *end = strchrnul(text, '\n'), *next = *end ? end + 1 : end;
        *end = 0;
        if (read_line(d, source, number, text, err) < 0)
            return -1;
        text = next;
    }
    return 0;
}

int deviations_open(const struct deviation_source *sources, struct deviations **ret_deviations,
                    struct sosia_err *err)
{
    struct deviations *d = calloc(1, sizeof *d);
    size_t lines = 0;
    if (!d)
        return sosia_fail_memory(err);
    if (!sources)
        sources = deviation_sources;
    arena_init(&d->arena, 0);
    map_init(&d->by_id);
    for (const struct deviation_source *s = sources; s->file; s++, lines += 2)
        for (const char *p = s->text; *p; p++)
            lines += *p == '\n';
    d->list = arena_calloc(&d->arena, lines, sizeof *d->list);
    d->groups = arena_calloc(&d->arena, lines, sizeof *d->groups);
    int rc = arena_failed(&d->arena) ? sosia_fail_memory(err) : 0;
    for (const struct deviation_source *s = sources; rc == 0 && s->file; s++)
        rc = read_source(d, s, err);
    if (rc < 0) {
        deviations_free(d);
        return -1;
    }
    *ret_deviations = d;
    return 0;
}

void deviations_free(struct deviations *d)
{
    if (!d)
        return;
    map_done(&d->by_id);
    arena_done(&d->arena);
    free(d);
}

int deviations_check(const struct deviations *d, const struct coverage *rules,
                     struct sosia_err *err)
{
    for (size_t i = 0; i < d->n; i++)
        for (const char *const *p = d->list[i].rules; *p; p++)
            if (!map_get(&rules->by_id, *p))
                return sosia_fail(err, SOSIA_E_INVALID, "differences", NULL,
                                  "%s:%d: %s must name a rule, not \"%.40s\"",
                                  d->list[i].group->source->file, d->list[i].line, d->list[i].id,
                                  *p);
    return 0;
}
