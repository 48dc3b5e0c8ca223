/* SPDX-License-Identifier: Apache-2.0 */
/* Faults and budgets in seed documents. A dump has none of them: they are none of the state. */
#include "engine/json/doc.h"
#include "guard/schema.h"
#include "guard/faults/trouble.h"

/* The text of a document, or of the names of sets. */
static int seed(struct tx *tx, struct doc *d, const struct json *value, const char *what)
{
    struct sosia_err err = {0};
    if (!value || value->type == JSON_NULL)
        return 0;
    const char *text = value->type == JSON_STRING ? value->str : json_to_text(tx->arena, value);
    if (trouble_put(tx, what, text, d->name, &err) == 0)
        return 0;
    if (err.code != SOSIA_E_INVALID) {
        *tx->err = err;
        return -1;
    }
    return doc_fail(d, value, NULL, "%s", err.text);
}

static int seed_faults(struct tx *tx, struct doc *d, const struct json *value)
{
    return seed(tx, d, value, "faults");
}

static int seed_budgets(struct tx *tx, struct doc *d, const struct json *value)
{
    return seed(tx, d, value, "budgets");
}

static const struct section sections[] = {
    {.name = "faults", .seed = seed_faults, .schema = guard_faults_schema},
    {.name = "budgets", .seed = seed_budgets, .schema = guard_budgets_schema},
};

const struct sosia_core trouble_core = {
    .name = "trouble",
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
};
