/* SPDX-License-Identifier: Apache-2.0 */
/* Proposals: requests of people for access. */
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "engine/state/stored.h"
#include "identity/shown.h"
#include "services/drive/google/sharing/ask.h"
#include "services/drive/core/seed_impl.h"

/* With who asks. */
static int with_requester(struct tx *tx, int r, struct gdrive_proposal *p)
{
    return r == 1 && actor_by_id(tx, p->requester.id, &p->requester) < 0 ? -1 : r;
}

int gdrive_proposals_of(struct tx *tx, int64_t item, int64_t after, size_t limit,
                        struct gdrive_proposal **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("where item = :item and id > :after order by id limit :limit");
    struct gdrive_proposal *list = stored_list(
        tx, &gdrive_proposal_stored,
        STORED_QUERY(tx, &gdrive_proposal_stored, &q, item, after, (int64_t)limit), ret_n);
    for (size_t i = 0; list && i < *ret_n; i++)
        if (with_requester(tx, 1, &list[i]) < 0)
            return -1;
    *ret = list;
    return list ? 0 : -1;
}

int gdrive_proposal(struct tx *tx, int64_t item, const char *key, struct gdrive_proposal *ret)
{
    static struct sql_text q = SQL_TEXT("where item = :item and key = :key");
    return with_requester(tx, STORED_ONE(tx, &gdrive_proposal_stored, &q, ret, item, key), ret);
}

int gdrive_proposal_by_id(struct tx *tx, int64_t id, struct gdrive_proposal *ret)
{
    return with_requester(tx, stored_get(tx, &gdrive_proposal_stored, id, ret), ret);
}

int gdrive_proposal_remove(struct tx *tx, const struct gdrive_proposal *p)
{
    static struct sql_text q = SQL_TEXT("delete from gdrive_proposal where id = :id");
    return TX_RUN(tx, &q, p->id);
}

/* ---- the section accessProposals ---- */

/* For one of the item: that no document brought before. */
static const char *new_key(struct tx *tx, int64_t item)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from gdrive_proposal where item = :item and key = :key");
    uint8_t bytes[9];
    const char *key;
    struct buf b;
    int64_t one;
    int r;
    do {
        if (tx_id(tx, "drive proposal", bytes, sizeof bytes) < 0)
            return NULL;
        buf_init(&b, 64);
        base64url_add(&b, bytes, sizeof bytes, false);
        key = buf_keep(&b, tx->arena);
    } while ((r = TX_INT(tx, &q, &one, item, key)) == 1);
    return r < 0 ? NULL : key;
}

/* A role that people ask for. */
static bool is_proposed(const char *role)
{
    for (int i = ROLE_READER; i <= ROLE_WRITER; i++)
        if (strcmp(drive_role_names[i], role) == 0)
            return true;
    return false;
}

static int read_asked_roles(const struct form_in *in, const struct member *m, void *row)
{
    const char **roles;
    struct json_writer w;
    struct buf b;
    size_t n;
    if (doc_strings(in->d, in->value, m->name, &roles, &n) < 0)
        return -1;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = 0; i < n; i++)
        json_str(&w, NULL, roles[i]);
    if (!n)
        json_str(&w, NULL, "reader");
    json_end(&w);
    const char *text = buf_made(&b, in->tx->arena);
    member_put_text(m, row, text);
    for (size_t i = 0; i < n; i++)
        if (!is_proposed(roles[i]))
            return doc_refuse(in->d, in->value, m->name,
                              "must be of reader, commenter, writer, not \"%.40s\"", roles[i]);
    return text ? 0 : sosia_fail_memory(in->tx->err);
}

static int check_proposal(const struct form_in *in, void *row)
{
    struct gdrive_proposal *p = row;
    if (with_requester(in->tx, 1, p) < 0)
        return -1;
    p->created_us = p->created_us == DRIVE_UNSAID ? in->tx->now_us : p->created_us;
    p->recipient = email_normal(in->tx->arena, p->recipient ? p->recipient : p->requester.email);
    if (!p->recipient)
        return doc_refuse(in->d, in->value, "recipient", "is not an address");
    return p->key || (p->key = new_key(in->tx, p->item)) ? 0 : -1;
}

static const struct member gdrive_proposal_members[] = {
    STORED_ID(struct gdrive_proposal),
    {"id", "Its id; made up without it", TEXT_AT(struct gdrive_proposal, key)},
    {"file", "The file", REF_AT(struct gdrive_proposal, item, &gdrive_file_reference),
     .flags = MEMBER_REQUIRED},
    {"requester", "Who asks", .kind = MEMBER_REF, .ref = &handle_reference, .column = "requester",
     .at = offsetof(struct gdrive_proposal, requester.id), .size = sizeof(int64_t),
     .flags = MEMBER_REQUIRED},
    {"recipient", "For whom; themselves without it", TEXT_AT(struct gdrive_proposal, recipient)},
    {"message", "What they say", TEXT_AT(struct gdrive_proposal, message)},
    {"roles", "reader, commenter, writer", KEPT_AT(struct gdrive_proposal, roles, JSON_ARRAY),
     .read = read_asked_roles, .noun = "list of texts", .inner = "*",
     .schema = "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}}"},
    {"created", "When; the present without it", TIME_AT(struct gdrive_proposal, created_us),
     .usual = DRIVE_UNSAID},
};
STORED(gdrive_proposal_stored, "A request for access to a file", struct gdrive_proposal,
       gdrive_proposal_members, check_proposal, .table = "gdrive_proposal", .key = "file id");
