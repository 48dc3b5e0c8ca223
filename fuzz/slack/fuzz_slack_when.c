/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the time of a reminder: it says none, or one within five years; what comes again has
 * a next time behind it, on a day of its own. */
#include "services/chat/slack/web/when.h"
#include "fuzz/fuzz.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const zones[] = {"America/New_York", "Pacific/Apia", "UTC"};
    const struct tz *tz = tz_find(zones[size % 3]);
    int64_t now = INT64_C(1773324000) + (int64_t)size * 40009, at, next;
    struct chat_recurrence again;
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = 0;
    if (sl_when(text, tz, now, &at, &again)) {
        CHECK(at > now && at < now + INT64_C(5) * 366 * 86400);
        CHECK(again.every <= CHAT_YEARLY && again.weekdays < 1u << 7);
        CHECK(again.every == CHAT_WEEKLY || !again.weekdays);
        if (again.every != CHAT_ONCE && chat_recurs(&again, tz, at, at, &next))
            CHECK(next > at);
        if (again.every != CHAT_ONCE)
            CHECK(chat_recurs(&again, tz, at, at - 1, &next) && next >= at);
    }
    free(text);
    return 0;
}
