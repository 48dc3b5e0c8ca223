/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the feed of changes: what somebody sees of it. */
#ifndef SOSIA_DRIVE_FEED_H
#define SOSIA_DRIVE_FEED_H

#include "services/drive/core/drive.h"

struct drive_feed {
    struct drive_viewer *viewer;
    int64_t drive;     /* top of the shared drive whose feed it is; 0: the viewer's own */
    int64_t from;      /* the first number */
    size_t limit;      /* entries */
    int64_t app_space; /* the space of an app's own data; 0: the drive's */
    int64_t made_by[DRIVE_MAKERS]; /* in the drive only what these made (drive_is_made_by()); not of
                                      what is gone */
    bool own_only;                 /* what the viewer owns */
    bool shared_too; /* also what is in shared drives, as far as it is the viewer's feed that has it
                      */
    bool removed;    /* also what is gone, or out of sight */
};

struct drive_feed_entry {
    int64_t number, time_us;
    const char *key;
    bool is_drive, removed;
    enum drive_form form;
    struct drive_item item; /* as it is now; empty if removed */
};

/* Entries in the order of their numbers; *ret_next: where the next page begins; 0: there is no
 * more. */
int drive_feed_read(const struct drive_feed *q, struct drive_feed_entry **ret, size_t *ret_n,
                    int64_t *ret_next);

#endif
