/* SPDX-License-Identifier: Apache-2.0 */
/* Work objects: things of another system that an app shows in messages and beside them
 * (docs.slack.dev, work objects). */
#ifndef SOSIA_SL_ENTITY_H
#define SOSIA_SL_ENTITY_H

#include "services/chat/slack/apps/interact.h"

#define SL_ENTITIES 100 /* of a message */

/* Is it a list of such, which is not empty? posted: each has an app_unfurl_url too. */
bool sl_are_entities(const struct json *list, bool posted);
/* Is something wrong with one? true: the call has the lines that say what. at: where it is. */
bool sl_entity_is_faulty(struct call *c, const struct json *v, const char *at);
/* What is wrong with a list of them, in the words of warnings: true, the call has them. */
bool sl_entities_are_faulty(struct call *c, const struct json *list);
/* In a list, the one with this address or app_unfurl_url (NULL: the first); NULL: there is none. */
const struct json *sl_entity_find(const struct json *list, const char *url);
/* "work_object_entity" of an attachment, in an open object. */
void sl_write_work_object(struct json_writer *w, const struct json *entity, const char *app_name);
/* "panes" into an open object, if somebody has any open. */
int sl_write_panes(struct call *c, int64_t user);
/* A member that is a text and not empty; NULL: it is not. */
const char *sl_filled(const struct json *v, const char *member);
/* Its members, as rows of methods say them. */
extern const struct field sl_entity_field;

#endif
