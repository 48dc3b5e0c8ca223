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

/* ---- arguments ---- */

/* Which of the bodies is sent: values of mimeType. */
extern const char *const set_mail_types[];

#define SET_MAIL_LETTER                                                                            \
    {.name = "to", .type = ARG_STRINGS, .required = true, .summary = "Addresses of recipients"},   \
        {.name = "subject", .required = true, .summary = "Subject"},                               \
        {.name = "body",                                                                           \
         .required = true,                                                                         \
         .summary = "The text, and that in the place of absent HTML"},                             \
        {.name = "htmlBody", .summary = "The text as HTML"},                                       \
        {.name = "mimeType",                                                                       \
         .def = "text/plain",                                                                      \
         .values = set_mail_types,                                                                 \
         .summary = "Which of both is sent"},                                                      \
        {.name = "cc", .type = ARG_STRINGS, .summary = "Addresses that get a copy"},               \
        {.name = "bcc", .type = ARG_STRINGS, .summary = "Addresses that get a copy unseen"},       \
        {.name = "threadId", .summary = "Thread that it goes into"},                               \
    {                                                                                              \
        .name = "inReplyTo", .summary = "Message-ID of what it answers"                            \
    }
#define SET_MAIL_MESSAGE_ID                                                                        \
    {                                                                                              \
        .name = "messageId", .required = true, .summary = "Id of the message"                      \
    }
#define SET_MAIL_LABELS                                                                            \
    {.name = "addLabelIds", .type = ARG_STRINGS, .summary = "Ids of labels to put on"},            \
    {                                                                                              \
        .name = "removeLabelIds", .type = ARG_STRINGS, .summary = "Ids of labels to take off"      \
    }
#define SET_MAIL_MESSAGE_IDS                                                                       \
    {                                                                                              \
        .name = "messageIds", .type = ARG_STRINGS, .required = true,                               \
        .summary = "Ids of the messages"                                                           \
    }
#define SET_MAIL_BATCH_SIZE                                                                        \
    {                                                                                              \
        .name = "batchSize", .type = ARG_NUMBER, .def = "50", .summary = "Changes nothing here"    \
    }
#define SET_MAIL_SEARCH                                                                            \
    {.name = "query", .required = true, .summary = "As in the search field: from:ada is:unread"},  \
    {                                                                                              \
        .name = "maxResults", .type = ARG_NUMBER, .summary = "Messages at most; 10 by default"     \
    }

#endif
