/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of a message says of it: importance, receipts. */
#include "services/mail/core/mail_impl.h"
#include <strings.h>

const struct mail_property mail_property_usual = {
    .flag_from_us = MAIL_NO_TIME, .flag_due_us = MAIL_NO_TIME, .flag_done_us = MAIL_NO_TIME};

/* ---- heads ---- */

static bool is_field(const struct mime_field *f, const char *name)
{
    size_t n = strlen(name);
    return f->name_len == n && strncasecmp(f->name, name, n) == 0;
}

/* "1 (Highest)" to "5 (Lowest)", "High", "urgent", "non-urgent". */
static int importance_of(const char *value)
{
    static const struct {
        const char *word;
        int importance;
    } words[] = {{"high", 1}, {"urgent", 1},      {"1", 1},  {"2", 1},
                 {"low", -1}, {"non-urgent", -1}, {"4", -1}, {"5", -1}};
    size_t n = strcspn(value, " (");
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (strlen(words[i].word) == n && strncasecmp(words[i].word, value, n) == 0)
            return words[i].importance;
    return 0;
}

void mail_property_read(struct arena *a, const char *head, size_t len, struct mail_property *ret)
{
    static const char *const of_importance[] = {"Importance", "X-Priority", "Priority"};
    struct mime_field f;
    size_t found = SOSIA_LEN(of_importance);
    *ret = mail_property_usual;
    for (size_t pos = 0; mime_field_next(head, len, &pos, &f);) {
        if (!f.name_len || !strchr("DIPRXdiprx", f.name[0]))
            continue;
        for (size_t i = 0; i < found; i++)
            if (is_field(&f, of_importance[i])) {
                ret->importance = importance_of(mime_value(a, &f));
                found = i;
            }
        if (is_field(&f, "Disposition-Notification-To"))
            ret->receipts |= RECEIPT_READ;
        else if (is_field(&f, "Return-Receipt-To"))
            ret->receipts |= RECEIPT_DELIVERED;
    }
}

/* ---- rows ---- */
