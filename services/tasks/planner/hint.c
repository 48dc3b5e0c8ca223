/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order hints: a program says between which two things another one is to be, "A B!", with nothing
 * in the place of what is not there; A and B may be such texts themselves. Kept and answered is a
 * place between them.
 */
#include "engine/text/civil.h"
#include "services/tasks/planner/planner.h"

enum { HINT_MAX = 1000, NESTED = 16 };

static int refuse(struct call *c, const char *text)
{
    return graph_fail_own(c, SOSIA_E_INVALID, 0, "", NULL,
                          "The request is invalid:\r\nSpecified order hint is in an invalid "
                          "format: The input (%.200s) does not contain spaces or exclamation "
                          "points.",
                          text);
}

static const char *place_of(struct call *c, const char *text, size_t n, int depth);

/* What is said at the end of a hint: a place, or a hint of its own. */
static const char *side(struct call *c, const char *text, size_t n, int depth)
{
    if (n && text[n - 1] == '!')
        return place_of(c, text, n, depth + 1);
    const char *place = arena_memdup(c->tx.arena, text, n);
    return memchr(text, ' ', n) || memchr(text, '!', n) ? NULL : place;
}

/* The space between both sides: behind a nested hint, else the first one. */
static const char *place_of(struct call *c, const char *text, size_t n, int depth)
{
    const char *before, *after;
    if (!n || text[n - 1] != '!' || depth > NESTED)
        return NULL;
    n--;
    size_t at = n;
    if (n && text[n - 1] == '!') { /* the right side is nested: the left one is plain */
        const char *space = memchr(text, ' ', n);
        at = space ? (size_t)(space - text) : n;
    } else {
        while (at > 0 && text[at - 1] != ' ')
            at--;
        at = at ? at - 1 : n;
    }
    if (at == n && (n == 0 || text[at] != ' '))
        return NULL;
    before = side(c, text, at, depth);
    after = side(c, text + at + 1, n - at - 1, depth);
    if (!before || !after || (*after && strcmp(before, after) >= 0))
        return NULL;
    return task_place_between(c->tx.arena, before, after);
}

int planner_hint(struct call *c, const char *text, const char **ret)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        if (text[i] < ' ' || text[i] > '~')
            return refuse(c, text);
    *ret = n > HINT_MAX ? NULL : place_of(c, text, n, 0);
    return *ret ? 0 : refuse(c, text);
}

int planner_read_hint(struct call *c, const struct json *body, const char *member, const char **ret)
{
    const struct json *v = json_get(body, member);
    if (!v || v->type != JSON_STRING)
        return 0;
    return planner_hint(c, v->str, ret);
}

const char *planner_front(struct call *c, const char *first)
{
    const int64_t ticks = (c->tx.now_us - TIME_FIRST_US) * 10;
    const char *now = arena_printf(c->tx.arena, "%lldP", (long long)(INT64_MAX - ticks));
    return !*first || strcmp(now, first) < 0 ? now : task_place_between(c->tx.arena, "", first);
}
