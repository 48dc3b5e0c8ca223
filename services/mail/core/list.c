/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/core/search.h"

int mail_list(struct tx *tx, const struct mail_list *list, struct message **ret, size_t *ret_n,
              bool *ret_more)
{
    return search_list(tx, list, ret, ret_n, ret_more);
}
