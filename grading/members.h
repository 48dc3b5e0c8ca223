/* SPDX-License-Identifier: Apache-2.0 */
/* What a suite names is there: entities, their members, members and methods of calls. A guard about
 * something misspelt would hold whatever is done. */
#ifndef SOSIA_GRADING_MEMBERS_H
#define SOSIA_GRADING_MEMBERS_H

#include "grading/predicate.h"

#define MEMBERS_OF_CALLS "" /* in the place of an entity's name */

/* All: -1 with the document's error, which has the nearest of what there is. entity NULL: one of
 * them, whichever. at, member: for the error, as for doc_fail(). */
int members_check_entity(struct doc *d, const struct json *at, const char *member,
                         const char *entity);
/* Of version 0.1: a table, or an entity. */
/* Is there a service of that name, by a vendor's word or a core's? */
int members_check_service(struct doc *d, const struct json *at, const char *service);
int members_check_table(struct doc *d, const struct json *at, const char *member, const char *name);
/* Is there a method of that id? */
int members_check_method(struct doc *d, const struct json *at, const char *member, const char *id);
int members_check_path(struct doc *d, const struct json *at, const char *entity, const char *path);
/* Paths of conditions, and in conditions of items; of calls the methods too. */
int members_check_conditions(struct doc *d, const char *entity, const struct condition *where);
/* Conditions of items of what is at a path. p may be NULL. */
int members_check_predicate(struct doc *d, const char *entity, const char *path,
                            const struct predicate *p);

#endif
