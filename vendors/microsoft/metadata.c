/* SPDX-License-Identifier: Apache-2.0 */
/* $metadata: the CSDL document of the types that are here. It is the same for every world and is
 * made once. */
#include "vendors/microsoft/internal.h"
#include "vendors/microsoft/types/types.h"
#include <pthread.h>

static const struct edm_set sets[] = {
    {"applications", "application", false},
    {"directoryObjects", "directoryObject", false},
    {"groups", "group", false},
    {"me", "user", true},
    {"organization", "organization", false},
    {"places", "place", false},
    {"servicePrincipals", "servicePrincipal", false},
    {"subscribedSkus", "subscribedSku", false},
    {"subscriptions", "subscription", false},
    {"users", "user", false},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *document; /* NULL: there was no memory for it */
static size_t document_len;

static void make_document(void)
{
    struct buf b;
    buf_init(&b, 0);
    edm_write_csdl(&b, sets, SOSIA_LEN(sets));
    document = buf_take(&b, &document_len);
    buf_done(&b);
}

static int metadata(struct call *c)
{
    pthread_once(&once, make_document);
    if (document)
        buf_add(c->body_out, document, document_len);
    else
        edm_write_csdl(c->body_out, sets, SOSIA_LEN(sets));
    call_header_const(c, "Content-Type", "application/xml");
    return 0;
}

static const struct route methods[] = {
    {.id = "graph.metadata",
     .verbs = GET,
     .paths = PATHS(GRAPH("/$metadata")),
     .handler = metadata,
     .risk = RISK_READ,
     .anonymous = true,
     .gives = "application/xml",
     .summary = "The types of what is served, as CSDL"},
};
const struct rows graph_metadata = ROWS(methods);
