/* SPDX-License-Identifier: Apache-2.0 */
/* usage: make_ca DIR [NAME...]: an authority in DIR; with names, also a certificate for them:
 * leaf.crt, leaf.key. */
#include "server/ca.h"
#include "tests/support/hosts.h"
#include <stdio.h>
#include <stdlib.h>

static int save(const char *dir, const char *file, const struct sosia_blob *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fwrite(text->data, 1, text->len, f);
    return fclose(f);
}

int main(int argc, char **argv)
{
    struct sosia_err err = {0};
    struct ca *ca;
    struct sosia_blob cert, key;
    int rc = 0;
    if (argc < 2)
        return 2;
    if (ca_create(argv[1], test_hosts, &err) < 0 || ca_open(argv[1], &ca, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    if (argc > 2) {
        if (ca_issue(ca, (const char *const *)argv + 2, (size_t)argc - 2, &cert, &key, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            rc = 1;
        } else {
            rc = save(argv[1], "leaf.crt", &cert) || save(argv[1], "leaf.key", &key);
            free(cert.data);
            free(key.data);
        }
    }
    ca_free(ca);
    return rc;
}
