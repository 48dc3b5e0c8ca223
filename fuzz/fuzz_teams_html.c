/* SPDX-License-Identifier: Apache-2.0 */
/* HTML of messages, cleaned: what is cleaned stays as it is when it is cleaned again, and has no
 * tag that runs something. */
#include "fuzz/fuzz.h"
#include "services/chat/teams/teams.h"
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    if (size > 20000 || memchr(data, 0, size))
        return 0;
    arena_init(&a, 0);
    const char *once = teams_clean_html(&a, (const char *)data, size);
    CHECK(once);
    const char *twice = teams_clean_html(&a, once, strlen(once));
    CHECK(twice && strcmp(once, twice) == 0);
    arena_done(&a);
    return 0;
}
