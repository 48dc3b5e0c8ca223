/* SPDX-License-Identifier: Apache-2.0 */
/* An address of another person is used when its owner has agreed, by opening the page that the mail
 * to it names. */
#include "engine/base/codec.h"
#include "services/mail/gmail/settings/settings.h"
#include <stdlib.h>

/* ---- the page ---- */

/* 1 agreed, 0 there is no such request, -1. */
static int agree_sender(struct tx *tx, const struct mailbox *mb, const char *secret)
{
    struct gmail_sender *all;
    size_t n;
    if (gmail_sender_list(tx, mb, &all, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (!all[i].asked || strcmp(all[i].asked, secret) != 0)
            continue;
        all[i].pending = false;
        return gmail_sender_put(tx, mb, &all[i]) < 0 ? -1 : 1;
    }
    return 0;
}

static int agree_forward(struct tx *tx, const struct mailbox *mb, const char *secret)
{
    struct gmail_forward *all;
    size_t n;
    if (gmail_forward_list(tx, mb, &all, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (!all[i].asked || strcmp(all[i].asked, secret) != 0)
            continue;
        all[i].pending = false;
        return gmail_forward_put(tx, mb, &all[i]) < 0 ? -1 : 1;
    }
    return 0;
}

static int agree(struct call *c)
{
    const char *page = param_str(c, "page");
    bool sender = str_starts(page, SETTINGS_PAGE_SENDER);
    struct mailbox mb;
    char *secret;
    int r = 0;
    if (sender || str_starts(page, SETTINGS_PAGE_FORWARD)) {
        page += strlen(sender ? SETTINGS_PAGE_SENDER : SETTINGS_PAGE_FORWARD);
        long long id = strtoll(page, &secret, 16);
        r = *secret == '-' ? mailbox_by_id(&c->tx, id, &mb) : 0;
        if (r == 1)
            r = sender ? agree_sender(&c->tx, &mb, secret + 1)
                       : agree_forward(&c->tx, &mb, secret + 1);
    }
    if (r < 0)
        return -1;
    if (!r)
        return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL, "there is no such page");
    call_header_const(c, "Content-Type", "text/html; charset=UTF-8");
    buf_puts(c->body_out, "<!doctype html><title>Confirmed</title><p>Confirmed. You can close this "
                          "page.</p>\n");
    return 0;
}

static const struct param page_params[] = {
    {.name = "page",
     .place = IN_PATH,
     .required = true,
     .summary = "What the link in the letter says"},
};

static const struct route routes[] = {
    {ROUTE("gmail.page", GET, "/mail/{page}"), .handler = agree, .risk = RISK_WRITE,
     .anonymous = true, PARAMS(page_params),
     .summary = "The page by which the owner of an address agrees to its use"},
};

static const struct rows all_rows = ROWS(routes);

static const char *const prefixes[] = {"/mail", NULL};

const struct dialect gmail_pages = {
    .name = "mail.gmail.pages",
    .title = "Gmail: pages for people",
    .vendor = &google_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&all_rows),
};
