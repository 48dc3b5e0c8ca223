/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the owner of an address whether it may be used: a mail that names the page on which one
 * agrees. The key of that page is stored with the address alone. */
#include "engine/base/codec.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/gmail/settings/settings.h"

/* Programs with hard-wired hosts look for the service's own name. */
static const char *page_host(const struct call *c)
{
    static const char vendor[] = ".googleapis.com";
    const char *host = c->base_url ? strstr(c->base_url, "://") : NULL;
    size_t n = host ? strcspn(host + 3, "/:") : 0;
    if (n >= sizeof vendor - 1 &&
        memcmp(host + 3 + n - (sizeof vendor - 1), vendor, sizeof vendor - 1) == 0)
        return "https://mail-settings.google.com";
    const char *url = call_world_url(c);
    return url ? url : "";
}

/* 24 characters for the page, and a number of nine digits for people. */
static int make_secret(struct call *c, const char **ret, uint32_t *ret_number)
{
    uint8_t bytes[18];
    struct buf b;
    if (tx_secret(&c->tx, "gmail.confirm", bytes, sizeof bytes) < 0)
        return -1;
    buf_init(&b, 64);
    base64url_add(&b, bytes, sizeof bytes, false);
    *ret = arena_strdup(c->tx.arena, buf_str(&b));
    *ret_number =
        100000000 + ((uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2]) % 900000000;
    buf_done(&b);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

/* 1: a request with it was sent already, as a dump may have; 0, -1. */
static int is_asked(struct call *c, const struct mailbox *mb, const char *secret)
{
    struct gmail_sender *senders;
    struct gmail_forward *forwards;
    size_t n, n_forwards;
    if (gmail_sender_list(&c->tx, mb, &senders, &n) < 0 ||
        gmail_forward_list(&c->tx, mb, &forwards, &n_forwards) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (senders[i].asked && strcmp(senders[i].asked, secret) == 0)
            return 1;
    for (size_t i = 0; i < n_forwards; i++)
        if (forwards[i].asked && strcmp(forwards[i].asked, secret) == 0)
            return 1;
    return 0;
}

static int new_secret(struct call *c, const struct mailbox *mb, const char **ret,
                      uint32_t *ret_number)
{
    int r;
    do
        r = make_secret(c, ret, ret_number) < 0 ? -1 : is_asked(c, mb, *ret);
    while (r == 1);
    return r;
}

static int mail_to(struct call *c, const char *from, const char *to, const char *subject,
                   const char *text)
{
    struct arena *a = c->tx.arena;
    struct compose m = {.from = mime_address_text(a, "Gmail Team", from),
                        .to = to,
                        .subject = subject,
                        .date_s = c->tx.now_us / 1000000,
                        .text = text};
    struct buf b;
    if (mail_message_id(&c->tx, from, &m.message_id) < 0)
        return -1;
    buf_init(&b, MAIL_MAX_SIZE);
    mime_compose(a, &m, &b);
    struct mail_carry carry = {.sender = from, .raw = b.data, .len = b.len, .to = &to, .n_to = 1};
    int rc = buf_failed(&b) || arena_failed(a) ? sosia_fail_memory(c->tx.err)
                                               : mail_carry(&c->tx, &carry);
    buf_done(&b);
    return rc;
}

int settings_ask_sender(struct call *c, const struct mailbox *mb, struct gmail_sender *s)
{
    struct arena *a = c->tx.arena;
    uint32_t number;
    if (new_secret(c, mb, &s->asked, &number) < 0)
        return -1;
    return mail_to(c, "gmail-noreply@google.com", s->email,
                   arena_printf(a, "Gmail Confirmation - Send Mail as %s", s->email),
                   arena_printf(a,
                                "%s would like to send mail as %s.\nConfirmation code: %u\n\n"
                                "To agree, open this page:\n\n%s/mail/" SETTINGS_PAGE_SENDER
                                "%llx-%s\n\nIf you don't agree, there is nothing to do.\n",
                                mb->email, s->email, number, page_host(c),
                                (unsigned long long)mb->id, s->asked));
}

int settings_ask_forward(struct call *c, const struct mailbox *mb, struct gmail_forward *f)
{
    struct arena *a = c->tx.arena;
    uint32_t number;
    if (new_secret(c, mb, &f->asked, &number) < 0)
        return -1;
    return mail_to(c, "forwarding-noreply@google.com", f->email,
                   arena_printf(a, "(#%u) Gmail Forwarding Confirmation - Receive Mail from %s",
                                number, mb->email),
                   arena_printf(a,
                                "%s would like to forward mail to %s.\nConfirmation code: %u\n\n"
                                "To agree, open this page:\n\n%s/mail/" SETTINGS_PAGE_FORWARD
                                "%llx-%s\n\nIf you don't agree, there is nothing to do.\n",
                                mb->email, f->email, number, page_host(c),
                                (unsigned long long)mb->id, f->asked));
}
