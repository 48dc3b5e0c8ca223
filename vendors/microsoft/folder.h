/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders of channels in the sites of their teams: a record by which the dialect of teams asks
 * that of files, without knowing it. It is laid down as a policy (struct core_policy) for the name
 * below; a world's engine may lack it.
 */
#ifndef SOSIA_MICROSOFT_FOLDER_H
#define SOSIA_MICROSOFT_FOLDER_H

#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"

#define GRAPH_FILES "graph.files" /* the name of struct graph_files */

struct graph_files {
    /* Answers the folder of that name at the top of the library of a group's site, as a drive item
     * in the context. What is not there yet is made: the site, the library, the folder. channel:
     * the key of a channel that has a site of its own, in the place of the group's; NULL: none.
     * 0, -1 refused. */
    int (*folder)(struct call *c, const struct ms_group *group, const char *channel,
                  const char *name, const char *context);
};

/* What sites ask of who has channels, by the same way: the members of one that has a site. */
#define GRAPH_CHANNELS "graph.channels"

struct graph_channels {
    /* Is the user in the channel of that key? 1, 0, -1. */
    int (*member)(struct tx *tx, const char *channel, const struct ms_user *user, bool *ret_owner);
};

#endif
