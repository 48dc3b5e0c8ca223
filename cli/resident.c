/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of files that a process maps and does not write are the file's: to let go of them loses
 * nothing (madvise(2), MADV_DONTNEED). That holds for segments that the loader maps without the
 * right to write, unless the loader writes to them all the same (DT_TEXTREL), which ours do not.
 */
#include "cli/resident.h"
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whether the loader has written to segments that can't be written. */
static bool has_written(const struct dl_phdr_info *o)
{
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        if (p->p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *d = (const void *)(o->dlpi_addr + p->p_vaddr);
        for (; d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_TEXTREL || (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_TEXTREL)))
                return true;
    }
    return false;
}

static int let_go(struct dl_phdr_info *o, size_t size, void *page)
{
    uintptr_t mask = *(const uintptr_t *)page - 1;
    if (strncmp(o->dlpi_name, "linux-", 6) == 0 || has_written(o)) /* the kernel's own */
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        uintptr_t from = (o->dlpi_addr + p->p_vaddr) & ~mask;
        uintptr_t to = (o->dlpi_addr + p->p_vaddr + p->p_filesz + mask) & ~mask;
        if (p->p_type == PT_LOAD && !(p->p_flags & PF_W))
            madvise((void *)from, to - from, MADV_DONTNEED);
    }
    return 0;
}

void resident_let_go(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(let_go, &page);
}
