/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number formats of cells: codes such as "0.00", "m/d/yyyy" or "$#,##0;[Red]($#,##0)" (ECMA-376,
 * part 1, 18.8.30 and 18.8.31), and the text that a cell shows by its format. Dates are numbers of
 * days in the system of 1900, whose day 60 is a 29 February that never was.
 */
#ifndef SOSIA_DRIVE_DOCUMENT_NUMBER_FORMAT_H
#define SOSIA_DRIVE_DOCUMENT_NUMBER_FORMAT_H

#include "services/drive/core/document/document.h"

enum {
    NUMBER_FORMAT_MOST = 255, /* bytes of a code */
    NUMBER_FORMATS = 1000,    /* different ones of a document */
    NUMBER_FORMAT_SLOTS = 2048,
    NUMBER_FORMAT_CUSTOM = 164 /* ids from here on are a document's own */
};

/* What a cell shows has room in it. */
struct cell_scratch {
    char text[1024];
};

/* Different codes, each with a number from 0 on in the order in which it came. */
struct number_formats {
    const char *codes[NUMBER_FORMATS];
    uint16_t slots[NUMBER_FORMAT_SLOTS]; /* number + 1; 0: free */
    unsigned n;
};

/* The number of a code, which is borrowed where it is new; -1: there are too many. */
int number_formats_add(struct number_formats *f, const char *code);

/* The code of one of the formats that each spreadsheet has; NULL: General, or none of them. */
const char *number_format_code(int id);
/* Its id; -1: it is none of them. */
int number_format_id(const char *code);
/* May a cell have it? Quotes and brackets have their ends, and there are four sections at most. */
bool number_format_valid(const char *code, size_t len);
/* Is it, or NULL, the format that shows a number as it is? */
bool number_format_general(const char *code);
/* Does it show a number as a date or a time? What is in quotes does not count. */
bool number_format_dates(const char *code);
/* The calendar's day of a serial date, with a time where it has one: "2026-03-12" or, with
 * separator 'T', "2026-03-12T07:26:40". False: it is none. */
bool number_format_day(const char *number, char separator, char ret[32]);

/* A number with at most 15 digits, as JSON writes it, whatever the locale. */
void number_write(double x, char ret[32]);
/* Is there nothing in it, and General its format? */
bool sheet_cell_bare(const struct sheet_cell *c);

/* A number, as JSON writes it, by a format. What a code has beyond the calendar, times, digits,
 * groups, percents, powers of ten and literals shows the number as it is. */
const char *number_shown(const char *number, const char *format, struct cell_scratch *scratch);
/* What a cell shows; valid as long as both are. */
const char *cell_shown(const struct sheet_cell *c, struct cell_scratch *scratch);

#endif
