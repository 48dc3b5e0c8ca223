/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the core that read and write messages' bytes. */
#ifndef SOSIA_MAIL_MIME_IMPL_H
#define SOSIA_MAIL_MIME_IMPL_H

#include "services/mail/core/mime/mime.h"

/* GMime's functions may be used after this; from any thread. */
void mime_library(void);

/* What a part's head says of it; type: when it says none. *ret_boundary: of a multipart. */
void mime_read_head(struct arena *a, const char *head, size_t len, const char *type,
                    struct mime_part *ret, const char **ret_boundary);
/* How many bytes mime_decode() makes of a body. */
size_t mime_decoded_size(enum mime_encoding e, const char *data, size_t len);

/* A tree in the form in which it is stored. Texts of an unpacked one lie in data. -1: it is none
 * that mime_pack() made of a content with so many bytes, so many of them not in blobs. */
void mime_pack(const struct mime *m, struct buf *out);
int mime_unpack(struct arena *a, const char *data, size_t len, size_t content_len, size_t own_len,
                struct mime *ret);

#endif
