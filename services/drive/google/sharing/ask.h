/* SPDX-License-Identifier: Apache-2.0 */
/* What people ask of each other about items: access to them, and their approval. */
#ifndef SOSIA_DRIVE_GOOGLE_ASK_H
#define SOSIA_DRIVE_GOOGLE_ASK_H

#include "services/drive/core/access/share.h"

struct form;

/* ---- proposals: somebody asks for access ---- */

struct gdrive_proposal {
    int64_t id, item;
    const char *key;
    struct actor requester;
    const char *recipient, *message; /* who shall have it; NULL: no message */
    const char *roles;               /* JSON array of words */
    int64_t created_us;
};
/* Those behind the id `after` at an item, oldest first: 0, -1. */
int gdrive_proposals_of(struct tx *tx, int64_t item, int64_t after, size_t limit,
                        struct gdrive_proposal **ret, size_t *ret_n);
int gdrive_proposal(struct tx *tx, int64_t item, const char *key, struct gdrive_proposal *ret);
int gdrive_proposal_by_id(struct tx *tx, int64_t id, struct gdrive_proposal *ret);
int gdrive_proposal_remove(struct tx *tx, const struct gdrive_proposal *p);

/* ---- approvals ---- */

enum gdrive_approval_status {
    APPROVAL_OPEN,
    APPROVAL_APPROVED,
    APPROVAL_CANCELLED,
    APPROVAL_DECLINED
};
enum gdrive_response { RESPONSE_NONE, RESPONSE_APPROVED, RESPONSE_DECLINED };

struct gdrive_approval {
    int64_t id, item;
    const char *key;
    int64_t initiator;
    enum gdrive_approval_status status;
    const char *message;
    int64_t created_us, modified_us, completed_us, due_us; /* 0: not, none */
    bool locks;
    struct gdrive_reviewer {
        const char *email;
        enum gdrive_response response;
    } * reviewers;
    int n_reviewers;
};
/* Newest first, below the id `before` (0: all). */
int gdrive_approvals_of(struct tx *tx, int64_t item, int64_t before, size_t limit,
                        struct gdrive_approval **ret, size_t *ret_n);
int gdrive_approval(struct tx *tx, int64_t item, const char *key, struct gdrive_approval *ret);
extern struct stored gdrive_approval_stored; /* approval_seed.c */
int gdrive_reviewers_read(struct tx *tx, struct gdrive_approval *a);
int gdrive_reviewers_save(struct tx *tx, const struct gdrive_approval *a);
int gdrive_approval_by_id(struct tx *tx, int64_t id, struct gdrive_approval *ret);
/* Is there one under way? 1, 0, -1. */
int gdrive_approval_open(struct tx *tx, int64_t item);
/* A key for one of the item that no dump brought; NULL: failed. */
const char *gdrive_approval_key(struct tx *tx, int64_t item);
/* Stores it, id 0: as a new one, with a key of its own. */
int gdrive_approval_save(struct tx *tx, struct gdrive_approval *a);
/* A reviewer's answer: what they all say decides; an approved item is locked. */
int gdrive_approval_answer(struct tx *tx, struct drive_item *it, struct gdrive_approval *a,
                           const char *email, enum gdrive_response response);

/* The sections accessProposals and driveApprovals of seed documents. */
struct doc;
extern struct stored gdrive_proposal_stored;
extern const struct reference gdrive_file_reference; /* the id of a file: approval_seed.c */

#endif
