/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sosia run: a command for which the vendors' hosts are this machine.
 *
 * The command and a server of its own live in private namespaces: a network with nothing but
 * loopback, and mounts in which /etc/hosts points the vendors' names at it, /etc/nsswitch.conf asks
 * nobody else, and the system's bundle of certificate authorities ends with a local one. So
 * programs that know no setting for another server can be tested as they are, and nothing outside
 * the process tree changes.
 */
#include "cli/cli.h"
#include "server/ca.h"
#include "services/list.h"
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUNDLE "/etc/ssl/certs/ca-certificates.crt"

struct run {
    char dir[64]; /* with everything that is mounted or trusted */
    char ca[80], bundle[96];
    pid_t server;
    FILE *out; /* of the server */
    struct arena arena;
    const struct json *ready; /* the line that the server printed */
};

static int fail(const char *what)
{
    fprintf(stderr, "sosia run: %s: %s\n", what, strerror(errno));
    return -1;
}

static int write_file(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool ok = fd >= 0 && write(fd, text, len) == (ssize_t)len;
    if (fd >= 0 && close(fd) < 0)
        ok = false;
    return ok ? 0 : fail(path);
}

static int write_text(const char *path, const char *text)
{
    return write_file(path, text, strlen(text));
}

/* ---- what the command will see ---- */

static int write_hosts(const char *path)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "127.0.0.1 localhost\n::1 localhost\n");
    for (const char *const *name = sosia_hosts(); *name; name++)
        if (**name != '*') /* a hosts file has no patterns */
            buf_printf(&b, "127.0.0.1 %s\n", *name);
    const char *text = buf_str(&b);
    int rc = write_file(path, text, b.len);
    buf_done(&b);
    return rc;
}

/* The system's authorities and the local one behind them. */
static int write_bundle(struct run *r)
{
    struct buf b;
    char cert[96];
    buf_init(&b, 0);
    snprintf(cert, sizeof cert, "%s/%s", r->ca, CA_CERT_FILE);
    int rc = access(BUNDLE, R_OK) == 0 ? read_file(BUNDLE, &b) : 0;
    if (rc == 0)
        rc = read_file(cert, &b);
    if (rc == 0)
        rc = write_file(r->bundle, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

static int prepare(struct run *r)
{
    struct sosia_err err;
    char path[96];
    snprintf(r->dir, sizeof r->dir, "/tmp/sosia-run-XXXXXX");
    if (!mkdtemp(r->dir) || chmod(r->dir, 0755) < 0)
        return fail(r->dir);
    snprintf(r->ca, sizeof r->ca, "%s/ca", r->dir);
    snprintf(r->bundle, sizeof r->bundle, "%s/bundle.crt", r->dir);
    if (ca_create(r->ca, sosia_hosts(), &err) < 0) {
        fprintf(stderr, "sosia run: %s\n", err.text);
        return -1;
    }
    (void)chmod(r->ca, 0755); /* the certificate is for everybody; the key has its own mode */
    snprintf(path, sizeof path, "%s/hosts", r->dir);
    if (write_hosts(path) < 0 || write_bundle(r) < 0)
        return -1;
    snprintf(path, sizeof path, "%s/nsswitch.conf", r->dir);
    return write_text(path,
                      "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\n"
                      "protocols: files\nnetworks: files\n");
}

static void clean_up(struct run *r)
{
    static const char *const files[] = {"hosts", "nsswitch.conf", "bundle.crt", "ca/" CA_CERT_FILE,
                                        "ca/" CA_KEY_FILE};
    char path[128];
    if (!r->dir[0])
        return;
    for (size_t i = 0; i < SOSIA_LEN(files); i++) {
        snprintf(path, sizeof path, "%s/%s", r->dir, files[i]);
        unlink(path);
    }
    rmdir(r->ca);
    rmdir(r->dir);
}

/* ---- namespaces ---- */

static int map_user(uid_t uid, gid_t gid)
{
    char map[64];
    if (write_text("/proc/self/setgroups", "deny") < 0)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    if (write_text("/proc/self/uid_map", map) < 0)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    return write_text("/proc/self/gid_map", map);
}

static int mount_over(const struct run *r, const char *name, const char *target)
{
    char source[128];
    snprintf(source, sizeof source, "%s/%s", r->dir, name);
    if (access(target, F_OK) < 0)
        return 0; /* whoever looks there finds nothing, as before */
    return mount(source, target, NULL, MS_BIND, NULL) < 0 ? fail(target) : 0;
}

static int loopback_up(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int rc = fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) < 0 ? fail("loopback") : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

static int enter(const struct run *r)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    int spaces = CLONE_NEWNS | CLONE_NEWNET | (uid ? CLONE_NEWUSER : 0);
    if (unshare(spaces) < 0)
        return fail("this system gives no private namespaces (try it as root)");
    if ((uid && map_user(uid, gid) < 0) || loopback_up() < 0 ||
        /* so that the server has port 443 without being root */
        write_text("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0") < 0)
        return -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return fail("private mounts");
    if (mount_over(r, "hosts", "/etc/hosts") < 0 ||
        mount_over(r, "nsswitch.conf", "/etc/nsswitch.conf") < 0 ||
        mount_over(r, "bundle.crt", BUNDLE) < 0)
        return -1;
    return 0;
}

/* ---- the server and the command ---- */

/* Starts `sosia serve` with the given options and waits until it is ready. */
static int start_server(struct run *r, int argc, char **argv)
{
    static const char *const own[] = {"serve",        "--json", "--port", "8787",
                                      "--https-port", "443",    "--ca"};
    int out[2];
    char *line = NULL;
    size_t size = 0;
    char **args = arena_calloc(&r->arena, (size_t)argc + SOSIA_LEN(own) + 3, sizeof *args);
    args[0] = (char *)"sosia";
    for (size_t i = 0; i < SOSIA_LEN(own); i++)
        args[i + 1] = (char *)own[i];
    args[SOSIA_LEN(own) + 1] = r->ca;
    for (int i = 0; i < argc; i++)
        args[SOSIA_LEN(own) + 2 + (size_t)i] = argv[i];
    if (pipe2(out, O_CLOEXEC) < 0)
        return fail("pipe");
    r->server = fork();
    if (r->server == 0) {
        dup2(out[1], STDOUT_FILENO);
        setpgid(0, 0); /* Ctrl-C is the command's */
        execv("/proc/self/exe", args);
        _exit(127);
    }
    close(out[1]);
    r->out = fdopen(out[0], "r");
    ssize_t n = r->server > 0 && r->out ? getline(&line, &size, r->out) : -1;
    struct sosia_err err;
    int rc = n > 0 ? json_parse(&r->arena, line, (size_t)n, NULL, &r->ready, &err) : -1;
    free(line);
    return rc;
}

static void set_environment(const struct run *r)
{
    static const char *const bundles[] = {"SSL_CERT_FILE",  "REQUESTS_CA_BUNDLE",
                                          "CURL_CA_BUNDLE", "HTTPLIB2_CA_CERTS",
                                          "GIT_SSL_CAINFO", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"};
    static const char *const proxies[] = {"http_proxy", "https_proxy", "all_proxy",
                                          "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"};
    char cert[128];
    snprintf(cert, sizeof cert, "%s/%s", r->ca, CA_CERT_FILE);
    setenv("NODE_EXTRA_CA_CERTS", cert, 1);
    for (size_t i = 0; i < SOSIA_LEN(bundles); i++)
        setenv(bundles[i], r->bundle, 1);
    for (size_t i = 0; i < SOSIA_LEN(proxies); i++)
        unsetenv(proxies[i]);
    setenv("SOSIA_URL", json_get_str(r->ready, "url"), 1);
    setenv("SOSIA_CONTROL_KEY", json_get_str(r->ready, "control_key"), 1);
    setenv("SOSIA_WORLD", json_get_str(r->ready, "world"), 1);
    const struct json *actors = json_get(r->ready, "actors");
    if (actors && actors->n) {
        setenv("SOSIA_ACTOR", actors->members[0].key, 1);
        setenv("SOSIA_TOKEN", json_get_str(&actors->members[0].value, "token"), 1);
    }
}

static pid_t command_pid;

static void pass_on(int signal_number)
{
    if (command_pid > 0)
        kill(command_pid, signal_number);
}

/* The exit code of the command, as a shell gives it. */
static int execute(const struct run *r, char **argv)
{
    int status;
    command_pid = fork();
    if (command_pid < 0)
        return fail("fork") - EXIT_REFUSED;
    if (command_pid == 0) {
        set_environment(r);
        execvp(argv[0], argv);
        fprintf(stderr, "sosia run: %s: %s\n", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    struct sigaction sa = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    while (waitpid(command_pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_run(const struct command *self, int argc, char **argv)
{
    struct run r = {0};
    int split = 1, rc = EXIT_REFUSED;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    if (split >= argc - 1) {
        int n = options_parse(self, NULL, 0, argc, argv);
        return n == -2   ? EXIT_OK
               : n == -1 ? EXIT_USAGE
                         : usage(self, "a command behind \"--\", please");
    }
    arena_init(&r.arena, 0);
    if (prepare(&r) == 0 && enter(&r) == 0 && start_server(&r, split - 1, argv + 1) == 0)
        rc = execute(&r, argv + split + 1);
    if (r.server > 0) {
        kill(r.server, SIGTERM);
        waitpid(r.server, NULL, 0);
    }
    if (r.out)
        fclose(r.out);
    clean_up(&r);
    arena_done(&r.arena);
    return rc;
}

const struct command run_command = {
    "run", "[SERVE OPTION ...] -- COMMAND [ARGUMENT ...]",
    "run a command for which the vendors' hosts are a server of its own",
    "Options of `sosia serve` stand before the \"--\": --fixture office, --clock frozen, --data "
    "DIR.\n"
    "Linux only. The command reaches nothing but this server: https://www.googleapis.com and the "
    "other vendors' hosts lead to\n"
    "it, its certificate authority is trusted, and no other name resolves. SOSIA_URL, "
    "SOSIA_CONTROL_KEY, SOSIA_WORLD,\n"
    "SOSIA_ACTOR and SOSIA_TOKEN tell the command about it. Example:\n"
    "  sosia run --fixture office -- sh -c \\\n"
    "    'curl -H \"Authorization: Bearer $SOSIA_TOKEN\" "
    "https://www.googleapis.com/calendar/v3/users/me/calendarList'",
    run_run};
