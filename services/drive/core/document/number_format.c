/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of number formats: those that all spreadsheets have, and what a code is. */
#include "services/drive/core/document/number_format.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/drive/core/document/number_format_impl.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* By their ids, as they are in English of the United States; ids that are not here are General. */
static const char *const built_in[] = {
    [1] = "0",
    [2] = "0.00",
    [3] = "#,##0",
    [4] = "#,##0.00",
    [5] = "$#,##0_);($#,##0)",
    [6] = "$#,##0_);[Red]($#,##0)",
    [7] = "$#,##0.00_);($#,##0.00)",
    [8] = "$#,##0.00_);[Red]($#,##0.00)",
    [9] = "0%",
    [10] = "0.00%",
    [11] = "0.00E+00",
    [12] = "# ?/?",
    [13] = "# ?\?/?\?",
    [14] = "m/d/yyyy",
    [15] = "d-mmm-yy",
    [16] = "d-mmm",
    [17] = "mmm-yy",
    [18] = "h:mm AM/PM",
    [19] = "h:mm:ss AM/PM",
    [20] = "h:mm",
    [21] = "h:mm:ss",
    [22] = "m/d/yyyy h:mm",
    [37] = "#,##0_);(#,##0)",
    [38] = "#,##0_);[Red](#,##0)",
    [39] = "#,##0.00_);(#,##0.00)",
    [40] = "#,##0.00_);[Red](#,##0.00)",
    [41] = "_(* #,##0_);_(* (#,##0);_(* \"-\"_);_(@_)",
    [42] = "_($* #,##0_);_($* (#,##0);_($* \"-\"_);_(@_)",
    [43] = "_(* #,##0.00_);_(* (#,##0.00);_(* \"-\"?\?_);_(@_)",
    [44] = "_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"?\?_);_(@_)",
    [45] = "mm:ss",
    [46] = "[h]:mm:ss",
    [47] = "mm:ss.0",
    [48] = "##0.0E+0",
    [49] = "@",
};

const char *number_format_code(int id)
{
    return id > 0 && (size_t)id < SOSIA_LEN(built_in) ? built_in[id] : NULL;
}

int number_format_id(const char *code)
{
    for (size_t i = 1; i < SOSIA_LEN(built_in); i++)
        if (built_in[i] && strcmp(built_in[i], code) == 0)
            return (int)i;
    return -1;
}

bool number_format_general(const char *code)
{
    return !code || !*code || strcasecmp(code, "General") == 0;
}

void number_write(double x, char ret[32])
{
    snprintf(ret, 32, "%.15g", x);
    char *point = strchr(ret, ',');
    if (point)
        *point = '.';
}

bool sheet_cell_bare(const struct sheet_cell *c)
{
    return c->kind == CELL_EMPTY && !c->format;
}

int number_formats_add(struct number_formats *f, const char *code)
{
    uint32_t hash = 2166136261u;
    for (const char *p = code; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    unsigned at = hash % NUMBER_FORMAT_SLOTS;
    for (; f->slots[at]; at = (at + 1) % NUMBER_FORMAT_SLOTS)
        if (strcmp(f->codes[f->slots[at] - 1], code) == 0)
            return f->slots[at] - 1;
    if (f->n == NUMBER_FORMATS)
        return -1;
    f->codes[f->n++] = code;
    f->slots[at] = (uint16_t)f->n;
    return (int)f->n - 1;
}

/* ---- what a code is ---- */

const char *format_step(const char *p)
{
    const char *end;
    if (*p == '"')
        end = strchr(p + 1, '"');
    else if (*p == '[')
        end = strchr(p + 1, ']');
    else if (*p == '\\' || *p == '_' || *p == '*')
        end = p[1] ? p + 1 : NULL;
    else
        end = p;
    return end ? end + 1 : NULL;
}

bool number_format_valid(const char *code, size_t len)
{
    unsigned sections = 1;
    if (len > NUMBER_FORMAT_MOST || strlen(code) != len)
        return false;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)code[i] < 0x20 || code[i] == 0x7F)
            return false;
    for (const char *p = code, *next; *p; p = next) {
        sections += *p == ';';
        if (!(next = format_step(p)))
            return false;
    }
    return sections <= 4;
}

bool number_format_dates(const char *code)
{
    if (number_format_general(code))
        return false;
    for (const char *next; *code && *code != ';'; code = next) {
        if (strchr("ymdhsYMDHS", *code) || (*code == '[' && strchr("hmsHMS", code[1]) && code[1]))
            if (*code != '[' || code[2] == ']' || (code[2] == code[1] && code[3] == ']'))
                return true;
        if (!(next = format_step(code)))
            break;
    }
    return false;
}

/* ---- serial dates ---- */

bool format_date(double serial, unsigned parts, struct format_day *ret)
{
    int y, m, d;
    if (!(serial >= 0 && serial < 2958466)) /* the year 10000 */
        return false;
    const int64_t units = (int64_t)(serial * 86400.0 * parts + 0.5), per_day = 86400 * parts;
    const int64_t day = units / per_day, of_day = units % per_day;
    if (day >= 2958466)
        return false;
    *ret = (struct format_day){.serial = day,
                               .weekday = (int)((day + 6) % 7),
                               .second = of_day / parts,
                               .part = (unsigned)(of_day % parts),
                               .total = units / parts};
    if (day == 0 || day == 60) {
        ret->year = 1900;
        ret->month = day ? 2 : 1;
        ret->day = day ? 29 : 0;
        return true;
    }
    civil_from_days(days_from_civil(1899, 12, day < 60 ? 31 : 30) + day, &y, &m, &d);
    ret->year = y;
    ret->month = m;
    ret->day = d;
    return true;
}

bool number_format_day(const char *number, char separator, char ret[32])
{
    struct format_day d;
    double serial;
    if (parse_double(number, strlen(number), &serial) < 0 || !format_date(serial, 1, &d))
        return false;
    int n = snprintf(ret, 32, "%04d-%02d-%02d", d.year, d.month, d.day);
    if (d.second && n > 0)
        snprintf(ret + n, 32 - (size_t)n, "%c%02d:%02d:%02d", separator, (int)(d.second / 3600),
                 (int)(d.second / 60 % 60), (int)(d.second % 60));
    return true;
}
