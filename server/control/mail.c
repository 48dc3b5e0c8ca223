/* SPDX-License-Identifier: Apache-2.0 */
/* Mail of people, whatever the vendor: folders, messages from any place of a folder on, one
 * message.
 */
#include "services/mail/core/show.h"
#include "server/control/operation.h"
#include "server/control/parameters.h"
#include <stdlib.h>
#include <string.h>

static int read_shown(struct control_call *c, struct mail_shown *ret)
{
    const char *folder = control_text(c, "folder"), *message = control_text(c, "message");
    *ret = (struct mail_shown){.actor = control_text(c, "actor"),
                               .vendor = control_text(c, "vendor"),
                               .offset = control_number(c, "offset", 0),
                               .limit = control_number(c, "limit", 100),
                               .text = control_text(c, "q"),
                               .part = (int)control_number(c, "part", 0)};
    if (folder && (strlen(folder) > 18 || strspn(folder, "0123456789") != strlen(folder)))
        return control_fail(c, "folder", "must be the id of a folder, not \"%.40s\"", folder);
    if (message && (strlen(message) != 16 || strspn(message, "0123456789abcdef") != 16))
        return control_fail(c, "message", "must be the id of a message, not \"%.40s\"", message);
    ret->folder = folder ? strtoll(folder, NULL, 10) : 0;
    ret->key = message ? (int64_t)strtoull(message, NULL, 16) : 0;
    return 0;
}

typedef int show_fn(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                    struct sosia_blob *ret_json, struct sosia_err *err);

static int answer_with(struct call *call, show_fn *show)
{
    struct control_call *c = control_of(call);
    struct mail_shown shown;
    struct sosia_blob json;
    if (read_shown(c, &shown) < 0 || show(c->engine, c->world, &shown, &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

static int folders_list(struct call *call)
{
    return answer_with(call, mail_show_folders);
}

static int messages_list(struct call *call)
{
    return answer_with(call, mail_show_messages);
}

static int message_get(struct call *call)
{
    return answer_with(call, mail_show_message);
}

/* As a file: what a message holds must not become a page of this origin. */
static int part_get(struct call *call)
{
    struct control_call *c = control_of(call);
    struct server_response *r = c->response;
    struct mail_shown shown;
    struct buf b;
    buf_init(&b, 0);
    if (read_shown(c, &shown) < 0 || mail_show_part(c->engine, c->world, &shown, &b, &c->err) < 0) {
        buf_done(&b);
        return -1;
    }
    server_answer_buf(r, 200, &b);
    r->content_type = "application/octet-stream";
    r->headers[r->n_headers++] = (struct sosia_header){"Content-Disposition", "attachment"};
    r->headers[r->n_headers++] = (struct sosia_header){"X-Content-Type-Options", "nosniff"};
    return 0;
}

/* ---- rows ---- */

#define MESSAGE PLACE("message", 16, "Its \"id\" in lists")

static const struct param list_params[] = {WHOSE,
                                           {.name = "folder",
                                            .place = IN_QUERY,
                                            .type = PARAM_STRING,
                                            .required = true,
                                            .max = 18,
                                            .summary = "Its \"id\""},
                                           {.name = "q",
                                            .place = IN_QUERY,
                                            .type = PARAM_STRING,
                                            .max = 400,
                                            .summary = "Only messages with all of its words; in "
                                                       "double quotes, next to each other"},
                                           {.name = "offset",
                                            .place = IN_QUERY,
                                            .type = PARAM_INT,
                                            .max = 1000000000,
                                            .summary = "How many newer ones are left out"},
                                           {.name = "limit",
                                            .place = IN_QUERY,
                                            .type = PARAM_INT,
                                            .min = 1,
                                            .max = 500,
                                            .summary = "How many at most; 100 without it"}};
static const struct param message_params[] = {WHOSE, MESSAGE};
static const struct param part_params[] = {WHOSE,
                                           MESSAGE,
                                           {.name = "part",
                                            .place = IN_PATH,
                                            .type = PARAM_INT,
                                            .required = true,
                                            .max = 10000,
                                            .summary = "Its \"n\""}};

static const struct route routes[] = {
    {ROUTE("mail.folders", GET, "/worlds/{world}/mail/{actor}/folders"), .outside = true,
     .risk = RISK_READ, .summary = "The folders, labels and keywords of a mailbox",
     .handler = folders_list, .pace = PACE_SLOW, PARAMS(whose_params), .status = 200,
     .response = "MailFolders"},
    {ROUTE("mail.messages", GET, "/worlds/{world}/mail/{actor}/messages"), .outside = true,
     .risk = RISK_READ, .summary = "The messages of a folder from any place on, newest first",
     .handler = messages_list, .pace = PACE_SLOW, PARAMS(list_params), .status = 200,
     .response = "MailMessages"},
    {ROUTE("mail.message", GET, "/worlds/{world}/mail/{actor}/messages/{message}"), .outside = true,
     .risk = RISK_READ, .summary = "A message: headers, text, HTML, parts", .handler = message_get,
     .pace = PACE_SLOW, PARAMS(message_params), .status = 200, .response = "MailMessage"},
    {ROUTE("mail.part", GET, "/worlds/{world}/mail/{actor}/messages/{message}/parts/{part}"),
     .outside = true, .risk = RISK_READ, .summary = "A part of a message, decoded",
     .handler = part_get, .pace = PACE_SLOW, PARAMS(part_params), .status = 200,
     .gives = "application/octet-stream"},
};

const struct rows control_mail_rows = ROWS(routes);
