/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of files that a process maps privately and that nobody has written there are the file's: to
 * let go of them loses nothing (madvise(2), MADV_DONTNEED). Code may be written in spite of its
 * rights: by the loader (DT_TEXTREL), a debugger (breakpoints) or what replaces functions. The
 * kernel says of each mapping how much of it is the process's own (proc(5), smaps: Anonymous).
 */
#include "cli/resident.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct mapping {
    unsigned long from, to;
    bool is_files; /* a file's, private, and not to be written */
};

/* A line that begins a mapping: "from-to rights offset device inode path". */
static void read_mapping(const char *line, struct mapping *ret)
{
    char rights[5] = "";
    unsigned long inode = 0;
    int n = sscanf(line, "%lx-%lx %4s %*x %*s %lu", &ret->from, &ret->to, rights, &inode);
    ret->is_files = n == 4 && rights[1] == '-' && rights[3] == 'p' && inode;
}

void resident_let_go(void)
{
    static const char own[] = "Anonymous:";
    struct mapping m = {0};
    char *line = NULL;
    size_t cap = 0;
    FILE *f = fopen("/proc/self/smaps", "re");
    while (f && getline(&line, &cap, f) > 0) {
        if (*line < 'A' || *line > 'Z')
            read_mapping(line, &m);
        else if (m.is_files && strncmp(line, own, sizeof own - 1) == 0 &&
                 strtoul(line + sizeof own - 1, NULL, 10) == 0)
            madvise((void *)m.from, m.to - m.from, MADV_DONTNEED);
    }
    free(line);
    if (f)
        fclose(f);
}
