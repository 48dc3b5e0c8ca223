/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the blocks of a message: they are refused for a fault, or are in the message, and
 * what is there is valid too. */
#include "fuzz/slack/slack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct slack_world s;
    struct arena a;
    const struct json *v, *blocks;
    if (!s.engine)
        slack_world_open(&s);
    if (size > 16000)
        return 0;
    arena_init(&a, 0);
    slack_world_fork(&s);
    struct sosia_response *res =
        slack_any(&s, "chat.postMessage", "channel=C0DEV&text=x&blocks=", data, size, &a, &v);
    if (slack_ok_of(v) && (blocks = json_get(json_get(v, "message"), "blocks"))) {
        const char *text = json_to_text(&a, blocks);
        const struct json *again;
        struct sosia_response *second = slack_any(
            &s, "chat.postMessage", "channel=C0DEV&text=x&blocks=", text, strlen(text), &a, &again);
        CHECK(slack_ok_of(again));
        blocks = json_get(json_get(again, "message"), "blocks");
        CHECK(blocks && strcmp(json_to_text(&a, blocks), text) == 0);
        sosia_response_free(second);
    }
    sosia_response_free(res);
    slack_world_drop(&s);
    arena_done(&a);
    return 0;
}
