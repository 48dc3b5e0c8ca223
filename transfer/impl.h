/* SPDX-License-Identifier: Apache-2.0 */
/* Between the readers and writers of formats. */
#ifndef SOSIA_TRANSFER_IMPL_H
#define SOSIA_TRANSFER_IMPL_H

#include "engine/base/buf.h"
#include "engine/base/map.h"
#include "engine/world/tx.h"
#include "identity/identity.h"
#include "transfer/transfer.h"

/* A file on its way in. The transaction is taken back: what is written is the document. */
struct transfer_in {
    struct tx *tx;
    struct json_writer *w; /* the document: an open object */
    const struct transfer *t;
    const char *name; /* of the file, or of the one in an archive that is being read */
    const char *data;
    size_t len;
    struct transfer_done *done;
};
/* A file on its way out. */
struct transfer_out {
    struct tx *tx;
    struct buf *out;
    const struct transfer *t;
};

/* Refuses the file, with its name and a line (0: none). Gives -1. */
__attribute__((format(printf, 3, 4))) int transfer_fail(const struct transfer_in *in, size_t line,
                                                        const char *fmt, ...);
/* The person that is named. 0, -1: there is nobody. */
int transfer_person(struct tx *tx, const struct transfer *t, struct actor *ret);
/* A text in which a document can say these bytes; else they are base64. */
bool transfer_is_text(const char *data, size_t len);
void transfer_bytes(struct json_writer *w, const char *text, const char *base64, const char *data,
                    size_t len);
/* The number of the line that a place is in. */
size_t transfer_line(const char *data, size_t at);
/* What a message shows of a line: its beginning, as text. */
const char *transfer_shown(struct arena *a, const char *line, size_t len);

/* ---- archive.c: zip and tar, read by way of the workspace of the transaction ---- */

bool transfer_is_archive(const char *data, size_t len);
/* Puts the entries below a directory of the workspace, which is empty before, and counts them;
 * refuses what the workspace refuses. */
int transfer_unpack(struct transfer_in *in, const char *dir);
/* Calls fn for each file of it whose path is wanted (NULL: all), by path, with bytes that are gone
 * behind the call. 0, -1. */
struct transfer_entry {
    const char *path, *data;
    size_t len;
    int64_t modified_us;
};
typedef int transfer_taker(struct transfer_in *in, const struct transfer_entry *e, void *arg);
int transfer_each(struct transfer_in *in, bool (*wanted)(const char *path), transfer_taker *fn,
                  void *arg);
/* Does a path end so? Case does not matter. */
bool transfer_ends(const char *path, const char *end);

/* ---- formats ---- */

int read_drive(struct transfer_in *in);
int read_workspace(struct transfer_in *in);
int write_drive(struct transfer_out *out);
int write_workspace(struct transfer_out *out);
int read_mbox(struct transfer_in *in);
int read_eml(struct transfer_in *in);
int read_maildir(struct transfer_in *in);
int write_mbox(struct transfer_out *out);
int read_ics(struct transfer_in *in);
int write_ics(struct transfer_out *out);
int read_vcf(struct transfer_in *in);
int write_vcf(struct transfer_out *out);
int read_csv(struct transfer_in *in);
int write_csv(struct transfer_out *out);
int read_takeout(struct transfer_in *in);
int read_slack(struct transfer_in *in);

#endif
