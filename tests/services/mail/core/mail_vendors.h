/* SPDX-License-Identifier: Apache-2.0 */
/* Two vendors of mailboxes without a dialect, which are records of policies: one has labels, the
 * other is exclusive: a message is in exactly one folder. And a world of one of them, or of both.
 */
#ifndef SOSIA_TESTS_MAIL_VENDORS_H
#define SOSIA_TESTS_MAIL_VENDORS_H

#include "services/mail/core/vendor.h"
#include "tests/support/mail.h"

#define WEEK                  INT64_C(604800000000)
#define ID_OF(mailbox, place) mail_folder_id((mailbox)->id, place)

extern const struct mail_vendor labels, folders;
/* A third one: labels alone, in no tree; what it is notified of is in `reported`. */
extern const struct mail_vendor tags;
extern struct reported {
    struct folder_note {
        int64_t folder;
        char text[40];
    } notes[8]; /* the member "note" of folders in documents */
    size_t n_notes, fresh;
    int objects; /* calendar objects that came, and the last one */
    int64_t object_of;
    char object[201];
    size_t object_len;
    char groups[400], group_raw[4000]; /* groups that had letters, and the last letter */
    int gone;                          /* folders that went, and the last one */
    int64_t gone_folder;
} reported;
/* A fourth one, exclusive and without a hook. */
extern const struct mail_vendor bare;
extern const struct mail_vendor *vendor; /* of this run */

/* What `labels` gives new messages as a key. */
extern int64_t first_key;

/* What bob's mailbox does by itself. */
extern struct mail_rule rules[4];
extern size_t n_rules;
extern struct mail_auto_answer auto_answer;
extern struct mail_onward onward;

extern int64_t last_gone; /* the message of an exclusive mailbox that went last */

/* Is given each calendar object that mail brings; NULL: they are lost. */
extern void (*invitation_seen)(const struct actor *who, const struct invitation *in);

/* Is given the events of each transaction; NULL: they are lost. */
extern void (*events_seen)(const struct world_event *first);

/* An engine and a world of this document, with a transaction open. */
int open_as(const char *doc);
/* Set-up: ada, bob and cyd with the vendor of this run. */
int open_world(void **state);
/* Ada has labels, bob folders, cyd both. */
int open_mixed(void **state);

struct mail_folder make_folder(const struct mailbox *mb, int64_t parent, const char *name);
int64_t in_folder(int64_t folder); /* how many messages */
/* Ada writes it to bob: bob's copy. */
struct mail_message letter(const char *subject);
size_t changes_since(const struct mailbox *mb, int64_t after, int64_t folder,
                     struct mail_change **ret);
void refused(int rc, const char *reason);

#endif
