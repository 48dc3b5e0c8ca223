/* SPDX-License-Identifier: Apache-2.0 */
/* The drive core, as the engine sees it. */
#include "services/drive/core/access/shared.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/seed_impl.h"

extern const char drive_sql[];

static int drive_due(struct tx *tx, const char *kind, int64_t ref)
{
    if (strcmp(kind, DUE_GRANT) == 0)
        return drive_share_expired(tx, ref);
    if (strcmp(kind, DUE_REVISION) == 0)
        return drive_revision_due(tx, ref);
    return strcmp(kind, DUE_TRASH) == 0 ? drive_trash_due(tx, ref) : 0;
}

static const struct section sections[] = {
    {"sharedDrives", shared_drives_seed, shared_drives_dump},
    {"files", files_seed, files_dump},
    {"driveAdministrators", drive_admins_seed, drive_admins_dump},
};

const struct sosia_core drive_core = {
    .name = DRIVE_CORE,
    .schema = drive_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = drive_entities,
    .n_entities = DRIVE_ENTITIES,
    .due = drive_due,
    .derive = drive_derive,
};
