/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web of a world: pages that a seed document has, by host and path. Nothing leads out of it. A
 * host is a name: addresses of machines, in whatever way they are written, and names that mean this
 * machine or its network are none, in pages, requests and redirects alike.
 */
#ifndef SOSIA_WEB_H
#define SOSIA_WEB_H

#include "engine/state/stored.h"

#define WEB_URL_MAX  2048              /* bytes */
#define WEB_TEXT_MAX ((size_t)1 << 20) /* bytes of a page, and of a form */
#define WEB_HOPS     5                 /* redirects that are followed */

/* Of the rows to which a server hands requests for hosts of the web: a host and a path follow. */
#define WEB_PATH "/web/v1/pages"
/* Of the row that is asked before a program connects to a host beyond the world: "HOST:PORT"
 * follows. */
#define WEB_CONNECT "/web/v1/connect"

struct web_page {
    int64_t id;
    const char *url; /* host and path with the query: "shop.example/a?b" */
    int status;
    const char *type, *text, *location; /* location NULL: it leads nowhere else */
    bool takes;                         /* forms */
    const char *author;                 /* an address */
};

struct web_form {
    int64_t id, actor, at_us;
    const char *key, *url, *type, *text;
};

/* The host and path of an address, in the arena; base: of the page that it is on (NULL: none), for
 * one without a host. NULL: it is none; *ret_why says what it must be. */
const char *web_url(struct arena *a, const char *text, const char *base, const char **ret_why);
/* The page at a host and path, without following. 1, 0, -1; *ret_host: whether it has any page. */
int web_find(struct tx *tx, const char *url, struct web_page *ret, bool *ret_host);
/* The hosts that have pages, as a list of JSON without ports, as world_read() asks for it. 0, -1.
 */
int web_hosts(struct tx *tx, struct json_writer *w, void *arg);
int web_form_add(struct tx *tx, struct web_form *form);

extern const struct sosia_core web_core;

#endif
