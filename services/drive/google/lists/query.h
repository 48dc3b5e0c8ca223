/* SPDX-License-Identifier: Apache-2.0 */
/* The search language of files.list (parameter q): "Search query terms and operators". */
#ifndef SOSIA_DRIVE_GOOGLE_QUERY_H
#define SOSIA_DRIVE_GOOGLE_QUERY_H

#include "services/drive/core/find/find.h"
#include "services/drive/google/gdrive.h"

/* What the text says, in the call's arena; NULL in *ret: nothing, which everything answers.
 * has_text: a term of fullText is in it. Fails with the service's errors. */
int gdrive_query(struct gdrive_view *v, const char *text, struct find **ret, bool *ret_has_text);

#endif
