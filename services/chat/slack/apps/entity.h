/* SPDX-License-Identifier: Apache-2.0 */
/* Work objects: things of another system that an app shows in messages and beside them
 * (docs.slack.dev, work objects). */
#ifndef SOSIA_SL_ENTITY_H
#define SOSIA_SL_ENTITY_H

#include "services/chat/slack/apps/interact.h"

#define SL_ENTITIES 100 /* of a message */

/* Of a row of the world; NULL: it is none, the call fails. */
const struct json *sl_stored_json(struct call *c, const char *text);
/* Is it one of the types, with an address, an external_ref and a title? */
bool sl_is_entity(const struct json *v);
/* Is it a list of such, which is not empty? posted: each has an app_unfurl_url too. */
bool sl_are_entities(const struct json *list, bool posted);
/* What is wrong with a list of them, in the words of warnings: true, the call has them. */
bool sl_entities_are_faulty(struct call *c, const struct json *list);
/* In a list, the one with this address or app_unfurl_url (NULL: the first); NULL: there is none. */
const struct json *sl_entity_find(const struct json *list, const char *url);
/* "work_object_entity" of an attachment, in an open object. */
void sl_write_work_object(struct json_writer *w, const struct json *entity, const char *app_name);
/* "panes" into an open object, if somebody has any open. */
int sl_write_panes(struct call *c, int64_t user);

#endif
