/* SPDX-License-Identifier: Apache-2.0 */
/* Etags: the name of a thing's kind and its version, in base64; each part of a task has its own. */
#include "engine/base/codec.h"
#include "services/tasks/planner/planner.h"

enum { DIGITS = 16 };

/* As they are in etags. */
static const char *const kinds[] = {"Plan  ",
                                    "Bucket",
                                    "Task  ",
                                    "PlanDetails ",
                                    "TaskDetails ",
                                    "AssignedToTaskBoardFormat  ",
                                    "BucketTaskBoardFormat",
                                    "ProgressTaskBoardFormat "};

/* Four times the version, in digits of 64 from '@' on. */
static void put_version(char *ret, int64_t version)
{
    uint64_t v = (uint64_t)version << 2;
    for (int i = DIGITS - 1; i >= 0; i--, v >>= 6)
        ret[i] = (char)('@' + (v & 63));
}

const char *planner_etag(struct arena *a, enum planner_thing thing, int64_t version)
{
    char digits[DIGITS + 1] = {0};
    struct buf b;
    put_version(digits, version);
    const char *text = arena_printf(a, "'1-%s%s'", kinds[thing], digits);
    buf_init(&b, 0);
    buf_puts(&b, "W/\"");
    base64_add(&b, text, strlen(text));
    buf_puts(&b, "\"");
    const char *etag = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return etag;
}

/* What is between the quotes of a header, which programs also send with backslashes. */
static const char *between_quotes(struct arena *a, const char *header, size_t *ret_n)
{
    const char *open = strchr(header, '"'), *close = open ? strchr(open + 1, '"') : NULL;
    (void)a;
    if (!close)
        return NULL;
    *ret_n = (size_t)(close - open - 1);
    if (*ret_n && open[*ret_n] == '\\')
        --*ret_n;
    return open + 1;
}

int planner_if_match(struct call *c, enum planner_thing thing, int64_t version)
{
    const char *header = param_str(c, "If-Match"), *text;
    struct arena *a = c->tx.arena;
    uint8_t *bytes;
    size_t n, len;
    if (!header || !*header)
        return graph_fail_own(c, SOSIA_E_PRECONDITION, 412, "", NULL,
                              "The If-Match header must be specified for this kind of request.");
    text = between_quotes(a, header, &n);
    const char *kind = arena_printf(a, "'1-%s", kinds[thing]);
    const size_t k = strlen(kind);
    if (!text || base64_decode(a, text, n, &bytes, &len) < 0 || len != k + DIGITS + 1 ||
        memcmp(bytes, kind, k) != 0)
        return planner_bad(c, "The If-Match header contains an invalid value.");
    char digits[DIGITS];
    put_version(digits, version);
    return memcmp(bytes + k, digits, DIGITS) == 0
               ? 0
               : call_fail(c, SOSIA_E_CONFLICT, NULL, NULL, "the thing has changed since");
}

bool planner_answers(struct call *c)
{
    const char *what = graph_prefer(c, "return");
    const bool answers = what && str_eq_nocase(what, "representation");
    if (answers)
        graph_applied(c, "return", "representation", false);
    c->status = answers ? 200 : 204;
    return answers;
}
