/* SPDX-License-Identifier: Apache-2.0 */
#include "server/control/kept.h"
#include "console/report.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int control_kept_open(struct control_call *c, const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0
               ? fd
               : sosia_fail(&c->err, SOSIA_E_IO, NULL, NULL, "%.200s: %s", dir, strerror(errno));
}

bool control_kept_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= 255;
}

int control_kept_text(struct control_call *c, struct arena *a, int dir, const char *name, int most,
                      const char *field, const char **ret, size_t *ret_len)
{
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *ret = NULL;
    *ret_len = 0;
    if (fd < 0)
        return 0;
    int rc = 0;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > most) {
        rc = sosia_fail(&c->err, SOSIA_E_TOO_LARGE, "tooLarge", field,
                        "%s must be a file of at most %d bytes", name, most);
    } else {
        char *text = malloc((size_t)st.st_size + 1);
        ssize_t n = 0, got = 1;
        while (text && n < st.st_size && got > 0)
            n += got = read(fd, text + n, (size_t)(st.st_size - n));
        if (got < 0) {
            rc = sosia_fail(&c->err, SOSIA_E_IO, NULL, field, "%s: %s", name, strerror(errno));
        } else {
            *ret = text ? arena_memdup(a, text, (size_t)n) : NULL;
            *ret_len = (size_t)n;
            if (!*ret || arena_failed(a))
                rc = sosia_fail_memory(&c->err);
        }
        free(text);
    }
    close(fd);
    return rc;
}

int control_kept_json(struct control_call *c, struct arena *a, int dir, const char *name, int most,
                      const char *field, const struct json **ret)
{
    const char *text;
    struct sosia_err err;
    size_t len;
    *ret = NULL;
    if (control_kept_text(c, a, dir, name, most, field, &text, &len) < 0)
        return -1;
    if (text && episode_json(a, text, len, ret, &err) < 0)
        *ret = NULL;
    return 0;
}

const char *control_kept_str(const struct json *v, const char *member)
{
    const char *name = json_get_str(v, member);
    return name && strlen(name) <= KEPT_NAME_MAX ? name : NULL;
}
