/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that import worlds. */
#ifndef SOSIA_STATE_IMPORT_IMPL_H
#define SOSIA_STATE_IMPORT_IMPL_H

#include "engine/state/exported.h"

/* Fails with INVALID "notAnExport" and what is wrong with the file. Gives -1. */
int import_refuse(struct sosia_err *err, const char *what);
/* Fails for what SQLite says: memory, an interruption, or that the file is not sound. Gives -1. */
int import_fail(sqlite3 *db, struct sosia_err *err);
/* Takes what is said of the world out of the meta table of database "main". 0, -1. */
int import_origin(sqlite3 *db, struct world_origin *o, struct sosia_err *err);
/* Is there a journal in database "src"? */
bool import_has_journal(sqlite3 *db);
/* Its entries, which are given out as they are, so that each must be a JSON object. 0, -1. */
int import_journal(sqlite3 *db, struct journal *j, struct sosia_err *err);

#endif
