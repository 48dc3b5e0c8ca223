/* SPDX-License-Identifier: Apache-2.0 */
/* Who else may read and write what the server keeps: said once, at the start. */
#include "server/internal.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void warn(struct server *s, const char *path, const struct stat *st, const char *expected)
{
    struct log_line line;
    char mode[8];
    snprintf(mode, sizeof mode, "%04o", (unsigned)st->st_mode & 07777);
    log_begin(&line, &s->log, SERVER_LOG_WARN, "others have access");
    log_str(&line, "path", path);
    log_str(&line, "expected", expected);
    log_str(&line, "mode", mode);
    log_num(&line, "owner", st->st_uid);
    log_end(&line);
}

/* others: bits of the mode that nobody but the owner, who is this process or root, may have. */
static void check(struct server *s, const char *path, mode_t others, const char *expected)
{
    struct stat st;
    if (!path || stat(path, &st) < 0)
        return; /* opening it fails and says so */
    if ((st.st_mode & others) || (st.st_uid != geteuid() && st.st_uid != 0))
        warn(s, path, &st, expected);
}

void modes_check(struct server *s, const struct server_options *o)
{
    char key[PATH_MAX];
    check(s, o->data_dir, 077, "0700");
    check(s, o->tls_key, 077, "0600");
    check(s, o->ca_dir, 022, "not writable by others");
    if (o->ca_dir && snprintf(key, sizeof key, "%s/ca.key", o->ca_dir) < (int)sizeof key)
        check(s, key, 077, "0600");
}
