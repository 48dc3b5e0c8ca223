/* SPDX-License-Identifier: Apache-2.0 */
/* $metadata: the CSDL documents of the types that are here, of v1.0 and of beta. They are the same
 * for every world and are made once. */
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
/* Of v1.0 and of beta; NULL: there was no memory for it. */
static char *documents[2];
static size_t lens[2];

static void make_documents(void)
{
    for (int beta = 0; beta < 2; beta++) {
        struct buf b;
        buf_init(&b, 0);
        edm_write_csdl(&b, sets, SOSIA_LEN(sets), beta);
        documents[beta] = buf_take(&b, &lens[beta]);
        buf_done(&b);
    }
}

static int metadata(struct call *c)
{
    const bool beta = graph_is_beta(c);
    pthread_once(&once, make_documents);
    if (documents[beta])
        buf_add(c->body_out, documents[beta], lens[beta]);
    else
        edm_write_csdl(c->body_out, sets, SOSIA_LEN(sets), beta);
    call_header_const(c, "Content-Type", "application/xml");
    return 0;
}

static const struct route methods[] = {
    {ROUTE("graph.metadata", GET, GRAPH("/$metadata")), .handler = metadata, .risk = RISK_READ,
     .anonymous = true, .gives = "application/xml",
     .summary = "The types of what is served, as CSDL"},
};
const struct rows graph_metadata = ROWS(methods);
