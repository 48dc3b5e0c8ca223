/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exported worlds: SQLite files with a world's tables, rows of its meta table that say what the
 * file would not say otherwise (the clock, the seed of ids, the limits: keys "world.*"), and its
 * journal as a table.
 */
#ifndef SOSIA_STATE_EXPORTED_H
#define SOSIA_STATE_EXPORTED_H

#include "engine/state/dump.h"

/* The journal's table: in exported files only. */
#define EXPORTED_JOURNAL                                                                           \
    "CREATE TABLE journal (seq integer primary key, entry text not null) strict"

/* The world's secret (world_secret_write()), "world.secret": only in files that were asked to have
 * it. */
#define EXPORTED_SECRET "secret"
/* Where the journal's first entries are gone, the link of the chain before the first that is there,
 * as numbers of 64 bits: their keys. */
enum { EXPORTED_LINKS = CHAIN_LINK / 8 };
extern const char *const exported_links[];

/* ---- export.c ---- */

/* The bytes of such a file with a state, and no journal; without its cores' secrets unless asked.
 */
int world_image(struct sosia_engine *e, const struct step *state, bool secrets, struct buf *out,
                struct sosia_err *err);

/* ---- import.c ---- */

/* Makes a world of an exported file's bytes, which may be anybody's. image: from
 * sqlite3_malloc64(), freed here in any case, and changed. name: of the new world; NULL: none.
 * secrets: the world has the file's secret, if that has one; else a new one, as the author of the
 * file could compute what comes of theirs. INVALID: it is not a sound export of this version;
 * TOO_LARGE. */
int world_import_image(struct sosia_engine *e, uint8_t *image, size_t len, const char *name,
                       bool secrets, uint64_t *ret_world, struct sosia_err *err);

/* The first half of it: the bytes of a file are read and its rows put, in a transaction, into
 * database "main" of a connection, which begins as a copy of an empty world; what the file says of
 * its world's clock, seed, secret and journal goes to *origin (journal_clear() frees it in any
 * case). *ret_db is to be closed in any case. What the rows mean is not looked at yet. e: NULL: an
 * earlier release's file is refused; else *ret_from is its format, and NULL for one of this
 * version.
 */
int import_file(struct sosia_engine *e, const struct tree *empty, uint8_t *image, size_t len,
                struct world_origin *origin, const char **ret_from, sqlite3 **ret_db,
                struct sosia_err *err);

/* Fills the tables of database "main" from the tables of the same names and columns in database
 * "src" of a connection; the triggers must be off. Texts that are not UTF-8 are refused. Full-text
 * indexes are built anew. */
int import_rows(sqlite3 *db, struct sosia_err *err);

#endif
