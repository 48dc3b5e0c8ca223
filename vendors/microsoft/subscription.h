/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions: programs that are notified of changes. A dialect says what can be watched by
 * records (struct core_policy of its core, for the core "graph"): struct graph_feed. The feed
 * numbers its changes; a subscription has the number up to which it has been notified, so that
 * each change is announced once, whatever a call does.
 */
#ifndef SOSIA_MICROSOFT_SUBSCRIPTION_H
#define SOSIA_MICROSOFT_SUBSCRIPTION_H

#include "engine/world/event.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/odata/odata.h"

#define GRAPH_CORE "graph"

/* What a subscription watches, as its feed knows it. Texts are in the arena. */
struct graph_watch {
    int64_t scope;    /* of the feed's events: a mailbox, a calendar */
    const char *part; /* within it, a text of the feed's own: a folder; "": all of it */
    const char *path; /* of a changed thing without its id, as notifications name it:
                         "Users/0d1e.../Messages" */
    const char *tenant;
    bool immutable; /* ids are immutable ones (MG-160) */
};

struct graph_change {
    enum event_operation operation;
    const char *id;    /* NULL: notifications do not say what changed */
    const char *etag;  /* with its quotes; NULL: none */
    const char *type;  /* NULL: the feed's */
    const void *thing; /* the feed's own, for data() */
};
typedef int graph_change_fn(void *arg, const struct graph_change *change);

/* Who watches. */
struct graph_watcher {
    struct actor actor;
    bool app_only;     /* an app itself: "me" is nobody, all mailboxes of its tenant are open */
    struct call *call; /* makes the subscription: its account and its tenant count; NULL: a document
                          has it, or it is there */
};

struct graph_feed {
    const char *kind;        /* of the events after which it is looked at: "calendar.events" */
    const char *type;        /* "#Microsoft.Graph.Event" */
    const char *scopes;      /* of which the token needs one; NULL: any token will do */
    const char *data_scopes; /* the same of resource data and of $filter; NULL: as scopes */
    unsigned operations;     /* bits of what can be asked for (1 << OP_CHANGED); 0: all */
    int max_minutes;         /* of a subscription's life */
    int max_minutes_data;    /* the same with resource data; 0: there is none */
    bool selected;           /* resource data are those that $select names, which must be there */
    /* Is the resource ("me/events", "/users/0d1e.../mailFolders('inbox')/messages") of this feed,
     * and may that actor read it? 1 and *ret but for immutable, 0 it is another's, -1 with Graph's
     * refusal. In seed documents too. */
    int (*open)(struct tx *tx, const struct graph_watcher *who, const char *resource,
                struct graph_watch *ret);
    /* May the watcher still read it? 1, 0, -1. NULL: always. */
    int (*may)(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w);
    /* The number of the last change so far. 0, -1. */
    int (*position)(struct tx *tx, const struct graph_watch *w, int64_t *ret);
    /* Calls fn for each thing that changed after that number, in order, and stops when it gives
     * non-zero, which is given. *ret_last: the number of the last one looked at. 0, -1. */
    int (*changes)(struct tx *tx, const struct graph_watch *w, int64_t after, graph_change_fn *fn,
                   void *arg, int64_t *ret_last);
    /* Writes the members of a changed thing, as the watcher may see it, into an open object: 1, 0
     * it is gone, -1. q: what is asked for, which the writer leaves out by its mask; NULL: all.
     * NULL: there is no resource data. */
    int (*data)(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w,
                const struct graph_change *change, const struct odata_query *q,
                struct json_writer *out);
};

/* ---- for feeds: resource.c ---- */

/* Whose resource it is, an account with that service, and what follows ("/messages"). 1; 0:
 * it names another thing; -1. */
int graph_resource_user(struct tx *tx, const struct graph_watcher *who, const char *resource,
                        enum account_service service, struct graph_user *ret,
                        const char **ret_rest);
/* Is the watcher still there: an app, or a user who was not deleted? 1, 0, -1. */
int graph_watcher_there(struct tx *tx, const struct graph_watcher *who);
/* Is a segment, of any case, next? Goes on behind it then. */
bool graph_resource_word(const char **at, const char *word);
/* The key that is next, "/x" or "('x')", in the arena; goes on behind it. NULL: there is none. */
const char *graph_resource_key(struct arena *a, const char **at);

extern const struct sosia_core graph_subscription_core;

#endif
