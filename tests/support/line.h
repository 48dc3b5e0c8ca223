/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service with sessions, for tests: apps open connections and get the notes that are sent to
 * them.
 *
 *   GET  /line?app=A1     opens a session of the app "A1" (another name: 404; "full": 429). Speaks
 *                         the subprotocols line.v2 and line.v1.
 *   POST /notes?app=A1&text=hello
 *                         a note for one connection of the app
 *
 * Frames to the client: {"type":"hello","connections":N}, {"type":"note","id":ENTRY,"text":TEXT,
 * "attempt":N}, {"type":"echo","text":TEXT}. Frames of the client: "ack ENTRY BODY", "end CODE",
 * "big N" (N bytes come back), "fail" (its turn fails), anything else comes back as an echo.
 */
#ifndef SOSIA_TESTS_LINE_H
#define SOSIA_TESTS_LINE_H

#include "engine/service.h"

extern const struct sosia_service line_service;
extern const char line_doc[]; /* a seed document for its worlds */

/* What became of notes, of all worlds. */
struct line_seen {
    int delivered, given_up, closed;
    int closed_code;
    char ack[64]; /* the last body */
};
extern struct line_seen line_seen;

#endif
