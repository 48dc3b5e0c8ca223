/* SPDX-License-Identifier: Apache-2.0 */
/* What namespaces don't keep apart: further namespaces and mounts, input to a terminal, kinds of
 * sockets that belong to no network namespace (AF_VSOCK leads to the host of a virtual machine),
 * keyrings, performance counters, BPF; files that are read without a trace; and io_uring, which
 * would pass all that by. libseccomp knows the ways into the kernel of each architecture. */
#include "sandbox/private.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int add_refused(scmp_filter_ctx f)
{
    static const int refused[] = {
        SCMP_SYS(add_key),     SCMP_SYS(request_key),     SCMP_SYS(keyctl),
        SCMP_SYS(bpf),         SCMP_SYS(perf_event_open), SCMP_SYS(setns),
        SCMP_SYS(mount),       SCMP_SYS(umount2),         SCMP_SYS(pivot_root),
        SCMP_SYS(open_tree),   SCMP_SYS(move_mount),      SCMP_SYS(fsopen),
        SCMP_SYS(fsmount),     SCMP_SYS(fspick),          SCMP_SYS(mount_setattr),
        SCMP_SYS(userfaultfd), SCMP_SYS(kexec_load),      SCMP_SYS(open_by_handle_at)};
    /* What clone3 asks for is in memory, where a filter doesn't look; libraries do without. */
    static const int absent[] = {SCMP_SYS(clone3), SCMP_SYS(io_uring_setup),
                                 SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register)};
    static const unsigned terminal[] = {TIOCSTI, TIOCLINUX};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(refused); i++)
        rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(absent); i++)
        rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), absent[i], 0);
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(terminal); i++)
        rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, terminal[i]));
    return rc;
}

static int add_namespaces(scmp_filter_ctx f)
{
    static const unsigned flags[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,    CLONE_NEWNET,
                                     CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80 /* time */};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(flags); i++) {
        rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, flags[i], flags[i]));
        if (rc == 0 && flags[i] != 0x80) /* of clone that bit is the signal's */
            rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                  SCMP_A0(SCMP_CMP_MASKED_EQ, flags[i], flags[i]));
    }
    return rc;
}

static int add_families(scmp_filter_ctx f)
{
    const uint32_t no_family = SCMP_ACT_ERRNO(EAFNOSUPPORT);
    int rc = 0;
    for (unsigned family = 0; rc == 0 && family < AF_NETLINK; family++)
        if (family != AF_UNIX && family != AF_INET && family != AF_INET6)
            rc = seccomp_rule_add(f, no_family, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, family));
    if (rc == 0)
        rc = seccomp_rule_add(f, no_family, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_GT, AF_NETLINK));
    return rc;
}

/* What a program has mapped is known by the time of the last access (tree_is_untouched()), which a
 * file's owner could keep from being noted. Who does not own a file is refused the same way, so
 * programs that ask for it do without. */
static int add_unnoted(scmp_filter_ctx f)
{
    static const unsigned set[] = {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR};
    /* Their flags are in memory; the second one's number is the same everywhere, and newer than the
     * library. */
    static const int absent[] = {SCMP_SYS(openat2), 469 /* file_setattr */};
    const struct scmp_arg_cmp unnoted[] = {SCMP_A1(SCMP_CMP_MASKED_EQ, O_NOATIME, O_NOATIME),
                                           SCMP_A2(SCMP_CMP_MASKED_EQ, O_NOATIME, O_NOATIME)};
    const uint32_t refused = SCMP_ACT_ERRNO(EPERM);
    int rc = seccomp_rule_add(f, refused, SCMP_SYS(open), 1, unnoted[0]);
    if (rc == 0)
        rc = seccomp_rule_add(f, refused, SCMP_SYS(openat), 1, unnoted[1]);
    if (rc == 0)
        rc = seccomp_rule_add(f, refused, SCMP_SYS(fcntl), 2,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, F_SETFL), unnoted[1]);
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(set); i++)
        rc = seccomp_rule_add(f, refused, SCMP_SYS(ioctl), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, set[i]));
    for (size_t i = 0; rc == 0 && i < SOSIA_LEN(absent); i++)
        rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), absent[i], 0);
    return rc;
}

int filter_export(int *ret_fd)
{
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    int fd = memfd_create("filter", MFD_CLOEXEC);
    int rc = f && fd >= 0 ? seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS))
                          : -errno;
    if (rc == 0)
        rc = add_refused(f);
    if (rc == 0)
        rc = add_namespaces(f);
    if (rc == 0)
        rc = add_families(f);
    if (rc == 0)
        rc = add_unnoted(f);
    if (rc == 0)
        rc = seccomp_export_bpf(f, fd);
    if (f)
        seccomp_release(f);
    if (rc < 0) {
        if (fd >= 0)
            close(fd);
        errno = -rc;
        return -1;
    }
    *ret_fd = fd;
    return 0;
}

int filter_load(int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -1;
    struct sock_filter *code = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (code == MAP_FAILED)
        return -1;
    struct sock_fprog program = {(unsigned short)((size_t)st.st_size / sizeof *code), code};
    int rc = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    munmap(code, (size_t)st.st_size);
    return rc;
}
