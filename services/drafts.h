/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_SERVICES_DRAFTS_H
#define SOSIA_SERVICES_DRAFTS_H

#include "engine/http/draft.h"

/* The drafts of all services; NULL-terminated, at most 9. */
extern const struct draft_kind *const sosia_drafts[];

extern const struct draft_kind gcal_held, gdrive_held, gmail_held, ocal_held, outlook_held;

#endif
