/* SPDX-License-Identifier: Apache-2.0 */
/* What queries of a dialect about its own rows say of the core's, as services/chat/core/sql.h has
 * it for chat: expressions, whose arguments are columns of the query. */
#ifndef SOSIA_MAIL_SQL_H
#define SOSIA_MAIL_SQL_H

/* NULL: there is no such message. */
#define MAIL_SQL_MESSAGE_MAILBOX(id) "(select o_.mailbox from mail_message o_ where o_.id = " id ")"
/* Rows, for joins: of messages, of mailboxes. */
#define MAIL_SQL_MESSAGES  "(select id, key, mailbox from mail_message)"
#define MAIL_SQL_MAILBOXES "(select id, vendor from mail_mailbox)"

#endif
