/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on their way into a mailbox: items of a list "messages" that is open. */
#ifndef SOSIA_TRANSFER_MAIL_H
#define SOSIA_TRANSFER_MAIL_H

#include "services/mail/core/vendor.h"
#include "transfer/impl.h"

struct mail_in {
    struct transfer_in *in;
    struct mailbox mailbox;
    const struct mail_vendor *vendor;
    const char **addresses;
    size_t n_addresses;
    struct map names, keys; /* labels or folders of the owner's; ids that are taken */
    const char **list;      /* the names, in the order in which they came */
    size_t n_list, list_cap;
};

#define MAIL_NAMES 64 /* labels of a message; further ones are passed over */

/* How a message lies in a mailbox. */
struct mail_place_in {
    uint32_t flags;
    bool placed; /* the flags say where it is, or the names do */
    const char *names[MAIL_NAMES];
    size_t n_names;
    int64_t key, thread; /* 0: not known */
    int64_t at_s;        /* when it came; INT64_MIN: not known */
};

int transfer_mail_begin(struct transfer_in *in, struct mail_in *ret);
/* Adds a label by the name that programs have for it. */
void transfer_mail_label(struct mail_in *m, struct mail_place_in *at, const char *name);
/* A message that is there as a whole. */
int transfer_mail_message(struct mail_in *m, struct mail_place_in *at, const char *raw, size_t len);
/* Behind the list: the names that the mailbox is to have. */
void transfer_mail_end(struct mail_in *m);

/* Messages of a file in the format mbox; those of other archives use it, too. */
int transfer_mbox(struct mail_in *m, struct transfer_in *in);

/* The words in which archives of mail name places; NULL-terminated by the word. */
struct mail_word {
    const char *word;
    uint32_t flag; /* 0: it says nothing of a place */
};
extern const struct mail_word transfer_mail_words[];

#endif
