/* SPDX-License-Identifier: Apache-2.0 */
/* What the core of this dialect (core.c) is made of. */
#ifndef SOSIA_OUTLOOK_INTERNAL_H
#define SOSIA_OUTLOOK_INTERNAL_H

#include "engine/world/core.h"
#include "services/mail/outlook/outlook.h"

struct form;

/* seed.c: the settings of people, in seed documents, dumps and diffs. */
int outlook_seed(struct tx *tx, struct doc *d, const struct json *item);
extern const struct form outlook_form; /* its members */
int outlook_dump(struct tx *tx, struct json_writer *w);
int outlook_setting_key(struct tx *tx, int64_t rowid, struct json_writer *w);
int outlook_setting_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

/* view.c */
extern const struct entity_view outlook_views[];

#endif
