/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/codec.h"
#include "services/mail/core/deliver/bounce.h"
#include "engine/text/civil.h"
#include "services/mail/core/mime/compose.h"

#define WHOLE_MAX                                                                                  \
    65536 /* bytes of a message that comes back whole; of larger ones the head does                \
           */

static const char *escaped(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    html_escape(&b, text, strlen(text), "");
    const char *out = arena_strdup(a, buf_str(&b));
    if (buf_failed(&b))
        a->failed = true;
    buf_done(&b);
    return out;
}

/* The message that came back: with everything, or its head. */
static void returned(struct arena *a, const char *head, size_t len,
                     const struct mail_letter_text *text, struct compose_file *ret)
{
    bool whole = len + text->content_len <= WHOLE_MAX;
    size_t n = len + (whole ? text->content_len : 0);
    char *data = arena_alloc(a, n + 1);
    *ret = (struct compose_file){
        .type = whole ? "message/rfc822" : "text/rfc822-headers", .plain = true, .data = ""};
    if (arena_failed(a))
        return;
    memcpy(data, head, len);
    if (whole && text->content_len)
        memcpy(data + len, text->content, text->content_len);
    ret->data = data;
    ret->len = n;
}

static const struct mail_report usual = {
    .name = "Mail Delivery Subsystem",
    .status = "5.1.1",
    .diagnostic = "550-5.1.1 nobody has this address",
};

/* What people read of it. */
static void write_report(struct arena *a, const struct mail_report *words, const char *address,
                         const char *head, size_t head_len, struct compose *c)
{
    if (words == &usual) {
        c->subject = "Delivery Status Notification (Failure)";
        c->text = arena_printf(a,
                               "** Address not found **\n\nYour message wasn't delivered to %s: "
                               "nobody has this address.\n",
                               address);
        c->html =
            arena_printf(a,
                         "<html><body><h2>Address not found</h2><p>Your message wasn't "
                         "delivered to <b>%s</b>: nobody has this address.</p></body></html>\n",
                         escaped(a, address));
        return;
    }
    const char *subject = mime_header(a, head, head_len, "Subject");
    c->subject = arena_printf(a, "%s%s", words->subject, subject ? subject : "");
    c->text = arena_printf(a, "%s\n\n%s\nNobody has this address.\n\n%s\n", words->says, address,
                           words->diagnostic);
    c->html = arena_printf(a,
                           "<html><body><p><b>%s</b></p><p><a href=\"mailto:%s\">%s</a><br>Nobody "
                           "has this address.</p><p>%s</p></body></html>\n",
                           escaped(a, words->says), escaped(a, address), escaped(a, address),
                           escaped(a, words->diagnostic));
}

int mail_bounce_compose(struct tx *tx, const struct mail_report *words, const char *daemon,
                        const char *sender, const char *address, const char *head, size_t head_len,
                        const struct mail_letter_text *text, const char **ret_raw, size_t *ret_len)
{
    struct arena *a = tx->arena;
    const char *domain = email_domain(address), *id;
    if (!words)
        words = &usual;
    char date[MIME_DATE];
    int64_t now = tx->now_us / US_PER_SECOND;
    struct compose_file files[2];
    mime_date_text(date, now, 0);
    char *status = arena_printf(a,
                                "Reporting-MTA: dns; %s\r\nArrival-Date: %s\r\n\r\n"
                                "Final-Recipient: rfc822; %s\r\nAction: failed\r\n"
                                "Status: %s\r\nDiagnostic-Code: smtp; %s\r\n"
                                "Last-Attempt-Date: %s\r\n",
                                domain, date, address, words->status, words->diagnostic, date);
    files[0] = (struct compose_file){
        .type = "message/delivery-status", .plain = true, .data = status, .len = strlen(status)};
    returned(a, head, head_len, text, &files[1]);
    const char *original = mime_header(a, head, head_len, "Message-ID");
    struct compose_header headers[] = {{"X-Failed-Recipients", address},
                                       {"Auto-Submitted", "auto-replied"}};
    if (words != &usual)
        headers[0] = (struct compose_header){words->mark, ""};
    const char *from = words != &usual
                           ? arena_printf(a, "%s@%s", words->local, email_domain(sender))
                       : daemon ? daemon
                                : arena_printf(a, "mailer-daemon@%s", domain);
    if (mail_message_id(tx, from, &id) < 0)
        return -1;
    struct compose c = {
        .from = mime_address_text(a, words->name, from),
        .to = sender,
        .message_id = id,
        .in_reply_to = original,
        .references = original,
        .date_s = now,
        .headers = headers,
        .n_headers = SOSIA_LEN(headers),
        .files = files,
        .n_files = SOSIA_LEN(files),
        .report = "delivery-status",
    };
    write_report(a, words, address, head, head_len, &c);
    struct buf b;
    buf_init(&b, 0);
    mime_compose(a, &c, &b);
    *ret_raw = arena_memdup(a, b.len ? b.data : "", b.len);
    *ret_len = b.len;
    bool failed = buf_failed(&b) || arena_failed(a);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 0;
}
