/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for bytes and numbers: hex, base64 and base64url (RFC 4648), base32hex, percent-encoding
 * (RFC 3986), decimal numbers. Decoders are strict and never read beyond the length given. */
#ifndef SOSIA_BASE_CODEC_H
#define SOSIA_BASE_CODEC_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include <stdint.h>

void hex_encode(char *ret_text, const void *data, size_t n); /* 2n digits, lower case, and NUL */
/* n bytes from a text of 2n digits of either case. -1: it is another text. */
int hex_decode(void *ret_data, const char *text, size_t n);
void base64_add(struct buf *b, const void *data, size_t n); /* padded */
/* The same as a text in the arena; alphabet: 64 characters, NULL: that of the RFC. */
char *base64_text(struct arena *a, const char *alphabet, const void *data, size_t n);
void base64url_add(struct buf *b, const void *data, size_t n, bool pad); /* pad: with '=' */
/* Both alphabets, padding optional. Gives bytes in the arena, or -1. */
int base64_decode(struct arena *a, const char *text, size_t len, uint8_t **ret_data,
                  size_t *ret_len);
void base32hex_add(struct buf *b, const void *data, size_t n); /* lower case, unpadded */
/* The same of n bytes into ret_text, with a NUL behind its characters. */
#define BASE32HEX_LEN(n) (((n)*8 + 4) / 5)
void base32hex_encode(char *ret_text, const void *data, size_t n);

/* Text as it is in HTML and XML: "&", "<" and ">" become entities, and so do those quotation marks
 * (" and ') that are in `quotes`. */
void html_escape(struct buf *b, const char *text, size_t n, const char *quotes);
/* The same with something in the place of each line feed, such as "<br>". */
void html_escape_lines(struct buf *b, const char *text, const char *quotes, const char *line_end);

/* Decodes %XX; in a query '+' is a space. Gives -1 on a broken escape or a NUL byte. */
int percent_decode(struct arena *a, const char *text, size_t len, bool query, char **ret_text,
                   size_t *ret_len);
/* All but unreserved characters become %XX. */
void percent_add(struct buf *b, const char *text, size_t len);
/* The same to p, where is room for 3 len bytes; gives the end. */
char *percent_put(char *p, const char *text, size_t len);

/* The whole of text must be the number; no whitespace, no plus sign. */
int parse_i64(const char *text, size_t len, int64_t *ret);
int parse_u64(const char *text, size_t len, uint64_t *ret);
/* JSON's grammar, whatever the locale; the nearest double. -1 also when it is beyond all of them.
 */
int parse_double(const char *text, size_t len, double *ret);

bool str_same(const char *a, const char *b);      /* byte by byte; both may be NULL */
bool str_eq_nocase(const char *a, const char *b); /* ASCII */
/* The same for len bytes of a text. */
bool str_is_nocase(const char *text, size_t len, const char *word);
bool str_starts(const char *s, const char *prefix); /* byte by byte */
/* The place of a text in a NULL-terminated list, byte by byte; -1: it is not there, or is NULL. */
int str_place(const char *const *list, const char *text);
/* Is it one of the texts; does it begin with one of them? ASCII. */
bool str_in_nocase(const char *s, const char *const *list, size_t n);
bool str_starts_in_nocase(const char *s, const char *const *prefixes, size_t n);

#endif
