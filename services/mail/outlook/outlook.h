/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outlook Mail, by Microsoft Graph, on the mail core: what the files of this folder share. Folders
 * are exclusive and in a tree, categories are keywords, drafts may be in any folder.
 */
#ifndef SOSIA_MAIL_OUTLOOK_H
#define SOSIA_MAIL_OUTLOOK_H

#include "services/mail/core/kept.h"
#include "services/mail/core/mail.h"
#include "services/mail/outlook/vendor.h"
#include "vendors/microsoft/graph.h"

extern const struct dialect outlook_dialect;
extern const struct dialect_tools outlook_tools;
extern const struct sosia_core outlook_core;
extern const struct graph_feed outlook_feed;     /* feed.c */
extern const struct graph_finder outlook_finder; /* find.c */

#define OUTLOOK_MAX_MESSAGE ((size_t)35 << 20) /* of a message */
#define OUTLOOK_MAX_PAGE    1000
#define OUTLOOK_PAGE        10

/* The mailbox that a path means. */
struct outlook_box {
    struct graph_user user;
    struct mailbox mailbox;
    char guid[40]; /* as text, in ids */
    uint8_t provider[16], store[16];
    bool immutable;              /* Prefer: IdType="ImmutableId" */
    bool text, html;             /* Prefer: outlook.body-content-type */
    bool basic;                  /* outlook_is_basic() */
    bool shared;                 /* it is another person's */
    bool on_behalf;              /* and the caller may send for them, but not as them */
    struct outlook_again *again; /* again.h */
};

/* ---- box.c ---- */

enum outlook_need {
    OUTLOOK_READ,
    OUTLOOK_WRITE,
    OUTLOOK_SEND,        /* a message of the caller's own */
    OUTLOOK_SEND_STORED, /* one that is in the mailbox, or what is made of it */
};
/* The mailbox of the path, which the caller may use so. 0, -1. */
int outlook_open(struct call *c, enum outlook_need need, struct outlook_box *ret);
/* Of any mailbox, without a call. */
int outlook_box_of(struct tx *tx, const struct mailbox *mb, struct outlook_box *ret);
/* Has the caller no more than the permission to read what is basic of messages: no bodies,
 * previews, attachments, extensions and extended properties, and no search? */
bool outlook_is_basic(const struct call *c);
/* A refusal of the core in Graph's words. -1. */
int outlook_refused(struct call *c);
/* "users('ada%40port.example')": where contexts of the mailbox begin. */
const char *outlook_root(struct call *c, const struct outlook_box *b);

/* ---- ids.c: MG-360 to 364, MG-625 ---- */

const char *outlook_message_id(struct arena *a, const struct outlook_box *b, int64_t key,
                               int64_t folder);
const char *outlook_immutable_id(struct arena *a, const struct outlook_box *b, int64_t key);
/* place: of a folder (folder.h), or FOLDER_ROOT. */
#define FOLDER_ROOT (-1)
const char *outlook_folder_id(struct arena *a, const struct outlook_box *b, int64_t place);
const char *outlook_attachment_id(struct arena *a, const struct outlook_box *b, int64_t key,
                                  int64_t folder, int part);
const char *outlook_conversation_id(struct arena *a, const struct outlook_box *b, int64_t thread);
/* 22 bytes and 5 a reply, in base64. */
const char *outlook_conversation_index(struct arena *a, const struct outlook_box *b, int64_t thread,
                                       int64_t began_s, int replies);
/* meeting: of a message about one (enum graph_meeting_kind); 0. */
const char *outlook_change_key(struct arena *a, const struct outlook_box *b, int64_t counter,
                               int meeting);
const char *outlook_web_link(struct arena *a, const char *id);
/* What an id says: 1; 0 it is none (malformed), 2 another mailbox's. */
int outlook_message_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                             int64_t *ret_key, int64_t *ret_place, bool *ret_immutable);
int outlook_folder_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                            int64_t *ret_place);
int outlook_attachment_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                                int64_t *ret_key, int *ret_part);
/* 1, 0. */
int outlook_conversation_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                                  int64_t *ret_thread);
/* An id's bytes, of either alphabet; 0, -1 it is none. And the text of such bytes: with '-' and '_'
 * (swapped), or in the standard alphabet. */
int outlook_id_bytes(struct arena *a, const char *text, uint8_t **ret, size_t *ret_n);
const char *outlook_id_text(struct arena *a, const uint8_t *data, size_t n, bool swapped);
/* A well-known name in any case; -2: it is none. */
int64_t outlook_known_place(const char *name);
/* The well-known name of a place; NULL: it has none. */
const char *outlook_known_name(int64_t place);

/* ---- item.c: a message as Outlook knows it ---- */

struct outlook_item {
    struct mail_message message;
    int64_t key;             /* of the draft that holds it, else its own */
    struct mail_draft draft; /* id 0: it is none */
    int64_t version, modified_us;
    int64_t was; /* 0: none */
    int meeting; /* enum graph_meeting_kind */
};
/* Everything of a message. 0, -1. */
int outlook_item_of(struct tx *tx, const struct mail_message *m, struct outlook_item *ret);
/* Whether nothing was changed of any message of the world, as far as the page of its row shows; and
 * the item of a message in such a world, as long as nothing is written. */
bool outlook_items_unchanged(struct tx *tx);
int outlook_item_unchanged(struct tx *tx, const struct mail_message *m, struct outlook_item *ret);
/* By its key: 1, 0, -1. */
int outlook_item_get(struct tx *tx, int64_t mailbox, int64_t key, struct outlook_item *ret);
/* That of the path ("message-id"), in the folder of the path if there is one. 0, -1. */
int outlook_item_of_path(struct call *c, const struct outlook_box *b, struct outlook_item *ret);
/* The change key of what the message is now; in `a`. */
const char *outlook_item_change_key(struct arena *a, const struct outlook_box *b,
                                    const struct outlook_item *i);
/* By the text of an id. 0, -1 with the refusal. */
int outlook_item_named(struct call *c, const struct outlook_box *b, const char *id,
                       struct outlook_item *ret);
const char *outlook_item_id(struct arena *a, const struct outlook_box *b,
                            const struct outlook_item *i);
const char *outlook_item_etag(struct arena *a, const struct outlook_box *b,
                              const struct outlook_item *i);
/* It was changed: another change key and date. 0, -1. */
int outlook_item_touch(struct tx *tx, struct outlook_item *i);
/* As it is now, by its message's id. 0, -1. */
int outlook_item_again(struct tx *tx, struct outlook_item *i);
/* A sent message, that was a draft with that key (0: none). 0, -1. */
int outlook_item_sent(struct tx *tx, const struct mail_message *m, int64_t key);
int outlook_message_gone(struct tx *tx, const struct mail_message *m);

/* What lies beside it. */
extern struct kept_table outlook_extras;
/* Of another message: of a draft that is saved. */
int outlook_extras_put(struct tx *tx, int64_t message, const struct kept *list, size_t n);

/* ---- meeting.c: messages about meetings ---- */

struct graph_mail;
struct odata_query;
struct odata_path;
struct odata_value;
struct edm_type;
extern const struct graph_mail outlook_mail_record;
/* A calendar object that is in a new message (struct mail_vendor). */
int outlook_object_came(struct tx *tx, const struct mail_message *m, const char *text, size_t len);
/* The kind (enum graph_meeting_kind) of a message: 0 it is not about a meeting; -1. */
int outlook_meeting_kind(struct tx *tx, const struct mail_message *m);
int outlook_meeting_gone(struct tx *tx, const struct mail_message *m);
/* "#microsoft.graph.eventMessageRequest", or that of any message. */
const char *outlook_item_type(const struct outlook_item *i);
/* The same as the types know it. */
const struct edm_type *outlook_item_edm(const struct outlook_item *i);
/* Its own members, in the two places that answers have them, and the event that $expand names. 0,
 * -1; of other messages nothing is written. */
int outlook_write_meeting_state(struct call *c, const struct outlook_item *i);
int outlook_write_meeting(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                          const struct odata_query *q);
/* A member that only such messages have: 1, 0 it has none, -1. */
int outlook_meeting_value(struct tx *tx, const struct outlook_item *i,
                          const struct odata_path *path, struct odata_value *ret);

/* ---- extras.c ---- */

#define OUTLOOK_EXTENSION "microsoft.graph.openTypeExtension." /* before the name in an id */
/* An extended property (kind "single" or "multi") and an open extension, as bodies have them. 0,
 * -1 refused. */
int outlook_property_put(struct call *c, const struct outlook_item *i, const char *kind,
                         const char *name, const struct json *v);
int outlook_extension_put(struct call *c, const struct outlook_item *i, const char *name,
                          const struct json *v);

/* ---- mention.c ---- */

/* Is the mailbox's own person mentioned? 1, 0; 2: nobody is; -1. */
int outlook_is_mentioned(struct tx *tx, const struct outlook_box *b, const struct outlook_item *i);
/* The member mentionsPreview, and a list of mentions. 0, -1. */
int outlook_write_mentioned(struct call *c, const struct outlook_box *b,
                            const struct outlook_item *i);
int outlook_write_mentions(struct call *c, const struct outlook_item *i, const char *member);

/* ---- settings, by their kinds ---- */

extern struct kept_table outlook_settings;
#define SETTING_MAILBOX  "mailbox" /* zone, hours, formats, automatic replies */
#define SETTING_RULE     "rule"
#define SETTING_CATEGORY "category"
#define SETTING_OVERRIDE "override"
#define SETTING_SEARCH   "search"   /* a search folder */
#define SETTING_DELEGATE "delegate" /* who may use the mailbox, and send for it */
#define SETTING_UPLOAD   "upload"

/* ---- folder.c, folder_write.c ---- */

/* By an id or a well-known name: 0, -1 refused. place FOLDER_ROOT: ret->id is 0. */
int outlook_folder_named(struct call *c, const struct outlook_box *b, const char *text,
                         struct mail_folder *ret);
/* That of the call's path, which names one; where it goes on with a child folder, that one. 0, -1.
 */
int outlook_folder_of_path(struct call *c, const struct outlook_box *b, struct mail_folder *ret);
/* "mailFolders('inbox')/childFolders('x')" and what follows, as the caller wrote it: of contexts.
 */
const char *outlook_folder_at(struct call *c, const char *rest);
const char *outlook_folder_text(struct arena *a, const struct outlook_box *b, int64_t folder);
/* The members alone, into an open object; type: @odata.type of any, not of search folders alone. */
int outlook_write_folder_members(struct call *c, const struct outlook_box *b,
                                 const struct mail_folder *f, bool type);
int outlook_write_folder(struct call *c, const char *member, const struct outlook_box *b,
                         const struct mail_folder *f);
/* The folder that a body's destinationId names. 0, -1. */
int outlook_destination(struct call *c, const struct outlook_box *b, struct mail_folder *ret);
/* The keyword of a category, made where there is none. 0, -1. */
int outlook_category_folder(struct tx *tx, int64_t mailbox, const char *name, int64_t *ret);
/* The names of a message's categories. */
int outlook_categories(struct tx *tx, const struct mail_message *m, const char ***ret,
                       size_t *ret_n);

/* ---- render.c ---- */

struct odata_query;
/* The object of a message; type: with @odata.type in any case. 0, -1. */
int outlook_write_item(struct call *c, const char *member, const struct outlook_box *b,
                       const struct outlook_item *i, const struct odata_query *q, bool type);
/* The items of a list, without types. 0, -1. */
int outlook_write_items(struct call *c, const struct outlook_box *b,
                        const struct outlook_item *list, size_t n, const struct odata_query *q);
/* The members alone, into an open object. */
int outlook_write_members(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                          const struct odata_query *q);
/* One message with its context, as rows answer it. context: "messages" or "mailFolders('x')/
 * messages". */
int outlook_answer_item(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                        const struct odata_query *q, const char *context);
void outlook_write_person(struct json_writer *w, const char *member, const char *name,
                          const char *email);

/* ---- copy.c ---- */

/* A copy of a message in a folder: its bytes, categories and properties. 0, -1. */
int outlook_copy(struct tx *tx, const struct outlook_box *b, const struct mail_message *m,
                 int64_t folder, struct mail_message *ret);

/* ---- attachment.c ---- */

/* A message, opened. */
struct outlook_attached {
    struct call *c;
    const struct outlook_box *b;
    const struct outlook_item *i;
    const struct mail_message_body *body;
};
/* One part, into an open object. */
int outlook_write_attachment(const struct outlook_attached *at, int part,
                             const struct odata_query *q);
/* The list of a message's attachments, an open array's items. */
int outlook_write_attachments(struct call *c, const struct outlook_box *b,
                              const struct outlook_item *i, const struct mail_message_body *body,
                              const struct odata_query *q);
/* Is a part one? Parts of a message in it are that one's own. */
bool outlook_is_attachment(const struct mime *m, int part);
bool outlook_is_message(const struct mime_part *p);
/* A link to a file: message/external-body by its URL (RFC 2017). */
bool outlook_is_link(const struct mime_part *p);
bool outlook_has_attachments(const struct mime *m);
/* Is a part shown in the text, and no file of its own? */
bool outlook_is_inline(const struct mime *m, int part);
/* enclosed.c: the event or contact that a message in a message is for: 1 with its text, 0 it is a
 * message like others. In the arena. */
int outlook_enclosed_text(struct arena *a, const char *data, size_t len, const char **ret,
                          size_t *ret_n);
/* What a link's bytes say; the type of the file it leads to is *ret_type, and whether it is shown
 * in the text *ret_inline. */
struct graph_reference;
void outlook_link_read(struct arena *a, const char *data, size_t len, struct graph_reference *ret,
                       const char **ret_type, bool *ret_inline);

#endif
