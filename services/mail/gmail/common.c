/* SPDX-License-Identifier: Apache-2.0 */
/* What Gmail's methods share: failures, mailboxes, ids of messages and labels. */
#include "services/mail/gmail/gmail.h"
#include "engine/base/codec.h"
#include "services/mail/gmail/settings/setting.h"
#include "services/mail/gmail/vendor.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- failures ---- */

int gmail_invalid(struct call *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(c->tx.arena, fmt, ap);
    va_end(ap);
    return call_fail(c, SOSIA_E_INVALID, "invalidArgument", NULL, "%s", text);
}

int gmail_not_found(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "%s", "");
}

int gmail_refused(struct call *c)
{
    struct sosia_err *e = c->tx.err;
    const char *reason = e->reason ? e->reason : "";
    if (e->code == SOSIA_E_NOT_FOUND)
        return gmail_not_found(c);
    if (e->code == SOSIA_E_INVALID && strcmp(reason, "noRecipient") == 0)
        return gmail_invalid(c, "Recipient address required");
    if (e->code == SOSIA_E_INVALID && strcmp(reason, "badRecipient") == 0)
        return gmail_invalid(c, "Invalid %s header", e->where ? e->where : "To");
    if (e->code == SOSIA_E_INVALID && strcmp(reason, "tooComplex") == 0)
        return gmail_invalid(c, "Invalid query");
    if (e->code == SOSIA_E_TOO_LARGE && strcmp(reason, "tooManyRecipients") == 0)
        return gmail_invalid(c, "Too many recipients");
    if (e->code == SOSIA_E_TOO_LARGE)
        return call_fail(c, SOSIA_E_TOO_LARGE, "uploadTooLarge", NULL, "Request Entity Too Large");
    return -1;
}

bool gmail_metadata_only(const struct call *c)
{
    return !c->scopes.all && call_has_scope(c, GMAIL_SCOPE_METADATA
                                            " " GMAIL_SCOPE("addons.current.message.metadata"));
}

/* ---- mailboxes ---- */

static int no_mailbox(struct call *c, const struct actor *a)
{
    const char *text =
        strcmp(a->kind, "service") == 0 ? "Precondition check failed." : "Mail service not enabled";
    return call_fail(c, SOSIA_E_INVALID, "failedPrecondition", NULL, "%s", text);
}

static int denied(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL, "Delegation denied for %s",
                     c->actor.email);
}

/* The mailbox of another person, who must have made the actor a delegate. */
static int open_other(struct call *c, const struct actor *owner, struct mailbox *ret)
{
    int r = mailbox_at(&c->tx, owner->id, gmail_vendor.name, ret);
    if (r == 1)
        r = gmail_delegate_may(&c->tx, ret->id, c->actor.email);
    return r == 1 ? 0 : r < 0 ? -1 : denied(c);
}

int gmail_open(struct call *c, struct mailbox *ret)
{
    const char *user = param_str(c, "userId");
    int r;
    if (strcmp(user, "me") != 0) {
        const char *email = email_normal(c->tx.arena, user);
        struct actor actor;
        r = email ? actor_by_email(&c->tx, email, &actor) : 0;
        if (r != 1)
            return r < 0 ? -1 : denied(c);
        if (actor.id != c->actor.id)
            return open_other(c, &actor, ret);
    }
    r = mailbox_at(&c->tx, c->actor.id, gmail_vendor.name, ret);
    return r == 1 ? 0 : r < 0 ? -1 : no_mailbox(c, &c->actor);
}

/* ---- ids ---- */

const char *gmail_key(struct arena *a, int64_t key)
{
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(a, 17);
    for (int i = 15; i >= 0; i--, key >>= 4)
        text[i] = digits[key & 15];
    text[16] = 0;
    return text;
}

int gmail_key_parse(const char *text, int64_t *ret)
{
    uint64_t v = 0;
    size_t n = strlen(text);
    if (!n || n > 16)
        return -1;
    for (; *text; text++) {
        if (!isxdigit((unsigned char)*text))
            return -1;
        v = v << 4 | (uint64_t)(*text <= '9' ? *text - '0' : (*text | 32) - 'a' + 10);
    }
    if (v > INT64_MAX)
        return -1;
    *ret = (int64_t)v;
    return 0;
}

const char *gmail_draft_key(struct arena *a, int64_t key)
{
    return arena_printf(a, "r%lld", (long long)key);
}

int gmail_draft_key_parse(const char *text, int64_t *ret)
{
    return text[0] == 'r' && parse_i64(text + 1, strlen(text + 1), ret) == 0 ? 0 : -1;
}

int gmail_message(struct call *c, const struct mailbox *mb, struct mail_message *ret)
{
    int64_t key;
    const char *name = param_given(c, "messageId") ? "messageId" : "id";
    if (gmail_key_parse(param_str(c, name), &key) < 0)
        return gmail_invalid(c, "Invalid id value");
    int r = mail_message_get(&c->tx, mb->id, key, ret);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

int gmail_thread(struct call *c, const struct mailbox *mb, struct mail_thread *ret)
{
    int64_t key;
    if (gmail_key_parse(param_str(c, "id"), &key) < 0)
        return gmail_invalid(c, "Invalid thread_id value");
    int r = mail_thread_get(&c->tx, mb->id, key, ret);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

int gmail_draft(struct call *c, const struct mailbox *mb, struct mail_draft *ret)
{
    int64_t key;
    if (gmail_draft_key_parse(param_str(c, "id"), &key) < 0)
        return gmail_not_found(c);
    int r = mail_draft_get(&c->tx, mb->id, key, ret);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

/* ---- label ids ---- */

const char *gmail_label_id(struct arena *a, int64_t id)
{
    return mail_folder_is_fixed(id)
               ? label_words[mail_folder_place(id)]
               : arena_printf(a, "Label_%lld", (long long)mail_folder_number(id));
}

int64_t gmail_label_place(const char *id)
{
    int64_t n;
    for (int role = 0; role < N_SYSTEM_LABELS; role++)
        if (strcmp(label_words[role], id) == 0)
            return role;
    if (str_starts(id, "Label_") && parse_i64(id + 6, strlen(id + 6), &n) == 0 && n > 0 &&
        n < (1 << 24) - FOLDER_OWN && id[6] != '0')
        return FOLDER_OWN + n;
    return -1;
}

int gmail_label_find(struct call *c, const struct mailbox *mb, const char *id,
                     struct gmail_label *ret)
{
    int64_t place = gmail_label_place(id);
    return place < 0 ? 0 : gmail_label_get(&c->tx, mb->id, mail_folder_id(mb->id, place), ret);
}

int gmail_strings(struct call *c, const struct json *body, const char *member, const char ***ret,
                  size_t *ret_n)
{
    const struct json *v = json_get(body, member);
    uint32_t n = v ? v->n : 0; /* null has none */
    *ret = arena_calloc(c->tx.arena, n + 1, sizeof **ret);
    *ret_n = 0;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (uint32_t i = 0; i < n; i++)
        if (v->items[i].type == JSON_STRING) /* null is passed over */
            (*ret)[(*ret_n)++] = v->items[i].str;
    return 0;
}

static bool is_settable(int64_t place)
{
    return place != LABEL_SENT && place != LABEL_DRAFT && place != LABEL_CHAT;
}

int gmail_label_list(struct call *c, const struct mailbox *mb, const struct json *body,
                     const char *member, bool settable, int64_t **ret, size_t *ret_n)
{
    const char **ids;
    size_t n;
    if (gmail_strings(c, body, member, &ids, &n) < 0)
        return -1;
    *ret = arena_calloc(c->tx.arena, n + 1, sizeof **ret);
    *ret_n = 0;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < n; i++) {
        struct mail_folder l;
        int64_t place = gmail_label_place(ids[i]);
        int r = place < 0 ? 0
                : place < FOLDER_OWN
                    ? !settable || is_settable(place)
                    : mail_folder_get(&c->tx, mb->id, mail_folder_id(mb->id, place), &l);
        if (r < 0)
            return -1;
        if (!r)
            return gmail_invalid(c, "Invalid label: %.100s", ids[i]);
        (*ret)[(*ret_n)++] = mail_folder_id(mb->id, place);
    }
    return 0;
}

/* ---- what an account is ---- */
