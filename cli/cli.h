/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The `sosia` command: a table of commands, options that are declared once for parsing and help,
 * and a client of the control interface. Commands on worlds speak HTTP to a running server; with
 * --data they start one of their own on the data directory for as long as they run, so that there
 * is one way to do each thing.
 */
#ifndef SOSIA_CLI_H
#define SOSIA_CLI_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/json/json.h"
#include "sosia.h"

/* Exit codes. */
enum { EXIT_OK = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_UNREACHABLE = 3 };

struct command {
    const char *name;
    const char *arguments; /* as in the usage line */
    const char *summary;   /* one line */
    const char *help;      /* more, with an example */
    int (*run)(const struct command *self, int argc, char **argv);
};
extern const struct command *const commands[]; /* NULL-terminated */

/* ---- options ---- */

struct option_row {
    const char *name;  /* "port" */
    const char *value; /* name of its value in help; NULL: a flag */
    const char *help;
    const char **text; /* set to the value */
    bool *flag;        /* set to true */
    int (*each)(void *arg,
                const char *value); /* called for each; arg below. -1: refused, said why */
    void *arg;
};

/* Parses options anywhere on the line; positional arguments stay in argv[1..] (returned count,
 * NULL-terminated). -1: a message was printed, exit with EXIT_USAGE; -2: help was printed, exit
 * with 0. */
int options_parse(const struct command *self, const struct option_row *rows, size_t n, int argc,
                  char **argv);
/* "usage: sosia NAME ..." to stderr. Gives EXIT_USAGE. */
int usage(const struct command *self, const char *what);
/* Whole numbers in a range; a message and -1 otherwise. */
int option_int(const char *name, const char *text, int64_t min, int64_t max, int64_t *ret);
/* "90", "90s", "15m", "2h", "3d", "1w": microseconds. */
int option_span(const char *name, const char *text, int64_t *ret_us);

/* ---- client ---- */

/* The options of every command that speaks to a server. */
struct client {
    const char *url, *key, *data;
    const char *world; /* name or key; NULL: $SOSIA_WORLD */
    bool json;
    void *local; /* the server of --data */
};
#define CLIENT_OPTIONS(c)                                                                          \
    {"url", "URL", "of the server (default: $SOSIA_URL, else http://localhost:8787)",              \
     .text = &(c)->url},                                                                           \
        {"key", "KEY", "the server's control key (default: $SOSIA_CONTROL_KEY)",                   \
         .text = &(c)->key},                                                                       \
        {"data", "DIR", "work on this data directory, without a running server",                   \
         .text = &(c)->data},                                                                      \
    {                                                                                              \
        "json", NULL, "print the server's JSON", .flag = &(c)->json                                \
    }

/* Of commands on one world, which is named by it or as an argument. */
#define WORLD_OPTION(c)                                                                            \
    {                                                                                              \
        "world", "WORLD", "its name or key, instead of the argument (default: $SOSIA_WORLD)",      \
            .text = &(c)->world                                                                    \
    }

/* One exchange with the control interface; path begins behind "/_sosia/v1". body NULL: none. 0:
 * answered with 2xx and the body is in *ret (free with buf_done); else an exit code, and what went
 * wrong was printed. */
int client_call(struct client *c, const char *method, const char *path, const char *body,
                size_t body_len, struct buf *ret);
/* The same, and prints the body: as it is with --json or when show is NULL, else through show().
 * Gives an exit code. */
int client_show(struct client *c, const char *method, const char *path, const struct buf *body,
                void (*show)(const struct json *answer));
/* Reads an answer that is to be an object; another one was printed about: an exit code. */
int client_read(const struct client *c, struct arena *a, const struct buf *answer,
                const struct json **ret);
void client_close(struct client *c);
/* Takes the argument (NULL: there is none) as the client's world; -1 and a message if the option
 * was given as well. */
int client_world(struct client *c, const struct command *self, const char *argument);
/* Appends "/worlds/NAME" of the client's world, with the name encoded; -1 and a message if there is
 * none. */
int client_world_path(struct buf *path, const struct client *c);

/* The whole of a file, or of standard input for "-". -1: a message was printed. */
int read_file(const char *name, struct buf *ret);

/* ---- show.c: answers as lines for people ---- */

/* Whoever answers may leave out anything: an array or an object that is none is NULL, a text "-".
 */
const struct json *show_list(const struct json *in, const char *name);
const char *show_text(const struct json *in, const char *name);
void show_value(const struct json *v); /* on one line: a text without quotes, the rest as JSON */
/* diff.c */
void show_diff(const struct json *answer);
void show_journal(const struct json *answer);
void show_outbox(const struct json *answer);

/* ---- fixtures.c ---- */

struct fixture {
    const char *file; /* its name, for messages */
    const char *text;
    size_t len; /* bytes */
};
/* Finds a fixture: a file in dir (NULL: $SOSIA_FIXTURES), else one that is built in, else one that
 * is generated: "large", or with options "large:messages=100000,people=50". What ret_fixture points
 * to is static or lives in the arena. */
int fixture_find(struct arena *a, const char *dir, const char *name, struct fixture *ret_fixture,
                 struct sosia_err *err);

/* Whether a fixture is named by a seed document's path: it has a slash, or ends as such files do.
 */
bool fixture_is_path(const char *name);
/* Reads that document. */
int fixture_read(struct arena *a, const char *path, struct fixture *ret_fixture,
                 struct sosia_err *err);

/* ---- serve.c ---- */

/* Starts a server on a data directory for one command. */
int local_server_start(const char *data, void **ret_local, const char **ret_url,
                       const char **ret_key, struct sosia_err *err);
void local_server_stop(void *local);

#endif
