/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the core that keep messages. */
#ifndef SOSIA_MAIL_IMPL_H
#define SOSIA_MAIL_IMPL_H

#include "engine/store/record.h"
#include "engine/world/columns.h"
#include "services/mail/core/mail.h"
#include "services/mail/core/deliver/rules.h"
#include "services/mail/core/search.h"
#include "services/mail/core/vendor.h"

/* ---- order of messages ---- */

#define AT_BITS  33
#define SEQ_BITS 14
#define AT_MAX   ((INT64_C(1) << AT_BITS) - 1)

/* The rowid of the first message that can have come at a second (since 1970). */
static inline int64_t mail_message_id_at(int64_t mailbox, int64_t at_s)
{
    int64_t at = at_s < 0 ? 0 : at_s > AT_MAX ? AT_MAX : at_s;
    return mailbox << (AT_BITS + SEQ_BITS) | at << SEQ_BITS;
}
/* The greatest rowid of a mailbox. */
static inline int64_t mail_message_id_last(int64_t mailbox)
{
    return ((mailbox + 1) << (AT_BITS + SEQ_BITS)) - 1;
}

/* ---- letter.c: a message as it comes, before it is anybody's ---- */

/* What all copies of a message share. */
struct mail_letter_text {
    const char *content;
    size_t content_len;
    struct mime mime;
    const char *snippet;
    struct search_text words; /* of what is not in a head */
    struct mail_links {
        const char **ids; /* of files that its texts link to, each once */
        size_t n;
        uint32_t has; /* HAS_VIDEO */
    } links;
    int64_t stored; /* the content's id; 0: not stored yet */
};
/* What its head says to mailboxes. */
struct mail_letter_head {
    const char *head;
    size_t len;
    const char *id;     /* its Message-ID, without brackets; NULL: none */
    int64_t message_id; /* hash of it; 0: none */
    int64_t subject;    /* hash of the base of the subject; 0: none */
    const char **refs;  /* References, then In-Reply-To: those that are looked at */
    size_t n_refs;
    bool has_refs; /* has a field References */
    struct mail_property property;
    /* Words of a copy with the same fields, whose size is of this class of the index's; NULL: none
     * are known. */
    const struct search_text *words;
    int words_class;
};
/* Splits and looks into it; everything lives in the arena, the bytes are borrowed. */
int mail_letter_read(struct tx *tx, const char *raw, size_t len, struct mail_letter_head *head,
                     struct mail_letter_text *text);
int mail_letter_read_head(struct tx *tx, const char *head, size_t len,
                          struct mail_letter_head *ret);
/* Is a message's From an address of the list? */
bool mail_letter_is_from(struct tx *tx, const char *head, size_t len, const char *const *addresses,
                         size_t n);

/* ---- content.c ---- */

/* Stores the content, or finds it: text->stored, with one reference more. */
int mail_content_store(struct tx *tx, struct mail_letter_text *text);
/* Everything of a message but its head. */
int mail_content_open(struct tx *tx, int64_t id, struct mail_message_body *ret);
int mail_content_release(struct tx *tx, int64_t id);
/* The bytes [from, to) of a content. */
int mail_content_range(struct tx *tx, const struct mail_message_body *b, size_t from, size_t to,
                       struct buf *out);

/* ---- corpus.c ---- */

/* Lists of the corpus. */
enum {
    MAIL_LIST_FOLDER,
    MAIL_LIST_FILED, /* with folders of their owner's */
    MAIL_LIST_THREAD,
    MAIL_LIST_IMPORTANCE, /* and two: in the order of enum mail_asked_property */
    MAIL_LIST_FLAG,
    MAIL_LIST_INFERENCE
};

/* Who asks: the mailbox, and the row that was looked at last. */
struct mail_asking {
    int64_t mailbox;
    struct mail_message row; /* id 0: none */
    bool there;
    struct record record; /* what it was read with */
};
/* The row of a message: 1, 0: there is none, -1. *ret is good until the next one. */
int mail_asked(struct tx *tx, struct mail_asking *asking, int64_t id,
               const struct mail_message **ret);

/* ---- links.c ---- */

/* What the links in these texts lead to. */
int mail_links(struct tx *tx, const struct search_doc *doc, struct mail_links *ret);
/* What somebody sees of the files that are linked to, as bits of HAS_FILES. */
int mail_links_seen(struct tx *tx, int64_t actor, const struct mail_letter_text *text,
                    uint32_t *ret);

/* ---- text.c ---- */

/* Looks at the texts: snippet and words. */
int mail_letter_look(struct tx *tx, struct mail_letter_text *text);
/* What a copy with this head is found by, and the addresses to which it came, one a line. */
int mail_letter_words(struct tx *tx, const struct mail_letter_head *head,
                      const struct mail_letter_text *text, struct search_text *ret,
                      const char **ret_delivered);
/* Takes a message out of the index when the call is over. */
int mail_index_remove(struct tx *tx, const struct mail_message *m);
/* All of the index, anew. */
int mail_index_derive(struct tx *tx);

/* ---- message.c ---- */

int64_t mail_message_id_hash(const char *id); /* of a text too; never 0 */
/* As mail_message_by_id(); rec: the same for all that are read one after another. */
int mail_message_row_get(struct tx *tx, int64_t id, struct record *rec, struct mail_message *ret);
/* The columns of mail_message besides its id and the hash of its Message-ID. */
#define MESSAGE(X)                                                                                 \
    X(key, key, NUMBER)                                                                            \
    X(mailbox, mailbox, NUMBER)                                                                    \
    X(thread, thread, NUMBER)                                                                      \
    X(thread_key, thread_key, NUMBER)                                                              \
    X(flags, flags, NUMBER)                                                                        \
    X(has, has, NUMBER)                                                                            \
    X(at, at_s, NUMBER)                                                                            \
    X(size, size, NUMBER)                                                                          \
    X(change, change, NUMBER)                                                                      \
    X(content, content, NUMBER)                                                                    \
    X(folder, folder, NUMBER)
#define MESSAGE_NAME(column, member, kind) ", m." #column
#define MESSAGE_COLUMNS                    "m.id" MESSAGE(MESSAGE_NAME)
/* Fills *row from the row that the statement is at; gives the place behind the columns. */
int mail_message_read(sqlite3_stmt *st, struct mail_message *row);
/* All rows of a statement. */
int mail_message_rows(struct tx *tx, sqlite3_stmt *st, struct mail_message **ret, size_t *ret_n);
/* Folders of its owner's, by id. */
int mail_message_own_folders(struct tx *tx, const struct mail_message *m, int64_t **ret,
                             size_t *ret_n);

/* ---- thread.c ---- */

/* The thread that a new message belongs to; ret->id 0: it begins one, with key ret->key (0: its
 * own). */
int mail_thread_choose(struct tx *tx, const struct mail_message_new *in,
                       const struct mail_letter_head *head, struct mail_thread *ret);
int mail_thread_add(struct tx *tx, struct mail_thread *t, int64_t subject);
/* After its messages have changed: newest and their number are counted again. Without messages it
 * ends. */
int mail_thread_recount(struct tx *tx, int64_t thread, int64_t mailbox);

/* ---- property.c ---- */

/* The first folder in a folder. 1, 0, -1. */
int mail_folder_first_child(struct tx *tx, const struct mail_folder *f, struct mail_folder *ret);
/* property_head.c: what a head says, on top of what an unmarked message has. */
extern const struct mail_property mail_property_usual;
void mail_property_read(struct arena *a, const char *head, size_t len, struct mail_property *ret);
/* Stores it where it is not the usual. */
int mail_property_put(struct tx *tx, int64_t message, const struct mail_property *p);
int mail_property_gone(struct tx *tx, int64_t message);
/* What is kept of it, and what its head says. 0, -1. */
int mail_property_said(struct tx *tx, const struct mail_message *m, struct mail_property *ret,
                       struct mail_property *ret_head);

/* ---- count.c ---- */

#define MAIL_CORE      "mail"
#define MAIL_DUE_PURGE "purge" /* a message in the trash or in spam has been there long enough */

struct mail_folder_set {
    uint32_t flags;
    const int64_t *own;
    size_t n_own;
    int64_t folder; /* of an exclusive vendor: the one among them that is a folder; 0: none */
};
/* A message's folders go from one set to another: indexes and counters follow. old NULL: it is new;
 * new NULL: it goes. */
int mail_folders_move(struct tx *tx, const struct mail_vendor *v, const struct mail_message *m,
                      const struct mail_folder_set *from, const struct mail_folder_set *to);
/* For seeds, which add many messages without mail_folders_move(): counts all folders of a mailbox.
 */
int mail_folders_recount(struct tx *tx, int64_t mailbox);
/* Rows of `member` and `message_folder` for a message that counts nowhere yet. */
int mail_folders_insert(struct tx *tx, const struct mail_vendor *v, const struct mail_message *m,
                        const struct mail_folder_set *set);

/* ---- folder.c ---- */

/* A row that every mailbox of a vendor has. */
int mail_folder_fix(struct tx *tx, int64_t mailbox, const struct mail_fixed *f);

/* ---- set.c ---- */

/* Folders of its owner's: this mailbox's, each once. */
int mail_set_own(struct tx *tx, const struct mail_vendor *v, int64_t mailbox, const int64_t *ids,
                 size_t n, struct mail_folder_set *ret);
/* The set that a message has. */
int mail_set_read(struct tx *tx, const struct mail_vendor *v, const struct mail_message *m,
                  struct mail_folder_set *ret);
/* Ids taken apart into places and others, which must be this mailbox's. */
int mail_set_of_ids(struct tx *tx, const struct mail_vendor *v, int64_t mailbox, const int64_t *ids,
                    size_t n, struct mail_folder_set *ret);
/* What becomes of a set when `plus` is added and `minus` taken away; *ret_both: what there is in
 * between. */
int mail_set_change(struct tx *tx, const struct mail_vendor *v, int64_t mailbox,
                    const struct mail_folder_set *old, const struct mail_folder_set *plus,
                    const struct mail_folder_set *minus, struct mail_folder_set *ret,
                    struct mail_folder_set *ret_both);
/* Of an exclusive vendor: it must name one folder, which is noted in it. */
int mail_set_check(struct tx *tx, const struct mail_vendor *v, int64_t mailbox,
                   struct mail_folder_set *set);
static inline uint32_t mail_set_flags(const struct mail_folder_set *set)
{
    return (set->flags & FLAGS_FIXED) | (set->n_own ? FLAG_OWN_FOLDERS : 0);
}

/* ---- change.c ---- */

/* The next number. */
int mail_change_number(struct tx *tx, int64_t *ret);
/* Adds a change of m to the feed; its number is m->change. folders: ids, for the kinds that have
 * some; now: what it has after it; before: the folder of an exclusive vendor that it was in.
 * goes_on: the next one that is added is of the same record, which has the number of its last one.
 */
int mail_change_notify(struct tx *tx, const struct mail_message *m, enum mail_change_kind kind,
                       const int64_t *folders, size_t n, const struct mail_folder_set *now,
                       int64_t before, bool goes_on);
/* Notes the newest change of a mailbox. quiet: the feed begins behind it. */
int mail_change_note(struct tx *tx, int64_t mailbox, int64_t number, bool quiet);

/* ---- store.c ---- */

struct put {
    const struct mail_message_new *in; /* raw is not looked at */
    struct mail_letter_head *head;
    struct mail_letter_text *text;
    struct mail_incoming *incoming; /* NULL: none */
    struct search_bulk *bulk;       /* of seeds; mail_folders_recount() follows. NULL: none */
};
/* Puts a message into its mailbox. 0, -1; *ret: as it is there. */
int mail_message_put(struct tx *tx, const struct put *put, struct mail_message *ret);
/* mail_message_add() of what does not come in: no rules. 0, -1. */
int mail_message_keep(struct tx *tx, const struct mail_message_new *in, struct mail_message *ret);
/* The thread has n messages more, and this one's change. */
int mail_thread_touch(struct tx *tx, const struct mail_message *m, int64_t n);
/* A free key for a message that came at a time. */
int mail_message_key(struct tx *tx, int64_t mailbox, int64_t at_s, int64_t *ret);

/* ---- draft.c ---- */

/* Makes the draft that holds a message; key 0: one is made. */
int mail_draft_hold(struct tx *tx, const struct mail_message *m, int64_t key,
                    struct mail_draft *ret);

/* ---- objects.c ---- */

/* The calendar objects in a message. */
struct objects {
    struct object {
        const char *text;
        size_t len;
    } * list;
    int n;
};
/* Finds and decodes those of a message that comes, in the arena. */
int mail_objects_of_letter(struct tx *tx, const struct mail_letter_text *text, struct objects *ret);
int mail_objects_in(struct tx *tx, const struct mime *m, const char *content, struct objects *ret);
/* Is a part an object that the message itself has, not one that it carries? */
bool mail_object_is(const struct mime *m, int part);
/* Adds a part's decoded bytes, unless there are as many as are read. */
int mail_objects_add(struct tx *tx, const struct mime_part *p, const char *data, size_t len,
                     struct objects *o);

/* ---- invitation.c ---- */

/* How much of them is read for all recipients of a message together; what is beyond is mail alone.
 */
struct objects_budget {
    size_t bytes;
    int events;
};
#define OBJECTS_BUDGET                                                                             \
    {                                                                                              \
        .bytes = (size_t)64 << 20, .events = 10000                                                 \
    }
/* They have come to a mailbox. sender: of the envelope. */
int mail_objects_arrived(struct tx *tx, const struct mailbox *mb, const char *sender,
                         const struct objects *o, struct objects_budget *budget);
/* The mailbox's person has sent them in a message with that head. */
int mail_objects_sent(struct tx *tx, const struct mailbox *mb, const struct mail_letter_head *head,
                      const struct objects *o);

/* ---- deliver.c ---- */

/* Says the sender's address, in lower case, that nobody reads what is sent there? */
bool mail_deliver_no_reply(const char *sender);

/* ---- notice.c ---- */

/* The core's letter(): see struct sosia_core. */
int mail_letter(struct tx *tx, const struct letter *l, const char **ret_rest);

#endif
