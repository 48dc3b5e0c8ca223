/* SPDX-License-Identifier: Apache-2.0 */
/* The command of the archive: starts the program that lies beside it by the loader that lies beside
 * it, with the libraries there, so that the machine needs none of its own. It is static. What it
 * starts knows by SOSIA_LAUNCHER what it was started by, since /proc/self/exe is the loader then.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char base[PATH_MAX], loader[PATH_MAX + 64], path[2 * PATH_MAX + 128], program[PATH_MAX + 64],
    modules[PATH_MAX + 64];

int main(int argc, char **argv)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) {
        fprintf(stderr, "sosia: expected to read /proc/self/exe: %s\n",
                n < 0 ? strerror(errno) : "it is empty");
        return 1;
    }
    self[n] = 0;
    memcpy(base, self, (size_t)n + 1);
    for (int i = 0; i < 2; i++) { /* bin/sosia */
        char *slash = strrchr(base, '/');
        if (slash)
            *slash = 0;
    }
    snprintf(loader, sizeof loader, "%s/lib/sosia/libc/" LOADER, base);
    snprintf(path, sizeof path, "%s/lib/sosia:%s/lib/sosia/libc", base, base);
    snprintf(program, sizeof program, "%s/libexec/sosia", base);
    snprintf(modules, sizeof modules, "%s/lib/sosia/libc/gconv", base);
    char **args = calloc((size_t)argc + 7, sizeof *args);
    if (!args || setenv("SOSIA_LAUNCHER", self, 1) < 0 || setenv("GCONV_PATH", modules, 1) < 0) {
        fprintf(stderr, "sosia: %s\n", strerror(errno));
        return 1;
    }
    int at = 0;
    args[at++] = loader;
    args[at++] = "--library-path";
    args[at++] = path;
    args[at++] = "--argv0";
    args[at++] = argc > 0 ? argv[0] : "sosia";
    args[at++] = program;
    for (int i = 1; i < argc; i++)
        args[at++] = argv[i];
    execv(loader, args);
    fprintf(stderr, "sosia: expected to start %s: %s\n", loader, strerror(errno));
    return 1;
}
