/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the query of a search: it is refused, or gives as many matches as there are, the
 * same ones with their words marked. */
#include "fuzz/slack/slack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct slack_world s;
    struct arena a;
    const struct json *plain, *marked, *found, *same;
    if (!s.engine) {
        slack_world_open(&s);
        s.world = s.base;
    }
    if (size > 4000)
        return 0;
    arena_init(&a, 0);
    struct sosia_response *res = slack_any(&s, "search.messages", "query=", data, size, &a, &plain);
    struct sosia_response *second =
        slack_any(&s, "search.messages", "highlight=1&query=", data, size, &a, &marked);
    CHECK(slack_ok_of(plain) == slack_ok_of(marked));
    if (slack_ok_of(plain)) {
        found = json_get(json_get(plain, "messages"), "matches");
        same = json_get(json_get(marked, "messages"), "matches");
        CHECK(found && same && found->n == same->n && found->n <= 2);
        for (uint32_t i = 0; i < found->n; i++)
            CHECK(strcmp(json_get_str(&found->items[i], "ts"),
                         json_get_str(&same->items[i], "ts")) == 0);
    }
    sosia_response_free(res);
    sosia_response_free(second);
    arena_done(&a);
    return 0;
}
