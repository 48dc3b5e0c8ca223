/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of OpenDocument (OpenFormula, ISO 26300-4) and those that people type. There references
 * are in brackets, with a point before the cell and the sheet before the point:
 * "=SUM('My sheet'!A1:B2,C3)" is "of:=SUM([$'My sheet'.A1:.B2];[.C3])".
 */
#include "services/drive/core/document/format_impl.h"

/* Bytes of a name, a number or a cell at p. */
static size_t word_at(const char *p)
{
    size_t n = 0;
    while ((p[n] >= 'A' && p[n] <= 'Z') || (p[n] >= 'a' && p[n] <= 'z') ||
           (p[n] >= '0' && p[n] <= '9') || (p[n] && strchr("_.$", p[n])) ||
           (unsigned char)p[n] >= 0x80)
        n++;
    return n;
}

/* Bytes of a name in quotes, where a quote in it is two; 0: it has no end. */
static size_t quoted_at(const char *p)
{
    for (size_t n = 1; p[n]; n++)
        if (p[n] == '\'' && p[++n] != '\'')
            return n;
    return 0;
}

/* Is a word a cell ("$B$2")? */
static bool is_cell(const char *p, size_t n)
{
    size_t i = n && *p == '$', letters = i, digits;
    while (i < n && ((p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= 'a' && p[i] <= 'z')))
        i++;
    letters = i - letters;
    digits = i += i < n && p[i] == '$';
    while (i < n && p[i] >= '0' && p[i] <= '9')
        i++;
    return i == n && letters && letters <= 3 && i > digits && i - digits <= 7;
}

/* ---- out ---- */

/* A cell, or a range, at p, which belongs to a sheet (of n bytes, without its dollar) or to none;
 * bytes of it. 0: it is none, and nothing is written. */
static size_t put_typed(struct buf *b, const char *p, const char *sheet, size_t n)
{
    size_t first = word_at(p), second = p[first] == ':' ? word_at(p + first + 1) : 0;
    if (!is_cell(p, first) || p[first] == '(' || p[first] == '!')
        return 0;
    const char *end = p + first + 1 + second;
    if (second && (!is_cell(p + first + 1, second) || *end == '(' || *end == '!'))
        second = 0; /* something else that the cell is to reach to */
    buf_byte(b, '[');
    if (n) {
        bool plain = *sheet == '\'' || !memchr(sheet, '.', n);
        buf_puts(b, plain ? "$" : "$'");
        buf_add(b, sheet, n);
        buf_puts(b, plain ? "" : "'");
    }
    buf_byte(b, '.');
    buf_add(b, p, first);
    if (second) {
        buf_puts(b, ":.");
        buf_add(b, p + first + 1, second);
    }
    buf_byte(b, ']');
    return first + (second ? second + 1 : 0);
}

/* What is at p, which is not at an end; its bytes. */
static size_t put_piece(struct buf *b, const char *p)
{
    size_t n = *p == '\'' ? quoted_at(p) : word_at(p), more;
    if (*p == '"') {
        n = strcspn(p + 1, "\"") + 1;
        n += p[n] == '"';
    } else if (n && p[n] == '!') {
        bool dollar = *p == '$';
        if ((more = put_typed(b, p + n + 1, p + dollar, n - dollar)))
            return n + 1 + more;
        n++;
    } else if (n && (more = put_typed(b, p, NULL, 0))) {
        return more;
    } else if (!n) {
        buf_byte(b, *p == ',' ? ';' : *p);
        return 1;
    }
    buf_add(b, p, n);
    return n;
}

void odf_formula_write(struct buf *out, const char *formula)
{
    while (*formula)
        formula += put_piece(out, formula);
}

/* ---- in ---- */

/* A sheet's name as it is typed: in quotes where it could be something else without them. */
static void put_sheet(struct buf *b, const char *name, size_t n)
{
    bool plain = *name == '\'' || (word_at(name) >= n && !memchr(name, '$', n) &&
                                   !(*name >= '0' && *name <= '9') && !is_cell(name, n));
    buf_puts(b, plain ? "" : "'");
    buf_add(b, name, n);
    buf_puts(b, plain ? "!" : "'!");
}

/* What is before the point of a cell, "$'My sheet'"; its bytes, with the point. 0: there is no
 * point. *ret_name: the name without the dollar, of *ret_n bytes. */
static size_t sheet_before(const char *p, const char **ret_name, size_t *ret_n)
{
    size_t dollar = *p == '$';
    *ret_name = p + dollar;
    *ret_n = p[dollar] == '\'' ? quoted_at(p + dollar) : strcspn(p + dollar, "]. #$'");
    return p[dollar + *ret_n] == '.' ? dollar + *ret_n + 1 : 0;
}

/* What is in brackets, from behind the first one; the end of it, behind the second one. */
static const char *read_reference(struct buf *b, const char *p)
{
    const char *first = NULL, *name;
    size_t n_first = 0, n;
    for (bool begin = true; *p && *p != ']'; p++) {
        size_t skip = begin ? sheet_before(p, &name, &n) : 0;
        if (skip) {
            if (n && (!first || n != n_first || memcmp(name, first, n) != 0))
                put_sheet(b, name, n);
            first = first ? first : name;
            n_first = first == name ? n : n_first;
            p += skip - 1;
        } else if (begin && *p == '\'' && quoted_at(p)) {
            buf_add(b, p, quoted_at(p)); /* another file */
            p += quoted_at(p) - 1;
        } else {
            buf_byte(b, *p);
        }
        begin = *p == ':' || *p == '#';
    }
    return *p ? p + 1 : p;
}

const char *odf_formula_read(struct arena *a, const char *formula)
{
    const char *p = formula ? strchr(formula, '=') : NULL;
    struct buf b;
    if (!p || strlen(p) > ODF_FORMULA)
        return NULL;
    buf_init(&b, 0);
    for (bool text = false; *p;) {
        text ^= *p == '"';
        if (!text && *p == '[') {
            p = read_reference(&b, p + 1);
        } else {
            buf_byte(&b, *p == ';' && !text ? ',' : *p);
            p++;
        }
    }
    const char *made = buf_failed(&b) ? NULL : build_text(a, buf_str(&b), b.len);
    buf_done(&b);
    return made;
}
