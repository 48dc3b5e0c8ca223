/* SPDX-License-Identifier: Apache-2.0 */
/* What queries of Google's dialects say of rows that all its APIs share, as identity/sql.h has it
 * for identity's. */
#ifndef SOSIA_GOOGLE_SQL_H
#define SOSIA_GOOGLE_SQL_H

/* Rows of notification channels: for joins and conditions. */
#define GOOGLE_SQL_CHANNELS                                                                        \
    "(select id, name, kind, ref, actor, resource, address, expires_us, token from "               \
    "google_channel)"

#endif
