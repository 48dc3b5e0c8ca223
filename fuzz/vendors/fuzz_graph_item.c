/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as that of an event or a contact in a message: what is found in it is an object, and
 * what is made of an object is found again. */
#include "vendors/microsoft/enclosed.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum graph_enclosed kind, again;
    const struct json *item, *back;
    struct sosia_err err;
    struct arena a;
    arena_init(&a, 256 << 20);
    if (graph_enclosed_item(&a, (const char *)data, size, &kind, &item) == 1)
        CHECK(item->type == JSON_OBJECT && kind != ENCLOSED_MESSAGE);
    else if (size > (1 << 16) || json_parse(&a, (const char *)data, size, NULL, &item, &err) < 0 ||
             item->type != JSON_OBJECT)
        item = NULL;
    for (int k = ENCLOSED_EVENT; item && k <= ENCLOSED_CONTACT; k++) {
        const char *text = graph_enclosed_text(&a, (enum graph_enclosed)k, item);
        CHECK(graph_enclosed_item(&a, text, strlen(text), &again, &back) == 1);
        CHECK(again == (enum graph_enclosed)k && back->n == item->n);
    }
    CHECK(!arena_failed(&a));
    arena_done(&a);
    return 0;
}
