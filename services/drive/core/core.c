/* SPDX-License-Identifier: Apache-2.0 */
/* The drive core, as the engine sees it. */
#include "services/drive/core/drive_impl.h"

extern const char drive_sql[];

static const struct section sections[] = {
    {"files", files_seed, NULL},
};

const struct sosia_core drive_core = {
    .name = DRIVE_CORE,
    .schema = drive_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .derive = drive_derive,
};
