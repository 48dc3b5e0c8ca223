/* SPDX-License-Identifier: Apache-2.0 */
/* Files on their way into a drive: items of the section "files", in a list that is open. */
#ifndef SOSIA_TRANSFER_DRIVE_H
#define SOSIA_TRANSFER_DRIVE_H

#include "services/drive/core/drive.h"
#include "transfer/impl.h"

struct drive_in {
    struct transfer_in *in;
    struct actor owner;
    struct drive_item top; /* that all of it is in */
    struct map folders;    /* path -> id */
    unsigned made;         /* ids of folders that were tried */
};
/* Finds where files go. 0, -1. */
int transfer_drive_begin(struct transfer_in *in, struct drive_in *ret);
/* A file at a path, and the folders that it is in and that are not there. */
int transfer_drive_file(struct drive_in *d, const struct transfer_entry *e);
void transfer_drive_end(struct drive_in *d);
/* By the ending of a name. */
const char *transfer_media_type(const char *name);

#endif
