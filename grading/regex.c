/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions, bounded. A text may be an agent's and of megabytes: PCRE2's own limit is one
 * of each place where a match may begin, of which there are as many as letters. So every item of an
 * expression calls back, and is counted, with the letters that the one before it went over.
 */
#include "grading/predicate_impl.h"

#define PLACE_STEPS    100000   /* from one place */
#define MATCH_STEPS    10000000 /* of one text */
#define HEAP_KIB       4096
#define LETTERS_A_STEP 16

struct counting {
    int64_t left;
    size_t at;
};

static int count_item(pcre2_callout_block *block, void *arg)
{
    struct counting *c = arg;
    size_t at = block->current_position, moved = at > c->at ? at - c->at : c->at - at;
    c->at = at;
    c->left -= 1 + (int64_t)(moved / LETTERS_A_STEP);
    return c->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

pcre2_code *expression_read(const char *text, size_t len, bool loose, int *ret_code, size_t *ret_at)
{
    uint32_t how = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;
    /* In version 0.1 classes are those of Unicode, and \\uXXXX is a letter. */
    how |= loose ? PCRE2_UCP | PCRE2_ALT_BSUX : 0;
    return pcre2_compile((PCRE2_SPTR)text, len, how, ret_code, ret_at, NULL);
}

bool expression_holds(const pcre2_code *regex, const char *text, size_t len,
                      struct predicate_work *work)
{
    int64_t most = work && work->left < MATCH_STEPS ? work->left : MATCH_STEPS;
    struct counting c = {.left = most};
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(regex, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    int r = PCRE2_ERROR_NOMEMORY;
    if (data && limits && most > 0) {
        pcre2_set_match_limit(limits, PLACE_STEPS);
        pcre2_set_depth_limit(limits, PLACE_STEPS);
        pcre2_set_heap_limit(limits, HEAP_KIB);
        pcre2_set_callout(limits, count_item, &c);
        r = pcre2_match(regex, (PCRE2_SPTR)text, len, 0, 0, data, limits);
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(limits);
    if (work) {
        work->left -= most - (c.left > 0 ? c.left : 0);
        work->cut |= r < 0 && r != PCRE2_ERROR_NOMATCH;
    }
    return r >= 0;
}
