/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sosia run: a command for which the vendors' hosts are this machine.
 *
 * The command sees a file system (view.c) in which /etc/hosts points the vendors' names at
 * loopback, /etc/nsswitch.conf names no other source, and the system's bundle of certificate
 * authorities ends with a local one; a server of its own listens there. So programs without a
 * setting for another server can be tested as they are, and nothing outside the process tree
 * changes.
 */
#include "cli/cli.h"
#include "cli/egress.h"
#include "cli/examples.h"
#include "cli/guides.h"
#include "cli/sandbox.h"
#include "engine/base/codec.h"
#include "server/ca.h"
#include "services/list.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_CREDENTIALS 8
#define BUNDLE          "/etc/ssl/certs/ca-certificates.crt"

struct run {
    bool with_control, weak;
    const char *credentials[MAX_CREDENTIALS]; /* kinds that the command gets */
    size_t n_credentials;
    struct machine machine;
    struct view *view;
    struct sandbox sandbox;
    struct egress egress;
    struct buf hosts, switches, bundle, cert;
    int ca; /* the directory of the authority: memory that is mounted nowhere */
    char ca_path[32];
    pid_t server;
    int refusal; /* exit code of a server that did not start */
    FILE *out;   /* of the server */
    struct arena arena;
    const struct json *ready; /* the line that the server printed */
};

/* ---- what the command will see ---- */

/* The names that lead to the server: the only list of them. NULL-terminated; among them
 * "*." patterns, which are not names of single hosts. */
static const char *const *redirected_hosts(void)
{
    return sosia_hosts();
}

static void write_hosts(struct buf *b)
{
    buf_puts(b, "127.0.0.1 localhost\n::1 localhost\n");
    for (const char *const *name = redirected_hosts(); *name; name++)
        if (**name != '*') /* a hosts file has no patterns */
            buf_printf(b, "127.0.0.1 %s\n", *name);
}

/* A program that a loader of its own started, which /proc/self/exe is then, has a launcher that
 * says where it is. */
const char *own_program(void)
{
    const char *launcher = getenv("SOSIA_LAUNCHER");
    return launcher && *launcher == '/' ? launcher : "/proc/self/exe";
}

/* Another sosia, in the same namespaces; it ends with this process. fd: its standard output. */
static pid_t start_sosia(char **args, int out)
{
    pid_t keeper = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    int null = open("/dev/null", O_RDWR);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != keeper ||
        dup2(null, STDIN_FILENO) < 0 || dup2(out < 0 ? null : out, STDOUT_FILENO) < 0)
        _exit(127);
    setpgid(0, 0); /* Ctrl-C is the command's */
    execv(own_program(), args);
    _exit(127);
}

/* A directory in memory without a place in the file system; what is in it ends with its last user.
 */
static int make_directory(struct run *r)
{
    int fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
    r->ca = -1;
    if (fs >= 0 && fsconfig(fs, FSCONFIG_SET_STRING, "mode", "700", 0) == 0 &&
        fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        r->ca = fsmount(fs, 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    int rc = r->ca < 0 ? sandbox_fail("a file system in memory") : 0;
    if (fs >= 0)
        close(fs);
    snprintf(r->ca_path, sizeof r->ca_path, "/proc/self/fd/%d", r->ca);
    return rc;
}

/* The key never is in the memory of this process, of which the command's first one is a copy. */
static int make_authority(struct run *r)
{
    char path[64],
        *args[] = {(char *)"sosia", (char *)"ca", (char *)"--any-host", r->ca_path, NULL};
    int status = 0;
    if (make_directory(r) < 0)
        return -1;
    pid_t pid = start_sosia(args, -1);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || status != 0) {
        fprintf(stderr, "sosia run: `sosia ca` must make an authority, has failed\n");
        return -1;
    }
    snprintf(path, sizeof path, "%s/%s", r->ca_path, CA_CERT_FILE);
    if (read_file(path, &r->cert) < 0 ||
        (access(BUNDLE, R_OK) == 0 && read_file(BUNDLE, &r->bundle) < 0))
        return -1;
    buf_add(&r->bundle, r->cert.data, r->cert.len);
    return 0;
}

static int show_files(struct run *r)
{
    write_hosts(&r->hosts);
    buf_puts(&r->switches,
             "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\n"
             "protocols: files\nnetworks: files\n");
    view_file(r->view, strrchr(VIEW_HOSTS, '/') + 1, "/etc/hosts", &r->hosts);
    view_file(r->view, "nsswitch.conf", "/etc/nsswitch.conf", &r->switches);
    view_file(r->view, strrchr(VIEW_BUNDLE, '/') + 1, BUNDLE, &r->bundle);
    view_file(r->view, strrchr(VIEW_CERT, '/') + 1, NULL, &r->cert);
    bool lost = buf_failed(&r->hosts) || buf_failed(&r->switches) || buf_failed(&r->bundle) ||
                buf_failed(&r->cert);
    if (lost)
        fprintf(stderr, "sosia run: out of memory\n");
    return lost ? -1 : 0;
}

/* ---- the server ---- */

/* The server has ended before it was ready, and has reported why. */
static void take_refusal(struct run *r)
{
    int status;
    while (waitpid(r->server, &status, 0) < 0)
        if (errno != EINTR)
            return;
    r->server = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE)
        r->refusal = EXIT_USAGE;
}

/* Starts `sosia serve` with the given options and waits until it is ready. What the command relies
 * on comes last, and holds. */
static int start_server(struct run *r, int argc, char **argv)
{
    static const char *const first[] = {"sosia", "serve", "--port", "80", "--web"};
    static const char *const last[] = {"--json", "--https-port", "443", "--ca"};
    int out[2];
    char *line = NULL;
    size_t size = 0, n_args = 0;
    char **args = arena_calloc(&r->arena, (size_t)argc + SOSIA_LEN(first) + SOSIA_LEN(last) + 2,
                               sizeof *args);
    if (arena_failed(&r->arena))
        return sandbox_fail("the server's command line");
    for (size_t i = 0; i < SOSIA_LEN(first); i++)
        args[n_args++] = (char *)first[i];
    for (int i = 0; i < argc; i++)
        args[n_args++] = argv[i];
    for (size_t i = 0; i < SOSIA_LEN(last); i++)
        args[n_args++] = (char *)last[i];
    args[n_args] = r->ca_path;
    if (pipe2(out, O_CLOEXEC) < 0)
        return sandbox_fail("pipe");
    r->server = start_sosia(args, out[1]);
    close(out[1]);
    r->out = fdopen(out[0], "r");
    ssize_t n = r->server > 0 && r->out ? getline(&line, &size, r->out) : -1;
    struct sosia_err err;
    int rc = n > 0 ? json_parse(&r->arena, line, (size_t)n, NULL, &r->ready, &err) : -1;
    free(line);
    if (n < 0 && r->server > 0 && r->out && feof(r->out))
        take_refusal(r);
    return rc;
}

static void set(struct buf *b, const char *name, const char *value)
{
    if (!value)
        return;
    buf_printf(b, "%s=%s", name, value);
    buf_add(b, "", 1);
}

/* What the server has printed for an actor as that kind: acme_bot is SOSIA_ACME_BOT. 1, or 0: there
 * is nothing of the kind. */
static int set_credentials(struct buf *b, const struct json *actor, const char *kind)
{
    size_t n = strlen(kind);
    int found = 0;
    for (uint32_t i = 0; i < actor->n; i++) {
        const char *name = actor->members[i].key, *value = actor->members[i].value.str;
        if (actor->members[i].value.type != JSON_STRING || strncmp(name, kind, n) != 0 ||
            (name[n] && name[n] != '_'))
            continue;
        buf_puts(b, "SOSIA_");
        for (const char *p = name; *p; p++)
            buf_byte(b, *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p);
        buf_printf(b, "=%s", value);
        buf_add(b, "", 1);
        found = 1;
    }
    return found;
}

/* Hosts that the world itself has, such as those of its workspaces. */
static void add_world_hosts(struct buf *b, const struct json *hosts)
{
    for (uint32_t i = 0; hosts && i < hosts->n; i++) {
        const char *name = hosts->items[i].str;
        if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-")])
            continue;
        buf_printf(b, "=127.0.0.1 %s\n", name);
        buf_add(b, "", 1);
    }
}

/* -1: there are no credentials of a kind, which is reported. */
static int write_environment(const struct run *r, struct buf *b)
{
    static const char *const bundles[] = {"SSL_CERT_FILE",  "REQUESTS_CA_BUNDLE",
                                          "CURL_CA_BUNDLE", "HTTPLIB2_CA_CERTS",
                                          "GIT_SSL_CAINFO", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"};
    const struct json *actors = json_get(r->ready, "actors");
    egress_lines(&r->egress, b); /* the first line of a name counts */
    add_world_hosts(b, json_get(r->ready, "hosts"));
    for (size_t i = 0; i < SOSIA_LEN(bundles); i++)
        set(b, bundles[i], VIEW_BUNDLE);
    set(b, "NODE_EXTRA_CA_CERTS", VIEW_CERT);
    set(b, "DENO_CERT", VIEW_CERT);
    if (!view_home(r->view))
        set(b, "HOME", VIEW_DIR);
    set(b, "SOSIA_URL", json_get_str(r->ready, "url"));
    set(b, "SOSIA_WORLD", json_get_str(r->ready, "world"));
    if (r->with_control)
        set(b, "SOSIA_CONTROL_KEY", json_get_str(r->ready, "control_key"));
    if (actors && actors->n) {
        set(b, "SOSIA_ACTOR", actors->members[0].key);
        set(b, "SOSIA_TOKEN", json_get_str(&actors->members[0].value, "token"));
    }
    for (size_t i = 0; i < r->n_credentials; i++)
        if (!actors || !actors->n ||
            !set_credentials(b, &actors->members[0].value, r->credentials[i])) {
            struct buf kinds;
            buf_init(&kinds, 0);
            guide_kinds(&kinds);
            fprintf(stderr,
                    "sosia run: --credentials must be a kind that the first person has, such as "
                    "%s, not \"%s\"\n",
                    buf_str(&kinds), r->credentials[i]);
            buf_done(&kinds);
            return -1;
        }
    return 0;
}

/* ---- the run ---- */

/* In the name of the one whose token the command has. */
static int open_egress(struct run *r)
{
    const struct json *actors = json_get(r->ready, "actors");
    const char *token =
        actors && actors->n ? json_get_str(&actors->members[0].value, "token") : NULL;
    if (r->egress.n && !token) {
        fprintf(stderr, "sosia run: --egress needs somebody in the world, there is nobody\n");
        return -1;
    }
    return egress_open(&r->egress, token);
}

/* Waits for the command; its exit code as a shell gives it. It does not go on without its server.
 */
static int supervise(struct run *r)
{
    int status;
    for (;;) {
        pid_t pid = waitpid(-1, &status, 0);
        if (pid == r->sandbox.init) {
            r->sandbox.init = -1;
            sandbox_pass_on(-1, false); /* the number may soon be another one's */
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (pid == r->server) {
            r->server = -1;
            fprintf(stderr,
                    "sosia run: the server must outlive the command, has ended with %s %d\n",
                    WIFEXITED(status) ? "status" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
            return EXIT_REFUSED;
        }
        if (pid < 0 && errno != EINTR)
            return -sandbox_fail("the command");
    }
}

static void end(pid_t pid, int signal_number)
{
    if (pid <= 0)
        return;
    kill(pid, signal_number);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Everything about the command is made before there are keys that it could find. */
static int run_command_in(struct run *r, int n_options, char **options, char **command)
{
    struct buf environment;
    int rc = -1;
    buf_init(&environment, 0);
    r->sandbox = (struct sandbox){.machine = &r->machine,
                                  .view = r->view,
                                  .secrets = options, /* --key, --token */
                                  .n_secrets = (size_t)n_options,
                                  .talk = -1};
    if (egress_begin(&r->egress) < 0) {
        buf_done(&environment);
        return r->refusal;
    }
    r->sandbox.keep_out = r->egress.talk;
    if (sandbox_enter(&r->machine) == 0 && make_authority(r) == 0 && show_files(r) == 0 &&
        sandbox_start(&r->sandbox, r->ca, command) == 0 &&
        start_server(r, n_options, options) == 0 && open_egress(r) == 0 &&
        write_environment(r, &environment) == 0) {
        sandbox_pass_on(r->sandbox.init, false);
        if (!buf_failed(&environment) && sandbox_go(&r->sandbox, &environment) == 0)
            rc = supervise(r);
    }
    end(r->sandbox.init, SIGKILL);
    egress_end(&r->egress);
    end(r->server, SIGTERM);
    if (r->out)
        fclose(r->out);
    buf_done(&environment);
    return rc < 0 ? r->refusal : rc;
}

static int add_writable(void *arg, const char *path)
{
    return view_add(arg, path, true);
}

static int add_readable(void *arg, const char *path)
{
    return view_add(arg, path, false);
}

static int add_credentials(void *arg, const char *kind)
{
    struct run *r = arg;
    if (r->n_credentials == MAX_CREDENTIALS) {
        fprintf(stderr, "sosia run: --credentials may be given %d times, is given more often\n",
                MAX_CREDENTIALS);
        return -1;
    }
    r->credentials[r->n_credentials++] = kind;
    return 0;
}

/* The value of --data, which getopt takes by any beginning of its name; NULL: it is another option.
 */
static const char *data_directory(const char *word, const char *next)
{
    size_t n = strcspn(word, "=");
    if (n < 3 || n > strlen("--data") || strncmp(word, "--data", n) != 0)
        return NULL;
    return word[n] ? word + n + 1 : next;
}

/* Takes this command's own options out of those before the "--"; the others are the server's. Gives
 * how many are left, from argv[1] on, or -1. */
static int take_options(struct run *r, const struct option_row *rows, size_t n_rows, int argc,
                        char **argv)
{
    int left = 0;
    for (int i = 1; i < argc; i++) {
        const struct option_row *row = NULL;
        const char *word = argv[i], *equals = strchr(word, '=');
        size_t len = equals ? (size_t)(equals - word) : strlen(word);
        for (size_t k = 0; k < n_rows && !row; k++)
            if (len == strlen(rows[k].name) + 2 && strncmp(word, "--", 2) == 0 &&
                strncmp(word + 2, rows[k].name, len - 2) == 0)
                row = &rows[k];
        if (!row) {
            argv[1 + left++] = argv[i];
            const char *data = data_directory(word, i + 1 < argc ? argv[i + 1] : NULL);
            if (data && view_hide(r->view, data) < 0) /* the secret that signs tokens is in it */
                return -1;
        } else if (row->flag && equals) {
            fprintf(stderr, "sosia run: --%s must have no value, not \"%s\"\n", row->name, word);
            return -1;
        } else if (row->flag) {
            *row->flag = true;
        } else if (!equals && i + 1 == argc) {
            fprintf(stderr, "sosia run: --%s must have a value, has none\n", row->name);
            return -1;
        } else if (row->each(row->arg, equals ? equals + 1 : argv[++i]) < 0) {
            return -1;
        }
    }
    return left;
}

static int run_run(const struct command *self, int argc, char **argv)
{
    struct run r = {.ca = -1, .refusal = EXIT_REFUSED, .egress = EGRESS_INIT};
    int split = 1, rc = EXIT_USAGE;
    char variables[GUIDE_TEXT_MAX], credentials[GUIDE_TEXT_MAX + 80];
    snprintf(credentials, sizeof credentials,
             "the command gets the first person's credentials of this kind: %s; may be repeated",
             guide_variables(variables));
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    r.view = view_new();
    if (!r.view)
        return EXIT_REFUSED;
    const struct option_row rows[] = {
        {"allow", "PATH", "this path is shown, and writable if the user can; may be repeated",
         .each = add_writable, .arg = r.view},
        {"show", "PATH", "this path is shown, read-only: ~/.nvm; may be repeated",
         .each = add_readable, .arg = r.view},
        {"credentials", "KIND", credentials, .each = add_credentials, .arg = &r},
        {"egress", "HOST",
         "the command may reach this host beyond the world: NAME (ports 80 and 443) or NAME:PORT; "
         "may be repeated",
         .each = egress_add, .arg = &r.egress},
        {"with-control", NULL,
         "the command gets SOSIA_CONTROL_KEY, and with it the control interface",
         .flag = &r.with_control},
        {"weak", NULL, "run even where the machine lacks some of what keeps the command in",
         .flag = &r.weak},
    };
    bool help = false; /* of the server's options, as all others that are not ours */
    for (int i = 1; i < split; i++)
        help = help || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    if (split >= argc - 1 || help) {
        char *ask[] = {argv[0], (char *)"--help", NULL};
        int n = help ? options_parse(self, rows, SOSIA_LEN(rows), 2, ask) : 0;
        view_free(r.view);
        return n == -2 ? EXIT_OK : usage(self, "missing command after \"--\"");
    }
    arena_init(&r.arena, 0);
    struct buf *const bufs[] = {&r.hosts, &r.switches, &r.bundle, &r.cert};
    for (size_t i = 0; i < SOSIA_LEN(bufs); i++)
        buf_init(bufs[i], 0);
    int n = take_options(&r, rows, SOSIA_LEN(rows), split, argv);
    if (n >= 0) {
        rc = EXIT_REFUSED;
        if (view_check(r.view) == 0 && machine_probe(&r.machine) == 0 &&
            machine_fit(&r.machine, r.weak))
            rc = run_command_in(&r, n, argv + 1, argv + split + 1);
    }
    for (size_t i = 0; i < SOSIA_LEN(bufs); i++)
        buf_done(bufs[i]);
    arena_done(&r.arena);
    view_free(r.view);
    return rc;
}

const struct command run_command = {
    "run", "[OPTION ...] [SERVE OPTION ...] -- COMMAND [ARGUMENT ...]",
    "run a command in a sandbox whose vendors' hosts lead to a private server",
    "Options of `sosia serve` go before the \"--\" too: --fixture office, --clock frozen, --data "
    "DIR.\n"
    "SOSIA_URL, SOSIA_WORLD, SOSIA_ACTOR and SOSIA_TOKEN tell the command about the server.\n"
    "The exit status is the command's: 128 and the number of a signal that ended it, 126 if it "
    "can't "
    "be run, 127 if it is\n"
    "not found; without a command that was run, 1, or 2 for a wrong command line. INT, TERM, HUP, "
    "QUIT, USR1 and USR2 are\n"
    "passed on. Example:\n"
    "  sosia run --fixture office -- sh -c \\\n"
    "    'curl -H \"Authorization: Bearer $SOSIA_TOKEN\" "
    "" EXAMPLE_ORIGIN EXAMPLE_REQUEST "'\n"
    "\n"
    "Linux only. The command reaches no network but this server: " EXAMPLE_ORIGIN " and "
    "the other vendors' hosts\n"
    "lead to it, as do hosts of the world's web; its certificate authority is trusted, and no "
    "other "
    "name resolves but those of\n--egress, whose connections the server is asked about "
    "(web.connect) and which never lead "
    "to private networks. The system is "
    "read-only; the working\n"
    "directory is writable; /tmp, /var/tmp, /run, /dev and the home directory are private and end "
    "with the command, and so\n"
    "does every process that it has started. It sees no other processes. It has no privileges and "
    "gains none; started by\n"
    "root, it can still handle other users' files and become one of them. Where the machine does "
    "not allow all of this, the\n"
    "command is not run.\n"
    "\n"
    "What is not kept out:\n"
    "  - what the user can read outside private directories, the command can read\n"
    "  - what it writes in the working directory and below --allow stays, also what others run "
    "later: hooks, scripts\n"
    "  - standard input, output and error are the caller's\n"
    "  - named pipes outside private directories; Unix sockets there that are made after the "
    "start, or in another network\n"
    "    namespace, or by a relative path and a process whose working directory can't be seen or "
    "has changed\n"
    "  - time, memory and disk space of the machine; faults of the kernel",
    run_run};
