/* SPDX-License-Identifier: Apache-2.0 */
/* What people ask of each other about items: access to them, and their approval. */
#ifndef SOSIA_DRIVE_ASK_H
#define SOSIA_DRIVE_ASK_H

#include "services/drive/core/access/share.h"

/* ---- proposals: somebody asks for access ---- */

struct drive_proposal {
    int64_t id, item;
    const char *key;
    struct actor requester;
    const char *recipient, *message; /* who shall have it; NULL: no message */
    const char *roles;               /* JSON array of words */
    int64_t created_us;
};
/* Those behind the id `after` at an item, oldest first: 0, -1. */
int drive_proposals(struct tx *tx, int64_t item, int64_t after, size_t limit,
                    struct drive_proposal **ret, size_t *ret_n);
int drive_proposal(struct tx *tx, int64_t item, const char *key, struct drive_proposal *ret);
int drive_proposal_remove(struct tx *tx, const struct drive_proposal *p);

/* ---- approvals ---- */

enum drive_approval_status {
    APPROVAL_OPEN,
    APPROVAL_APPROVED,
    APPROVAL_CANCELLED,
    APPROVAL_DECLINED
};
enum drive_response { RESPONSE_NONE, RESPONSE_APPROVED, RESPONSE_DECLINED };

struct drive_approval {
    int64_t id, item;
    const char *key;
    int64_t initiator;
    enum drive_approval_status status;
    const char *message;
    int64_t created_us, modified_us, completed_us, due_us; /* 0: not, none */
    bool locks;
    struct drive_reviewer {
        const char *email;
        enum drive_response response;
    } * reviewers;
    size_t n_reviewers;
};
/* Newest first, below the id `before` (0: all). */
int drive_approvals(struct tx *tx, int64_t item, int64_t before, size_t limit,
                    struct drive_approval **ret, size_t *ret_n);
int drive_approval(struct tx *tx, int64_t item, const char *key, struct drive_approval *ret);
/* Is there one under way? 1, 0, -1. */
int drive_approval_open(struct tx *tx, int64_t item);
/* A key for one of the item that no dump brought; NULL: failed. */
const char *drive_approval_key(struct tx *tx, int64_t item);
/* Stores it, id 0: as a new one, with a key of its own. */
int drive_approval_save(struct tx *tx, struct drive_approval *a);
/* A reviewer's answer: what they all say decides; an approved item is locked. */
int drive_approval_answer(struct tx *tx, struct drive_item *it, struct drive_approval *a,
                          const char *email, enum drive_response response);

/* The sections accessProposals and driveApprovals of seed documents. */
struct doc;
int drive_approval_seed(struct tx *tx, struct doc *d, const struct json *item);
int drive_approval_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int drive_proposal_seed(struct tx *tx, struct doc *d, const struct json *item);
int drive_proposal_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

#endif
