/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail's policies of mailboxes, for the mail core: which labels a mailbox has, the category of
 * what comes, ids, links, and how settings act. */
#include "services/mail/gmail/vendor.h"
#include "engine/base/codec.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/gmail/label.h"
#include "services/mail/gmail/settings/setting.h"
#include <ctype.h>
#include <strings.h>

#define KEEP_DAYS       30 /* in the trash and in spam */
#define KEY_RANDOM_BITS 20
#define HOST_MAX        253

/* ---- categories ---- */

static bool head_has_field(const char *head, size_t len, const char *name)
{
    struct mime_field f;
    return mime_field_find(head, len, name, 0, &f);
}

static bool is_bulk(struct arena *a, const char *head, size_t len)
{
    const char *precedence = mime_header(a, head, len, "Precedence");
    return head_has_field(head, len, "List-Unsubscribe") ||
           (precedence && (str_eq_nocase(precedence, "bulk") || str_eq_nocase(precedence, "junk")));
}

static uint32_t category_of(struct arena *a, const char *sender, const char *head, size_t len)
{
    const char *automatic = mime_header(a, head, len, "Auto-Submitted");
    if (head_has_field(head, len, "List-ID") || head_has_field(head, len, "List-Post"))
        return FLAG(LABEL_FORUMS);
    /* An answer of a program advertises nothing, though it may call itself bulk (RFC 3834). */
    if (is_bulk(a, head, len) && !(automatic && str_eq_nocase(automatic, "auto-replied")))
        return FLAG(LABEL_PROMOTIONS);
    if (!*sender || (automatic && !str_eq_nocase(automatic, "no")) ||
        str_starts(sender, "noreply") || str_starts(sender, "no-reply") ||
        str_starts(sender, "notifications") || mail_deliver_no_reply(sender))
        return FLAG(LABEL_UPDATES);
    return FLAG(LABEL_PERSONAL);
}

/* ---- ids and links ---- */

/* The time in milliseconds, and random bits below. */
static int new_key(struct tx *tx, int64_t at_ms, int64_t *ret)
{
    const int64_t most = INT64_MAX >> KEY_RANDOM_BITS;
    int64_t ms = at_ms < 1 ? 1 : at_ms > most ? most : at_ms;
    uint32_t random;
    if (tx_id(tx, "message", &random, sizeof random) < 0)
        return -1;
    *ret = ms << KEY_RANDOM_BITS | (random & ((1u << KEY_RANDOM_BITS) - 1));
    return 0;
}

/* Is the host this one, or one below it? */
static bool is_host(const char *host, size_t n, const char *name)
{
    size_t m = strlen(name);
    return n >= m && strncasecmp(host + n - m, name, m) == 0 && (n == m || host[n - m - 1] == '.');
}

static size_t id_length(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && (isalnum((unsigned char)p[n]) || p[n] == '-' || p[n] == '_'))
        n++;
    return n;
}

/* The id in a path such as /file/d/ID/view, /drive/folders/ID, /open?id=ID; n 0: there is none. */
static const char *id_of_path(const char *path, const char *end, size_t *ret_n)
{
    static const char *const before[] = {"/d/", "/folders/", "?id=", "&id=", ";id="};
    for (size_t i = 0; i < SOSIA_LEN(before); i++) {
        size_t n = strlen(before[i]);
        const char *at = memmem(path, (size_t)(end - path), before[i], n);
        if (!at)
            continue;
        *ret_n = id_length(at + n, end);
        if (*ret_n)
            return at + n;
    }
    *ret_n = 0;
    return NULL;
}

static enum mail_link link_of(const char *host, const char *end, const char **ret_id, size_t *ret_n)
{
    static const char *const files[] = {"drive.google.com", "docs.google.com/"};
    for (size_t i = 0; i < SOSIA_LEN(files); i++) {
        size_t n = strlen(files[i]);
        if ((size_t)(end - host) > n && strncasecmp(host, files[i], n) == 0) {
            *ret_id = id_of_path(host, end, ret_n);
            return LINK_FILE;
        }
    }
    const char *p = host;
    while (p < end && p - host < HOST_MAX && (*p == '-' || *p == '.' || isalnum((unsigned char)*p)))
        p++;
    size_t n = (size_t)(p - host);
    return is_host(host, n, "youtube.com") || is_host(host, n, "youtu.be") ? LINK_VIDEO
                                                                           : LINK_OTHER;
}

/* ---- settings that act ---- */

/* A filter adds its labels, takes away others, and forwards, in this order; all that match act. */
static void rule_of(struct arena *a, const struct gmail_filter *f, struct mail_rule *ret)
{
    struct mail_act *acts = arena_calloc(a, f->n_add + f->n_remove + 1, sizeof *acts);
    *ret = (struct mail_rule){.query = f->query, .acts = acts};
    if (arena_failed(a))
        return;
    for (size_t i = 0; i < f->n_add; i++)
        acts[ret->n_acts++] = (struct mail_act){.kind = ACT_ADD, .folder = f->add[i]};
    for (size_t i = 0; i < f->n_remove; i++)
        acts[ret->n_acts++] = (struct mail_act){.kind = ACT_REMOVE, .folder = f->remove[i]};
    if (f->forward)
        acts[ret->n_acts++] = (struct mail_act){.kind = ACT_FORWARD, .to = f->forward};
}

static int rules_of(struct tx *tx, const struct mailbox *mb, struct mail_rule **ret, size_t *ret_n)
{
    struct gmail_filter *filters;
    if (gmail_filter_rules(tx, mb, &filters, ret_n) < 0)
        return -1;
    *ret = arena_calloc(tx->arena, *ret_n + 1, sizeof **ret);
    for (size_t i = 0; i < *ret_n && !arena_failed(tx->arena); i++)
        rule_of(tx->arena, &filters[i], &(*ret)[i]);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* To addresses alone whose owners have agreed. */
static int may_forward(struct tx *tx, const struct mailbox *mb, const char *to)
{
    struct gmail_forward f;
    int r = gmail_forward_get(tx, mb, to, &f);
    return r == 1 ? !f.pending : r;
}

static int onward_of(struct tx *tx, const struct mailbox *mb, struct mail_onward *ret)
{
    struct gmail_auto_forward f;
    if (gmail_auto_forward_get(tx, mb, &f) < 0)
        return -1;
    *ret = (struct mail_onward){.to = f.on ? f.to : NULL, .then = f.then};
    return 0;
}

static int answer_of(struct tx *tx, const struct mailbox *mb, struct mail_auto_answer *ret)
{
    struct gmail_vacation v;
    if (gmail_vacation_get(tx, mb, &v) < 0)
        return -1;
    *ret = (struct mail_auto_answer){.on = v.on,
                                     .subject = v.subject,
                                     .text = v.text,
                                     .html = v.html,
                                     .contacts = v.contacts,
                                     .domain = v.domain,
                                     .from_us = v.from_us,
                                     .to_us = v.to_us,
                                     .pause_us = VACATION_DAYS * INT64_C(86400000000)};
    return 0;
}

static int identity_of(struct tx *tx, const struct mailbox *mb, struct mail_identity *ret)
{
    struct gmail_sender s;
    if (gmail_sender_chosen(tx, mb, &s) < 0)
        return -1;
    *ret = (struct mail_identity){.email = s.email, .name = s.name};
    return 0;
}

/* ---- the record ---- */

#define FIXED(place_, kind_, name_)                                                                \
    {                                                                                              \
        .place = (enum mail_place)(place_), .kind = kind_, .name = name_                           \
    }
#define HIDDEN(place_, kind_, name_)                                                               \
    {                                                                                              \
        .place = (enum mail_place)(place_), .kind = kind_, .name = name_, .hidden = true           \
    }

static const struct mail_fixed labels[N_SYSTEM_LABELS] = {
    FIXED(LABEL_INBOX, KIND_FOLDER, "INBOX"),
    FIXED(LABEL_SENT, KIND_FOLDER, "SENT"),
    FIXED(LABEL_DRAFT, KIND_FOLDER, "DRAFT"),
    HIDDEN(LABEL_TRASH, KIND_FOLDER, "TRASH"),
    HIDDEN(LABEL_SPAM, KIND_FOLDER, "SPAM"),
    FIXED(LABEL_UNREAD, KIND_KEYWORD, "UNREAD"),
    FIXED(LABEL_STARRED, KIND_KEYWORD, "STARRED"),
    HIDDEN(LABEL_IMPORTANT, KIND_KEYWORD, "IMPORTANT"),
    HIDDEN(LABEL_CHAT, KIND_KEYWORD, "CHAT"),
    HIDDEN(LABEL_PERSONAL, KIND_KEYWORD, "CATEGORY_PERSONAL"),
    HIDDEN(LABEL_SOCIAL, KIND_KEYWORD, "CATEGORY_SOCIAL"),
    HIDDEN(LABEL_PROMOTIONS, KIND_KEYWORD, "CATEGORY_PROMOTIONS"),
    HIDDEN(LABEL_UPDATES, KIND_KEYWORD, "CATEGORY_UPDATES"),
    HIDDEN(LABEL_FORUMS, KIND_KEYWORD, "CATEGORY_FORUMS"),
};

const struct mail_vendor gmail_vendor = {
    .name = "google",
    .fixed = labels,
    .n_fixed = SOSIA_LEN(labels),
    .one_of = {FLAG(LABEL_INBOX) | FLAG(LABEL_SPAM) | FLAG(LABEL_TRASH), FLAGS_CATEGORY},
    .keep_days = KEEP_DAYS,
    .marks = category_of,
    .marked = FLAGS_CATEGORY,
    .message_key = new_key,
    .link = link_of,
    .rules = rules_of,
    .may_forward = may_forward,
    .onward = onward_of,
    .answer = answer_of,
    .identity = identity_of,
    .folder_form = &gmail_label_form,
    .folder_usual = gmail_label_usual,
    .folder_get = gmail_label_look,
    .folder_put = gmail_label_put,
    .folder_gone = gmail_label_gone,
};
