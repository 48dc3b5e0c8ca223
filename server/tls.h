/* SPDX-License-Identifier: Apache-2.0 */
/* The certificates that the HTTPS listener shows: one from files, or from a local authority one for
 * the usual names and others made as clients ask for them (worlds' own names under localhost). */
#ifndef SOSIA_SERVER_TLS_H
#define SOSIA_SERVER_TLS_H

#include "server/server.h"
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

struct tls;

/* Reads the certificate of the options, or makes those of the authority's. -1: err says what is
 * wrong with them. */
int tls_open(const struct server_options *o, struct tls **ret_tls, struct sosia_err *err);
/* One of an authority of its own, which lives as long as it does, with these names and no other:
 * who asks for others must not fill the memory. ret_authority: the authority's certificate in PEM,
 * to be freed by gnutls_free(). */
int tls_open_own(const char *const *hosts, struct tls **ret_tls, gnutls_datum_t *ret_authority,
                 struct sosia_err *err);
void tls_free(struct tls *tls);
/* The certificate for the name a client asks for (NULL: none), and its key; borrowed for tls's
 * life. */
void tls_certificate(struct tls *tls, const char *name, gnutls_pcert_st **ret_chain,
                     unsigned *ret_n, gnutls_privkey_t *ret_key);

#endif
