/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia workspace`: a world's files, put and got. */
#include "cli/cli.h"
#include "engine/base/codec.h"
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- an archive of what is on the disk ---- */

struct packing {
    struct archive *z;
    struct buf *out;
};

static la_ssize_t take(struct archive *z, void *arg, const void *data, size_t n)
{
    struct packing *p = arg;
    buf_add(p->out, data, n);
    if (!buf_failed(p->out))
        return (la_ssize_t)n;
    archive_set_error(z, ARCHIVE_FATAL, "no room");
    return -1;
}

static int complain(const char *path, const char *why)
{
    fprintf(stderr, "sosia: %s: %s\n", path, why);
    return -1;
}

static int put_bytes(struct packing *p, const char *path, int fd, int64_t size)
{
    char piece[65536];
    ssize_t n = 1;
    while (size > 0 && (n = read(fd, piece, sizeof piece)) > 0) {
        n = n < size ? n : (ssize_t)size;
        if (archive_write_data(p->z, piece, (size_t)n) != n)
            return complain(path, "there is no memory for it");
        size -= n;
    }
    return n < 0 ? complain(path, strerror(errno)) : size ? complain(path, "it became shorter") : 0;
}

static int put_header(struct packing *p, const char *path, const char *name, const struct stat *st)
{
    struct archive_entry *e = archive_entry_new();
    char target[PATH_MAX];
    ssize_t n = S_ISLNK(st->st_mode) ? readlink(path, target, sizeof target - 1) : 0;
    int r = e && n >= 0 ? 0 : complain(path, n < 0 ? strerror(errno) : "there is no memory for it");
    if (r == 0) {
        target[n] = 0;
        archive_entry_set_pathname(e, name);
        archive_entry_set_mode(e, st->st_mode);
        archive_entry_set_mtime(e, st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
        archive_entry_set_size(e, S_ISREG(st->st_mode) ? st->st_size : 0);
        if (n)
            archive_entry_set_symlink(e, target);
        if (archive_write_header(p->z, e) < ARCHIVE_WARN)
            r = complain(path, "there is no memory for it");
    }
    archive_entry_free(e);
    return r;
}

static int put_path(struct packing *p, const char *path, const char *name);

static int put_directory(struct packing *p, const char *path, const char *name)
{
    DIR *d = opendir(path);
    struct dirent *e;
    int r = d ? 0 : complain(path, strerror(errno));
    while (r == 0 && d && (e = readdir(d))) {
        char inner[PATH_MAX], inner_name[PATH_MAX];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        int a = snprintf(inner, sizeof inner, "%s/%s", path, e->d_name),
            b = snprintf(inner_name, sizeof inner_name, "%s/%s", name, e->d_name);
        r = a >= (int)sizeof inner || b >= (int)sizeof inner_name
                ? complain(path, "has a path that is too long")
                : put_path(p, inner, inner_name);
    }
    if (d)
        closedir(d);
    return r;
}

/* Sockets, pipes and devices are passed over. */
static int put_path(struct packing *p, const char *path, const char *name)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return complain(path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return put_header(p, path, name, &st) < 0 ? -1 : put_directory(p, path, name);
    if (S_ISLNK(st.st_mode))
        return put_header(p, path, name, &st);
    if (!S_ISREG(st.st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int r = fd < 0 || fstat(fd, &st) < 0 ? complain(path, strerror(errno))
                                         : put_header(p, path, name, &st);
    if (r == 0)
        r = put_bytes(p, path, fd, st.st_size);
    if (fd >= 0)
        close(fd);
    return r;
}

int pack_path(const char *path, const char *name, struct buf *out)
{
    struct packing p = {archive_write_new(), out};
    if (!p.z)
        return complain(path, "there is no memory for it");
    archive_write_set_format_pax(p.z); /* with fractions of seconds */
    int r =
        archive_write_open(p.z, &p, NULL, take, NULL) == ARCHIVE_OK ? put_path(&p, path, name) : -1;
    if (archive_write_close(p.z) != ARCHIVE_OK && r == 0)
        r = complain(path, "there is no memory for it");
    archive_write_free(p.z);
    return r;
}

/* ---- requests ---- */

/* "/worlds/NAME/workspace...?path=PATH". */
static int path_to(struct buf *b, const struct client *c, const char *what, const char *path)
{
    if (client_world_path(b, c) < 0)
        return -1;
    buf_printf(b, "/workspace%s?path=", what);
    percent_add(b, path, strlen(path));
    return 0;
}

static void show_put(const struct json *answer)
{
    static const char *const names[] = {"files", "directories", "links", "skipped"};
    for (size_t i = 0; i < 4; i++)
        printf("%s%lld %s", i ? ", " : "", (long long)json_get_int(answer, names[i], 0), names[i]);
    putchar('\n');
}

/* A file has the path that is given, or is below it where that ends with a slash; of a directory
 * and of an archive what is in it goes there. */
static int run_put(struct client *c, const char *source, const char *to, bool tar)
{
    struct buf archive, path;
    struct stat st;
    bool directory = !tar && stat(source, &st) == 0 && S_ISDIR(st.st_mode);
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *dir = to;
    char parent[PATH_MAX] = "";
    if (!tar && !directory && *to && to[strlen(to) - 1] != '/') {
        const char *last = strrchr(to, '/');
        name = last ? last + 1 : to;
        snprintf(parent, sizeof parent, "%.*s", (int)(name - to), to);
        dir = parent;
    }
    int rc = EXIT_REFUSED;
    buf_init(&archive, 0);
    buf_init(&path, 0);
    if ((tar ? read_file(source, &archive) : pack_path(source, directory ? "." : name, &archive)) ==
        0)
        rc = path_to(&path, c, "/content", dir) < 0
                 ? EXIT_USAGE
                 : client_show(c, "PUT", buf_str(&path), &archive, show_put);
    buf_done(&archive);
    buf_done(&path);
    return rc;
}

static int run_get(struct client *c, const char *from, const char *file)
{
    struct buf path, content;
    int rc = EXIT_USAGE;
    buf_init(&path, 0);
    buf_init(&content, 0);
    if (path_to(&path, c, "/content", from) == 0)
        rc = client_call(c, "GET", buf_str(&path), NULL, 0, &content);
    if (rc == 0 && write_file(file, &content) < 0)
        rc = EXIT_REFUSED;
    buf_done(&path);
    buf_done(&content);
    return rc;
}

static void show_nodes(const struct json *answer)
{
    const struct json *list = show_list(answer, "entries");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *n = &list->items[i];
        const char *kind = show_text(n, "kind");
        printf("%c%s %10lld  ", *kind == 'f' ? '-' : *kind, show_text(n, "mode"),
               (long long)json_get_int(n, "size", 0));
        printf("%.19sZ  ", show_text(n, "modified"));
        show_name(show_text(n, "path"));
        if (json_get_str(n, "target"))
            show_member(" -> ", n, "target");
        putchar('\n');
    }
}

static int run_ls(struct client *c, const char *dir, bool recursive)
{
    struct buf path;
    int rc = EXIT_USAGE;
    buf_init(&path, 0);
    if (path_to(&path, c, "", dir) == 0) {
        buf_puts(&path, recursive ? "&recursive=true" : "");
        rc = client_show(c, "GET", buf_str(&path), NULL, show_nodes);
    }
    buf_done(&path);
    return rc;
}

/* Those changes that are of files. */
static void show_files(const struct json *answer)
{
    const struct json *all = show_list(answer, "changes");
    struct json list = {.type = JSON_ARRAY},
                *items = calloc(all ? (size_t)all->n + 1 : 1, sizeof *items);
    struct json_member member = {.key = "changes", .key_len = 7};
    for (uint32_t i = 0; items && all && i < all->n; i++)
        if (strcmp(show_text(&all->items[i], "service"), "workspace") == 0)
            items[list.n++] = all->items[i];
    list.items = items;
    member.value = list;
    show_diff(&(struct json){.type = JSON_OBJECT, .n = 1, .members = &member});
    free(items);
}

static int run_diff(struct client *c, const char *from)
{
    const char *to = c->world ? c->world : getenv("SOSIA_WORLD");
    struct buf path;
    if (!to || !*to)
        return complain("workspace diff", "a world must be named, none is"), EXIT_USAGE;
    buf_init(&path, 0);
    buf_puts(&path, "/diff?to=");
    percent_add(&path, to, strlen(to));
    if (from) {
        buf_puts(&path, "&from=");
        percent_add(&path, from, strlen(from));
    }
    int rc = client_show(c, "GET", buf_str(&path), NULL, show_files);
    buf_done(&path);
    return rc;
}

/* ---- the command ---- */

static int run_workspace(const struct command *self, int argc, char **argv)
{
    static const char *const words[] = {"put", "get", "ls", "diff", NULL};
    struct client c = {0};
    bool tar = false, recursive = false;
    const struct option_row rows[] = {
        {"tar", NULL, "put: SOURCE is a tar or zip file, and what is in it goes to PATH",
         .flag = &tar},
        {"recursive", NULL, "ls: with all that is below a directory", .flag = &recursive},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    int what = n ? str_place(words, argv[1]) : -1;
    if (what < 0 || n > (what < 2 ? 3 : 2) || (what < 2 && n < 2))
        return usage(self, "the arguments must be as one of the lines says");
    const char *a = n > 1 ? argv[2] : NULL, *b = n > 2 ? argv[3] : NULL;
    int rc = what == 0   ? run_put(&c, a, b ? b : "", tar)
             : what == 1 ? run_get(&c, a, b ? b : "-")
             : what == 2 ? run_ls(&c, a ? a : "", recursive)
                         : run_diff(&c, a);
    client_close(&c);
    return rc;
}

const struct command workspace_command = {
    "workspace", "put SOURCE [PATH]|get PATH [FILE]|ls [PATH]|diff [FROM]",
    "look at a world's files, put some there, or get them",
    "SOURCE is a file, a directory or, with --tar, an archive; what is in a directory goes below "
    "PATH. "
    "get writes a file's bytes, or a directory as a .tar.gz, to FILE or standard output. diff "
    "shows what "
    "changed since FROM, or since the state that the world resets to. Example:\n"
    "  sosia workspace put ./data --world office\n  sosia workspace get report.txt --world office",
    run_workspace};
