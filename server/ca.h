/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A local certificate authority: so that clients which insist on HTTPS and on the vendors' host
 * names can be pointed at a sosia server. It is made on the user's machine, for that machine.
 *
 * Its certificate carries critical name constraints: whoever gets hold of the key can sign for
 * localhost, loopback addresses and the hosts that it was made for (the vendors'), and for nothing
 * else.
 */
#ifndef SOSIA_SERVER_CA_H
#define SOSIA_SERVER_CA_H

#include "sosia.h"
#include <gnutls/abstract.h>
#include <gnutls/x509.h>

#define CA_CERT_FILE "ca.crt"
#define CA_KEY_FILE  "ca.key"

struct ca;

/* Makes an authority in a directory (made if it isn't there): ca.crt, and ca.key with mode 0600.
 * Fails when there is one already. hosts: names it may sign for besides localhost and loopback
 * addresses (service_hosts(), for a start), NULL-terminated; may be NULL. */
int ca_create(const char *dir, const char *const *hosts, struct sosia_err *err);
/* The same of one that may sign for any name: whoever trusts it must see nobody else's. */
int ca_create_any(const char *dir, struct sosia_err *err);
int ca_open(const char *dir, struct ca **ret_ca, struct sosia_err *err);
/* One whose key is in this process's memory alone; hosts: as ca_create(). */
int ca_make(const char *const *hosts, struct ca **ret_ca, struct sosia_err *err);
/* Its certificate in PEM, to be freed by gnutls_free(). */
int ca_certificate(const struct ca *ca, gnutls_datum_t *ret_text, struct sosia_err *err);
void ca_free(struct ca *ca);
bool ca_permits(const struct ca *ca, const char *name);

/* What every server's certificate is for; NULL-terminated. */
extern const char *const ca_server_names[];

/* A certificate for a server with these names (hosts, "*.host", addresses), for 397 days or as long
 * as the authority lives. */
int ca_sign(const struct ca *ca, const char *const *names, size_t n, gnutls_x509_privkey_t key,
            gnutls_x509_crt_t *ret_cert, struct sosia_err *err);
/* A new P-256 key. */
int ca_new_key(gnutls_x509_privkey_t *ret_key, struct sosia_err *err);

#endif
