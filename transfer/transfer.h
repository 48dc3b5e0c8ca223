/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of other programs in and out of worlds: mail, calendars, people, trees of files. A file
 * that comes in is anybody's bytes. It becomes a seed document, which is applied as any other one
 * is, so that journals and replays know no other way: all of it gets into the world, or nothing
 * does.
 */
#ifndef SOSIA_TRANSFER_H
#define SOSIA_TRANSFER_H

#include "engine/base/err.h"
#include "engine/json/json.h"

struct transfer {
    const char *format; /* a name of transfer_formats */
    const char *person; /* whose mail, calendar or drive it is: an address; NULL: not said */
    const char *vendor; /* of a person with accounts of several; NULL: the first one's */
    /* Where it goes or comes from. Mail: a label or folder; a calendar: its id; a drive: the id of
     * a folder; the workspace: a directory; of Slack the domain of the workspace that is made.
     * NULL: as the file says, the person's own, the top. */
    const char *place;
    const char *name; /* the file in messages; NULL: "file" */
};

/* How much of it there was. */
enum transfer_noun {
    TRANSFER_PEOPLE,
    TRANSFER_MESSAGES,
    TRANSFER_EVENTS,
    TRANSFER_FILES,
    TRANSFER_FOLDERS,
    TRANSFER_LINKS,
    TRANSFER_CHANNELS,
    TRANSFER_SKIPPED, /* what is there already, or has no place in a world */
    TRANSFER_NOUNS
};
extern const char *const transfer_nouns[]; /* "people", ...; NULL-terminated */
struct transfer_done {
    int64_t n[TRANSFER_NOUNS];
};

enum transfer_needs {
    NEEDS_PERSON = 1,
    TAKES_PLACE = 2,
    TAKES_VENDOR = 4,
};
struct transfer_in;
struct transfer_out;
struct transfer_format {
    const char *name;
    const char *about;                      /* "mail in one file", for people */
    unsigned needs;                         /* enum transfer_needs */
    const char *type;                       /* the media type of what goes out */
    int (*read)(struct transfer_in *in);    /* NULL: it does not come in */
    int (*write)(struct transfer_out *out); /* NULL: it does not go out */
};
extern const struct transfer_format transfer_formats[]; /* the last one has no name */
/* Their names, NULL-terminated. */
extern const char *const transfer_names[];

struct sosia_engine;
struct sosia_blob;

/* Fails with INVALID "transfer" and a message that names the file and the line, if it has lines. */
int transfer_import(struct sosia_engine *e, uint64_t world, const struct transfer *t,
                    const void *data, size_t len, struct transfer_done *ret, struct sosia_err *err);
/* The document alone, for who applies it: JSON. */
int transfer_document(struct sosia_engine *e, uint64_t world, const struct transfer *t,
                      const void *data, size_t len, struct buf *out, struct transfer_done *ret,
                      struct sosia_err *err);
/* Writes how much there was, as an object. */
void transfer_counts(struct json_writer *w, const struct transfer_done *done);
/* *ret_type: static. */
int transfer_export(struct sosia_engine *e, uint64_t world, const struct transfer *t,
                    struct sosia_blob *ret, const char **ret_type, struct sosia_err *err);

#endif
