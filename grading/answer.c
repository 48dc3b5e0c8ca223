/* SPDX-License-Identifier: Apache-2.0 */
/* What an agent said at the end: what must be in it, what must not, and what others judged. */
#include "engine/base/utf8.h"
#include "grading/judge_impl.h"

#define MAX_ANSWER (1 << 20) /* bytes */

static int read_judgements(struct episode *ep, const struct sosia_grade_options *opt)
{
    const char *why = "must be an object of true, false or a number from 0 to 1 by name";
    struct sosia_err err;
    if (opt->judgements &&
        json_parse(ep->kept, opt->judgements, opt->judgements_len, NULL, &ep->judgements, &err) < 0)
        return err.code == SOSIA_E_NO_MEMORY
                   ? sosia_fail_memory(ep->err)
                   : sosia_fail(ep->err, SOSIA_E_INVALID, "judgements", "judgements", "%s", why);
    const struct json *list = ep->judgements;
    bool good = !list || list->type == JSON_OBJECT;
    for (uint32_t i = 0; good && list && i < list->n; i++) {
        const struct json *v = &list->members[i].value;
        double share = 0;
        good = v->type == JSON_BOOL ||
               (v->type == JSON_NUMBER && json_double(v, &share) == 0 && share >= 0 && share <= 1);
    }
    return good ? 0 : sosia_fail(ep->err, SOSIA_E_INVALID, "judgements", "judgements", "%s", why);
}

int episode_read_options(struct episode *ep, const struct sosia_grade_options *opt)
{
    if (opt->answer) {
        if (opt->answer_len > MAX_ANSWER || !utf8_valid(opt->answer, opt->answer_len) ||
            memchr(opt->answer, 0, opt->answer_len))
            return sosia_fail(ep->err, SOSIA_E_INVALID, "answer", "answer",
                              "the answer must be a text of at most %d bytes of UTF-8", MAX_ANSWER);
        struct json *text = arena_calloc(ep->kept, 1, sizeof *text);
        *text = (struct json){.type = JSON_STRING,
                              .n = (uint32_t)opt->answer_len,
                              .str = arena_memdup(ep->kept, opt->answer, opt->answer_len)};
        if (arena_failed(ep->kept))
            return sosia_fail_memory(ep->err);
        ep->answer = text;
    }
    return read_judgements(ep, opt);
}

static void judge_text(struct episode *ep, const struct assertion *a, struct verdict *v)
{
    v->passed = predicate_holds(&ep->c, a->is, ep->answer);
    v->n = v->passed;
    episode_asked(ep);
    if (!v->passed)
        v->why = ep->answer ? episode_because(ep, "expected %.200s, the answer was \"%.200s\"",
                                              json_to_text(ep->kept, predicate_source(a->is)),
                                              ep->answer->str)
                            : "no answer was given";
}

/* A text that stands for a variable which is not bound is in no answer. */
static void judge_never(struct episode *ep, const struct assertion *a, struct verdict *v)
{
    const struct json *found = NULL;
    const char *plain = ep->answer ? text_plain(ep->c.arena, ep->answer->str) : "";
    for (uint32_t i = 0; !found && i < a->never->n; i++) {
        const struct json *text = variables_put(&ep->c, &a->never->items[i]);
        const char *what = text ? text_plain(ep->c.arena, text->str) : "";
        if (!arena_failed(ep->c.arena) && *what && strstr(plain, what))
            found = &a->never->items[i];
    }
    v->passed = !found && !arena_failed(ep->c.arena);
    v->n = !v->passed;
    episode_asked(ep);
    if (found)
        v->why =
            episode_because(ep, "expected an answer without \"%.80s\", it has that", found->str);
}

/* true, or a share. What nobody has judged does not hold, and neither does that it is not so. */
static void judge_other(struct episode *ep, const struct assertion *a, struct verdict *v)
{
    const struct json *said = json_get(ep->judgements, a->judge);
    double share = said && said->type == JSON_BOOL ? said->truth : 0;
    if (said && said->type != JSON_BOOL && json_double(said, &share) < 0)
        said = NULL;
    if (!said) {
        v->cut = true;
        v->why = episode_because(ep, "no judgement of \"%.64s\" was given", a->judge);
        return;
    }
    v->passed = share >= a->at_least;
    v->score = share;
    v->n = v->passed;
    if (!v->passed)
        v->why = episode_because(ep, "expected a judgement of at least %g, it is %g", a->at_least,
                                 share);
}

int episode_judge_answer(struct episode *ep, const struct assertion *a, struct verdict *v)
{
    if (a->kind == ASSERT_ANSWER)
        judge_text(ep, a, v);
    else if (a->kind == ASSERT_NEVER)
        judge_never(ep, a, v);
    else
        judge_other(ep, a, v);
    return 0;
}
