/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the query of a search over files: it is refused, or it is a tree of bounded depth
 * that holds for a thing or not, whatever is in it. */
#include "engine/base/utf8.h"
#include "fuzz/fuzz.h"
#include "vendors/microsoft/words.h"
#include <string.h>

enum { DEEPEST = 2000 };

static void walk(const struct graph_words *w, unsigned depth)
{
    CHECK(depth < DEEPEST);
    CHECK(w->kind == WORDS_AND || w->kind == WORDS_OR || w->kind == WORDS_NOT ||
          w->kind == WORDS_TERM);
    if (w->kind == WORDS_TERM) {
        CHECK(w->text && (*w->text || w->property));
        CHECK(!w->property || (*w->property && w->op && strchr(":=<>", w->op)));
        return;
    }
    CHECK(w->left);
    walk(w->left, depth + 1);
    CHECK((w->kind == WORDS_NOT) == !w->right);
    if (w->right)
        walk(w->right, depth + 1);
}

static bool is(void *arg, const struct graph_words *term)
{
    return graph_words_in(arg, term->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char title[] = "Harbour budget - 2026, no. 4";
    const struct graph_words *w;
    struct arena a;
    arena_init(&a, 64 << 20);
    char *text = arena_memdup(&a, data, size);
    utf8_scrub(text);
    if (graph_words_read(&a, text, &w) == 0 && w) {
        walk(w, 0);
        graph_words_hold(w, is, title);
    }
    CHECK(!arena_failed(&a));
    arena_done(&a);
    return 0;
}
