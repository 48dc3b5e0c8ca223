/* SPDX-License-Identifier: Apache-2.0 */
/* sosia ca: a local certificate authority, for programs that insist on HTTPS and on the vendors'
 * host names. */
#include "cli/cli.h"
#include "server/ca.h"
#include "services/list.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What is wrong with them, ca_create() says of the directory itself. */
static void make_parents(const char *dir)
{
    char path[PATH_MAX];
    if (strlen(dir) >= sizeof path)
        return;
    strcpy(path, dir);
    for (char *p = path + 1; *path && *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        (void)mkdir(path, 0700);
        *p = '/';
    }
}

static int run_ca(const struct command *self, int argc, char **argv)
{
    struct sosia_err err = {0};
    bool any = false;
    const struct option_row rows[] = {
        {"any-host", NULL, "it can sign for any host: for who keeps it to themselves, as sosia run",
         .flag = &any},
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n != 1)
        return usage(self, "the argument must be one directory");
    make_parents(argv[1]);
    if ((any ? ca_create_any(argv[1], &err) : ca_create(argv[1], sosia_hosts(), &err)) < 0) {
        fprintf(stderr, "sosia ca: %s\n", err.text);
        return EXIT_REFUSED;
    }
    printf("%s/%s is the certificate to trust:\n"
           "  Node    NODE_EXTRA_CA_CERTS=%s/%s\n"
           "  Python  REQUESTS_CA_BUNDLE, SSL_CERT_FILE, HTTPLIB2_CA_CERTS\n"
           "  curl    --cacert, CURL_CA_BUNDLE\n"
           "Serve with it: sosia serve --ca %s --https-port 8788\n",
           argv[1], CA_CERT_FILE, argv[1], CA_CERT_FILE, argv[1]);
    return EXIT_OK;
}

const struct command ca_command = {
    "ca", "[OPTION ...] DIR", "make a local certificate authority in a directory",
    "It can sign for localhost, loopback addresses and the vendors' "
    "hosts, and for nothing else, unless it is said otherwise. Example:\n"
    "  sosia ca ~/.config/sosia/ca",
    run_ca};
