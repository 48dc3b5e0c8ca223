/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that are said in a channel. */
#ifndef SOSIA_TESTS_SERVICES_CHAT_SLACK_SAID_H
#define SOSIA_TESTS_SERVICES_CHAT_SLACK_SAID_H

#include "tests/support/slack.h"

static inline const struct json *say(const char *more, ...)
{
    va_list ap;
    va_start(ap, more);
    const char *text = arena_vprintf(&test_arena, more, ap);
    va_end(ap);
    return slack_json(ALICE, "chat.postMessage", "{'channel':'C0DEV',%s}", text);
}

#endif
