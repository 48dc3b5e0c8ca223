/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of cells: A1, B2:C5, Sheet1!$A$1. */
#include "services/drive/onedrive/workbook/workbook.h"

/* "$B$2" */
static bool read_corner(const char **p, uint32_t *ret_row, uint32_t *ret_column)
{
    uint32_t column = 0, row = 0, letters = 0, digits = 0;
    *p += **p == '$';
    for (; (**p >= 'A' && **p <= 'Z') || (**p >= 'a' && **p <= 'z'); ++*p, letters++)
        if (letters < 4)
            column = column * 26 + (uint32_t)((**p | 32) - 'a') + 1;
    *p += **p == '$';
    for (; **p >= '0' && **p <= '9'; ++*p, digits++)
        if (digits < 8)
            row = row * 10 + (uint32_t)(**p - '0');
    if (!letters || letters > 3 || !digits || digits > 7 || !row || row > SHEET_ROWS ||
        column > 16384)
        return false;
    *ret_row = row - 1;
    *ret_column = column - 1;
    return true;
}

/* ---- addresses ---- */

bool book_address(const char *text, struct book_range *ret)
{
    const char *bang = strrchr(text, '!'), *p = bang ? bang + 1 : text;
    struct book_range r;
    if (!read_corner(&p, &r.top, &r.left))
        return false;
    r.bottom = r.top;
    r.right = r.left;
    if (*p == ':') {
        p++;
        if (!read_corner(&p, &r.bottom, &r.right))
            return false;
    }
    if (*p)
        return false;
    *ret = (struct book_range){
        r.top < r.bottom ? r.top : r.bottom, r.left < r.right ? r.left : r.right,
        r.top < r.bottom ? r.bottom : r.top, r.left < r.right ? r.right : r.left};
    return true;
}

static const char *column_text(struct arena *a, uint32_t column)
{
    char text[8], *p = text + sizeof text - 1;
    *p = '\0';
    for (uint32_t n = column + 1; n; n = (n - 1) / 26)
        *--p = (char)('A' + (n - 1) % 26);
    return arena_strdup(a, p);
}

const char *book_address_text(struct arena *a, const char *sheet, const struct book_range *r)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const char *quote = sheet[strspn(sheet, plain)] ? "'" : "";
    const char *first =
        arena_printf(a, "%s%s%s!%s%u", quote, sheet, quote, column_text(a, r->left), r->top + 1);
    if (r->top == r->bottom && r->left == r->right)
        return first;
    return arena_printf(a, "%s:%s%u", first, column_text(a, r->right), r->bottom + 1);
}

uint64_t book_cells(const struct book_range *r)
{
    return (uint64_t)(r->bottom - r->top + 1) * (r->right - r->left + 1);
}
