/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of number formats only. */
#ifndef SOSIA_DRIVE_DOCUMENT_NUMBER_FORMAT_IMPL_H
#define SOSIA_DRIVE_DOCUMENT_NUMBER_FORMAT_IMPL_H

#include <stdbool.h>
#include <stdint.h>

/* A serial date. */
struct format_day {
    int64_t serial; /* whole days */
    int year, month, day;
    int weekday;    /* 0 Sunday to 6 Saturday */
    int64_t second; /* of the day */
    unsigned part;  /* of the second */
    int64_t total;  /* seconds since day 0 */
};

/* parts: of a second, that are counted. False: beyond the calendar. */
bool format_date(double serial, unsigned parts, struct format_day *ret);

/* Behind the next piece of a code, which is a quoted text, a bracket, an escaped byte or one byte;
 * NULL: it has no end. */
const char *format_step(const char *p);

#endif
