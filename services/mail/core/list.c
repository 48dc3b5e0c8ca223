/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/core/mail_impl.h"

int mail_list(struct tx *tx, const struct mail_list *list, struct message **ret, size_t *ret_n,
              bool *ret_more)
{
    return index_settle(tx) < 0 ? -1 : search_list(tx, list, ret, ret_n, ret_more);
}
