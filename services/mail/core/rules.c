/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/core/rules.h"

int rules_incoming(struct tx *tx, struct incoming *in)
{
    (void)tx;
    (void)in;
    return 0;
}

int rules_after(struct tx *tx, struct incoming *in)
{
    (void)tx;
    (void)in;
    return 0;
}
