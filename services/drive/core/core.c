/* SPDX-License-Identifier: Apache-2.0 */
/* The drive core, as the engine sees it. */
#include "services/drive/core/access/ask.h"
#include "services/drive/core/access/label.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/drive_impl.h"

extern const char drive_sql[];

static int drive_due(struct tx *tx, const char *kind, int64_t ref)
{
    if (strcmp(kind, DUE_GRANT) == 0)
        return drive_share_expired(tx, ref);
    return strcmp(kind, DUE_TRASH) == 0 ? drive_trash_due(tx, ref) : 0;
}

static const struct section sections[] = {
    {"driveLabels", drive_labels_seed, drive_labels_dump},
    {"files", files_seed, NULL},
    {"accessProposals", drive_proposals_seed, drive_proposals_dump},
    {"driveAdministrators", drive_admins_seed, drive_admins_dump},
};

const struct sosia_core drive_core = {
    .name = DRIVE_CORE,
    .schema = drive_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .due = drive_due,
    .derive = drive_derive,
};
