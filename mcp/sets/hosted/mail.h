/* SPDX-License-Identifier: Apache-2.0 */
/* Filters that several sets have for messages of mail. */
#ifndef SOSIA_MCP_MAIL_H
#define SOSIA_MCP_MAIL_H

#include "mcp/sets/set.h"

/* The message that the arguments tell of (to, cc, bcc, subject, body, htmlBody, mimeType,
 * inReplyTo), as "raw" has it; refused where one is not as it must be. What no argument is called
 * may be there too: _from and _name (the sender), _references (in the place of inReplyTo), _files
 * ([{filename, mimeType, content}], in base64). With the argument "draft" it needs no recipients.
 */
const struct json *set_mail_letter(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item);
/* The bodies of a message's payload: {text, html, preferredFormat}. */
const struct json *set_mail_bodies(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item);
/* The files of a message's payload, [{id, filename, mimeType, size}], with the argument as the name
 * of their id; nothing where there is none. */
const struct json *set_mail_files(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item);

#endif
