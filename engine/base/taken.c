/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/taken.h"
#include <string.h>

enum { STRUCT_MAX = 4096 }; /* bytes: no struct of any release is larger */

#define GREW(type) _Static_assert(sizeof(struct type) >= FIRST_##type, #type)
GREW(sosia_engine_options);
GREW(sosia_world_options);
GREW(sosia_fork_options);
GREW(sosia_diff_options);
GREW(sosia_grade_options);
GREW(sosia_token_options);
GREW(sosia_request);
GREW(sosia_journal_query);
GREW(sosia_replay_options);
GREW(sosia_outcome);
GREW(sosia_session_calls);
GREW(sosia_transfer);

int taken_pointer(const void *p, const char *name, struct sosia_err *err)
{
    if (p)
        return 0;
    return sosia_fail(err, SOSIA_E_INVALID, "required", name, "%s must not be NULL", name);
}

static int bad_size(const char *name, size_t first, size_t size, struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_INVALID, "structSize", "size",
                      "the size of %s must be 0 or sizeof it, %zu or more, not %zu", name, first,
                      size);
}

int taken_struct(void *to, size_t known, const void *from, size_t first, const char *name,
                 struct sosia_err *err)
{
    size_t size = 0;
    memset(to, 0, known);
    if (!from)
        return 0;
    memcpy(&size, from, sizeof size);
    if (!size)
        size = first;
    if (size < first || size > STRUCT_MAX)
        return bad_size(name, first, size, err);
    memcpy(to, from, size < known ? size : known);
    for (size_t i = known; i < size; i++)
        if (((const char *)from)[i])
            return sosia_fail(err, SOSIA_E_INVALID, "structSize", "size",
                              "%s has a member that this library does not know, beyond its first "
                              "%zu bytes",
                              name, known);
    memcpy(to, &known, sizeof known);
    return 0;
}
