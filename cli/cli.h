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
#include <limits.h>
#include <stdio.h>

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

/* A path of this program, to start another one of it. */
const char *own_program(void);

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
/* "65536", "64K", "64M", "1G": bytes. */
int option_bytes(const char *name, const char *text, int64_t *ret);
/* A word of a NULL-terminated list, as its place; a message and -1 otherwise. */
int option_word(const char *name, const char *text, const char *const *words);
/* "90", "90s", "15m", "2h", "3d", "1w": microseconds. */
int option_span(const char *name, const char *text, int64_t *ret_us);
/* The same of arguments; what: "the entry". */
int argument_int(const char *what, const char *text, int64_t min, int64_t max, int64_t *ret);
int argument_span(const char *what, const char *text, int64_t *ret_us);

/* ---- client ---- */

/* The options of every command that speaks to a server. */
struct client {
    const char *url, *key, *data;
    const char *world; /* name or key; NULL: $SOSIA_WORLD */
    int64_t timeout_s; /* for a response; 0: none */
    bool json;
    bool page;                     /* a response may be HTML */
    void *local;                   /* the server of --data */
    const struct origins *origins; /* of the document that a request has (origin.h); NULL */
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

/* ---- files.c ---- */

/* The whole of a file, or of standard input for "-". -1: a message was printed. */
int read_file(const char *name, struct buf *ret);
/* The same of what is to be text: bytes that are not UTF-8, and NULs, are refused with their line.
 */
int read_text(const char *name, struct buf *ret);
/* worlds.c: false, and a message, of a file that is empty. */
bool some_content(const struct buf *b, const char *name, const char *what);
/* workspace.c: a file or a directory as a tar file; name: what it is called in there. -1: a message
 * was printed. */
int pack_path(const char *path, const char *name, struct buf *out);
/* What messages call a document out of a file: its name without directories, cut to what the
 * control interface takes. Gives ret_name. */
#define DOCUMENT_NAME_MAX 80
const char *document_name(const char *file, char ret_name[DOCUMENT_NAME_MAX + 1]);

/* A file that is there as a whole or not at all: it is written beside the one that it replaces at
 * the end. Devices and pipes are written to as they are; "-" is standard output. */
struct outfile {
    FILE *to;
    const char *name;
    char target[PATH_MAX], beside[PATH_MAX]; /* beside "": there is none */
    bool failed;
    int why; /* errno of then; 0: not known */
};
/* -1: a message was printed. */
int outfile_open(struct outfile *o, const char *name);
/* -1: it has failed, which outfile_close() reports. */
int outfile_write(struct outfile *o, const void *data, size_t len);
/* whole false: nothing is kept. -1: nothing was; a message was printed if it was to be. */
int outfile_close(struct outfile *o, bool whole);
/* That standard output is lost has been reported: it is not to be again. */
void forget_output(void);
/* All at once; content that has failed is refused. -1: a message was printed. */
int write_file(const char *name, const struct buf *content);

/* ---- show.c: answers as lines for people ---- */

/* Whoever answers may leave out anything: an array or an object that is none is NULL, a text "-".
 */
const struct json *show_list(const struct json *in, const char *name);
const char *show_text(const struct json *in, const char *name);
/* On one line: a text without quotes, the rest as JSON; a text that could command a terminal too.
 */
void show_value(const struct json *v);
void show_name(const char *text);
/* before, and the text of a member. */
void show_member(const char *before, const struct json *in, const char *name);
/* A character that turns the direction of what comes behind it: its bytes; 0: any other. Its
 * number.
 */
size_t show_turn_at(const char *text, size_t n);
unsigned show_turn(const char *text);
/* worlds.c: the keys of worlds that were made. */
void show_made(const struct json *answer);
/* diff.c */
void show_diff(const struct json *answer);
void show_journal(const struct json *answer);
void show_outbox(const struct json *answer);

/* ---- fixtures.c ---- */

struct fixture {
    const char *file; /* its name, for messages */
    const char *text;
    size_t len;                    /* bytes */
    const struct origins *origins; /* of one that is made of several (origin.h); NULL: it is not */
};
/* Finds a fixture: a file in dir (NULL: $SOSIA_FIXTURES), else one that is built in, else one that
 * is generated: "large", or with options "large:messages=100000,people=50". What ret_fixture points
 * to is static or lives in the arena. */
int fixture_find(struct arena *a, const char *dir, const char *name, struct fixture *ret_fixture,
                 struct sosia_err *err);

/* include.c: a document that names others ("include", "generate") becomes one that has all of them
 * in it; path: its own, "" where it has none; fixtures: as dir above. 0, -1. */
int document_whole(struct arena *a, const char *path, const char *fixtures, struct fixture *f,
                   struct sosia_err *err);
/* A seed document of a file, or of standard input, with what it includes. */
struct seed_document {
    struct fixture fixture;
    char name[DOCUMENT_NAME_MAX + 1]; /* of fixture.file */
    struct buf read;
    struct arena arena;
};
/* -1: a message was printed. *ret is to be ended in any case. */
int seed_document_read(const char *file, struct seed_document *ret);
void seed_document_done(struct seed_document *d);

/* Whether a fixture is named by a seed document's path: it has a slash, or ends as such files do.
 */
bool fixture_is_path(const char *name);
/* Reads that document. */
int fixture_read(struct arena *a, const char *path, struct fixture *ret_fixture,
                 struct sosia_err *err);
/* One that is named by either, with what it includes. */
int fixture_load(struct arena *a, const char *dir, const char *name, struct fixture *ret_fixture,
                 struct sosia_err *err);

/* ---- host.c ---- */

/* Starts a server on a data directory for one command. */
int local_server_start(const char *data, void **ret_local, const char **ret_url,
                       const char **ret_key, struct sosia_err *err);
void local_server_stop(void *local);
struct sosia_engine *local_server_engine(void *local);

#endif
