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
     * in the context. What is not there yet is made: the site, the library, the folder. 0, -1
     * refused. */
    int (*folder)(struct call *c, const struct ms_group *group, const char *name,
                  const char *context);
};

#endif
