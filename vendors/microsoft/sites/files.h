/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a service of files and one of lists have in common: paths of drives and of what is in them,
 * and files of libraries as items of a list. Each of the two lays a record down (struct
 * core_policy), where the other one finds it.
 */
#ifndef SOSIA_MICROSOFT_SITES_FILES_H
#define SOSIA_MICROSOFT_SITES_FILES_H

#include "vendors/microsoft/query.h"
#include "vendors/microsoft/sites/sites.h"
#include "vendors/microsoft/words.h"

#define SITES_CORE  "microsoft_sites"       /* of a struct ms_files */
#define SITES_LISTS "microsoft_sites.lists" /* of a struct ms_lists */

/* Paths of a drive; of an item, however it is named; of what may be new. */
#define OF_DRIVE(path)                                                                             \
    GRAPH_MY("/drive" path), GRAPH("/drives/{drive-id}" path),                                     \
        GRAPH("/groups/{group-id}/drive" path), GRAPH("/sites/{site-id}/drive" path),              \
        GRAPH("/sites/{site-id}/drives/{drive-id}" path),                                          \
        GRAPH("/sites/{site-id}:/{site-path*}:/drive" path)
#define OF_ITEM(path) OF_DRIVE("/items/{driveItem-id}" path), OF_DRIVE("/root" path), OF_NAMED(path)
#define OF_NAMED(path)                                                                             \
    OF_DRIVE("/root:/{item-path*}:" path), OF_DRIVE("/root:/:" path),                              \
        OF_DRIVE("/items/{driveItem-id}:/:" path),                                                 \
        OF_DRIVE("/items/{driveItem-id}:/{item-path*}:" path),                                     \
        OF_DRIVE("/special/{special-id}" path),                                                    \
        OF_DRIVE("/special/{special-id}:/{item-path*}:" path)
/* Paths without a colon behind them, which name an item and nothing of it. */
#define OF_NAMED_END                                                                               \
    OF_DRIVE("/root:"), OF_DRIVE("/root:/{item-path*}"), OF_DRIVE("/items/{driveItem-id}:"),       \
        OF_DRIVE("/items/{driveItem-id}:/{item-path*}"), OF_DRIVE("/special/{special-id}:"),       \
        OF_DRIVE("/special/{special-id}:/{item-path*}")
/* Of a file by its place in the list of its library. */
#define OF_LISTED(path)                                                                            \
    GRAPH("/sites/{site-id}/lists/{list-id}/items/{listItem-id}/driveItem" path),                  \
        GRAPH(                                                                                     \
            "/sites/{site-id}:/{site-path*}:/lists/{list-id}/items/{listItem-id}/driveItem" path)

#define DRIVE_PATH_PARAMS                                                                          \
    {.name = "user-id", .place = IN_PATH, .required = true},                                       \
        {.name = "site-id", .place = IN_PATH, .required = true},                                   \
        {.name = "group-id", .place = IN_PATH, .required = true},                                  \
        {.name = "site-path", .place = IN_PATH, .required = true},                                 \
        {.name = "drive-id", .place = IN_PATH, .required = true},                                  \
        {.name = "driveItem-id", .place = IN_PATH, .required = true},                              \
        {.name = "special-id", .place = IN_PATH, .required = true},                                \
    {                                                                                              \
        .name = "item-path", .place = IN_PATH, .required = true                                    \
    }

/* A file or a folder of a library. */
struct ms_file {
    int64_t id;       /* its number in the list */
    const char *guid; /* lower case */
    const char *name;
    const char *url; /* where a browser finds it */
    bool folder;
    int64_t size, children; /* children: of a folder */
    int64_t created_us, modified_us, creator, modifier, version;
};

struct ms_files {
    /* The file of a call's path (one of OF_ITEM), for who needs a role there, with its library. 0,
     * -1 refused. */
    int (*of_call)(struct call *c, enum site_role need, struct ms_library *ret,
                   struct ms_file *ret_file);
    /* The library that the drive of a call's path is (OF_DRIVE). 0, -1 refused: it is none. */
    int (*library_of_call)(struct call *c, struct ms_library *ret);
    /* The numbers of all that is in a library, ascending. 0, -1. */
    int (*all)(struct call *c, const struct ms_library *library, int64_t **ret, size_t *ret_n);
    /* One of them. 1, 0, -1. */
    int (*find)(struct call *c, const struct ms_library *library, int64_t id, struct ms_file *ret);
    /* What lists keep of it has changed: its own version rises, by the caller. Refused where
     * somebody else has it checked out. 0, -1. */
    int (*touch)(struct call *c, const struct ms_library *library, struct ms_file *file);
    /* Into the recycle bin. 0, -1. */
    int (*remove)(struct call *c, const struct ms_library *library, int64_t id);
    /* The file as an item of a drive, as a member. 0, -1. */
    int (*write)(struct call *c, const struct ms_library *library, int64_t id, const char *key,
                 const struct odata_query *q);
    /* each() for every file and folder of the libraries that the caller may read for which the
     * words hold (NULL: all), those that changed last first. 0, -1. */
    int (*search)(struct call *c, const struct graph_words *words,
                  int (*each)(void *arg, const struct ms_library *library, int64_t id), void *arg);
};

struct ms_lists {
    /* A file of a library as an item of its list, as a member. 0, -1. */
    int (*write)(struct call *c, const struct ms_library *library, int64_t id, const char *key,
                 const struct odata_query *q);
    /* The values of such an item that a search asks for by their names, as the member "listItem".
     * 0, -1. */
    int (*write_found)(struct call *c, const struct ms_library *library, int64_t id,
                       const struct json *names);
};

#endif
