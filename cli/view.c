/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file system of the command of `sosia run`: all mounts read-only, and over them, from the
 * outermost path to the innermost, *places* that are private and empty or are shown as they are.
 * Sockets in what is shown can be connected to even on a read-only mount, so those that the kernel
 * lists are covered one by one.
 */
#include "cli/cli.h"
#include "cli/sandbox.h"
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACES_MAX 64
#define FILES_MAX  8

enum place_kind { PLACE_PRIVATE, PLACE_READABLE, PLACE_WRITABLE };

struct place {
    const char *path;
    enum place_kind kind;
    const char *mode; /* of a private directory */
    bool named;       /* by the user */
};

struct view_file {
    const char *name, *over;
    const struct buf *content;
};

struct view {
    struct arena arena;
    struct place places[PLACES_MAX];
    size_t n_places;
    struct view_file files[FILES_MAX];
    size_t n_files;
    const char **sockets;
    size_t n_sockets, room;
    const char *directory, *home;
};

/* ---- deciding ---- */

/* True if path is dir or below it. */
static bool within(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    if (strcmp(dir, "/") == 0)
        return true;
    return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static struct place *find_place(struct view *v, const char *path)
{
    for (size_t i = 0; i < v->n_places; i++)
        if (strcmp(v->places[i].path, path) == 0)
            return &v->places[i];
    return NULL;
}

/* What is named last for a path holds. */
static int add_place(struct view *v, struct place place)
{
    struct place *there = find_place(v, place.path);
    if (!there && v->n_places == PLACES_MAX) {
        fprintf(stderr, "sosia run: --allow and --show take %d paths at most together\n",
                PLACES_MAX / 2);
        return -1;
    }
    if (!there)
        there = &v->places[v->n_places++];
    place.path = arena_strdup(&v->arena, place.path);
    *there = place;
    return 0;
}

/* The user's home directory if hiding it hides nothing of the system. */
static const char *find_home(struct view *v)
{
    static const char *const system[] = {"/usr", "/bin",  "/sbin", "/lib", "/etc", "/boot",
                                         "/dev", "/proc", "/sys",  "/run", "/var", "/tmp"};
    const char *home = getenv("HOME");
    char real[PATH_MAX];
    struct stat st;
    if (!home || home[0] != '/' || !realpath(home, real) || strcmp(real, "/") == 0 ||
        stat(real, &st) < 0 || !S_ISDIR(st.st_mode))
        return NULL;
    for (size_t i = 0; i < SOSIA_LEN(system); i++)
        if (strcmp(real, system[i]) == 0 ||
            (within(real, system[i]) && strcmp(system[i], "/tmp") != 0 &&
             strcmp(system[i], "/var") != 0))
            return NULL;
    return arena_strdup(&v->arena, real);
}

static void add_socket(struct view *v, const char *path)
{
    if (v->n_sockets == v->room) {
        size_t room = 2 * v->room + 64;
        const char **more = arena_calloc(&v->arena, room, sizeof *more);
        if (arena_failed(&v->arena))
            return; /* view_check() reports it */
        if (v->n_sockets)
            memcpy(more, v->sockets, v->n_sockets * sizeof *more);
        v->sockets = more;
        v->room = room;
    }
    v->sockets[v->n_sockets++] = path;
}

/* A socket that was bound to a relative path: it is found in the directory of a visible process,
 * or not at all. */
static void add_relative(struct view *v, const char *name)
{
    char link[64], directory[PATH_MAX];
    struct stat st;
    DIR *proc = opendir("/proc");
    for (struct dirent *e; proc && (e = readdir(proc));) {
        if (e->d_name[0] < '0' || e->d_name[0] > '9')
            continue;
        snprintf(link, sizeof link, "/proc/%.20s/cwd", e->d_name);
        ssize_t n = readlink(link, directory, sizeof directory - 1);
        if (n <= 0)
            continue;
        directory[n] = 0;
        const char *path = arena_printf(&v->arena, "%s/%s", directory, name);
        if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
            add_socket(v, path);
    }
    if (proc)
        closedir(proc);
}

/* Unix sockets with a path, as the kernel lists them for this network namespace: seven columns and
 * the path, "@..." if it is none. */
static void find_sockets(struct view *v)
{
    FILE *f = fopen("/proc/net/unix", "re");
    char *line = NULL;
    size_t size = 0;
    while (f && getline(&line, &size, f) > 0) {
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%*s %*s %*s %*s %*s %*s %*s%n", &at) == EOF || !at || line[at] != ' ' ||
            strncmp(line, "Num", 3) == 0)
            continue;
        const char *path = line + at + 1;
        if (*path == '/')
            add_socket(v, arena_strdup(&v->arena, path));
        else if (*path && *path != '@')
            add_relative(v, path);
    }
    free(line);
    if (f)
        fclose(f);
}

struct view *view_new(void)
{
    static const struct place always[] = {
        {.path = "/tmp", .mode = "mode=1777"},
        {.path = "/var/tmp", .mode = "mode=1777"},
        {.path = "/run", .mode = "mode=755"},
        {.path = "/dev", .mode = "mode=755"},
        {.path = "/dev/shm", .mode = "mode=1777"},
        {.path = "/dev/null", .kind = PLACE_WRITABLE},
        {.path = "/dev/zero", .kind = PLACE_WRITABLE},
        {.path = "/dev/full", .kind = PLACE_WRITABLE},
        {.path = "/dev/random", .kind = PLACE_WRITABLE},
        {.path = "/dev/urandom", .kind = PLACE_WRITABLE},
        {.path = "/dev/tty", .kind = PLACE_WRITABLE},
    };
    char directory[PATH_MAX];
    struct view *v = calloc(1, sizeof *v);
    if (!v || !getcwd(directory, sizeof directory) || directory[0] != '/') {
        sandbox_fail("the working directory");
        free(v);
        return NULL;
    }
    arena_init(&v->arena, 0);
    v->directory = arena_strdup(&v->arena, directory);
    v->home = find_home(v);
    for (size_t i = 0; i < SOSIA_LEN(always); i++)
        if (access(always[i].path, F_OK) == 0)
            add_place(v, always[i]);
    if (v->home)
        add_place(v, (struct place){.path = v->home, .mode = "mode=700"});
    find_sockets(v);
    return v;
}

void view_free(struct view *v)
{
    if (!v)
        return;
    arena_done(&v->arena);
    free(v);
}

int view_add(struct view *v, const char *path, bool writable)
{
    const char *option = writable ? "--allow" : "--show";
    char real[PATH_MAX];
    if (!realpath(path, real)) {
        fprintf(stderr, "sosia run: %s must be a path that there is, not \"%s\": %s\n", option,
                path, strerror(errno));
        return -1;
    }
    if (strcmp(real, "/") == 0 || within(real, "/proc") || within(real, "/sys")) {
        fprintf(stderr,
                "sosia run: %s must be a path outside /proc and /sys and not / itself, "
                "not \"%s\"\n",
                option, path);
        return -1;
    }
    return add_place(v, (struct place){.path = real,
                                       .kind = writable ? PLACE_WRITABLE : PLACE_READABLE,
                                       .named = true});
}

int view_hide(struct view *v, const char *path)
{
    char real[PATH_MAX];
    struct stat st;
    if ((mkdir(path, 0700) < 0 && errno != EEXIST) || !realpath(path, real) || stat(real, &st) < 0)
        return sandbox_fail(path);
    if (!S_ISDIR(st.st_mode)) {
        fprintf(stderr, "sosia run: --data must be a directory, not \"%s\"\n", path);
        return -1;
    }
    return add_place(v, (struct place){.path = real, .mode = "mode=700"});
}

void view_file(struct view *v, const char *name, const char *over, const struct buf *content)
{
    assert(v->n_files < FILES_MAX);
    v->files[v->n_files++] = (struct view_file){name, over, content};
}

static int by_path(const void *a, const void *b)
{
    const struct place *one = a, *two = b;
    return strcmp(one->path, two->path); /* what is outside is a prefix of what is inside */
}

int view_check(struct view *v)
{
    struct place *there = find_place(v, v->directory);
    bool system = false; /* a directory that holds /tmp or /run is not the user's */
    if (there && there->kind == PLACE_PRIVATE) {
        fprintf(stderr,
                "sosia run: the working directory must not be a private one, is \"%s\": change to "
                "a directory of the project, or give --allow \"%s\"\n",
                v->directory, v->directory);
        return -1;
    }
    for (size_t i = 0; i < v->n_places; i++)
        system = system ||
                 (v->places[i].kind == PLACE_PRIVATE && within(v->places[i].path, v->directory) &&
                  (!v->home || strcmp(v->places[i].path, v->home) != 0));
    if (!there && !system &&
        add_place(v, (struct place){.path = v->directory, .kind = PLACE_WRITABLE}) < 0)
        return -1;
    qsort(v->places, v->n_places, sizeof *v->places, by_path);
    if (arena_failed(&v->arena))
        fprintf(stderr, "sosia run: out of memory\n");
    return arena_failed(&v->arena) ? -1 : 0;
}

const char *view_directory(const struct view *v)
{
    return v->directory;
}

const char *view_home(const struct view *v)
{
    return v->home;
}

/* ---- mounting ---- */

static int set_attributes(int tree, unsigned flags, uint64_t set, const struct machine *m)
{
    struct mount_attr attr = {.attr_set = set};
    if (m->missing[PART_READ_ONLY])
        return 0;
    return mount_setattr(tree, "", AT_EMPTY_PATH | flags, &attr, sizeof attr);
}

/* Makes what something is to be mounted on, if it is not there. */
static int make_target(const char *path, bool directory)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    struct stat st;
    if (lstat(path, &st) == 0)
        return 0;
    if (n >= sizeof part)
        return -1;
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && (path[i] || !directory))
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0755) < 0 && errno != EEXIST && access(part, F_OK) < 0)
            return -1;
    }
    int fd = directory ? 0 : open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (!directory && fd >= 0)
        close(fd);
    return fd < 0 ? -1 : 0;
}

/* Mounts a copy of what is mounted at a path over another one, or over itself. */
static int cover(const char *from, const char *over, uint64_t set, const struct machine *m)
{
    int tree = open_tree(AT_FDCWD, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    int rc = tree < 0 || set_attributes(tree, AT_RECURSIVE, set, m) < 0 ||
                     move_mount(tree, "", AT_FDCWD, over, MOVE_MOUNT_F_EMPTY_PATH) < 0
                 ? sandbox_fail(over)
                 : 0;
    if (tree >= 0)
        close(tree);
    return rc;
}

static int mount_terminals(void)
{
    static const char *const links[][2] = {{"pts/ptmx", "/dev/ptmx"},
                                           {"/proc/self/fd", "/dev/fd"},
                                           {"/proc/self/fd/0", "/dev/stdin"},
                                           {"/proc/self/fd/1", "/dev/stdout"},
                                           {"/proc/self/fd/2", "/dev/stderr"}};
    if (make_target("/dev/pts", true) < 0 ||
        mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
              "newinstance,ptmxmode=0666,mode=620") < 0)
        return sandbox_fail("/dev/pts");
    for (size_t i = 0; i < SOSIA_LEN(links); i++)
        if (symlink(links[i][0], links[i][1]) < 0)
            return sandbox_fail(links[i][1]);
    return 0;
}

/* tree: a copy of what is shown. */
static int mount_place(const struct place *p, int tree, const struct machine *m)
{
    struct stat st;
    uint64_t set = MOUNT_ATTR_NOSUID | (within(p->path, "/dev") ? 0 : MOUNT_ATTR_NODEV) |
                   (p->kind == PLACE_READABLE ? MOUNT_ATTR_RDONLY : 0);
    if (p->kind == PLACE_PRIVATE) {
        if (make_target(p->path, true) < 0 ||
            mount("tmpfs", p->path, "tmpfs", MS_NOSUID | MS_NODEV, p->mode) < 0)
            return sandbox_fail(p->path);
        return strcmp(p->path, "/dev") == 0 ? mount_terminals() : 0;
    }
    if (fstat(tree, &st) < 0 || make_target(p->path, S_ISDIR(st.st_mode)) < 0 ||
        set_attributes(tree, AT_RECURSIVE, set, m) < 0 ||
        move_mount(tree, "", AT_FDCWD, p->path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
        return sandbox_fail(p->path);
    return 0;
}

static int mount_places(const struct view *v, const struct machine *m)
{
    const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;
    struct mount_attr shut = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
    int trees[PLACES_MAX], rc = 0;
    /* Copies first: afterwards everything is read-only. */
    for (size_t i = 0; i < v->n_places; i++) {
        const struct place *p = &v->places[i];
        trees[i] = p->kind == PLACE_PRIVATE ? -1 : open_tree(AT_FDCWD, p->path, flags);
        if (p->kind != PLACE_PRIVATE && trees[i] < 0)
            rc = sandbox_fail(p->path);
    }
    if (rc == 0 && !m->missing[PART_READ_ONLY] &&
        mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &shut, sizeof shut) < 0)
        rc = sandbox_fail("read-only mounts");
    for (size_t i = 0; i < v->n_places; i++) {
        rc = rc < 0 ? rc : mount_place(&v->places[i], trees[i], m);
        if (trees[i] >= 0)
            close(trees[i]);
    }
    return rc;
}

/* A /proc for the PID namespace. Root could change the system through what is in it, even without
 * capabilities, since it owns the files. */
static int mount_proc(const struct machine *m)
{
    static const char *const fixed[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq",
                                        "/proc/bus", "/proc/fs"};
    static const char *const masked[] = {"/proc/kcore",       "/proc/keys", "/proc/timer_list",
                                         "/proc/sched_debug", "/proc/acpi", "/proc/scsi"};
    struct stat st;
    if (m->missing[PART_PROC])
        return 0;
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return sandbox_fail("/proc");
    for (size_t i = 0; i < SOSIA_LEN(fixed); i++)
        if (access(fixed[i], F_OK) == 0 && cover(fixed[i], fixed[i], MOUNT_ATTR_RDONLY, m) < 0)
            return -1;
    for (size_t i = 0; i < SOSIA_LEN(masked); i++) {
        if (stat(masked[i], &st) < 0)
            continue;
        if (S_ISDIR(st.st_mode)
                ? mount("tmpfs", masked[i], "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, NULL)
                : mount("/dev/null", masked[i], NULL, MS_BIND, NULL) < 0)
            return sandbox_fail(masked[i]);
    }
    return 0;
}

static int write_files(const struct view *v, const struct machine *m)
{
    char path[PATH_MAX];
    if (make_target(VIEW_DIR, true) < 0)
        return sandbox_fail(VIEW_DIR);
    for (size_t i = 0; i < v->n_files; i++) {
        const struct view_file *f = &v->files[i];
        snprintf(path, sizeof path, "%s/%s", VIEW_DIR, f->name);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        bool good = fd >= 0 && write(fd, f->content->len ? f->content->data : "",
                                     f->content->len) == (ssize_t)f->content->len;
        if (fd >= 0)
            close(fd);
        if (!good)
            return sandbox_fail(path);
        if (f->over && access(f->over, F_OK) == 0 &&
            cover(path, f->over, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, m) < 0)
            return -1;
    }
    return 0;
}

static bool named(const struct view *v, const char *path)
{
    for (size_t i = 0; i < v->n_places; i++)
        if (v->places[i].named && strcmp(v->places[i].path, path) == 0)
            return true;
    return false;
}

/* Covers the sockets with a file that is not one. */
static int cover_sockets(const struct view *v)
{
    struct stat st;
    for (size_t i = 0; i < v->n_sockets; i++)
        if (lstat(v->sockets[i], &st) == 0 && S_ISSOCK(st.st_mode) && !named(v, v->sockets[i]) &&
            mount("/dev/null", v->sockets[i], NULL, MS_BIND, NULL) < 0)
            return sandbox_fail(v->sockets[i]);
    return 0;
}

int view_mount(const struct view *v, const struct machine *m)
{
    mode_t before = umask(022);
    int rc =
        mount_places(v, m) < 0 || mount_proc(m) < 0 || write_files(v, m) < 0 || cover_sockets(v) < 0
            ? -1
            : 0;
    umask(before);
    return rc;
}
