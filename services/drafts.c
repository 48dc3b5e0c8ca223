/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drafts.h"

const struct draft_kind *const sosia_drafts[] = {&gmail_held, &outlook_held, &gcal_held,
                                                 &ocal_held,  &gdrive_held,  NULL};
