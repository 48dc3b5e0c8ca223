/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service that keeps files of any length, for tests and measurements of large bytes:
 *
 *   PUT  /files/{name}          the body is the file; answers {"length": N, "sha256": "..."}
 *   GET  /files/{name}          the file, or ranges of it
 *   POST /files/{name}/echo     the file that the call puts in place is its answer too
 *   POST /files/{name}/note     a small write
 *   GET  /files/memory/{bytes}  so many bytes that are in memory
 */
#ifndef SOSIA_TESTS_FILES_H
#define SOSIA_TESTS_FILES_H

#include "engine/service.h"
#include "engine/blob/blob.h"

#define FILES_MAX BLOB_MAX

extern const struct sosia_service files_service;

#endif
