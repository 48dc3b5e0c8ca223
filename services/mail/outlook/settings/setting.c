/* SPDX-License-Identifier: Apache-2.0 */
/* What people have set for their mailboxes: JSON objects by kind and key. */
#include "services/mail/outlook/outlook.h"

#define MAX_VALUE (1 << 20) /* bytes */

struct kept_table outlook_settings = KEPT_TABLE("outlook_setting", "mailbox", "key");

void outlook_value_begin(struct outlook_value *v)
{
    buf_init(&v->b, MAX_VALUE);
    json_init(&v->w, &v->b, false, NULL);
    json_obj(&v->w, NULL);
}

const char *outlook_value_end(struct tx *tx, struct outlook_value *v)
{
    json_end(&v->w);
    const char *text = buf_failed(&v->b) ? NULL : arena_strdup(tx->arena, buf_str(&v->b));
    buf_done(&v->b);
    if (!text || arena_failed(tx->arena)) {
        tx_fail(tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL, "a value may have %d bytes", MAX_VALUE);
        return NULL;
    }
    return text;
}
