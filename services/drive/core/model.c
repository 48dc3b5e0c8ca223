/* SPDX-License-Identifier: Apache-2.0 */
/* The content of documents of our own kinds: each revision's model, kept as JSON. */
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/model.h"

static const char *const words[] = {"document", "spreadsheet", "presentation", "drawing"};

int drive_document_kind(const char *mime, enum document_kind *ret)
{
    for (unsigned i = 0; i < SOSIA_LEN(words); i++)
        if (strcmp(mime, words[i]) == 0) {
            *ret = (enum document_kind)i;
            return 1;
        }
    return 0;
}

int drive_document_load(struct tx *tx, const struct drive_item *it, int64_t revision,
                        struct document **ret)
{
    static struct sql_text q =
        SQL_TEXT("select content from drive_document where revision = :revision");
    enum document_kind kind;
    struct json_limits limits = {.max_size = (size_t)1 << 30};
    const struct json *v;
    const char *text;
    size_t len;
    int64_t blob;
    if (!drive_document_kind(it->mime, &kind))
        return 0;
    int r = TX_INT(tx, &q, &blob, revision ? revision : it->head);
    if (r < 0)
        return -1;
    if (!r) { /* nothing was written into it yet */
        *ret = document_new(tx->arena, kind, it->name);
        return 1;
    }
    if (blob_load(tx, blob, &text, &len) < 0 ||
        json_parse(tx->arena, text, len, &limits, &v, tx->err) < 0 ||
        document_read(tx->arena, v, it->name, ret, tx->err) < 0)
        return -1;
    return (*ret)->kind == kind ? 1
                                : tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL,
                                          "the content of %s is not of its kind", it->key);
}
