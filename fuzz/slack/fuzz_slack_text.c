/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as mrkdwn: it is refused, or the channel shows the message with it, as in the
 * response. */
#include "fuzz/slack/slack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const before[] = {"channel=C0DEV&text=", "channel=C0DEV&markdown_text="};
    static struct slack_world s;
    struct arena a;
    const struct json *v, *shown;
    if (!s.engine)
        slack_world_open(&s);
    if (size > 16000)
        return 0;
    for (size_t i = 0; i < SOSIA_LEN(before); i++) {
        arena_init(&a, 0);
        slack_world_fork(&s);
        struct sosia_response *res =
            slack_any(&s, "chat.postMessage", before[i], data, size, &a, &v);
        if (slack_ok_of(v)) {
            const char *text = json_get_str(json_get(v, "message"), "text");
            struct sosia_response *all =
                slack_any(&s, "conversations.history", "channel=C0DEV&limit=", "1", 1, &a, &shown);
            const struct json *list = json_get(shown, "messages");
            CHECK(slack_ok_of(shown) && list && list->n == 1);
            CHECK(text && strcmp(json_get_str(&list->items[0], "text"), text) == 0);
            sosia_response_free(all);
        }
        sosia_response_free(res);
        slack_world_drop(&s);
        arena_done(&a);
    }
    return 0;
}
