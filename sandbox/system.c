/* SPDX-License-Identifier: Apache-2.0 */
/* The system as programs of a sandbox see it: a root of its own, which has the system's programs
 * and libraries read-only, a few files of /etc, some devices, and private directories. */
#include "sandbox/private.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ROOT "/tmp" /* where the new root is made, in a private mount namespace */
#define OLD  "/.old"

static const char passwd[] = "root:x:0:0:root:/root:/usr/sbin/nologin\n"
                             "user:x:1000:1000:user:" SANDBOX_HOME ":/bin/bash\n"
                             "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
static const char group[] = "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n";
static const char switches[] = "passwd: files\ngroup: files\nshadow: files\nhosts: files\n"
                               "services: files\nprotocols: files\n";

static const struct {
    const char *name, *text;
} files[] = {{"etc/passwd", passwd},
             {"etc/group", group},
             {"etc/nsswitch.conf", switches},
             {"etc/hostname", "sandbox\n"},
             {"etc/resolv.conf", ""}};

/* Of the system's own /etc: what programs can't do without and what says nothing of the machine. */
static const char *const shown[] = {"etc/ld.so.cache", "etc/alternatives",    "etc/fonts",
                                    "etc/ssl/certs",   "etc/ca-certificates", "etc/mime.types",
                                    "etc/services",    "etc/protocols",       "etc/localtime"};

static const char *const directories[] = {"etc",     "usr",        "dev",  "proc",    "tmp",
                                          "var",     "var/tmp",    "run",  "home",    "home/user",
                                          "data",    "executions", "opt",  "opt/bin", "dev/shm",
                                          "dev/pts", "etc/ssl",    ".old", ".bases"};

static const char *const devices[] = {"null", "zero", "full", "random", "urandom"};

static char path_room[256];
static const char *in_root(const char *name)
{
    snprintf(path_room, sizeof path_room, ROOT "/%s", name);
    return path_room;
}

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    size_t n = strlen(text);
    int rc = fd >= 0 && write(fd, text, n) == (ssize_t)n ? 0 : -1;
    if (fd >= 0)
        close(fd);
    return rc;
}

/* A copy of a mount, with attributes, at another place. */
static int show(const char *from, const char *at, uint64_t set)
{
    struct mount_attr attr = {.attr_set = set | MOUNT_ATTR_NOSUID};
    int tree = open_tree(AT_FDCWD, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    int rc =
        tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr) < 0 ||
                move_mount(tree, "", AT_FDCWD, at, MOVE_MOUNT_F_EMPTY_PATH) < 0
            ? -1
            : 0;
    int why = errno;
    if (tree >= 0)
        close(tree);
    errno = why;
    return rc;
}

/* /bin, /lib, /lib64 and the like: links into /usr, or directories of the system. */
static int show_top(const char *name)
{
    char from[64], target[64];
    struct stat st;
    snprintf(from, sizeof from, "/%s", name);
    if (lstat(from, &st) < 0)
        return 0;
    ssize_t n = S_ISLNK(st.st_mode) ? readlink(from, target, sizeof target - 1) : 0;
    if (n > 0) {
        target[n] = 0;
        return symlink(target, in_root(name));
    }
    if (mkdir(in_root(name), 0755) < 0)
        return -1;
    return show(from, in_root(name), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV);
}

static int show_etc(const char *name)
{
    char from[64];
    struct stat st;
    snprintf(from, sizeof from, "/%s", name);
    if (stat(from, &st) < 0)
        return 0;
    if (S_ISDIR(st.st_mode) ? mkdir(in_root(name), 0755) : write_file(in_root(name), ""))
        return -1;
    return show(from, in_root(name), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV);
}

/* The system's bundle, which has the authority at its end. */
static int write_bundle(const char *path, const char *authority)
{
    char part[65536];
    int from = open(SANDBOX_BUNDLE, O_RDONLY | O_CLOEXEC), rc = 0;
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    ssize_t n = 0, size = (ssize_t)strlen(authority);
    while (to >= 0 && from >= 0 && (n = read(from, part, sizeof part)) > 0 && rc == 0)
        rc = write(to, part, (size_t)n) == n ? 0 : -1;
    if (to < 0 || n < 0 || rc < 0 || write(to, authority, (size_t)size) != size)
        rc = -1;
    int why = errno;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    errno = why;
    return rc;
}

/* Programs know authorities by one file; the directory of the system's is read-only. */
static int show_authority(const char *authority)
{
    static const char own[] = ROOT "/etc/sosia-ca-bundle.crt", place[] = ROOT SANDBOX_BUNDLE;
    if (!*authority)
        return 0;
    if (access(ROOT "/etc/ssl/certs", F_OK) < 0 && mkdir(ROOT "/etc/ssl/certs", 0755) < 0)
        return -1;
    if (write_file(ROOT SANDBOX_CERT, authority) < 0 || write_bundle(own, authority) < 0)
        return -1;
    if (access(place, F_OK) < 0 && write_file(place, "") < 0)
        return -1;
    return show(own, place, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV);
}

/* A path that the operator shows, at the same place; what is there already stays. */
static int show_path(const char *path)
{
    char at[PATH_MAX];
    struct stat st, there;
    int n = snprintf(at, sizeof at, ROOT "%s", path);
    if (n < 0 || n >= (int)sizeof at) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (stat(path, &st) < 0)
        return -1;
    if (stat(at, &there) == 0 && there.st_ino == st.st_ino && there.st_dev == st.st_dev)
        return 0; /* it is below another one */
    for (char *slash = at + sizeof ROOT; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        if (mkdir(at, 0755) < 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    if (S_ISDIR(st.st_mode) ? mkdir(at, 0755) < 0 && errno != EEXIST : write_file(at, "") < 0)
        return -1;
    return show(path, at, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV);
}

static int show_devices(void)
{
    static const char *const links[][2] = {{"pts/ptmx", "dev/ptmx"},
                                           {"/proc/self/fd", "dev/fd"},
                                           {"/proc/self/fd/0", "dev/stdin"},
                                           {"/proc/self/fd/1", "dev/stdout"},
                                           {"/proc/self/fd/2", "dev/stderr"}};
    for (size_t i = 0; i < SOSIA_LEN(devices); i++) {
        char from[32], name[32];
        snprintf(from, sizeof from, "/dev/%s", devices[i]);
        snprintf(name, sizeof name, "dev/%s", devices[i]);
        if (write_file(in_root(name), "") < 0 || show(from, in_root(name), 0) < 0)
            return -1;
    }
    for (size_t i = 0; i < SOSIA_LEN(links); i++)
        if (symlink(links[i][0], in_root(links[i][1])) < 0)
            return -1;
    return 0;
}

static int fill_root(const char *view, size_t len, const char **ret_what)
{
    static const char *const top[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};
    for (size_t i = 0; i < SOSIA_LEN(directories); i++)
        if (mkdir(in_root(*ret_what = directories[i]), 0755) < 0)
            return -1;
    for (size_t i = 0; i < SOSIA_LEN(files); i++)
        if (write_file(in_root(*ret_what = files[i].name), files[i].text) < 0)
            return -1;
    if (show(*ret_what = "/usr", in_root("usr"), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(top); i++)
        if (show_top(*ret_what = top[i]) < 0)
            return -1;
    for (size_t i = 0; i < SOSIA_LEN(shown); i++)
        if (show_etc(*ret_what = shown[i]) < 0)
            return -1;
    if (show_authority(view) < 0) {
        *ret_what = "an authority's certificate";
        return -1;
    }
    for (const char *path = view + strlen(view) + 1; path < view + len; path += strlen(path) + 1)
        if (show_path(*ret_what = path) < 0)
            return -1;
    /* Each session has hosts of its own. */
    if (symlink(SANDBOX_HOSTS_FILE, in_root(*ret_what = "etc/hosts")) < 0)
        return -1;
    /* Debian has no program of the older name. */
    if (access("/usr/bin/python", F_OK) < 0 &&
        symlink("/usr/bin/python3", in_root(*ret_what = "opt/bin/python")) < 0)
        return -1;
    *ret_what = "devices";
    return show_devices();
}

int system_show(const char *view, size_t len, const char **ret_what)
{
    umask(022);
    *ret_what = "private mounts";
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -1;
    *ret_what = "a root of its own";
    if (mount("tmpfs", ROOT, "tmpfs", MS_NOSUID, "mode=755,size=4m,nr_inodes=512") < 0 ||
        fill_root(view, len, ret_what) < 0)
        return -1;
    *ret_what = "change to a root of its own";
    if (chdir(ROOT) < 0 || syscall(SYS_pivot_root, ".", ROOT OLD) < 0 || chdir("/") < 0)
        return -1;
    *ret_what = "a place for bases";
    return mount("tmpfs", SANDBOX_BASES, "tmpfs", MS_NOSUID | MS_NODEV,
                 "mode=700,size=64k,nr_inodes=256");
}

static int mount_private(const char *at, const char *mode, int64_t bytes, int64_t nodes)
{
    char options[128];
    snprintf(options, sizeof options, "mode=%s,size=%lld,nr_inodes=%lld", mode, (long long)bytes,
             (long long)nodes);
    return mount("tmpfs", at, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

static void base_at(uint32_t number, char ret[64])
{
    snprintf(ret, 64, SANDBOX_BASES "/%u", number);
}

int system_base(const struct base_order *order, int *ret_fd)
{
    char at[64];
    base_at(order->number, at);
    if (mkdir(at, 0700) < 0)
        return -1;
    *ret_fd = mount_private(at, "755", order->bytes, order->nodes) < 0
                  ? -1
                  : open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*ret_fd >= 0)
        return 0;
    int why = errno;
    system_drop_base(order->number);
    errno = why;
    return -1;
}

/* Sessions that have it under their /data keep it until they end. */
void system_drop_base(uint32_t number)
{
    char at[64];
    base_at(number, at);
    umount2(at, MNT_DETACH);
    rmdir(at);
}

/* /data is a directory over the base: what is changed is in a directory of its own. That keeps
 * marks of what was removed as attributes, which not every kernel lets a user's file system have
 * (Linux 6.6): without them what was removed with a directory would come back. Where numbers of
 * files can be made one sequence they are, so that programs see one file system. */
static int mount_layer(const struct session_order *order)
{
    char options[200];
    if (mkdir(SANDBOX_UPPER, 0755) < 0 || mkdir(SANDBOX_WORK, 0700) < 0 ||
        setxattr(SANDBOX_UPPER, "user.overlay.tried", "y", 1, 0) < 0 ||
        removexattr(SANDBOX_UPPER, "user.overlay.tried") < 0)
        return -1;
    snprintf(options, sizeof options,
             "lowerdir=" SANDBOX_BASES "/%u,upperdir=" SANDBOX_UPPER ",workdir=" SANDBOX_WORK
             ",userxattr,xino=on",
             order->base);
    return mount("overlay", SANDBOX_DATA, "overlay", MS_NOSUID | MS_NODEV, options);
}

/* A line for each name, since programs read lines of a few hundred bytes at most. */
static int write_hosts(const char *names)
{
    FILE *f = fopen(SANDBOX_HOSTS_FILE, "we");
    if (!f)
        return -1;
    fputs("127.0.0.1 localhost\n::1 localhost\n", f);
    for (size_t n; *names; names += n + (names[n] != 0))
        if ((n = strcspn(names, " ")) > 0)
            fprintf(f, SANDBOX_ADDRESS " %.*s\n", (int)n, names);
    return fclose(f) == 0 ? 0 : -1;
}

int system_private(const struct session_order *order, int *ret_upper, const char **ret_what)
{
    const struct sandbox_limits *l = &order->limits;
    struct mount_attr shut = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID};
    *ret_what = "/proc";
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return -1;
    /* A /proc is only to be had while another one is seen whole: the old root goes afterwards. */
    *ret_what = "the system's own root";
    if (umount2(OLD, MNT_DETACH) < 0)
        return -1;
    *ret_what = "the root read-only";
    if (mount_setattr(AT_FDCWD, "/", 0, &shut, sizeof shut) < 0)
        return -1;
    static const char *const fixed[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq",
                                        "/proc/bus", "/proc/fs"};
    for (size_t i = 0; i < SOSIA_LEN(fixed); i++)
        if (access(fixed[i], F_OK) == 0 &&
            show(*ret_what = fixed[i], fixed[i], MOUNT_ATTR_RDONLY) < 0)
            return -1;
    static const char *const masked[] = {"/proc/kcore", "/proc/keys", "/proc/timer_list",
                                         "/proc/sched_debug"};
    for (size_t i = 0; i < SOSIA_LEN(masked); i++)
        if (access(masked[i], F_OK) == 0 && show("/dev/null", *ret_what = masked[i], 0) < 0)
            return -1;
    *ret_what = "private directories";
    if (mount_private(SANDBOX_DATA, "755", l->data_bytes, l->data_nodes) < 0)
        return -1;
    *ret_what = "directories over others";
    if (order->base && ((*ret_upper = open(SANDBOX_DATA, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0 ||
                        mount_layer(order) < 0))
        return -1;
    *ret_what = "bases of others";
    if (umount2(SANDBOX_BASES, MNT_DETACH) < 0)
        return -1;
    *ret_what = "private directories";
    if ((order->home ? mount(SANDBOX_DATA, SANDBOX_HOME, NULL, MS_BIND, NULL)
                     : mount_private(SANDBOX_HOME, "755", l->home_bytes, l->tmp_nodes)) < 0 ||
        mount_private("/tmp", "1777", l->tmp_bytes, l->tmp_nodes) < 0 ||
        mount_private("/var/tmp", "1777", l->tmp_bytes, l->tmp_nodes) < 0 ||
        mount_private("/run", "755", (int64_t)1 << 20, 1000) < 0 ||
        mount_private("/executions", "755", l->tmp_bytes, l->tmp_nodes) < 0 ||
        mount_private("/dev/shm", "1777", l->tmp_bytes, l->tmp_nodes) < 0 ||
        mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
              "newinstance,ptmxmode=0666,mode=620") < 0)
        return -1;
    *ret_what = "configuration";
    return write_file(SANDBOX_GIT_FILE, order->git) < 0 ? -1 : write_hosts(order->hosts);
}
