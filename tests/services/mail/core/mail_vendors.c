/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/mail/core/mail_vendors.h"
#include "engine/service.h"
#include "tests/support/unit.h"
#include "engine/json/doc.h"
#include "engine/state/form.h"
#include <stdio.h>
#include <strings.h>

/* ---- two vendors ---- */

struct mail_rule rules[4];
size_t n_rules;
struct mail_auto_answer auto_answer;
struct mail_onward onward;

static int rules_of(struct tx *t, const struct mailbox *mb, struct mail_rule **ret, size_t *ret_n)
{
    (void)t;
    *ret = rules;
    *ret_n = strncmp(mb->email, "bob", 3) == 0 ? n_rules : 0;
    return 0;
}

static int may_forward(struct tx *t, const struct mailbox *mb, const char *to)
{
    (void)t;
    (void)mb;
    return strncmp(to, "cyd", 3) == 0;
}

static int onward_of(struct tx *t, const struct mailbox *mb, struct mail_onward *ret)
{
    (void)t;
    *ret = strncmp(mb->email, "bob", 3) == 0 ? onward : (struct mail_onward){0};
    return 0;
}

static int answer_of(struct tx *t, const struct mailbox *mb, struct mail_auto_answer *ret)
{
    (void)t;
    if (strncmp(mb->email, "bob", 3) == 0)
        *ret = auto_answer;
    return 0;
}

static int identity_of(struct tx *t, const struct mailbox *mb, struct mail_identity *ret)
{
    (void)t;
    *ret = (struct mail_identity){.email = mb->email, .name = "Somebody else"};
    return 0;
}

static uint32_t marks_of(struct arena *a, const char *sender, const char *head, size_t len)
{
    (void)sender;
    return mime_header(a, head, len, "X-Second") ? FLAG(MARK_VENDOR + 1) : FLAG(MARK_VENDOR);
}

int64_t first_key = 1000;

static int key_of(struct tx *t, int64_t at_ms, int64_t *ret)
{
    (void)t;
    (void)at_ms;
    *ret = first_key;
    return 0;
}

static enum mail_link link_of(const char *host, const char *end, const char **ret_id, size_t *ret_n)
{
    if (end - host > 6 && strncmp(host, "files/", 6) == 0) {
        *ret_id = host + 6;
        *ret_n = (size_t)(end - host) - 6;
        return LINK_FILE;
    }
    return end - host >= 6 && strncmp(host, "videos", 6) == 0 ? LINK_VIDEO : LINK_OTHER;
}

static int snippet_of(struct tx *t, const struct mail_message *m, const char **ret)
{
    *ret = arena_printf(t->arena, "%lld bytes", (long long)m->size);
    return 0;
}

int64_t last_gone; /* the message that went last */

static int note_gone(struct tx *t, const struct mail_message *m)
{
    (void)t;
    last_gone = m->id;
    return 0;
}

static const struct mail_fixed label_places[] = {
    {FOLDER_INBOX, KIND_FOLDER, "inbox", false},
    {FOLDER_SENT, KIND_FOLDER, "sent", false},
    {FOLDER_DRAFTS, KIND_FOLDER, "drafts", false},
    {FOLDER_TRASH, KIND_FOLDER, "trash", true},
    {FOLDER_JUNK, KIND_FOLDER, "junk", true},
    {KEYWORD_UNSEEN, KIND_KEYWORD, "unseen", false},
    {KEYWORD_FLAGGED, KIND_KEYWORD, "flagged", false},
    {MARK_VENDOR, KIND_KEYWORD, "first", true},
    {MARK_VENDOR + 1, KIND_KEYWORD, "second", true},
};

static const struct mail_fixed folder_places[] = {
    {FOLDER_INBOX, KIND_FOLDER, "inbox", false},
    {FOLDER_SENT, KIND_FOLDER, "sent", false},
    {FOLDER_DRAFTS, KIND_FOLDER, "drafts", false},
    {FOLDER_TRASH, KIND_FOLDER, "trash", false},
    {FOLDER_JUNK, KIND_FOLDER, "junk", false},
    {KEYWORD_UNSEEN, KIND_KEYWORD, "unseen", true},
    {KEYWORD_FLAGGED, KIND_KEYWORD, "flagged", true},
    {MARK_VENDOR, KIND_FOLDER, "outbox", false},
    {MARK_VENDOR + 1, KIND_FOLDER, "names", true},
    {FOLDER_ARCHIVE, KIND_FOLDER, "archive", false},
    {KEYWORD_DRAFT, KIND_KEYWORD, "draft", true},
    {KEYWORD_ANSWERED, KIND_KEYWORD, "answered", true},
    {KEYWORD_FORWARDED, KIND_KEYWORD, "forwarded", true},
};

const struct mail_vendor labels = {
    .name = "labels",
    .tree = true,
    .fixed = label_places,
    .n_fixed = SOSIA_LEN(label_places),
    .one_of = {FLAG(FOLDER_INBOX) | FLAG(FOLDER_JUNK) | FLAG(FOLDER_TRASH),
               FLAG(MARK_VENDOR) | FLAG(MARK_VENDOR + 1)},
    .keep_days = 30,
    .marks = marks_of,
    .message_key = key_of,
    .link = link_of,
    .rules = rules_of,
    .may_forward = may_forward,
    .onward = onward_of,
    .answer = answer_of,
};

const struct mail_vendor folders = {
    .name = "folders",
    .exclusive = true,
    .tree = true,
    .fixed = folder_places,
    .n_fixed = SOSIA_LEN(folder_places),
    .keywords = (enum mail_place)(MARK_VENDOR + 1),
    .snippet = snippet_of,
    .message_gone = note_gone,
    .rules = rules_of,
    .may_forward = may_forward,
    .onward = onward_of,
    .answer = answer_of,
    .identity = identity_of,
};

/* ---- a third one, which keeps something of what it is notified of ---- */

struct reported reported;
struct noted {
    const char *note;
};
static const struct member noted_members[] = {
    {"note", "What is noted", TEXT_AT(struct noted, note)}};
static const struct form noted_form = {.about = "A note",
                                       .members = noted_members,
                                       .n = SOSIA_LEN(noted_members),
                                       .size = sizeof(struct noted)};

static struct folder_note *note_of(int64_t folder)
{
    for (size_t i = 0; i < reported.n_notes; i++)
        if (reported.notes[i].folder == folder)
            return &reported.notes[i];
    return NULL;
}

static int put_note(struct tx *t, const struct mail_folder *f, const void *row, bool fresh)
{
    const struct noted *noted = row;
    (void)t;
    reported.fresh += fresh;
    if (noted->note && reported.n_notes < SOSIA_LEN(reported.notes)) {
        struct folder_note *note = &reported.notes[reported.n_notes++];
        note->folder = f->id;
        snprintf(note->text, sizeof note->text, "%s", noted->note);
    }
    return 0;
}

static int get_note(struct tx *t, const struct mail_folder *f, void *row)
{
    const struct folder_note *note = note_of(f->id);
    struct noted *noted = row;
    (void)t;
    noted->note = note ? note->text : NULL;
    return 0;
}

static int note_object(struct tx *t, const struct mail_message *m, const char *text, size_t len)
{
    (void)t;
    reported.objects++;
    reported.object_of = m->id;
    snprintf(reported.object, sizeof reported.object, "%.*s", len < 200 ? (int)len : 200, text);
    reported.object_len = len;
    return 0;
}

static int note_group(struct tx *t, const struct group *group, const char *raw, size_t len)
{
    (void)t;
    const size_t at = strlen(reported.groups);
    snprintf(reported.groups + at, sizeof reported.groups - at, "%s ", group->email);
    snprintf(reported.group_raw, sizeof reported.group_raw, "%.*s", (int)len, raw);
    return 0;
}

static int note_folder(struct tx *t, const struct mail_folder *f)
{
    (void)t;
    reported.gone++;
    reported.gone_folder = f->id;
    return 0;
}

const struct mail_vendor tags = {
    .name = "tags",
    .fixed = label_places,
    .n_fixed = SOSIA_LEN(label_places),
    .marks = marks_of,
    .marked = FLAG(MARK_VENDOR),
    .folder_form = &noted_form,
    .folder_get = get_note,
    .folder_put = put_note,
    .object_came = note_object,
    .message_gone = note_gone,
    .group_came = note_group,
    .folder_gone = note_folder,
    .rules = rules_of,
};

/* ---- a fourth one, which leaves all to the core ---- */

static const struct mail_fixed bare_places[] = {
    {MARK_VENDOR, KIND_FOLDER, "outbox", false},    {FOLDER_INBOX, KIND_FOLDER, "inbox", false},
    {FOLDER_SENT, KIND_FOLDER, "sent", false},      {FOLDER_DRAFTS, KIND_FOLDER, "drafts", false},
    {FOLDER_TRASH, KIND_FOLDER, "trash", false},    {FOLDER_JUNK, KIND_FOLDER, "junk", false},
    {KEYWORD_UNSEEN, KIND_KEYWORD, "unseen", true}, {KEYWORD_DRAFT, KIND_KEYWORD, "draft", true},
};
const struct mail_vendor bare = {.name = "bare",
                                 .exclusive = true,
                                 .tree = true,
                                 .fixed = bare_places,
                                 .n_fixed = SOSIA_LEN(bare_places)};

static int make_bare(struct tx *t, const struct account *account, const struct actor *actor)
{
    (void)actor;
    return mail_mailbox_make(t, account, &bare);
}

static int make_tags(struct tx *t, const struct account *account, const struct actor *actor)
{
    (void)actor;
    return mail_mailbox_make(t, account, &tags);
}

static int make_labels(struct tx *t, const struct account *account, const struct actor *actor)
{
    (void)actor;
    return mail_mailbox_make(t, account, &labels);
}

static int make_folders(struct tx *t, const struct account *account, const struct actor *actor)
{
    (void)actor;
    return mail_mailbox_make(t, account, &folders);
}

static const struct provision provisions[] = {
    {"labels", ACCOUNT_MAIL, "person", true, make_labels},
    {"folders", ACCOUNT_MAIL, "person", false, make_folders},
    {"tags", ACCOUNT_MAIL, "person", false, make_tags},
    {"bare", ACCOUNT_MAIL, "person", false, make_bare},
    {NULL, 0, NULL, false, NULL},
};
static const struct core_policy policies[] = {{"mail", "labels", &labels},
                                              {"mail", "folders", &folders},
                                              {"mail", "tags", &tags},
                                              {"mail", "bare", &bare},
                                              {NULL, NULL, NULL}};
void (*invitation_seen)(const struct actor *who, const struct invitation *in);

/* Calendars that keep nothing. */
static int take_invitation(struct tx *t, const struct actor *who, struct invitation *in)
{
    (void)t;
    if (invitation_seen)
        invitation_seen(who, in);
    in->missing = in->len && in->text[in->len - 1] == '?';
    return 0;
}

/* One file, which everybody sees but cyd. */
static int find_file(struct tx *t, const struct actor *who, const char *id, struct file_ref *ret)
{
    (void)t;
    if (strncmp(id, "plans", 5) != 0 || (who && strncmp(who->email, "cyd", 3) == 0))
        return 0;
    *ret = (struct file_ref){.title = "Plans", .type = id[5] ? id + 5 : "text/plain"};
    return 1;
}

void (*events_seen)(const struct world_event *first);

static int see_events(struct tx *t, const struct world_event *first)
{
    (void)t;
    if (events_seen)
        events_seen(first);
    return 0;
}

static const struct sosia_core vendors = {.name = "vendors",
                                          .provisions = provisions,
                                          .policies = policies,
                                          .invitation = take_invitation,
                                          .file = find_file,
                                          .events = see_events};
static const struct sosia_service identity = {
    .name = "identity", .cores = (const struct sosia_core *const[]){&identity_core, NULL}};
static const struct sosia_service mail = {
    .name = "mail",
    .cores = (const struct sosia_core *const[]){&mail_core, &mail_respond_core, &vendors, NULL}};
static const struct sosia_service *const services[] = {&identity, &mail, NULL};

#define PEOPLE                                                                                     \
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"                                                       \
    "organizations: [{domain: acme.example, name: Acme}]\n"                                        \
    "people:\n  - {email: ada@acme.example, name: Ada}\n"                                          \
    "  - {email: bob@acme.example, name: Bob}\n  - {email: cyd@acme.example, name: Cyd}\n"
#define ACCOUNT(who, vendor) "  - {actor: " who "@acme.example, vendor: " vendor "}\n"
#define ACCOUNTS(a, b, c)    "accounts:\n" ACCOUNT("ada", a) ACCOUNT("bob", b) ACCOUNT("cyd", c)

const struct mail_vendor *vendor;

int open_as(const char *doc)
{
    n_rules = 0;
    first_key = 1000;
    reported = (struct reported){0};
    onward = (struct mail_onward){0};
    auto_answer = (struct mail_auto_answer){.on = false};
    if (test_open_engine_of(services) < 0)
        return -1;
    test_use(doc);
    mail_begin();
    return 0;
}

int open_world(void **state)
{
    (void)state;
    char doc[1000];
    snprintf(doc, sizeof doc, PEOPLE ACCOUNTS("%s", "%s", "%s"), vendor->name, vendor->name,
             vendor->name);
    return open_as(doc);
}

int open_mixed(void **state)
{
    (void)state;
    return open_as(PEOPLE ACCOUNTS("labels", "folders", "folders")
                       ACCOUNT("cyd", "labels") "mailRouting: {acme.example: labels}\n");
}

/* ---- what tests ask ---- */

struct mail_folder make_folder(const struct mailbox *mb, int64_t parent, const char *name)
{
    struct mail_folder f = {.mailbox = mb->id, .parent = parent, .kind = KIND_FOLDER, .name = name};
    if (mail_folder_add(&tx, &f) < 0)
        fail_msg("%s: %s", name, test_err.text);
    return f;
}

int64_t in_folder(int64_t folder)
{
    struct mail_folder f;
    assert_int_equal(mail_folder_get(&tx, folder >> 24, folder, &f), 1);
    return f.messages;
}

struct mail_message letter(const char *subject)
{
    send_as("ada", arena_printf(tx.arena, "To: bob@acme.example\nSubject: %s\n\ntext\n", subject));
    return newest("bob", 0);
}

size_t changes_since(const struct mailbox *mb, int64_t after, int64_t folder,
                     struct mail_change **ret)
{
    struct mailbox now;
    size_t n;
    bool more;
    assert_int_equal(mailbox_by_id(&tx, mb->id, &now), 1);
    if (mail_changes(&tx, &now, after, 0, folder, 100, ret, &n, &more) < 0)
        fail_msg("changes: %s", test_err.text);
    return n;
}

void refused(int rc, const char *reason)
{
    assert_int_equal(rc, -1);
    assert_string_equal(test_err.reason, reason);
}
