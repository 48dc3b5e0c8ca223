/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a token of a page: none is taken that was not given out for the purpose, and what is
 * packed is what comes out. */
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/odata/odata.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct odata_pair *pairs;
    const char *inside = NULL;
    struct arena a;
    arena_init(&a, 64 << 20);
    char *text = arena_memdup(&a, data, size);
    CHECK(graph_unseal(&a, "page", text, &inside) == 0 ||
          !strcmp(graph_seal(&a, "page", inside), text));
    const char *token = graph_seal(&a, "page", text);
    if (strlen(text) < 1000) {
        CHECK(graph_unseal(&a, "page", token, &inside) == 1 && !strcmp(inside, text));
        CHECK(graph_unseal(&a, "delta", token, &inside) == 0);
    }
    size_t n = odata_unpack(&a, text, &pairs);
    if (n) {
        const struct odata_pair *back;
        CHECK(odata_unpack(&a, odata_pack(&a, pairs, n), &back) == n);
        for (size_t i = 0; i < n; i++)
            CHECK(!strcmp(back[i].name, pairs[i].name) && !strcmp(back[i].value, pairs[i].value));
    }
    CHECK(!arena_failed(&a));
    arena_done(&a);
    return 0;
}
