/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as bytes (RFC 5322, MIME): the tree of their parts with the places of each in the bytes,
 * their headers, and the decoding of both. Whatever the bytes are, there is a tree; it has at most
 * MIME_MAX_PARTS parts and MIME_MAX_DEPTH levels, what lies beyond is part of the last one's body,
 * and making it takes time by the number of bytes. Nothing in here changes or loses a byte.
 *
 * The structure is found by our own scanner, because it must say where in the bytes each part lies
 * and because GMime's parser takes time by depth times lines. GMime reads the values of headers
 * (parameters, encoded words, addresses, dates) and converts charsets.
 */
#ifndef SOSIA_MAIL_MIME_H
#define SOSIA_MAIL_MIME_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include <stdint.h>

#define MIME_MAX_PARTS 10000
#define MIME_MAX_DEPTH 40

enum mime_encoding { MIME_7BIT, MIME_8BIT, MIME_BINARY, MIME_QP, MIME_BASE64, MIME_UU };
enum mime_disposition { MIME_UNSAID, MIME_INLINE, MIME_ATTACHMENT };

/* A part. Texts are UTF-8. Places are bytes of the content: of what follows the message's own head;
 * the root's head lies outside of it. A message/rfc822 has one child: the message in it. */
struct mime_part {
    int parent;           /* place in the list; -1: the root */
    int first, next;      /* child, sibling; -1: none */
    int place;            /* among its siblings, from 0 */
    int depth;            /* of the root 0 */
    const char *type;     /* "text/plain", lower case */
    const char *charset;  /* lower case; NULL: none is said */
    const char *filename; /* NULL: none */
    const char *cid;      /* Content-ID without its brackets; NULL: none */
    enum mime_encoding encoding;
    enum mime_disposition disposition;
    size_t head, head_len; /* with the empty line; the root's: 0, 0 */
    size_t at, len;        /* the body, still encoded; of a multipart: all of it */
    size_t size;           /* of the decoded body; of a part with children 0 */
    /* Of a message that is stored: where the body's bytes are. */
    int64_t blob;   /* 0: among those that are in no blob */
    size_t own;     /* there, from here; of a blob: where it would be */
    uint32_t lines; /* the blob holds it decoded, and its lines of base64 are: their length * 4, + 1
                       if they end in \n alone, + 2 if the last one ends; 0: as it is */
};

struct mime {
    struct mime_part *parts; /* in the order of the bytes; [0] is the root */
    int n;
    bool cut; /* a limit was met */
};

/* The length of the head at the start of the bytes: with the empty line, or all if there is none.
 */
size_t mime_head_len(const char *raw, size_t len);
/* Parses. head: the root's; content: the bytes behind it. Texts are made in the arena. */
void mime_parse(struct arena *a, const char *head, size_t head_len, const char *content, size_t len,
                struct mime *ret);

static inline bool mime_is_multipart(const struct mime_part *p)
{
    return strncmp(p->type, "multipart/", 10) == 0;
}
/* Does it count as a file: it is not a multipart, and has a name, or is said to be an attachment,
 * or is not text? */
bool mime_is_file(const struct mime *m, int part);

/* ---- headers ---- */

/* A header field as it is in the bytes: name without the colon, value from behind the colon to
 * before its line end, still folded. */
struct mime_field {
    const char *name, *value;
    size_t name_len, value_len;
    const char *line; /* where the field starts */
    size_t line_len;  /* with its last line end */
};
/* Walks through a head: *pos from 0. False at the end. Lines that are no field are passed over. */
bool mime_field_next(const char *head, size_t len, size_t *pos, struct mime_field *ret);
/* For who wants fields of one name, by its first letter of any case: those that begin otherwise
 * are mostly passed over. */
bool mime_field_next_with(const char *head, size_t len, size_t *pos, char letter,
                          struct mime_field *ret);
/* The nth field (from 0) of a name, case does not matter; false: there is none. */
bool mime_field_find(const char *head, size_t len, const char *name, size_t nth,
                     struct mime_field *ret);
/* A field's value in the arena: unfolded (a line end with one space or tab is a space, otherwise
 * the whitespace around it stays), without whitespace around it, bytes that are no UTF-8 taken as
 * Windows-1252; encoded words stay. */
char *mime_value(struct arena *a, const struct mime_field *f);
/* The same, with encoded words (RFC 2047) decoded. */
char *mime_value_decoded(struct arena *a, const struct mime_field *f);
/* Of the first field of that name, decoded; NULL: there is none. */
char *mime_header(struct arena *a, const char *head, size_t len, const char *name);
/* Decodes encoded words in a text that is UTF-8. */
char *mime_decode_words(struct arena *a, const char *text);
/* The other way: as it may be in a header: ASCII stays as it is. */
char *mime_encode_words(struct arena *a, const char *text);

/* The addresses of a header, groups opened. name is decoded and may be NULL; email is as written,
 * "" if it can't be recognised. */
struct mime_address {
    const char *name, *email;
};
/* *ret_bad: something in it is not an address. Reads at most MIME_MAX_ADDRESSES. */
#define MIME_MAX_ADDRESSES 10000
void mime_addresses(struct arena *a, const char *text, struct mime_address **ret, size_t *ret_n,
                    bool *ret_bad);
/* Of all fields of that name together. */
void mime_address_fields(struct arena *a, const char *head, size_t len, const char *name,
                         struct mime_address **ret, size_t *ret_n, bool *ret_bad);
/* Name and address as they are in a header. */
char *mime_address_text(struct arena *a, const char *name, const char *email);

/* The ids (without brackets) in a Message-ID, In-Reply-To or References. */
void mime_ids(struct arena *a, const char *text, const char ***ret, size_t *ret_n);
/* Seconds since 1970 of a Date; false: it is none. ret_offset: seconds east of UTC; may be NULL. */
bool mime_date(const char *text, int64_t *ret_s, int32_t *ret_offset);
/* "Thu, 12 Mar 2026 07:26:40 +0000" */
#define MIME_DATE 40
void mime_date_text(char ret[MIME_DATE], int64_t s, int32_t offset);
/* A subject without the "Re:", "Fwd:" and the like in front, for comparing; in the arena. */
char *mime_subject_base(struct arena *a, const char *subject);

/* Adds to out the head with all fields of that name replaced by one, which is where the first one
 * was, or at the end (value NULL: none). value is written as it is. */
void mime_head_set(struct buf *out, const char *head, size_t len, const char *name,
                   const char *value);

/* ---- bodies ---- */

/* Decodes a body's transfer encoding. What is not base64 or quoted-printable is passed over or kept
 * as it is, as readers of mail do. */
void mime_decode(enum mime_encoding e, const char *data, size_t len, struct buf *out);
/* Bytes in a charset as UTF-8, in the arena: a charset that nobody knows, and bytes that are none
 * of it, become something readable; NULs become U+FFFD. *ret_len may be NULL. */
char *mime_to_utf8(struct arena *a, const char *charset, const char *data, size_t len,
                   size_t *ret_len);
/* The text that a reader of a HTML document sees, in the arena; blocks and <br> end lines. */
char *mime_html_text(struct arena *a, const char *html, size_t len, size_t *ret_len);

#endif
