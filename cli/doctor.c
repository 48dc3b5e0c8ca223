/* SPDX-License-Identifier: Apache-2.0 */
/* sosia doctor: what this machine lacks, for which feature, and how that is mended. Everything is
 * tried, not guessed, and nothing stays behind. */
#include "cli/cli.h"
#include "cli/sandbox.h"
#include "engine/base/err.h"
#include "sandbox/runner.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PORT       8787 /* of sosia serve without --port */
#define MEMORY     (INT64_C(256) << 20)
#define DISK       (INT64_C(1) << 30)
#define FILES_OPEN 1024
#define BUNDLE     "/etc/ssl/certs/ca-certificates.crt"
#define ZONES      "/usr/share/zoneinfo/tzdata.zi"

struct doctor {
    bool json;
    const char *data;
    struct json_writer w;
    int n_missing;
};

/* One thing. found: what is there; mend: NULL: nothing is to be done. */
__attribute__((format(printf, 5, 6))) static void
say(struct doctor *d, const char *what, const char *feature, const char *mend, const char *fmt, ...)
{
    char found[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(found, sizeof found, fmt, ap);
    va_end(ap);
    if (mend)
        d->n_missing++;
    if (!d->json) {
        printf("%-8s %s: %s\n", mend ? "missing" : "ok", what, found);
        if (mend)
            printf("         for %s\n         %s\n", feature, mend);
        return;
    }
    json_obj(&d->w, NULL);
    json_str(&d->w, "what", what);
    json_bool(&d->w, "there", !mend);
    json_str(&d->w, "found", found);
    json_str(&d->w, "feature", feature);
    json_str_opt(&d->w, "mend", mend);
    json_end(&d->w);
}

/* The number behind a word in a file of the system's; -1: it is not there. */
static int64_t number_in(const char *path, const char *word)
{
    char line[256];
    int64_t n = -1;
    size_t len = strlen(word);
    FILE *f = fopen(path, "re");
    while (f && n < 0 && fgets(line, sizeof line, f)) {
        char *end, *at = line + len;
        long long read = strncmp(line, word, len) == 0 ? strtoll(at, &end, 10) : -1;
        if (read >= 0 && end != at)
            n = read;
    }
    if (f)
        fclose(f);
    return n;
}

static void look_at_memory(struct doctor *d)
{
    int64_t free_kb = number_in("/proc/meminfo", "MemAvailable:");
    int64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
    int64_t used = number_in("/sys/fs/cgroup/memory.current", "");
    int64_t left = free_kb < 0 ? INT64_MAX : free_kb * 1024;
    if (limit >= 0 && used >= 0 && limit - used < left)
        left = limit - used;
    if (left == INT64_MAX)
        say(d, "memory", "sosia serve", NULL, "not known: /proc/meminfo can't be read");
    else
        say(d, "memory", "sosia serve with a world as large as the office",
            left < MEMORY ? "give the machine or the container at least 256 MiB more" : NULL,
            "%lld MiB are free", (long long)(left >> 20));
}

static void look_at_port(struct doctor *d)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    int why = fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    say(d, "port 8787", "sosia serve without --port",
        why ? "end what listens there (`sosia health` says whether it is sosia), or give another "
              "one: sosia serve --port 0"
            : NULL,
        "%s", why ? strerror(why) : "free");
}

/* A directory in which files are made. */
static void look_at_directory(struct doctor *d, const char *what, const char *dir,
                              const char *feature)
{
    struct statvfs f;
    char path[PATH_MAX];
    int fd = -1;
    if (snprintf(path, sizeof path, "%s/.sosia-XXXXXX", dir) < (int)sizeof path)
        fd = mkostemp(path, O_CLOEXEC);
    int why = errno;
    if (fd < 0) {
        say(d, what, feature, "make the directory, and let the user of sosia write to it",
            "%.200s: %s", dir, strerror(why));
        return;
    }
    unlink(path);
    bool known = fstatvfs(fd, &f) == 0;
    int64_t left = known ? (int64_t)f.f_bavail * (int64_t)f.f_frsize : 0;
    close(fd);
    if (!known)
        say(d, what, feature, NULL, "%.200s can be written to", dir);
    else
        say(d, what, feature, left < DISK ? "free at least 1 GiB of that disk" : NULL,
            "%.200s has room for %lld MiB", dir, (long long)(left >> 20));
}

static void look_at_files(struct doctor *d)
{
    struct rlimit r;
    bool known = getrlimit(RLIMIT_NOFILE, &r) == 0;
    if (known && r.rlim_max < FILES_OPEN)
        say(d, "open files", "a server with many connections",
            "raise the limit: ulimit -n 4096, or LimitNOFILE= of a unit", "at most %llu",
            (unsigned long long)r.rlim_max);
    else
        say(d, "open files", "a server with many connections", NULL, "enough");
}

static void look_at_authorities(struct doctor *d)
{
    bool there = access(BUNDLE, R_OK) == 0;
    say(d, "certificate authorities",
        "webhooks to https receivers, `sosia conformance record`, and commands of `sosia run`",
        there ? NULL : "install the package ca-certificates", "%s %s", BUNDLE,
        there ? "is there" : strerror(errno));
}

/* Zones are in the program; only programs beside it may have others. */
static void look_at_zones(struct doctor *d)
{
    char line[80] = "", *version = NULL;
    FILE *f = fopen(ZONES, "re");
    if (f && fgets(line, sizeof line, f) && strncmp(line, "# version ", 10) == 0) {
        version = line + 10;
        version[strcspn(version, "\n")] = 0;
    }
    if (f)
        fclose(f);
    bool other = version && strcmp(version, sosia_tzdata_version()) != 0;
    say(d, "time zones", "programs on this machine that compute the same times as worlds",
        other ? "upgrade the package tzdata, or build sosia on a machine with this one" : NULL,
        "sosia has %s, the system %s", sosia_tzdata_version(), version ? version : "none");
}

static void look_at_fuse(struct doctor *d)
{
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    int why = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    say(d, "/dev/fuse", "a Drive that is mounted by rclone",
        why == ENOENT ? "load the module (modprobe fuse), or start the container with --device "
                        "/dev/fuse"
        : why         ? "let the user open it: it needs read and write permission"
                      : NULL,
        "%s", why ? strerror(why) : "can be opened");
}

/* Each thing that `sosia run` shuts its command into. */
static void look_at_sandbox(struct doctor *d)
{
    struct machine m;
    if (machine_probe(&m) < 0) {
        d->n_missing++;
        return;
    }
    for (int i = 0; i < PART_COUNT; i++) {
        const char *lost, *name = machine_part(i, &lost);
        bool needed = !lost || (i == PART_USER && m.own_user);
        const char *mend =
            i == PART_READ_ONLY ? "use Linux 5.12 or later; sosia run --weak goes on without it"
            : i == PART_FILTER
                ? "use a kernel with CONFIG_SECCOMP_FILTER; sosia run --weak goes on "
                  "without it"
            : needed ? "as root: sysctl kernel.unprivileged_userns_clone=1 "
                       "user.max_user_namespaces=10000, and on Ubuntu also "
                       "kernel.apparmor_restrict_unprivileged_userns=0; in a container: run it "
                       "outside, or with --privileged"
                     : "as above; sosia run --weak goes on without it";
        say(d, name, "sosia run", m.missing[i] ? mend : NULL, "%s",
            m.missing[i] ? strerror(m.missing[i]) : "there");
    }
}

/* All of it at once, as a server does. */
static void look_at_programs(struct doctor *d)
{
    struct sosia_err err = {0};
    bool layers = false, there = runner_probe(own_program(), &layers, &err) == 0;
    say(d, "programs on workspaces",
        "tools that run programs: git, terminal, code-runner, code-executor, desktop-commander",
        there ? NULL
              : "as above for user namespaces; for containers docs/workspace.md has a seccomp "
                "profile",
        "%s%s", there ? "can be kept in" : err.text,
        there && !layers ? "; large workspaces are copied for each (overlayfs for users and its "
                           "attributes on tmpfs want Linux 6.6 or later)"
                         : "");
}

static int run_doctor(const struct command *self, int argc, char **argv)
{
    struct doctor d = {0};
    const struct option_row rows[] = {
        {"data", "DIR", "look at this data directory too", .text = &d.data},
        {"json", NULL, "print a JSON array of what was looked at", .flag = &d.json},
    };
    struct buf out;
    const char *tmp = getenv("TMPDIR");
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n)
        return usage(self, NULL);
    buf_init(&out, 0);
    json_init(&d.w, &out, true, NULL);
    json_arr(&d.w, NULL);
    look_at_memory(&d);
    look_at_port(&d);
    look_at_directory(&d, "spool directory", tmp && *tmp ? tmp : "/tmp", "large uploads");
    if (d.data)
        look_at_directory(&d, "data directory", d.data, "sosia serve --data");
    look_at_files(&d);
    look_at_authorities(&d);
    look_at_zones(&d);
    look_at_fuse(&d);
    fflush(stdout); /* what comes next makes processes */
    look_at_sandbox(&d);
    look_at_programs(&d);
    json_end(&d.w);
    if (d.json)
        printf("%s\n", buf_str(&out));
    else if (d.n_missing)
        printf("%d of what is above is missing; the rest works without it\n", d.n_missing);
    buf_done(&out);
    return d.n_missing ? EXIT_REFUSED : EXIT_OK;
}

const struct command doctor_command = {
    "doctor", "[--data DIR]", "say what this machine lacks, for what, and how to mend it",
    "Tries what the features need, and leaves nothing behind. Ends with 0 if nothing is missing, "
    "else with 1. Example:\n"
    "  sosia doctor --data ./data",
    run_doctor};
