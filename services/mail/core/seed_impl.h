/* SPDX-License-Identifier: Apache-2.0 */
/* The words of seed documents, for reading and for writing them. Format: docs/seed.md. */
#ifndef SOSIA_MAIL_SEED_IMPL_H
#define SOSIA_MAIL_SEED_IMPL_H

#include "engine/base/map.h"
#include "engine/json/doc.h"
#include "engine/search/index.h"
#include "engine/state/form.h"
#include "engine/world/core.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/mail_impl.h"

/* Sections of the seed document: see struct section. */
int mailboxes_seed(struct tx *tx, struct doc *d, const struct json *value);
/* A dump has these messages with the mailboxes. */
int mail_seed(struct tx *tx, struct doc *d, const struct json *value);
int mailboxes_dump(struct tx *tx, struct json_writer *w);
/* plain.c: struct entity, plain */
int folder_plain(struct tx *tx, int64_t rowid, struct json_writer *w);
int message_plain(struct tx *tx, int64_t rowid, struct json_writer *w);

/* ---- seed_form.c: the rows of documents; form_in.of is the struct seeding ---- */

struct seed_mailbox {
    const char *email, *vendor;
};
struct seed_answered {
    const char *email;
    int64_t at_us;
};
/* Without what it is made of, or its bytes. */
struct seed_message {
    int64_t key, at_s, draft; /* 0; INT64_MIN; 0: not said */
    const char *thread;
    struct mail_property property;
    struct compose pieces;
};
/* form_out.of: the struct mail_message */
extern const struct form mail_state_form;
extern const struct form mail_folder_form;   /* seed_folder.c: the core's members */
extern const struct form mail_property_form; /* property.c, of struct mail_property */
extern const struct form mail_piece_form;    /* of struct compose */
extern const struct form mail_letter_form, mail_message_form, mail_answered_form, mail_mailbox_form;
/* Sixteen hexadecimal digits, below 2^63 and not 0; 0: it is none. */
int64_t mail_seed_key(const char *text);

/* Reading the sections. */
struct seeding {
    struct tx *tx;
    struct doc *doc;
    struct mailbox mailbox;
    struct actor who;
    const char **addresses;
    size_t n_addresses;
    struct map threads; /* name -> key + 1, in the arena */
    struct search_bulk *bulk;
    struct arena *kept; /* of the whole document, while a message is read in its own */
};
/* A failure of the core, with its place in the document. -1. */
int mail_seed_refused(struct tx *tx, struct doc *d, const struct json *at, const char *member);

/* seed_folder.c: a folder of a document. */
int mail_seed_folder(struct seeding *s, const struct json *v);
/* The number of a folder of its owner's; 0: it is none. */
int64_t mail_seed_number(const struct json *v);
/* The folder that a member names: one of its owner's by its number, or one at the top by its name.
 * 1, -1 with its place in the document. */
int mail_seed_named(const struct seeding *s, const struct json *v, const char *member,
                    struct mail_folder *ret);
/* Whether a dump has it: one of its owner's, or one of which its vendor keeps what is not usual. 1,
 * 0, -1. The second writes its members into an open object. 0, -1. */
int mail_folder_said(struct tx *tx, const struct mail_vendor *v, const struct mail_folder *f);
int mail_folder_write(struct tx *tx, struct json_writer *w, const struct mail_vendor *v,
                      const struct mail_folder *f);

/* seed_place.c: the labels of a message in a member, or default_flags without it; of an exclusive
 * vendor the folder and the categories besides; the place of drafts. */
int mail_seed_labels(struct seeding *s, const struct json *v, const char *member,
                     uint32_t default_flags, struct mail_message_new *ret);
int mail_seed_place(struct seeding *s, const struct json *v, uint32_t default_flags,
                    struct mail_message_new *new);
uint32_t mail_seed_draft_flag(struct seeding *s);

/* Can these bytes be a string of a document? */
bool mail_seed_is_string(const char *data, size_t len);
/* A header's addresses as people write them. */
void mail_seed_addresses_shown(struct arena *a, const char *header, const char ***ret,
                               size_t *ret_n);
/* The pieces of a message, such that mime_compose() makes its bytes again; false: there are none.
 */
bool mail_seed_pieces(struct arena *a, const char *raw, size_t len, struct compose *ret);

/* Entities, for diffs: see engine/world/core.h. */
#define MAIL_ENTITIES 2
extern const struct entity mail_entities[MAIL_ENTITIES];

#endif
