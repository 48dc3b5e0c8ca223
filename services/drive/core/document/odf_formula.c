/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of OpenDocument (OpenFormula, ISO 26300-4) and those that people type. There references
 * are in brackets, with a point before the cell and the sheet before the point:
 * "=SUM('My sheet'!A1:B2,C3)" is "of:=SUM([$'My sheet'.A1:.B2];[.C3])". Between columns of an array
 * there is a semicolon, and between its rows a bar.
 */
#include "services/drive/core/document/format_impl.h"

static bool is_column_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Bytes of a name, a number or a cell at p. */
static size_t word_at(const char *p)
{
    size_t n = 0;
    while (is_column_letter(p[n]) || (p[n] >= '0' && p[n] <= '9') ||
           (p[n] && strchr("_.$", p[n])) || (unsigned char)p[n] >= 0x80)
        n++;
    return n;
}

/* A sheet that is not there any more. */
#define LOST     "#REF!"
#define LOST_LEN (sizeof LOST - 1)

/* Bytes of a name in quotes, where a quote in it is two; 0: it has no end. */
static size_t quoted_at(const char *p)
{
    for (size_t n = 1; p[n]; n++)
        if (p[n] == '\'' && p[++n] != '\'')
            return n;
    return 0;
}

/* What a word names: a column ("$B"), a row ("2"), a cell ("$B$2"), or 0. */
enum { COLUMN = 1, ROW = 2, CELL = COLUMN | ROW };
static unsigned shape_of(const char *p, size_t n)
{
    size_t i = n && *p == '$', begin = i;
    unsigned shape = ROW;
    while (i < n && is_column_letter(p[i]))
        i++;
    if (i > begin) {
        if (i - begin > 3)
            return 0;
        if (i == n)
            return COLUMN;
        begin = i += p[i] == '$';
        shape = CELL;
    }
    while (i < n && p[i] >= '0' && p[i] <= '9')
        i++;
    return i == n && i > begin && i - begin <= 7 ? shape : 0;
}

static void count_braces(char c, unsigned *braces)
{
    if (c == '{')
        ++*braces;
    else if (c == '}' && *braces)
        --*braces;
}

/* ---- out ---- */

/* A cell, or a range of cells, columns or rows, at p, which belongs to a sheet (of n bytes, without
 * its dollar) or to none; bytes of it. 0: it is none, and nothing is written. */
static size_t put_typed(struct buf *b, const char *p, const char *sheet, size_t n)
{
    size_t first = word_at(p), second = p[first] == ':' ? word_at(p + first + 1) : 0;
    const unsigned shape = shape_of(p, first);
    if (!shape || p[first] == '(' || p[first] == '!')
        return 0;
    const char *end = p + first + 1 + second;
    if (second && (shape_of(p + first + 1, second) != shape || *end == '(' || *end == '!'))
        second = 0; /* something else that the cell is to reach to */
    if (shape != CELL && !second)
        return 0;
    buf_byte(b, '[');
    if (n) {
        bool plain = *sheet == '\'' || !memchr(sheet, '.', n);
        buf_puts(b, *sheet == '#' ? "" : plain ? "$" : "$'");
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

/* What is at p, which is not at an end; its bytes. braces: how many are open, since rows and
 * columns of an array have other signs between them than arguments. */
static size_t put_piece(struct buf *b, const char *p, unsigned *braces)
{
    size_t n = *p == '\'' ? quoted_at(p) : word_at(p), more;
    if (*p == '"') {
        n = strcspn(p + 1, "\"") + 1;
        n += p[n] == '"';
    } else if (strncmp(p, LOST, LOST_LEN) == 0) {
        if ((more = put_typed(b, p + LOST_LEN, LOST, LOST_LEN)))
            return LOST_LEN + more;
        n = LOST_LEN;
    } else if (n && p[n] == '!') {
        bool dollar = *p == '$';
        if ((more = put_typed(b, p + n + 1, p + dollar, n - dollar)))
            return n + 1 + more;
        n++;
    } else if (n && (more = put_typed(b, p, NULL, 0))) {
        return more;
    } else if (!n) {
        count_braces(*p, braces);
        buf_byte(b, *p == ',' ? ';' : *p == ';' && *braces ? '|' : *p);
        return 1;
    }
    buf_add(b, p, n);
    return n;
}

void odf_formula_write(struct buf *out, const char *formula)
{
    unsigned braces = 0;
    while (*formula)
        formula += put_piece(out, formula, &braces);
}

/* ---- in ---- */

/* A sheet's name as it is typed: in quotes where it could be something else without them. */
static void put_sheet(struct buf *b, const char *name, size_t n)
{
    bool plain = *name == '\'' || (word_at(name) >= n && !memchr(name, '$', n) &&
                                   !(*name >= '0' && *name <= '9') && shape_of(name, n) != CELL);
    bool lost = *name == '#';
    buf_puts(b, plain || lost ? "" : "'");
    buf_add(b, name, n);
    buf_puts(b, lost ? "" : plain ? "!" : "'!");
}

/* What is before the point of a cell, "$'My sheet'"; its bytes, with the point. 0: there is no
 * point. *ret_name: the name without the dollar, of *ret_n bytes. */
static size_t sheet_before(const char *p, const char **ret_name, size_t *ret_n)
{
    size_t dollar = *p == '$';
    *ret_name = p + dollar;
    *ret_n = p[dollar] == '\''                          ? quoted_at(p + dollar)
             : strncmp(p + dollar, LOST, LOST_LEN) == 0 ? LOST_LEN
                                                        : strcspn(p + dollar, "]. #$':");
    return p[dollar + *ret_n] == '.' ? dollar + *ret_n + 1 : 0;
}

/* What is in brackets, from behind the first one; the end of it, behind the second one. */
static const char *read_reference(struct buf *b, const char *p)
{
    const char *first = NULL, *name;
    size_t n_first = 0, n;
    bool away = false; /* in another file */
    for (bool begin = true; *p && *p != ']'; p++) {
        size_t skip = begin ? sheet_before(p, &name, &n) : 0;
        if (skip) {
            if (n && (!first || n != n_first || memcmp(name, first, n) != 0))
                put_sheet(b, name, n);
            first = first ? first : name;
            n_first = first == name ? n : n_first;
            p += skip - 1;
        } else if (begin && *p == '\'' && quoted_at(p)) {
            buf_add(b, p, quoted_at(p));
            p += quoted_at(p) - 1;
            away = true;
        } else {
            buf_byte(b, *p);
        }
        begin = *p == ':' || (*p == '#' && away);
    }
    return *p ? p + 1 : p;
}

const char *odf_formula_read(struct arena *a, const char *formula)
{
    const char *p = formula ? strchr(formula, '=') : NULL;
    unsigned braces = 0;
    struct buf b;
    if (!p || strlen(p) > ODF_FORMULA)
        return NULL;
    buf_init(&b, 0);
    for (bool text = false; *p;) {
        text ^= *p == '"';
        if (!text && *p == '[') {
            p = read_reference(&b, p + 1);
            continue;
        }
        if (!text)
            count_braces(*p, &braces);
        buf_byte(&b, text ? *p : *p == ';' ? ',' : *p == '|' && braces ? ';' : *p);
        p++;
    }
    const char *made = buf_failed(&b) ? NULL : build_text(a, buf_str(&b), b.len);
    buf_done(&b);
    return made;
}
