/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's tables as a core: what seed documents give it, and no dump shows. */
#include "guard/guard.h"
#include "engine/json/doc.h"
#include "guard/action.h"
#include "guard/door.h"
#include "guard/policy.h"
#include "guard/schema.h"
#include "guard/state.h"
#include "guard/faults/trouble.h"

extern const char guard_sql[];

/* ---- seed documents ---- */

static int seed_policy(struct tx *tx, struct doc *d, const struct json *item)
{
    struct sosia_err why = {0}, *err = tx->err;
    const char *text = json_to_text(tx->arena, item);
    if (item->type != JSON_OBJECT)
        return doc_expect(d, item, NULL, "a policy");
    if (arena_failed(tx->arena))
        return sosia_fail_memory(err);
    tx->err = &why;
    int rc = policy_put(tx, text, strlen(text), "policy");
    tx->err = err;
    if (rc < 0 && why.code == SOSIA_E_INVALID) { /* "policy:1: " is not this document's line */
        const char *said = strstr(why.text, ": ");
        return doc_fail(d, item, NULL, "must be a policy: %s", said ? said + 2 : why.text);
    }
    if (rc < 0)
        *err = why;
    return rc;
}

static int seed_policies(struct tx *tx, struct doc *d, const struct json *value)
{
    if (value && value->type == JSON_ARRAY && value->n > GUARD_POLICIES)
        return doc_fail(d, value, NULL, "must be at most %d policies, not %u", GUARD_POLICIES,
                        value->n);
    return seed_list(tx, d, value, "policies", seed_policy);
}

static const struct section sections[] = {
    {.name = "policies", .seed = seed_policies, .schema = guard_policies_schema}};

const struct sosia_core guard_core = {
    .name = "guard",
    .schema = guard_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .due = action_due,
};

const struct sosia_service guard_service = {
    .name = "guard",
    .cores = (const struct sosia_core *const[]){&guard_core, &trouble_core, NULL},
    .guard = &guard_door,
};
