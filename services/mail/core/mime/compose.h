/* SPDX-License-Identifier: Apache-2.0 */
/* Messages made from their pieces: of seed documents, bounces, invitations, automatic answers. The
 * same pieces give the same bytes. */
#ifndef SOSIA_MAIL_COMPOSE_H
#define SOSIA_MAIL_COMPOSE_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include <stdint.h>

struct compose_file {
    const char *type;     /* "application/pdf" */
    const char *params;   /* further ones of Content-Type, such as "method=REQUEST"; NULL: none */
    const char *filename; /* NULL: none */
    const char *cid;      /* Content-ID without brackets; NULL: none */
    bool inlined;         /* Content-Disposition: inline */
    bool plain;           /* no transfer encoding: 7 bit text with CRLF */
    const char *data;
    size_t len;
};

struct compose {
    /* Addresses as they are in headers (mime_address_text()); NULL: no such header. */
    const char *from, *to, *cc, *bcc, *reply_to;
    const char *subject;     /* UTF-8; NULL: no such header */
    const char *message_id;  /* with brackets; NULL: no such header */
    const char *in_reply_to; /* with brackets */
    const char *references;
    int64_t date_s;
    int32_t date_offset; /* seconds east of UTC */
    const struct compose_header {
        const char *name, *value; /* value UTF-8: encoded words are made where needed */
    } * headers;                  /* further ones, behind the others */
    int n_headers;
    const char *text, *html; /* UTF-8, lines ended by \n or \r\n; NULL: none */
    const char *alternative; /* Content-Type of one more form of the text: "text/calendar; ..." */
    const char *alternative_data;
    const struct compose_file *files;
    int n_files;
    bool exchange;      /* heads as Exchange has them (MG-632) */
    const char *report; /* the report-type of a multipart/report of text and files; NULL: none */
};

/* Adds the message to out, lines ended by CRLF. */
void mime_compose(struct arena *a, const struct compose *c, struct buf *out);

#endif
