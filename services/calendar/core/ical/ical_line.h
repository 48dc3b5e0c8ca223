/* SPDX-License-Identifier: Apache-2.0 */
/* Content lines of iCalendar (RFC 5545, 3.1): joined, taken apart, and the texts in them. */
#ifndef SOSIA_CALENDAR_ICAL_LINE_H
#define SOSIA_CALENDAR_ICAL_LINE_H

#include "engine/base/arena.h"

#define ICAL_MAX_PARAMS 24 /* of a line; further ones are passed over */

struct ical_line {
    char *name, *value;
    struct ical_param {
        char *name, *value;
    } params[ICAL_MAX_PARAMS];
    int n;
};

/* Joins folded lines, without carriage returns and NULs, as UTF-8 in the arena. NULL: it is short
 * of memory. */
char *ical_unfold(struct arena *a, const char *text, size_t len);
/* Takes a line apart in its place: name *(;parameter=value) : value. false: it has no value. */
bool ical_split(char *p, struct ical_line *ret);
/* The value of a parameter, whatever the case of its name; NULL: there is none. */
const char *ical_param(const struct ical_line *l, const char *name);
bool ical_param_is(const struct ical_line *l, const char *name, const char *value);
/* A text in a property (3.3.11), in its place: without escapes and controls; NULL: it is empty. */
const char *ical_plain(char *text);
/* A parameter's text (RFC 6868), in its place; NULL: it is empty. */
const char *ical_plain_param(const char *value);

#endif
