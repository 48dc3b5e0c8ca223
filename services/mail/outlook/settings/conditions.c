/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of message rules, asked of a message that comes (MG-575). */
#include "services/mail/outlook/settings/conditions.h"
#include "engine/base/codec.h"
#include "engine/text/utf8.h"
#include "services/mail/core/mail_impl.h"
#include <strings.h>

#define MOST_TEXT ((size_t)1 << 20) /* bytes of a text that is looked at */

/* What is asked, with what has been read of it. */
struct outlook_coming {
    struct tx *tx;
    const struct mail_incoming *in;
    struct mail_message_body body;
    const char *text, *head; /* folded; NULL: not read */
    const char **own;        /* addresses of the mailbox's person; NULL: not read */
    size_t n_own;
    bool open;
};

/* ---- what there is ---- */

static int open_incoming(struct outlook_coming *k)
{
    if (!k->open && mail_message_open(k->tx, k->in->message, &k->body) < 0)
        return -1;
    k->open = true;
    return 0;
}

static const char *field_of(const struct outlook_coming *k, const char *name)
{
    return mime_header(k->tx->arena, k->in->head, k->in->head_len, name);
}

static const char *folded(const struct outlook_coming *k, const char *text)
{
    return text ? utf8_fold(k->tx->arena, text) : "";
}

static void addresses_of(const struct outlook_coming *k, const char *field,
                         struct mime_address **ret, size_t *ret_n)
{
    bool bad;
    mime_address_fields(k->tx->arena, k->in->head, k->in->head_len, field, ret, ret_n, &bad);
}

static int read_text(struct outlook_coming *k)
{
    const char *text, *html;
    size_t n, html_n;
    if (k->text)
        return 0;
    if (open_incoming(k) < 0 ||
        mail_message_texts(k->tx, &k->body, MOST_TEXT, &text, &n, &html, &html_n) < 0)
        return -1;
    k->text = text ? folded(k, arena_memdup(k->tx->arena, text, n)) : "";
    return 0;
}

static const char *folded_head(struct outlook_coming *k)
{
    if (!k->head)
        k->head = folded(k, arena_memdup(k->tx->arena, k->in->head, k->in->head_len));
    return k->head;
}

/* ---- texts and addresses ---- */

/* One of the texts is in one of both, whatever its case. */
static bool has_text(const struct outlook_coming *k, const struct json *list, const char *x,
                     const char *y)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i].type == JSON_STRING) {
            const char *part = folded(k, list->items[i].str);
            if (strstr(x, part) || (y && strstr(y, part)))
                return true;
        }
    return false;
}

static bool in_people(const struct outlook_coming *k, const struct json *list, const char *field)
{
    struct mime_address *people;
    size_t n;
    addresses_of(k, field, &people, &n);
    for (size_t i = 0; i < n; i++)
        if (has_text(k, list, folded(k, people[i].email),
                     people[i].name ? folded(k, people[i].name) : NULL))
            return true;
    return false;
}

static const char *recipient_address(const struct json *v)
{
    const char *email = json_get_str(json_get(v, "emailAddress"), "address");
    return email ? email : "";
}

static bool is_among(const struct outlook_coming *k, const struct json *list, const char *field)
{
    struct mime_address *people;
    size_t n;
    addresses_of(k, field, &people, &n);
    for (size_t i = 0; i < n; i++)
        for (uint32_t m = 0; m < list->n; m++)
            if (str_eq_nocase(people[i].email, recipient_address(&list->items[m])))
                return true;
    return false;
}

static int meets_list(struct outlook_coming *k, const char *name, const struct json *list)
{
    if (strcmp(name, "subjectContains") == 0)
        return has_text(k, list, folded(k, field_of(k, "Subject")), NULL);
    if (strcmp(name, "bodyContains") == 0 || strcmp(name, "bodyOrSubjectContains") == 0) {
        const char *subject = name[4] == 'O' ? folded(k, field_of(k, "Subject")) : NULL;
        return read_text(k) < 0 ? -1 : has_text(k, list, k->text, subject);
    }
    if (strcmp(name, "headerContains") == 0)
        return has_text(k, list, folded_head(k), NULL);
    if (strcmp(name, "senderContains") == 0)
        return in_people(k, list, "From");
    if (strcmp(name, "recipientContains") == 0)
        return in_people(k, list, "To") || in_people(k, list, "Cc");
    if (strcmp(name, "fromAddresses") == 0)
        return is_among(k, list, "From");
    return is_among(k, list, "To") || is_among(k, list, "Cc");
}

/* A category that it has already. */
static int has_category(struct outlook_coming *k, const struct json *list)
{
    for (size_t i = 0; i < k->in->n_folders; i++) {
        struct mail_folder f;
        int r = mail_folder_get(k->tx, k->in->mailbox->id, k->in->folders[i], &f);
        if (r < 0)
            return -1;
        for (uint32_t m = 0; r && f.kind == KIND_KEYWORD && m < list->n; m++)
            if (list->items[m].type == JSON_STRING && str_eq_nocase(list->items[m].str, f.name))
                return 1;
    }
    return 0;
}

/* ---- to whom it is ---- */

/* Is the mailbox's person in the field? *ret_n: how many are. 1, 0, -1. */
static int names_me(struct outlook_coming *k, const char *field, size_t *ret_n)
{
    struct mime_address *people;
    addresses_of(k, field, &people, ret_n);
    if (!k->own && mailbox_addresses(k->tx, k->in->mailbox, &k->own, &k->n_own) < 0)
        return -1;
    for (size_t i = 0; i < *ret_n; i++)
        for (size_t m = 0; m < k->n_own; m++)
            if (str_eq_nocase(people[i].email, k->own[m]))
                return 1;
    return 0;
}

static int meets_me(struct outlook_coming *k, const char *name)
{
    size_t n_to, n_cc;
    const int to = names_me(k, "To", &n_to), cc = names_me(k, "Cc", &n_cc);
    if (to < 0 || cc < 0)
        return -1;
    if (strcmp(name, "sentToMe") == 0)
        return to;
    if (strcmp(name, "sentCcMe") == 0)
        return cc;
    if (strcmp(name, "sentToOrCcMe") == 0)
        return to || cc;
    if (strcmp(name, "sentOnlyToMe") == 0)
        return to && n_to == 1 && !n_cc;
    return !to;
}

/* ---- what it is ---- */

static bool begins(const char *text, const char *with)
{
    return text && strncasecmp(text, with, strlen(with)) == 0;
}

static bool field_has(const struct outlook_coming *k, const char *field, const char *part)
{
    const char *text = field_of(k, field);
    return text && strcasestr(text, part);
}

/* An invitation (method REQUEST) or an answer (REPLY) in iCalendar. 1, 0, -1. */
static int is_object(struct outlook_coming *k, const char *method)
{
    const char *head;
    size_t n;
    if (!(k->in->message->has & HAS_INVITE))
        return 0;
    if (open_incoming(k) < 0)
        return -1;
    for (int i = 0; i < k->body.mime.n; i++) {
        if (strcmp(k->body.mime.parts[i].type, "text/calendar") != 0)
            continue;
        mail_message_part_head(&k->body, i, &head, &n);
        const char *type = mime_header(k->tx->arena, head, n, "Content-Type");
        if (type && strcasestr(type, method))
            return 1;
    }
    return 0;
}

static int has_part(struct outlook_coming *k, const char *type)
{
    if (open_incoming(k) < 0)
        return -1;
    for (int i = 0; i < k->body.mime.n; i++)
        if (strcmp(k->body.mime.parts[i].type, type) == 0)
            return 1;
    return 0;
}

static int has_files(struct outlook_coming *k)
{
    return open_incoming(k) < 0 ? -1 : outlook_has_attachments(&k->body.mime);
}

/* Approval requests are made by the service itself, for groups with moderators: none comes here. */
static int is_kind(struct outlook_coming *k, const char *name)
{
    const char *type = field_of(k, "Content-Type"), *class = field_of(k, "Content-Class");
    const bool report = begins(type, "multipart/report");
    const bool pkcs7 =
        begins(type, "application/pkcs7-mime") || begins(type, "application/x-pkcs7-mime");
    const bool signed_data = pkcs7 && strcasestr(type, "signed-data");
    if (strcmp(name, "hasAttachments") == 0)
        return has_files(k);
    if (strcmp(name, "isMeetingRequest") == 0)
        return is_object(k, "method=request");
    if (strcmp(name, "isMeetingResponse") == 0)
        return is_object(k, "method=reply");
    if (strcmp(name, "isAutomaticForward") == 0)
        return field_of(k, "X-Forwarded-For") || field_of(k, "X-MS-Exchange-Inbox-Rules-Loop") ||
               field_has(k, "Auto-Submitted", "auto-forwarded");
    if (strcmp(name, "isAutomaticReply") == 0)
        return field_of(k, "X-Autoreply") || field_has(k, "Auto-Submitted", "auto-replied");
    if (strcmp(name, "isEncrypted") == 0)
        return (pkcs7 && !signed_data) || begins(type, "multipart/encrypted");
    if (strcmp(name, "isSigned") == 0)
        return signed_data || begins(type, "multipart/signed");
    if (strcmp(name, "isNonDeliveryReport") == 0)
        return report && strcasestr(type, "delivery-status");
    if (strcmp(name, "isReadReceipt") == 0)
        return report && strcasestr(type, "disposition-notification");
    if (strcmp(name, "isPermissionControlled") == 0)
        return begins(class, "rpmsg.message")
                   ? 1
                   : has_part(k, "application/x-microsoft-rpmsg-message");
    return strcmp(name, "isVoicemail") == 0 &&
           (begins(class, "voice") || begins(class, "urn:content-class:voice"));
}

/* ---- words ---- */

static bool is_importance(const struct outlook_coming *k, const char *word)
{
    static const char *const words[] = {"low", "normal", "high"};
    return str_eq_nocase(word, words[k->in->property->importance + 1]);
}

static bool is_sensitivity(const struct outlook_coming *k, const char *word)
{
    const char *text = field_of(k, "Sensitivity");
    const char *is = !text || !*text                               ? "normal"
                     : str_eq_nocase(text, "Company-Confidential") ? "confidential"
                                                                   : text;
    return str_eq_nocase(word, is);
}

/* The request that Outlook sends in X-Message-Flag. */
static bool is_action(const struct outlook_coming *k, const char *word)
{
    static const struct {
        const char *word, *text;
    } flags[] = {{"call", "Call"},
                 {"doNotForward", "Do not Forward"},
                 {"followUp", "Follow up"},
                 {"fyi", "For Your Information"},
                 {"forward", "Forward"},
                 {"noResponseNecessary", "No Response Necessary"},
                 {"read", "Read"},
                 {"reply", "Reply"},
                 {"replyToAll", "Reply to All"},
                 {"review", "Review"}};
    const char *text = field_of(k, "X-Message-Flag");
    if (!text || str_eq_nocase(word, "any"))
        return text != NULL;
    for (size_t i = 0; i < SOSIA_LEN(flags); i++)
        if (str_eq_nocase(word, flags[i].word))
            return str_eq_nocase(text, flags[i].text);
    return false;
}

static bool is_word(const struct outlook_coming *k, const char *name, const char *word)
{
    if (strcmp(name, "importance") == 0)
        return is_importance(k, word);
    if (strcmp(name, "sensitivity") == 0)
        return is_sensitivity(k, word);
    return strcmp(name, "messageActionFlag") == 0 && is_action(k, word);
}

/* Kilobytes. */
static bool is_size(const struct outlook_coming *k, const struct json *v)
{
    const int64_t least = json_get_int(v, "minimumSize", 0);
    const int64_t most = json_get_int(v, "maximumSize", 0);
    const int64_t size = k->in->message->size;
    return size / 1024 >= least && (!most || (size + 1023) / 1024 <= most);
}

/* ---- rules ---- */

/* One condition: 1, 0, -1; 2: it is not set. */
static int meets_one(struct outlook_coming *k, const char *name, const struct json *v)
{
    static const char *const mine[] = {"sentToMe", "sentCcMe", "sentToOrCcMe", "sentOnlyToMe",
                                       "notSentToMe"};
    switch (v->type) {
    case JSON_ARRAY:
        if (!v->n)
            return 2;
        return strcmp(name, "categories") == 0 ? has_category(k, v) : meets_list(k, name, v);
    case JSON_BOOL:
        for (size_t i = 0; i < SOSIA_LEN(mine); i++)
            if (strcmp(name, mine[i]) == 0)
                return v->truth ? meets_me(k, name) : 2;
        int is = is_kind(k, name);
        return is < 0 ? -1 : (is != 0) == v->truth;
    case JSON_STRING:
        return is_word(k, name, v->str);
    case JSON_OBJECT:
        return is_size(k, v);
    default:
        return 2;
    }
}

/* all: every one that is set; else one of them. 1, 0, -1. */
static int meets(struct outlook_coming *k, const struct json *conditions, bool all)
{
    if (!conditions || conditions->type != JSON_OBJECT)
        return all;
    for (uint32_t i = 0; i < conditions->n; i++) {
        const char *name = conditions->members[i].key;
        int r = strchr(name, '@') ? 2 : meets_one(k, name, &conditions->members[i].value);
        if (r < 0 || (r != 2 && (r == 1) != all))
            return r;
    }
    return all;
}

struct outlook_coming *outlook_coming_new(struct arena *a)
{
    struct outlook_coming *k = arena_calloc(a, 1, sizeof *k);
    return arena_failed(a) ? NULL : k;
}

int outlook_rule_meets(struct tx *tx, const struct mail_incoming *in, const void *conditions)
{
    const struct outlook_conditions *asked = conditions;
    struct outlook_coming *k = asked->of;
    k->tx = tx;
    k->in = in;
    int r = meets(k, json_get(asked->rule, "conditions"), true);
    if (r != 1)
        return r;
    r = meets(k, json_get(asked->rule, "exceptions"), false);
    return r < 0 ? -1 : !r;
}

int outlook_override_meets(struct tx *tx, const struct mail_incoming *in, const void *override)
{
    const struct outlook_coming k = {.tx = tx, .in = in};
    const char *email = json_get_str(json_get(override, "senderEmailAddress"), "address");
    struct mime_address *from;
    size_t n;
    addresses_of(&k, "From", &from, &n);
    return n && email && str_eq_nocase(from[0].email, email);
}
