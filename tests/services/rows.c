/* SPDX-License-Identifier: Apache-2.0 */
/* What every row of every service says of itself, for all who read rows: documents, tools, checks.
 */
#include "tests/support/unit.h"
#include "engine/api/vendor.h"
#include "engine/base/codec.h"
#include "services/list.h"
#include <stdio.h>

static int faults;

__attribute__((format(printf, 2, 3))) static void fault(const char *where, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    print_error("%s: %s\n", where, text);
    faults++;
}

static void each_param(void (*fn)(const struct dialect *d, const struct route *r,
                                  const struct param *p))
{
    const struct dialect *d;
    const struct route *r;
    faults = 0;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++)
            for (size_t n = 0; n < r->n_params; n++)
                fn(d, r, &r->params[n]);
    assert_int_equal(faults, 0);
}

/* ---- words ---- */

static void check_summary(const struct dialect *d, const struct route *r, const struct param *p)
{
    const char *text = param_summary(d, p);
    if (!text)
        fault(r->id, "%s has no summary", p->name);
    else if (*text < 'A' || text[strlen(text) - 1] == '.')
        fault(r->id, "the summary of %s must be a line without a full stop, not \"%s\"", p->name,
              text);
}

static void parameters_say_what_they_are_for(void **state)
{
    (void)state;
    each_param(check_summary);
}

static bool takes(const struct dialect *d, const char *name)
{
    const struct route *r;
    for (size_t i = 0; (r = dialect_row(d, i)); i++)
        for (size_t n = 0; n < r->n_params; n++)
            if (!r->params[n].summary && strcmp(r->params[n].name, name) == 0)
                return true;
    return false;
}

/* They are looked up by halving; a word that nothing takes is left over. */
static void glossaries_are_in_order_and_used(void **state)
{
    const struct dialect *d;
    (void)state;
    faults = 0;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; i < d->n_glossary; i++) {
            const char *name = d->glossary[i].name;
            if (i && strcmp(d->glossary[i - 1].name, name) >= 0)
                fault(d->name, "%s must be before %s", name, d->glossary[i - 1].name);
            if (!takes(d, name))
                fault(d->name, "no row needs words for %s", name);
        }
    assert_int_equal(faults, 0);
}

/* ---- types ---- */

static bool is_word(const struct param *p, const char *text)
{
    for (const char *const *v = p->values; *v; v++)
        if (strcmp(*v, text) == 0)
            return true;
    return false;
}

/* Is the default a value that the row takes? */
static bool is_taken(const struct param *p)
{
    int64_t n;
    switch (p->type) {
    case PARAM_INT:
        return parse_i64(p->def, strlen(p->def), &n) == 0 &&
               ((!p->min && !p->max) || (n >= p->min && n <= p->max));
    case PARAM_BOOL:
        return strcmp(p->def, "true") == 0 || strcmp(p->def, "false") == 0;
    case PARAM_ENUM:
        return is_word(p, p->def);
    default:
        return true;
    }
}

static void check_type(const struct dialect *d, const struct route *r, const struct param *p)
{
    (void)d;
    if (!p->values != (p->type != PARAM_ENUM))
        fault(r->id, "%s must have values if it is of a closed set, and only then", p->name);
    if (p->shape && p->type != PARAM_JSON)
        fault(r->id, "%s has a shape, and is not JSON", p->name);
    if (p->type == PARAM_INT && p->min > p->max)
        fault(r->id, "%s must be from less to more", p->name);
    if (p->required && p->def && p->place != IN_PATH)
        fault(r->id, "%s is required, and has a default", p->name);
    if (p->def && !is_taken(p))
        fault(r->id, "%s does not take its default %s", p->name, p->def);
}

static void types_and_defaults_agree(void **state)
{
    (void)state;
    each_param(check_type);
}

/* The rows of arguments that are numbers, flags, lists or JSON are typed: so many at least, since a
 * row without a type takes any text. */
static size_t typed, texts;

static void count_types(const struct dialect *d, const struct route *r, const struct param *p)
{
    (void)r;
    if (strcmp(d->name, "chat.slack") != 0)
        return;
    if (p->type == PARAM_STRING)
        texts++;
    else
        typed++;
}

static void arguments_of_slack_have_types(void **state)
{
    (void)state;
    typed = texts = 0;
    each_param(count_types);
    assert_in_range(typed, 270, 1000);
    assert_in_range(texts, 1, 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_say_what_they_are_for),
        cmocka_unit_test(glossaries_are_in_order_and_used),
        cmocka_unit_test(types_and_defaults_agree),
        cmocka_unit_test(arguments_of_slack_have_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
