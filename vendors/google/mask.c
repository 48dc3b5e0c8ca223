/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of `fields`:
 *
 *     list     = item *("," item)
 *     item     = name ["/" item | "(" list ")"]
 *     name     = "*" or any text without whitespace and , / ( )
 *
 * Whitespace is allowed around every part. An empty text selects nothing.
 */
#include "vendors/google/mask.h"
#include "engine/base/utf8.h"

enum { MAX_LENGTH = 8192, MAX_DEPTH = 32 };

struct mask_parser {
    struct json_mask_builder mask;
    const char *text, *p, *end;
};

static int refuse_mask(struct mask_parser *s, const char *rest, struct sosia_err *err)
{
    if (arena_failed(s->mask.arena))
        return sosia_fail_memory(err);
    if (json_mask_full(&s->mask))
        return sosia_fail(err, SOSIA_E_INVALID, "invalidParameter", "fields",
                          "Too many field selections");
    if (rest >= s->end)
        rest = s->text;
    return sosia_fail(err, SOSIA_E_INVALID, "invalidParameter", "fields",
                      "Invalid field selection %.*s",
                      (int)utf8_truncate(rest, (size_t)(s->end - rest), 120), rest);
}

static void skip_blanks(struct mask_parser *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

static bool name_char(char c)
{
    return (unsigned char)c > ' ' && c != ',' && c != '/' && c != '(' && c != ')' && c != 0x7F;
}

/* A name and the whitespace around it; NULL when there is none. */
static struct json_mask *parse_name(struct mask_parser *s, struct json_mask *parent)
{
    skip_blanks(s);
    const char *start = s->p;
    while (s->p < s->end && name_char(*s->p))
        s->p++;
    size_t len = (size_t)(s->p - start);
    if (!len || (len > 1 && memchr(start, '*', len))) {
        s->p = start;
        return NULL;
    }
    skip_blanks(s);
    return json_mask_add(&s->mask, parent, start, len);
}

static int parse_list(struct mask_parser *s, struct json_mask *root, struct sosia_err *err)
{
    struct json_mask *group[MAX_DEPTH]; /* what each open parenthesis selects from */
    struct json_mask *at = root;
    unsigned depth = 0, groups = 0, outer[MAX_DEPTH];
    group[0] = root;
    for (;;) {
        struct json_mask *kid = depth < MAX_DEPTH ? parse_name(s, at) : NULL;
        if (!kid)
            return refuse_mask(s, s->p, err);
        char c = s->p < s->end ? *s->p : 0;
        if (c == '/' || c == '(') {
            s->p++;
            at = kid;
            depth++;
            if (c == '(') {
                if (++groups == MAX_DEPTH)
                    return refuse_mask(s, s->p, err);
                group[groups] = kid;
                outer[groups] = depth;
            }
            continue;
        }
        json_mask_take(kid);
        while (c == ')') {
            if (!groups)
                return refuse_mask(s, s->p, err);
            groups--;
            s->p++;
            skip_blanks(s);
            c = s->p < s->end ? *s->p : 0;
        }
        if (s->p == s->end && !groups)
            return 0;
        if (c != ',')
            return refuse_mask(s, s->p, err);
        s->p++;
        at = group[groups];
        depth = groups ? outer[groups] : 0;
    }
}

int google_mask_parse(struct arena *a, const char *text, const struct json_mask **ret_mask,
                      struct sosia_err *err)
{
    size_t len = strlen(text);
    if (len > MAX_LENGTH)
        return sosia_fail(err, SOSIA_E_INVALID, "invalidParameter", "fields",
                          "The field selection has more than %d bytes", MAX_LENGTH);
    struct mask_parser s = {.text = text, .p = text, .end = text + len};
    if (!utf8_valid(text, len))
        return sosia_fail(err, SOSIA_E_INVALID, "invalidParameter", "fields",
                          "The field selection is not UTF-8");
    struct json_mask *root = json_mask_begin(&s.mask, a);
    if (!root)
        return sosia_fail_memory(err);
    skip_blanks(&s);
    if (s.p < s.end && (parse_list(&s, root, err) < 0))
        return -1;
    const struct json_mask *mask = json_mask_end(&s.mask);
    if (!mask)
        return refuse_mask(&s, text, err);
    *ret_mask = mask;
    return 0;
}
