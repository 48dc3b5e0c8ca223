/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members that entities are shown with, as one text of paths separated by spaces: "id
 * start.date attendees.*.email properties.**". "*" is any item of a list, "**" whatever is there: a
 * map with names of somebody's own, or what a client made up.
 */
#ifndef SOSIA_WORLD_MEMBERS_H
#define SOSIA_WORLD_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* The next path of a list at *list, which goes behind it; *ret_n: its bytes, 0 at the end. */
const char *members_next(const char **list, size_t *ret_n);
/* The first path of a list that leads to `path`, or through it; NULL: none. Steps of `path` are
 * names, numbers of items and "*"; "" is the whole thing, to which all lead. */
const char *members_find(const char *list, const char *path);

#endif
