/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that send a person's mail, and those for drafts. */
#include "engine/base/codec.h"
#include "mcp/servers/email/email.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#define FILES_MAX  500
#define DRAFTS_MAX 100000

/* ---- addresses ---- */

static bool is_local_part(const char *text, size_t n)
{
    if (!n || n > 64 || text[0] == '.' || text[n - 1] == '.')
        return false;
    for (size_t i = 0; i < n; i++)
        if (!(isalnum((unsigned char)text[i]) || strchr("._%+-", text[i])) ||
            (text[i] == '.' && text[i + 1] == '.'))
            return false;
    return true;
}

static bool is_domain(const char *text, size_t n)
{
    size_t part = 0, parts = 1;
    if (n > 255)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.') {
            if (!part)
                return false;
            part = 0;
            parts++;
        } else if (!isalnum((unsigned char)text[i]) && text[i] != '-' &&
                   (unsigned char)text[i] < 0x80) {
            return false;
        } else if (++part > 63) {
            return false;
        }
    }
    return parts > 1 && part > 1;
}

/* As the original checks it: a bare address with a domain that has a dot. */
static bool is_address(const char *text, size_t n)
{
    const char *at = n ? memrchr(text, '@', n) : NULL;
    return at && is_local_part(text, (size_t)(at - text)) &&
           is_domain(at + 1, (size_t)(text + n - at - 1));
}

static void trim(const char **text, size_t *n)
{
    while (*n && isspace((unsigned char)**text))
        ++*text, --*n;
    while (*n && isspace((unsigned char)(*text)[*n - 1]))
        --*n;
}

/* Addresses with commas between. 0, -1. */
static int check_list(struct call *c, const char *list, const char *where)
{
    const char *bad = NULL;
    if (!list)
        return email_refuse(c, SOSIA_E_INVALID, "Invalid %s addresses: Email list cannot be empty",
                            where);
    for (const char *at = list;;) {
        size_t len = strcspn(at, ","), n = len;
        const char *one = at;
        trim(&one, &n);
        if (!is_address(one, n))
            bad =
                arena_printf(c->tx.arena, "%s%s%.*s", bad ? bad : "", bad ? ", " : "", (int)n, one);
        if (!at[len])
            break;
        at += len + 1;
    }
    return bad ? email_refuse(c, SOSIA_E_INVALID,
                              "Invalid %s addresses: Invalid email addresses: "
                              "%s",
                              where, bad)
               : 0;
}

/* ---- letters ---- */

struct outgoing {
    const char *to, *cc, *bcc, *subject, *text, *html; /* NULL: none */
    const char *in_reply_to, *references;
    struct compose_file *files;
    size_t n_files;
};

const char *email_as_header(struct arena *a, const char *text)
{
    struct mime_address *list;
    const char *all = NULL;
    size_t n;
    bool bad;
    if (!text)
        return NULL;
    mime_addresses(a, text, &list, &n, &bad);
    for (size_t i = 0; i < n && !bad; i++) {
        const char *one = mime_address_text(a, list[i].name, list[i].email);
        all = all ? arena_printf(a, "%s, %s", all, one) : one;
    }
    return all ? all : mime_encode_words(a, text);
}

static int raw_of(struct call *c, const struct email_box *b, const struct outgoing *l,
                  struct buf *out)
{
    struct mail_identity me;
    struct compose parts = {.to = email_as_header(c->tx.arena, l->to),
                            .cc = email_as_header(c->tx.arena, l->cc),
                            .bcc = email_as_header(c->tx.arena, l->bcc),
                            .subject = l->subject ? l->subject : "",
                            .in_reply_to = l->in_reply_to,
                            .references = l->references,
                            .date_s = c->tx.now_us / 1000000,
                            .text = l->text ? l->text : "",
                            .html = l->html,
                            .files = l->files,
                            .n_files = l->n_files};
    if (mail_identity_of(&c->tx, &b->mailbox, &me) < 0 ||
        mail_message_id(&c->tx, me.email, &parts.message_id) < 0)
        return -1;
    parts.from = mail_identity_text(&c->tx, &b->mailbox, &me);
    buf_init(out, 0);
    mime_compose(c->tx.arena, &parts, out);
    buf_str(out);
    if (buf_failed(out)) {
        buf_done(out);
        return sosia_fail_memory(c->tx.err);
    }
    return 0;
}

static int send_letter(struct call *c, const struct email_box *b, const struct outgoing *l)
{
    struct mail_send in = {.from = &b->mailbox, .alone = !l->in_reply_to};
    struct mail_message sent;
    struct buf raw;
    if (check_list(c, l->to, "TO") < 0 || (l->cc && check_list(c, l->cc, "CC") < 0) ||
        (l->bcc && check_list(c, l->bcc, "BCC") < 0))
        return email_within(c, "Failed to send email");
    if (raw_of(c, b, l, &raw) < 0)
        return -1;
    in.raw = buf_str(&raw);
    in.len = raw.len;
    int r = mail_send(&c->tx, &in, &sent);
    buf_done(&raw);
    return r < 0 ? email_within(c, "Failed to send email: Failed to send email") : 0;
}

/* ---- files ---- */

static int attach_one(struct call *c, const char *path, struct compose_file *f)
{
    struct file_path at;
    int r = *path ? file_path(c, path, &at) : 0;
    if (r < 0)
        return email_within(c, "Attachment path validation failed");
    if (!*path)
        return email_refuse(c, SOSIA_E_INVALID, "Attachment error: File path cannot be empty");
    if (r == 0)
        return email_refuse(c, SOSIA_E_NOT_FOUND, "Attachment error: File does not exist: %s",
                            path);
    if (at.node.kind == NODE_DIRECTORY)
        return email_refuse(c, SOSIA_E_INVALID, "Attachment error: Path is not a file: %s", path);
    *f = (struct compose_file){.type = "application/octet-stream",
                               .filename = workspace_name(workspace_absolute(c->tx.arena, path))};
    return workspace_load(&c->tx, &at.node, &f->data, &f->len);
}

/* Files of the workspace. 0, -1. */
static int attach(struct call *c, struct outgoing *l)
{
    const struct json *list = json_get(server_arguments(c), "attachments");
    size_t bytes = 0;
    if (!list || list->type != JSON_ARRAY || !list->n)
        return 0;
    if (!call_has_scope(c, "workspace.readonly workspace"))
        return email_refuse(c, SOSIA_E_FORBIDDEN,
                            "Attachment path validation failed: the token must have the scope "
                            "workspace or workspace.readonly");
    if (list->n > FILES_MAX)
        return email_refuse(c, SOSIA_E_TOO_LARGE,
                            "Attachment error: a message must have at most %d files, not %u",
                            FILES_MAX, list->n);
    l->files = arena_calloc(c->tx.arena, list->n, sizeof *l->files);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (uint32_t i = 0; i < list->n; i++) {
        if (attach_one(c, list->items[i].str, &l->files[i]) < 0)
            return -1;
        bytes += l->files[i].len;
        if (bytes > MAIL_MAX_SIZE)
            return email_refuse(c, SOSIA_E_TOO_LARGE,
                                "Attachment error: a message must have at most %zu bytes",
                                MAIL_MAX_SIZE);
    }
    l->n_files = list->n;
    return 0;
}

static int keep_files(struct call *c, const struct email_view *v, struct outgoing *l)
{
    int part, at = 0;
    l->files = arena_calloc(c->tx.arena, (size_t)v->body.mime.n + 1, sizeof *l->files);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    while (email_attachment(v, &at, &part)) {
        struct compose_file *f = &l->files[l->n_files++];
        const struct mime_part *p = &v->body.mime.parts[part];
        *f = (struct compose_file){.type = p->type,
                                   .filename = p->filename,
                                   .plain = p->encoding == MIME_7BIT && p->first >= 0};
        if (mail_message_part(&c->tx, &v->body, part, &f->data, &f->len) < 0)
            return -1;
    }
    return 0;
}

/* ---- sending ---- */

static void take_letter(struct call *c, struct outgoing *l)
{
    *l = (struct outgoing){.to = email_arg(c, "to"),
                           .cc = email_arg(c, "cc"),
                           .bcc = email_arg(c, "bcc"),
                           .subject = email_arg(c, "subject"),
                           .text = email_arg(c, "body"),
                           .html = email_arg(c, "html_body")};
}

static int send_new(struct call *c)
{
    struct email_box b;
    struct outgoing l;
    take_letter(c, &l);
    if (email_open(c, &b) < 0)
        return email_within(c, "Failed to send email");
    if (attach(c, &l) < 0)
        return email_within(c, "Failed to send email: Failed to send email");
    if (send_letter(c, &b, &l) < 0)
        return -1;
    return l.n_files ? email_text(c, "Email sent successfully to %s with %zu attachments", l.to,
                                  l.n_files)
                     : email_text(c, "Email sent successfully to %s", l.to);
}

int email_send(struct call *c)
{
    return email_end(c, "sending email", send_new(c));
}

/* ---- answers ---- */

/* The mark that a message was answered or sent on, where its vendor has one. */
static int mark(struct call *c, const struct email_box *b, struct mail_message *m,
                enum mail_place place)
{
    const int64_t id = mail_folder_id(m->mailbox, place);
    return mail_vendor_places(b->vendor) & FLAG(place)
               ? mail_message_modify(&c->tx, m, &id, 1, NULL, 0)
               : 0;
}

static const char *prefixed(struct arena *a, const char *prefix, const char *subject)
{
    return str_starts(subject, prefix) ? subject : arena_printf(a, "%s %s", prefix, subject);
}

/* Adds the addresses of a field but for one's own and those that are there. */
static const char *add_others(struct call *c, const struct email_view *v, const char *field,
                              const char *const *own, size_t n_own, const char *to, const char *all)
{
    struct arena *a = c->tx.arena;
    struct mime_address *list;
    size_t n;
    bool bad;
    mime_address_fields(a, v->body.head, v->body.head_len, field, &list, &n, &bad);
    for (size_t i = 0; i < n; i++) {
        const char *email = list[i].email;
        bool there = !*email || str_eq_nocase(email, to);
        for (size_t k = 0; k < n_own && !there; k++)
            there = str_eq_nocase(email, own[k]);
        if (!there)
            all = all ? arena_printf(a, "%s,%s", all, email) : email;
    }
    return all;
}

/* Who gets an answer, and who a copy. 0, -1. */
static int address(struct call *c, const struct email_box *b, const struct email_view *v, bool all,
                   struct outgoing *l)
{
    const char **own, *back = email_addresses(c->tx.arena, &v->body, "Reply-To");
    size_t n;
    l->to = *back ? back : v->from;
    if (!all)
        return 0;
    if (mailbox_addresses(&c->tx, &b->mailbox, &own, &n) < 0)
        return -1;
    const char *others = add_others(c, v, "To", own, n, l->to, NULL);
    others = add_others(c, v, "Cc", own, n, l->to, others);
    l->cc = !others ? l->cc : l->cc ? arena_printf(c->tx.arena, "%s,%s", others, l->cc) : others;
    return 0;
}

/* The message that is answered, below the answer's text. */
static void quote(struct call *c, const struct email_view *v, struct outgoing *l)
{
    struct arena *a = c->tx.arena;
    const char *html = *v->html ? v->html : v->seen;
    l->text =
        arena_printf(a, "%s\n\n--- Original Message ---\nFrom: %s\nDate: %s\nSubject: %s\n\n%s",
                     l->text ? l->text : "", v->from, v->date, v->subject, v->seen);
    if (l->html)
        l->html = arena_printf(a,
                               "%s<br><br><hr><b>Original Message:</b><br>From: %s<br>Date: "
                               "%s<br>Subject: %s<br><br>%s",
                               l->html, v->from, v->date, v->subject, html);
    l->in_reply_to = *v->message_id ? v->message_id : NULL;
    const char *before = mime_header(a, v->body.head, v->body.head_len, "References");
    l->references = before && *before && l->in_reply_to
                        ? arena_printf(a, "%s %s", before, l->in_reply_to)
                        : l->in_reply_to;
}

static int reply(struct call *c)
{
    const struct json *v_all = json_get(server_arguments(c), "reply_all");
    bool all = json_is_true(v_all);
    struct email_box b;
    struct email_folder f;
    struct email_item item;
    struct email_view v;
    struct outgoing l;
    take_letter(c, &l);
    if (email_open(c, &b) < 0 || email_item_of(c, &b, "folder", &f, &item) < 0)
        return -1;
    if (email_view(c, &item.message, &v) < 0 || address(c, &b, &v, all, &l) < 0)
        return -1;
    l.subject = prefixed(c->tx.arena, "Re:", v.subject);
    quote(c, &v, &l);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (send_letter(c, &b, &l) < 0 || mark(c, &b, &item.message, KEYWORD_ANSWERED) < 0)
        return -1;
    return email_text(c, "Reply sent successfully to %s", all ? "all recipients" : "sender");
}

int email_reply(struct call *c)
{
    int r = reply(c);
    return email_end(c, "replying to email",
                     r < 0 ? email_within(c, "Failed to reply to email") : r);
}

/* The text before a message that is sent on, as HTML. */
static const char *as_html(struct call *c, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    html_escape_lines(&b, text, "", "<br>");
    return buf_keep(&b, c->tx.arena);
}

static int forward(struct call *c, const char **ret_to)
{
    struct arena *a = c->tx.arena;
    struct email_box b;
    struct email_folder f;
    struct email_item item;
    struct email_view v;
    struct outgoing l;
    take_letter(c, &l);
    *ret_to = l.to;
    if (email_open(c, &b) < 0 || email_item_of(c, &b, "folder", &f, &item) < 0 ||
        email_view(c, &item.message, &v) < 0 || keep_files(c, &v, &l) < 0)
        return -1;
    const char *text = l.text ? l.text : "", *before = l.html ? l.html : as_html(c, text);
    l.subject = prefixed(a, "Fwd:", v.subject);
    l.text = arena_printf(
        a, "%s\n\n--- Forwarded Message ---\nFrom: %s\nTo: %s\nDate: %s\nSubject: %s\n\n%s", text,
        v.from, v.to, v.date, v.subject, v.seen);
    if (l.html || *v.html)
        l.html = arena_printf(a,
                              "%s<br><br><hr><b>Forwarded Message:</b><br>From: %s<br>To: "
                              "%s<br>Date: %s<br>Subject: %s<br><br>%s",
                              before, v.from, v.to, v.date, v.subject,
                              *v.html ? v.html : as_html(c, v.seen));
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    return send_letter(c, &b, &l) < 0 ? -1 : mark(c, &b, &item.message, KEYWORD_FORWARDED);
}

int email_forward(struct call *c)
{
    const char *to;
    int r = forward(c, &to);
    r = r < 0 ? email_within(c, "Failed to forward email")
              : email_text(c, "Email forwarded successfully to %s", to);
    return email_end(c, "forwarding email", r);
}

/* ---- drafts ---- */

#define DRAFT_ID "draft_"

static const char *draft_id(struct arena *a, const struct mail_draft *d)
{
    return arena_printf(a, DRAFT_ID "%" PRIu64, (uint64_t)d->key);
}

static int draft_of(struct call *c, const struct email_box *b, struct mail_draft *ret)
{
    const char *id = json_get_str(server_arguments(c), "draft_id"), *digits = id;
    char *end = NULL;
    uint64_t key = 0;
    if (str_starts(id, DRAFT_ID) && isdigit((unsigned char)id[sizeof DRAFT_ID - 1])) {
        digits = id + sizeof DRAFT_ID - 1;
        key = strtoull(digits, &end, 10);
    }
    int r = end && !*end && key ? mail_draft_get(&c->tx, b->mailbox.id, (int64_t)key, ret) : 0;
    return r ? r < 0 ? -1 : 0 : email_refuse(c, SOSIA_E_NOT_FOUND, "Draft not found: %s", id);
}

static int save(struct call *c)
{
    struct email_box b;
    struct mail_draft d;
    struct outgoing l;
    struct buf raw;
    take_letter(c, &l);
    if (email_open(c, &b) < 0 || raw_of(c, &b, &l, &raw) < 0)
        return email_within(c, "Failed to save draft");
    const struct mail_message_new in = {.mailbox = &b.mailbox,
                                        .raw = buf_str(&raw),
                                        .len = raw.len,
                                        .at_s = INT64_MIN,
                                        .alone = true};
    int r = mail_draft_add(&c->tx, &in, 0, &d);
    buf_done(&raw);
    return r < 0 ? email_within(c, "Failed to save draft")
                 : email_text(c, "Draft saved successfully with ID: %s", draft_id(c->tx.arena, &d));
}

int email_save_draft(struct call *c)
{
    return email_end(c, "saving draft", save(c));
}

static int write_draft(struct call *c, int64_t number, const struct mail_message *m, struct buf *b)
{
    struct mail_draft d;
    struct email_view v;
    int r = mail_draft_of_message(&c->tx, m, &d);
    if (r <= 0 || email_view(c, m, &v) < 0)
        return r;
    buf_printf(b, "%lld. ID: %s\n   Subject: %s\n   To: %s\n   Updated: ", (long long)number,
               draft_id(c->tx.arena, &d), v.subject, *v.to ? v.to : "Not set");
    email_put_time(b, m->at_s, false);
    buf_puts(b, "\n\n");
    return 1;
}

static int list_drafts(struct call *c)
{
    struct email_box b;
    struct email_page p;
    struct mail_message *list;
    struct buf out;
    size_t n;
    bool more;
    if (email_open(c, &b) < 0)
        return email_within(c, "Failed to get drafts");
    const struct mail_list all = {.mailbox = b.mailbox.id, .drafts = true, .limit = DRAFTS_MAX};
    if (mail_list(&c->tx, &all, &list, &n, &more) < 0)
        return -1;
    if (!n)
        return email_text(c, "No drafts found");
    email_page(c, (int64_t)n, &p);
    buf_init(&out, 0);
    buf_printf(&out, "Drafts (Page %lld/%lld):\nTotal drafts: %zu\n\n", (long long)p.page,
               (long long)p.pages, n);
    for (int64_t i = (p.page - 1) * p.size; i < (int64_t)n && i < p.page * p.size; i++)
        if (write_draft(c, i + 1, &list[i], &out) < 0) {
            buf_done(&out);
            return -1;
        }
    return email_say(c, &out);
}

int email_drafts(struct call *c)
{
    return email_end(c, "getting drafts", list_drafts(c));
}

/* The argument, or else what the draft has; an empty one takes it away. */
static const char *changed(struct call *c, const char *name, const char *old)
{
    const char *given = json_get_str(server_arguments(c), name);
    return given ? *given ? given : NULL : old && *old ? old : NULL;
}

static int update(struct call *c)
{
    struct arena *a = c->tx.arena;
    struct email_box b;
    struct mail_draft d;
    struct email_view v;
    struct buf raw;
    if (email_open(c, &b) < 0 || draft_of(c, &b, &d) < 0 || email_view(c, &d.message, &v) < 0)
        return -1;
    struct outgoing l = {.to = changed(c, "to", mime_header(a, v.body.head, v.body.head_len, "To")),
                         .cc = changed(c, "cc", v.cc),
                         .bcc =
                             changed(c, "bcc", mime_header(a, v.body.head, v.body.head_len, "Bcc")),
                         .subject = changed(c, "subject", v.subject),
                         .text = changed(c, "body", v.text),
                         .html = changed(c, "html_body", v.html),
                         .in_reply_to = mime_header(a, v.body.head, v.body.head_len, "In-Reply-To"),
                         .references = mime_header(a, v.body.head, v.body.head_len, "References")};
    if (keep_files(c, &v, &l) < 0 || raw_of(c, &b, &l, &raw) < 0)
        return -1;
    const struct mail_message_new in = {
        .mailbox = &b.mailbox, .raw = buf_str(&raw), .len = raw.len, .at_s = INT64_MIN};
    int r = mail_draft_save(&c->tx, &d, &in);
    buf_done(&raw);
    return r;
}

int email_update_draft(struct call *c)
{
    int r = update(c);
    if (r == 0)
        r = email_text(c, "Draft %s updated successfully",
                       json_get_str(server_arguments(c), "draft_id"));
    return email_end(c, "updating draft", r);
}

int email_delete_draft(struct call *c)
{
    struct email_box b;
    struct mail_draft d;
    int r = email_open(c, &b) < 0 || draft_of(c, &b, &d) < 0 || mail_draft_delete(&c->tx, &d) < 0
                ? -1
                : email_text(c, "Draft %s deleted successfully",
                             json_get_str(server_arguments(c), "draft_id"));
    return email_end(c, "deleting draft", r);
}
